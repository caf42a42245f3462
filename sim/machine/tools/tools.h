/* What tools ask of one another, and the groups of them that list.c puts together: each is in the file of its name. */
#ifndef SIM_MACHINE_TOOLS_TOOLS_H
#define SIM_MACHINE_TOOLS_TOOLS_H

#include "sim/machine/tool.h"

/** A mode as chmod takes it, octal or of letters, from an old one. @return 0 if it is none */
int sim_tool_mode(const char *text, uint32_t old, int is_dir, uint32_t umask, uint32_t *out);
/** "-rw-r--r--" */
void sim_file_mode(const struct sim_fs_node *node, char out[11]);
/** "4.9K"; in scratch memory. */
const char *sim_tool_human(struct sim_proc *p, int64_t bytes);
int64_t sim_file_size_shown(const struct sim_fs_node *node); /* a directory has one block */
/** Names of the users that there are: root, the machine's own, nobody. */
const char *sim_user_name(const struct sim_proc *p, int64_t id);
int64_t sim_user_id(const struct sim_proc *p, const char *name); /* -1: none */

extern const struct sim_tool sim_tools_cat[], sim_tools_cmp[], sim_tools_code[], sim_tools_copy[], sim_tools_cut[],
    sim_tools_date[], sim_tools_diff[], sim_tools_dir[], sim_tools_disk[], sim_tools_ends[], sim_tools_env[],
    sim_tools_expr[], sim_tools_find[], sim_tools_grep[], sim_tools_gzip[], sim_tools_hash[], sim_tools_ls[],
    sim_tools_make[], sim_tools_mode[], sim_tools_owner[], sim_tools_paths[], sim_tools_proc[], sim_tools_ps[],
    sim_tools_rm[], sim_tools_sed[], sim_tools_seq[], sim_tools_shell[], sim_tools_sort[], sim_tools_stat[],
    sim_tools_system[], sim_tools_tar[], sim_tools_touch[], sim_tools_tr[], sim_tools_uniq[], sim_tools_wc[],
    sim_tools_xargs[];

#endif
