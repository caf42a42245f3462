/* Network policies of a launch: what a provider could not enforce is refused, never sent in hope. Row D18 (at create).
 */
#include <sandport/kit/ops.h>
#include <string.h>

static int is_ipv4(const char *text, size_t len) {
    int parts = 0;
    while (len) {
        size_t n = 0, value = 0;
        while (n < len && text[n] >= '0' && text[n] <= '9' && n < 3) value = value * 10 + (size_t)(text[n++] - '0');
        if (n == 0 || value > 255 || (n > 1 && text[0] == '0')) return 0;
        parts++;
        if (n == len) break;
        if (text[n] != '.' || n + 1 == len) return 0;
        text += n + 1;
        len -= n + 1;
    }
    return parts == 4;
}

static int is_cidr(const char *text, size_t len) {
    const char *slash = memchr(text, '/', len);
    size_t digits = slash ? (size_t)(text + len - slash) - 1 : 0;
    if (!slash || digits < 1 || digits > 2) return 0;
    int prefix = 0;
    for (size_t i = 1; i <= digits; i++) {
        if (slash[i] < '0' || slash[i] > '9') return 0;
        prefix = prefix * 10 + (slash[i] - '0');
    }
    return prefix <= 32 && is_ipv4(text, (size_t)(slash - text));
}

static int is_host(const char *text, size_t len) {
    size_t label = 0, dots = 0;
    if (len > 2 && text[0] == '*' && text[1] == '.') {
        text += 2;
        len -= 2;
    }
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (c == '.') {
            if (label == 0 || text[i - 1] == '-') return 0;
            label = 0;
            dots++;
        } else if (plain || (c == '-' && label > 0)) {
            label++;
        } else {
            return 0;
        }
        if (label > 63) return 0;
    }
    return len > 0 && len <= 253 && label > 0 && dots > 0;
}

static enum sbx_status wrong(struct sbx_error *err, enum sbx_status st, const char *field, const char *expected) {
    return sbx_fail(err, st, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
}

static enum sbx_status list_check(const char *list, const char *field, int (*is_one)(const char *text, size_t len),
                                  const char *expected, size_t entries_max, struct sbx_error *err) {
    size_t n = 0;
    for (const char *at = list; at && *at;) {
        size_t len = strcspn(at, ",");
        if (!is_one(at, len)) return wrong(err, SBX_UNSUPPORTED, field, expected);
        if (entries_max && ++n > entries_max)
            return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NONE, "%s: expected at most %zu entries", field,
                            entries_max);
        at += len;
        if (*at && !*++at) return wrong(err, SBX_UNSUPPORTED, field, expected);
    }
    return SBX_OK;
}

enum sbx_status sbx_launch_network_check(const struct sbx_launch_options *opt, size_t entries_max,
                                         struct sbx_error *err) {
    int cidrs = opt->network_allow_list && *opt->network_allow_list;
    int hosts = opt->domain_allow_list && *opt->domain_allow_list;
    if (cidrs && hosts) return wrong(err, SBX_UNSUPPORTED, "domain_allow_list", "no list of CIDR ranges beside it");
    if (opt->network_block_all == SBX_YES && (cidrs || hosts))
        return wrong(err, SBX_INVALID_ARGUMENT, "network_block_all", "no allow list beside it");
    enum sbx_status st = list_check(opt->network_allow_list, "network_allow_list", is_cidr,
                                    "IPv4 ranges with a prefix length, like 10.0.0.0/8", entries_max, err);
    return st ? st
              : list_check(opt->domain_allow_list, "domain_allow_list", is_host, "host names, *. allowed first",
                           entries_max, err);
}

int sbx_launch_blocks_all(const struct sbx_launch_options *opt) {
    return opt->network_block_all == SBX_YES || (opt->network_allow_list && !*opt->network_allow_list) ||
           (opt->domain_allow_list && !*opt->domain_allow_list);
}
