/* awk's input: descriptors cut into records by RS, and the files that ARGV names. */
#include "sim/machine/awk/awk.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define INPUT_BYTES 8192

void sim_awk_input_start(struct awk *a, struct awk_input *in, int fd) {
    memset(in, 0, sizeof *in);
    in->fd = fd;
    in->cap = INPUT_BYTES;
    in->buf = sim_keep(a->p, in->cap + 1);
    struct sim_open *file = sim_fd_get(a->p, fd);
    if (file && fd > 2) a->p->fd_inherit[fd / 8] |= (uint8_t)(1U << (fd % 8));
}

void sim_awk_input_finish(struct awk *a, struct awk_input *in) {
    sim_drop(a->p, in->buf);
    in->buf = NULL;
    sim_tool_close(a->p, in->fd);
}

static void input_fill(struct awk *a, struct awk_input *in) {
    size_t have = in->end - in->start;
    if (in->start && have) memmove(in->buf, in->buf + in->start, have);
    in->start = 0;
    in->end = have;
    if (in->cap - have < INPUT_BYTES / 2) {
        char *grown = sim_keep(a->p, in->cap * 2 + 1);
        memcpy(grown, in->buf, have);
        sim_drop(a->p, in->buf);
        in->buf = grown;
        in->cap *= 2;
    }
    ptrdiff_t n = sim_sys_read(a->p, in->fd, in->buf + have, in->cap - have);
    if (n < 0) in->error = (int)n;
    if (n <= 0)
        in->eof = 1;
    else
        in->end += (size_t)n;
    in->buf[in->end] = '\0';
}

/* Where the record that begins the buffer ends, and how long its separator is. `seen` bytes hold none. */
static int input_find(struct awk *a, const struct awk_input *in, const struct awk_string *rs, size_t seen, size_t *end,
                      size_t *separator) {
    const char *text = in->buf + in->start;
    size_t have = in->end - in->start;
    if (rs->len <= 1) {
        const char *at = seen < have ? memchr(text + seen, rs->text[0], have - seen) : NULL;
        *separator = 1;
        if (rs->len == 0) { /* an empty line */
            for (size_t i = seen ? seen - 1 : 0; i + 1 < have; i++)
                if (text[i] == '\n' && text[i + 1] == '\n') {
                    *end = i;
                    *separator = 2;
                    return 1;
                }
            return 0;
        }
        if (at) *end = (size_t)(at - text);
        return at != NULL;
    }
    regmatch_t m;
    const struct awk_regex *regex = sim_awk_regex_of(a, rs->text, rs->len);
    for (size_t from = 0; from < have && sim_awk_regex_find(regex, text, have, from, &m);) {
        if (m.rm_eo == m.rm_so) {
            from = (size_t)m.rm_eo + 1;
            continue;
        }
        if ((size_t)m.rm_eo == have && !in->eof) return 0; /* it may go on */
        *end = (size_t)m.rm_so;
        *separator = (size_t)(m.rm_eo - m.rm_so);
        return 1;
    }
    return 0;
}

int sim_awk_input_next(struct awk *a, struct awk_input *in, const char **text, size_t *len) {
    struct awk_string *rs = sim_awk_text(a, &a->globals[AWK_V_RS].value, AWK_V_CONVFMT);
    size_t seen = 0, end = 0, separator = 0;
    int found;
    for (;;) {
        while (rs->len == 0 && in->start < in->end && in->buf[in->start] == '\n' && !seen) in->start++;
        found = input_find(a, in, rs, seen, &end, &separator);
        if (found || in->eof) break;
        seen = in->end - in->start;
        input_fill(a, in);
    }
    size_t have = in->end - in->start;
    if (!found && have) { /* what is behind the last separator */
        end = have;
        separator = 0;
        if (rs->len == 0 && in->buf[in->start + end - 1] == '\n') {
            end--;
            separator = 1;
        }
        found = 1;
    }
    *text = in->buf + in->start;
    *len = end;
    if (found) in->start += end + separator;
    sim_awk_string_drop(a, rs);
    return found ? 1 : in->error ? -1 : 0;
}

int sim_awk_assign_operand(struct awk *a, const char *text) {
    size_t n = 0, len;
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    if (text[n] != '=') return 0;
    struct sim_mark mark = sim_mark(a->p);
    int slot = sim_awk_global_find(a, sim_strndup(a->p, text, n), 0);
    char *value = sim_awk_unescape(a->p, text + n + 1, strlen(text + n + 1), &len);
    if (slot >= 0) sim_awk_set_text(a, &a->globals[slot].value, value, len, AWK_INPUT);
    if (slot == AWK_V_NF) sim_awk_field_count_set(a);
    sim_release(a->p, mark);
    return 1;
}

/* Opens the next file that ARGV names; standard input when it names none. */
static int main_open(struct awk *a) {
    struct awk_array *names = sim_awk_slot_array(a, &a->globals[AWK_V_ARGV]);
    while ((double)a->in_next < sim_awk_number(&a->globals[AWK_V_ARGC].value)) {
        char key[24];
        int n = snprintf(key, sizeof key, "%lld", (long long)a->in_next++);
        struct awk_entry *e = sim_awk_array_find(names, key, (size_t)n);
        if (!e) continue;
        struct awk_string *name = sim_awk_text(a, &e->value, AWK_V_CONVFMT);
        if (!name->len || sim_awk_assign_operand(a, name->text)) {
            sim_awk_string_drop(a, name);
            continue;
        }
        int fd = strcmp(name->text, "-") == 0 ? 0 : sim_sys_open(a->p, name->text, SIM_O_READ, 0);
        if (fd < 0) sim_awk_fail(a, "cannot open %s (%s)", name->text, sim_strerror(-fd));
        sim_awk_set_text(a, &a->globals[AWK_V_FILENAME].value, name->text, name->len, 0);
        sim_awk_string_drop(a, name);
        sim_awk_input_start(a, &a->in, fd);
        a->in_any = 1;
        return 1;
    }
    if (a->in_any) return 0;
    a->in_any = 1;
    sim_awk_input_start(a, &a->in, 0);
    return 1;
}

void sim_awk_main_next_file(struct awk *a) {
    if (a->in_open) sim_awk_input_finish(a, &a->in);
    a->in_open = 0;
}

int sim_awk_main_next(struct awk *a, const char **text, size_t *len) {
    while (!a->in_ended) {
        if (!a->in_open) {
            if (!main_open(a)) {
                a->in_ended = 1;
                break;
            }
            a->in_open = 1;
            a->fnr = 0;
            sim_awk_set_global(a, AWK_V_FNR, 0);
        }
        int got = sim_awk_input_next(a, &a->in, text, len);
        if (got > 0) return 1;
        if (got < 0) sim_awk_fail(a, "read error (%s)", sim_strerror(-a->in.error));
        sim_awk_main_next_file(a);
    }
    return 0;
}
