/* The programs that the machine has. */
#include "sim/machine/awk/awk.h"
#include "sim/machine/tools/tools.h"

const struct sim_tool *const sim_tool_groups[] = {sim_tools_shell, sim_tools_cat,
                                                  sim_tools_cmp,   sim_tools_code,
                                                  sim_tools_copy,  sim_tools_cut,
                                                  sim_tools_date,  sim_tools_diff,
                                                  sim_tools_dir,   sim_tools_disk,
                                                  sim_tools_ends,  sim_tools_env,
                                                  sim_tools_expr,  sim_tools_find,
                                                  sim_tools_grep,  sim_tools_gzip,
                                                  sim_tools_hash,  sim_tools_ls,
                                                  sim_tools_make,  sim_tools_mode,
                                                  sim_tools_owner, sim_tools_paths,
                                                  sim_tools_proc,  sim_tools_ps,
                                                  sim_tools_rm,    sim_tools_sed,
                                                  sim_tools_seq,   sim_tools_sort,
                                                  sim_tools_stat,  sim_tools_system,
                                                  sim_tools_tar,   sim_tools_touch,
                                                  sim_tools_tr,    sim_tools_uniq,
                                                  sim_tools_wc,    sim_tools_xargs,
                                                  sim_tools_awk,   NULL};
