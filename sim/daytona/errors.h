/* Refusals in both dialects, of the control plane and of the toolbox. */
#ifndef SIM_DAYTONA_ERRORS_H
#define SIM_DAYTONA_ERRORS_H

#include "sim/daytona/cloud.h"

/** The control plane says no. @param code only the newer dialect shows it; NULL = none */
void sim_day_refuse(struct sim_day_call *call, int status, const char *code, const char *fmt, ...) SBX_PRINTF(4, 5);
/** 500, as when something broke inside. */
void sim_day_broken(struct sim_day_call *call);

/** The daemon says no. The older dialect puts the status's kind before the message; `code` NULL = the status's own. */
void sim_day_daemon_refuse(struct sim_day_call *call, int status, const char *code, const char *message);
/** The proxy says no on the way to the daemon, in the newer dialect if `coded`. */
void sim_day_proxy_refuse(struct sim_day_call *call, int coded, int status, const char *code, const char *message);
/** A file route of the older daemon answers the status alone. */
void sim_day_file_refuse(struct sim_day_call *call, int status, const char *code, const char *message);
/** A failure of session exec: the older daemon wraps it, so that only 500 and the text are left of it. */
void sim_day_exec_refuse(struct sim_day_call *call, int status, const char *code, const char *kind,
                         const char *message);
/** The envelope of a daemon's error, for the parts of a bulk download. */
void sim_day_daemon_error_write(struct sim_day_call *call, int status, const char *code, const char *message,
                                struct sbx_buf *json);
void sim_day_reply_empty(struct sim_day_call *call, int status);
const char *sim_day_reason_phrase(int status);
/** The body that goes with an error status, for faults that name none. */
void sim_day_error_body(struct sim_cloud *cloud, struct sim_http *x, int status, struct sbx_buf *json);

#endif
