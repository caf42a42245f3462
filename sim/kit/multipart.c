/* Takes multipart/form-data apart piece by piece, whatever the pieces; bodies are never held whole. */
#include "sim/kit/multipart.h"

#include <sandport/kit/buf.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define MULTIPART_BOUNDARY_MAX 70
#define MULTIPART_HEADERS_MAX  8192
#define MULTIPART_NAME_MAX     4096

enum multipart_state { MULTIPART_PREAMBLE, MULTIPART_EDGE, MULTIPART_HEADERS, MULTIPART_BODY, MULTIPART_DONE };

struct sim_multipart {
    struct sim_parts parts;
    enum multipart_state state;
    char edge[MULTIPART_BOUNDARY_MAX + 5]; /* CR LF - - boundary */
    size_t edge_len;
    struct sbx_buf held; /* not looked at yet; at most one piece and an edge */
    int malformed;
};

/* The value of a parameter of a header, quoted or not. @return 0 if absent or too long */
static int multipart_parameter(const char *header, const char *name, char *out, size_t cap) {
    const size_t name_len = strlen(name);
    const char *at = header;
    size_t len = 0;
    while ((at = strchr(at, ';'))) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, name, name_len) == 0 && at[name_len] == '=') break;
    }
    if (!at) return 0;
    at += name_len + 1;
    const int quoted = *at == '"';
    if (quoted) at++;
    while (*at && (quoted ? *at != '"' : !strchr("; \t\r\n", *at))) {
        if (quoted && *at == '\\' && at[1]) at++;
        if (len + 1 >= cap) return 0;
        out[len++] = *at++;
    }
    out[len] = 0;
    return 1;
}

struct sim_multipart *sim_multipart_new(const char *content_type, const struct sim_parts *parts) {
    char boundary[MULTIPART_BOUNDARY_MAX + 1] = "";
    struct sim_multipart *mp = NULL;
    if (!content_type || strncmp(content_type, "multipart/form-data", 19) != 0) return NULL;
    if (!multipart_parameter(content_type, "boundary", boundary, sizeof(boundary)) || !*boundary) return NULL;
    mp = calloc(1, sizeof(*mp));
    if (!mp) return NULL;
    mp->parts = *parts;
    memcpy(mp->edge, "\r\n--", 4);
    (void)sbx_copy(mp->edge + 4, sizeof(mp->edge) - 4, boundary);
    mp->edge_len = strlen(mp->edge);
    sbx_buf_text_append(&mp->held, "\r\n"); /* the first edge has no line end of its own */
    return mp;
}

void sim_multipart_free(struct sim_multipart *mp) {
    if (!mp) return;
    sbx_buf_finish(&mp->held);
    free(mp);
}

static int multipart_begin(struct sim_multipart *mp, char *headers) {
    char name[MULTIPART_NAME_MAX], filename[MULTIPART_NAME_MAX];
    for (char *line = headers; line && *line;) {
        char *next = strstr(line, "\r\n");
        if (next) *next = 0;
        if (strncasecmp(line, "Content-Disposition:", 20) == 0) {
            const int has_file = multipart_parameter(line, "filename", filename, sizeof(filename));
            if (!multipart_parameter(line, "name", name, sizeof(name))) return 0;
            mp->parts.begin(mp->parts.ctx, name, has_file ? filename : NULL);
            return 1;
        }
        line = next ? next + 2 : NULL;
    }
    return 0;
}

/* Each step looks at what is held, says how much of it is done with, and 0 when it needs more. */
static size_t multipart_to_edge(struct sim_multipart *mp, char *at, size_t len) {
    const char *edge = memmem(at, len, mp->edge, mp->edge_len);
    const size_t keep = mp->edge_len - 1;
    const size_t body = edge ? (size_t)(edge - at) : len > keep ? len - keep : 0;
    const int inside = mp->state == MULTIPART_BODY;
    if (inside && body) mp->parts.data(mp->parts.ctx, at, body);
    if (!edge) return body;
    if (inside) mp->parts.end(mp->parts.ctx);
    mp->state = MULTIPART_EDGE;
    return body + mp->edge_len;
}

static size_t multipart_edge(struct sim_multipart *mp, const char *at, size_t len) {
    if (len < 2) return 0;
    if (memcmp(at, "--", 2) == 0)
        mp->state = MULTIPART_DONE;
    else if (memcmp(at, "\r\n", 2) == 0)
        mp->state = MULTIPART_HEADERS;
    else
        mp->malformed = 1;
    return 2;
}

static size_t multipart_headers(struct sim_multipart *mp, char *at, size_t len) {
    char *end = memmem(at, len, "\r\n\r\n", 4);
    if (!end) {
        if (len > MULTIPART_HEADERS_MAX) mp->malformed = 1;
        return 0;
    }
    *end = 0;
    if (multipart_begin(mp, at))
        mp->state = MULTIPART_BODY;
    else
        mp->malformed = 1;
    return (size_t)(end - at) + 4;
}

static size_t multipart_step(struct sim_multipart *mp, char *at, size_t len) {
    switch (mp->state) {
    case MULTIPART_PREAMBLE:
    case MULTIPART_BODY:
        return multipart_to_edge(mp, at, len);
    case MULTIPART_EDGE:
        return multipart_edge(mp, at, len);
    case MULTIPART_HEADERS:
        return multipart_headers(mp, at, len);
    case MULTIPART_DONE:
    default:
        return len; /* an epilogue means nothing */
    }
}

int sim_multipart_feed(struct sim_multipart *mp, const void *data, size_t len) {
    size_t done = 0;
    sbx_buf_append(&mp->held, data, len);
    if (mp->held.failed) mp->malformed = 1;
    while (!mp->malformed && done < mp->held.len) {
        const size_t step = multipart_step(mp, mp->held.data + done, mp->held.len - done);
        if (step == 0) break;
        done += step;
    }
    if (mp->malformed) return -1;
    memmove(mp->held.data, mp->held.data + done, mp->held.len - done);
    mp->held.len -= done;
    return 0;
}

int sim_multipart_done(const struct sim_multipart *mp) {
    return mp->state == MULTIPART_DONE;
}
