/* multipart/form-data: a body for an upload, read piece by piece, and a decoder for an answer, fed piece by piece. Row
 * P8. */
#ifndef SANDPORT_KIT_MULTIPART_H
#define SANDPORT_KIT_MULTIPART_H

#include <sandport/kit/env.h>

#define SBX_MULTIPART_BOUNDARY_SIZE 71 /* RFC 2046 allows 70 characters */

/** The body that uploads files: for each a part that names its path, then a part with its bytes; or of one file alone.
 */
struct sbx_multipart_upload;

/** One file of it: as the parameters of sbx_multipart_upload_create(). */
struct sbx_multipart_file {
    const char *path;
    const struct sbx_reader *from;
};

/** Takes an answer apart. */
struct sbx_multipart_decoder;

/** What a part says of itself. Texts are never NULL and valid during the call. */
struct sbx_multipart_part {
    size_t size;
    const char *name;
    const char *filename;     /* decoded, from filename* where there is one */
    const char *content_type; /* "" if not said */
    int64_t content_length;   /* -1 if not said */
};

/** Who takes the parts. Each returns 0 to go on; anything else ends it as SBX_STREAM. */
struct sbx_multipart_sink {
    size_t size;
    void *ctx;
    int (*part)(void *ctx, const struct sbx_multipart_part *part);
    int (*data)(void *ctx, const void *data, size_t len); /* of the part that began last */
    int (*end)(void *ctx);                                /* the part is whole */
};

#ifdef __cplusplus
extern "C" {
#endif

/** @param path where the file shall be; not empty, no space or line break at either end (servers trim it), no / at its
 * end
 *  @param from lent until the upload is freed
 *  @return SBX_INVALID_ARGUMENT for such a path, SBX_NO_MEMORY, or what env->random said */
SBX_API SBX_MUST_USE enum sbx_status sbx_multipart_upload_create(struct sbx_env *env, const char *path,
                                                                 const struct sbx_reader *from,
                                                                 struct sbx_multipart_upload **out);
/** Of many files, in that order. @param files copied; paths and readers lent until the upload is freed */
SBX_API SBX_MUST_USE enum sbx_status sbx_multipart_upload_create_many(struct sbx_env *env,
                                                                      const struct sbx_multipart_file *files,
                                                                      size_t count, struct sbx_multipart_upload **out);
/** A form of one file, for a server that is told the path elsewhere: its only part has that name, and as its file name
 *  the path's last name, with an underscore for all that would need escaping.
 *  @param from lent until the upload is freed, and so is `name` @param path not empty */
SBX_API SBX_MUST_USE enum sbx_status sbx_multipart_upload_create_part(struct sbx_env *env, const char *name,
                                                                      const char *path, const struct sbx_reader *from,
                                                                      struct sbx_multipart_upload **out);
SBX_API void sbx_multipart_upload_free(struct sbx_multipart_upload *upload);

/** "multipart/form-data; boundary=...". Lent. */
SBX_API const char *sbx_multipart_upload_content_type(const struct sbx_multipart_upload *upload);

/** Reads the body, once. Memory stays constant; an abort of the file's reader is handed on. Valid while the upload is.
 */
SBX_API struct sbx_reader sbx_multipart_upload_reader(struct sbx_multipart_upload *upload);

/** The boundary that a Content-Type names. @param out SBX_MULTIPART_BOUNDARY_SIZE bytes @return 0 if it is no multipart
 * one */
SBX_API int sbx_multipart_boundary(const char *content_type, char *out);

/** @param sink copied; all three functions must be there @return NULL when memory runs out */
SBX_API struct sbx_multipart_decoder *sbx_multipart_decoder_create(const char *boundary,
                                                                   const struct sbx_multipart_sink *sink);
SBX_API void sbx_multipart_decoder_free(struct sbx_multipart_decoder *decoder);

/** Takes the next bytes; where they are cut makes no difference. After a failure the same failure comes again.
 *  A part that gives its length has exactly so many bytes, whatever they look like.
 *  @return SBX_OK, SBX_PROTOCOL, SBX_STREAM or SBX_NO_MEMORY */
SBX_API SBX_MUST_USE enum sbx_status sbx_multipart_feed(struct sbx_multipart_decoder *decoder, const void *data,
                                                        size_t len);

/** After the last byte. @return SBX_OK only if the final boundary came, SBX_PROTOCOL if it is missing, or the failure
 * before */
SBX_API SBX_MUST_USE enum sbx_status sbx_multipart_finish(struct sbx_multipart_decoder *decoder);

#ifdef __cplusplus
}
#endif
#endif
