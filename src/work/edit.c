/* Changes of files by a sandbox's own tools, for a provider that has no route for them: permissions by chmod, chown and
 * chgrp, replaced texts by sed. Rows P11, D14; docs/files.md.
 *
 * A file is replaced in place, so that its owner, mode and links stay. What it was is kept beside it meanwhile: a file
 * that cannot be written whole is put back. */
#include "src/work/tool.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_BYTES  (64 * 1024) /* of one question; a path takes at most 16 KiB of it */
#define PROGRAM_BYTES (32 * 1024) /* sed's */

/* What the scripts end with, beside the codes of the tools. */
enum edit_code { EDIT_NO_TOOL = 91, EDIT_NO_TMP, EDIT_OWNER, EDIT_GROUP, EDIT_MODE };

static void need_tools(struct sbx_buf *script, const char *tools) {
    sbx_buf_printf(script, "for t in %s; do command -v $t >/dev/null 2>&1 || { echo $t; exit %d; }; done\n", tools,
                   EDIT_NO_TOOL);
}

static enum sbx_status no_tool(const struct tool_end *end, struct sbx_error *err) {
    return sbx_fail(err, SBX_TOOL_MISSING, SBX_OUTCOME_REFUSED, "%.*s", (int)strcspn(end->out, "\n"), end->out);
}

/* ---- permissions ---- */

/* Says which one is in the way, and stops there. */
static void permission_step(struct sbx_buf *script, const char *tool, const char *value, const char *path, int code) {
    if (!value) return;
    sbx_buf_printf(script, "%s -- ", tool);
    sbx_shell_quote(script, value);
    sbx_buf_char(script, ' ');
    sbx_tool_path(script, path);
    sbx_buf_printf(script, " || exit %d\n", code);
}

static enum sbx_status permission_meaning(const struct tool_end *end, int first, struct sbx_error *err) {
    /* Nothing has been set before the first; of what comes after it the first may have been. */
    const enum sbx_outcome outcome = end->code == first ? SBX_OUTCOME_REFUSED : SBX_OUTCOME_UNKNOWN;
    const int unknown = sbx_text_has(end->err, "invalid user") || sbx_text_has(end->err, "invalid group") ||
                        sbx_text_has(end->err, "unknown user") || sbx_text_has(end->err, "unknown group");
    const int unmapped = end->code != EDIT_MODE && sbx_text_has(end->err, ": invalid argument");
    if (end->code == 0) return SBX_OK;
    if (end->code == EDIT_NO_TOOL) return no_tool(end, err);
    if (unknown && end->code == EDIT_OWNER)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, outcome, "owner: the sandbox knows none of that name");
    if (unknown && end->code == EDIT_GROUP)
        return sbx_fail(err, SBX_INVALID_ARGUMENT, outcome, "group: the sandbox knows none of that name");
    /* a number that the sandbox's user namespace does not have is nobody's to give */
    return sbx_fail(err, unmapped ? SBX_FILE_DENIED : sbx_work_words(end->err), outcome, NULL);
}

enum sbx_status sbx_work_permissions(const struct sbx_work_host *host, const char *path, int32_t mode,
                                     const char *owner, const char *group, const struct sbx_call *call,
                                     struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT, octal = SBX_BUF_INIT;
    struct tool_end end = {0};
    if (owner && strchr(owner, ':'))
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "owner: expected a name or number alone");
    if (mode) sbx_buf_printf(&octal, "%03o", mode == SBX_MODE_NONE ? 0u : (unsigned)mode);
    need_tools(&script, "chmod chown chgrp");
    permission_step(&script, "chown", owner, path, EDIT_OWNER);
    permission_step(&script, "chgrp", group, path, EDIT_GROUP);
    permission_step(&script, "chmod", mode ? sbx_buf_text(&octal) : NULL, path, EDIT_MODE);
    enum sbx_status st = octal.failed || script.failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL)
                                                       : sbx_tool_run(host, sbx_buf_text(&script), call, &end, err);
    if (!st) st = permission_meaning(&end, owner ? EDIT_OWNER : group ? EDIT_GROUP : EDIT_MODE, err);
    sbx_tool_finish(&end);
    sbx_buf_finish(&script);
    sbx_buf_finish(&octal);
    return st;
}

/* ---- texts ---- */

struct edit {
    struct tool_tmp tmp;
    const char *const *paths;
    size_t count;
    struct sbx_buf program; /* in quotes */
    int whole;              /* a text of several lines: the file is one to sed */
    int32_t *statuses;
};

static void put_escaped(struct sbx_buf *out, const char *text, const char *special, const char *line_break) {
    for (; *text; text++) {
        if (*text == '\n') {
            sbx_buf_text_append(out, line_break);
            continue;
        }
        if (strchr(special, *text)) sbx_buf_char(out, '\\');
        sbx_buf_char(out, *text);
    }
}

static enum sbx_status edit_program(struct edit *edit, const char *text, const char *with) {
    struct sbx_buf plain = SBX_BUF_INIT;
    edit->whole = strchr(text, '\n') != NULL;
    if (edit->whole) sbx_buf_text_append(&plain, ":a\n$!{\nN\nba\n}\n");
    sbx_buf_text_append(&plain, "s/");
    put_escaped(&plain, text, "\\.[*^$/", "\\n");
    sbx_buf_char(&plain, '/');
    put_escaped(&plain, with, "\\&/", "\\\n");
    sbx_buf_text_append(&plain, "/g\n");
    sbx_shell_quote(&edit->program, sbx_buf_text(&plain));
    const enum sbx_status st = plain.failed || edit->program.failed ? SBX_NO_MEMORY : SBX_OK;
    sbx_buf_finish(&plain);
    return st;
}

/* One line for each: its number, and ok or what a tool said. To sed the last line has no line break, so a file that is
 * one to it gets a byte at its end, one that is in no UTF-8, and loses it again. */
static void question_begin(const struct edit *edit, struct sbx_buf *script) {
    sbx_buf_clear(script);
    need_tools(script, "sed cat tr");
    sbx_buf_printf(script, "set -f\nt=%s\nmkdir -m 700 $t || exit %d\nx=$(printf '\\377')\np=", edit->tmp.dir,
                   EDIT_NO_TMP);
    sbx_buf_append(script, edit->program.data, edit->program.len);
    sbx_buf_text_append(script, edit->whole
                                    ? "\"s/$x\\$//\"\ne() { { cat $t/o; printf %s \"$x\"; } | sed \"$p\" >$t/n; }\n"
                                    : "\ne() { sed \"$p\" <$t/o >$t/n; }\n");
    sbx_buf_text_append(script, "say() { n=$1; shift; printf '%s ' $n $*; echo; }\n"
                                "r() {\n"
                                "[ ! -e \"$2\" ] || [ -f \"$2\" ] || { say $1 is a directory; return; }\n"
                                "w=$( { cat <\"$2\" >$t/o && e; } 2>&1 ) || { say $1 \"$w\"; return; }\n"
                                "w=$( { cat $t/n >\"$2\"; } 2>&1 ) && { say $1 ok; return; }\n"
                                "{ cat $t/o >\"$2\"; } 2>/dev/null\n" /* guard: replace_puts_back */
                                "say $1 \"$w\"\n"
                                "}\n");
}

/* "7 ok " or what a tool said: a beginning of it will do. @return 0 unless it is about file `i` */
static int answer_take(struct edit *edit, const char *line, size_t i) {
    char text[512] = "", digits[24] = "";
    const size_t len = strcspn(line, "\n"), n = strcspn(line, " ");
    int64_t number = -1;
    if (n >= len || n >= sizeof(digits)) return 0;
    memcpy(digits, line, n);
    memcpy(text, line + n, len - n < sizeof(text) ? len - n : sizeof(text) - 1);
    if (!sbx_text_int(digits, 0, INT32_MAX, &number) || (size_t)number != i) return 0;
    edit->statuses[i] = strcmp(text, " ok ") == 0 ? SBX_OK : (int32_t)sbx_work_words(text);
    return 1;
}

static enum sbx_status answers_read(struct edit *edit, const char *text, size_t from, size_t to,
                                    struct sbx_error *err) {
    for (size_t i = from; i < to; i++, text += strcspn(text, "\n") + 1)
        if (!strchr(text, '\n') || !answer_take(edit, text, i))
            return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_UNKNOWN, "expected a line for each file");
    return SBX_OK;
}

static enum sbx_status question_ask(struct edit *edit, struct sbx_buf *script, size_t from, size_t to,
                                    struct sbx_error *err) {
    struct tool_end end = {0};
    sbx_buf_text_append(script, "rm -rf $t\n");
    /* What earlier questions have done is done. */
    const enum sbx_outcome before = from ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_NOT_SENT;
    if (script->failed) return sbx_fail(err, SBX_NO_MEMORY, before, NULL);
    enum sbx_status st = sbx_tool_run(edit->tmp.host, sbx_buf_text(script), edit->tmp.call, &end, err);
    if (!st && end.code == EDIT_NO_TOOL)
        st = no_tool(&end, err);
    else if (!st && end.code)
        st = sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_REFUSED, "/tmp: expected room for a directory");
    else if (!st)
        st = answers_read(edit, end.out, from, to, err);
    sbx_tool_tmp_made(&edit->tmp, st, err);
    if (!st) edit->tmp.made = 0; /* it has removed it itself */
    if (st && from) err->outcome = SBX_OUTCOME_UNKNOWN;
    sbx_tool_finish(&end);
    return st;
}

static enum sbx_status edit_all(struct edit *edit, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    enum sbx_status st = SBX_OK;
    size_t from = 0;
    question_begin(edit, &script);
    for (size_t i = 0; i < edit->count && !st; i++) {
        sbx_buf_printf(&script, "r %zu ", i);
        sbx_tool_path(&script, edit->paths[i]);
        sbx_buf_char(&script, '\n');
        if (i + 1 < edit->count && script.len < SCRIPT_BYTES) continue;
        st = question_ask(edit, &script, from, i + 1, err);
        from = i + 1;
        question_begin(edit, &script);
    }
    sbx_buf_finish(&script);
    return sbx_tool_tmp_end(&edit->tmp, st, err);
}

static enum sbx_status edit_tell(const struct edit *edit, struct sbx_files *into, struct sbx_error *err) {
    enum sbx_status first = SBX_OK;
    for (size_t i = 0; i < edit->count; i++) {
        struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
        draft.path = edit->paths[i];
        draft.status = edit->statuses[i];
        if (sbx_files_add(into, &draft)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_UNKNOWN, NULL);
        if (first || !draft.status) continue;
        first = sbx_fail(err, (enum sbx_status)draft.status, SBX_OUTCOME_DONE, "paths[%zu]: not replaced", i);
    }
    return first;
}

enum sbx_status sbx_work_replace(const struct sbx_work_host *host, const char *const *paths, size_t count,
                                 const char *text, const char *with, const struct sbx_call *call,
                                 struct sbx_files *into, struct sbx_error *err) {
    struct edit edit = {.tmp = {.host = host, .call = call}, .paths = paths, .count = count};
    edit.statuses = calloc(count, sizeof(*edit.statuses));
    enum sbx_status st = edit.statuses ? edit_program(&edit, text, with) : SBX_NO_MEMORY;
    if (st)
        sbx_fail(err, st, SBX_OUTCOME_NOT_SENT, NULL);
    else if (edit.program.len > PROGRAM_BYTES)
        st =
            sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NOT_SENT, "text, with: expected 32 KiB at most, in quotes");
    if (!st) st = sbx_tool_tmp_begin(&edit.tmp, "edit", err);
    if (!st) st = edit_all(&edit, err);
    if (!st) st = edit_tell(&edit, into, err);
    sbx_buf_finish(&edit.program);
    free(edit.statuses);
    return st;
}
