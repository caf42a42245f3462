/* A disk that comes back as it was: what was written since the first pause is not there after a later resume. It was
 * seen in the field; whoever needs a file looks for it. Row V2. */
#include "sim/e2b/sandbox.h"

#include <string.h>

#define DISK_DEPTH 16

/* Names, each with its NUL: files come and go while they are walked over. */
static void disk_note(void *ctx, const char *name) {
    sbx_buf_append(ctx, name, strlen(name) + 1);
}

static int disk_is_empty(struct sim_e2b_sandbox *sb, const char *dir) {
    struct sbx_buf names = SBX_BUF_INIT;
    const int empty = !sim_list(sb->machine, dir, disk_note, &names) && !names.len && !names.failed;
    sbx_buf_finish(&names);
    return empty;
}

static void disk_roll_back(struct sim_e2b_sandbox *sb, const char *dir, int depth) {
    struct sbx_buf names = SBX_BUF_INIT, path = SBX_BUF_INIT;
    if (sim_list(sb->machine, dir, disk_note, &names)) goto done;
    for (size_t at = 0; at < names.len; at += strlen(names.data + at) + 1) {
        struct sim_stat st;
        sbx_buf_clear(&path);
        sbx_buf_printf(&path, "%s/%s", dir, names.data + at);
        if (path.failed || sim_stat(sb->machine, path.data, 0, &st)) continue;
        if (st.type == 'd' && depth > 0) disk_roll_back(sb, path.data, depth - 1);
        if (st.mtime_ns <= sb->first_pause_ns) continue;
        if (st.type == 'f') (void)sim_unlink(sb->machine, path.data, 0);
        if (st.type == 'd' && disk_is_empty(sb, path.data)) (void)sim_unlink(sb->machine, path.data, 1);
    }
done:
    sbx_buf_finish(&names);
    sbx_buf_finish(&path);
}

int sim_e2b_sandbox_roll_back(struct sim_e2b_sandbox *sb) {
    if (!sb->machine || !sb->first_pause_ns) return 0;
    disk_roll_back(sb, sim_machine_home(sb->machine), DISK_DEPTH);
    return 1;
}
