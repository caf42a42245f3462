/* process.Process but for its streams: the list, input, signals. Rows P9, V1. */
#include "sim/e2b/select.h"

#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define RPC_SIGTERM 15
#define RPC_SIGKILL 9

static int rpc_faulted(struct sim_e2b_call *call) {
    return sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT);
}

static void rpc_reply_empty(struct sim_e2b_call *call) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    sbx_json_end_object(&json);
    sim_e2b_rpc_reply(call, &json);
}

/* ---- selectors ---- */

struct sim_e2b_process *sim_e2b_select(struct sim_e2b_call *call, struct sbx_json *js,
                                       const struct sbx_json_node *message, int ended) {
    const struct sbx_json_node *selector = sbx_json_opt_object(js, message, "process");
    const char *tag = sbx_json_opt_string(js, selector, "tag", NULL);
    const int by_pid = sbx_json_member(selector, "pid") != NULL;
    const int64_t pid = by_pid ? sbx_json_opt_int(js, selector, "pid", 0) : 0;
    if (pid < 0 || pid > UINT32_MAX) sbx_json_complain(js, selector, "pid", "invalid value for uint32 field");
    if (sim_e2b_rpc_message_refused(call, js)) return NULL;
    if (!by_pid && !tag) {
        sim_e2b_rpc_refuse(call, E2B_UNIMPLEMENTED, "invalid process selector");
        return NULL;
    }
    struct sim_e2b_process *p =
        by_pid ? sim_e2b_process_by_pid(call->sb, pid, ended) : sim_e2b_process_by_tag(call->sb, tag, ended);
    if (p) return p;
    if (by_pid)
        sim_e2b_rpc_refuse(call, E2B_NOT_FOUND, "process with pid %lld not found", (long long)pid);
    else
        sim_e2b_rpc_refuse(call, E2B_NOT_FOUND, "process with tag %s not found", tag);
    return NULL;
}

/* ---- the list ---- */

void sim_e2b_process_rpc_list(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf json = SBX_BUF_INIT;
    if (!sim_e2b_rpc_message(call, &js) || rpc_faulted(call)) return;
    const int any = sim_e2b_process_count(call->sb) > 0 && !call->twist.list_empty;
    sbx_json_begin_object(&json, NULL);
    if (any) sbx_json_begin_array(&json, "processes");
    for (const struct sim_e2b_process *p = any ? call->sb->processes : NULL; p; p = p->next) {
        if (p->ended) continue;
        sbx_json_begin_object(&json, NULL);
        sbx_json_put_raw(&json, "config", p->config, strlen(p->config));
        sbx_json_put_int(&json, "pid", p->pid);
        if (p->tag) sbx_json_put_string(&json, "tag", p->tag);
        sbx_json_end_object(&json);
    }
    if (any) sbx_json_end_array(&json);
    sbx_json_end_object(&json);
    sim_e2b_rpc_reply(call, &json);
}

void sim_e2b_process_rpc_update(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    const struct sbx_json_node *size =
        sbx_json_opt_object(js, message ? sbx_json_opt_object(js, message, "pty") : NULL, "size");
    if (!message) return;
    (void)sbx_json_opt_int(js, size, "cols", 0);
    (void)sbx_json_opt_int(js, size, "rows", 0);
    if (!sim_e2b_select(call, js, message, 0) || rpc_faulted(call)) return;
    sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error resizing tty: tty not assigned to process");
}

/* ---- input ---- */

/* Standard alphabet or that of URLs. @return 0 if it is no base64 */
static int rpc_decode(const char *text, struct sbx_buf *out) {
    struct sbx_buf standard = SBX_BUF_INIT;
    for (; *text; text++) sbx_buf_char(&standard, *text == '-' ? '+' : *text == '_' ? '/' : *text);
    while (standard.len % 4 && !standard.failed) sbx_buf_char(&standard, '=');
    const int good = !standard.failed && sbx_base64_decode(out, sbx_buf_text(&standard), standard.len);
    sbx_buf_finish(&standard);
    return good;
}

/* @return 0 once it has been refused */
static int rpc_feed(struct sim_e2b_call *call, struct sim_e2b_process *p, const struct sbx_buf *bytes) {
    const sim_errno failed = p->has_stdin && p->run ? sim_run_feed(p->run, sbx_buf_text(bytes), bytes->len) : -1;
    if (failed < 0)
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error writing to stdin: stdin not enabled or closed");
    else if (failed)
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error writing to stdin: write |1: broken pipe");
    return !failed;
}

/* {"stdin":base64}. @return 0 once it has been refused */
static int rpc_input(struct sim_e2b_call *call, struct sbx_json *js, const struct sbx_json_node *message,
                     struct sbx_buf *out) {
    const struct sbx_json_node *input = sbx_json_opt_object(js, message, "input");
    const char *text = sbx_json_opt_string(js, input, "stdin", NULL);
    const char *pty = sbx_json_opt_string(js, input, "pty", NULL);
    if (sbx_json_status(js) == SBX_OK && text && !rpc_decode(text, out))
        sbx_json_complain(js, input, "stdin", "invalid value for bytes field");
    if (sbx_json_status(js)) {
        (void)sim_e2b_rpc_message_refused(call, js);
        return 0;
    }
    if (text) return 1;
    if (pty)
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error writing to tty: tty not assigned to process");
    else
        sim_e2b_rpc_refuse(call, E2B_UNIMPLEMENTED, "invalid input type");
    return 0;
}

void sim_e2b_process_rpc_input(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    struct sbx_buf bytes = SBX_BUF_INIT;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (!message || !rpc_input(call, js, message, &bytes) || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    struct sim_e2b_process *p = sim_e2b_select(call, js, message, 0);
    if (!p || !rpc_feed(call, p, &bytes) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) goto done;
    rpc_reply_empty(call);
done:
    sbx_buf_finish(&bytes);
}

void sim_e2b_process_rpc_close_stdin(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    if (!message || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    struct sim_e2b_process *p = sim_e2b_select(call, js, message, 0);
    if (!p) return;
    if (p->run) sim_run_feed_end(p->run);
    p->has_stdin = 0;
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) rpc_reply_empty(call);
}

/* ---- signals ---- */

static int rpc_signal_read(struct sim_e2b_call *call, struct sbx_json *js, const struct sbx_json_node *message) {
    const struct sbx_json_node *node = sbx_json_member(message, "signal");
    if (node && sbx_json_type(node) == SBX_JSON_NUMBER) {
        const int64_t number = sbx_json_as_int(js, node);
        if (number == RPC_SIGKILL || number == RPC_SIGTERM) return (int)number;
        sim_e2b_rpc_refuse(call, E2B_UNIMPLEMENTED, "invalid signal: %lld", (long long)number);
        return 0;
    }
    const char *name = sbx_json_opt_string(js, message, "signal", "SIGNAL_UNSPECIFIED");
    if (sim_e2b_rpc_message_refused(call, js)) return 0;
    if (strcmp(name, "SIGNAL_SIGKILL") == 0) return RPC_SIGKILL;
    if (strcmp(name, "SIGNAL_SIGTERM") == 0) return RPC_SIGTERM;
    if (strcmp(name, "SIGNAL_UNSPECIFIED") == 0)
        sim_e2b_rpc_refuse(call, E2B_UNIMPLEMENTED, "invalid signal: %s", name);
    else
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "unmarshal message: proto: invalid value for enum field signal");
    return 0;
}

void sim_e2b_process_rpc_signal(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    const int signal = message ? rpc_signal_read(call, js, message) : 0;
    if (!signal || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    struct sim_e2b_process *p = sim_e2b_select(call, js, message, 0);
    if (!p) return;
    sim_e2b_process_signal(p, signal);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) rpc_reply_empty(call);
}

/* ---- a stream of input ---- */

/* One message of it. @return 0 once it has been refused */
static int rpc_stream_message(struct sim_e2b_call *call, struct sbx_json *js, struct sim_e2b_process **p) {
    const struct sbx_json_node *root = sbx_json_root(js), *start = sbx_json_opt_object(js, root, "start");
    const struct sbx_json_node *data = sbx_json_opt_object(js, root, "data");
    struct sbx_buf bytes = SBX_BUF_INIT;
    int good = 1;
    if (start) {
        struct sim_e2b_process *found = sim_e2b_select(call, js, start, 0);
        if (found && !*p) *p = sim_e2b_process_hold(found);
        return found != NULL;
    }
    if (!data) return 1; /* keepalive */
    if (*p)
        good = rpc_input(call, js, data, &bytes) && rpc_feed(call, *p, &bytes);
    else
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "expected a start message first");
    sbx_buf_finish(&bytes);
    return good && *p;
}

/* @return 0 once it has been refused */
static int rpc_stream_messages(struct sim_e2b_call *call, const char *data, size_t len, struct sim_e2b_process **p) {
    while (len) {
        const unsigned char *head = (const unsigned char *)data;
        const uint64_t claimed =
            len < 5 ? UINT64_MAX
                    : (uint64_t)head[1] << 24 | (uint64_t)head[2] << 16 | (uint64_t)head[3] << 8 | (uint64_t)head[4];
        struct sbx_json *js = NULL;
        if (len < 5 || claimed > len - 5 || head[0]) {
            sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "protocol error: invalid envelope");
            return 0;
        }
        const enum sbx_status st = sbx_json_parse(data + 5, (size_t)claimed, 0, &js);
        int good = !st && rpc_stream_message(call, js, p);
        if (st && js) (void)sim_e2b_rpc_message_refused(call, js);
        sbx_json_free(js);
        if (!good) return 0;
        data += 5 + claimed;
        len -= 5 + (size_t)claimed;
    }
    return 1;
}

void sim_e2b_process_rpc_stream_input(struct sim_e2b_call *call) {
    const char *data = NULL;
    size_t len = 0;
    struct sim_e2b_process *p = NULL;
    struct sbx_buf out = SBX_BUF_INIT;
    if (sim_http_body(call->x, E2B_BODY_MAX, &data, &len)) {
        sim_http_abort(call->x, SIM_ABORT_CLOSE);
        return;
    }
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || !rpc_stream_messages(call, data, len, &p) ||
        sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT))
        goto done;
    sim_e2b_envelope(&out, 0, "{}", 2);
    sim_e2b_envelope(&out, E2B_END_OF_STREAM, "{}", 2);
    if (sbx_buf_status(&out))
        sim_http_abort(call->x, SIM_ABORT_RESET);
    else
        sim_http_reply(call->x, 200, "application/connect+json", out.data, out.len);
done:
    sbx_buf_finish(&out);
    sim_e2b_process_release(p);
}
