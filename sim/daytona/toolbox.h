/* The way through the proxy to the daemon in a sandbox, and the daemon's handlers, a file a subject. */
#ifndef SIM_DAYTONA_TOOLBOX_H
#define SIM_DAYTONA_TOOLBOX_H

#include "sim/daytona/cloud.h"
#include "sim/daytona/session.h"

#include <sandport/kit/text.h>

/** Takes a request as far as the daemon, or answers as the hop does that stops it. */
void sim_day_toolbox_serve(struct sim_day_call *call);
/** Answers as a hop does whose daemon has gone since. @return 0 if the daemon is there */
int sim_day_toolbox_lost(struct sim_day_call *call);
/** The phases between reading and answering, for what changes nothing. @return 1 if the exchange has been dealt with */
int sim_day_toolbox_fault_read(struct sim_day_call *call);
/** How often the daemon sees this request: hops replay a body of known length up to 256 KiB when told to. */
int sim_day_toolbox_times(struct sim_day_call *call);
/** The body as a JSON object; NULL when it has been answered. */
const struct sbx_json_node *sim_day_toolbox_body(struct sim_day_call *call, struct sbx_json **js);

/* tb_dirs.c */
void sim_day_tb_home_dir(struct sim_day_call *call);
void sim_day_tb_version(struct sim_day_call *call);
void sim_day_tb_unsimulated(struct sim_day_call *call);

/* tb_session.c, tb_session_exec.c, tb_session_logs.c */
void sim_day_tb_session_create(struct sim_day_call *call);
void sim_day_tb_session_list(struct sim_day_call *call);
void sim_day_tb_session_get(struct sim_day_call *call);
void sim_day_tb_session_delete(struct sim_day_call *call);
void sim_day_tb_session_entrypoint(struct sim_day_call *call);
void sim_day_tb_session_exec(struct sim_day_call *call);
void sim_day_tb_session_command(struct sim_day_call *call);
void sim_day_tb_session_input(struct sim_day_call *call);
void sim_day_tb_session_logs(struct sim_day_call *call);
void sim_day_tb_session_entrypoint_logs(struct sim_day_call *call);
/** The session that the path names; NULL when its absence has been answered. */
struct sim_day_session *sim_day_tb_session(struct sim_day_call *call);
/** The same for the command. */
struct sim_day_command *sim_day_tb_command(struct sim_day_call *call, const struct sim_day_session *session);
/** A command as clients see it: its exit code once it has one, which is herewith noticed. */
void sim_day_tb_command_write(struct sim_day_command *cmd, struct sbx_buf *json);
/** Which shape of logs the client understands. */
enum sim_day_log_shape sim_day_tb_log_shape(const struct sim_day_call *call);
/** One stream of a log (0 = both) as a member, what is no UTF-8 becoming U+FFFD. */
void sim_day_tb_put_log(struct sbx_buf *json, const char *key, int stream, const struct sbx_buf *log);

/* tb_execute.c */
void sim_day_tb_execute(struct sim_day_call *call);
/* tb_code_run.c */
void sim_day_tb_code_run(struct sim_day_call *call);
/** A text of the sandbox's as a member, what is no UTF-8 becoming U+FFFD. */
void sim_day_put_text(struct sbx_buf *json, const char *key, const char *text);

/* tb_upload.c, tb_download.c, tb_files.c */
void sim_day_tb_bulk_upload(struct sim_day_call *call);
void sim_day_tb_upload(struct sim_day_call *call);
void sim_day_tb_bulk_download(struct sim_day_call *call);
void sim_day_tb_download(struct sim_day_call *call);
void sim_day_tb_info(struct sim_day_call *call);
void sim_day_tb_list(struct sim_day_call *call);
void sim_day_tb_folder(struct sim_day_call *call);
void sim_day_tb_move(struct sim_day_call *call);
void sim_day_tb_permissions(struct sim_day_call *call);
void sim_day_tb_delete(struct sim_day_call *call);

/* tb_search.c */
void sim_day_tb_find(struct sim_day_call *call);
void sim_day_tb_search(struct sim_day_call *call);
void sim_day_tb_replace(struct sim_day_call *call);

/** What the daemon answers for an errno of a file. */
struct sim_day_file_error {
    int status;
    const char *code;
    const char *message;
};
struct sim_day_file_error sim_day_file_error(int number);
/** Answers an errno. @return 1 if it did, 0 for errno 0 */
int sim_day_file_failed(struct sim_day_call *call, int number);

#endif
