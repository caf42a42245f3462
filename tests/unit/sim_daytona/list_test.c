/* The lists of the simulated Daytona: three shapes, filters, a search index that is behind, and what faults do to them.
 */
#include "ask.h"

#include <stdio.h>

/* Names of the page's items, "n1,n2", and the cursor it ends with. */
static const char *page(struct ask *a, const char *query, char cursor[256]) {
    static char names[512];
    char path[1024];
    snprintf(path, sizeof(path), "/api/sandbox?%s", query);
    T_EQ(ask(a, "GET", path, NULL), 200);
    names[0] = 0;
    const struct sbx_json_node *root = sbx_json_root(a->js);
    const struct sbx_json_node *items = sbx_json_type(root) == SBX_JSON_ARRAY ? root : sbx_json_member(root, "items");
    for (const struct sbx_json_node *it = sbx_json_first(items); it; it = sbx_json_next(it)) {
        if (names[0]) strcat(names, ",");
        strcat(names, sbx_json_string(a->js, it, "name"));
    }
    if (cursor) snprintf(cursor, 256, "%s", ask_text(a, "nextCursor"));
    return names;
}

static void three(struct ask *a, const char *scenario) {
    ask_init(a, scenario);
    ask_create(a, "{\"name\":\"n1\",\"labels\":{\"a\":\"1\",\"x\":\"\"}}");
    ask_create(a, "{\"name\":\"n2\",\"labels\":{\"a\":\"2\"}}");
    ask_create(a, "{\"name\":\"n3\",\"labels\":{\"a\":\"1\"}}");
    ask_pass_ms(a, 1000);
}

static void the_cursor_leads_to_the_end(void) {
    struct ask a;
    char cursor[256], next[512];
    three(&a, NULL);
    T_STR(page(&a, "limit=2&sort=name&order=asc", cursor), "n1,n2");
    T_TRUE(*cursor);
    snprintf(next, sizeof(next), "limit=2&sort=name&order=asc&cursor=%s", cursor);
    T_STR(page(&a, next, cursor), "n3");
    T_STR(cursor, "");
    ask_finish(&a);
}

static void the_default_order_is_the_last_activity_first(void) {
    struct ask a;
    three(&a, NULL);
    T_STR(page(&a, "", NULL), "n3,n2,n1");
    T_STR(page(&a, "sort=createdAt&order=asc", NULL), "n1,n2,n3");
    ask_finish(&a);
}

static void an_item_is_no_full_sandbox(void) {
    struct ask a;
    three(&a, NULL);
    T_EQ(ask(&a, "GET", "/api/sandbox?limit=1", NULL), 200);
    const struct sbx_json_node *item = sbx_json_first(sbx_json_member(sbx_json_root(a.js), "items"));
    T_TRUE(!sbx_json_member(item, "env") && !sbx_json_member(item, "volumes"));
    T_TRUE(sbx_json_member(item, "toolboxProxyUrl") != NULL);
    ask_finish(&a);
}

static void filters_are_applied(void) {
    struct ask a;
    three(&a, NULL);
    T_STR(page(&a, "sort=name&order=asc&labels=%7B%22a%22%3A%221%22%7D", NULL), "n1,n3");
    T_STR(page(&a, "sort=name&order=asc&labels=%7B%22x%22%3A%22%22%7D", NULL), "n1");
    T_STR(page(&a, "name=N2", NULL), "n2");
    T_EQ(ask(&a, "POST", "/api/sandbox/n2/stop", NULL), 200);
    ask_pass_ms(&a, 1000);
    T_STR(page(&a, "states=stopped", NULL), "n2");
    T_STR(page(&a, "sort=name&order=asc&states=started&states=stopped", NULL), "n1,n2,n3");
    ask_finish(&a);
}

static void bad_queries_are_400(void) {
    struct ask a;
    ask_init(&a, NULL);
    T_EQ(ask(&a, "GET", "/api/sandbox?limit=0", NULL), 400);
    T_EQ(ask(&a, "GET", "/api/sandbox?limit=201", NULL), 400);
    T_EQ(ask(&a, "GET", "/api/sandbox?states=destroyed", NULL), 400);
    T_EQ(ask(&a, "GET", "/api/sandbox?labels=x", NULL), 400);
    T_STR(ask_text(&a, "message"), "Invalid labels JSON format");
    T_EQ(ask(&a, "GET", "/api/sandbox?cursor=x", NULL), 400);
    T_CONTAINS(ask_text(&a, "message"), "Invalid cursor provided: ");
    T_EQ(ask(&a, "GET", "/api/sandbox?sort=colour", NULL), 400);
    T_EQ(ask(&a, "GET", "/api/sandbox?isPublic=true", NULL), 501);
    ask_finish(&a);
}

/* Get by name finds what the list does not show yet. */
static void day8_31_a_fresh_sandbox_is_not_in_the_list(void) {
    struct ask a;
    ask_init(&a, "{\"list_lag_ms\":5000}");
    ask_create(&a, "{\"name\":\"n1\"}");
    T_STR(page(&a, "", NULL), "");
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 200);
    ask_pass_ms(&a, 5000);
    T_STR(page(&a, "states=started", NULL), "n1");
    T_EQ(ask(&a, "POST", "/api/sandbox/n1/stop", NULL), 200);
    ask_pass_ms(&a, 1000);
    T_STR(page(&a, "states=started", NULL), "n1");
    ask_pass_ms(&a, 5000);
    T_STR(page(&a, "states=started", NULL), "");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/n1", NULL), 200);
    ask_pass_ms(&a, 2000);
    T_STR(page(&a, "", NULL), "n1");
    T_EQ(ask(&a, "GET", "/api/sandbox/n1", NULL), 404);
    ask_pass_ms(&a, 5000);
    T_STR(page(&a, "", NULL), "");
    ask_finish(&a);
}

static void twist(struct ask *a, const char *kind, const char *value, int64_t delay_ms) {
    const struct sbx_fault fault = {.op = "daytona.sandbox.list",
                                    .phase = "before",
                                    .times = 1,
                                    .effect = {.kind = kind, .value = value, .delay_ms = delay_ms}};
    three(a, NULL);
    ask_fault(a, &fault);
}

static void one_list_can_lag(void) {
    struct ask a;
    twist(&a, "list_lag", NULL, 60000);
    T_STR(page(&a, "", NULL), "");
    T_STR(page(&a, "", NULL), "n3,n2,n1");
    ask_finish(&a);
}

static void a_page_can_be_missing(void) {
    struct ask a;
    char cursor[256], next[512];
    twist(&a, "list_missing", NULL, 0);
    T_STR(page(&a, "limit=2&sort=name&order=asc", cursor), "");
    snprintf(next, sizeof(next), "limit=2&sort=name&order=asc&cursor=%s", cursor);
    T_STR(page(&a, next, NULL), "n3");
    ask_finish(&a);
}

static void an_item_can_come_twice(void) {
    struct ask a;
    twist(&a, "list_duplicate", NULL, 0);
    T_STR(page(&a, "sort=name&order=asc", NULL), "n1,n1,n2,n3");
    ask_finish(&a);
}

static void day8_30_an_empty_page_is_not_the_end(void) {
    struct ask a;
    char cursor[256], next[512];
    twist(&a, "list_empty_page", NULL, 0);
    T_STR(page(&a, "sort=name&order=asc", cursor), "");
    T_TRUE(*cursor);
    snprintf(next, sizeof(next), "sort=name&order=asc&cursor=%s", cursor);
    T_STR(page(&a, next, cursor), "n1,n2,n3");
    ask_finish(&a);
}

static void day8_30_a_cursor_can_repeat(void) {
    struct ask a;
    char first[256], second[256], next[512];
    three(&a, NULL);
    T_STR(page(&a, "limit=1&sort=name&order=asc", first), "n1");
    const struct sbx_fault loop = {
        .op = "daytona.sandbox.list", .phase = "before", .times = 1, .effect = {.kind = "list_loop"}};
    ask_fault(&a, &loop);
    snprintf(next, sizeof(next), "limit=1&sort=name&order=asc&cursor=%s", first);
    T_STR(page(&a, next, second), "n2");
    T_STR(second, first);
    ask_finish(&a);
}

static void the_page_list_counts(void) {
    struct ask a;
    three(&a, NULL);
    T_EQ(ask(&a, "GET", "/api/sandbox/paginated?page=2&limit=2", NULL), 200);
    T_EQ(ask_int(&a, "total"), 3);
    T_EQ(ask_int(&a, "page"), 2);
    T_EQ(ask_int(&a, "totalPages"), 2);
    const struct sbx_json_node *items = sbx_json_member(sbx_json_root(a.js), "items");
    T_EQ(sbx_json_count(items), 1);
    T_TRUE(sbx_json_member(sbx_json_first(items), "env") != NULL);
    ask_finish(&a);
}

/* Servers before 0.180: everything at once, and they do not know the filter by state. */
static void the_old_list_is_an_array(void) {
    struct ask a;
    three(&a, "{\"list\":\"array\"}");
    T_STR(page(&a, "sort=name&order=asc&states=stopped", NULL), "n1,n2,n3");
    T_EQ(sbx_json_type(sbx_json_root(a.js)), SBX_JSON_ARRAY);
    ask_finish(&a);
}

static void one_list_can_have_another_shape(void) {
    struct ask a;
    twist(&a, "list_shape", "array", 0);
    T_EQ(ask(&a, "GET", "/api/sandbox", NULL), 200);
    T_EQ(sbx_json_type(sbx_json_root(a.js)), SBX_JSON_ARRAY);
    ask_finish(&a);
}

T_CASES(T_CASE(the_cursor_leads_to_the_end), T_CASE(the_default_order_is_the_last_activity_first),
        T_CASE(an_item_is_no_full_sandbox), T_CASE(filters_are_applied), T_CASE(bad_queries_are_400),
        T_CASE(day8_31_a_fresh_sandbox_is_not_in_the_list), T_CASE(one_list_can_lag), T_CASE(a_page_can_be_missing),
        T_CASE(an_item_can_come_twice), T_CASE(day8_30_an_empty_page_is_not_the_end),
        T_CASE(day8_30_a_cursor_can_repeat), T_CASE(the_page_list_counts), T_CASE(the_old_list_is_an_array),
        T_CASE(one_list_can_have_another_shape))
