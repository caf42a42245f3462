/* A gibibyte up and down through the adapter, against a kept libcurl handle that moves the same bytes to and from the
 * same server: CPU of the client, wall time, and what its memory grew by meanwhile. */
#include "bare.h"
#include "rig.h"

#include <sandport/curl.h>
#include <sandport/daytona.h>
#include <sandport/sandport.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS   5
#define BYTES    (UINT64_C(1) << 30)
#define LOOK     (UINT64_C(1) << 24) /* memory is looked at so often */
#define PATH     "/home/daytona/big"
#define BOUNDARY "bench0123456789abcdef0123456789ab"

/* ---- the bytes ---- */

struct stream {
    uint64_t at;
    int64_t resident_max; /* KiB */
    int compare;          /* look at what comes; not while it is timed */
};

static void stream_passed(struct stream *s, size_t n) {
    if (s->at / LOOK != (s->at + n) / LOOK) {
        int64_t now = bench_resident_kib(0);
        if (now > s->resident_max) s->resident_max = now;
    }
    s->at += n;
}

static ptrdiff_t stream_read(void *ctx, void *buf, size_t cap) {
    struct stream *s = ctx;
    size_t n = BYTES - s->at < cap ? (size_t)(BYTES - s->at) : cap;
    bench_bytes(buf, s->at, n);
    stream_passed(s, n);
    return (ptrdiff_t)n;
}

static int stream_write(void *ctx, const void *data, size_t len) {
    struct stream *s = ctx;
    char want[16384];
    for (size_t done = 0; s->compare && done < len;) {
        size_t n = len - done < sizeof(want) ? len - done : sizeof(want);
        bench_bytes(want, s->at + done, n);
        if (memcmp(want, (const char *)data + done, n) != 0) return -1;
        done += n;
    }
    stream_passed(s, len);
    return 0;
}

/* ---- the four transfers ---- */

struct cost {
    double cpu_us;
    double wall_us;
    double grown_mib;
};

struct bench {
    struct bench_server server;
    struct sbx_env *env;
    struct sbx_runtime *rt;
    struct sbx_sandbox *sb;
    struct bare bare;
    struct bare_request up, down;
};

struct meter {
    double cpu_us, wall_us;
    int64_t resident;
};

static struct meter meter_start(void) {
    struct meter m = {bench_cpu_us(), bench_wall_us(), bench_resident_kib(0)};
    return m;
}

static struct cost meter_stop(const struct meter *m, const struct stream *s) {
    struct cost cost = {bench_cpu_us() - m->cpu_us, bench_wall_us() - m->wall_us,
                        (double)(s->resident_max - m->resident) / 1024};
    BENCH_NEED(s->at == BYTES);
    return cost;
}

static struct cost adapter_up(struct bench *b) {
    struct stream s = {0};
    const struct sbx_reader from = {&s, stream_read};
    struct meter m = meter_start();
    BENCH_NEED(sbx_sandbox_upload(b->sb, PATH, &from, NULL, NULL, NULL, NULL) == SBX_OK);
    return meter_stop(&m, &s);
}

static struct cost adapter_down(struct bench *b, int compare) {
    struct stream s = {.compare = compare};
    const struct sbx_sink to = {&s, stream_write};
    struct meter m = meter_start();
    BENCH_NEED(sbx_sandbox_download(b->sb, PATH, &to, NULL, NULL, NULL, NULL) == SBX_OK);
    return meter_stop(&m, &s);
}

/* The body of a bulk upload by hand. */
struct form {
    struct stream bytes;
    const char *text;
};

static const char form_head[] = "--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n" PATH
                                "\r\n--" BOUNDARY "\r\nContent-Disposition: form-data; name=\"files[0].file\"; "
                                "filename=\"big\"\r\nContent-Type: application/octet-stream\r\n\r\n";
static const char form_tail[] = "\r\n--" BOUNDARY "--\r\n";

static ptrdiff_t form_read(void *ctx, void *buf, size_t cap) {
    struct form *form = ctx;
    if (*form->text) {
        size_t len = strlen(form->text), n = len < cap ? len : cap;
        memcpy(buf, form->text, n);
        form->text += n;
        return (ptrdiff_t)n;
    }
    ptrdiff_t n = stream_read(&form->bytes, buf, cap);
    if (n || form->text == form_tail + sizeof(form_tail) - 1) return n;
    form->text = form_tail;
    return form_read(ctx, buf, cap);
}

static int drop(void *ctx, const void *data, size_t len) {
    (void)ctx, (void)data, (void)len;
    return 0;
}

static struct cost bare_up(struct bench *b) {
    struct form form = {.text = form_head};
    const struct sbx_reader from = {&form, form_read};
    const struct sbx_sink to = {NULL, drop};
    struct meter m = meter_start();
    BENCH_NEED(bare_transfer(&b->bare, &b->up, &from, &to) == 200);
    return meter_stop(&m, &form.bytes);
}

static struct cost bare_down(struct bench *b) {
    struct stream s = {0};
    const struct sbx_sink to = {&s, stream_write};
    struct meter m = meter_start();
    BENCH_NEED(bare_transfer(&b->bare, &b->down, NULL, &to) == 200);
    return meter_stop(&m, &s);
}

/* ---- the rounds ---- */

struct rounds {
    double cpu[ROUNDS], wall[ROUNDS], grown[ROUNDS];
};

static void rounds_note(struct rounds *rounds, size_t i, struct cost adapter, struct cost bare) {
    rounds->cpu[i] = adapter.cpu_us / bare.cpu_us;
    rounds->wall[i] = adapter.wall_us / bare.wall_us;
    rounds->grown[i] = adapter.grown_mib;
}

static void rounds_print(struct rounds *rounds, const char *way) {
    char what[64];
    snprintf(what, sizeof(what), "%s of 1 GiB, client CPU", way);
    bench_line(what, bench_spread_of(rounds->cpu, ROUNDS), "x", "at most 1.3 x", "a bare libcurl transfer");
    snprintf(what, sizeof(what), "%s of 1 GiB, wall time", way);
    bench_line(what, bench_spread_of(rounds->wall, ROUNDS), "x", "at most 1.3 x", "a bare libcurl transfer");
    snprintf(what, sizeof(what), "%s of 1 GiB, client memory growth", way);
    bench_line(what, bench_spread_of(rounds->grown, ROUNDS), "MiB", "at most 4 MiB", "resident, at its highest");
}

static void measure(struct bench *b) {
    struct rounds up, down;
    double server[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        bench_progress("a gibibyte up and down, twice");
        int64_t before = bench_resident_kib(b->server.pid);
        struct cost bare = bare_up(b);
        rounds_note(&up, i, adapter_up(b), bare);
        if (i == 0) (void)adapter_down(b, 1);
        bare = bare_down(b);
        rounds_note(&down, i, adapter_down(b, 0), bare);
        server[i] = (double)(bench_resident_kib(b->server.pid) - before) / 1024;
    }
    rounds_print(&up, "upload");
    rounds_print(&down, "download");
    bench_line("  memory growth of the server", bench_spread_of(server, ROUNDS), "MiB", "none", "over all four");
}

static void request_make(struct bench *b, struct bare_request *out, const char *rest, const char *type) {
    char url[512], bearer[256], id[SBX_ID_SIZE], origin[128];
    struct sbx_header headers[] = {{"Authorization", bearer}, {"Content-Type", type}};
    const struct sbx_request req = {.method = "GET", .url = url, .headers = headers, .header_count = type ? 2 : 1};
    sbx_sandbox_id(b->sb, id);
    snprintf(origin, sizeof(origin), "%.*s", (int)(strlen(b->server.api_url) - strlen("/api")), b->server.api_url);
    snprintf(url, sizeof(url), "%s/toolbox/%s%s", origin, id, rest);
    snprintf(bearer, sizeof(bearer), "Bearer %s", b->server.api_key);
    bare_request_copy(&req, out);
    if (type) out->headers = curl_slist_append(out->headers, "Transfer-Encoding: chunked");
}

static void bench_open(struct bench *b) {
    struct sbx_daytona_options opt = SBX_DAYTONA_OPTIONS_INIT;
    bench_server_start(&b->server);
    opt.endpoint = b->server.api_url;
    opt.api_key = b->server.api_key;
    BENCH_NEED(sbx_curl_env_create(NULL, &b->env) == SBX_OK);
    BENCH_NEED(sbx_daytona_create(&opt, b->env, &b->rt, NULL) == SBX_OK);
    BENCH_NEED(sbx_runtime_launch(b->rt, NULL, NULL, &b->sb, NULL) == SBX_OK);
    bare_init(&b->bare);
    request_make(b, &b->up, "/files/bulk-upload", "multipart/form-data; boundary=" BOUNDARY);
    request_make(b, &b->down, "/files/download?path=" PATH, NULL);
}

static void bench_close(struct bench *b) {
    bare_request_finish(&b->up);
    bare_request_finish(&b->down);
    bare_finish(&b->bare);
    BENCH_NEED(sbx_sandbox_destroy(b->sb, NULL, NULL) == SBX_OK);
    sbx_sandbox_free(b->sb);
    sbx_runtime_free(b->rt);
    sbx_env_free(b->env);
    bench_server_stop(&b->server);
}

int main(void) {
    static struct bench b;
    bench_open(&b);
    measure(&b);
    bench_close(&b);
    return 0;
}
