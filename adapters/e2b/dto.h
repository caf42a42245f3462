/* E2B's sandbox object, read: as a create or connect answers it, as a read does, as a list does. */
#ifndef ADAPTERS_E2B_DTO_H
#define ADAPTERS_E2B_DTO_H

#include "adapters/e2b/client.h"

/** What is needed of it; texts are lent by the document. */
struct e2b_dto {
    const struct sbx_json_node *node;
    const char *id;
    const char *template_id;
    const char *state_text; /* "" in the answer to a create or connect, which is of a running one */
    const char *domain;     /* "" = the account's own */
    const char *token;      /* "" = none is wanted */
    const char *software;   /* the daemon's version; "" = not said */
    int64_t end_ms;         /* when it ends, in wall time; 0 if not said */
    int32_t state;          /* enum sbx_state */
};

/* ---- states.c ---- */

/** E2B's word. An unknown one is SBX_STATE_UNKNOWN, never running. */
int32_t e2b_state_of(const char *word);
/** A set of enum sbx_state: a bit for each. */
uint32_t e2b_states_bits(const int32_t *states, size_t n);
/** "running,paused": what to ask the list for. @param wanted 0 = all @return NULL if no sandbox of E2B's can be in any
 */
const char *e2b_states_ask(uint32_t wanted);

/* ---- software.c ---- */

/** Is the daemon of that version or newer? One whose version is not said, or is none, is taken for older. Pure. */
int e2b_software_since(const char *software, int64_t major, int64_t minor, int64_t patch);

/* ---- dto.c ---- */

/** Reads one. Complains in js of an id that is missing or cannot be one, and of members of another type.
 *  @param made of the answer to a create or connect */
void e2b_dto_read(struct sbx_json *js, const struct sbx_json_node *node, int made, struct e2b_dto *out);

/** A label's value, NULL if it has no such. */
const char *e2b_dto_label(struct sbx_json *js, const struct e2b_dto *dto, const char *name);

/** Has it every label of the query? */
int e2b_dto_matches(struct sbx_json *js, const struct e2b_dto *dto, const struct sbx_pair *labels, size_t n);

/** A copy for callers. @return NULL when memory runs out */
struct sbx_info *e2b_dto_info(struct e2b *e, struct sbx_json *js, const struct e2b_dto *dto);

/** Fills an identity with what reaches the sandbox.
 *  @return SBX_PROTOCOL with err->detail for a domain or token that cannot be one */
enum sbx_status e2b_dto_identity(const struct e2b *e, struct sbx_json *js, const struct e2b_dto *dto,
                                 struct sbx_identity *out, struct sbx_error *err);

/** The answer's JSON as one sandbox. */
enum sbx_status e2b_reply_dto(struct e2b_reply *reply, int made, struct e2b_dto *dto, struct sbx_error *err);

/** Milliseconds since 1970 of "2026-06-01T10:00:00.123456789Z"; 0 if it is no such stamp. */
int64_t e2b_stamp_ms(const char *text);

#endif
