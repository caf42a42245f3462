/* The body of an upload: for each file text before and the file's own bytes, and text after the last. Row P8. */
#include <sandport/kit/multipart.h>
#include <sandport/kit/text.h>

#include <stdlib.h>
#include <string.h>

#define BOUNDARY_BYTES 16 /* random: a file that holds it by chance does not exist */

struct sbx_multipart_upload {
    struct sbx_multipart_file *files;
    size_t count;
    const char *part; /* of that name alone, without one for the path; NULL = both */
    size_t file;      /* whose turn it is; `count` once the tail has begun */
    struct sbx_buf content_type;
    const char *boundary; /* in it */
    struct sbx_buf head;  /* of that file; has had room for the longest since the creation */
    struct sbx_buf tail;
    size_t at; /* in what is being given: the head, or the tail */
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

/* The text before a file's bytes; behind those of the file before it a line break comes first. */
static void put_head(struct sbx_multipart_upload *upload, size_t i) {
    struct sbx_buf *head = &upload->head;
    sbx_buf_clear(head);
    if (upload->part) {
        sbx_buf_printf(head, "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"", upload->boundary,
                       upload->part);
    } else {
        sbx_buf_printf(head, "%s--%s\r\nContent-Disposition: form-data; name=\"files[%zu].path\"\r\n\r\n",
                       i ? "\r\n" : "", upload->boundary, i);
        sbx_buf_text_append(head, upload->files[i].path);
        sbx_buf_printf(head, "\r\n--%s\r\nContent-Disposition: form-data; name=\"files[%zu].file\"; filename=\"",
                       upload->boundary, i);
    }
    put_filename(head, upload->files[i].path);
    sbx_buf_text_append(head, "\"\r\nContent-Type: application/octet-stream\r\n\r\n");
}

/* Each head is made once here, so that there is room for the longest, and reading needs no memory. */
static enum sbx_status upload_texts(struct sbx_multipart_upload *upload, const char *boundary) {
    sbx_buf_printf(&upload->content_type, "multipart/form-data; boundary=%s", boundary);
    sbx_buf_printf(&upload->tail, "\r\n--%s--\r\n", boundary);
    if (upload->content_type.failed || upload->tail.failed) return SBX_NO_MEMORY;
    upload->boundary = strchr(upload->content_type.data, '=') + 1;
    for (size_t i = upload->count; i-- > 0;) put_head(upload, i);
    return sbx_buf_status(&upload->head);
}

static enum sbx_status upload_create(struct sbx_env *env, const char *part, const struct sbx_multipart_file *files,
                                     size_t count, struct sbx_multipart_upload **out) {
    unsigned char random[BOUNDARY_BYTES];
    char boundary[2 * BOUNDARY_BYTES + 1];
    struct sbx_multipart_upload *upload = calloc(1, sizeof(*upload));
    if (!upload) return SBX_NO_MEMORY;
    upload->files = calloc(count, sizeof(*files));
    enum sbx_status st = upload->files ? env->random(env, random, sizeof(random)) : SBX_NO_MEMORY;
    if (!st) {
        memcpy(upload->files, files, count * sizeof(*files));
        upload->count = count;
        upload->part = part;
        sbx_hex(random, sizeof(random), boundary);
        st = upload_texts(upload, boundary);
    }
    if (st)
        sbx_multipart_upload_free(upload);
    else
        *out = upload;
    return st;
}

enum sbx_status sbx_multipart_upload_create_many(struct sbx_env *env, const struct sbx_multipart_file *files,
                                                 size_t count, struct sbx_multipart_upload **out) {
    if (count == 0) return SBX_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (!path_ok(files[i].path) || !files[i].from) return SBX_INVALID_ARGUMENT;
    return upload_create(env, NULL, files, count, out);
}

enum sbx_status sbx_multipart_upload_create_part(struct sbx_env *env, const char *name, const char *path,
                                                 const struct sbx_reader *from, struct sbx_multipart_upload **out) {
    const struct sbx_multipart_file file = {path, from};
    return path && *path && from ? upload_create(env, name, &file, 1, out) : SBX_INVALID_ARGUMENT;
}

enum sbx_status sbx_multipart_upload_create(struct sbx_env *env, const char *path, const struct sbx_reader *from,
                                            struct sbx_multipart_upload **out) {
    const struct sbx_multipart_file file = {path, from};
    return sbx_multipart_upload_create_many(env, &file, 1, out);
}

void sbx_multipart_upload_free(struct sbx_multipart_upload *upload) {
    if (!upload) return;
    sbx_buf_finish(&upload->content_type);
    sbx_buf_finish(&upload->head);
    sbx_buf_finish(&upload->tail);
    free(upload->files);
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
    while (upload->file < upload->count) {
        if (upload->at < upload->head.len) return give(upload, &upload->head, buf, cap);
        const struct sbx_reader *from = upload->files[upload->file].from;
        ptrdiff_t n = from->read(from->ctx, buf, cap);
        if (n) return n;
        upload->at = 0;
        if (++upload->file < upload->count) put_head(upload, upload->file);
    }
    return give(upload, &upload->tail, buf, cap);
}

struct sbx_reader sbx_multipart_upload_reader(struct sbx_multipart_upload *upload) {
    return (struct sbx_reader){upload, upload_read};
}
