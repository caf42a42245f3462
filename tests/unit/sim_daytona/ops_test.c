/* Every operation of the simulated Daytona asks the fault rules in every phase. */
#include "ask.h"

#include <stdio.h>

enum given { NOTHING, STARTED, STOPPED, TIMED_OUT, SESSION, READING };

static const struct op {
    const char *op, *method, *path, *body;
    enum given given;
} ops[] = {
    {"daytona.sandbox.create", "POST", "/api/sandbox", "{\"name\":\"made\"}", NOTHING},
    {"daytona.sandbox.get", "GET", "/api/sandbox/%s", NULL, STARTED},
    {"daytona.sandbox.list", "GET", "/api/sandbox", NULL, STARTED},
    {"daytona.sandbox.delete", "DELETE", "/api/sandbox/%s", NULL, STARTED},
    {"daytona.sandbox.start", "POST", "/api/sandbox/%s/start", NULL, STOPPED},
    {"daytona.sandbox.stop", "POST", "/api/sandbox/%s/stop", NULL, STARTED},
    {"daytona.sandbox.archive", "POST", "/api/sandbox/%s/archive", NULL, STOPPED},
    {"daytona.sandbox.recover", "POST", "/api/sandbox/%s/recover", NULL, TIMED_OUT},
    {"daytona.sandbox.pause", "POST", "/api/sandbox/%s/pause", NULL, STARTED},
    {"daytona.sandbox.fork", "POST", "/api/sandbox/%s/fork", "{}", STARTED},
    {"daytona.sandbox.labels", "PUT", "/api/sandbox/%s/labels", "{\"labels\":{}}", STARTED},
    {"daytona.sandbox.public", "POST", "/api/sandbox/%s/public/true", NULL, STARTED},
    {"daytona.sandbox.autostop", "POST", "/api/sandbox/%s/autostop/1", NULL, STARTED},
    {"daytona.sandbox.autopause", "POST", "/api/sandbox/%s/autopause/0", NULL, STARTED},
    {"daytona.sandbox.autoarchive", "POST", "/api/sandbox/%s/autoarchive/1", NULL, STARTED},
    {"daytona.sandbox.autodelete", "POST", "/api/sandbox/%s/autodelete/1", NULL, STARTED},
    {"daytona.sandbox.ttl", "POST", "/api/sandbox/%s/ttl/1", NULL, STARTED},
    {"daytona.sandbox.activity", "POST", "/api/sandbox/%s/last-activity", NULL, STARTED},
    {"daytona.sandbox.network", "POST", "/api/sandbox/%s/network-settings", "{\"networkBlockAll\":true}", STARTED},
    {"daytona.sandbox.toolbox_url", "GET", "/api/sandbox/%s/toolbox-proxy-url", NULL, STARTED},
    {"daytona.snapshot.list", "GET", "/api/snapshots", NULL, NOTHING},
    {"daytona.snapshot.get", "GET", "/api/snapshots/daytona-large", NULL, NOTHING},
    {"daytona.config", "GET", "/api/config", NULL, NOTHING},
    {"daytona.health", "GET", "/api/health", NULL, NOTHING},
    {"daytona.key.get", "GET", "/api/api-keys/current", NULL, NOTHING},
    {"daytona.region.list", "GET", "/api/regions", NULL, NOTHING},
    {"daytona.toolbox.version", "GET", "/toolbox/%s/version", NULL, STARTED},
    {"daytona.toolbox.home_dir", "GET", "/toolbox/%s/user-home-dir", NULL, STARTED},
    {"daytona.toolbox.work_dir", "GET", "/toolbox/%s/work-dir", NULL, STARTED},
    {"daytona.toolbox.execute", "POST", "/toolbox/%s/process/execute", "{\"command\":\"echo hello\"}", STARTED},
    {"daytona.toolbox.code_run", "POST", "/toolbox/%s/process/code-run", "{\"code\":\"x\"}", STARTED},
    {"daytona.toolbox.session.create", "POST", "/toolbox/%s/process/session", "{\"sessionId\":\"s\"}", STARTED},
    {"daytona.toolbox.session.list", "GET", "/toolbox/%s/process/session", NULL, STARTED},
    {"daytona.toolbox.session.get", "GET", "/toolbox/%s/process/session/entrypoint", NULL, STARTED},
    {"daytona.toolbox.session.delete", "DELETE", "/toolbox/%s/process/session/s", NULL, SESSION},
    {"daytona.toolbox.session.exec", "POST", "/toolbox/%s/process/session/s/exec", "{\"command\":\"true\"}", SESSION},
    {"daytona.toolbox.session.command", "GET", "/toolbox/%s/process/session/s/command/%c", NULL, SESSION},
    {"daytona.toolbox.session.logs", "GET", "/toolbox/%s/process/session/s/command/%c/logs", NULL, SESSION},
    {"daytona.toolbox.session.follow", "GET", "/toolbox/%s/process/session/s/command/%c/logs?follow=true", NULL,
     SESSION},
    {"daytona.toolbox.session.input", "POST", "/toolbox/%s/process/session/s/command/%c/input", "{\"data\":\"x\"}",
     READING},
    {"daytona.toolbox.find", "GET", "/toolbox/%s/files/find?path=.&pattern=x", NULL, STARTED},
    {"daytona.toolbox.search", "GET", "/toolbox/%s/files/search?path=.&pattern=x", NULL, STARTED},
    {"daytona.toolbox.replace", "POST", "/toolbox/%s/files/replace", "{\"files\":[\"a\"],\"pattern\":\"x\"}", STARTED},
    {"daytona.toolbox.folder", "POST", "/toolbox/%s/files/folder?path=d&mode=755", NULL, STARTED},
    {"daytona.toolbox.info", "GET", "/toolbox/%s/files/info?path=.", NULL, STARTED},
    {"daytona.toolbox.list", "GET", "/toolbox/%s/files?path=.", NULL, STARTED},
    {"daytona.toolbox.move", "POST", "/toolbox/%s/files/move?source=a&destination=b", NULL, STARTED},
    {"daytona.toolbox.permissions", "POST", "/toolbox/%s/files/permissions?path=.&mode=755", NULL, STARTED},
    {"daytona.toolbox.delete", "DELETE", "/toolbox/%s/files?path=a", NULL, STARTED},
    {"daytona.toolbox.upload", "POST", "/toolbox/%s/files/bulk-upload", "", STARTED},
    {"daytona.toolbox.download", "POST", "/toolbox/%s/files/bulk-download", "{\"paths\":[\"a\"]}", STARTED},
};

static char command[64]; /* the last one of the session, %c in paths */

/* A session in which a command is over, or one waits for input. */
static void prepare_session(struct ask *a, int reading) {
    T_EQ(ask(a, "POST", "/toolbox/%s/process/session", "{\"sessionId\":\"s\"}"), 201);
    T_EQ(ask(a, "POST", "/toolbox/%s/process/session/s/exec",
             reading ? "{\"command\":\"read x\",\"runAsync\":true}" : "{\"command\":\"echo said\"}"),
         reading ? 202 : 200);
    T_TRUE(sbx_copy(command, sizeof(command), ask_text(a, "cmdId")));
}

static int perform(struct ask *a, const struct op *op) {
    char path[256];
    const char *hole = strstr(op->path, "%c");
    if (!hole) return ask(a, op->method, op->path, op->body);
    snprintf(path, sizeof(path), "%.*s%s%s", (int)(hole - op->path), op->path, command, hole + 2);
    return ask(a, op->method, path, op->body);
}

static void prepare(struct ask *a, enum given given) {
    ask_init(a, given == TIMED_OUT ? "{\"backups\":true,\"boot_ms\":1000000}" : NULL);
    if (given == NOTHING) return;
    ask_create(a, NULL);
    if (given == STOPPED) T_EQ(ask(a, "POST", "/api/sandbox/%s/stop", NULL), 200);
    ask_pass_ms(a, given == TIMED_OUT ? 900000 : 1000);
    if (given == SESSION || given == READING) prepare_session(a, given == READING);
}

static void every_operation_in(const char *phase, const char *kind, int status) {
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
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
        ask_finish(&a);
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

/* When the answer is whole, only the cloud's own effects are left; a list has no sandbox to work on. */
static void after_the_answer(void) {
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        const struct sbx_fault fault = {
            .op = ops[i].op, .phase = "after", .times = 1, .effect = {.kind = "state", .state = "error"}};
        struct ask a;
        if (ops[i].given == NOTHING || strcmp(ops[i].op, "daytona.sandbox.list") == 0) continue;
        prepare(&a, ops[i].given);
        const int64_t number = ask_fault(&a, &fault);
        T_TRUE(perform(&a, &ops[i]) > 0);
        if (sbx_sim_fault_hits(a.sim, number) != 1) T_FAIL("%s after: not asked", ops[i].op);
        T_STR(ask_state(&a), strcmp(ops[i].op, "daytona.sandbox.delete") == 0 ? "404" : "error");
        ask_finish(&a);
    }
}

/* What the commit did stands, whatever is answered. */
static void what_was_committed_stays(void) {
    const struct sbx_fault rules[] = {
        {.op = "daytona.sandbox.stop", .phase = "after_commit", .effect = {.kind = "status", .status = 500}},
        {.op = "daytona.sandbox.delete", .phase = "after_commit", .effect = {.kind = "status", .status = 500}},
        {.op = "daytona.sandbox.labels", .phase = "after_commit", .effect = {.kind = "status", .status = 500}},
    };
    struct ask a;
    prepare(&a, STARTED);
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) ask_fault(&a, &rules[i]);
    T_EQ(ask(&a, "PUT", "/api/sandbox/%s/labels", "{\"labels\":{\"b\":\"2\"}}"), 500);
    T_EQ(ask(&a, "GET", "/api/sandbox/%s", NULL), 200);
    T_CONTAINS(sbx_buf_text(&a.body), "\"labels\":{\"b\":\"2\"}");
    T_EQ(ask(&a, "POST", "/api/sandbox/%s/stop", NULL), 500);
    ask_pass_ms(&a, 1000);
    T_STR(ask_state(&a), "stopped");
    T_EQ(ask(&a, "DELETE", "/api/sandbox/%s", NULL), 500);
    ask_pass_ms(&a, 1000);
    T_STR(ask_state(&a), "404");
    ask_finish(&a);
}

T_CASES(T_CASE(before_anything_was_read), T_CASE(before_the_commit), T_CASE(after_the_commit),
        T_CASE(before_the_commit_without_an_answer), T_CASE(after_the_commit_without_an_answer),
        T_CASE(in_the_middle_of_the_answer), T_CASE(after_the_answer), T_CASE(what_was_committed_stays))
