/* The cloud's own parsers: multipart requests in any pieces, and network lists. */
#include "sim/daytona/network.h"
#include "sim/daytona/stamp.h"
#include "sim/kit/multipart.h"
#include "t.h"

#include <sandport/kit/buf.h>

static void seen_begin(void *ctx, const char *name, const char *filename) {
    sbx_buf_printf(ctx, "<%s|%s>", name, filename ? filename : "-");
}

static void seen_data(void *ctx, const void *data, size_t len) {
    sbx_buf_append(ctx, data, len);
}

static void seen_end(void *ctx) {
    sbx_buf_text_append(ctx, "</>");
}

#define TYPE "multipart/form-data; boundary=\"b0\""

/* Feeds in pieces of `step` bytes. @return whether the last boundary was seen, -1 if malformed */
static int feed(const char *body, size_t len, size_t step, struct sbx_buf *seen) {
    const struct sim_parts parts = {seen, seen_begin, seen_data, seen_end};
    struct sim_multipart *mp = sim_multipart_new(TYPE, &parts);
    int result = 0;
    T_TRUE(mp != NULL);
    for (size_t at = 0; at < len && result == 0; at += step)
        result = sim_multipart_feed(mp, body + at, len - at < step ? len - at : step);
    if (result == 0) result = sim_multipart_done(mp);
    sim_multipart_free(mp);
    return result;
}

static void every_split_gives_the_same_parts(void) {
    static const char body[] =
        "--b0\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n/tmp/a b\r\n"
        "--b0\r\ncontent-disposition: form-data; name=\"files[0].file\"; filename=\"a\\\"b\"\r\n"
        "Content-Type: text/plain\r\n\r\nx\0\r\n--b\r\n-y\r\n"
        "--b0\r\nContent-Disposition: form-data; name=\"e\"; filename=\"\"\r\n\r\n\r\n--b0--\r\n";
    static const char want[] = "<files[0].path|->/tmp/a b</><files[0].file|a\"b>x\0\r\n--b\r\n-y</><e|></>";
    for (size_t step = 1; step < sizeof(body); step++) {
        struct sbx_buf seen = SBX_BUF_INIT;
        T_EQ(feed(body, sizeof(body) - 1, step, &seen), 1);
        T_MEM(seen.data, seen.len, want, sizeof(want) - 1);
        sbx_buf_finish(&seen);
    }
}

static void a_body_cut_short_is_not_done(void) {
    static const char body[] = "--b0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--b0--\r\n";
    for (size_t len = 0; len < sizeof(body) - 3; len++) {
        struct sbx_buf seen = SBX_BUF_INIT;
        T_EQ(feed(body, len, 7, &seen), 0);
        sbx_buf_finish(&seen);
    }
}

static void a_part_without_a_name_is_malformed(void) {
    static const char body[] = "--b0\r\nContent-Type: text/plain\r\n\r\nvalue\r\n--b0--\r\n";
    struct sbx_buf seen = SBX_BUF_INIT;
    T_EQ(feed(body, sizeof(body) - 1, 64, &seen), -1);
    sbx_buf_finish(&seen);
}

static void a_type_without_a_boundary_is_none(void) {
    const struct sim_parts parts = {NULL, seen_begin, seen_data, seen_end};
    T_TRUE(!sim_multipart_new("multipart/form-data", &parts));
    T_TRUE(!sim_multipart_new("application/json", &parts));
    T_TRUE(!sim_multipart_new(NULL, &parts));
}

static void network(int (*check)(const char *, char *, size_t), const char *list, const char *want) {
    char why[400] = "";
    T_EQ(check(list, why, sizeof(why)), *want == 0);
    T_STR(why, want);
}

static void networks_need_ipv4_and_a_prefix(void) {
    network(sim_day_network_cidrs, "10.0.0.0/8, 192.168.1.1/32", "");
    network(sim_day_network_cidrs, "10.0.0.0",
            "Invalid network format: \"10.0.0.0\". Missing CIDR prefix length (e.g., /24)");
    network(sim_day_network_cidrs, "::1/64",
            "Invalid IP address: \"::1\" in network \"::1/64\". Must be a valid IPv4 address");
    network(sim_day_network_cidrs, "256.0.0.1/8",
            "Invalid IP address: \"256.0.0.1\" in network \"256.0.0.1/8\". Must be a valid IPv4 address");
    network(sim_day_network_cidrs, "1.2.3/8",
            "Invalid IP address: \"1.2.3\" in network \"1.2.3/8\". Must be a valid IPv4 address");
    network(sim_day_network_cidrs, "10.0.0.0/33", "Invalid CIDR prefix length: 33. Prefix must be between 0 and 32");
    network(sim_day_network_cidrs,
            "1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,1.1.1.1/8,"
            "1.1.1.1/8,1.1.1.1/8",
            "Network allow list cannot contain more than 10 networks");
}

static void domains_may_begin_with_a_wildcard(void) {
    network(sim_day_network_domains, "example.com,*.example.org", "");
    network(sim_day_network_domains, "localhost", "Invalid domain: \"localhost\". Must be a valid domain name");
    network(sim_day_network_domains, "a.*.com", "Invalid domain: \"a.*.com\". Must be a valid domain name");
    network(sim_day_network_domains, "-a.com", "Invalid domain: \"-a.com\". Must be a valid domain name");
}

static void stamped(int64_t wall_ms, const char *want) {
    char stamp[DAY_STAMP_SIZE];
    sim_day_stamp(wall_ms, stamp);
    T_STR(stamp, want);
}

static void stamps_know_the_calendar(void) {
    char go[DAY_STAMP_SIZE];
    stamped(0, "1970-01-01T00:00:00.000Z");
    stamped(1780315200000, "2026-06-01T12:00:00.000Z");
    stamped(951782399999, "2000-02-28T23:59:59.999Z");
    stamped(951782400000, "2000-02-29T00:00:00.000Z");
    stamped(1709251199000, "2024-02-29T23:59:59.000Z");
    stamped(1709251200000, "2024-03-01T00:00:00.000Z");
    stamped(4107542400000, "2100-03-01T00:00:00.000Z");
    sim_day_stamp_go(1780315200, go);
    T_STR(go, "2026-06-01 12:00:00 +0000 UTC");
}

T_CASES(T_CASE(stamps_know_the_calendar), T_CASE(every_split_gives_the_same_parts),
        T_CASE(a_body_cut_short_is_not_done), T_CASE(a_part_without_a_name_is_malformed),
        T_CASE(a_type_without_a_boundary_is_none), T_CASE(networks_need_ipv4_and_a_prefix),
        T_CASE(domains_may_begin_with_a_wildcard))
