/* One message of a process's stream, read. Rows E8, P7. Pure.
 *
 * Members with the value of nothing are left out on this wire: an exit code that is not there is 0, but only beside the
 * word that it exited. A number may be written as a text. What is newer than this release is passed over. */
#include "adapters/e2b/process.h"

#include <sandport/kit/text.h>
#include <string.h>

#define SIGNAL_MAX 64

/* A number of 32 bits, as a number or as a text. @return 0 if it is none */
static int number_read(struct sbx_json *js, const struct sbx_json_node *node, int64_t min, int64_t max, int64_t *out) {
    if (sbx_json_type(node) == SBX_JSON_STRING) return sbx_text_int(sbx_json_as_string(js, node), min, max, out);
    if (sbx_json_type(node) != SBX_JSON_NUMBER) return 0;
    *out = sbx_json_as_int(js, node);
    return sbx_json_status(js) == SBX_OK && *out >= min && *out <= max;
}

static enum sbx_status begun_read(struct sbx_json *js, const struct sbx_json_node *node, struct e2b_event *out) {
    const struct sbx_json_node *pid = sbx_json_member(node, "pid");
    out->kind = E2B_EVENT_BEGUN;
    return pid && number_read(js, pid, 1, UINT32_MAX, &out->pid) ? SBX_OK : SBX_PROTOCOL; /* guard: pid_is_one */
}

static enum sbx_status bytes_read(struct sbx_json *js, const struct sbx_json_node *node, int32_t stream,
                                  struct e2b_event *out) {
    const char *text = sbx_json_as_string(js, node);
    out->kind = E2B_EVENT_DATA;
    out->stream = stream;
    if (!text || !sbx_base64_decode(&out->bytes, text, strlen(text))) return SBX_PROTOCOL;
    return sbx_buf_status(&out->bytes);
}

static enum sbx_status data_read(struct sbx_json *js, const struct sbx_json_node *node, struct e2b_event *out) {
    const struct sbx_json_node *to = sbx_json_member(node, "stdout"), *err = sbx_json_member(node, "stderr");
    if (to && err) return SBX_PROTOCOL;
    if (to) return bytes_read(js, to, SBX_STDOUT, out);
    return err ? bytes_read(js, err, SBX_STDERR, out) : SBX_OK; /* else a terminal's, which was not asked for */
}

/* By the names that Go's runtime gives them, maybe with a remark behind. @return 0 if it is none that we know */
static int signal_of(const char *status) {
    static const struct {
        const char *name;
        int number;
    } names[] = {{"hangup", 1},
                 {"interrupt", 2},
                 {"quit", 3},
                 {"illegal instruction", 4},
                 {"trace/breakpoint trap", 5},
                 {"aborted", 6},
                 {"bus error", 7},
                 {"floating point exception", 8},
                 {"killed", 9},
                 {"user defined signal 1", 10},
                 {"segmentation fault", 11},
                 {"user defined signal 2", 12},
                 {"broken pipe", 13},
                 {"alarm clock", 14},
                 {"terminated", 15}};
    static const char prefix[] = "signal: ", numbered[] = "signal ";
    int64_t number = 0;
    if (strncmp(status, prefix, sizeof(prefix) - 1) != 0) return 0;
    status += sizeof(prefix) - 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i].name);
        if (strncmp(status, names[i].name, len) == 0 && (!status[len] || status[len] == ' ')) return names[i].number;
    }
    if (strncmp(status, numbered, sizeof(numbered) - 1) != 0) return 0;
    return sbx_text_int(status + sizeof(numbered) - 1, 1, SIGNAL_MAX, &number) ? (int)number : 0;
}

static enum sbx_status end_read(struct sbx_json *js, const struct sbx_json_node *node, struct e2b_event *out) {
    const struct sbx_json_node *code = sbx_json_member(node, "exitCode");
    int exited = sbx_json_opt_bool(js, node, "exited", 0);
    int signal = signal_of(sbx_json_opt_string(js, node, "status", ""));
    int64_t number = 0;
    out->kind = E2B_EVENT_END;
    if (code && sbx_json_type(code) != SBX_JSON_NULL && !number_read(js, code, INT32_MIN, INT32_MAX, &number))
        return SBX_PROTOCOL;
    if (sbx_json_status(js)) return SBX_PROTOCOL;
    out->signalled = !exited && signal > 0;
    out->exit_known = out->signalled || (exited && number >= 0 && number <= 255); /* guard: e2b_code_not_made_up */
    out->exit_code = !out->exit_known ? -1 : out->signalled ? 128 + signal : (int32_t)number;
    return SBX_OK;
}

static enum sbx_status event_read(struct sbx_json *js, struct e2b_event *out) {
    static const struct {
        const char *name;
        enum sbx_status (*read)(struct sbx_json *js, const struct sbx_json_node *node, struct e2b_event *out);
    } kinds[] = {{"start", begun_read}, {"data", data_read}, {"end", end_read}};
    const struct sbx_json_node *event = sbx_json_opt_object(js, sbx_json_as_object(js, sbx_json_root(js)), "event");
    const struct sbx_json_node *found = NULL;
    size_t which = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct sbx_json_node *node = event ? sbx_json_member(event, kinds[i].name) : NULL;
        if (!node) continue;
        if (found || sbx_json_type(node) != SBX_JSON_OBJECT) return SBX_PROTOCOL;
        found = node;
        which = i;
    }
    if (sbx_json_status(js)) return SBX_PROTOCOL;
    return found ? kinds[which].read(js, found, out) : SBX_OK;
}

enum sbx_status e2b_event_read(const char *text, size_t len, struct e2b_event *out) {
    struct sbx_json *js = NULL;
    struct sbx_buf bytes = out->bytes;
    sbx_buf_clear(&bytes);
    *out = (struct e2b_event){.kind = E2B_EVENT_OTHER, .bytes = bytes, .exit_code = -1};
    enum sbx_status st = sbx_json_parse(text, len, 0, &js);
    if (!st) st = event_read(js, out);
    sbx_json_free(js);
    return st;
}
