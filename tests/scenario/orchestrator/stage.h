/* A runtime for workloads, whichever it is: each file of this folder that is called after one defines stage_open(). */
#ifndef TESTS_SCENARIO_ORCHESTRATOR_STAGE_H
#define TESTS_SCENARIO_ORCHESTRATOR_STAGE_H

#include "t.h"

#include <sandport/kit/ops.h>
#include <sandport/orchestrator.h>
#include <sandport/sandport.h>

struct stage {
    struct sbx_env *env;
    struct sbx_runtime *rt;
    int64_t (*left)(struct stage *stage); /* sandboxes that are there */
    void (*close)(struct stage *stage);
};

struct stage *stage_open(void);

#endif
