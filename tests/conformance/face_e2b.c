/* E2B's adapter over the simulated cloud, on virtual time. */
#include "face_sim.h"

#include <sandport/e2b.h>

static const struct sim_face_request requests[] = {
    {"launch", "e2b.sandbox.create", "after_commit"},
    {"attach", "e2b.sandbox.get", "before"},
    {"find", "e2b.sandbox.list", "before"},
    {"count", "e2b.sandbox.list", "before"},
    {"capacity", "e2b.sandbox.list", "before"},
    {"info", "e2b.sandbox.get", "before"},
    {"exec_exact", "e2b.process.start", "after_commit"},
    {"exec_wire", "e2b.process.start", "after_commit"},
    {"exec_streamed", "e2b.process.start", "after_commit"},
    {"submit", "e2b.process.start", "after_commit"},
    {"poll", "e2b.process.start", "after_commit"},
    {"read_logs", "e2b.process.start", "after_commit"},
    {"kill_run", "e2b.process.start", "after_commit"},
    {"run_read", "e2b.process.start", "after_commit"},
    {"upload", "e2b.files.write", "after_commit"},
    {"download", "e2b.files.read", "after_commit"},
    {"home_dir", "e2b.process.start", "after_commit"},
    {"start", "e2b.sandbox.connect", "after_commit"},
    {"stop", "e2b.sandbox.pause", "after_commit"},
    {"destroy", "e2b.sandbox.kill", "after_commit"},
    {"reconcile", "e2b.sandbox.list", "before"},
    {"list_dir", "e2b.filesystem.list_dir", "after_commit"},
    {"stat", "e2b.filesystem.stat", "after_commit"},
    {"search_files", "e2b.process.start", "after_commit"},
    {"find_text", "e2b.process.start", "after_commit"},
    {"mkdir", "e2b.filesystem.make_dir", "after_commit"},
    {"remove", "e2b.filesystem.remove", "after_commit"},
    {"move", "e2b.filesystem.move", "after_commit"},
    {"set_permissions", "e2b.process.start", "after_commit"},
    {"replace_text", "e2b.process.start", "after_commit"},
    {"upload_files", "e2b.files.write", "after_commit"},
    {"upload_tree", "e2b.files.write", "after_commit"},
    {"download_tree", "e2b.files.read", "after_commit"},
    {NULL, NULL, NULL},
};

/* What the daemon has no call for. */
static const char *const by_command[] = {"search_files", "find_text", "set_permissions", "replace_text", NULL};

struct conformance_face *conformance_face_open(void) {
    struct conformance_face *face = sim_face_open(requests);
    struct sbx_e2b_options opt = SBX_E2B_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    opt.endpoint = SBX_SIM_E2B_ENDPOINT;
    opt.sandbox_url = SBX_SIM_E2B_SANDBOX_URL;
    opt.api_key = SBX_SIM_E2B_KEY;
    face->by_command = by_command;
    face->wire_exact = face->streamed_by_wire = face->wire_killed = 1;
    T_STATUS(sbx_e2b_create(&opt, face->env, &face->rt, &err), SBX_OK);
    return face;
}
