/* multipart/form-data requests, taken apart as they come in. */
#ifndef SIM_DAYTONA_MULTIPART_H
#define SIM_DAYTONA_MULTIPART_H

#include <stddef.h>

struct day_multipart;

/** Who takes the parts. */
struct day_parts {
    void *ctx;
    /** A part begins. @param filename NULL if it has none */
    void (*begin)(void *ctx, const char *name, const char *filename);
    void (*data)(void *ctx, const void *data, size_t len);
    void (*end)(void *ctx);
};

/** @param content_type the header with the boundary. NULL if there is none, or when memory runs out */
struct day_multipart *day_multipart_new(const char *content_type, const struct day_parts *parts);
void day_multipart_free(struct day_multipart *mp);
/** @return 0, or -1 once it is malformed */
int day_multipart_feed(struct day_multipart *mp, const void *data, size_t len);
/** Has the last boundary been seen? */
int day_multipart_done(const struct day_multipart *mp);

#endif
