/* The ledger: what things cost by the clock, in whole numbers, and what is left. */
#include "echo.h"

#include <stdlib.h>
#include <string.h>

#define HOUR (3600 * SIM_SEC)

struct books {
    struct echo_cloud echo;
    struct sim *sim;
    struct sim_ledger *ledger;
};

static struct books *books_open(void) {
    struct books *b = calloc(1, sizeof(*b));
    T_TRUE(b);
    b->sim = echo_sim(1, &b->echo);
    b->ledger = sim_ledger(b->sim);
    return b;
}

static void books_close(struct books *b) {
    sim_free(b->sim);
    free(b);
}

static void pass(struct books *b, int64_t ns) {
    sim_advance_to(sim_world(b->sim), sim_now(sim_world(b->sim)) + ns);
}

static void a_price_runs_with_the_clock(void) {
    struct books *b = books_open();
    sim_ledger_open(b->ledger, "echo", "default", "id-1", "one", "acq", 5000, 3);
    T_EQ(sim_ledger_made(b->ledger), 1);
    T_EQ(sim_ledger_live(b->ledger), 1);
    T_EQ(sim_ledger_cost(b->ledger), 0);
    pass(b, HOUR / 2);
    T_EQ(sim_ledger_cost(b->ledger), 2500);
    sim_ledger_price(b->ledger, "id-1", 1000);
    pass(b, 2 * HOUR);
    T_EQ(sim_ledger_cost(b->ledger), 4500);
    sim_ledger_close(b->ledger, "id-1", "delete", 9);
    pass(b, 100 * HOUR);
    T_EQ(sim_ledger_cost(b->ledger), 4500);
    T_EQ(sim_ledger_live(b->ledger), 0);
    T_EQ(sim_ledger_made(b->ledger), 1);
    books_close(b);
}

/* Asking often must not lose what is less than a unit. */
static void nothing_is_lost_by_asking(void) {
    struct books *b = books_open();
    sim_ledger_open(b->ledger, "echo", "default", "id-1", NULL, NULL, 7, 1);
    for (int i = 0; i < 36000; i++) {
        pass(b, SIM_SEC / 10 + 333);
        (void)sim_ledger_cost(b->ledger);
    }
    T_EQ(sim_ledger_cost(b->ledger), 7);
    books_close(b);
}

static void a_century_does_not_overflow(void) {
    struct books *b = books_open();
    sim_ledger_open(b->ledger, "echo", "default", "id-1", NULL, NULL, 100000000, 1); /* a dollar an hour */
    pass(b, 100 * 365 * 24 * HOUR);
    T_EQ(sim_ledger_cost(b->ledger), INT64_C(100000000) * 100 * 365 * 24);
    books_close(b);
}

static void closing_is_once_and_only_of_what_is_open(void) {
    struct books *b = books_open();
    sim_ledger_open(b->ledger, "echo", "default", "id-1", NULL, NULL, 3600, 1);
    sim_ledger_close(b->ledger, "other", "delete", 2);
    T_EQ(sim_ledger_live(b->ledger), 1);
    sim_ledger_close(b->ledger, "id-1", "ttl", 2);
    sim_ledger_close(b->ledger, "id-1", "delete", 3);
    sim_ledger_price(b->ledger, "id-1", 50);
    pass(b, HOUR);
    T_EQ(sim_ledger_live(b->ledger), 0);
    T_EQ(sim_ledger_cost(b->ledger), 0);
    books_close(b);
}

static void the_list_says_who_and_why(void) {
    struct books *b = books_open();
    struct sbx_buf json = SBX_BUF_INIT;
    sim_ledger_open(b->ledger, "echo", "default", "id-1", "one", "acq", 5000, 3);
    sim_ledger_open(b->ledger, "echo", "default", "id-2", NULL, NULL, 10, 4);
    pass(b, HOUR);
    sim_ledger_close(b->ledger, "id-1", "delete", 9);
    sim_ledger_json(b->ledger, &json, NULL, 0);
    T_STR(
        sbx_buf_text(&json),
        "[{\"provider\":\"echo\",\"account\":\"default\",\"sandbox\":\"id-1\",\"name\":\"one\",\"acquisition\":\"acq\","
        "\"made_ms\":0,\"made_by\":3,\"price\":0,\"cost\":5000,\"ended_ms\":3600000,\"ended_by\":9,\"why\":\"delete\"},"
        "{\"provider\":\"echo\",\"account\":\"default\",\"sandbox\":\"id-2\",\"name\":null,\"acquisition\":null,"
        "\"made_ms\":0,\"made_by\":4,\"price\":10,\"cost\":10}]");
    sbx_buf_clear(&json);
    sim_ledger_json(b->ledger, &json, NULL, 1);
    T_TRUE(!strstr(sbx_buf_text(&json), "id-1"));
    T_CONTAINS(sbx_buf_text(&json), "id-2");
    T_CONTAINS(sim_journal_text(sim_journal(b->sim), NULL),
               "\"kind\":\"alloc\",\"provider\":\"echo\",\"account\":\"default\",\"sandbox\":\"id-1\",\"alias\":null,"
               "\"name\":\"one\",\"acquisition\":\"acq\",\"price\":5000,\"exchange\":3}");
    T_CONTAINS(sim_journal_text(sim_journal(b->sim), NULL), "\"why\":\"delete\",\"cost\":5000,\"exchange\":9}");
    sbx_buf_finish(&json);
    books_close(b);
}

T_CASES(T_CASE(a_price_runs_with_the_clock), T_CASE(nothing_is_lost_by_asking), T_CASE(a_century_does_not_overflow),
        T_CASE(closing_is_once_and_only_of_what_is_open), T_CASE(the_list_says_who_and_why))
