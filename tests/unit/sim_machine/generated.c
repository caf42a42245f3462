/* Scripts that a seed makes from the language's features, on the machine and by this host's shells: each shows what it
 * computed, so that any difference in between is seen. A script that differs is shown with its seed. */
#include "compare.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPTS 300

struct maker {
    uint64_t state;
    struct sbx_buf out;
    int depth, loops, functions, in_function;
    int bash; /* which at times takes << of arithmetic within substitutions for a here-document */
};

static uint32_t draw(struct maker *m, uint32_t below) {
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(m->state >> 33) % below;
}

static void put(struct maker *m, const char *text) {
    sbx_buf_text_append(&m->out, text);
}

static const char *one_of(struct maker *m, const char *const *list, uint32_t n) {
    return list[draw(m, n)];
}
#define ONE_OF(m, list) one_of(m, list, sizeof(list) / sizeof(list)[0])

static void make_list(struct maker *m);
static void make_word(struct maker *m);

static void make_name(struct maker *m) {
    static const char *const names[] = {"a", "b", "c", "nope", "empty"};
    put(m, ONE_OF(m, names));
}

static void make_arith(struct maker *m, int depth) {
    static const char *const ops[] = {"+", "-", "*", "<", "==", "!=", "&", "|", "^", "&&", "||", "<<", ">="};
    static const char *const numbers[] = {"0", "1", "2", "7", "010", "0x1f", "n", "k", "$n", "${#a}", "$#"};
    if (depth > 2 || draw(m, 3) == 0) {
        put(m, ONE_OF(m, numbers));
        return;
    }
    switch (draw(m, 5)) {
    case 0:
        put(m, draw(m, 2) ? "-(" : "!(");
        make_arith(m, depth + 1);
        put(m, ")");
        break;
    case 1:
        put(m, "(");
        make_arith(m, depth + 1);
        put(m, "?");
        make_arith(m, depth + 1);
        put(m, ":");
        make_arith(m, depth + 1);
        put(m, ")");
        break;
    case 2:
        put(m, draw(m, 2) ? "(n=" : "(k+=");
        make_arith(m, depth + 1);
        put(m, ")");
        break;
    default:
        put(m, "(");
        make_arith(m, depth + 1);
        const char *op = ONE_OF(m, ops);
        put(m, m->bash && strcmp(op, "<<") == 0 ? "+2*" : op);
        make_arith(m, depth + 1);
        put(m, ")");
    }
}

static void make_param(struct maker *m) {
    static const char *const ops[] = {"-", ":-", "+", ":+", "=", ":=", "%", "%%", "#", "##"};
    static const char *const patterns[] = {"a*", "*a", "?", "[a-c]", "*", "b", "[!a]*", "'*'", "\\*", "${a}"};
    static const char *const whole[] = {"$a", "$b", "${c}", "$#", "$?", "$1", "${2}", "$nope", "$empty", "${#b}", "$*"};
    if (draw(m, 2)) {
        put(m, ONE_OF(m, whole));
        return;
    }
    const char *op = ONE_OF(m, ops);
    put(m, "${");
    make_name(m);
    put(m, op);
    if (op[0] == '%' || op[0] == '#')
        put(m, ONE_OF(m, patterns));
    else if (m->depth < 5)
        make_word(m);
    put(m, "}");
}

static void make_piece(struct maker *m) {
    static const char *const texts[] = {"x",        "y1", "foo", "\\*",  "'a b'", "'*'", "\\\"",
                                        "\"q  r\"", "''", "f*",  "[ab]", "=",     ":",   "~x"};
    m->depth++;
    switch (draw(m, 8)) {
    case 0:
    case 1:
    case 2:
        put(m, ONE_OF(m, texts));
        break;
    case 3:
    case 4:
        make_param(m);
        break;
    case 5:
        put(m, "\"");
        make_param(m);
        put(m, draw(m, 2) ? " w\"" : "\"");
        break;
    case 6:
        put(m, "$((");
        make_arith(m, 0);
        put(m, "))");
        break;
    default:
        if (m->depth > 3) {
            put(m, "z");
            break;
        }
        int quoted = draw(m, 2) == 0;
        put(m, quoted ? "\"$( " : "$( ");
        make_list(m);
        put(m, quoted ? ")\"" : ")");
    }
    m->depth--;
}

static void make_word(struct maker *m) {
    make_piece(m);
    if (draw(m, 3) == 0) make_piece(m);
}

static void make_words(struct maker *m) {
    for (uint32_t n = draw(m, 4); n > 0; n--) {
        put(m, " ");
        make_word(m);
    }
}

static void make_simple(struct maker *m) {
    static const char *const commands[] = {"true",
                                           "false",
                                           ":",
                                           "( exit 3)",
                                           "[ \"$a\" = \"$b\" ]",
                                           "[ $n -lt 3 ]",
                                           "shift 2>/dev/null || :",
                                           "k=$((k+1))",
                                           "n=$((n+1))",
                                           "unset c",
                                           "set -- \"$@\" x",
                                           "set -- $a $b",
                                           "eval 'b=$a'",
                                           "IFS=:; IFS=' '"};
    const unsigned kind = (unsigned)draw(m, 7);
    switch (kind) {
    case 0:
        put(m, ONE_OF(m, commands));
        break;
    case 1:
        put(m, draw(m, 3) ? "a=" : "c=");
        make_word(m);
        break;
    case 2:
        put(m, "for w in");
        make_words(m);
        put(m, "; do show \"$w\"; done");
        break;
    case 3:
    default:
        put(m, kind == 3 && m->functions && !m->in_function ? "f" : draw(m, 4) ? "show" : "b=pre show");
        make_words(m);
    }
}

static void make_compound(struct maker *m) {
    static const char *const patterns[] = {"a*", "?", "*b", "''", "[0-9]*", "x|y1", "\"$a\"", "$b"};
    switch (draw(m, 9)) {
    case 0:
        put(m, "if ");
        make_list(m);
        put(m, "; then ");
        make_list(m);
        put(m, "; else ");
        make_list(m);
        put(m, "; fi");
        break;
    case 1:
        sbx_buf_printf(&m->out, "i%d=0; while [ $((i%d+=1)) -le 2 ]; do ", m->loops, m->loops);
        m->loops++;
        make_list(m);
        put(m, draw(m, 3) ? "; done" : "; break; done");
        break;
    case 2:
        put(m, "for v in");
        make_words(m);
        put(m, "; do ");
        make_list(m);
        put(m, draw(m, 3) ? "; done" : "; continue; show no; done");
        break;
    case 3:
        put(m, "case ");
        make_word(m);
        for (uint32_t n = draw(m, 3); n > 0; n--) {
            put(m, n == 1 ? " in " : "");
            if (n != 1) continue;
            put(m, ONE_OF(m, patterns));
            put(m, ") ");
            make_list(m);
            put(m, ";; *) ");
            make_list(m);
            put(m, ";; esac");
            return;
        }
        put(m, " in *) show any;; esac");
        break;
    case 4:
        put(m, "( "); /* two together are arithmetic to bash */
        make_list(m);
        put(m, ")");
        break;
    case 5:
        put(m, "{ ");
        make_list(m);
        put(m, "; }");
        break;
    case 6:
        put(m, "{ ");
        make_list(m);
        put(m, "; } | { while read -r l; do show \"$l\"; done; }");
        break;
    case 7: {
        int file = m->loops++; /* nobody reads what he writes */
        put(m, "{ ");
        make_list(m);
        sbx_buf_printf(&m->out, "; } >out%d; cat <out%d", file, file);
        break;
    }
    default:
        put(m, "( set -e; ");
        make_list(m);
        put(m, "; show end)");
    }
}

static void make_list(struct maker *m) {
    static const char *const between[] = {"; ", "; ", "; ", " && ", " || ", "\n"};
    m->depth++;
    for (uint32_t n = 1 + draw(m, 3), i = 0; i < n; i++) {
        if (i) put(m, ONE_OF(m, between));
        if (draw(m, 12) == 0) put(m, "! ");
        if (m->depth < 4 && draw(m, 3) == 0)
            make_compound(m);
        else
            make_simple(m);
    }
    m->depth--;
}

static void make_script(struct maker *m, uint64_t seed) {
    m->state = seed * 2654435761u + 12345;
    for (int i = 0; i < 8; i++) draw(m, 2);
    put(m, "show() { printf '[%s]' \"$#\" \"$@\"; echo; }\n"
           ": >fa; : >fb\na=abc b='b a*b' empty= n=2 k=1\n");
    if (draw(m, 2)) {
        put(m, "f() { local c; c=$1; ");
        m->in_function = 1;
        make_list(m);
        m->in_function = 0;
        m->functions = 1;
        put(m, draw(m, 3) ? "; }\n" : "; return 4; show no; }\n");
    }
    if (draw(m, 4) == 0) put(m, "trap 'show bye \"$?\"' EXIT\n");
    for (uint32_t n = 3 + draw(m, 4); n > 0; n--) {
        make_list(m);
        put(m, "\n");
    }
    put(m, "show \"$?\" \"$a\" \"$b\" \"$c\" \"$n\" \"$k\" \"$#\"\n");
}

static void compare_generated(const char *shell, uint64_t first) {
    struct compare c;
    const char *from = getenv("SANDPORT_SCRIPT_SEED"), *count = getenv("SANDPORT_SCRIPT_COUNT");
    uint64_t seed = from ? strtoull(from, NULL, 10) : first;
    size_t n = count ? (size_t)strtoull(count, NULL, 10) : from ? 1 : SCRIPTS;
    compare_start(&c, shell);
    c.shows_text = 1;
    for (size_t i = 0; i < n; i++) {
        struct maker m = {.bash = strcmp(shell, "bash") == 0};
        char name[48];
        make_script(&m, seed + i);
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)(seed + i));
        compare_add(&c, name, sbx_buf_text(&m.out));
        sbx_buf_finish(&m.out);
    }
    compare_run(&c);
    if (c.wrong_count) T_FAIL("%zu differences in %zu scripts\n%s", c.wrong_count, n, sbx_buf_text(&c.wrong));
    compare_finish(&c);
}

static void made_scripts_are_as_by_the_hosts_sh(void) {
    compare_generated("sh", 1);
}

static void made_scripts_are_as_by_the_hosts_bash(void) {
    compare_generated("bash", 100001);
}

T_CASES(T_CASE(made_scripts_are_as_by_the_hosts_sh), T_CASE(made_scripts_are_as_by_the_hosts_bash))
