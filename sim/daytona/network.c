/* Allow lists of a sandbox's network: IPv4 with a prefix, domains, ten at most. Pure. */
#include "sim/daytona/network.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define NETWORK_ENTRIES_MAX 10
#define NETWORK_ENTRY_SIZE  300

/* The next entry of a comma-separated list, trimmed. @return what is behind it, NULL at the end of the list */
static const char *network_entry(const char *at, char out[NETWORK_ENTRY_SIZE]) {
    size_t len = strcspn(at, ",");
    const char *rest = at[len] ? at + len + 1 : NULL;
    while (len > 0 && *at == ' ') at++, len--;
    while (len > 0 && at[len - 1] == ' ') len--;
    if (len >= NETWORK_ENTRY_SIZE) len = NETWORK_ENTRY_SIZE - 1;
    memcpy(out, at, len);
    out[len] = 0;
    return rest;
}

static int network_is_ipv4(const char *text) {
    int parts = 0;
    while (parts < 4) {
        char part[4] = "";
        int64_t value = 0;
        const size_t len = strcspn(text, ".");
        if (len == 0 || len > 3) return 0;
        memcpy(part, text, len);
        if (!sbx_text_int(part, 0, 255, &value)) return 0;
        parts++;
        text += len;
        if (*text == 0) break;
        text++;
    }
    return parts == 4 && *text == 0;
}

static int network_cidr(const char *entry, char *why, size_t why_cap) {
    char ip[NETWORK_ENTRY_SIZE];
    int64_t prefix = 0;
    const char *slash = strchr(entry, '/');
    if (!slash) {
        snprintf(why, why_cap, "Invalid network format: \"%s\". Missing CIDR prefix length (e.g., /24)", entry);
        return 0;
    }
    snprintf(ip, sizeof(ip), "%.*s", (int)(slash - entry), entry);
    if (!network_is_ipv4(ip)) {
        snprintf(why, why_cap, "Invalid IP address: \"%s\" in network \"%s\". Must be a valid IPv4 address", ip, entry);
        return 0;
    }
    if (!sbx_text_int(slash + 1, 0, 32, &prefix)) {
        snprintf(why, why_cap, "Invalid CIDR prefix length: %s. Prefix must be between 0 and 32", slash + 1);
        return 0;
    }
    return 1;
}

static int network_label_is_good(const char *label, size_t len) {
    if (len == 0 || len > 63 || label[0] == '-' || label[len - 1] == '-') return 0;
    for (size_t i = 0; i < len; i++) {
        const char c = label[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')) return 0;
    }
    return 1;
}

static int network_domain(const char *entry, char *why, size_t why_cap) {
    const char *at = strncmp(entry, "*.", 2) == 0 ? entry + 2 : entry;
    int labels = 0, good = 1;
    while (good) {
        const size_t len = strcspn(at, ".");
        good = network_label_is_good(at, len);
        labels++;
        if (!at[len]) break;
        at += len + 1;
    }
    if (good && labels >= 2 && strlen(entry) <= 253) return 1;
    snprintf(why, why_cap, "Invalid domain: \"%s\". Must be a valid domain name", entry);
    return 0;
}

static int network_list(const char *list, int (*check)(const char *entry, char *why, size_t why_cap),
                        const char *too_many, char *why, size_t why_cap) {
    int count = 0;
    for (const char *at = *list ? list : NULL; at;) {
        char entry[NETWORK_ENTRY_SIZE] = "";
        at = network_entry(at, entry);
        if (++count > NETWORK_ENTRIES_MAX) {
            snprintf(why, why_cap, "%s", too_many);
            return 0;
        }
        if (!check(entry, why, why_cap)) return 0;
    }
    return 1;
}

int sim_day_network_cidrs(const char *list, char *why, size_t why_cap) {
    return network_list(list, network_cidr, "Network allow list cannot contain more than 10 networks", why, why_cap);
}

int sim_day_network_domains(const char *list, char *why, size_t why_cap) {
    return network_list(list, network_domain, "Domain allow list cannot contain more than 10 domains", why, why_cap);
}
