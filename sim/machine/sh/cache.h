/* Scripts that have been parsed. The same few texts start over and over - what exact exec wraps a command in, above all
 * - and reading them cost more than running them. What a text means to the parser depends on nothing but the text and
 * whether the shell is bash, so a tree can be run by any shell of any machine of the cloud; evaluating changes no tree.
 */
#ifndef SIM_MACHINE_SH_CACHE_H
#define SIM_MACHINE_SH_CACHE_H

#include "sim/machine/sh/sh.h"

struct sh_script;

/** What is known of the commands of a source that begins now; for sim_sh_script_close. NULL if it is not kept: it comes
 *  through a descriptor, is small or large, or memory is short. */
struct sh_script *sim_sh_script_open(struct sh *sh, const struct sh_source *src, void **handle);
void sim_sh_script_close(struct sh *sh, struct sh_script *script, void *handle);
/** As sim_sh_parse, for the command with number `n` from 0, which is parsed only if it never was; its arena is held
 *  under *handle. A NULL script is harmless. */
int sim_sh_script_parse(struct sh *sh, struct sh_script *script, size_t n, struct sh_source *src, struct sh_ast **ast,
                        void **handle, struct sh_node **node);
/** The shelf lets go of one. */
void sim_sh_script_release(struct sh_script *script);

#endif
