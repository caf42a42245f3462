/* The operations inside a sandbox, as the conformance suite plays them: commands, sessions, files. */
#include "scene.h"

#include <string.h>

#define NOTES "a note\n"

/* ---- commands ---- */

static enum sbx_status exec(struct scene *s) {
    return sbx_sandbox_exec(s->sb, s->command ? s->command : "true", &s->opt, &s->call, &s->result, &s->err);
}

static enum sbx_status exec_exact(struct scene *s) {
    s->opt.mode = SBX_EXEC_EXACT;
    s->opt.output_bytes_max = 4096;
    return exec(s);
}

static enum sbx_status exec_wire(struct scene *s) {
    s->opt.mode = SBX_EXEC_WIRE;
    return exec(s);
}

static int take_output(void *ctx, int32_t stream, const void *data, size_t len) {
    struct scene *s = ctx;
    sbx_buf_append(&s->bytes[stream == SBX_STDERR], data, len);
    return s->bytes[0].failed || s->bytes[1].failed;
}

static enum sbx_status exec_streamed(struct scene *s) {
    s->opt.output = take_output;
    s->opt.output_ctx = s;
    return exec(s);
}

static void ran_well(struct scene *s) {
    const int merged = sbx_exec_result_streams_merged(s->result);
    scene_result_is(s, merged ? "out\nerr\n" : "out\n", "err\n", 3);
}

static void streamed_well(struct scene *s) {
    ran_well(s);
    T_STR(sbx_buf_text(&s->bytes[0]), "out\n");
    T_STR(sbx_buf_text(&s->bytes[1]), "err\n");
}

static int was_interrupted(const struct scene *s) {
    return s->condition == CANCEL || s->condition == DEADLINE;
}

/* What had been heard when it went wrong: how much that is, is told by nothing but time where it was not we who waited.
 */
static void heard_in_part(const struct scene *s) {
    size_t len = 0;
    const char *out = sbx_exec_result_stdout(s->result, &len);
    if (was_interrupted(s))
        T_STR(out, "first\n");
    else
        T_TRUE(len <= strlen("out\n") && strncmp(out, "out\n", len) == 0);
}

static void told(struct scene *s, enum sbx_status st) {
    int partial = st && s->err.outcome == SBX_OUTCOME_DONE && s->result;
    scene_ran(s, st);
    if (partial) heard_in_part(s);
    scene_dead(s, partial && sbx_exec_result_killed_confirmed(s->result));
}

static void ended(struct scene *s, enum sbx_status st) {
    told(s, st);
    if (was_interrupted(s)) T_EQ(sbx_exec_result_killed_confirmed(s->result), 1);
}

static void wire_ended(struct scene *s, enum sbx_status st) {
    told(s, st);
    if (was_interrupted(s) && s->face->wire_killed) T_EQ(sbx_exec_result_killed_confirmed(s->result), 1);
}

const struct operation op_exec_exact = {.name = "exec_exact",
                                        .caps = SBX_CAP_EXEC,
                                        .waiting = WAITING_COMMAND,
                                        .run = exec_exact,
                                        .done = ran_well,
                                        .after = ended};
const struct operation op_exec_wire = {.name = "exec_wire",
                                       .caps = SBX_CAP_EXEC,
                                       .waiting = WAITING_COMMAND,
                                       .run = exec_wire,
                                       .done = ran_well,
                                       .after = wire_ended};
const struct operation op_exec_streamed = {.name = "exec_streamed",
                                           .caps = SBX_CAP_EXEC | SBX_CAP_STREAMING_OUTPUT,
                                           .waiting = WAITING_COMMAND,
                                           .run = exec_streamed,
                                           .done = streamed_well,
                                           .after = ended};

/* ---- sessions: without one, opening is what is refused ---- */

static enum sbx_status session_open(struct scene *s) {
    return sbx_session_open(s->sb, &s->call, &s->session, &s->err);
}

static void opened(struct scene *s) {
    T_STATUS(session_open(s), SBX_OK);
}

static void session_says(struct scene *s, const char *command, const char *want) {
    struct sbx_exec_result *result = NULL;
    T_STATUS(sbx_session_exec(s->session, command, NULL, NULL, &result, &s->err), SBX_OK);
    T_STR(sbx_exec_result_stdout(result, NULL), want);
    sbx_exec_result_free(result);
}

static void lives_on(struct scene *s) {
    session_says(s, "x=1", "");
    session_says(s, "echo $x", "1\n");
}

static void session_ends(struct scene *s, enum sbx_status st) {
    (void)st;
    if (s->session) T_STATUS(sbx_session_close(s->session, NULL, &s->err), SBX_OK);
}

static enum sbx_status session_exec(struct scene *s) {
    if (!s->session) return session_open(s);
    s->opt.output_bytes_max = 4096;
    return sbx_session_exec(s->session, s->command, &s->opt, &s->call, &s->result, &s->err);
}

static void session_ran(struct scene *s) {
    scene_result_is(s, "out\n", "err\n", 3); /* with the session, which `exit` ends */
}

static void session_ran_once(struct scene *s, enum sbx_status st) {
    told(s, st);
    scene_dead(s, was_interrupted(s)); /* with the shell, whatever the result says of the command alone */
    session_ends(s, st);
}

static enum sbx_status session_close(struct scene *s) {
    return s->session ? sbx_session_close(s->session, &s->call, &s->err) : session_open(s);
}

static void session_is_gone(struct scene *s) {
    T_STATUS(sbx_session_exec(s->session, "true", NULL, NULL, &s->result, &s->err), SBX_GONE);
    T_EQ(s->err.outcome, SBX_OUTCOME_REFUSED);
}

static void session_close_again(struct scene *s, enum sbx_status st) {
    session_ends(s, st);
    session_is_gone(s);
}

const struct operation op_session_open = {
    .name = "session_open", .caps = SBX_CAP_SESSIONS, .run = session_open, .done = lives_on, .after = session_ends};
const struct operation op_session_exec = {.name = "session_exec",
                                          .caps = SBX_CAP_SESSIONS,
                                          .waiting = WAITING_COMMAND,
                                          .before = opened,
                                          .run = session_exec,
                                          .done = session_ran,
                                          .after = session_ran_once};
const struct operation op_session_close = {.name = "session_close",
                                           .caps = SBX_CAP_SESSIONS,
                                           .before = opened,
                                           .run = session_close,
                                           .done = session_is_gone,
                                           .after = session_close_again};

/* ---- files ---- */

static enum sbx_status upload(struct scene *s) {
    struct sbx_memory_reader memory;
    const struct sbx_reader from = sbx_memory_reader_init(&memory, ODD_OUT, ODD_OUT_LEN);
    return sbx_sandbox_upload(s->sb, "up", &from, NULL, &s->call, NULL, &s->err);
}

static int file_is_whole(struct scene *s) {
    const char *sizes = scene_shell(s, "[ ! -f up ] || wc -c <up");
    int whole = strstr(sizes, "9") != NULL, none = !*sizes;
    T_TRUE(whole || none);
    return whole;
}

static void uploaded(struct scene *s) {
    const struct sbx_sink to = sbx_buf_sink(&s->bytes[0]);
    T_EQ(file_is_whole(s), 1);
    T_STATUS(sbx_sandbox_download(s->sb, "up", &to, NULL, NULL, NULL, &s->err), SBX_OK);
    T_MEM(s->bytes[0].data, s->bytes[0].len, ODD_OUT, ODD_OUT_LEN);
}

static void upload_told(struct scene *s, enum sbx_status st) {
    int whole = file_is_whole(s);
    if (st && (s->err.outcome == SBX_OUTCOME_REFUSED || s->err.outcome == SBX_OUTCOME_NOT_SENT)) T_EQ(whole, 0);
}

static void has_notes(struct scene *s) {
    scene_shell(s, "echo 'a note' >notes");
}

static enum sbx_status download(struct scene *s) {
    const struct sbx_sink to = sbx_buf_sink(&s->bytes[0]);
    return sbx_sandbox_download(s->sb, "notes", &to, NULL, &s->call, NULL, &s->err);
}

static void downloaded(struct scene *s) {
    T_STR(sbx_buf_text(&s->bytes[0]), NOTES);
}

const struct operation op_upload = {
    .name = "upload", .caps = SBX_CAP_FILE_TRANSFER, .run = upload, .done = uploaded, .after = upload_told};
const struct operation op_download = {.name = "download",
                                      .caps = SBX_CAP_FILE_TRANSFER,
                                      .reads = 1,
                                      .before = has_notes,
                                      .run = download,
                                      .done = downloaded};
