/* The clouds that are measured, each by its adapter. */
#ifndef BENCH_CLOUDS_H
#define BENCH_CLOUDS_H

#include "rig.h"

#include <sandport/sandport.h>

struct bench_cloud {
    const char *name;
    enum sbx_status (*open)(const struct bench_server *server, struct sbx_env *env, struct sbx_runtime **out);
};

#define BENCH_CLOUDS 2
extern const struct bench_cloud bench_clouds[BENCH_CLOUDS];

#endif
