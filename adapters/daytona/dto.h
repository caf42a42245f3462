/* Daytona's sandbox object, read. */
#ifndef ADAPTERS_DAYTONA_DTO_H
#define ADAPTERS_DAYTONA_DTO_H

#include "adapters/daytona/client.h"

/** What is needed of it; texts are lent by the document. */
struct daytona_dto {
    const struct sbx_json_node *node;
    const char *id;
    const char *name;
    const char *state_text;
    const char *desired_text;
    const char *toolbox_url; /* "" if it has none */
    const char *snapshot;
    const char *target;
    int32_t state; /* enum sbx_state */
};

/* ---- states.c ---- */

/** Daytona's word, in any case. An unknown one is SBX_STATE_UNKNOWN, never running. */
int32_t daytona_state_of(const char *word);
/** A set of enum sbx_state: a bit for each. */
uint32_t daytona_states_bits(const int32_t *states, size_t n);
/** May a sandbox that is listed with this word read as one of `wanted`? @param wanted 0 = all states */
int daytona_state_may_be(const char *word, uint32_t wanted);
/** The words to ask the list for, one after the other. @param at 0 at first
 *  @return NULL when there is no more; at once when the list is to be asked for all */
const char *daytona_states_ask(uint32_t wanted, size_t *at);

/* ---- dto.c ---- */

/** Reads one. Complains in js of an id or state that is missing or of another type. */
void daytona_dto_read(struct sbx_json *js, const struct sbx_json_node *node, struct daytona_dto *out);

/** A label's value, NULL if it has no such. */
const char *daytona_dto_label(struct sbx_json *js, const struct daytona_dto *dto, const char *name);

/** Has it every label of the query? */
int daytona_dto_matches(struct sbx_json *js, const struct daytona_dto *dto, const struct sbx_pair *labels, size_t n);

/** A copy for callers. @param work_dir "" if it was not asked @return NULL when memory runs out */
struct sbx_info *daytona_dto_info(struct daytona *d, struct sbx_json *js, const struct daytona_dto *dto,
                                  const char *work_dir);

/** Fills an identity. A toolbox address that a credential must not be sent to is refused.
 *  @return SBX_PROTOCOL with err->detail */
enum sbx_status daytona_dto_identity(const struct daytona *d, struct sbx_json *js, const struct daytona_dto *dto,
                                     struct sbx_identity *out, struct sbx_error *err);

/** The answer's JSON as one sandbox. */
enum sbx_status daytona_reply_dto(struct daytona_reply *reply, struct daytona_dto *dto, struct sbx_error *err);

#endif
