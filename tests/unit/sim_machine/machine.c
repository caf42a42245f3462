/* The machine itself: runs and their ends, limits, files from outside. */
#include "rig.h"

static void a_run_gives_output_and_code(void) {
    struct rig rig;
    struct rig_result r;
    rig_start(&rig, NULL);
    rig_sh(&rig, "echo out; echo err >&2; exit 7", &r);
    T_STATUS(r.waited, SBX_OK);
    T_STR(sbx_buf_text(&r.out), "out\n");
    T_STR(sbx_buf_text(&r.err), "err\n");
    T_EQ(r.code, 7);
    rig_result_finish(&r);
    rig_finish(&rig);
}

T_CASES(T_CASE(a_run_gives_output_and_code))
