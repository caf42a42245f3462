/* What every launch of a pool begins with: its create parameters, copied. Row R20. */
#include "src/pool/launch.h"

#include "src/pool/piece.h"

#include <sandport/kit/fail.h>
#include <stdlib.h>

static enum sbx_status wrong(struct sbx_error *err, const char *member, const char *expected) {
    (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "launch.%s: expected %s", member, expected);
    return SBX_INVALID_ARGUMENT;
}

enum sbx_status sbx_pool_launch_check(const struct sbx_launch_options *opt, struct sbx_error *err) {
    if (opt->acquisition) return wrong(err, "acquisition", "none, each launch has its own");
    if (opt->name) return wrong(err, "name", "none, each launch has its own");
    if (opt->label_count) return wrong(err, "labels", "none, they come with the request");
    if (opt->env_count) return wrong(err, "env", "none, it comes with the request");
    if (opt->volume_count && !opt->volumes) return wrong(err, "volumes", "as many as the count says");
    if (opt->port_count) return wrong(err, "ports", "none, they come with the request");
    if (opt->provider_option_count && !opt->provider_options)
        return wrong(err, "provider_options", "as many as the count says");
    for (size_t i = 0; i < opt->provider_option_count; i++)
        if (!opt->provider_options[i].name || !opt->provider_options[i].value)
            return wrong(err, "provider_options", "a name and a value in every one");
    return SBX_OK;
}

static void texts_copy(struct piece *piece, struct sbx_launch_options *to, const struct sbx_launch_options *from) {
    to->snapshot = sbx_piece_text(piece, from->snapshot);
    to->target = sbx_piece_text(piece, from->target);
    to->network_allow_list = sbx_piece_text(piece, from->network_allow_list);
    to->domain_allow_list = sbx_piece_text(piece, from->domain_allow_list);
    to->volumes = sbx_piece_volumes(piece, from->volumes, from->volume_count);
    to->provider_options = sbx_piece_pairs(piece, from->provider_options, from->provider_option_count);
}

void *sbx_pool_launch_copy(struct sbx_launch_options *to, const struct sbx_launch_options *from) {
    struct piece piece = {0};
    *to = *from;
    texts_copy(&piece, to, from);
    char *memory = calloc(1, piece.bytes + 1);
    if (!memory) return NULL;
    piece.at = memory;
    texts_copy(&piece, to, from);
    return memory;
}
