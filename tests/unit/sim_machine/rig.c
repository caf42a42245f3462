/* A machine in a world of its own, and programs run on it to their end. */
#include "rig.h"

#include <stdlib.h>

void rig_start(struct rig *rig, const struct sim_machine_options *opt) {
    static const struct sim_machine_options usual = {
        .hostname = "box", .user = "daytona", .home = "/home/daytona", .uid = 1000};
    rig->sim = sim_new(1);
    T_TRUE(rig->sim != NULL);
    rig->m = sim_machine_new(rig->sim, opt ? opt : &usual);
    T_TRUE(rig->m != NULL);
}

void rig_finish(struct rig *rig) {
    sim_machine_halt(rig->m);
    sim_machine_free(rig->m);
    sim_free(rig->sim);
}

static void rig_output(void *ctx, int stream, const void *data, size_t len) {
    struct rig_result *result = ctx;
    sbx_buf_append(stream == 1 ? &result->out : &result->err, data, len);
}

void rig_run(struct rig *rig, const char *const *argv, const char *text, struct rig_result *out) {
    struct sim_run_options opt = {
        .argv = argv, .stdin_text = text, .stdin_len = text ? strlen(text) : 0, .output = rig_output, .ctx = out};
    sim_errno why;
    memset(out, 0, sizeof *out);
    int64_t start = sim_now(sim_world(rig->sim));
    struct sim_run *run = sim_run_start(rig->m, &opt, &why);
    if (!run) T_FAIL("%s did not start: errno %d", argv[0], why);
    out->waited = sim_run_wait(run, 1, SIM_NEVER);
    if (!sim_run_exited(run, &out->code, &out->signal)) out->code = out->signal = -1;
    out->ms = (sim_now(sim_world(rig->sim)) - start) / SIM_MS;
    sim_run_free(run);
}

void rig_sh(struct rig *rig, const char *script, struct rig_result *out) {
    const char *const argv[] = {"sh", "-c", script, NULL};
    rig_run(rig, argv, NULL, out);
}

void rig_result_finish(struct rig_result *result) {
    sbx_buf_finish(&result->out);
    sbx_buf_finish(&result->err);
}

void rig_put(struct rig *rig, const char *path, const char *text, size_t len, uint32_t mode) {
    struct sim_file *file = NULL;
    T_EQ(sim_open_write(rig->m, path, mode, 1, &file), 0);
    T_EQ(sim_file_write(file, text, len), 0);
    sim_file_close(file);
    T_EQ(sim_chmod(rig->m, path, mode), 0);
}

int64_t rig_unsupported(struct rig *rig) {
    return sim_journal_unsupported_count(sim_journal(rig->sim));
}

size_t rig_corpus(const char *path, void (*one)(void *ctx, const char *name, const char *text), void *ctx) {
    size_t len, n = 0;
    char *text = t_read_source(path, &len);
    char *at = strncmp(text, "### ", 4) == 0 ? text : strstr(text, "\n### ");
    while (at) {
        char *name = strstr(at, "### ") + 4;
        char *body = strchr(name, '\n');
        if (!body) T_FAIL("%s: a script without a text", path);
        *body++ = '\0';
        char *next = strncmp(body, "### ", 4) == 0 ? body : strstr(body, "\n### ");
        char kept = 0;
        if (next) {
            next += *next == '\n';
            kept = *next;
            *next = '\0';
        }
        one(ctx, name, body);
        n++;
        if (next) *next = kept;
        at = next;
    }
    free(text);
    return n;
}
