/* Which engine serves a call of machine.h: that of the thing it is about. */
#include "sim/machine/engine.h"
#include "sim/kit/sim.h"

#include <string.h>

static const struct sim_engine *engine_of(const void *thing) {
    const struct sim_engine *engine = NULL;
    memcpy(&engine, thing, sizeof(engine)); /* its first member, whatever it is */
    return engine;
}

struct sim_machine *sim_machine_new(struct sim *sim, const struct sim_machine_options *opt) {
    const struct sim_host_face *face = (const struct sim_host_face *)(const void *)sim_host(sim);
    return face ? face->machine_new(sim, opt) : sim_virtual_machine_new(sim, opt);
}

void sim_machine_free(struct sim_machine *m) {
    if (m) engine_of(m)->machine->free(m);
}

void sim_machine_halt(struct sim_machine *m) {
    engine_of(m)->machine->halt(m);
}

void sim_machine_wipe(struct sim_machine *m) {
    engine_of(m)->machine->wipe(m);
}

const char *sim_machine_home(const struct sim_machine *m) {
    return engine_of(m)->machine->home(m);
}

int sim_machine_is_real(const struct sim_machine *m) {
    return engine_of(m)->real;
}

int sim_machine_id(const struct sim_machine *m, const char *name, int64_t *id) {
    return engine_of(m)->machine->id(m, name, id);
}

void sim_machine_state(const struct sim_machine *m, struct sbx_buf *json) {
    engine_of(m)->machine->state(m, json);
}

void sim_machine_freeze(struct sim_machine *m) {
    engine_of(m)->machine->freeze(m);
}

void sim_machine_thaw(struct sim_machine *m) {
    engine_of(m)->machine->thaw(m);
}

int32_t sim_machine_next_pid(struct sim_machine *m, int32_t pid) {
    return engine_of(m)->machine->next_pid(m, pid);
}

int64_t sim_machine_become(struct sim_machine *m, int64_t uid) {
    return engine_of(m)->machine->become(m, uid);
}

const char *sim_machine_name(const struct sim_machine *m, int64_t id) {
    return engine_of(m)->machine->name(m, id);
}

/* ---- files ---- */

sim_errno sim_readlink(struct sim_machine *m, const char *path, struct sbx_buf *out) {
    return engine_of(m)->files->readlink(m, path, out);
}

sim_errno sim_stat(struct sim_machine *m, const char *path, int follow, struct sim_stat *out) {
    return engine_of(m)->files->stat(m, path, follow, out);
}

sim_errno sim_mkdir(struct sim_machine *m, const char *path, uint32_t mode, int parents) {
    return engine_of(m)->files->mkdir(m, path, mode, parents);
}

sim_errno sim_unlink(struct sim_machine *m, const char *path, int recursive) {
    return engine_of(m)->files->unlink(m, path, recursive);
}

sim_errno sim_rename(struct sim_machine *m, const char *from, const char *to) {
    return engine_of(m)->files->rename(m, from, to);
}

sim_errno sim_chmod(struct sim_machine *m, const char *path, uint32_t mode) {
    return engine_of(m)->files->chmod(m, path, mode);
}

sim_errno sim_chown(struct sim_machine *m, const char *path, int64_t uid, int64_t gid) {
    return engine_of(m)->files->chown(m, path, uid, gid);
}

sim_errno sim_list(struct sim_machine *m, const char *path, void (*each)(void *ctx, const char *name), void *ctx) {
    return engine_of(m)->files->list(m, path, each, ctx);
}

sim_errno sim_open_read(struct sim_machine *m, const char *path, struct sim_file **out) {
    return engine_of(m)->files->open_read(m, path, out);
}

sim_errno sim_open_write(struct sim_machine *m, const char *path, uint32_t mode, int truncate, struct sim_file **out) {
    return engine_of(m)->files->open_write(m, path, mode, truncate, out);
}

ptrdiff_t sim_file_read(struct sim_file *f, void *buf, size_t cap) {
    return engine_of(f)->files->read(f, buf, cap);
}

sim_errno sim_file_write(struct sim_file *f, const void *data, size_t len) {
    return engine_of(f)->files->write(f, data, len);
}

int64_t sim_file_size(const struct sim_file *f) {
    return engine_of(f)->files->size(f);
}

void sim_file_close(struct sim_file *f) {
    if (f) engine_of(f)->files->close(f);
}

/* ---- runs ---- */

struct sim_run *sim_run_start(struct sim_machine *m, const struct sim_run_options *opt, sim_errno *why) {
    return engine_of(m)->runs->start(m, opt, why);
}

enum sbx_status sim_run_wait(struct sim_run *run, int outputs, int64_t deadline_ns) {
    return engine_of(run)->runs->wait(run, outputs, deadline_ns);
}

int sim_run_exited(const struct sim_run *run, int *code, int *signal) {
    return engine_of(run)->runs->exited(run, code, signal);
}

void sim_run_kill(struct sim_run *run, int signal) {
    engine_of(run)->runs->kill(run, signal);
}

void sim_run_kill_tree(struct sim_run *run, int signal) {
    engine_of(run)->runs->kill_tree(run, signal);
}

int sim_run_alive(const struct sim_run *run) {
    return engine_of(run)->runs->alive(run);
}

sim_errno sim_run_feed(struct sim_run *run, const void *data, size_t len) {
    return engine_of(run)->runs->feed(run, data, len);
}

void sim_run_feed_end(struct sim_run *run) {
    engine_of(run)->runs->feed_end(run);
}

int32_t sim_run_pid(const struct sim_run *run) {
    return engine_of(run)->runs->pid(run);
}

void sim_run_signal(struct sim_run *run, int signal) {
    engine_of(run)->runs->signal(run, signal);
}

void sim_run_free(struct sim_run *run) {
    if (run) engine_of(run)->runs->free(run);
}

/* ---- pipes ---- */

struct sim_feed *sim_feed_new(struct sim_machine *m, const char *path, sim_errno *why) {
    return engine_of(m)->pipes->feed_new(m, path, why);
}

sim_errno sim_feed_write(struct sim_feed *feed, const void *data, size_t len) {
    return engine_of(feed)->pipes->feed_write(feed, data, len);
}

void sim_feed_free(struct sim_feed *feed) {
    if (feed) engine_of(feed)->pipes->feed_free(feed);
}

struct sim_outlet *sim_outlet_new(struct sim_machine *m, const struct sim_outlet_options *opt, sim_errno *why) {
    return engine_of(m)->pipes->outlet_new(m, opt, why);
}

int sim_outlet_is_open(const struct sim_outlet *outlet) {
    return engine_of(outlet)->pipes->outlet_is_open(outlet);
}

void sim_outlet_free(struct sim_outlet *outlet) {
    if (outlet) engine_of(outlet)->pipes->outlet_free(outlet);
}
