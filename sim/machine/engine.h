/* What an engine is: the ways in which a machine can be had. `virtual` plays it inside this process, on the world's
 * clock; `host` has real processes in a scratch tree, see host/host.h. Whoever uses machine.h cannot tell which. */
#ifndef SIM_MACHINE_ENGINE_H
#define SIM_MACHINE_ENGINE_H

#include "sim/machine/machine.h"

/** Each as the function of machine.h that has its name. */
struct sim_engine_machine {
    void (*free)(struct sim_machine *m);
    void (*halt)(struct sim_machine *m);
    void (*wipe)(struct sim_machine *m);
    const char *(*home)(const struct sim_machine *m);
    int (*id)(const struct sim_machine *m, const char *name, int64_t *id);
    void (*state)(const struct sim_machine *m, struct sbx_buf *json);
    void (*freeze)(struct sim_machine *m);
    void (*thaw)(struct sim_machine *m);
    int32_t (*next_pid)(struct sim_machine *m, int32_t pid);
    int64_t (*become)(struct sim_machine *m, int64_t uid);
    const char *(*name)(const struct sim_machine *m, int64_t id);
};

struct sim_engine_files {
    sim_errno (*stat)(struct sim_machine *m, const char *path, int follow, struct sim_stat *out);
    sim_errno (*mkdir)(struct sim_machine *m, const char *path, uint32_t mode, int parents);
    sim_errno (*unlink)(struct sim_machine *m, const char *path, int recursive);
    sim_errno (*rename)(struct sim_machine *m, const char *from, const char *to);
    sim_errno (*chmod)(struct sim_machine *m, const char *path, uint32_t mode);
    sim_errno (*chown)(struct sim_machine *m, const char *path, int64_t uid, int64_t gid);
    sim_errno (*list)(struct sim_machine *m, const char *path, void (*each)(void *ctx, const char *name), void *ctx);
    sim_errno (*open_read)(struct sim_machine *m, const char *path, struct sim_file **out);
    sim_errno (*open_write)(struct sim_machine *m, const char *path, uint32_t mode, int truncate,
                            struct sim_file **out);
    ptrdiff_t (*read)(struct sim_file *f, void *buf, size_t cap);
    sim_errno (*write)(struct sim_file *f, const void *data, size_t len);
    int64_t (*size)(const struct sim_file *f);
    void (*close)(struct sim_file *f);
    sim_errno (*readlink)(struct sim_machine *m, const char *path, struct sbx_buf *out);
};

struct sim_engine_runs {
    struct sim_run *(*start)(struct sim_machine *m, const struct sim_run_options *opt, sim_errno *why);
    enum sbx_status (*wait)(struct sim_run *run, int outputs, int64_t deadline_ns);
    int (*exited)(const struct sim_run *run, int *code, int *signal);
    void (*kill)(struct sim_run *run, int signal);
    void (*kill_tree)(struct sim_run *run, int signal);
    int (*alive)(const struct sim_run *run);
    sim_errno (*feed)(struct sim_run *run, const void *data, size_t len);
    void (*feed_end)(struct sim_run *run);
    int32_t (*pid)(const struct sim_run *run);
    void (*signal)(struct sim_run *run, int signal);
    void (*free)(struct sim_run *run);
};

struct sim_engine_pipes {
    struct sim_feed *(*feed_new)(struct sim_machine *m, const char *path, sim_errno *why);
    sim_errno (*feed_write)(struct sim_feed *feed, const void *data, size_t len);
    void (*feed_free)(struct sim_feed *feed);
    struct sim_outlet *(*outlet_new)(struct sim_machine *m, const struct sim_outlet_options *opt, sim_errno *why);
    int (*outlet_is_open)(const struct sim_outlet *outlet);
    void (*outlet_free)(struct sim_outlet *outlet);
};

/** A pointer to its engine is the first member of a machine, a run, a file, a feed and an outlet. */
struct sim_engine {
    int real; /* its programs are the host's */
    const struct sim_engine_machine *machine;
    const struct sim_engine_files *files;
    const struct sim_engine_runs *runs;
    const struct sim_engine_pipes *pipes;
};

extern const struct sim_engine sim_engine_virtual;

struct sim_machine *sim_virtual_machine_new(struct sim *sim, const struct sim_machine_options *opt);

/** How a simulation's host makes machines: first member of struct sim_host. The library knows no more of one; what is
 * in host/ belongs to the program sandport-sim. */
struct sim_host_face {
    struct sim_machine *(*machine_new)(struct sim *sim, const struct sim_machine_options *opt);
};

#endif
