/* What the corpus must have: scripts enough about each feature of the shell and each tool, and nothing that is not
 * played. A script is about what its title names. */
#include "rig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS "tests/unit/sim_machine/corpus"
#define LEAST  10

/* A subject by the words that a title may have for it; a tool's is also a word of the script. */
struct subject {
    const char *words;
    int tool;
    size_t count;
};

static struct subject subjects[] = {
#define TOOL(name)                                                                                                     \
    { name, 1, 0 }
    TOOL("cat"),
    TOOL("tac"),
    TOOL("echo"),
    TOOL("printf"),
    TOOL("true"),
    TOOL("false"),
    TOOL("sleep"),
    TOOL("date"),
    TOOL("env"),
    TOOL("printenv"),
    TOOL("pwd"),
    TOOL("ls"),
    TOOL("stat"),
    TOOL("find"),
    TOOL("mkdir"),
    TOOL("rmdir"),
    TOOL("rm"),
    TOOL("mv"),
    TOOL("cp"),
    TOOL("ln"),
    TOOL("readlink"),
    TOOL("realpath"),
    TOOL("touch"),
    TOOL("chmod"),
    TOOL("chown"),
    TOOL("mktemp"),
    TOOL("head"),
    TOOL("tail"),
    TOOL("wc"),
    TOOL("sort"),
    TOOL("uniq"),
    TOOL("cut"),
    TOOL("tr"),
    TOOL("grep"),
    TOOL("sed"),
    TOOL("awk"),
    TOOL("tee"),
    TOOL("xargs"),
    TOOL("seq"),
    TOOL("basename"),
    TOOL("dirname"),
    TOOL("base64"),
    TOOL("sha256sum"),
    TOOL("md5sum"),
    TOOL("od"),
    TOOL("cmp"),
    TOOL("diff"),
    TOOL("tar"),
    TOOL("gzip"),
    TOOL("kill"),
    TOOL("ps"),
    TOOL("nohup"),
    TOOL("setsid"),
    TOOL("timeout"),
    TOOL("which"),
    TOOL("id"),
    TOOL("whoami"),
    TOOL("hostname"),
    TOOL("uname"),
    TOOL("df"),
    TOOL("du"),
    TOOL("yes"),
    TOOL("sh"),
    TOOL("bash"),
    {"test [", 0, 0},
    {"quoting quotes quoted", 0, 0},
    {"parameter expansion default length prefix suffix", 0, 0},
    {"arithmetic", 0, 0},
    {"substitution substitutions", 0, 0},
    {"pipe pipes pipeline pipelines", 0, 0},
    {"redirection redirections", 0, 0},
    {"here-document here-documents heredoc", 0, 0},
    {"list lists", 0, 0},
    {"if", 0, 0},
    {"while", 0, 0},
    {"until", 0, 0},
    {"for", 0, 0},
    {"case", 0, 0},
    {"function functions", 0, 0},
    {"subshell subshells", 0, 0},
    {"group groups", 0, 0},
    {"background", 0, 0},
    {"wait", 0, 0},
    {"EXIT", 0, 0},
    {"INT", 0, 0},
    {"TERM", 0, 0},
    {"errexit -e", 0, 0},
    {"nounset -u", 0, 0},
    {"xtrace -x", 0, 0},
    {"pipefail", 0, 0},
    {"$?", 0, 0},
    {"$$", 0, 0},
    {"$!", 0, 0},
    {"cd", 0, 0},
    {"read", 0, 0},
    {"export exports exported", 0, 0},
    {"unset", 0, 0},
    {"shift", 0, 0},
    {"getopts", 0, 0},
    {"eval", 0, 0},
    {"exec", 0, 0},
    {"exit", 0, 0},
    {"return", 0, 0},
    {"umask", 0, 0},
    {"glob globs", 0, 0},
    {"assignment assignments", 0, 0},
};
#undef TOOL
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

/* Is it a word of the text, between blanks and what may stand beside a command? */
static int has_word(const char *text, const char *word, size_t len, const char *beside) {
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || strchr(beside, at[-1])) && (!at[len] || strchr(beside, at[len]))) return 1;
    return 0;
}

static int is_about(const char *title, const struct subject *s) {
    for (const char *at = s->words; *at; at += strspn(at, " ")) {
        char word[32];
        size_t len = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)len, at);
        if (has_word(title, word, len, " ,:]")) return 1;
        at += len;
    }
    return 0;
}

static void count(void *ctx, const char *title, const char *text) {
    (void)ctx;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct subject *s = &subjects[i];
        if (is_about(title, s) && (!s->tool || has_word(text, s->words, strlen(s->words), " \t\n;|&(){}!`/'\"")))
            s->count++;
    }
}

static void each_file(void (*visit)(void *ctx, const char *name, const char *path), void *ctx) {
    DIR *dir = opendir(CORPUS);
    T_TRUE(dir != NULL);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[300];
        if (*e->d_name == '.') continue;
        snprintf(path, sizeof path, CORPUS "/%s", e->d_name);
        visit(ctx, e->d_name, path);
    }
    closedir(dir);
}

static void count_file(void *ctx, const char *name, const char *path) {
    (void)name;
    *(size_t *)ctx += rig_corpus(path, count, NULL);
}

static void every_tool_and_feature_has_scripts_enough(void) {
    struct sbx_buf few = SBX_BUF_INIT;
    size_t total = 0;
    each_file(count_file, &total);
    for (size_t i = 0; i < SUBJECTS; i++)
        if (subjects[i].count < LEAST) sbx_buf_printf(&few, "  %s: %zu\n", subjects[i].words, subjects[i].count);
    if (few.len) T_FAIL("of %d scripts that each must have there are only\n%s", LEAST, sbx_buf_text(&few));
    T_TRUE(total >= 2400);
}

static void look_up(void *ctx, const char *name, const char *path) {
    char use[160];
    (void)path;
    snprintf(use, sizeof use, "CORPUS(%.*s, ", (int)strcspn(name, "."), name);
    if (!strstr(ctx, use)) T_FAIL("%s is not played by differential.c", name);
}

static void every_file_is_played(void) {
    size_t len;
    char *text = t_read_source("tests/unit/sim_machine/differential.c", &len);
    each_file(look_up, text);
    free(text);
}

/* A counter that finds everything everywhere would be satisfied by anything. */
static void the_counter_tells_words_apart(void) {
    static const struct subject rm = {"rm", 1, 0}, test = {"test [", 0, 0};
    T_TRUE(is_about("rm -r of a tree", &rm));
    T_TRUE(!is_about("rmdir", &rm));
    T_TRUE(!is_about("charm", &rm));
    T_TRUE(is_about("[bash] test of files", &test));
    T_TRUE(is_about("what [ says", &test));
    T_TRUE(!has_word("charm; rmdir x", "rm", 2, " ;"));
    T_TRUE(has_word("x; rm y", "rm", 2, " ;"));
}

T_CASES(T_CASE(every_tool_and_feature_has_scripts_enough), T_CASE(every_file_is_played),
        T_CASE(the_counter_tells_words_apart))
