/* One case of the conformance suite: an operation, what befalls it, and what came of it. */
#ifndef TESTS_CONFORMANCE_SCENE_H
#define TESTS_CONFORMANCE_SCENE_H

#include "face.h"
#include "t.h"

/** Bytes that are no text. */
#define ODD_OUT     "a\0b\xff\x80\x63\r\n\n"
#define ODD_OUT_LEN 9

struct scene {
    struct conformance_face *face;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb; /* launched, unless the operation does that itself */
    struct sbx_session *session;
    struct sbx_run *run;
    struct sbx_call call;
    struct sbx_error err;
    enum condition condition;
    const char *command; /* of operations that run one */
    struct sbx_exec_options opt;
    struct sbx_exec_result *result;
    struct sbx_log *log;
    struct sbx_run_status status;
    struct sbx_info *info;
    struct sbx_list *list;
    struct sbx_files *files;
    struct sbx_buf bytes[2]; /* of the streamed output, and what was downloaded in the first */
    char *text;
    int64_t number;
    struct sbx_capacity capacity;
    int32_t verdict;
    char id[SBX_ID_SIZE]; /* of the sandbox */
    struct sbx_sandbox *made;
};

struct operation {
    const char *name;
    uint64_t caps;
    enum waiting waiting;
    int reads;      /* it leaves nothing to clean up */
    int no_sandbox; /* it wants none to begin with */
    void (*before)(struct scene *s);
    enum sbx_status (*run)(struct scene *s);
    void (*done)(struct scene *s);                   /* checks what SBX_OK brought */
    void (*after)(struct scene *s, enum sbx_status); /* is what was said true? */
};

extern const struct operation op_launch, op_launch_detached, op_attach, op_find, op_count, op_capacity, op_info,
    op_exec_exact, op_exec_wire, op_exec_streamed, op_submit, op_poll, op_read_logs, op_kill_run, op_run_read,
    op_session_open, op_session_exec, op_session_close, op_upload, op_download, op_home_dir, op_start, op_stop,
    op_destroy, op_reconcile, op_list_dir, op_stat, op_search_files, op_find_text, op_mkdir, op_remove, op_move,
    op_set_permissions, op_replace_text, op_upload_files, op_upload_tree, op_download_tree;

/** All of them, and NULL. */
extern const struct operation *const operations[];

/** A world with a sandbox, unless told not to. */
struct scene *scene_open(int with_sandbox);
/** Deletes what is left, and fails the test if that is not everything. */
void scene_close(struct scene *s);
int scene_declares(const struct scene *s, uint64_t caps);

/** Runs a command with nothing in its way. @return its stdout, until the next call */
const char *scene_shell(struct scene *s, const char *command);
/** The command has run at most once; once if that is what was said, never if that was. */
void scene_ran(struct scene *s, enum sbx_status st);
/** The command that made `begun` is dead if that is said. */
void scene_dead(struct scene *s, int said);
void scene_result_is(struct scene *s, const char *out, const char *err, int32_t code);

/** One operation under one condition, held against the table of expectations. */
void conformance_case(const struct operation *op, enum condition condition);

/** What is expected: one status, and the outcomes that it may have. */
struct expectation {
    enum sbx_status status;
    unsigned outcomes; /* bits 1 << enum sbx_outcome */
};
struct expectation expectation_of(const struct conformance_face *face, const struct operation *op,
                                  enum condition condition);
/** Where a command's start and the loss of its reply run against each other, it may also have been kept from running or
 *  have been ended, and then the loss is the status. */
int expectation_allows(const struct operation *op, enum condition condition, enum sbx_status st, int32_t outcome);

#endif
