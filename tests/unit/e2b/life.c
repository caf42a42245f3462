/* Until when a sandbox is made to live: pure. Rows E2, E4. */
#include "adapters/e2b/life.h"
#include "t.h"

#define MIN INT64_C(60000)
#define NOW INT64_C(1000000)

static const struct e2b half_an_hour = {.sandbox_lifetime_ms = 30 * MIN};

static void is(const struct e2b_need *need, int64_t least_ms, int64_t make_ms) {
    const struct e2b_target target = e2b_life_target(&half_an_hour, need, NOW);
    T_EQ(target.least_ms - NOW, least_ms);
    T_EQ(target.make_ms - NOW, make_ms);
}

/* A command gives the sandbox its own lifetime again, when a minute of it is over. */
static void a_command_rearms(void) {
    is(&(struct e2b_need){.budget_ms = 30 * MIN, .sync = 1}, 29 * MIN, 30 * MIN);
    is(&(struct e2b_need){.budget_ms = 5 * MIN, .sync = 1}, 29 * MIN, 30 * MIN);
    is(&(struct e2b_need){.lifetime_ms = MIN, .budget_ms = 5 * MIN, .sync = 1}, 29 * MIN, 30 * MIN);
}

static void an_explicit_lifetime_is_covered_whole(void) {
    is(&(struct e2b_need){.lifetime_ms = 60 * MIN, .budget_ms = MIN, .sync = 1}, 60 * MIN + 30000, 60 * MIN + 30000);
    is(&(struct e2b_need){.lifetime_ms = 60 * MIN, .budget_ms = MIN}, 60 * MIN + 30000, 60 * MIN + 30000);
    is(&(struct e2b_need){.lifetime_ms = MIN, .budget_ms = MIN}, MIN + 30000, MIN + 30000);
}

/* Never more than the sandbox's own lifetime for a budget that nobody asked for. */
static void an_implicit_budget_asks_for_no_more(void) {
    is(&(struct e2b_need){.budget_ms = 600 * MIN, .sync = 1}, 29 * MIN, 30 * MIN);
    is(&(struct e2b_need){.budget_ms = 600 * MIN}, 30 * MIN, 30 * MIN);
    is(&(struct e2b_need){.budget_ms = 10 * MIN}, 10 * MIN, 10 * MIN);
    is(&(struct e2b_need){.lifetime_ms = SBX_NO_LIFETIME, .budget_ms = 600 * MIN}, 30 * MIN, 30 * MIN);
}

static void lifetimes_beyond_all_bounds_do_not_wrap(void) {
    const struct e2b_need need = {.lifetime_ms = INT64_MAX - 1, .sync = 1};
    const struct e2b_target target = e2b_life_target(&half_an_hour, &need, NOW);
    T_TRUE(target.least_ms > NOW && target.make_ms >= target.least_ms);
    T_EQ(e2b_seconds(INT64_MAX - 1), INT32_MAX);
    T_EQ(e2b_seconds(1), 1);
    T_EQ(e2b_seconds(1000), 1);
    T_EQ(e2b_seconds(1001), 2);
}

T_CASES(T_CASE(a_command_rearms), T_CASE(an_explicit_lifetime_is_covered_whole),
        T_CASE(an_implicit_budget_asks_for_no_more), T_CASE(lifetimes_beyond_all_bounds_do_not_wrap))
