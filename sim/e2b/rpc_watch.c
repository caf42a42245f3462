/* filesystem.Filesystem's watches: streamed, and asked for now and then. Row P8. */
#include "sim/e2b/envd.h"
#include "sim/e2b/stream.h"
#include "sim/e2b/watch.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WATCH_LOOK_NS   (50 * SIM_MS)
#define WATCH_KEEPALIVE "{\"keepalive\":{}}"

static int watch_faulted(struct sim_e2b_call *call) {
    return sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT) || sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT);
}

/* {"path","recursive","includeEntry","allowNetworkMounts"}. @return 0 once it has been refused */
static int watch_read(struct sim_e2b_call *call, struct sim_e2b_watch *watch, struct sbx_buf *root) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    const char *why = NULL;
    struct sim_stat st;
    if (!message) return 0;
    const char *path = sbx_json_opt_string(js, message, "path", "");
    watch->recursive = sbx_json_opt_bool(js, message, "recursive", 0);
    watch->entries = sbx_json_opt_bool(js, message, "includeEntry", 0);
    (void)sbx_json_opt_bool(js, message, "allowNetworkMounts", 0);
    if (sim_e2b_rpc_message_refused(call, js)) return 0;
    if (sim_e2b_path(call, path, root, &why)) {
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "%s", why);
        return 0;
    }
    const int64_t was = sim_e2b_as_root(call);
    const sim_errno failed = sim_stat(call->sb->machine, root->data, 1, &st);
    sim_e2b_as_was(call, was);
    if (failed)
        sim_e2b_rpc_refuse(call, E2B_NOT_FOUND, "path %s not found: stat %s: no such file or directory", root->data,
                           root->data);
    else if (st.type != 'd')
        sim_e2b_rpc_refuse(call, E2B_INVALID_ARGUMENT, "path %s not a directory: %%!w(<nil>)", root->data);
    else
        return 1;
    return 0;
}

/* Where events go: an array, or a stream. */
struct watch_events {
    struct sim_e2b_call *call;
    const struct sim_e2b_watch *watch;
    struct sim_e2b_stream *stream; /* NULL = the array */
    struct sbx_buf json;
    int any;
};

static void watch_event_write(const struct watch_events *to, const char *key, const char *name, const char *type,
                              struct sbx_buf *json) {
    struct sbx_buf path = SBX_BUF_INIT;
    const int gone = strcmp(type, "EVENT_TYPE_REMOVE") == 0 || strcmp(type, "EVENT_TYPE_RENAME") == 0;
    sbx_json_begin_object(json, key);
    sbx_json_put_text(json, "name", name, sbx_utf8_valid(name, strlen(name)));
    sbx_json_put_string(json, "type", type);
    sbx_buf_printf(&path, "%s/%s", strcmp(to->watch->root, "/") == 0 ? "" : to->watch->root, name);
    if (to->watch->entries && !gone && !path.failed) {
        const int64_t was = sim_e2b_as_root(to->call);
        (void)sim_e2b_entry_write(to->call->sb->machine, path.data, "entry", json);
        sim_e2b_as_was(to->call, was);
    }
    sbx_json_end_object(json);
    sbx_buf_finish(&path);
}

static void watch_event(void *ctx, const char *name, const char *type) {
    struct watch_events *to = ctx;
    struct sbx_buf json = SBX_BUF_INIT;
    to->any = 1;
    if (!to->stream) {
        watch_event_write(to, NULL, name, type, &to->json);
        return;
    }
    sbx_json_begin_object(&json, NULL);
    watch_event_write(to, "filesystem", name, type, &json);
    sbx_json_end_object(&json);
    if (json.failed) to->stream->out.failed = 1;
    sim_e2b_stream_put(to->call, to->stream, sbx_buf_text(&json), json.len);
    sbx_buf_finish(&json);
}

/* ---- streamed ---- */

static int watch_poll(void *ctx, struct sim_e2b_stream *stream) {
    struct watch_events *to = ctx;
    struct sim_e2b_watch *watch = (struct sim_e2b_watch *)(uintptr_t)to->watch;
    (void)stream;
    if (to->call->sb->state != E2B_RUNNING) return 1;
    return sim_e2b_watch_look(to->call->sb->machine, watch, watch_event, to) == SBX_OK;
}

static void watch_attach(struct sim_e2b_sandbox *sb, struct sim_e2b_stream *stream) {
    stream->next = sb->streams;
    sb->streams = stream;
}

static void watch_detach(struct sim_e2b_sandbox *sb, struct sim_e2b_stream *stream) {
    struct sim_e2b_stream **at = &sb->streams;
    while (*at && *at != stream) at = &(*at)->next;
    if (*at) *at = stream->next;
}

static void watch_stream(struct sim_e2b_call *call, struct sim_e2b_watch *watch, int64_t timeout_ms) {
    struct sim_e2b_stream stream = {0};
    struct watch_events to = {.call = call, .watch = watch, .stream = &stream};
    const struct sim_e2b_stream_way way = {.deadline_ns = timeout_ms < 0 ? SIM_NEVER
                                                                         : sim_e2b_now(call->e2b) + timeout_ms * SIM_MS,
                                           .keepalive = WATCH_KEEPALIVE,
                                           .poll_ns = WATCH_LOOK_NS,
                                           .poll = watch_poll,
                                           .ctx = &to};
    static const char start[] = "{\"start\":{}}";
    sim_e2b_stream_init(call, &stream);
    sim_e2b_stream_put(call, &stream, start, sizeof(start) - 1);
    watch_attach(call->sb, &stream);
    sim_e2b_stream_run(call, &stream, &way);
    watch_detach(call->sb, &stream);
    sim_e2b_stream_finish(&stream);
}

void sim_e2b_fs_rpc_watch_dir(struct sim_e2b_call *call) {
    struct sim_e2b_watch watch = {0};
    struct sbx_buf root = SBX_BUF_INIT;
    int64_t timeout_ms = -1;
    if (!watch_read(call, &watch, &root) || sim_e2b_rpc_timeout(call, &timeout_ms) || watch_faulted(call)) goto done;
    if (sim_e2b_watch_init(call->sb->machine, &watch, root.data))
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error creating watcher: out of memory");
    else
        watch_stream(call, &watch, timeout_ms);
done:
    sim_e2b_watch_finish(&watch);
    sbx_buf_finish(&root);
}

/* ---- asked for ---- */

static void watch_reply(struct sim_e2b_call *call, const char *key, const char *value) {
    struct sbx_buf json = SBX_BUF_INIT;
    sbx_json_begin_object(&json, NULL);
    if (key) sbx_json_put_string(&json, key, value);
    sbx_json_end_object(&json);
    sim_e2b_rpc_reply(call, &json);
}

void sim_e2b_fs_rpc_create_watcher(struct sim_e2b_call *call) {
    struct sim_e2b_watcher *made = calloc(1, sizeof(*made));
    struct sbx_buf root = SBX_BUF_INIT;
    if (!made) {
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error creating watcher: out of memory");
        return;
    }
    if (!watch_read(call, &made->watch, &root) || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    if (sim_e2b_watch_init(call->sb->machine, &made->watch, root.data)) {
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "error creating watcher: out of memory");
        goto done;
    }
    struct sim_e2b_watcher *kept = made;
    made = NULL;
    snprintf(kept->id, sizeof(kept->id), "w%lld", (long long)++call->sb->watcher_count);
    kept->next = call->sb->watchers;
    call->sb->watchers = kept;
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) watch_reply(call, "watcherId", kept->id);
done:
    if (made) sim_e2b_watch_finish(&made->watch);
    free(made);
    sbx_buf_finish(&root);
}

/* @return where it hangs, NULL once it has been refused */
static struct sim_e2b_watcher **watch_named(struct sim_e2b_call *call) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *message = sim_e2b_rpc_message(call, &js);
    struct sim_e2b_watcher **at = &call->sb->watchers;
    if (!message) return NULL;
    const char *id = sbx_json_opt_string(js, message, "watcherId", "");
    if (sim_e2b_rpc_message_refused(call, js)) return NULL;
    while (*at && strcmp((*at)->id, id) != 0) at = &(*at)->next;
    if (*at) return at;
    sim_e2b_rpc_refuse(call, E2B_NOT_FOUND, "watcher with id %s not found", id);
    return NULL;
}

void sim_e2b_fs_rpc_watcher_events(struct sim_e2b_call *call) {
    struct sim_e2b_watcher **at = watch_named(call);
    struct watch_events to = {.call = call};
    struct sbx_buf json = SBX_BUF_INIT;
    if (!at || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    to.watch = &(*at)->watch;
    const enum sbx_status st = sim_e2b_watch_look(call->sb->machine, &(*at)->watch, watch_event, &to);
    if (sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) goto done;
    if (st) {
        sim_e2b_rpc_refuse(call, E2B_INTERNAL, "out of memory");
        goto done;
    }
    sbx_json_begin_object(&json, NULL);
    if (to.any) {
        sbx_json_begin_array(&json, "events");
        sbx_json_put_raw(&json, NULL, sbx_buf_text(&to.json), to.json.len);
        sbx_json_end_array(&json);
    }
    sbx_json_end_object(&json);
    sim_e2b_rpc_reply(call, &json);
done:
    sbx_buf_finish(&to.json);
}

void sim_e2b_fs_rpc_remove_watcher(struct sim_e2b_call *call) {
    struct sim_e2b_watcher **at = watch_named(call);
    if (!at || sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) return;
    struct sim_e2b_watcher *gone = *at;
    *at = gone->next;
    sim_e2b_watch_finish(&gone->watch);
    free(gone);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) watch_reply(call, NULL, NULL);
}
