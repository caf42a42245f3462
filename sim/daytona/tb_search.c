/* The daemon's searches: lines in files, names of files, and texts replaced in files. */
#include "sim/daytona/errors.h"
#include "sim/daytona/toolbox.h"
#include "sim/daytona/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH_SNIFF      512 /* a NUL in so many bytes makes a file binary */
#define SEARCH_FILE_BYTES (64 * 1024 * 1024)

struct search {
    struct sim_day_call *call;
    const char *path, *pattern;
    struct sbx_buf json;
};

/* @return an errno; EFBIG for a file that nobody would search */
static sim_errno search_read(struct sim_machine *machine, const char *path, struct sbx_buf *out) {
    struct sim_file *file = NULL;
    sim_errno failed = sim_open_read(machine, path, &file);
    if (!failed && sim_file_size(file) > SEARCH_FILE_BYTES) failed = EFBIG;
    while (!failed) {
        char *room = sbx_buf_reserve(out, 64 * 1024);
        const ptrdiff_t got = room ? sim_file_read(file, room, 64 * 1024) : -ENOMEM;
        if (got < 0) failed = (sim_errno)-got;
        if (got <= 0) break;
        out->len += (size_t)got;
        if (out->len > SEARCH_FILE_BYTES) failed = EFBIG;
    }
    sim_file_close(file);
    return failed;
}

/* Both queries; NULL pattern when it has been answered. */
static int search_queries(struct sim_day_call *call, struct search *s) {
    s->call = call;
    s->path = sim_http_query(call->x, "path", 0);
    s->pattern = sim_http_query(call->x, "pattern", 0);
    if (s->path && *s->path && s->pattern && *s->pattern) return 1;
    sim_day_file_refuse(call, 400, "INVALID_FILE_PATH", "path and pattern are required");
    return 0;
}

/* Whatever goes wrong is a 400. */
static void search_reply(struct search *s, sim_errno failed) {
    if (failed) {
        sbx_buf_finish(&s->json);
        sim_day_file_refuse(s->call, 400, NULL, sim_day_file_error(failed).message);
    } else {
        sim_http_reply_json(s->call->x, 200, &s->json);
    }
}

/* ---- lines ---- */

static void find_line(struct search *s, const char *path, int64_t number, const char *line, size_t len) {
    struct sbx_buf text = SBX_BUF_INIT;
    if (len > 0 && line[len - 1] == '\r') len--;
    if (!memmem(line, len, s->pattern, strlen(s->pattern))) return;
    sbx_utf8_append(&text, line, len);
    sbx_json_begin_object(&s->json, NULL);
    sim_day_put_text(&s->json, "file", path);
    sbx_json_put_int(&s->json, "line", number);
    sbx_json_put_text(&s->json, "content", sbx_buf_text(&text), text.len);
    sbx_json_end_object(&s->json);
    sbx_buf_finish(&text);
}

static void find_lines(struct search *s, const char *path, const char *data, size_t len) {
    int64_t number = 1;
    while (len > 0) {
        const char *end = memchr(data, '\n', len);
        const size_t line = end ? (size_t)(end - data) : len;
        find_line(s, path, number++, data, line);
        data += line + (end != NULL);
        len -= line + (end != NULL);
    }
}

static int find_each(void *ctx, const char *path, const struct sim_stat *st) {
    struct search *s = ctx;
    struct sbx_buf data = SBX_BUF_INIT;
    if (st->type == 'f' || st->type == 'l') {
        const sim_errno failed = search_read(s->call->sb->machine, path, &data);
        const size_t sniffed = data.len < SEARCH_SNIFF ? data.len : SEARCH_SNIFF;
        if (!failed && data.len && !memchr(data.data, 0, sniffed)) find_lines(s, path, data.data, data.len);
    }
    sbx_buf_finish(&data);
    return 0;
}

void sim_day_tb_find(struct sim_day_call *call) {
    struct search s = {0};
    const struct sim_day_walk walk = {.machine = call->sb->machine, .each = find_each, .ctx = &s};
    if (!search_queries(call, &s) || sim_day_toolbox_fault_read(call)) return;
    sbx_json_begin_array(&s.json, NULL);
    const sim_errno failed = sim_day_walk(&walk, s.path);
    sbx_json_end_array(&s.json);
    search_reply(&s, failed);
}

/* ---- names ---- */

/* One class of characters, [a-c] or [^x]. @return its length, 0 if it has no end */
static size_t glob_class(const char *pattern, unsigned char c, int *fits) {
    const char *at = pattern + 1;
    const int negated = *at == '^';
    int in = 0;
    at += negated;
    do {
        if (*at == '\\' && at[1]) at++;
        const unsigned char from = (unsigned char)*at;
        unsigned char to = from;
        if (!from) return 0;
        if (at[1] == '-' && at[2] && at[2] != ']') {
            at += 2;
            if (*at == '\\' && at[1]) at++;
            to = (unsigned char)*at;
        }
        in |= c >= from && c <= to;
        at++;
    } while (*at && *at != ']');
    *fits = in != negated;
    return *at ? (size_t)(at - pattern) + 1 : 0;
}

/* @return the length of the pattern's next element, 0 if it is none */
static size_t glob_step(const char *pattern, char c, int *fits) {
    if (*pattern == '[') return glob_class(pattern, (unsigned char)c, fits);
    if (*pattern == '\\') {
        *fits = pattern[1] == c;
        return pattern[1] ? 2 : 0;
    }
    *fits = *pattern == '?' || *pattern == c;
    return 1;
}

static int glob_is_one(const char *pattern) {
    int fits = 0;
    while (*pattern) {
        const size_t len = glob_step(pattern, 'x', &fits);
        if (len == 0) return 0;
        pattern += len;
    }
    return 1;
}

/* As Go matches names: the last * grows when what follows does not fit. */
static int glob_fits(const char *pattern, const char *name) {
    const char *star = NULL, *from = NULL;
    while (*name) {
        int fits = 0;
        const size_t len = *pattern && *pattern != '*' ? glob_step(pattern, *name, &fits) : 0;
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (len && fits) {
            pattern += len;
            name++;
        } else if (star) {
            pattern = star;
            name = ++from;
        } else {
            return 0;
        }
    }
    return pattern[strspn(pattern, "*")] == 0;
}

static int search_each(void *ctx, const char *path, const struct sim_stat *st) {
    struct search *s = ctx;
    const char *slash = strrchr(path, '/');
    (void)st;
    if (glob_fits(s->pattern, slash && slash[1] ? slash + 1 : path)) sim_day_put_text(&s->json, NULL, path);
    return 0;
}

void sim_day_tb_search(struct sim_day_call *call) {
    struct search s = {0};
    const struct sim_day_walk walk = {.machine = call->sb->machine, .each = search_each, .ctx = &s};
    if (!search_queries(call, &s)) return;
    if (!glob_is_one(s.pattern)) {
        sim_day_file_refuse(call, 400, NULL, "syntax error in pattern");
        return;
    }
    if (sim_day_toolbox_fault_read(call)) return;
    sbx_json_begin_object(&s.json, NULL);
    sbx_json_begin_array(&s.json, "files");
    const sim_errno failed = sim_day_walk(&walk, s.path);
    sbx_json_end_array(&s.json);
    sbx_json_end_object(&s.json);
    search_reply(&s, failed);
}

/* ---- replacing ---- */

struct replace {
    const char *pattern, *value;
    const struct sbx_json_node *files;
};

static void replace_all(const struct sbx_buf *from, const struct replace *r, struct sbx_buf *to) {
    const size_t len = strlen(r->pattern);
    const char *at = sbx_buf_text(from), *end = at + from->len;
    for (const char *hit = NULL; (hit = memmem(at, (size_t)(end - at), r->pattern, len)); at = hit + len) {
        sbx_buf_append(to, at, (size_t)(hit - at));
        sbx_buf_text_append(to, r->value);
    }
    sbx_buf_append(to, at, (size_t)(end - at));
}

static sim_errno replace_file(struct sim_machine *machine, const char *path, const struct replace *r) {
    struct sbx_buf from = SBX_BUF_INIT, to = SBX_BUF_INIT;
    struct sim_file *file = NULL;
    sim_errno failed = search_read(machine, path, &from);
    if (!failed) replace_all(&from, r, &to);
    if (!failed && (from.failed || sbx_buf_status(&to))) failed = ENOMEM;
    if (!failed) failed = sim_open_write(machine, path, 0644, 1, &file);
    if (!failed) failed = sim_file_write(file, to.data, to.len);
    sim_file_close(file);
    sbx_buf_finish(&from);
    sbx_buf_finish(&to);
    return failed;
}

static void replace_each(struct sim_day_call *call, const struct replace *r, struct sbx_json *js,
                         struct sbx_buf *json) {
    sbx_json_begin_array(json, NULL);
    for (const struct sbx_json_node *it = sbx_json_first(r->files); it; it = sbx_json_next(it)) {
        const char *path = sbx_json_as_string(js, it);
        const sim_errno failed = *path ? replace_file(call->sb->machine, path, r) : ENOENT;
        sbx_json_begin_object(json, NULL);
        sbx_json_put_string(json, "file", path);
        sbx_json_put_bool(json, "success", !failed);
        if (failed) sbx_json_put_string(json, "error", sim_day_file_error(failed).message);
        sbx_json_end_object(json);
    }
    sbx_json_end_array(json);
}

/* @return 0 when it has been answered */
static int replace_read(struct sim_day_call *call, struct replace *r, struct sbx_json **js) {
    const struct sbx_json_node *root = sim_day_toolbox_body(call, js);
    if (!root) return 0;
    r->pattern = sbx_json_opt_string(*js, root, "pattern", "");
    r->value = sbx_json_opt_string(*js, root, "newValue", "");
    r->files = sbx_json_opt_array(*js, root, "files");
    for (const struct sbx_json_node *it = r->files ? sbx_json_first(r->files) : NULL; it; it = sbx_json_next(it))
        (void)sbx_json_as_string(*js, it);
    if (!sbx_json_status(*js) && r->files && sbx_json_count(r->files) > 0 && *r->pattern) return 1;
    sim_day_file_refuse(call, 400, "INVALID_REQUEST_BODY", "files and pattern are required");
    return 0;
}

void sim_day_tb_replace(struct sim_day_call *call) {
    struct replace r = {0};
    struct sbx_json *js = NULL;
    struct sbx_buf json = SBX_BUF_INIT;
    if (!replace_read(call, &r, &js) || sim_day_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_day_toolbox_lost(call))
        return;
    for (int times = sim_day_toolbox_times(call); times > 0; times--) {
        sbx_buf_clear(&json);
        replace_each(call, &r, js, &json);
    }
    if (sim_day_fault(call, SIM_PHASE_AFTER_COMMIT))
        sbx_buf_finish(&json);
    else
        sim_http_reply_json(call->x, 200, &json);
}
