/* Taking a multipart answer apart as it comes. Row P8.
 *
 * Bytes are gathered in `in` until the state can use them: a delimiter, the headers of a part, or data, of which all is
 * handed on but for what could be the beginning of a delimiter. So where the network cut them makes no difference, and
 * memory is bounded by a piece and the headers of one part. */
#include <assert.h>
#include <sandport/kit/multipart.h>
#include <sandport/kit/text.h>

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES      (16 * 1024)
#define HEADER_BYTES_MAX (16 * 1024)

enum decoder_state {
    DECODER_BEFORE,  /* up to the first delimiter: to be ignored */
    DECODER_DELIMIT, /* behind a delimiter: is it the last? */
    DECODER_HEADERS,
    DECODER_COUNTED, /* data of known length */
    DECODER_CLOSE,   /* behind such data: a delimiter and nothing else */
    DECODER_DATA,    /* data up to the next delimiter */
    DECODER_AFTER    /* behind the last one: to be ignored */
};

struct sbx_multipart_decoder {
    struct sbx_multipart_sink sink;
    enum decoder_state state;
    enum sbx_status failed;
    int64_t left; /* in DECODER_COUNTED */
    char delimiter[4 + SBX_MULTIPART_BOUNDARY_SIZE];
    size_t delimiter_len;
    struct sbx_buf in;
    size_t used; /* of `in` */
};

/* ---- headers ---- */

struct part_texts {
    struct sbx_buf name;
    struct sbx_buf filename;
    struct sbx_buf filename_ext;
    struct sbx_buf content_type;
    int64_t content_length;
    struct sbx_buf key; /* of the parameter that is being read */
    struct sbx_buf value;
    int memory; /* ran out: what was read since may be cut */
};

static int is_blank(char c) {
    return c == ' ' || c == '\t';
}

static int begins_nocase(const char *text, const char *with) {
    for (; *with; text++, with++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *with) return 0;
    return 1;
}

static const char *skip_blanks(const char *at) {
    while (is_blank(*at)) at++;
    return at;
}

/* Is a parameter's value in quotes? Steps over the first. */
static int value_begin(const char **at) {
    int quoted = **at == '"';
    *at += quoted;
    return quoted;
}

/* Its next character; steps over the last quote. @return 0 at its end */
static char value_next(const char **at, int quoted) {
    const char *c = *at;
    int end = !*c || (quoted ? *c == '"' : *c == ';' || is_blank(*c));
    if (end) {
        *at += quoted && *c;
        return 0;
    }
    if (quoted && *c == '\\' && c[1]) c++;
    *at = c + 1;
    return *c;
}

static void read_value(const char **at, struct sbx_buf *out) {
    int quoted = value_begin(at);
    sbx_buf_clear(out);
    for (char c; (c = value_next(at, quoted));) sbx_buf_char(out, c);
}

/* charset'language'percent-encoded (RFC 8187), of which the bytes are wanted. @return 0 if it is not of that form */
static int decode_extended(struct sbx_buf *out, const struct sbx_buf *value) {
    const char *text = sbx_buf_text(value), *first = strchr(text, '\''),
               *second = first ? strchr(first + 1, '\'') : NULL;
    sbx_buf_clear(out);
    return second && sbx_percent_decode(out, second + 1, strlen(second + 1), 0);
}

/* A failed buffer forgets that when it is cleared for the next parameter. @return 1 if all is there */
static int note_memory(struct part_texts *part) {
    part->memory |= part->key.failed || part->value.failed || part->name.failed || part->filename.failed ||
                    part->filename_ext.failed || part->content_type.failed;
    return !part->memory;
}

static int read_disposition(const char *at, struct part_texts *part) {
    assert(part);
    struct sbx_buf *key = &part->key, *value = &part->value;
    at += strcspn(at, ";");
    while (*at == ';') {
        at = skip_blanks(at + 1);
        sbx_buf_clear(key);
        while (*at && *at != '=' && *at != ';' && !is_blank(*at)) sbx_buf_char(key, *at++);
        at = skip_blanks(at);
        if (*at != '=') continue;
        at = skip_blanks(at + 1);
        read_value(&at, value);
        const char *name = sbx_buf_text(key), *text = sbx_buf_text(value);
        struct sbx_buf *into = sbx_text_equal_nocase(name, "name")       ? &part->name
                               : sbx_text_equal_nocase(name, "filename") ? &part->filename
                                                                         : NULL;
        if (into) {
            sbx_buf_clear(into);
            sbx_buf_append(into, text, value->len);
        } else if (sbx_text_equal_nocase(name, "filename*") && !decode_extended(&part->filename_ext, value)) {
            return 0;
        }
        if (!note_memory(part)) return 0;
        at = skip_blanks(at);
    }
    return !*at;
}

static int read_header(char *line, struct part_texts *part) {
    char *colon = strchr(line, ':');
    if (!colon) return 0;
    *colon = 0;
    const char *text = skip_blanks(colon + 1);
    if (sbx_text_equal_nocase(line, "content-disposition")) return read_disposition(text, part);
    if (sbx_text_equal_nocase(line, "content-length")) return sbx_text_int(text, 0, INT64_MAX, &part->content_length);
    if (sbx_text_equal_nocase(line, "content-type")) {
        sbx_buf_clear(&part->content_type);
        sbx_buf_text_append(&part->content_type, text);
    }
    return 1;
}

/* The lines of one part's headers, each ended by \r\n, in `text`, which is written to. */
static int read_headers(char *text, size_t len, struct part_texts *part) {
    int ok = !memchr(text, 0, len);
    for (char *line = text; ok && line < text + len;) {
        char *end = strstr(line, "\r\n");
        if (!end) break;
        *end = 0;
        ok = read_header(line, part);
        if (!note_memory(part)) return 0;
        line = end + 2;
    }
    return ok;
}

/* ---- states: each uses what it can of the bytes and says whether it got anywhere ---- */

static char *unused(const struct sbx_multipart_decoder *decoder, size_t *len) {
    *len = decoder->in.len - decoder->used;
    return decoder->in.data + decoder->used;
}

static int fail(struct sbx_multipart_decoder *decoder, enum sbx_status st) {
    decoder->failed = st;
    return 0;
}

static int go(struct sbx_multipart_decoder *decoder, size_t use, enum decoder_state next) {
    decoder->used += use;
    decoder->state = next;
    return 1;
}

static int hand_on(struct sbx_multipart_decoder *decoder, const char *data, size_t len) {
    return len == 0 || decoder->sink.data(decoder->sink.ctx, data, len) == 0;
}

static int end_part(struct sbx_multipart_decoder *decoder) {
    return decoder->sink.end(decoder->sink.ctx) == 0 ? go(decoder, decoder->delimiter_len, DECODER_DELIMIT)
                                                     : fail(decoder, SBX_STREAM);
}

/* Up to the next delimiter; the data, if it is any, goes on. */
static int step_search(struct sbx_multipart_decoder *decoder, int is_data) {
    size_t len = 0;
    const char *at = unused(decoder, &len);
    const char *hit = len < decoder->delimiter_len ? NULL : memmem(at, len, decoder->delimiter, decoder->delimiter_len);
    size_t keep = decoder->delimiter_len - 1, ready = hit ? (size_t)(hit - at) : len > keep ? len - keep : 0;
    if (is_data && !hand_on(decoder, at, ready)) return fail(decoder, SBX_STREAM);
    decoder->used += ready;
    if (!hit) return 0;
    return is_data ? end_part(decoder) : go(decoder, decoder->delimiter_len, DECODER_DELIMIT);
}

static int step_delimit(struct sbx_multipart_decoder *decoder) {
    size_t len = 0, blanks = 0;
    const char *at = unused(decoder, &len);
    if (len >= 2 && at[0] == '-' && at[1] == '-') return go(decoder, 2, DECODER_AFTER);
    if (len == 1 && at[0] == '-') return 0;
    while (blanks < len && is_blank(at[blanks])) blanks++;
    if (blanks > HEADER_BYTES_MAX) return fail(decoder, SBX_PROTOCOL);
    if (len - blanks >= 2 && at[blanks] == '\r' && at[blanks + 1] == '\n')
        return go(decoder, blanks + 2, DECODER_HEADERS);
    if (len == blanks || (len - blanks == 1 && at[blanks] == '\r')) return 0;
    return fail(decoder, SBX_PROTOCOL);
}

static int begin_part(struct sbx_multipart_decoder *decoder, const struct part_texts *part) {
    const struct sbx_multipart_part is = {
        .size = sizeof(is),
        .name = sbx_buf_text(&part->name),
        .filename = sbx_buf_text(part->filename_ext.len ? &part->filename_ext : &part->filename),
        .content_type = sbx_buf_text(&part->content_type),
        .content_length = part->content_length,
    };
    decoder->left = part->content_length;
    return decoder->sink.part(decoder->sink.ctx, &is) == 0 || fail(decoder, SBX_STREAM);
}

static int step_headers(struct sbx_multipart_decoder *decoder) {
    struct part_texts part = {.content_length = -1};
    size_t len = 0, whole = 0;
    char *at = unused(decoder, &len);
    const char *end = len ? memmem(at, len, "\r\n\r\n", 4) : NULL;
    if (len >= 2 && memcmp(at, "\r\n", 2) == 0)
        whole = 2; /* none at all */
    else if (end)
        whole = (size_t)(end - at) + 4;
    else
        return len > HEADER_BYTES_MAX ? fail(decoder, SBX_PROTOCOL) : 0;
    int ok = read_headers(at, whole - 2, &part) || fail(decoder, part.memory ? SBX_NO_MEMORY : SBX_PROTOCOL);
    ok = ok && begin_part(decoder, &part);
    sbx_buf_finish(&part.name);
    sbx_buf_finish(&part.filename);
    sbx_buf_finish(&part.filename_ext);
    sbx_buf_finish(&part.content_type);
    sbx_buf_finish(&part.key);
    sbx_buf_finish(&part.value);
    return ok && go(decoder, whole, decoder->left < 0 ? DECODER_DATA : DECODER_COUNTED);
}

static int step_counted(struct sbx_multipart_decoder *decoder) {
    size_t len = 0;
    const char *at = unused(decoder, &len);
    if (decoder->left == 0) return go(decoder, 0, DECODER_CLOSE);
    if ((uint64_t)decoder->left < len) len = (size_t)decoder->left;
    if (len == 0) return 0;
    if (!hand_on(decoder, at, len)) return fail(decoder, SBX_STREAM);
    decoder->left -= (int64_t)len;
    return go(decoder, len, DECODER_COUNTED);
}

static int step_close(struct sbx_multipart_decoder *decoder) {
    size_t len = 0;
    const char *at = unused(decoder, &len);
    size_t compare = len < decoder->delimiter_len ? len : decoder->delimiter_len;
    if (compare && memcmp(at, decoder->delimiter, compare) != 0) /* guard: multipart_part_length */
        return fail(decoder, SBX_PROTOCOL);
    return compare == decoder->delimiter_len && end_part(decoder);
}

static int step(struct sbx_multipart_decoder *decoder) {
    switch (decoder->state) {
    case DECODER_BEFORE:
        return step_search(decoder, 0);
    case DECODER_DELIMIT:
        return step_delimit(decoder);
    case DECODER_HEADERS:
        return step_headers(decoder);
    case DECODER_COUNTED:
        return step_counted(decoder);
    case DECODER_CLOSE:
        return step_close(decoder);
    case DECODER_DATA:
        return step_search(decoder, 1);
    case DECODER_AFTER:
        break;
    }
    decoder->used = decoder->in.len;
    return 0;
}

static void feed_piece(struct sbx_multipart_decoder *decoder, const char *data, size_t len) {
    sbx_buf_append(&decoder->in, data, len);
    if (decoder->in.failed) {
        fail(decoder, SBX_NO_MEMORY);
        return;
    }
    while (step(decoder)) continue;
    decoder->in.len -= decoder->used;
    if (decoder->in.len) memmove(decoder->in.data, decoder->in.data + decoder->used, decoder->in.len);
    decoder->used = 0;
}

/* ---- the door ---- */

struct sbx_multipart_decoder *sbx_multipart_decoder_create(const char *boundary,
                                                           const struct sbx_multipart_sink *sink) {
    struct sbx_multipart_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) return NULL;
    decoder->sink = *sink;
    memcpy(decoder->delimiter, "\r\n--", 4);
    if (!sbx_copy(decoder->delimiter + 4, SBX_MULTIPART_BOUNDARY_SIZE, boundary)) decoder->failed = SBX_PROTOCOL;
    decoder->delimiter_len = strlen(decoder->delimiter);
    sbx_buf_text_append(&decoder->in, "\r\n"); /* the first delimiter may be the first thing there is */
    if (!decoder->in.failed) return decoder;
    sbx_multipart_decoder_free(decoder);
    return NULL;
}

void sbx_multipart_decoder_free(struct sbx_multipart_decoder *decoder) {
    if (!decoder) return;
    sbx_buf_finish(&decoder->in);
    free(decoder);
}

enum sbx_status sbx_multipart_feed(struct sbx_multipart_decoder *decoder, const void *data, size_t len) {
    const char *at = data;
    while (len && !decoder->failed) {
        size_t n = len < PIECE_BYTES ? len : PIECE_BYTES;
        feed_piece(decoder, at, n);
        at += n;
        len -= n;
    }
    return decoder->failed;
}

enum sbx_status sbx_multipart_finish(struct sbx_multipart_decoder *decoder) {
    if (decoder->failed) return decoder->failed;
    return decoder->state == DECODER_AFTER ? SBX_OK : SBX_PROTOCOL; /* guard: multipart_final_boundary */
}

/* A parameter's value as a text. @return 0 if it does not fit, which leaves "" */
static int copy_value(const char **at, char *out, size_t cap) {
    int quoted = value_begin(at), fits = 1;
    size_t len = 0;
    for (char c; (c = value_next(at, quoted));) {
        fits = fits && len + 1 < cap;
        if (fits) out[len++] = c;
    }
    out[fits ? len : 0] = 0;
    return fits;
}

int sbx_multipart_boundary(const char *content_type, char *out) {
    char value[SBX_MULTIPART_BOUNDARY_SIZE];
    size_t len = strcspn(content_type, ";");
    int found = 0;
    if (!begins_nocase(content_type, "multipart/")) return 0;
    for (const char *at = content_type + len; *at == ';' && !found;) {
        at = skip_blanks(at + 1);
        int wanted = begins_nocase(at, "boundary=");
        at += wanted ? 9 : strcspn(at, "=;");
        if (*at == '=') at++;
        int fits = copy_value(&at, value, sizeof(value));
        if (wanted && !(fits && value[0])) return 0;
        found = wanted;
        at = skip_blanks(at);
    }
    if (found) memcpy(out, value, strlen(value) + 1);
    return found;
}
