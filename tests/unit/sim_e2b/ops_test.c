/* Every operation of the simulated E2B asks the fault rules in every phase. */
#include "ask.h"

#include <stdio.h>

enum given { NOTHING, RUNNING, PAUSED, PROCESS, WATCHER };
enum face { CONTROL, ENVD, UNARY, STREAM };

#define P "process.Process/"
#define F "filesystem.Filesystem/"
#define T "{\"process\":{\"tag\":\"t\"}"

static const struct op {
    const char *op, *method, *path, *body;
    enum given given;
    enum face face;
} ops[] = {
    {"e2b.health", "GET", "/health", NULL, NOTHING, CONTROL},
    {"e2b.sandbox.create", "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}", NOTHING, CONTROL},
    {"e2b.sandbox.list", "GET", "/v2/sandboxes", NULL, RUNNING, CONTROL},
    {"e2b.sandbox.get", "GET", "/sandboxes/%s", NULL, RUNNING, CONTROL},
    {"e2b.sandbox.kill", "DELETE", "/sandboxes/%s", NULL, RUNNING, CONTROL},
    {"e2b.sandbox.connect", "POST", "/v2/sandboxes/%s/connect", "{}", RUNNING, CONTROL},
    {"e2b.sandbox.connect", "POST", "/sandboxes/%s/connect", "{\"timeout\":9}", PAUSED, CONTROL},
    {"e2b.sandbox.resume", "POST", "/sandboxes/%s/resume", "{}", PAUSED, CONTROL},
    {"e2b.sandbox.pause", "POST", "/sandboxes/%s/pause", "{}", RUNNING, CONTROL},
    {"e2b.sandbox.timeout", "POST", "/sandboxes/%s/timeout", "{\"timeout\":9}", RUNNING, CONTROL},
    {"e2b.sandbox.refresh", "POST", "/sandboxes/%s/refreshes", "{}", RUNNING, CONTROL},
    {"e2b.sandbox.metrics", "GET", "/sandboxes/%s/metrics", NULL, RUNNING, CONTROL},
    {"e2b.sandbox.logs", "GET", "/sandboxes/%s/logs", NULL, RUNNING, CONTROL},
    {"e2b.sandbox.network", "PUT", "/sandboxes/%s/network", "{}", RUNNING, CONTROL},
    {"e2b.sandbox.fork", "POST", "/sandboxes/%s/fork", "{}", RUNNING, CONTROL},
    {"e2b.sandbox.snapshot", "POST", "/sandboxes/%s/snapshots", "{}", RUNNING, CONTROL},
    {"e2b.template.list", "GET", "/templates", NULL, NOTHING, CONTROL},
    {"e2b.template.alias", "GET", "/templates/aliases/base", NULL, NOTHING, CONTROL},
    {"e2b.envd.health", "GET", "/health", NULL, RUNNING, ENVD},
    {"e2b.envd.metrics", "GET", "/metrics", NULL, RUNNING, ENVD},
    {"e2b.envd.envs", "GET", "/envs", NULL, RUNNING, ENVD},
    {"e2b.files.read", "GET", "/files?path=/etc/passwd", NULL, RUNNING, ENVD},
    {"e2b.files.write", "POST", "/files?path=a", "x", RUNNING, ENVD},
    {"e2b.process.list", NULL, P "List", "{}", RUNNING, UNARY},
    {"e2b.process.start", NULL, P "Start", "{\"process\":{\"cmd\":\"true\"}}", RUNNING, STREAM},
    {"e2b.process.connect", NULL, P "Connect", T "}", PROCESS, STREAM},
    {"e2b.process.update", NULL, P "Update", T "}", PROCESS, UNARY},
    {"e2b.process.input", NULL, P "SendInput", T ",\"input\":{\"stdin\":\"aGkK\"}}", PROCESS, UNARY},
    {"e2b.process.stream_input", NULL, P "StreamInput", "{\"start\":" T "}}", PROCESS, STREAM},
    {"e2b.process.signal", NULL, P "SendSignal", T ",\"signal\":\"SIGNAL_SIGTERM\"}", PROCESS, UNARY},
    {"e2b.process.close_stdin", NULL, P "CloseStdin", T "}", PROCESS, UNARY},
    {"e2b.filesystem.stat", NULL, F "Stat", "{\"path\":\"/\"}", RUNNING, UNARY},
    {"e2b.filesystem.make_dir", NULL, F "MakeDir", "{\"path\":\"d\"}", RUNNING, UNARY},
    {"e2b.filesystem.move", NULL, F "Move", "{\"source\":\"/tmp\",\"destination\":\"/t\"}", RUNNING, UNARY},
    {"e2b.filesystem.list_dir", NULL, F "ListDir", "{\"path\":\"/\"}", RUNNING, UNARY},
    {"e2b.filesystem.remove", NULL, F "Remove", "{\"path\":\"x\"}", RUNNING, UNARY},
    {"e2b.filesystem.watch_dir", NULL, F "WatchDir", "{\"path\":\"/tmp\"}", RUNNING, STREAM},
    {"e2b.filesystem.create_watcher", NULL, F "CreateWatcher", "{\"path\":\"/tmp\"}", RUNNING, UNARY},
    {"e2b.filesystem.watcher_events", NULL, F "GetWatcherEvents", "{\"watcherId\":\"w1\"}", WATCHER, UNARY},
    {"e2b.filesystem.remove_watcher", NULL, F "RemoveWatcher", "{\"watcherId\":\"w1\"}", WATCHER, UNARY},
};
#define OPS (sizeof(ops) / sizeof(ops[0]))

static int perform(struct ask *a, const struct op *op) {
    int status = 0;
    a->more_count = 0;
    if (op->face == STREAM) ask_header(a, "Connect-Timeout-Ms", "2000");
    if (op->face == CONTROL) status = ask(a, op->method, op->path, op->body);
    if (op->face == ENVD)
        status = ask_envd(a, op->method, op->path, op->body ? "application/octet-stream" : NULL, op->body,
                          op->body ? strlen(op->body) : 0);
    if (op->face == UNARY) status = ask_rpc(a, op->path, op->body);
    if (op->face == STREAM) status = ask_stream(a, op->path, op->body);
    a->more_count = 0;
    return status;
}

static struct listener cat;

static void prepare(struct ask *a, enum given given) {
    ask_init(a, NULL);
    if (given == NOTHING) return;
    ask_create(a, NULL);
    cat = (struct listener){0};
    if (given == PROCESS) {
        cat = (struct listener){.a = a, .method = P "Start", .json = "{\"process\":{\"cmd\":\"cat\"},\"tag\":\"t\"}"};
        ask_listen(&cat);
    }
    if (given == WATCHER) T_EQ(ask_rpc(a, F "CreateWatcher", "{\"path\":\"/tmp\"}"), 200);
    if (given == PAUSED) T_EQ(ask(a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    ask_pass_ms(a, 1000);
}

static void finish(struct ask *a) {
    if (cat.a) {
        ask_listener_finish(&cat);
        sbx_buf_finish(&cat.events);
    }
    cat = (struct listener){0};
    ask_finish(a);
}

static void every_operation_in(const char *phase, const char *kind, int status) {
    for (size_t i = 0; i < OPS; i++) {
        const struct sbx_fault fault = {
            .op = ops[i].op, .phase = phase, .times = 1, .effect = {.kind = kind, .status = status}};
        struct ask a;
        prepare(&a, ops[i].given);
        const int64_t number = ask_fault(&a, &fault);
        const int got = perform(&a, &ops[i]);
        if (sbx_sim_fault_hits(a.sim, number) != 1) T_FAIL("%s %s: not asked (%d)", ops[i].op, phase, got);
        if (status && got != status) T_FAIL("%s %s: answered %d", ops[i].op, phase, got);
        const int empty = got && a.body.len == 0; /* whole with its head: there is no middle to break it in */
        if (!status && !empty && a.evidence == SBX_EVIDENCE_DONE) T_FAIL("%s %s: answered whole", ops[i].op, phase);
        finish(&a);
    }
}

static void before_anything_was_read(void) {
    every_operation_in("before", "status", 503);
}
static void before_the_commit(void) {
    every_operation_in("before_commit", "status", 503);
}
static void after_the_commit(void) {
    every_operation_in("after_commit", "status", 503);
}
static void before_the_commit_without_an_answer(void) {
    every_operation_in("before_commit", "reset", 0);
}
static void after_the_commit_without_an_answer(void) {
    every_operation_in("after_commit", "reset", 0);
}
static void in_the_middle_of_the_answer(void) {
    every_operation_in("mid_reply", "close", 0);
}

/* When the answer is whole, only the cloud's own effects are left; what has no sandbox has none of them. */
static void after_the_answer(void) {
    for (size_t i = 0; i < OPS; i++) {
        const struct sbx_fault fault = {.op = ops[i].op, .phase = "after", .times = 1, .effect = {.kind = "lost"}};
        struct ask a;
        if ((ops[i].given == NOTHING && strcmp(ops[i].op, "e2b.sandbox.create") != 0) ||
            strcmp(ops[i].op, "e2b.sandbox.list") == 0)
            continue;
        prepare(&a, ops[i].given);
        const int64_t number = ask_fault(&a, &fault);
        T_TRUE(perform(&a, &ops[i]) > 0);
        if (sbx_sim_fault_hits(a.sim, number) != 1) T_FAIL("%s after: not asked", ops[i].op);
        if (sbx_sim_ledger_live(a.sim)) T_FAIL("%s after: the sandbox is still there", ops[i].op);
        finish(&a);
    }
}

static void effects_are_for_their_operations_alone(void) {
    struct ask a;
    ask_init(&a, NULL);
    const struct sbx_fault wrong[] = {
        {.op = "e2b.sandbox.list", .phase = "before", .effect = {.kind = "lost"}},
        {.op = "e2b.health", .phase = "before", .effect = {.kind = "lost"}},
        {.op = "e2b.sandbox.get", .phase = "before", .effect = {.kind = "no_eos"}},
        {.op = "e2b.sandbox.get", .phase = "before", .effect = {.kind = "dead_toolbox"}},
        {.op = "e2b.nothing", .phase = "before", .effect = {.kind = "lost"}},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) T_EQ(sbx_sim_fault(a.sim, &wrong[i]), 0);
    ask_finish(&a);
}

T_CASES(T_CASE(before_anything_was_read), T_CASE(before_the_commit), T_CASE(after_the_commit),
        T_CASE(before_the_commit_without_an_answer), T_CASE(after_the_commit_without_an_answer),
        T_CASE(in_the_middle_of_the_answer), T_CASE(after_the_answer), T_CASE(effects_are_for_their_operations_alone))
