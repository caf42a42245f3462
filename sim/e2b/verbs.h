/* The control plane's verbs, a function a route. Each answers. */
#ifndef SIM_E2B_VERBS_H
#define SIM_E2B_VERBS_H

#include "sim/e2b/cloud.h"

void sim_e2b_serve_health(struct sim_e2b_call *call);
void sim_e2b_serve_create(struct sim_e2b_call *call);
void sim_e2b_serve_list(struct sim_e2b_call *call);
void sim_e2b_serve_get(struct sim_e2b_call *call);
void sim_e2b_serve_kill(struct sim_e2b_call *call);
void sim_e2b_serve_connect(struct sim_e2b_call *call);
void sim_e2b_serve_resume(struct sim_e2b_call *call);
void sim_e2b_serve_pause(struct sim_e2b_call *call);
void sim_e2b_serve_timeout(struct sim_e2b_call *call);
void sim_e2b_serve_refresh(struct sim_e2b_call *call);
void sim_e2b_serve_metrics(struct sim_e2b_call *call);
void sim_e2b_serve_logs(struct sim_e2b_call *call);
void sim_e2b_serve_network(struct sim_e2b_call *call);
void sim_e2b_serve_fork(struct sim_e2b_call *call);
void sim_e2b_serve_snapshot(struct sim_e2b_call *call);
void sim_e2b_serve_templates(struct sim_e2b_call *call);
void sim_e2b_serve_alias(struct sim_e2b_call *call);

/** The request's body as an object, {} when it is empty and may be (`needed` 0).
 *  @return NULL once it has been answered, or with *empty set when there is none */
const struct sbx_json_node *sim_e2b_body(struct sim_e2b_call *call, int needed, struct sbx_json **js, int *empty);
/** A lifetime in seconds that was asked for. @param least what is refused below it
 *  @return -1 once it has been answered */
int64_t sim_e2b_lifetime(struct sim_e2b_call *call, struct sbx_json *js, const struct sbx_json_node *root,
                         int64_t otherwise, int64_t least);
void sim_e2b_reply_empty(struct sim_e2b_call *call, int status);
/** Was anything wrong with the body that was read? Answers 400 then. */
int sim_e2b_body_refused(struct sim_e2b_call *call, const struct sbx_json *js);

#endif
