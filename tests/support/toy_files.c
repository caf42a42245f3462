/* The toy's files, up and down. */
#include "toy_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void make_parents(char *path) {
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        (void)mkdir(path, 0700);
        *at = '/';
    }
}

enum sbx_status toy_upload(void *self, const struct sbx_identity *who, const char *path, const struct sbx_reader *from,
                           const struct sbx_transfer_options *opt, const struct sbx_call *call, struct sbx_error *err) {
    struct toy *toy = self;
    char full[1024], piece[4096];
    ptrdiff_t n = 0;
    (void)opt;
    enum sbx_status st = toy_request(toy, "upload", err);
    if (st) return st;
    int fits = toy_path(toy, who->id, path, full);
    if (fits) make_parents(full);
    FILE *f = fits ? fopen(full, "w") : NULL;
    if (!f) return sbx_fail(err, SBX_FILE_DENIED, SBX_OUTCOME_REFUSED, "path: cannot be written");
    while (!st && (n = from->read(from->ctx, piece, sizeof(piece))) > 0) {
        fwrite(piece, 1, (size_t)n, f);
        st = sbx_call_check(call, toy->env);
    }
    int ok = fclose(f) == 0 && n == 0;
    if (st) return sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, NULL);
    return ok ? toy_answer(toy, "upload", call, err) : sbx_fail(err, SBX_STREAM, SBX_OUTCOME_UNKNOWN, NULL);
}

/* A file that has begun to come is not asked for again: the sink has its first bytes. */
enum sbx_status toy_download(void *self, const struct sbx_identity *who, const char *path, const struct sbx_sink *to,
                             const struct sbx_transfer_options *opt, const struct sbx_call *call,
                             struct sbx_error *err) {
    struct toy *toy = self;
    char full[1024], piece[4096];
    int stopped = 0;
    (void)opt;
    enum sbx_status st = toy_request(toy, "download", err);
    if (st) err->outcome = SBX_OUTCOME_REFUSED;
    if (!st) st = toy_answer(toy, "download", call, err);
    if (st) return st;
    FILE *f = toy_path(toy, who->id, path, full) ? fopen(full, "r") : NULL;
    if (!f) return sbx_fail(err, SBX_FILE_NOT_FOUND, SBX_OUTCOME_REFUSED, "path: no such file");
    for (size_t n; !stopped && (n = fread(piece, 1, sizeof(piece), f)) > 0;) stopped = to->write(to->ctx, piece, n);
    fclose(f);
    return stopped ? sbx_fail(err, SBX_STREAM, SBX_OUTCOME_NONE, NULL) : SBX_OK;
}
