/* tr: bytes for bytes. */
#include "sim/machine/tools/tools.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_BUFFER 16384

struct tr_set {
    unsigned char v[1024];
    size_t n;
    const char *wrong;    /* what no tr would take */
    size_t fill, fill_at; /* [c*]: where, and whether */
};

static unsigned char tr_char(const char **at) {
    static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
    const char *s = *at;
    if (*s != '\\' || !s[1]) {
        *at = s + 1;
        return (unsigned char)*s;
    }
    s++;
    if (*s >= '0' && *s <= '7') {
        int value = 0, n = 0;
        while (n < 3 && *s >= '0' && *s <= '7' && value * 8 + (*s - '0') < 256) {
            value = value * 8 + (*s++ - '0');
            n++;
        }
        *at = s;
        return (unsigned char)value;
    }
    const char *hit = strchr(from, *s);
    *at = s + 1;
    return (unsigned char)(hit ? to[hit - from] : *s);
}

static void tr_add(struct tr_set *set, unsigned char c) {
    if (set->n < sizeof set->v)
        set->v[set->n++] = c;
    else
        set->wrong = "a set that is too long";
}

static int tr_in_class(const char *name, size_t len, int c) {
    static const struct {
        const char *name;
        const char *ranges;
    } classes[] = {{"alpha", "AZaz"},     {"digit", "09"},     {"alnum", "09AZaz"}, {"upper", "AZ"},
                   {"lower", "az"},       {"space", "\t\r  "}, {"blank", "\t\t  "}, {"xdigit", "09AFaf"},
                   {"punct", "!/:@[`{~"}, {"print", " ~"},     {"graph", "!~"},     {"cntrl", "\1\037\177\177"}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) != len || memcmp(classes[i].name, name, len) != 0) continue;
        if (c == 0) return strcmp(classes[i].name, "cntrl") == 0;
        for (const char *r = classes[i].ranges; *r; r += 2)
            if (c >= (unsigned char)r[0] && c <= (unsigned char)r[1]) return 1;
        return 0;
    }
    return -1;
}

/* [=c=] and [c*n]. @return 0 if it is neither */
static int tr_bracket(const char **at, struct tr_set *set) {
    const char *s = *at;
    if (s[0] != '[' || !s[1]) return 0;
    if (s[1] == '=' && s[2] && s[3] == '=' && s[4] == ']') {
        tr_add(set, (unsigned char)s[2]);
        *at = s + 5;
        return 1;
    }
    const char *behind = s + 1;
    unsigned char c = tr_char(&behind);
    size_t digits = *behind == '*' ? strspn(behind + 1, "0123456789") : 0;
    if (*behind != '*' || behind[1 + digits] != ']') return 0;
    long n = strtol(behind + 1, NULL, behind[1] == '0' ? 8 : 10);
    if (n == 0) {
        set->fill = 1;
        set->fill_at = set->n;
        tr_add(set, c);
    }
    for (; n > 0 && !set->wrong; n--) tr_add(set, c);
    *at = behind + digits + 2;
    return 1;
}

/* [c*] goes on until the second set is as long as the first. */
static void tr_fill(struct tr_set *set, size_t n) {
    if (!set->fill || set->n >= n) return;
    size_t more = n - set->n;
    if (set->n + more > sizeof set->v) return;
    memmove(set->v + set->fill_at + more, set->v + set->fill_at, set->n - set->fill_at);
    memset(set->v + set->fill_at, set->v[set->fill_at + more], more);
    set->n += more;
}

static void tr_parse(const char *at, struct tr_set *set) {
    while (*at) {
        const char *end = at[0] == '[' && at[1] == ':' ? strstr(at + 2, ":]") : NULL;
        if (end) {
            for (int c = 0; c < 256; c++) {
                int in = tr_in_class(at + 2, (size_t)(end - at - 2), c);
                if (in < 0) set->wrong = "invalid character class";
                if (in > 0) tr_add(set, (unsigned char)c);
            }
            at = end + 2;
            continue;
        }
        if (tr_bracket(&at, set)) continue;
        unsigned char low = tr_char(&at);
        if (at[0] == '-' && at[1]) {
            at++;
            unsigned char high = tr_char(&at);
            if (high < low) set->wrong = "range-endpoints are in reverse collating sequence order";
            for (int c = low; c <= high; c++) tr_add(set, (unsigned char)c);
        } else {
            tr_add(set, low);
        }
    }
}

static void tr_complement(struct tr_set *set) {
    char in[256] = {0};
    for (size_t i = 0; i < set->n; i++) in[set->v[i]] = 1;
    set->n = 0;
    for (int c = 0; c < 256; c++)
        if (!in[c]) tr_add(set, (unsigned char)c);
}

static int tool_tr(struct sim_proc *p, int argc, char **argv) {
    struct sim_opts o;
    struct tr_set *a = sim_alloc_zero(p, sizeof *a), *b = sim_alloc_zero(p, sizeof *b);
    int delete = 0, squeeze = 0, complement = 0, truncate = 0;
    sim_opts_start(&o, p, argc, argv, "+dsCct", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'd')
            delete = 1;
        else if (opt == 's')
            squeeze = 1;
        else if (opt == 'c' || opt == 'C')
            complement = 1;
        else if (opt == 't')
            truncate = 1;
        else
            return sim_opts_bad(&o);
    }
    int wanted = delete != squeeze ? 1 : 2;
    if (o.n < wanted || o.n > 2 || (delete &&!squeeze && o.n > 1)) {
        sim_errf(p, "tr: missing or extra operand\n");
        return 1;
    }
    tr_parse(o.operands[0], a);
    if (o.n == 2) tr_parse(o.operands[1], b);
    if (a->wrong || b->wrong) {
        sim_errf(p, "tr: %s\n", a->wrong ? a->wrong : b->wrong);
        return 1;
    }
    if (complement) tr_complement(a);
    tr_fill(b, a->n);
    unsigned char map[256];
    char drop[256] = {0}, once[256] = {0};
    for (int c = 0; c < 256; c++) map[c] = (unsigned char)c;
    if (delete) {
        for (size_t i = 0; i < a->n; i++) drop[a->v[i]] = 1;
    } else if (o.n == 2) {
        if (!b->n) {
            sim_errf(p, "tr: when not truncating set1, string2 must be non-empty\n");
            return 1;
        }
        for (size_t i = 0; i < a->n && (i < b->n || !truncate); i++) map[a->v[i]] = b->v[i < b->n ? i : b->n - 1];
    }
    const struct tr_set *squeezed = o.n == 2 ? b : a;
    for (size_t i = 0; squeeze && i < squeezed->n; i++) once[squeezed->v[i]] = 1;
    char buf[TEXT_BUFFER];
    ptrdiff_t n;
    int last = -1;
    while ((n = sim_sys_read(p, 0, buf, sizeof buf)) > 0) {
        for (ptrdiff_t i = 0; i < n; i++) {
            unsigned char c = (unsigned char)buf[i];
            if (drop[c]) continue;
            c = map[c];
            if (once[c] && last == c) continue;
            last = c;
            sim_out_char(p, (char)c);
        }
        if (p->out_error) return 1;
    }
    return n < 0 ? sim_tool_fail(p, "tr", "read error", (int)n) : 0;
}

const struct sim_tool sim_tools_tr[] = {{"tr", tool_tr}, {NULL, NULL}};
