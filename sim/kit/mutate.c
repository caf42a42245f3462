/* Copies a document, watching for one path. */
#include "sim/kit/mutate.h"

#include <sandport/kit/json.h>
#include <string.h>

struct mutate {
    const char *wanted;
    const char *value;
    struct sbx_buf *out;
    struct sbx_buf path;
    int found;
};

static void mutate_copy(struct mutate *m, const struct sbx_json_node *node, const char *key);

static void mutate_children(struct mutate *m, const struct sbx_json_node *node, int array) {
    size_t here = m->path.len;
    long long index = 0;
    for (const struct sbx_json_node *c = sbx_json_first(node); c; c = sbx_json_next(c), index++) {
        if (array)
            sbx_buf_printf(&m->path, "[%lld]", index);
        else
            sbx_buf_printf(&m->path, ".%s", sbx_json_key(c));
        mutate_copy(m, c, sbx_json_key(c));
        if (!m->path.failed) m->path.len = here;
    }
}

static void mutate_copy(struct mutate *m, const struct sbx_json_node *node, const char *key) {
    struct sbx_buf one = SBX_BUF_INIT;
    enum sbx_json_type type = sbx_json_type(node);
    if (strcmp(sbx_buf_text(&m->path), m->wanted) == 0) {
        m->found = 1;
        if (m->value) sbx_json_put_raw(m->out, key, m->value, strlen(m->value));
        return;
    }
    if (type == SBX_JSON_OBJECT) {
        sbx_json_begin_object(m->out, key);
        mutate_children(m, node, 0);
        sbx_json_end_object(m->out);
    } else if (type == SBX_JSON_ARRAY) {
        sbx_json_begin_array(m->out, key);
        mutate_children(m, node, 1);
        sbx_json_end_array(m->out);
    } else {
        sbx_json_write_node(&one, node);
        sbx_json_put_raw(m->out, key, sbx_buf_text(&one), one.len);
        sbx_buf_finish(&one);
    }
}

int sim_mutate(const char *json, size_t len, const char *path, const char *value, struct sbx_buf *out) {
    struct sbx_json *js = NULL;
    struct mutate m = {.wanted = path ? path : "$", .value = value, .out = out, .path = SBX_BUF_INIT};
    int ok = sbx_json_parse(json, len, 0, &js) == SBX_OK;
    if (ok) {
        sbx_buf_char(&m.path, '$');
        mutate_copy(&m, sbx_json_root(js), NULL);
        ok = m.found && !out->failed && !m.path.failed;
    }
    sbx_buf_finish(&m.path);
    sbx_json_free(js);
    return ok;
}
