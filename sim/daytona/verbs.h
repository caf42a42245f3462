/* The handlers of the control plane's routes, a file a verb. */
#ifndef SIM_DAYTONA_VERBS_H
#define SIM_DAYTONA_VERBS_H

#include "sim/daytona/cloud.h"

/* create.c */
void sim_day_serve_create(struct sim_day_call *call);

/* quota.c */
/** Answers 400 if one sandbox asks for more than the `most` that one may have. @return 1 if it has answered */
int sim_day_quota_each_refused(struct sim_day_call *call, const char *what, const char *unit, int64_t asked,
                               int64_t most);
/** Answers 400 if `more` does not fit into what the account may still use. @return 1 if it has answered */
int sim_day_quota_refused(struct sim_day_call *call, const struct sim_day_usage *more);
/** Answers 403 for a suspended organisation. @return 1 if it has answered */
int sim_day_suspended(struct sim_day_call *call);

/* list.c, lookup.c */
void sim_day_serve_list(struct sim_day_call *call);
void sim_day_serve_list_pages(struct sim_day_call *call);
void sim_day_serve_get(struct sim_day_call *call);
void sim_day_serve_toolbox_url(struct sim_day_call *call);

/* lifecycle.c */
void sim_day_serve_start(struct sim_day_call *call);
void sim_day_serve_stop(struct sim_day_call *call);
void sim_day_serve_delete(struct sim_day_call *call);
void sim_day_serve_archive(struct sim_day_call *call);
void sim_day_serve_recover(struct sim_day_call *call);
void sim_day_serve_pause(struct sim_day_call *call);
void sim_day_serve_fork(struct sim_day_call *call);

/* settings.c */
void sim_day_serve_labels(struct sim_day_call *call);
void sim_day_serve_public(struct sim_day_call *call);
void sim_day_serve_autostop(struct sim_day_call *call);
void sim_day_serve_autoarchive(struct sim_day_call *call);
void sim_day_serve_autodelete(struct sim_day_call *call);
void sim_day_serve_autopause(struct sim_day_call *call);
void sim_day_serve_ttl(struct sim_day_call *call);
void sim_day_serve_activity(struct sim_day_call *call);
void sim_day_serve_network(struct sim_day_call *call);

/* snapshots.c */
void sim_day_serve_snapshots(struct sim_day_call *call);
void sim_day_serve_snapshot(struct sim_day_call *call);

/** Minutes after which a stopped sandbox is archived, 0 and too many being the most there is. */
int64_t sim_day_archive_minutes(int64_t minutes);
/** The phases between reading and answering, for what changes nothing. @return 1 if the exchange has been dealt with */
int sim_day_fault_read(struct sim_day_call *call);

#endif
