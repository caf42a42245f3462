/* The table of processes: starts, output to whoever listens, ends and how long they are kept. Rows P7, P9, V1. */
#include "sim/e2b/process.h"
#include "sim/e2b/envd.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS_KILL  9
#define PROCESS_GROUP 90 /* that all commands of envd share, as it makes no groups for them */
#define PROCESS_DATA  (32 * 1024)

static void process_due(void *arg);

struct sim_e2b_process *sim_e2b_process_hold(struct sim_e2b_process *p) {
    p->refs++;
    return p;
}

void sim_e2b_process_release(struct sim_e2b_process *p) {
    if (!p || --p->refs > 0) return;
    sim_timer_clear(sim_world(p->sb->e2b->sim), &p->timer);
    sim_run_free(p->run);
    free(p->config);
    free(p->tag);
    free(p);
}

static struct sim_world *process_world(const struct sim_e2b_process *p) {
    return sim_world(p->sb->e2b->sim);
}

/* Nobody finds it any more. */
static void process_unlist(struct sim_e2b_process *p) {
    struct sim_e2b_process **at = &p->sb->processes;
    if (!p->listed) return;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    p->listed = 0;
    sim_timer_clear(process_world(p), &p->timer);
    sim_e2b_process_release(p);
}

static void process_forget(void *arg) {
    process_unlist(arg);
}

/* ---- who listens ---- */

void sim_e2b_process_attach(struct sim_e2b_process *p, struct sim_e2b_stream *stream) {
    stream->next = p->streams;
    p->streams = stream;
    (void)sim_e2b_process_hold(p);
}

void sim_e2b_process_detach(struct sim_e2b_process *p, struct sim_e2b_stream *stream) {
    struct sim_e2b_stream **at = &p->streams;
    while (*at && *at != stream) at = &(*at)->next;
    if (*at) *at = stream->next;
    if (p->first == stream) p->first = NULL;
    sim_wake_all(process_world(p), &p->room);
    sim_e2b_process_release(p);
}

static int process_is_full(const struct sim_e2b_process *p) {
    for (const struct sim_e2b_stream *stream = p->streams; stream; stream = stream->next)
        if (stream->out.len >= E2B_STREAM_HELD && !stream->cut) return 1;
    return 0;
}

static void process_tell(struct sim_e2b_process *p, const struct sbx_buf *json, int is_data) {
    for (struct sim_e2b_stream *stream = p->streams; stream; stream = stream->next) {
        if (stream->holds && is_data) {
            sbx_buf_append(&stream->out, sbx_buf_text(&stream->held), stream->held.len);
            sbx_buf_clear(&stream->held);
            sim_e2b_envelope(&stream->held, 0, sbx_buf_text(json), json->len);
        } else {
            sim_e2b_envelope(&stream->out, 0, sbx_buf_text(json), json->len);
        }
        if (json->failed) stream->out.failed = 1;
        sim_e2b_stream_wake(process_world(p), stream);
    }
}

static void process_data(struct sim_e2b_process *p, int number, const char *data, size_t len) {
    struct sbx_buf json = SBX_BUF_INIT, coded = SBX_BUF_INIT;
    sbx_base64_encode(&coded, data, len);
    sbx_json_begin_object(&json, NULL);
    sbx_json_begin_object(&json, "event");
    sbx_json_begin_object(&json, "data");
    sbx_json_put_text(&json, number == 1 ? "stdout" : "stderr", sbx_buf_text(&coded), coded.len);
    sbx_json_end_object(&json);
    sbx_json_end_object(&json);
    sbx_json_end_object(&json);
    if (coded.failed) json.failed = 1;
    process_tell(p, &json, 1);
    sbx_buf_finish(&coded);
    sbx_buf_finish(&json);
}

/* In the fiber of whoever writes. One listener that does not take its share keeps all waiting. */
static void process_output(void *ctx, int number, const void *data, size_t len) {
    struct sim_e2b_process *p = sim_e2b_process_hold(ctx);
    const char *bytes = data;
    while (len) {
        const size_t n = len < PROCESS_DATA ? len : PROCESS_DATA;
        while (process_is_full(p) && !p->ended)
            if (sim_wait(process_world(p), &p->room, SIM_NEVER) == SIM_ENDING) break;
        if (p->ended || sim_ending(process_world(p))) break;
        if (p->streams) process_data(p, number, bytes, n);
        bytes += n;
        len -= n;
    }
    sim_e2b_process_release(p);
}

/* ---- ends ---- */

static const char *process_signal_words(int signal) {
    static const struct {
        int signal;
        const char *words;
    } known[] = {{1, "hangup"},
                 {2, "interrupt"},
                 {3, "quit"},
                 {4, "illegal instruction"},
                 {6, "aborted"},
                 {8, "floating point exception"},
                 {9, "killed"},
                 {10, "user defined signal 1"},
                 {11, "segmentation fault"},
                 {12, "user defined signal 2"},
                 {13, "broken pipe"},
                 {14, "alarm clock"},
                 {15, "terminated"},
                 {24, "CPU time limit exceeded"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].signal == signal) return known[i].words;
    return "unknown signal";
}

void sim_e2b_process_end_event(const struct sim_e2b_process *p, struct sbx_buf *json) {
    struct sbx_buf status = SBX_BUF_INIT;
    if (p->signal)
        sbx_buf_printf(&status, "signal: %s", process_signal_words(p->signal));
    else
        sbx_buf_printf(&status, "exit status %d", p->code);
    sbx_json_begin_object(json, NULL);
    sbx_json_begin_object(json, "event");
    sbx_json_begin_object(json, "end");
    if (p->signal || p->code) sbx_json_put_int(json, "exitCode", p->signal ? -1 : p->code);
    if (!p->signal) sbx_json_put_bool(json, "exited", 1);
    sbx_json_put_string(json, "status", sbx_buf_text(&status));
    if (p->signal || p->code) sbx_json_put_string(json, "error", sbx_buf_text(&status));
    sbx_json_end_object(json);
    sbx_json_end_object(json);
    sbx_json_end_object(json);
    sbx_buf_finish(&status);
}

/* From here on its output goes nowhere. */
static void process_close(struct sim_e2b_process *p) {
    struct sim_run *run = p->run;
    p->ended = 1;
    p->run = NULL;
    sim_timer_clear(process_world(p), &p->timer);
    sim_run_free(run);
    sim_wake_all(process_world(p), &p->room);
}

static void process_end(struct sim_e2b_process *p, int code, int signal) {
    struct sim_e2b *e2b = p->sb->e2b;
    struct sbx_buf json = SBX_BUF_INIT;
    const int64_t kept_ns = e2b->config.exit_retention_ms * SIM_MS;
    if (p->ended) return;
    p->code = code;
    p->signal = signal;
    process_close(p);
    sim_e2b_process_end_event(p, &json);
    for (struct sim_e2b_stream *stream = p->streams; stream; stream = stream->next) {
        if (!stream->late && !stream->no_end) sim_e2b_envelope(&stream->out, 0, sbx_buf_text(&json), json.len);
        sbx_buf_append(&stream->out, sbx_buf_text(&stream->held), stream->held.len);
        stream->done = 1;
        sim_e2b_stream_wake(process_world(p), stream);
    }
    sbx_buf_finish(&json);
    if (!kept_ns || sim_timer_set(process_world(p), &p->timer, sim_e2b_now(e2b) + kept_ns, process_forget, p))
        process_unlist(p);
}

void sim_e2b_process_lose(struct sim_e2b_process *p) {
    if (!p->ended) process_close(p);
    for (struct sim_e2b_stream *stream = p->streams; stream; stream = stream->next) {
        stream->cut = 1;
        sim_e2b_stream_wake(process_world(p), stream);
    }
    process_unlist(p);
}

void sim_e2b_processes_lose(struct sim_e2b_sandbox *sb) {
    while (sb->processes) sim_e2b_process_lose(sb->processes);
}

void sim_e2b_streams_cut(struct sim_e2b_sandbox *sb) {
    struct sim_world *world = sim_world(sb->e2b->sim);
    for (struct sim_e2b_process *p = sb->processes; p; p = p->next) {
        for (struct sim_e2b_stream *stream = p->streams; stream; stream = stream->next) {
            stream->cut = 1;
            sim_e2b_stream_wake(world, stream);
        }
        sim_wake_all(world, &p->room);
    }
    for (struct sim_e2b_stream *stream = sb->streams; stream; stream = stream->next) {
        stream->cut = 1;
        sim_e2b_stream_wake(world, stream);
    }
}

void sim_e2b_process_signal(struct sim_e2b_process *p, int signal) {
    int code = 0, by = 0;
    struct sim_run *run = p->run;
    (void)sim_e2b_process_hold(p);
    p->signalled = 1;
    sim_run_signal(run, signal);
    if (!p->ended && sim_run_exited(run, &code, &by)) process_end(p, code, by);
    sim_e2b_process_release(p);
}

/* Its time is over: the leader is killed, and its output not waited for. */
static void process_due(void *arg) {
    struct sim_e2b_process *p = arg;
    if (p->sb->state != E2B_RUNNING) {
        p->due = 1;
        return;
    }
    if (p->first && !p->sb->e2b->config.timeout_ends) p->first->late = 1;
    sim_e2b_process_signal(p, PROCESS_KILL);
}

void sim_e2b_processes_awake(struct sim_e2b_sandbox *sb) {
    struct sim_e2b_process *next = NULL;
    for (struct sim_e2b_process *p = sb->processes; p; p = next) {
        next = p->next;
        if (p->due && !p->ended) process_due(p);
    }
}

/* ---- starts ---- */

/* Waits for the end of one. It may have been ended from elsewhere, and its sandbox too. */
static void process_watch(void *arg) {
    struct sim_e2b_process *p = arg;
    struct sim_e2b_sandbox *sb = p->sb;
    int code = 0, signal = 0;
    struct sim_run *run = p->run;
    enum sbx_status st = run ? sim_run_wait(run, 0, SIM_NEVER) : SBX_GONE;
    if (st == SBX_OK && !p->ended && !p->signalled) st = sim_run_wait(run, 1, SIM_NEVER);
    if (st == SBX_OK && !p->ended && sim_run_exited(p->run, &code, &signal)) process_end(p, code, signal);
    sim_e2b_process_release(p);
    sim_e2b_sandbox_unpin(sb);
}

static sim_errno process_begin(struct sim_e2b_process *p, const struct sim_e2b_start *start) {
    sim_errno why = ENOMEM;
    const struct sim_run_options opt = {.argv = start->argv,
                                        .cwd = start->cwd,
                                        .env = start->env,
                                        .stdin_stays = start->has_stdin,
                                        .group = PROCESS_GROUP,
                                        .output = process_output,
                                        .ctx = p};
    p->has_stdin = start->has_stdin;
    p->config = strdup(start->config);
    p->tag = start->tag ? strdup(start->tag) : NULL;
    if (!p->config || (start->tag && !p->tag)) return ENOMEM;
    p->run = sim_run_start(p->sb->machine, &opt, &why);
    if (!p->run) return why;
    p->pid = sim_run_pid(p->run);
    return 0;
}

/* Ends that are kept under a number or tag that is somebody else's now. */
static void process_displace(struct sim_e2b_sandbox *sb, const struct sim_e2b_process *by) {
    struct sim_e2b_process *next = NULL;
    for (struct sim_e2b_process *p = sb->processes; p; p = next) {
        next = p->next;
        if (p->ended && (p->pid == by->pid || (p->tag && by->tag && strcmp(p->tag, by->tag) == 0))) process_unlist(p);
    }
}

struct sim_e2b_process *sim_e2b_process_new(struct sim_e2b_sandbox *sb, const struct sim_e2b_start *start,
                                            sim_errno *why) {
    struct sim_e2b_process *p = calloc(1, sizeof(*p));
    struct sim_world *world = sim_world(sb->e2b->sim);
    *why = ENOMEM;
    if (!p) return NULL;
    p->sb = sb;
    p->refs = 1;
    *why = process_begin(p, start);
    if (!*why && sim_spawn(world, process_watch, p)) {
        sim_run_signal(p->run, PROCESS_KILL);
        *why = ENOMEM;
    }
    if (*why) {
        sim_e2b_process_release(p);
        return NULL;
    }
    p->refs += 2; /* the watch's and the table's */
    (void)sim_e2b_sandbox_pin(sb);
    process_displace(sb, p);
    p->next = sb->processes;
    sb->processes = p;
    p->listed = 1;
    if (start->timeout_ms > 0 &&
        sim_timer_set(world, &p->timer, sim_now(world) + start->timeout_ms * SIM_MS, process_due, p))
        sim_run_signal(p->run, PROCESS_KILL); /* its watch tells the end */
    return p;
}

/* ---- finding ---- */

struct sim_e2b_process *sim_e2b_process_by_pid(const struct sim_e2b_sandbox *sb, int64_t pid, int ended) {
    struct sim_e2b_process *p = sb->processes;
    while (p && (p->pid != pid || (p->ended && !ended))) p = p->next;
    return p;
}

struct sim_e2b_process *sim_e2b_process_by_tag(const struct sim_e2b_sandbox *sb, const char *tag, int ended) {
    struct sim_e2b_process *p = sb->processes;
    while (p && (!p->tag || strcmp(p->tag, tag) != 0 || (p->ended && !ended))) p = p->next;
    return p;
}

struct sim_e2b_process *sim_e2b_process_hold_newest(const struct sim_e2b_sandbox *sb) {
    struct sim_e2b_process *p = sb->processes;
    while (p && p->ended) p = p->next;
    return p ? sim_e2b_process_hold(p) : NULL;
}

int64_t sim_e2b_process_count(const struct sim_e2b_sandbox *sb) {
    int64_t count = 0;
    for (const struct sim_e2b_process *p = sb->processes; p; p = p->next) count += !p->ended;
    return count;
}
