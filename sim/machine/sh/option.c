/* The shell's options: set -e and its like, by letter and by name. */
#include "sim/machine/sh/sh.h"
#include <string.h>

/** An option as both shells call it; letter 0: it has none there. */
struct option {
    const char *name;
    char dash, bash; /* in $-, and as set takes them */
};

/* In dash's order, which is that of set -o; $- has it backwards. */
static const struct option option_list[] = {{"errexit", 'e', 'e'},   {"noglob", 'f', 'f'},  {"ignoreeof", 'I', 0},
                                            {"interactive", 'i', 0}, {"monitor", 'm', 'm'}, {"noexec", 'n', 'n'},
                                            {"stdin", 's', 0},       {"xtrace", 'x', 'x'},  {"verbose", 'v', 'v'},
                                            {"vi", 'V', 0},          {"emacs", 'E', 0},     {"noclobber", 'C', 'C'},
                                            {"allexport", 'a', 'a'}, {"notify", 'b', 'b'},  {"nounset", 'u', 'u'},
                                            {"privileged", 'p', 0},  {"nolog", 0, 0},       {"debug", 0, 0}};
#define OPTION_COUNT (sizeof option_list / sizeof option_list[0])

/* bash's names in its order; '+' is on, '-' off and neither can be changed here. */
static const struct option option_bash[] = {{"allexport", 0, 'a'},
                                            {"braceexpand", 0, '+'},
                                            {"emacs", 0, '-'},
                                            {"errexit", 0, 'e'},
                                            {"errtrace", 0, '-'},
                                            {"functrace", 0, '-'},
                                            {"hashall", 0, '+'},
                                            {"histexpand", 0, '-'},
                                            {"history", 0, '-'},
                                            {"ignoreeof", 0, 'I'},
                                            {"interactive-comments", 0, '+'},
                                            {"keyword", 0, '-'},
                                            {"monitor", 0, 'm'},
                                            {"noclobber", 0, 'C'},
                                            {"noexec", 0, 'n'},
                                            {"noglob", 0, 'f'},
                                            {"nolog", 0, '-'},
                                            {"notify", 0, 'b'},
                                            {"nounset", 0, 'u'},
                                            {"onecmd", 0, '-'},
                                            {"physical", 0, '-'},
                                            {"pipefail", 0, 'P'},
                                            {"posix", 0, '-'},
                                            {"privileged", 0, '-'},
                                            {"verbose", 0, 'v'},
                                            {"vi", 0, '-'},
                                            {"xtrace", 0, 'x'}};
#define OPTION_BASH_COUNT (sizeof option_bash / sizeof option_bash[0])

static int *option_place(struct sh *sh, char c) {
    switch (c) {
    case 'a':
        return &sh->opt_a;
    case 'b':
        return &sh->opt_b;
    case 'C':
        return &sh->opt_C;
    case 'e':
        return &sh->opt_e;
    case 'f':
        return &sh->opt_f;
    case 'I':
        return &sh->opt_ignoreeof;
    case 'm':
        return &sh->opt_m;
    case 'n':
        return &sh->opt_n;
    case 'u':
        return &sh->opt_u;
    case 'v':
        return &sh->opt_v;
    case 'x':
        return &sh->opt_x;
    default:
        return NULL;
    }
}

int sim_sh_set_option(struct sh *sh, char c, int on) {
    if (sh->bash && c == 'I') return 0;
    int *option = option_place(sh, c);
    if (!option) return 0;
    if (c == 'm' && on && !sh->bash) { /* as dash without a terminal */
        sim_sh_warn(sh, "can't access tty; job control turned off");
        return 1;
    }
    *option = on;
    return 1;
}

int sim_sh_set_named_option(struct sh *sh, const char *name, int on) {
    const struct option *list = sh->bash ? option_bash : option_list;
    size_t n = sh->bash ? OPTION_BASH_COUNT : OPTION_COUNT, i = 0;
    while (i < n && strcmp(list[i].name, name) != 0) i++;
    if (i == n) return 0;
    char c = sh->bash ? list[i].bash : list[i].dash;
    if (c == 'P') {
        sh->opt_pipefail = on;
    } else if (c == 'I') {
        sh->opt_ignoreeof = on;
    } else if (c == '+' || c == '-') {
        if (on != (c == '+')) sim_sh_unsupported(sh, "set %co %s", on ? '-' : '+', name);
    } else if (!c || !sim_sh_set_option(sh, c, on)) {
        if (on) sim_sh_unsupported(sh, "set -o %s", name);
    }
    return 1;
}

static int option_is_on(struct sh *sh, const struct option *option) {
    char c = sh->bash ? option->bash : option->dash;
    if (c == 'P') return sh->opt_pipefail;
    if (c == 's') return sh->from_stdin;
    const int *place = option_place(sh, c);
    return place ? *place : c == '+';
}

const char *sim_sh_option_letters(struct sh *sh) {
    struct sim_text text = {.p = sh->p};
    for (size_t i = OPTION_COUNT; !sh->bash && i-- > 0;)
        if (option_list[i].dash && option_is_on(sh, &option_list[i])) sim_text_char(&text, option_list[i].dash);
    static const char letters[] = "abefhmnuvxBC";
    for (const char *c = letters; sh->bash && *c; c++) {
        const int *place = option_place(sh, *c);
        if (*c == 'h' || *c == 'B' || (place && *place)) sim_text_char(&text, *c);
    }
    if (sh->bash && sh->from_c) sim_text_char(&text, 'c');
    if (sh->bash && sh->from_stdin) sim_text_char(&text, 's');
    return sim_text_get(&text);
}

void sim_sh_show_options(struct sh *sh, int commands) {
    const struct option *list = sh->bash ? option_bash : option_list;
    size_t n = sh->bash ? OPTION_BASH_COUNT : OPTION_COUNT;
    if (!sh->bash && !commands) sim_out_str(sh->p, "Current option settings\n");
    for (size_t i = 0; i < n; i++) {
        int on = option_is_on(sh, &list[i]);
        if (commands)
            sim_outf(sh->p, "set %co %s\n", on ? '-' : '+', list[i].name);
        else if (sh->bash)
            sim_outf(sh->p, "%-15s\t%s\n", list[i].name, on ? "on" : "off");
        else
            sim_outf(sh->p, "%-16s%s\n", list[i].name, on ? "on" : "off");
    }
}
