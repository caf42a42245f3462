/* Stopping. Row D16. */
#include "adapters/daytona/change.h"

enum sbx_status daytona_stop(void *self, struct sbx_identity *who, const struct sbx_stop_options *opt,
                             const struct sbx_call *call, struct sbx_error *err) {
    struct daytona *d = self;
    struct daytona_view view = {0};
    enum sbx_status st =
        daytona_change(d, DAYTONA_STOP, who->id, opt->force == SBX_YES ? "/stop?force=true" : "/stop?force=false",
                       DAYTONA_UNTIL_STOPPED, call, err);
    if (!st) st = daytona_wait_until(d, who->id, DAYTONA_UNTIL_STOPPED, call, &view, err);
    if (!st) who->state = view.is.id ? view.is.state : SBX_STATE_DESTROYED;
    daytona_view_finish(&view);
    return st;
}
