/* JSON, read with exact types. cJSON builds the tree; what it is lenient about is refused by sbx_json_check first. */
#include <sandport/kit/json.h>

#include "src/base/json_check.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_READ  (1 << 12)          /* in cJSON's type, above its own flags: a reader has asked for this member */
#define JSON_EXACT 9007199254740991.0 /* 2^53 - 1: above it, neighbouring integers share one double */
#define PATH_SIZE  160

struct sbx_json {
    cJSON *root;
    int failed;
    char error[PATH_SIZE + 96];
};

static const cJSON *node_in(const struct sbx_json_node *node) {
    return (const cJSON *)(const void *)node;
}

static const struct sbx_json_node *node_out(const cJSON *item) {
    return (const struct sbx_json_node *)(const void *)item;
}

/* The one place that writes to a tree that readers hold as const. */
static void node_mark(const cJSON *item) {
    union {
        const cJSON *held;
        cJSON *ours;
    } node = {item};
    node.ours->type |= JSON_READ;
}

static int node_type(const cJSON *item) {
    return item->type & 0xff;
}

/* ---- where a node is, worked out only when something is wrong ---- */

static void path_step(char *path, size_t *at, const cJSON *parent, const cJSON *child, int64_t index) {
    int n = node_type(parent) == cJSON_Array
                ? snprintf(path + *at, PATH_SIZE - *at, "[%lld]", (long long)index)
                : snprintf(path + *at, PATH_SIZE - *at, ".%s", child->string ? child->string : "?");
    if (n > 0) *at += (size_t)n < PATH_SIZE - *at ? (size_t)n : PATH_SIZE - *at - 1;
}

static int path_find(const cJSON *from, const cJSON *wanted, char *path, size_t at) {
    int64_t index = 0;
    path[at] = 0;
    if (from == wanted) return 1;
    for (const cJSON *child = from->child; child; child = child->next, index++) {
        size_t deeper = at;
        path_step(path, &deeper, from, child, index);
        if (path_find(child, wanted, path, deeper)) return 1;
    }
    path[at] = 0;
    return 0;
}

static const char *json_found(const cJSON *item) {
    if (!item) return "nothing";
    switch (node_type(item)) {
    case cJSON_NULL:
        return "null";
    case cJSON_True:
    case cJSON_False:
        return "a boolean";
    case cJSON_Number:
        return "a number";
    case cJSON_String:
        return "a string";
    case cJSON_Array:
        return "an array";
    default:
        return "an object";
    }
}

static void json_wrong(struct sbx_json *js, const cJSON *at, const char *key, const char *what, const char *found) {
    char path[PATH_SIZE] = "$";
    if (js->failed) return;
    js->failed = 1;
    if (at && js->root) path_find(js->root, at, path, 1);
    snprintf(js->error, sizeof(js->error), "expected %s at %s%s%s%s%s", what, path, key ? "." : "", key ? key : "",
             found ? ", found " : "", found ? found : "");
    js->error[sizeof(js->error) - 1] = 0;
}

/* ---- what cJSON lets through ---- */

static int key_order(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Do two keys have one hash? If not, which is usual, none is there twice. */
static int keys_may_repeat(const cJSON *object) {
    uint64_t seen[64] = {0};
    for (const cJSON *child = object->child; child; child = child->next) {
        unsigned hash = 0;
        for (const char *at = child->string; *at; at++) hash = hash * 31 + (unsigned char)*at;
        hash = (hash ^ hash >> 12) % 4096;
        if (seen[hash / 64] >> hash % 64 & 1) return 1;
        seen[hash / 64] |= UINT64_C(1) << hash % 64;
    }
    return 0;
}

/* @return a key that the object has twice, NULL if none; *memory is set when there was none to look with */
static const char *object_duplicate(const cJSON *object, int *memory) {
    size_t n = 0, at = 0;
    const char *twice = NULL;
    for (const cJSON *child = object->child; child; child = child->next) n++;
    if (n < 2 || !keys_may_repeat(object)) return NULL;
    const char **keys = malloc(n * sizeof(*keys));
    if (!keys) {
        *memory = 1;
        return NULL;
    }
    for (const cJSON *child = object->child; child; child = child->next) keys[at++] = child->string;
    qsort(keys, n, sizeof(*keys), key_order);
    for (size_t i = 1; i < n && !twice; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0) twice = keys[i];
    free(keys);
    return twice;
}

static enum sbx_status tree_check(struct sbx_json *js, const cJSON *item) {
    int memory = 0;
    if (node_type(item) == cJSON_Number && !(item->valuedouble >= -JSON_EXACT && item->valuedouble <= JSON_EXACT)) {
        json_wrong(js, item, NULL, "a number within 2^53", NULL);
        return SBX_PROTOCOL;
    }
    if (node_type(item) == cJSON_Object) {
        const char *twice = object_duplicate(item, &memory);
        if (memory) return SBX_NO_MEMORY;
        if (twice) {
            json_wrong(js, item, NULL, "each key once", NULL);
            return SBX_PROTOCOL;
        }
    }
    for (const cJSON *child = item->child; child; child = child->next) {
        enum sbx_status st = tree_check(js, child);
        if (st) return st;
    }
    return SBX_OK;
}

enum sbx_status sbx_json_parse(const char *text, size_t len, size_t bytes_max, struct sbx_json **out) {
    struct sbx_json *js = calloc(1, sizeof(*js));
    *out = js;
    if (!js) return SBX_NO_MEMORY;
    size_t max = bytes_max ? bytes_max : SBX_JSON_BYTES_MAX;
    if (len > max) {
        js->failed = 1;
        snprintf(js->error, sizeof(js->error), "expected at most %zu bytes of JSON, found %zu", max, len);
        return SBX_PROTOCOL;
    }
    size_t where = 0;
    const char *wrong = sbx_json_check(text, len, SBX_JSON_DEPTH_MAX, &where);
    if (wrong) {
        js->failed = 1;
        snprintf(js->error, sizeof(js->error), "expected %s at byte %zu", wrong, where);
        return SBX_PROTOCOL;
    }
    js->root = cJSON_ParseWithLength(text, len);
    if (!js->root) return SBX_NO_MEMORY; /* sbx_json_check has seen that it is JSON */
    enum sbx_status st = tree_check(js, js->root);
    if (st == SBX_PROTOCOL) js->failed = 1;
    return st;
}

void sbx_json_free(struct sbx_json *js) {
    if (!js) return;
    cJSON_Delete(js->root);
    free(js);
}

const struct sbx_json_node *sbx_json_root(const struct sbx_json *js) {
    return node_out(js->root);
}

enum sbx_status sbx_json_status(const struct sbx_json *js) {
    return js->failed ? SBX_PROTOCOL : SBX_OK;
}

const char *sbx_json_error(const struct sbx_json *js) {
    return js ? js->error : "";
}

enum sbx_json_type sbx_json_type(const struct sbx_json_node *node) {
    switch (node_type(node_in(node))) {
    case cJSON_True:
    case cJSON_False:
        return SBX_JSON_BOOL;
    case cJSON_Number:
        return SBX_JSON_NUMBER;
    case cJSON_String:
        return SBX_JSON_STRING;
    case cJSON_Array:
        return SBX_JSON_ARRAY;
    case cJSON_Object:
        return SBX_JSON_OBJECT;
    default:
        return SBX_JSON_NULL;
    }
}

/* ---- members ---- */

static const cJSON *member_of(const struct sbx_json_node *obj, const char *key) {
    const cJSON *object = node_in(obj);
    if (!object || node_type(object) != cJSON_Object) return NULL;
    for (const cJSON *child = object->child; child; child = child->next)
        if (strcmp(child->string, key) == 0) {
            node_mark(child);
            return child;
        }
    return NULL;
}

/* The member if it is of that type (two, as booleans have two). A wrong one is noted, and an absent or null one too if
 * it is required. */
static const cJSON *member_typed(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int type,
                                 int type_too, int required, const char *what) {
    const cJSON *item = member_of(obj, key);
    int absent = !item || node_type(item) == cJSON_NULL;
    if (absent && !required) return NULL;
    if (!absent && (node_type(item) == type || node_type(item) == type_too)) return item;
    json_wrong(js, node_in(obj), key, what, json_found(item));
    return NULL;
}

static int item_integer(const cJSON *item, int64_t *out) {
    int64_t value = (int64_t)item->valuedouble; /* within 2^53 since tree_check */
    *out = value;
    return (double)value >= item->valuedouble && (double)value <= item->valuedouble;
}

static int64_t member_int(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int required,
                          int64_t otherwise) {
    int64_t value = otherwise;
    const cJSON *item = member_typed(js, obj, key, cJSON_Number, cJSON_Number, required, "an integer");
    if (item && !item_integer(item, &value)) {
        json_wrong(js, node_in(obj), key, "an integer", "a fraction");
        return otherwise;
    }
    return value;
}

const struct sbx_json_node *sbx_json_member(const struct sbx_json_node *obj, const char *key) {
    return node_out(member_of(obj, key));
}

const char *sbx_json_string(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    const cJSON *item = member_typed(js, obj, key, cJSON_String, cJSON_String, 1, "a string");
    return item ? item->valuestring : NULL;
}

const char *sbx_json_opt_string(struct sbx_json *js, const struct sbx_json_node *obj, const char *key,
                                const char *otherwise) {
    const cJSON *item = member_typed(js, obj, key, cJSON_String, cJSON_String, 0, "a string");
    return item ? item->valuestring : otherwise;
}

const char *sbx_json_soft_string(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    const struct sbx_json_node *member = sbx_json_member(obj, key);
    return member && sbx_json_type(member) == SBX_JSON_STRING ? sbx_json_as_string(js, member) : "";
}

int64_t sbx_json_int(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    return member_int(js, obj, key, 1, 0);
}

int64_t sbx_json_opt_int(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int64_t otherwise) {
    return member_int(js, obj, key, 0, otherwise);
}

double sbx_json_opt_number(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, double otherwise) {
    const cJSON *item = member_typed(js, obj, key, cJSON_Number, cJSON_Number, 0, "a number");
    return item ? item->valuedouble : otherwise;
}

int sbx_json_bool(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    const cJSON *item = member_typed(js, obj, key, cJSON_True, cJSON_False, 1, "a boolean");
    return item && node_type(item) == cJSON_True;
}

int sbx_json_opt_bool(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int otherwise) {
    const cJSON *item = member_typed(js, obj, key, cJSON_True, cJSON_False, 0, "a boolean");
    return item ? node_type(item) == cJSON_True : otherwise;
}

const struct sbx_json_node *sbx_json_object(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    return node_out(member_typed(js, obj, key, cJSON_Object, cJSON_Object, 1, "an object"));
}

const struct sbx_json_node *sbx_json_opt_object(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    return node_out(member_typed(js, obj, key, cJSON_Object, cJSON_Object, 0, "an object"));
}

const struct sbx_json_node *sbx_json_array(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    return node_out(member_typed(js, obj, key, cJSON_Array, cJSON_Array, 1, "an array"));
}

const struct sbx_json_node *sbx_json_opt_array(struct sbx_json *js, const struct sbx_json_node *obj, const char *key) {
    return node_out(member_typed(js, obj, key, cJSON_Array, cJSON_Array, 0, "an array"));
}

/* ---- children and values ---- */

size_t sbx_json_count(const struct sbx_json_node *node) {
    size_t n = 0;
    for (const cJSON *child = node ? node_in(node)->child : NULL; child; child = child->next) n++;
    return n;
}

static const cJSON *child_read(const cJSON *child) {
    if (child) node_mark(child);
    return child;
}

const struct sbx_json_node *sbx_json_first(const struct sbx_json_node *node) {
    return node ? node_out(child_read(node_in(node)->child)) : NULL;
}

const struct sbx_json_node *sbx_json_next(const struct sbx_json_node *child) {
    return node_out(child_read(node_in(child)->next));
}

const char *sbx_json_key(const struct sbx_json_node *child) {
    return node_in(child)->string;
}

const char *sbx_json_as_string(struct sbx_json *js, const struct sbx_json_node *node) {
    if (node && node_type(node_in(node)) == cJSON_String) return node_in(node)->valuestring;
    json_wrong(js, node_in(node), NULL, "a string", json_found(node_in(node)));
    return NULL;
}

int64_t sbx_json_as_int(struct sbx_json *js, const struct sbx_json_node *node) {
    int64_t value = 0;
    if (node && node_type(node_in(node)) == cJSON_Number && item_integer(node_in(node), &value)) return value;
    json_wrong(js, node_in(node), NULL, "an integer", json_found(node_in(node)));
    return 0;
}

const struct sbx_json_node *sbx_json_as_object(struct sbx_json *js, const struct sbx_json_node *node) {
    if (node && node_type(node_in(node)) == cJSON_Object) return node;
    json_wrong(js, node_in(node), NULL, "an object", json_found(node_in(node)));
    return NULL;
}

void sbx_json_complain(struct sbx_json *js, const struct sbx_json_node *node, const char *key, const char *what) {
    json_wrong(js, node_in(node), key, what, NULL);
}

/* ---- what nobody read ---- */

static void unread_walk(const cJSON *item, char *path, size_t at, void (*each)(void *ctx, const char *path),
                        void *ctx) {
    int64_t index = 0;
    for (const cJSON *child = item->child; child; child = child->next, index++) {
        size_t deeper = at;
        path_step(path, &deeper, item, child, index);
        if (child->type & JSON_READ)
            unread_walk(child, path, deeper, each, ctx);
        else
            each(ctx, path);
        path[at] = 0;
    }
}

void sbx_json_unread(const struct sbx_json *js, void (*each)(void *ctx, const char *path), void *ctx) {
    char path[PATH_SIZE] = "$";
    if (js && js->root) unread_walk(js->root, path, 1, each, ctx);
}

void sbx_json_touch(const struct sbx_json_node *node) {
    if (!node) return;
    node_mark(node_in(node));
    for (const cJSON *child = node_in(node)->child; child; child = child->next) sbx_json_touch(node_out(child));
}

static void node_write(struct sbx_buf *buf, const cJSON *item, const char *key) {
    int64_t integer = 0;
    char digits[32];
    switch (node_type(item)) {
    case cJSON_True:
    case cJSON_False:
        sbx_json_put_bool(buf, key, node_type(item) == cJSON_True);
        return;
    case cJSON_String:
        sbx_json_put_string(buf, key, item->valuestring);
        return;
    case cJSON_Number:
        if (item_integer(item, &integer)) {
            sbx_json_put_int(buf, key, integer);
        } else {
            snprintf(digits, sizeof(digits), "%.17g", item->valuedouble);
            for (char *c = digits; *c; c++)
                if (*c == ',') *c = '.'; /* whatever the process's locale says */
            sbx_json_put_raw(buf, key, digits, strlen(digits));
        }
        return;
    case cJSON_Array:
        sbx_json_begin_array(buf, key);
        for (const cJSON *child = item->child; child; child = child->next) node_write(buf, child, NULL);
        sbx_json_end_array(buf);
        return;
    case cJSON_Object:
        sbx_json_begin_object(buf, key);
        for (const cJSON *child = item->child; child; child = child->next) node_write(buf, child, child->string);
        sbx_json_end_object(buf);
        return;
    default:
        sbx_json_put_null(buf, key);
        return;
    }
}

void sbx_json_write_node(struct sbx_buf *buf, const struct sbx_json_node *node) {
    node_write(buf, node_in(node), NULL);
}
