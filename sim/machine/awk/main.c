/* awk: its command line, and the state that a program starts with. */
#include "sim/machine/awk/awk.h"
#include <string.h>

_Noreturn void sim_awk_fail(struct awk *a, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const char *text = sim_vformat(a->p, fmt, args);
    va_end(args);
    sim_out_flush(a->p);
    sim_errf(a->p, "awk: %s\n", text);
    if (a->streams) sim_awk_streams_flush(a);
    sim_proc_exit(a->p, 2);
}

static void awk_put(struct awk *a, int slot, const char *text) {
    sim_awk_set_text(a, &a->globals[slot].value, text, strlen(text), 0);
}

static void awk_start(struct awk *a, char **operands) {
    static const struct {
        int slot;
        const char *text;
    } texts[] = {{AWK_V_FS, " "},        {AWK_V_OFS, " "},        {AWK_V_RS, "\n"},    {AWK_V_ORS, "\n"},
                 {AWK_V_SUBSEP, "\034"}, {AWK_V_CONVFMT, "%.6g"}, {AWK_V_OFMT, "%.6g"}};
    static const int numbers[] = {AWK_V_NF, AWK_V_NR, AWK_V_FNR, AWK_V_RSTART};
    a->globals = sim_alloc_zero(a->p, a->name_count * sizeof *a->globals);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) awk_put(a, texts[i].slot, texts[i].text);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) sim_awk_set_global(a, numbers[i], 0);
    sim_awk_set_global(a, AWK_V_RLENGTH, -1);
    struct awk_array *env = sim_awk_slot_array(a, &a->globals[AWK_V_ENVIRON]);
    for (char **entry = a->p->env; entry && *entry; entry++) {
        size_t n = strcspn(*entry, "=");
        const char *value = (*entry)[n] ? *entry + n + 1 : "";
        sim_awk_set_text(a, sim_awk_array_at(a, env, *entry, n), value, strlen(value), AWK_INPUT);
    }
    struct awk_array *args = sim_awk_slot_array(a, &a->globals[AWK_V_ARGV]);
    sim_awk_set_text(a, sim_awk_array_at(a, args, "0", 1), "awk", 3, 0);
    int argc = 1;
    for (; *operands; operands++, argc++) {
        const char *key = sim_format(a->p, "%d", argc);
        sim_awk_set_text(a, sim_awk_array_at(a, args, key, strlen(key)), *operands, strlen(*operands), AWK_INPUT);
    }
    sim_awk_set_global(a, AWK_V_ARGC, argc);
    a->in_next = 1;
    sim_awk_record_set(a, "", 0);
    sim_draw_bytes(a->p->m->world, "machine.awk", &a->random, sizeof a->random);
}

static int tool_awk(struct sim_proc *p, int argc, char **argv) {
    struct awk *a = sim_alloc_zero(p, sizeof *a);
    struct sim_list assigns = {.p = p};
    struct sim_text program = {.p = p};
    struct sim_opts o;
    const char *separator = NULL;
    int given = 0;
    a->p = p;
    sim_opts_start(&o, p, argc, argv, "+F:v:f:", NULL);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        size_t len;
        if (opt == 'F')
            separator = o.arg;
        else if (opt == 'v')
            sim_list_add(&assigns, sim_strdup(p, o.arg));
        else if (opt == 'f') {
            int fd = sim_tool_open(p, "awk", o.arg);
            const char *text = fd < 0 ? NULL : sim_tool_read_all(p, "awk", o.arg, fd, &len);
            if (!text) return 2;
            sim_tool_close(p, fd);
            sim_text_str(&program, text);
            sim_text_char(&program, '\n');
            given = 1;
        } else
            return sim_opts_bad(&o);
    }
    char **operands = o.operands;
    if (!given) {
        if (!o.n) {
            sim_errf(p, "Usage: awk [-F fs] [-v var=value] [prog | -f progfile] [file ...]\n");
            return 2;
        }
        sim_text_str(&program, *operands++);
    }
    int code = sim_awk_parse(a, sim_text_get(&program));
    if (code) return code;
    awk_start(a, operands);
    if (separator) {
        size_t len;
        const char *fs = sim_awk_unescape(p, separator, strlen(separator), &len);
        sim_awk_set_text(a, &a->globals[AWK_V_FS].value, fs, len, 0);
    }
    for (size_t i = 0; i < assigns.n; i++)
        if (!sim_awk_assign_operand(a, assigns.items[i]))
            sim_awk_fail(a, "improper assignment: -v %s", (char *)assigns.items[i]);
    return sim_awk_run(a);
}

const struct sim_tool sim_tools_awk[] = {{"awk", tool_awk}, {"mawk", tool_awk}, {NULL, NULL}};
