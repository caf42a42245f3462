/* The transition table of Daytona's sandboxes, asked in every state. */
#include "sim/daytona/states.h"
#include "t.h"

static struct sim_day_verdict ask(enum sim_day_verb verb, enum sim_day_state stored, enum sim_day_want want,
                                  int pending) {
    const struct sim_day_situation at = {stored, want, pending, 0, 0};
    return sim_day_states_rule(verb, &at);
}

static void names_are_lower_case_and_unique(void) {
    for (int i = 0; i < DAY_STATE_COUNT; i++) {
        enum sim_day_state back = DAY_ERROR;
        const char *name = sim_day_state_name((enum sim_day_state)i);
        for (const char *p = name; *p; p++) T_TRUE((*p >= 'a' && *p <= 'z') || *p == '_');
        T_TRUE(sim_day_state_parse(name, &back));
        T_EQ(back, i);
    }
    enum sim_day_state state = DAY_ERROR;
    T_TRUE(!sim_day_state_parse("STARTED", &state));
}

static void masking_shows_where_it_is_headed(void) {
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_STARTED, DAY_WANT_STOPPED)), "stopping");
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_STARTED, DAY_WANT_DESTROYED)), "destroying");
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_STOPPED, DAY_WANT_STARTED)), "starting");
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_STOPPED, DAY_WANT_DESTROYED)), "destroying");
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_STOPPED, DAY_WANT_ARCHIVED)), "archiving");
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_UNKNOWN, DAY_WANT_STARTED)), "creating");
    T_STR(sim_day_state_name(sim_day_state_shown(DAY_ERROR, DAY_WANT_STARTED)), "error");
}

static void start_is_a_no_op_only_when_started(void) {
    T_EQ(ask(DAY_START, DAY_STARTED, DAY_WANT_STARTED, 0).ruling, DAY_NO_OP);
    T_EQ(ask(DAY_START, DAY_STOPPED, DAY_WANT_STOPPED, 0).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_START, DAY_ARCHIVED, DAY_WANT_ARCHIVED, 0).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_START, DAY_ARCHIVING, DAY_WANT_ARCHIVED, 1).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_START, DAY_STARTED, DAY_WANT_STOPPED, 1).status, 409);
    T_EQ(ask(DAY_START, DAY_STARTING, DAY_WANT_STARTED, 1).status, 409);
    T_STR(ask(DAY_START, DAY_ERROR, DAY_WANT_STARTED, 0).message, "Sandbox is in an errored state");
}

static void stop_of_a_stopped_one_is_400(void) {
    const struct sim_day_verdict verdict = ask(DAY_STOP, DAY_STOPPED, DAY_WANT_STOPPED, 0);
    T_EQ(verdict.ruling, DAY_REFUSE);
    T_EQ(verdict.status, 400);
    T_STR(verdict.message, "Sandbox is not in a stoppable state");
    T_EQ(ask(DAY_STOP, DAY_STARTED, DAY_WANT_STARTED, 0).ruling, DAY_ACCEPT);
}

/* Whatever is pending refuses every other change, but a build may be deleted and an archiving started. */
static void a_pending_change_refuses_the_next(void) {
    for (int verb = DAY_START; verb < DAY_VERB_COUNT; verb++)
        for (int state = 0; state < DAY_STATE_COUNT; state++) {
            if (!sim_day_state_moving((enum sim_day_state)state)) continue;
            const struct sim_day_verdict verdict =
                ask((enum sim_day_verb)verb, (enum sim_day_state)state, DAY_WANT_STARTED, 1);
            const int allowed =
                (verb == DAY_DELETE && state == DAY_PENDING_BUILD) || (verb == DAY_START && state == DAY_ARCHIVING);
            T_EQ(verdict.ruling, allowed ? DAY_ACCEPT : DAY_REFUSE);
            if (!allowed) T_EQ(verdict.status, 409);
            if (!allowed) T_STR(verdict.code, "SANDBOX_STATE_CHANGE_IN_PROGRESS");
        }
}

static void delete_works_in_every_settled_state(void) {
    T_EQ(ask(DAY_DELETE, DAY_STARTED, DAY_WANT_STARTED, 0).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_DELETE, DAY_STOPPED, DAY_WANT_STOPPED, 0).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_DELETE, DAY_ERROR, DAY_WANT_STARTED, 0).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_DELETE, DAY_BUILD_FAILED, DAY_WANT_STARTED, 0).ruling, DAY_ACCEPT);
    T_EQ(ask(DAY_DELETE, DAY_ARCHIVED, DAY_WANT_ARCHIVED, 0).ruling, DAY_ACCEPT);
}

static void archive_wants_a_stopped_one_that_lasts(void) {
    struct sim_day_situation at = {DAY_STOPPED, DAY_WANT_STOPPED, 0, 1, 0};
    T_STR(sim_day_states_rule(DAY_ARCHIVE, &at).message, "Ephemeral sandboxes cannot be archived");
    at.ephemeral = 0;
    T_EQ(sim_day_states_rule(DAY_ARCHIVE, &at).ruling, DAY_ACCEPT);
    T_STR(ask(DAY_ARCHIVE, DAY_STARTED, DAY_WANT_STARTED, 0).message, "Sandbox is not stopped");
}

static void recover_wants_an_error_that_can_be_recovered(void) {
    struct sim_day_situation at = {DAY_ERROR, DAY_WANT_STARTED, 0, 0, 0};
    T_STR(sim_day_states_rule(DAY_RECOVER, &at).message, "Sandbox is not in a recoverable state");
    at.recoverable = 1;
    T_EQ(sim_day_states_rule(DAY_RECOVER, &at).ruling, DAY_ACCEPT);
    T_STR(ask(DAY_RECOVER, DAY_STARTED, DAY_WANT_STARTED, 0).message, "Sandbox must be in error state to recover");
}

/* Every plan ends in the state that was wanted. */
static void plans_end_where_they_are_wanted(void) {
    static const enum sim_day_state ends[] = {DAY_DESTROYED, DAY_STARTED, DAY_STOPPED, DAY_ARCHIVED};
    for (int verb = 0; verb < DAY_VERB_COUNT; verb++)
        for (int from = 0; from < DAY_STATE_COUNT; from++)
            for (int ephemeral = 0; ephemeral < 2; ephemeral++) {
                const struct sim_day_plan plan =
                    sim_day_states_plan((enum sim_day_verb)verb, (enum sim_day_state)from, ephemeral);
                T_TRUE(plan.count >= 1 && plan.count <= 3);
                T_EQ(plan.step[plan.count - 1].to, ends[plan.want]);
            }
}

static void an_ephemeral_one_is_gone_when_stopped(void) {
    T_EQ(sim_day_states_plan(DAY_STOP, DAY_STARTED, 1).want, DAY_WANT_DESTROYED);
    T_EQ(sim_day_states_plan(DAY_STOP, DAY_STARTED, 0).want, DAY_WANT_STOPPED);
    T_EQ(sim_day_states_plan(DAY_DELETE, DAY_ARCHIVED, 0).count, 1);
}

static void quota_is_held_by_what_runs_or_is_on_its_way(void) {
    T_TRUE(sim_day_state_holds_cpu(DAY_CREATING) && sim_day_state_holds_cpu(DAY_STARTED) &&
           sim_day_state_holds_cpu(DAY_STOPPING));
    T_TRUE(!sim_day_state_holds_cpu(DAY_STOPPED) && sim_day_state_holds_disk(DAY_STOPPED));
    T_TRUE(!sim_day_state_holds_disk(DAY_ARCHIVED) && !sim_day_state_holds_disk(DAY_ERROR) &&
           !sim_day_state_holds_disk(DAY_BUILD_FAILED));
}

static void the_server_gives_a_state_only_so_long(void) {
    const char *reason = NULL;
    T_EQ(sim_day_state_limit_ms(DAY_CREATING, &reason), 15 * 60000);
    T_EQ(sim_day_state_limit_ms(DAY_STARTING, &reason), 5 * 60000);
    T_STR(reason, "Timeout while starting sandbox");
    T_EQ(sim_day_state_limit_ms(DAY_STARTED, &reason), 0);
}

T_CASES(T_CASE(names_are_lower_case_and_unique), T_CASE(masking_shows_where_it_is_headed),
        T_CASE(start_is_a_no_op_only_when_started), T_CASE(stop_of_a_stopped_one_is_400),
        T_CASE(a_pending_change_refuses_the_next), T_CASE(delete_works_in_every_settled_state),
        T_CASE(archive_wants_a_stopped_one_that_lasts), T_CASE(recover_wants_an_error_that_can_be_recovered),
        T_CASE(plans_end_where_they_are_wanted), T_CASE(an_ephemeral_one_is_gone_when_stopped),
        T_CASE(quota_is_held_by_what_runs_or_is_on_its_way), T_CASE(the_server_gives_a_state_only_so_long))
