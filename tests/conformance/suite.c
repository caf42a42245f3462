/* The cases: each operation of the port under each condition, and what is not declared. Rows P1, P5, P7-P12. */
#include "exactness.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define CASE(operation, name, condition)                                                                               \
    static void operation##__##name(void) {                                                                            \
        conformance_case(&op_##operation, condition);                                                                  \
    }
#define CASES(operation)                                                                                               \
    CASES_OF_ANY_SIZE(operation)                                                                                       \
    CASE(operation, oversize, OVERSIZE)
/* An answer that is a file: any size of it is right. */
#define CASES_OF_ANY_SIZE(operation)                                                                                   \
    CASE(operation, happy, HAPPY)                                                                                      \
    CASE(operation, cancel, CANCEL)                                                                                    \
    CASE(operation, deadline, DEADLINE)                                                                                \
    CASE(operation, http_502, HTTP_502)                                                                                \
    CASE(operation, reset, RESET)

CASES(launch)
CASES(launch_detached)
CASES(attach)
CASES(find)
CASES(count)
CASES(capacity)
CASES(info)
CASES(exec_exact)
CASES(exec_wire)
CASES(exec_streamed)
CASES(submit)
CASES(poll)
CASES(read_logs)
CASES(kill_run)
CASES(run_read)
CASES(session_open)
CASES(session_exec)
CASES(session_close)
CASES(upload)
CASES_OF_ANY_SIZE(download)
CASES(home_dir)
CASES(start)
CASES(stop)
CASES(destroy)
CASES(reconcile)

#define FILE_CASES(operation)                                                                                          \
    CASES(operation)                                                                                                   \
    CASE(operation, nul, NUL)

FILE_CASES(list_dir)
FILE_CASES(stat)
FILE_CASES(search_files)
FILE_CASES(find_text)
FILE_CASES(mkdir)
FILE_CASES(remove)
FILE_CASES(move)
FILE_CASES(set_permissions)
FILE_CASES(replace_text)
FILE_CASES(upload_files)
FILE_CASES(upload_tree)
FILE_CASES(download_tree)

const struct operation *const operations[] = {
    &op_launch,
    &op_launch_detached,
    &op_attach,
    &op_find,
    &op_count,
    &op_capacity,
    &op_info,
    &op_exec_exact,
    &op_exec_wire,
    &op_exec_streamed,
    &op_submit,
    &op_poll,
    &op_read_logs,
    &op_kill_run,
    &op_run_read,
    &op_session_open,
    &op_session_exec,
    &op_session_close,
    &op_upload,
    &op_download,
    &op_home_dir,
    &op_start,
    &op_stop,
    &op_destroy,
    &op_reconcile,
    &op_list_dir,
    &op_stat,
    &op_search_files,
    &op_find_text,
    &op_mkdir,
    &op_remove,
    &op_move,
    &op_set_permissions,
    &op_replace_text,
    &op_upload_files,
    &op_upload_tree,
    &op_download_tree,
    NULL,
};

/* What a command wrote and how it ended, by each way of running one. */

#define BYTES(way, prefix, name)                                                                                       \
    static void prefix##__##name(void) {                                                                               \
        exactness_##name(way);                                                                                         \
    }
#define WAY(way, prefix)                                                                                               \
    BYTES(way, prefix, nul)                                                                                            \
    BYTES(way, prefix, invalid_utf8)                                                                                   \
    BYTES(way, prefix, no_final_newline)                                                                               \
    BYTES(way, prefix, empty)                                                                                          \
    BYTES(way, prefix, at_the_limit)                                                                                   \
    BYTES(way, prefix, above_the_limit)                                                                                \
    BYTES(way, prefix, interleaved)                                                                                    \
    BYTES(way, prefix, exit_0)                                                                                         \
    BYTES(way, prefix, exit_3)                                                                                         \
    BYTES(way, prefix, exit_255)                                                                                       \
    BYTES(way, prefix, killed)                                                                                         \
    BYTES(way, prefix, timed_out)

WAY(EXACT, exact)
WAY(WIRE, wire)
WAY(STREAMED, streamed)
WAY(SESSION, session)
WAY(RUN, run)

/* Before anything is sent: an end that has come already, and what is not declared. */

static void what_is_over_is_not_begun(void) {
    struct scene *s = scene_open(1);
    struct sbx_cancel *cancel = sbx_cancel_create(s->env);
    T_TRUE(cancel);
    sbx_cancel_fire(cancel);
    s->call.cancel = cancel;
    s->command = "echo x >>count";
    int64_t before = s->face->requests(s->face);
    for (size_t i = 0; operations[i]; i++) {
        if (!scene_declares(s, operations[i]->caps) || strncmp(operations[i]->name, "run_", 4) == 0) continue;
        T_STATUS(operations[i]->run(s), SBX_CANCELLED);
        T_EQ(s->err.outcome, SBX_OUTCOME_NOT_SENT);
        T_EQ(s->face->requests(s->face), before);
    }
    sbx_cancel_free(cancel);
    scene_close(s);
}

static void what_is_not_declared_is_refused(void) {
    static const int32_t port = 80;
    static const struct sbx_volume volume = {.size = sizeof(volume), .volume = "v", .mount_path = "/v"};
    static const struct {
        uint64_t cap;
        struct sbx_launch_options opt;
    } rows[] = {
        {SBX_CAP_PORTS, {.size = sizeof(rows[0].opt), .ports = &port, .port_count = 1}},
        {SBX_CAP_LAUNCH_RESOURCES, {.size = sizeof(rows[0].opt), .cpu = 1}},
        {SBX_CAP_LAUNCH_RESOURCES, {.size = sizeof(rows[0].opt), .memory_mib = 1}},
        {SBX_CAP_LAUNCH_RESOURCES, {.size = sizeof(rows[0].opt), .disk_mib = 1}},
        {SBX_CAP_LAUNCH_NETWORK, {.size = sizeof(rows[0].opt), .network_block_all = SBX_YES}},
        {SBX_CAP_LAUNCH_VOLUMES, {.size = sizeof(rows[0].opt), .volumes = &volume, .volume_count = 1}},
        {SBX_CAP_LAUNCH_INTERVALS, {.size = sizeof(rows[0].opt), .ttl_min = 1}},
    };
    struct scene *s = scene_open(1);
    int64_t before = s->face->requests(s->face);
    int refused = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (scene_declares(s, rows[i].cap)) continue;
        T_STATUS(sbx_runtime_launch(s->rt, &rows[i].opt, NULL, &s->made, &s->err), SBX_UNSUPPORTED);
        T_EQ(s->err.outcome, SBX_OUTCOME_NOT_SENT);
        refused++;
    }
    for (size_t i = 0; operations[i]; i++) {
        if (scene_declares(s, operations[i]->caps)) continue;
        T_STATUS(operations[i]->run(s), SBX_UNSUPPORTED);
        T_EQ(s->err.outcome, SBX_OUTCOME_NOT_SENT);
        refused++;
    }
    T_TRUE(refused > 0);
    T_EQ(s->face->requests(s->face), before);
    scene_close(s);
}

/* What an adapter cannot be put into is known, has a reason, and is among what there is. */
static void what_it_cannot_be_put_into(void) {
    struct scene *s = scene_open(0);
    for (const struct conformance_cannot *c = s->face->cannot; c->operation; c++) {
        int known = strcmp(c->operation, "*") == 0;
        for (size_t i = 0; operations[i]; i++) known |= strcmp(operations[i]->name, c->operation) == 0;
        T_TRUE(known && c->condition < CONDITION_COUNT && c->why && strlen(c->why) > 20);
        printf("%s, %s: %s\n", c->operation, condition_name(c->condition), c->why);
    }
    scene_close(s);
}

T_CASES(T_CASE(launch__happy), T_CASE(launch__cancel), T_CASE(launch__deadline), T_CASE(launch__http_502),
        T_CASE(launch__reset), T_CASE(launch__oversize), T_CASE(launch_detached__happy),
        T_CASE(launch_detached__cancel), T_CASE(launch_detached__deadline), T_CASE(launch_detached__http_502),
        T_CASE(launch_detached__reset), T_CASE(launch_detached__oversize), T_CASE(attach__happy),
        T_CASE(attach__cancel), T_CASE(attach__deadline), T_CASE(attach__http_502), T_CASE(attach__reset),
        T_CASE(attach__oversize), T_CASE(find__happy), T_CASE(find__cancel), T_CASE(find__deadline),
        T_CASE(find__http_502), T_CASE(find__reset), T_CASE(find__oversize), T_CASE(count__happy),
        T_CASE(count__cancel), T_CASE(count__deadline), T_CASE(count__http_502), T_CASE(count__reset),
        T_CASE(count__oversize), T_CASE(capacity__happy), T_CASE(capacity__cancel), T_CASE(capacity__deadline),
        T_CASE(capacity__http_502), T_CASE(capacity__reset), T_CASE(capacity__oversize), T_CASE(info__happy),
        T_CASE(info__cancel), T_CASE(info__deadline), T_CASE(info__http_502), T_CASE(info__reset),
        T_CASE(info__oversize), T_CASE(exec_exact__happy), T_CASE(exec_exact__cancel), T_CASE(exec_exact__deadline),
        T_CASE(exec_exact__http_502), T_CASE(exec_exact__reset), T_CASE(exec_exact__oversize), T_CASE(exec_wire__happy),
        T_CASE(exec_wire__cancel), T_CASE(exec_wire__deadline), T_CASE(exec_wire__http_502), T_CASE(exec_wire__reset),
        T_CASE(exec_wire__oversize), T_CASE(exec_streamed__happy), T_CASE(exec_streamed__cancel),
        T_CASE(exec_streamed__deadline), T_CASE(exec_streamed__http_502), T_CASE(exec_streamed__reset),
        T_CASE(exec_streamed__oversize), T_CASE(submit__happy), T_CASE(submit__cancel), T_CASE(submit__deadline),
        T_CASE(submit__http_502), T_CASE(submit__reset), T_CASE(submit__oversize), T_CASE(poll__happy),
        T_CASE(poll__cancel), T_CASE(poll__deadline), T_CASE(poll__http_502), T_CASE(poll__reset),
        T_CASE(poll__oversize), T_CASE(read_logs__happy), T_CASE(read_logs__cancel), T_CASE(read_logs__deadline),
        T_CASE(read_logs__http_502), T_CASE(read_logs__reset), T_CASE(read_logs__oversize), T_CASE(kill_run__happy),
        T_CASE(kill_run__cancel), T_CASE(kill_run__deadline), T_CASE(kill_run__http_502), T_CASE(kill_run__reset),
        T_CASE(kill_run__oversize), T_CASE(run_read__happy), T_CASE(run_read__cancel), T_CASE(run_read__deadline),
        T_CASE(run_read__http_502), T_CASE(run_read__reset), T_CASE(run_read__oversize), T_CASE(session_open__happy),
        T_CASE(session_open__cancel), T_CASE(session_open__deadline), T_CASE(session_open__http_502),
        T_CASE(session_open__reset), T_CASE(session_open__oversize), T_CASE(session_exec__happy),
        T_CASE(session_exec__cancel), T_CASE(session_exec__deadline), T_CASE(session_exec__http_502),
        T_CASE(session_exec__reset), T_CASE(session_exec__oversize), T_CASE(session_close__happy),
        T_CASE(session_close__cancel), T_CASE(session_close__deadline), T_CASE(session_close__http_502),
        T_CASE(session_close__reset), T_CASE(session_close__oversize), T_CASE(upload__happy), T_CASE(upload__cancel),
        T_CASE(upload__deadline), T_CASE(upload__http_502), T_CASE(upload__reset), T_CASE(upload__oversize),
        T_CASE(download__happy), T_CASE(download__cancel), T_CASE(download__deadline), T_CASE(download__http_502),
        T_CASE(download__reset), T_CASE(home_dir__happy), T_CASE(home_dir__cancel), T_CASE(home_dir__deadline),
        T_CASE(home_dir__http_502), T_CASE(home_dir__reset), T_CASE(home_dir__oversize), T_CASE(start__happy),
        T_CASE(start__cancel), T_CASE(start__deadline), T_CASE(start__http_502), T_CASE(start__reset),
        T_CASE(start__oversize), T_CASE(stop__happy), T_CASE(stop__cancel), T_CASE(stop__deadline),
        T_CASE(stop__http_502), T_CASE(stop__reset), T_CASE(stop__oversize), T_CASE(destroy__happy),
        T_CASE(destroy__cancel), T_CASE(destroy__deadline), T_CASE(destroy__http_502), T_CASE(destroy__reset),
        T_CASE(destroy__oversize), T_CASE(reconcile__happy), T_CASE(reconcile__cancel), T_CASE(reconcile__deadline),
        T_CASE(reconcile__http_502), T_CASE(reconcile__reset), T_CASE(reconcile__oversize), T_CASE(list_dir__happy),
        T_CASE(list_dir__cancel), T_CASE(list_dir__deadline), T_CASE(list_dir__http_502), T_CASE(list_dir__reset),
        T_CASE(list_dir__oversize), T_CASE(list_dir__nul), T_CASE(stat__happy), T_CASE(stat__cancel),
        T_CASE(stat__deadline), T_CASE(stat__http_502), T_CASE(stat__reset), T_CASE(stat__oversize), T_CASE(stat__nul),
        T_CASE(search_files__happy), T_CASE(search_files__cancel), T_CASE(search_files__deadline),
        T_CASE(search_files__http_502), T_CASE(search_files__reset), T_CASE(search_files__oversize),
        T_CASE(search_files__nul), T_CASE(find_text__happy), T_CASE(find_text__cancel), T_CASE(find_text__deadline),
        T_CASE(find_text__http_502), T_CASE(find_text__reset), T_CASE(find_text__oversize), T_CASE(find_text__nul),
        T_CASE(mkdir__happy), T_CASE(mkdir__cancel), T_CASE(mkdir__deadline), T_CASE(mkdir__http_502),
        T_CASE(mkdir__reset), T_CASE(mkdir__oversize), T_CASE(mkdir__nul), T_CASE(remove__happy),
        T_CASE(remove__cancel), T_CASE(remove__deadline), T_CASE(remove__http_502), T_CASE(remove__reset),
        T_CASE(remove__oversize), T_CASE(remove__nul), T_CASE(move__happy), T_CASE(move__cancel),
        T_CASE(move__deadline), T_CASE(move__http_502), T_CASE(move__reset), T_CASE(move__oversize), T_CASE(move__nul),
        T_CASE(set_permissions__happy), T_CASE(set_permissions__cancel), T_CASE(set_permissions__deadline),
        T_CASE(set_permissions__http_502), T_CASE(set_permissions__reset), T_CASE(set_permissions__oversize),
        T_CASE(set_permissions__nul), T_CASE(replace_text__happy), T_CASE(replace_text__cancel),
        T_CASE(replace_text__deadline), T_CASE(replace_text__http_502), T_CASE(replace_text__reset),
        T_CASE(replace_text__oversize), T_CASE(replace_text__nul), T_CASE(upload_files__happy),
        T_CASE(upload_files__cancel), T_CASE(upload_files__deadline), T_CASE(upload_files__http_502),
        T_CASE(upload_files__reset), T_CASE(upload_files__oversize), T_CASE(upload_files__nul),
        T_CASE(upload_tree__happy), T_CASE(upload_tree__cancel), T_CASE(upload_tree__deadline),
        T_CASE(upload_tree__http_502), T_CASE(upload_tree__reset), T_CASE(upload_tree__oversize),
        T_CASE(upload_tree__nul), T_CASE(download_tree__happy), T_CASE(download_tree__cancel),
        T_CASE(download_tree__deadline), T_CASE(download_tree__http_502), T_CASE(download_tree__reset),
        T_CASE(download_tree__oversize), T_CASE(download_tree__nul), T_CASE(exact__nul), T_CASE(exact__invalid_utf8),
        T_CASE(exact__no_final_newline), T_CASE(exact__empty), T_CASE(exact__at_the_limit),
        T_CASE(exact__above_the_limit), T_CASE(exact__interleaved), T_CASE(exact__exit_0), T_CASE(exact__exit_3),
        T_CASE(exact__exit_255), T_CASE(exact__killed), T_CASE(exact__timed_out), T_CASE(wire__nul),
        T_CASE(wire__invalid_utf8), T_CASE(wire__no_final_newline), T_CASE(wire__empty), T_CASE(wire__at_the_limit),
        T_CASE(wire__above_the_limit), T_CASE(wire__interleaved), T_CASE(wire__exit_0), T_CASE(wire__exit_3),
        T_CASE(wire__exit_255), T_CASE(wire__killed), T_CASE(wire__timed_out), T_CASE(streamed__nul),
        T_CASE(streamed__invalid_utf8), T_CASE(streamed__no_final_newline), T_CASE(streamed__empty),
        T_CASE(streamed__at_the_limit), T_CASE(streamed__above_the_limit), T_CASE(streamed__interleaved),
        T_CASE(streamed__exit_0), T_CASE(streamed__exit_3), T_CASE(streamed__exit_255), T_CASE(streamed__killed),
        T_CASE(streamed__timed_out), T_CASE(session__nul), T_CASE(session__invalid_utf8),
        T_CASE(session__no_final_newline), T_CASE(session__empty), T_CASE(session__at_the_limit),
        T_CASE(session__above_the_limit), T_CASE(session__interleaved), T_CASE(session__exit_0),
        T_CASE(session__exit_3), T_CASE(session__exit_255), T_CASE(session__killed), T_CASE(session__timed_out),
        T_CASE(run__nul), T_CASE(run__invalid_utf8), T_CASE(run__no_final_newline), T_CASE(run__empty),
        T_CASE(run__at_the_limit), T_CASE(run__above_the_limit), T_CASE(run__interleaved), T_CASE(run__exit_0),
        T_CASE(run__exit_3), T_CASE(run__exit_255), T_CASE(run__killed), T_CASE(run__timed_out),
        T_CASE(what_is_over_is_not_begun), T_CASE(what_is_not_declared_is_refused), T_CASE(what_it_cannot_be_put_into))
