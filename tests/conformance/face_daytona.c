/* Daytona's adapter over the simulated cloud, on virtual time. */
#include "face_sim.h"

#include <sandport/daytona.h>

static const struct sim_face_request requests[] = {
    {"launch", "daytona.sandbox.create", "after_commit"},
    {"launch_detached", "daytona.sandbox.create", "after_commit"},
    {"attach", "daytona.sandbox.get", "before"},
    {"find", "daytona.sandbox.list", "before"},
    {"count", "daytona.sandbox.list", "before"},
    {"capacity", "daytona.sandbox.list", "before"},
    {"info", "daytona.sandbox.get", "before"},
    {"exec_exact", "daytona.toolbox.execute", "after_commit"},
    {"exec_wire", "daytona.toolbox.execute", "after_commit"},
    {"exec_streamed", "daytona.toolbox.execute", "after_commit"},
    {"submit", "daytona.toolbox.execute", "after_commit"},
    {"poll", "daytona.toolbox.execute", "after_commit"},
    {"read_logs", "daytona.toolbox.execute", "after_commit"},
    {"kill_run", "daytona.toolbox.execute", "after_commit"},
    {"run_read", "daytona.toolbox.execute", "after_commit"},
    {"session_open", "daytona.toolbox.session.create", "after_commit"},
    {"session_exec", "daytona.toolbox.session.exec", "after_commit"},
    {"session_close", "daytona.toolbox.session.delete", "after_commit"},
    {"upload", "daytona.toolbox.upload", "after_commit"},
    {"download", "daytona.toolbox.download", "after_commit"},
    {"home_dir", "daytona.toolbox.home_dir", "before"},
    {"start", "daytona.sandbox.start", "after_commit"},
    {"stop", "daytona.sandbox.stop", "after_commit"},
    {"destroy", "daytona.sandbox.delete", "after_commit"},
    {"reconcile", "daytona.sandbox.list", "before"},
    {"list_dir", "daytona.toolbox.list", "before"},
    {"stat", "daytona.toolbox.info", "before"},
    {"search_files", "daytona.toolbox.search", "before"},
    {"find_text", "daytona.toolbox.find", "before"},
    {"mkdir", "daytona.toolbox.folder", "after_commit"},
    {"remove", "daytona.toolbox.delete", "after_commit"},
    {"move", "daytona.toolbox.move", "after_commit"},
    {"set_permissions", "daytona.toolbox.permissions", "after_commit"},
    {"replace_text", "daytona.toolbox.replace", "after_commit"},
    {"upload_files", "daytona.toolbox.upload", "after_commit"},
    {"upload_tree", "daytona.toolbox.upload", "after_commit"},
    {"download_tree", "daytona.toolbox.download", "after_commit"},
    {NULL, NULL, NULL},
};

struct conformance_face *conformance_face_open(void) {
    struct conformance_face *face = sim_face_open(requests);
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_error err = SBX_ERROR_INIT;
    opt.endpoint = SBX_SIM_DAYTONA_ENDPOINT;
    opt.api_key = SBX_SIM_DAYTONA_KEY;
    T_STATUS(sbx_daytona_create(&opt, face->env, &face->rt, &err), SBX_OK);
    return face;
}
