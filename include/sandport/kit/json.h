/* JSON, read with exact types and written in one pass. cJSON parses inside src/base/json.c and shows nowhere else.
 *
 * Reading keeps the first thing that was wrong: read every member needed, then ask sbx_json_status() once. Refused
 * before or while parsing: more than the given bytes, more than 64 levels, invalid UTF-8, an escaped NUL, duplicate
 * keys, numbers that are not exact (beyond 2^53 as integers, infinities), anything after the value. */
#ifndef SANDPORT_KIT_JSON_H
#define SANDPORT_KIT_JSON_H

#include <sandport/kit/buf.h>

#define SBX_JSON_BYTES_MAX (16u * 1024 * 1024) /* the default limit */
#define SBX_JSON_DEPTH_MAX 64

struct sbx_json;      /* a document and the first error met in reading it */
struct sbx_json_node; /* a value in it, lent */

enum sbx_json_type { SBX_JSON_NULL, SBX_JSON_BOOL, SBX_JSON_NUMBER, SBX_JSON_STRING, SBX_JSON_ARRAY, SBX_JSON_OBJECT };

#ifdef __cplusplus
extern "C" {
#endif

/** Parses a whole document. @param bytes_max 0 = SBX_JSON_BYTES_MAX
 *  @param out yours also on failure, so that sbx_json_error() can say why; NULL only when memory runs out
 *  @return SBX_OK, SBX_PROTOCOL or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_json_parse(const char *text, size_t len, size_t bytes_max,
                                                    struct sbx_json **out);
SBX_API void sbx_json_free(struct sbx_json *js);

SBX_API const struct sbx_json_node *sbx_json_root(const struct sbx_json *js);

/** SBX_PROTOCOL once anything read was not as expected. */
SBX_API SBX_MUST_USE enum sbx_status sbx_json_status(const struct sbx_json *js);

/** "expected string at $.items[3].id, found number"; "" while nothing was wrong. Holds member names of ours only where
 *  they were asked for, never a value. */
SBX_API const char *sbx_json_error(const struct sbx_json *js);

SBX_API enum sbx_json_type sbx_json_type(const struct sbx_json_node *node);

/* Members of an object. The plain forms want the member there and of that type, and note an error otherwise; the opt_
 * forms give `otherwise` for one that is absent or null. All accept a NULL node, and answer as if it were {}. */
SBX_API const char *sbx_json_string(struct sbx_json *js, const struct sbx_json_node *obj, const char *key);
SBX_API const char *sbx_json_opt_string(struct sbx_json *js, const struct sbx_json_node *obj, const char *key,
                                        const char *otherwise);
SBX_API int64_t sbx_json_int(struct sbx_json *js, const struct sbx_json_node *obj, const char *key);
SBX_API int64_t sbx_json_opt_int(struct sbx_json *js, const struct sbx_json_node *obj, const char *key,
                                 int64_t otherwise);
SBX_API double sbx_json_opt_number(struct sbx_json *js, const struct sbx_json_node *obj, const char *key,
                                   double otherwise);
SBX_API int sbx_json_bool(struct sbx_json *js, const struct sbx_json_node *obj, const char *key);
SBX_API int sbx_json_opt_bool(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int otherwise);
SBX_API const struct sbx_json_node *sbx_json_object(struct sbx_json *js, const struct sbx_json_node *obj,
                                                    const char *key);
SBX_API const struct sbx_json_node *sbx_json_opt_object(struct sbx_json *js, const struct sbx_json_node *obj,
                                                        const char *key);
SBX_API const struct sbx_json_node *sbx_json_array(struct sbx_json *js, const struct sbx_json_node *obj,
                                                   const char *key);
SBX_API const struct sbx_json_node *sbx_json_opt_array(struct sbx_json *js, const struct sbx_json_node *obj,
                                                       const char *key);

/** A member that only describes: "" when it is absent, null or of another type. */
SBX_API const char *sbx_json_soft_string(struct sbx_json *js, const struct sbx_json_node *obj, const char *key);

/** The member whatever its type, NULL if absent. */
SBX_API const struct sbx_json_node *sbx_json_member(const struct sbx_json_node *obj, const char *key);

/* Children in order, of an array or object. */
SBX_API size_t sbx_json_count(const struct sbx_json_node *node);
SBX_API const struct sbx_json_node *sbx_json_first(const struct sbx_json_node *node);
SBX_API const struct sbx_json_node *sbx_json_next(const struct sbx_json_node *child);
SBX_API const char *sbx_json_key(const struct sbx_json_node *child); /* NULL in an array */

/* The value of a node itself, with the type required; an error is noted otherwise. */
SBX_API const char *sbx_json_as_string(struct sbx_json *js, const struct sbx_json_node *node);
SBX_API int64_t sbx_json_as_int(struct sbx_json *js, const struct sbx_json_node *node);
SBX_API const struct sbx_json_node *sbx_json_as_object(struct sbx_json *js, const struct sbx_json_node *node);

/** Notes an error of the reader's own about a member: "expected <what> at <path>". The first one stays. */
SBX_API void sbx_json_complain(struct sbx_json *js, const struct sbx_json_node *node, const char *key,
                               const char *what);

/** Calls `each` with the path of every member that no call above has read, children of unread ones left out. */
SBX_API void sbx_json_unread(const struct sbx_json *js, void (*each)(void *ctx, const char *path), void *ctx);

/** Takes a member, and all below it, as read. */
SBX_API void sbx_json_touch(const struct sbx_json_node *node);

/** Writes a value of a document, compact, members in their order. */
SBX_API void sbx_json_write_node(struct sbx_buf *buf, const struct sbx_json_node *node);

/* Writing: each puts the comma that is due. `key` is NULL inside an array and for the outermost value. Text must be
 * valid UTF-8; NULL text writes null. */
SBX_API void sbx_json_begin_object(struct sbx_buf *buf, const char *key);
SBX_API void sbx_json_end_object(struct sbx_buf *buf);
SBX_API void sbx_json_begin_array(struct sbx_buf *buf, const char *key);
SBX_API void sbx_json_end_array(struct sbx_buf *buf);
SBX_API void sbx_json_put_string(struct sbx_buf *buf, const char *key, const char *value);
SBX_API void sbx_json_put_text(struct sbx_buf *buf, const char *key, const char *value, size_t len);
SBX_API void sbx_json_put_int(struct sbx_buf *buf, const char *key, int64_t value);
SBX_API void sbx_json_put_bool(struct sbx_buf *buf, const char *key, int value);
SBX_API void sbx_json_put_null(struct sbx_buf *buf, const char *key);
SBX_API void sbx_json_put_raw(struct sbx_buf *buf, const char *key, const char *json, size_t len);

#ifdef __cplusplus
}
#endif
#endif
