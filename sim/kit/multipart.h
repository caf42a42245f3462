/* multipart/form-data requests, taken apart as they come in. */
#ifndef SIM_KIT_MULTIPART_H
#define SIM_KIT_MULTIPART_H

#include <stddef.h>

struct sim_multipart;

/** Who takes the parts. */
struct sim_parts {
    void *ctx;
    /** A part begins. @param filename NULL if it has none */
    void (*begin)(void *ctx, const char *name, const char *filename);
    void (*data)(void *ctx, const void *data, size_t len);
    void (*end)(void *ctx);
};

/** @param content_type the header with the boundary. NULL if there is none, or when memory runs out */
struct sim_multipart *sim_multipart_new(const char *content_type, const struct sim_parts *parts);
void sim_multipart_free(struct sim_multipart *mp);
/** @return 0, or -1 once it is malformed */
int sim_multipart_feed(struct sim_multipart *mp, const void *data, size_t len);
/** Has the last boundary been seen? */
int sim_multipart_done(const struct sim_multipart *mp);

#endif
