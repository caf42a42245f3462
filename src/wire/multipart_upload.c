/* The body of an upload: text before, the file's own bytes, text after. Row P8. */
#include <sandport/kit/multipart.h>
#include <sandport/kit/text.h>

#include <stdlib.h>
#include <string.h>

#define BOUNDARY_BYTES 16 /* random: a file that holds it by chance does not exist */

struct sbx_multipart_upload {
    const struct sbx_reader *from;
    struct sbx_buf content_type;
    struct sbx_buf head;
    struct sbx_buf tail;
    size_t at; /* in what is being given: the head, or the tail once `from` has ended */
    int from_begun;
    int from_ended;
};

static int is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int path_ok(const char *path) {
    size_t len = path ? strlen(path) : 0;
    return len && !is_space(path[0]) && !is_space(path[len - 1]) && path[len - 1] != '/';
}

/* The path's last name as a file name in quotes. The path part is what counts, so anything that would need escaping,
 * which servers do not agree about, is an underscore. */
static void put_filename(struct sbx_buf *head, const char *path) {
    const char *slash = strrchr(path, '/');
    for (const char *c = slash ? slash + 1 : path; *c; c++)
        sbx_buf_char(head, *c > ' ' && *c < 0x7f && *c != '"' && *c != '\\' ? *c : '_');
}

static enum sbx_status upload_texts(struct sbx_multipart_upload *upload, const char *boundary, const char *path) {
    sbx_buf_printf(&upload->content_type, "multipart/form-data; boundary=%s", boundary);
    sbx_buf_printf(&upload->head, "--%s\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n", boundary);
    sbx_buf_text_append(&upload->head, path);
    sbx_buf_printf(&upload->head, "\r\n--%s\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"",
                   boundary);
    put_filename(&upload->head, path);
    sbx_buf_text_append(&upload->head, "\"\r\nContent-Type: application/octet-stream\r\n\r\n");
    sbx_buf_printf(&upload->tail, "\r\n--%s--\r\n", boundary);
    return upload->content_type.failed || upload->head.failed || upload->tail.failed ? SBX_NO_MEMORY : SBX_OK;
}

enum sbx_status sbx_multipart_upload_create(struct sbx_env *env, const char *path, const struct sbx_reader *from,
                                            struct sbx_multipart_upload **out) {
    unsigned char random[BOUNDARY_BYTES];
    char boundary[2 * BOUNDARY_BYTES + 1];
    if (!path_ok(path) || !from) return SBX_INVALID_ARGUMENT;
    struct sbx_multipart_upload *upload = calloc(1, sizeof(*upload));
    if (!upload) return SBX_NO_MEMORY;
    enum sbx_status st = env->random(env, random, sizeof(random));
    upload->from = from;
    sbx_hex(random, st ? 0 : sizeof(random), boundary);
    if (!st) st = upload_texts(upload, boundary, path);
    if (st)
        sbx_multipart_upload_free(upload);
    else
        *out = upload;
    return st;
}

void sbx_multipart_upload_free(struct sbx_multipart_upload *upload) {
    if (!upload) return;
    sbx_buf_finish(&upload->content_type);
    sbx_buf_finish(&upload->head);
    sbx_buf_finish(&upload->tail);
    free(upload);
}

const char *sbx_multipart_upload_content_type(const struct sbx_multipart_upload *upload) {
    return sbx_buf_text(&upload->content_type);
}

static ptrdiff_t give(struct sbx_multipart_upload *upload, const struct sbx_buf *text, void *buf, size_t cap) {
    size_t left = text->len - upload->at, n = left < cap ? left : cap;
    memcpy(buf, text->data + upload->at, n);
    upload->at += n;
    return (ptrdiff_t)n;
}

static ptrdiff_t upload_read(void *ctx, void *buf, size_t cap) {
    struct sbx_multipart_upload *upload = ctx;
    if (!upload->from_begun) {
        if (upload->at < upload->head.len) return give(upload, &upload->head, buf, cap);
        upload->from_begun = 1;
        upload->at = 0;
    }
    if (!upload->from_ended) {
        ptrdiff_t n = upload->from->read(upload->from->ctx, buf, cap);
        if (n) return n;
        upload->from_ended = 1;
    }
    return give(upload, &upload->tail, buf, cap);
}

struct sbx_reader sbx_multipart_upload_reader(struct sbx_multipart_upload *upload) {
    return (struct sbx_reader){upload, upload_read};
}
