/* The body of a create: from a caller's options, or from the sandbox that is to be replaced. */
#ifndef ADAPTERS_DAYTONA_BODY_H
#define ADAPTERS_DAYTONA_BODY_H

#include "adapters/daytona/dto.h"

#include <sandport/kit/text.h>

/** A launch's options with the runtime's defaults and the provider options worked in. Texts are the options' own. */
struct daytona_launch {
    const struct sbx_launch_options *opt;
    char name[SBX_UUID_SIZE + SBX_ID_SIZE * 2]; /* the caller's, or the acquisition id in UUID form */
    const char *snapshot;                       /* NULL = Daytona's default */
    const char *target;
    int32_t auto_stop_min;
};

/** Checks what only Daytona can check and fills in defaults. Nothing is sent.
 *  @return SBX_INVALID_OPTIONS for a provider option, SBX_INVALID_ARGUMENT or SBX_UNSUPPORTED for the rest */
enum sbx_status daytona_launch_options(const struct daytona *d, const struct sbx_launch_options *opt,
                                       struct daytona_launch *out, struct sbx_error *err);

void daytona_body_of_launch(struct sbx_buf *body, const struct daytona_launch *launch);

/** Can a replacement be what `old` was? Not if Daytona does not say from what it was made, or its labels or
 * environment: then it would be another sandbox under the same handle.
 *  @return SBX_OK, or SBX_NOT_READY with what is missing in err->detail */
enum sbx_status daytona_replaceable(struct sbx_json *js, const struct daytona_dto *old, struct sbx_error *err);

/** What keeps: snapshot or build, labels, environment, user, intervals, volumes, network settings, region; a
 *  time-to-live begins anew. What does not: the name, files. */
void daytona_body_of_replacement(struct sbx_buf *body, struct sbx_json *js, const struct daytona_dto *old,
                                 const char *acquisition);

#endif
