/* Short names for ids: "sb-1" by order of creation, so that a timeline reads the same whatever the seed drew. */
#ifndef SIM_KIT_ALIAS_H
#define SIM_KIT_ALIAS_H

#include <sandport/kit/buf.h>

struct alias;

/** Zeroed is empty. */
struct sim_aliases {
    struct alias *by_text;
};

/** Gives `id`, and `name` if there is one, the next alias of the prefix. A name used again means its newest bearer.
 *  @return SBX_NO_MEMORY */
enum sbx_status sim_aliases_add(struct sim_aliases *aliases, const char *prefix, const char *id, const char *name);
/** NULL if there is none. Lent. */
const char *sim_aliases_find(const struct sim_aliases *aliases, const char *text, size_t len);
/** Appends `text` with every known id or name in it, as a whole word, replaced. */
void sim_aliases_replace(const struct sim_aliases *aliases, const char *text, struct sbx_buf *out);
void sim_aliases_finish(struct sim_aliases *aliases);

#endif
