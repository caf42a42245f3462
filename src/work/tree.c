/* A directory as a tar stream, by a temporary file in the sandbox and the sandbox's own tar. Rows P8, D14;
 * docs/files.md.
 * The temporary directory goes in the end, whatever happened. */
#include "src/work/tool.h"

#include <stdio.h>
#include <string.h>

/* What the scripts end with, beside the codes of the tools. */
enum tree_code {
    TREE_NO_TAR = 91,
    TREE_NO_TMP,
    TREE_NO_DIR,
    TREE_CUT,
    TREE_NO_ARCHIVE,
    TREE_FAILED,
    TREE_ABSENT,
    TREE_FILE
};

struct tree {
    const struct sbx_work_host *host;
    const struct sbx_work_files *by;
    const char *dir;
    const struct sbx_call *call;
    struct tool_tmp tmp;
    char archive[96];
};

static enum sbx_status tree_begin(struct tree *tree, struct sbx_error *err) {
    tree->tmp = (struct tool_tmp){.host = tree->host, .call = tree->call};
    const enum sbx_status st = sbx_tool_tmp_begin(&tree->tmp, "tree", err);
    if (!st) snprintf(tree->archive, sizeof(tree->archive), "%s/t", tree->tmp.dir);
    return st;
}

/* What an exit code of ours means. */
static enum sbx_status tree_meaning(const struct tool_end *end, int up, struct sbx_error *err) {
    const enum sbx_status words = sbx_work_words(end->err);
    switch (end->code) {
    case 0:
        return SBX_OK;
    case TREE_NO_TAR:
        return sbx_fail(err, SBX_TOOL_MISSING, SBX_OUTCOME_REFUSED, "tar");
    case TREE_NO_TMP:
        return sbx_fail(err, SBX_NO_SPACE, SBX_OUTCOME_REFUSED, "/tmp: expected room for a directory");
    case TREE_NO_DIR:
    case TREE_FILE:
        return sbx_fail(err, end->code == TREE_FILE ? SBX_INVALID_ARGUMENT : words, SBX_OUTCOME_REFUSED,
                        "dir: expected a directory%s", up ? ", or that it can be made" : "");
    case TREE_ABSENT:
        return sbx_fail(err, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, NULL);
    case TREE_CUT:
        return sbx_fail(err, SBX_CONNECTION_LOST, SBX_OUTCOME_REFUSED, "what arrived is not what was sent");
    case TREE_NO_ARCHIVE:
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_REFUSED, "from: expected a tar stream");
    default: /* what was unpacked until then stays */
        return sbx_fail(err, words, up ? SBX_OUTCOME_UNKNOWN : SBX_OUTCOME_REFUSED, "the sandbox's tar failed");
    }
}

static enum sbx_status tree_run(const struct tree *tree, const struct sbx_buf *script, int up, struct tool_end *end,
                                struct sbx_error *err) {
    if (script->failed) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    const enum sbx_status st = sbx_tool_run(tree->host, sbx_buf_text(script), tree->call, end, err);
    return st ? st : tree_meaning(end, up, err);
}

/* ---- up ---- */

static enum sbx_status up_prepare(struct tree *tree, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    struct tool_end end = {0};
    sbx_buf_printf(&script, "command -v tar >/dev/null 2>&1 || exit %d\n", TREE_NO_TAR);
    sbx_buf_printf(&script, "mkdir -m 700 %s || exit %d\nmkdir -p ", tree->tmp.dir, TREE_NO_TMP);
    sbx_tool_path(&script, tree->dir);
    sbx_buf_printf(&script, " || exit %d\n", TREE_NO_DIR);
    const enum sbx_status st = tree_run(tree, &script, 1, &end, err);
    sbx_tool_tmp_made(&tree->tmp, st, err);
    sbx_tool_finish(&end);
    sbx_buf_finish(&script);
    return st;
}

static enum sbx_status up_unpack(struct tree *tree, uint64_t bytes, const char *sha256, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    struct tool_end end = {0};
    sbx_buf_printf(&script, "[ $(wc -c <%s) = %llu ] || exit %d\n", tree->archive, (unsigned long long)bytes,
                   TREE_CUT); /* guard: tree_up_verified */
    sbx_buf_printf(&script, "if command -v sha256sum >/dev/null 2>&1; then s=$(sha256sum <%s); ", tree->archive);
    sbx_buf_printf(&script, "[ \"${s%%%% *}\" = %s ] || exit %d; fi\n", sha256, TREE_CUT);
    sbx_buf_printf(&script, "tar -tf %s >/dev/null || exit %d\n", tree->archive, TREE_NO_ARCHIVE);
    sbx_buf_printf(&script, "tar -xpf %s -C ", tree->archive);
    sbx_tool_path(&script, tree->dir);
    sbx_buf_printf(&script, " || exit %d\n", TREE_FAILED);
    const enum sbx_status st = tree_run(tree, &script, 1, &end, err);
    sbx_tool_finish(&end);
    sbx_buf_finish(&script);
    return st;
}

enum sbx_status sbx_work_upload_tree(const struct sbx_work_host *host, const struct sbx_work_files *by, const char *dir,
                                     const struct sbx_reader *from, const struct sbx_transfer_options *opt,
                                     const struct sbx_call *call, struct sbx_error *err) {
    struct tree tree = {.host = host, .by = by, .dir = dir, .call = call};
    struct tool_sum sum = {.from = from};
    const struct sbx_reader summed = sbx_tool_sum_reader(&sum);
    char sha256[SBX_SHA256_HEX] = "";
    if (sbx_tool_sum_begin(&sum)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = tree_begin(&tree, err);
    if (!st) st = up_prepare(&tree, err);
    if (!st) { /* nothing of the tree has changed while this fails */
        st = by->upload(by->ctx, tree.archive, &summed, opt, call, err);
        if (st) sbx_fail(err, st, SBX_OUTCOME_REFUSED, NULL);
    }
    const enum sbx_status hashed = sbx_tool_sum_end(&sum, sha256);
    if (!st && hashed) st = sbx_fail(err, hashed, SBX_OUTCOME_REFUSED, NULL);
    if (!st) st = up_unpack(&tree, sum.bytes, sha256, err);
    return sbx_tool_tmp_end(&tree.tmp, st, err);
}

/* ---- down ---- */

/* Our own temporary directories are left out: this one would grow while it is read. */
static enum sbx_status down_pack(struct tree *tree, struct tool_end *end, struct sbx_error *err) {
    struct sbx_buf script = SBX_BUF_INIT;
    sbx_buf_printf(&script, "command -v tar >/dev/null 2>&1 || exit %d\nd=", TREE_NO_TAR);
    sbx_tool_path(&script, tree->dir);
    sbx_buf_printf(&script, "\n[ -e \"$d\" ] || exit %d\n[ -d \"$d\" ] || exit %d\n", TREE_ABSENT, TREE_FILE);
    sbx_buf_printf(&script, "mkdir -m 700 %s || exit %d\n", tree->tmp.dir, TREE_NO_TMP);
    sbx_buf_printf(&script, "tar -cf %s --exclude='.sbx-*' -C \"$d\" . || exit %d\n", tree->archive, TREE_FAILED);
    sbx_buf_printf(&script, "wc -c <%s || exit %d\n", tree->archive, TREE_FAILED);
    sbx_buf_printf(&script, "if command -v sha256sum >/dev/null 2>&1; then sha256sum <%s; fi\n", tree->archive);
    const enum sbx_status st = tree_run(tree, &script, 0, end, err);
    sbx_tool_tmp_made(&tree->tmp, st, err);
    sbx_buf_finish(&script);
    return st;
}

/* What the sandbox said that it made: its size, and its hash if it can say one. */
static int down_is_whole(const char *said, uint64_t bytes, const char *sha256) {
    char text[32];
    if (!said) return 0;
    said += strspn(said, " \t");
    snprintf(text, sizeof(text), "%llu\n", (unsigned long long)bytes);
    if (strncmp(said, text, strlen(text)) != 0) return 0;
    said += strlen(text);
    return !*said || strncmp(said, sha256, strlen(sha256)) == 0;
}

enum sbx_status sbx_work_download_tree(const struct sbx_work_host *host, const struct sbx_work_files *by,
                                       const char *dir, const struct sbx_sink *to,
                                       const struct sbx_transfer_options *opt, const struct sbx_call *call,
                                       struct sbx_error *err) {
    struct tree tree = {.host = host, .by = by, .dir = dir, .call = call};
    struct tool_sum sum = {.to = to};
    struct tool_end end = {0};
    const struct sbx_sink summed = sbx_tool_sum_sink(&sum);
    char sha256[SBX_SHA256_HEX] = "";
    if (sbx_tool_sum_begin(&sum)) return sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_NOT_SENT, NULL);
    enum sbx_status st = tree_begin(&tree, err);
    if (!st) st = down_pack(&tree, &end, err);
    if (!st) st = by->download(by->ctx, tree.archive, &summed, opt, call, err);
    const enum sbx_status hashed = sbx_tool_sum_end(&sum, sha256);
    if (!st && hashed) st = sbx_fail(err, hashed, SBX_OUTCOME_REFUSED, NULL);
    if (!st && !down_is_whole(end.out, sum.bytes, sha256)) /* guard: tree_down_verified */
        st = sbx_fail(err, SBX_CONNECTION_LOST, SBX_OUTCOME_REFUSED, "what came is not what the sandbox made");
    sbx_tool_finish(&end);
    return sbx_tool_tmp_end(&tree.tmp, st, err);
}
