/* POST /sandbox: what is asked is checked, made, and held up to 30 s; the answer shows the sandbox from before the
 * wait. */
#include "sim/daytona/create.h"
#include "sim/daytona/errors.h"
#include "sim/daytona/verbs.h"

#define CREATE_ARCHIVE_DEFAULT 10080 /* minutes: a week */
#define CREATE_STOP_DEFAULT    15

static void create_finish(struct create *c) {
    sim_day_map_drop(c->wish.env);
    sim_day_map_drop(c->wish.labels);
    sbx_buf_finish(&c->volumes);
    sim_day_fields_finish(&c->fields);
}

static void create_read_build(struct create *c) {
    struct sim_day_fields *f = &c->fields;
    const struct sbx_json_node *build = sim_day_fields_object(f, "buildInfo");
    if (!build) return;
    c->wish.dockerfile = sbx_json_opt_string(f->js, build, "dockerfileContent", NULL);
    if (!c->wish.dockerfile) sim_day_fields_wrong(f, "buildInfo.dockerfileContent must be a string");
    (void)sbx_json_opt_array(f->js, build, "contextHashes");
}

static void create_read_intervals(struct create *c) {
    struct sim_day_fields *f = &c->fields;
    c->wish.auto_stop = sim_day_fields_int(f, "autoStopInterval", INT64_MIN, CREATE_STOP_DEFAULT);
    c->wish.auto_archive = sim_day_fields_int(f, "autoArchiveInterval", INT64_MIN, CREATE_ARCHIVE_DEFAULT);
    c->wish.auto_delete = sim_day_fields_int(f, "autoDeleteInterval", INT64_MIN, -1);
    c->wish.ttl = sim_day_fields_int(f, "ttlMinutes", 0, 0);
}

static void create_read(struct create *c) {
    struct sim_day_fields *f = &c->fields;
    c->wish.name = sim_day_fields_text(f, "name");
    c->wish.snapshot = sim_day_fields_text(f, "snapshot");
    c->wish.user = sim_day_fields_text(f, "user");
    c->wish.target = sim_day_fields_text(f, "target");
    c->wish.env = sim_day_fields_map(f, "env");
    c->wish.labels = sim_day_fields_map(f, "labels");
    c->wish.is_public = sim_day_fields_bool(f, "public", 0);
    c->wish.block_all = sim_day_fields_bool(f, "networkBlockAll", 0);
    c->wish.allow_cidrs = sim_day_fields_text(f, "networkAllowList");
    c->wish.allow_domains = sim_day_fields_text(f, "domainAllowList");
    c->has_resources = sim_day_fields_has(f, "cpu") || sim_day_fields_has(f, "memory") ||
                       sim_day_fields_has(f, "disk") || sim_day_fields_has(f, "gpu");
    c->wish.cpu = sim_day_fields_int(f, "cpu", 1, 1);
    c->wish.memory = sim_day_fields_int(f, "memory", 1, 1);
    c->wish.disk = sim_day_fields_int(f, "disk", 1, 3);
    c->gpu = sim_day_fields_int(f, "gpu", 0, 0);
    create_read_build(c);
    create_read_intervals(c);
}

/* @return 1 if it asks for what is not simulated and has been answered so */
static int create_unsupported(struct sim_day_call *call, struct create *c) {
    static const char *const members[] = {"linkedSandbox", "secrets",          "spot",
                                          "gpuType",       "outboundProxyUrl", "otelEndpointOverride"};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (sim_day_fields_has(&c->fields, members[i])) {
            sim_http_unsupported(call->x, members[i], 0);
            sim_day_refuse(call, 501, NULL, "Not simulated: %s", members[i]);
            return 1;
        }
    return 0;
}

/* What an effect asked for after the body was read, or before: refusals that depend on the cloud and not on the
 * request. */
static int create_twisted(struct sim_day_call *call, const struct create *c) {
    if (call->twist.snapshot_inactive)
        sim_day_refuse(call, 400, NULL, "Snapshot %s is inactive", c->wish.snapshot ? c->wish.snapshot : "");
    else if (call->twist.no_runners)
        sim_day_refuse(call, 400, "NO_AVAILABLE_RUNNERS", "No available runners");
    else
        return 0;
    return 1;
}

static struct sim_day_sandbox *create_commit(struct sim_day_call *call, const struct create *c) {
    struct daytona *day = call->day;
    struct sim_day_sandbox *sb = sim_day_sandbox_new(day, call->account, &c->wish);
    const char *acquisition = NULL;
    if (!sb) return NULL;
    call->sb = sim_day_sandbox_pin(sb);
    acquisition = sim_day_map_get(sb->labels, "sandport-acq");
    sb->fails = call->twist.fails_boot;
    sb->fail_to = call->twist.fail_boot;
    sb->fail_early = sb->fails && sb->fail_to == DAY_BUILD_FAILED;
    if (sb->fails) sb->fail_reason = "the container exited while it was being started";
    sb->dead_boot_ns = call->twist.dead_ns;
    sb->dead_coded = call->twist.dead_coded;
    sim_journal_alias_add(sim_journal(day->sim), "sb", sb->id, sb->name);
    sim_ledger_open(sim_ledger(day->sim), "daytona", call->account->name, sb->id, sb->name,
                    acquisition ? acquisition : "", sim_day_account_price(call->account, sb), sim_http_number(call->x));
    sim_day_sandbox_note_version(sb);
    sim_day_sandbox_go(sb, sb->dockerfile ? DAY_BUILD : DAY_CREATE, "create", sim_http_number(call->x));
    if (call->twist.holds) sim_day_sandbox_hold(sb, call->twist.hold_state, call->twist.hold_ns);
    sim_day_subject(call, sb);
    return sb;
}

/* Held until it runs, fails or 30 s are over, though what is answered was written before. */
static void create_answer(struct sim_day_call *call, struct sim_day_sandbox *sb) {
    struct sbx_buf json = SBX_BUF_INIT;
    sim_day_sandbox_write(sb, &json, NULL);
    if (!sb->dockerfile) sim_day_sandbox_settle(sb, sim_day_now(call->day) + call->day->config.wait_ms * SIM_MS);
    if (!sb->gone && (sb->stored == DAY_ERROR || sb->stored == DAY_BUILD_FAILED)) {
        sbx_buf_finish(&json);
        sim_day_refuse(call, 400, NULL, "Sandbox failed to start: %s", sb->error_reason ? sb->error_reason : "unknown");
        return;
    }
    sim_http_reply_json(call->x, 200, &json);
}

void sim_day_serve_create(struct sim_day_call *call) {
    struct create c = {0};
    struct sim_day_sandbox *sb = NULL;
    if (sim_day_fields_read(&c.fields, call, 0)) goto done;
    create_read(&c);
    if (create_unsupported(call, &c) || sim_day_fields_refused(&c.fields) || sim_day_create_refused(call, &c))
        goto done;
    if (sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || create_twisted(call, &c) ||
        sim_day_create_name_refused(call, &c))
        goto done;
    sb = create_commit(call, &c);
    if (!sb) {
        sim_day_broken(call);
        goto done;
    }
    if (!sim_day_fault(call, SIM_PHASE_AFTER_COMMIT)) create_answer(call, sb);
done:
    create_finish(&c);
}
