/* multipart/form-data requests, taken apart as they come in. */
#ifndef SIM_DAYTONA_MULTIPART_H
#define SIM_DAYTONA_MULTIPART_H

#include <stddef.h>

struct sim_day_multipart;

/** Who takes the parts. */
struct sim_day_parts {
    void *ctx;
    /** A part begins. @param filename NULL if it has none */
    void (*begin)(void *ctx, const char *name, const char *filename);
    void (*data)(void *ctx, const void *data, size_t len);
    void (*end)(void *ctx);
};

/** @param content_type the header with the boundary. NULL if there is none, or when memory runs out */
struct sim_day_multipart *sim_day_multipart_new(const char *content_type, const struct sim_day_parts *parts);
void sim_day_multipart_free(struct sim_day_multipart *mp);
/** @return 0, or -1 once it is malformed */
int sim_day_multipart_feed(struct sim_day_multipart *mp, const void *data, size_t len);
/** Has the last boundary been seen? */
int sim_day_multipart_done(const struct sim_day_multipart *mp);

#endif
