/* Deleting, and being sure of it. Rows P10, D16.
 *
 * Gone is what a read says, not what DELETE answers. */
#include "adapters/daytona/change.h"

enum sbx_status daytona_delete(struct daytona *d, const char *id, const struct sbx_call *call, struct sbx_error *err) {
    struct daytona_view view = {0};
    enum sbx_status st = daytona_change(d, DAYTONA_DELETE, id, "", DAYTONA_UNTIL_GONE, call, err);
    if (!st) st = daytona_wait_until(d, id, DAYTONA_UNTIL_GONE, call, &view, err);
    daytona_view_finish(&view);
    return st;
}

enum sbx_status daytona_destroy(void *self, const struct sbx_identity *who, const struct sbx_call *call,
                                struct sbx_error *err) {
    return daytona_delete(self, who->id, call, err);
}
