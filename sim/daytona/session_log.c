/* The log of a session's command: lines behind markers, and what clients of different ages get to see of it. */
#include "sim/daytona/session.h"

#include <errno.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define LOG_LINE_BYTES (16 * 1024 * 1024) /* a longer line is cut into several */
#define LOG_PIECE      (64 * 1024)

static const char log_marks[2][DAY_MARK_BYTES] = {{1, 1, 1}, {2, 2, 2}};

/* A line that no room is left for on the disk is lost, as the daemon's own are. */
static void log_line(struct sim_day_command *cmd, int stream) {
    struct sbx_buf *line = &cmd->line[stream - 1];
    sbx_buf_char(line, '\n');
    if (!line->failed && cmd->log) (void)sim_file_write(cmd->log, line->data, line->len);
    sbx_buf_finish(line);
    *line = (struct sbx_buf)SBX_BUF_INIT;
}

static void log_append(struct sim_day_command *cmd, int stream, const char *data, size_t len) {
    struct sbx_buf *line = &cmd->line[stream - 1];
    if (!line->len) sbx_buf_append(line, log_marks[stream - 1], DAY_MARK_BYTES);
    while (len > 0) { /* a shell reads the lines, and knows no NUL */
        const char *nul = memchr(data, 0, len);
        const size_t n = nul ? (size_t)(nul - data) : len;
        sbx_buf_append(line, data, n);
        data += n + (nul != NULL);
        len -= n + (nul != NULL);
    }
}

void sim_day_log_take(struct sim_day_command *cmd, int stream, const char *data, size_t len) {
    while (len > 0) {
        const char *end = memchr(data, '\n', len);
        const size_t n = end ? (size_t)(end - data) : len;
        log_append(cmd, stream, data, n);
        if (end || cmd->line[stream - 1].len > LOG_LINE_BYTES) log_line(cmd, stream);
        data += n + (end != NULL);
        len -= n + (end != NULL);
    }
}

void sim_day_log_finish(struct sim_day_command *cmd) {
    for (int stream = 1; stream <= 2; stream++)
        if (cmd->line[stream - 1].len > DAY_MARK_BYTES) log_line(cmd, stream);
}

sim_errno sim_day_log_read(const struct sim_day_command *cmd, struct sbx_buf *out) {
    struct sim_file *file = NULL;
    ptrdiff_t got = 0;
    sim_errno failed = sim_open_read(cmd->session->machine, cmd->log_path, &file);
    while (!failed) {
        char *room = sbx_buf_reserve(out, LOG_PIECE);
        got = room ? sim_file_read(file, room, LOG_PIECE) : -ENOMEM;
        if (got <= 0) break;
        out->len += (size_t)got;
    }
    if (got < 0) failed = (sim_errno)-got;
    sim_file_close(file);
    return failed;
}

/* ---- what whom ---- */

/* "0.167.0" -> 0, 167. @return 0 if it is no version */
static int log_version(const char *text, int64_t *major, int64_t *minor) {
    char number[2][8];
    for (int i = 0; i < 2; i++) {
        const size_t len = strspn(text, "0123456789");
        if (len == 0 || len >= sizeof(number[i])) return 0;
        memcpy(number[i], text, len);
        number[i][len] = 0;
        text += len;
        if (i == 0 && *text++ != '.') return 0;
    }
    return sbx_text_int(number[0], 0, 9999999, major) && sbx_text_int(number[1], 0, 9999999, minor);
}

enum sim_day_log_shape sim_day_log_shape(const char *sdk_version, const char *split_output) {
    int64_t major = 0, minor = 0;
    if (!sdk_version) return split_output && strcmp(split_output, "true") == 0 ? DAY_LOG_MARKED : DAY_LOG_PLAIN;
    if (strstr(sdk_version, "dev")) return DAY_LOG_STREAMS;
    if (!log_version(sdk_version, &major, &minor)) return DAY_LOG_PLAIN;
    if (major > 0 || minor >= 167) return DAY_LOG_STREAMS;
    return minor >= 27 ? DAY_LOG_MARKED : DAY_LOG_PLAIN;
}

static void unmark_pass(struct sim_day_unmark *un, int stream, struct sbx_buf *out) {
    for (; un->count > 0; un->count--)
        if (!stream || stream == un->stream) sbx_buf_char(out, un->byte);
}

void sim_day_unmark(struct sim_day_unmark *un, int stream, const char *data, size_t len, struct sbx_buf *out) {
    if (!data) {
        unmark_pass(un, stream, out);
        return;
    }
    for (size_t i = 0; i < len; i++) {
        const char c = data[i];
        if (un->count && c != un->byte) unmark_pass(un, stream, out);
        if (c == 1 || c == 2) {
            un->byte = c;
            if (++un->count < DAY_MARK_BYTES) continue;
            un->count = 0;
            un->stream = c;
        } else if (!stream || stream == un->stream) {
            sbx_buf_char(out, c);
        }
    }
}
