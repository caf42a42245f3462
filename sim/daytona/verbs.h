/* The handlers of the control plane's routes, a file a verb. */
#ifndef SIM_DAYTONA_VERBS_H
#define SIM_DAYTONA_VERBS_H

#include "sim/daytona/cloud.h"

/* create.c */
void day_serve_create(struct day_call *call);

/* quota.c */
/** Answers 400 if one sandbox asks for more than the `most` that one may have. @return 1 if it has answered */
int day_quota_each_refused(struct day_call *call, const char *what, const char *unit, int64_t asked, int64_t most);
/** Answers 400 if `more` does not fit into what the account may still use. @return 1 if it has answered */
int day_quota_refused(struct day_call *call, const struct day_usage *more);
/** Answers 403 for a suspended organisation. @return 1 if it has answered */
int day_suspended(struct day_call *call);

/* list.c, lookup.c */
void day_serve_list(struct day_call *call);
void day_serve_list_pages(struct day_call *call);
void day_serve_get(struct day_call *call);
void day_serve_toolbox_url(struct day_call *call);

/* lifecycle.c */
void day_serve_start(struct day_call *call);
void day_serve_stop(struct day_call *call);
void day_serve_delete(struct day_call *call);
void day_serve_archive(struct day_call *call);
void day_serve_recover(struct day_call *call);
void day_serve_pause(struct day_call *call);
void day_serve_fork(struct day_call *call);

/* settings.c */
void day_serve_labels(struct day_call *call);
void day_serve_public(struct day_call *call);
void day_serve_autostop(struct day_call *call);
void day_serve_autoarchive(struct day_call *call);
void day_serve_autodelete(struct day_call *call);
void day_serve_autopause(struct day_call *call);
void day_serve_ttl(struct day_call *call);
void day_serve_activity(struct day_call *call);
void day_serve_network(struct day_call *call);

/* snapshots.c */
void day_serve_snapshots(struct day_call *call);
void day_serve_snapshot(struct day_call *call);

/** Minutes after which a stopped sandbox is archived, 0 and too many being the most there is. */
int64_t day_archive_minutes(int64_t minutes);
/** The phases between reading and answering, for what changes nothing. @return 1 if the exchange has been dealt with */
int day_fault_read(struct day_call *call);

#endif
