/* Searches and changes of files by real shells and real tools: what is found, what is left of a file. Rows P11, D14. */
#include "shell_host.h"
#include "src/port/port.h"
#include "t.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct shell_host *at; /* the host at hand */

static void outside(const char *command) {
    char line[2048];
    snprintf(line, sizeof(line), "cd %s && { %s\n}", at->dir, command);
    if (system(line) != 0) T_FAIL("%s", command);
}

/* A path below the test's folder; until the fourth call after. */
static const char *below(const char *name) {
    static char paths[4][256];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, 256, "%s%s%s", at->dir, *name ? "/" : "", name);
    return path;
}

/* Each entry, without the folder: "path line text;". */
static void told(const struct sbx_files *files, const char *want) {
    struct sbx_buf all = SBX_BUF_INIT;
    const size_t dir = strlen(at->dir);
    for (size_t i = 0; i < sbx_files_count(files); i++) {
        const char *path = sbx_files_path(files, i);
        if (strncmp(path, at->dir, dir) == 0) path += dir;
        sbx_buf_text_append(&all, path);
        if (sbx_files_line(files, i))
            sbx_buf_printf(&all, " %lld %s", (long long)sbx_files_line(files, i), sbx_files_text(files, i));
        sbx_buf_char(&all, ';');
    }
    T_STR(sbx_buf_text(&all), want);
    sbx_buf_finish(&all);
}

static void found(const char *dir, const char *pattern, enum sbx_status st, const char *want) {
    struct sbx_files *files = sbx_port_files_new();
    T_STATUS(sbx_work_search(&at->work, dir, pattern, &at->call, files, &at->err), st);
    told(files, want);
    sbx_files_free(files);
}

static void lines(const char *dir, const char *text, enum sbx_status st, const char *want) {
    struct sbx_files *files = sbx_port_files_new();
    T_STATUS(sbx_work_find_text(&at->work, dir, text, &at->call, files, &at->err), st);
    told(files, want);
    sbx_files_free(files);
}

/* ---- what is found ---- */

static void names_on(struct shell_host *host) {
    at = host;
    outside("mkdir -p t/d.txt t/e && touch t/a.txt t/b.TXT 't/d.txt/c.txt' 't/e/l1\nl2.txt' 't/-rf.txt' "
            "\"t/$(printf '\\303\\274').txt\" && ln -s t link && ln -s nowhere t/e/gone.txt");
    found(below("t"), "?.txt", SBX_OK, "/t/a.txt;/t/d.txt;/t/d.txt/c.txt;/t/\xc3\xbc.txt;");
    found(below("t/"), "[^a-c].txt", SBX_OK, "/t/d.txt;/t/\xc3\xbc.txt;");
    found(below("link"), "*f.txt", SBX_OK, "/link/-rf.txt;");
    found(below("t"), "l1\nl2*", SBX_OK, "/t/e/l1\nl2.txt;");
    found(below("t"), "$(id)", SBX_OK, "");
    found(below("t"), "[a", SBX_INVALID_ARGUMENT, "");
    T_CONTAINS(at->err.detail, "pattern");
    T_EQ(at->err.outcome, SBX_OUTCOME_NOT_SENT);
    found(below("none"), "*", SBX_FILE_NOT_FOUND, "");
    T_EQ(at->err.outcome, SBX_OUTCOME_REFUSED);
    found(below("t/a.txt"), "*", SBX_INVALID_ARGUMENT, "");
    T_CONTAINS(at->err.detail, "dir");
    found(below("t/a.txt/x"), "*", SBX_INVALID_ARGUMENT, "");
}
static void names_are_found(void) {
    shell_host_each(names_on);
}

static void lines_on(struct shell_host *host) {
    at = host;
    outside(
        "mkdir -p 't/a b' t/c && printf 'one\\ntwo $(x) it'\"'\"'s\\r\\n' >'t/a b/f' && printf 'x\\0two\\n' >t/bin && "
        "printf '\\377two\\303\\274\\nno\\ntwo' >t/c/g && printf 'two\\n' >t/c.txt && touch t/empty");
    lines(below("t"), "two", SBX_OK,
          "/t/a b/f 2 two $(x) it's;/t/c/g 1 \xef\xbf\xbdtwo\xc3\xbc;/t/c/g 3 two;/t/c.txt 1 two;");
    lines(below("t/c/g"), "no", SBX_OK, "/t/c/g 2 no;");
    lines(below("t"), "$(x) it's", SBX_OK, "/t/a b/f 2 two $(x) it's;");
    lines(below("t"), "t.o", SBX_OK, "");
    lines(below("t"), "-e", SBX_OK, "");
    lines(below("t"), "one\ntwo", SBX_OK, "");
    lines(below("none"), "x", SBX_FILE_NOT_FOUND, "");
    lines(below("none"), "x\ny", SBX_FILE_NOT_FOUND, "");
    outside("mkfifo t/pipe");
    lines(below("t"), "three", SBX_OK, "");
    lines(below("t/pipe"), "x", SBX_INVALID_ARGUMENT, "");
}
static void lines_are_found(void) {
    shell_host_each(lines_on);
}

static void no_find_on(struct shell_host *host) {
    at = host;
    shell_host_commands(host, "sh ls grep");
    found(below(""), "*", SBX_TOOL_MISSING, "");
    T_STR(host->err.detail, "find");
}
static void without_a_find(void) {
    shell_host_each(no_find_on);
}

/* ---- what is replaced ---- */

static enum sbx_status replaced(const char *name, const char *text, const char *with) {
    struct sbx_files *files = sbx_port_files_new();
    const char *const paths[] = {below(name)};
    enum sbx_status st = sbx_work_replace(&at->work, paths, 1, text, with, &at->call, files, &at->err);
    if (!st || at->err.outcome == SBX_OUTCOME_DONE) T_EQ(sbx_files_status(files, 0), st);
    sbx_files_free(files);
    return st;
}

/* Nothing of the last question is left. */
static void nothing_temporary(void) {
    char command[64];
    const char *dir = strstr(at->last_line, "/tmp/.sbx-edit-");
    T_TRUE(dir != NULL);
    snprintf(command, sizeof(command), "test ! -e %.31s", dir);
    outside(command);
}

/* @param before, after as printf writes them */
static void becomes(const char *before, const char *text, const char *with, const char *after) {
    char command[512];
    snprintf(command, sizeof(command), "printf '%s' >f && chmod 640 f", before);
    outside(command);
    T_STATUS(replaced("f", text, with), SBX_OK);
    snprintf(command, sizeof(command), "printf '%s' | cmp - f && test $(stat -c %%a f) = 640", after);
    outside(command);
    nothing_temporary();
}

static void texts_on(struct shell_host *host) {
    at = host;
    becomes("x x\\n", "x", "xx", "xx xx\\n");
    becomes("no end", "end", "", "no ");
    becomes("a\\0b\\377\\200b\\r\\n\\n", "b", "&\\1/", "a\\0&\\\\1/\\377\\200&\\\\1/\\r\\n\\n");
    becomes("a.b*[c]^$/\\\\n|+?(){}\\n", ".b*[c]^$/\\n|+?(){}", "!", "a!\\n");
    becomes("axb\\n", "a.b", "!", "axb\\n");
    becomes("a\\nb\\nc\\n", "a\nb", "1\n2", "1\\n2\\nc\\n");
    becomes("a\\nb\\n", "b\n", "c", "a\\nc");
    becomes("a\\n\\nb", "\n", "", "ab");
    becomes("a\\0\\n\\n\\377", "\n\n", "\n", "a\\0\\n\\377");
    becomes("one line", "one", "two\nlines", "two\\nlines line");
    becomes("", "x", "y", "");
    becomes("it'\"'\"'s $HOME\\n", "'s $HOME", "`id`", "it`id`\\n");
}
static void texts_are_replaced(void) {
    shell_host_each(texts_on);
}

static void each_on(struct shell_host *host) {
    static const enum sbx_status want[] = {SBX_OK, SBX_FILE_NOT_FOUND, SBX_INVALID_ARGUMENT, SBX_OK,
                                           SBX_INVALID_ARGUMENT};
    struct sbx_files *files = sbx_port_files_new();
    char paths[5][256];
    const char *list[5];
    at = host;
    outside("mkdir d && echo x >a && ln -s a link && mkfifo pipe");
    for (size_t i = 0; i < 5; i++) {
        static const char *const names[] = {"a", "none\nthere", "d", "link", "pipe"};
        snprintf(paths[i], sizeof(paths[i]), "%s/%s", host->dir, names[i]);
        list[i] = paths[i];
    }
    T_STATUS(sbx_work_replace(&host->work, list, 5, "x", "xx", &host->call, files, &host->err), SBX_FILE_NOT_FOUND);
    T_EQ(host->err.outcome, SBX_OUTCOME_DONE);
    T_CONTAINS(host->err.detail, "paths[1]");
    T_EQ(sbx_files_count(files), 5);
    for (size_t i = 0; i < 5; i++) {
        T_STR(sbx_files_path(files, i), list[i]);
        T_EQ(sbx_files_status(files, i), want[i]);
    }
    outside("test $(cat a) = xxxx && test -L link");
    sbx_files_free(files);
}
static void each_file_has_its_status(void) {
    shell_host_each(each_on);
}

#define DEEP 25 /* files whose paths are long: more than go into one question */

static void many_on(struct shell_host *host) {
    static char paths[DEEP][4096];
    const char *list[DEEP];
    struct sbx_files *files = sbx_port_files_new();
    at = host;
    outside("d=$(printf %0240d 0)\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do mkdir $d && cd $d || exit 1; done\n"
            "for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do echo x >$i; done");
    for (size_t i = 0; i < DEEP; i++) {
        size_t len = (size_t)snprintf(paths[i], sizeof(paths[i]), "%s", host->dir);
        for (size_t depth = 0; depth < 14; depth++)
            len += (size_t)snprintf(paths[i] + len, sizeof(paths[i]) - len, "/%0240d", 0);
        snprintf(paths[i] + len, sizeof(paths[i]) - len, "/%zu", i);
        list[i] = paths[i];
    }
    T_STATUS(sbx_work_replace(&host->work, list, DEEP, "x", "y", &host->call, files, &host->err), SBX_OK);
    T_EQ(host->requests, 2);
    T_EQ(sbx_files_count(files), DEEP);
    outside("test $(find . -type f -name '[0-9]*' -exec cat {} + | grep -c y) = 25");
    sbx_files_free(files);
}
static void more_files_than_go_into_one_question(void) {
    shell_host_each(many_on);
}

static void long_on(struct shell_host *host) {
    char text[20001];
    at = host;
    memset(text, '\'', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    T_STATUS(replaced("f", text, "x"), SBX_INVALID_ARGUMENT);
    T_CONTAINS(host->err.detail, "text");
    T_EQ(host->err.outcome, SBX_OUTCOME_NOT_SENT);
    T_EQ(host->requests, 0);
}
static void texts_that_are_too_long(void) {
    shell_host_each(long_on);
}

/* ---- replace_puts_back: a disk that is full after two bytes ---- */

static void full(int is_full) {
    static const char cat[] =
        "rm few/cat; printf '%s\\n' '#!/bin/sh' 'case $1 in */n) head -c 2 \"$1\"; echo \"cat: write "
        "error: No space left on device\" >&2; exit 1 ;; esac' 'exec /bin/cat \"$@\"' >few/cat && "
        "chmod 700 few/cat";
    shell_host_commands(at, "sh mkdir head rm cat sed tr");
    outside("printf 'a long text\\n' >f");
    if (is_full) outside(cat);
    T_STATUS(replaced("f", "long", "short"), is_full ? SBX_NO_SPACE : SBX_OK);
}

static void full_on(struct shell_host *host) {
    at = host;
    full(1);
    T_EQ(host->err.outcome, SBX_OUTCOME_DONE);
    outside("test \"$(cat f)\" = 'a long text'");
    nothing_temporary();
}
static void must_fire_replace_puts_back__no_space(void) {
    shell_host_each(full_on);
}

static void room_on(struct shell_host *host) {
    at = host;
    full(0);
    outside("test \"$(cat f)\" = 'a short text'");
}
static void must_not_fire_replace_puts_back__room(void) {
    shell_host_each(room_on);
}

/* ---- permissions ---- */

static void permissions_on(struct shell_host *host) {
    const struct sbx_call *call = &host->call;
    struct sbx_error *err = &host->err;
    at = host;
    outside("touch -- f -rf");
    T_STATUS(sbx_work_permissions(&host->work, below("f"), 0751, NULL, NULL, call, err), SBX_OK);
    outside("test $(stat -c %a f) = 751");
    T_STATUS(sbx_work_permissions(&host->work, below("-rf"), SBX_MODE_NONE, NULL, NULL, call, err), SBX_OK);
    outside("test $(stat -c %a -- -rf) = 0");
    T_STATUS(sbx_work_permissions(&host->work, below("none"), 0600, NULL, NULL, call, err), SBX_FILE_NOT_FOUND);
    T_EQ(err->outcome, SBX_OUTCOME_REFUSED);
    T_STATUS(sbx_work_permissions(&host->work, below("f"), 0600, "nobody-here", NULL, call, err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err->detail, "owner");
    T_EQ(err->outcome, SBX_OUTCOME_REFUSED);
    outside("test $(stat -c %a f) = 751");
    T_STATUS(sbx_work_permissions(&host->work, below("f"), 0600, NULL, "no-group", call, err), SBX_INVALID_ARGUMENT);
    T_CONTAINS(err->detail, "group");
    T_STATUS(sbx_work_permissions(&host->work, below("f"), 0600, "a:b", NULL, call, err), SBX_INVALID_ARGUMENT);
    T_EQ(err->outcome, SBX_OUTCOME_NOT_SENT);
}
static void permissions_are_set(void) {
    shell_host_each(permissions_on);
}

T_CASES(T_CASE(names_are_found), T_CASE(lines_are_found), T_CASE(without_a_find), T_CASE(texts_are_replaced),
        T_CASE(each_file_has_its_status), T_CASE(more_files_than_go_into_one_question), T_CASE(texts_that_are_too_long),
        T_CASE(must_fire_replace_puts_back__no_space), T_CASE(must_not_fire_replace_puts_back__room),
        T_CASE(permissions_are_set))
