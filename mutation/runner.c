/* sandport-mutate SOURCE WORK [GUARD...]: breaks one guard after the other in a copy of the tree and wants the tests of
 * each to fail as its entry says. Row V3; mutation/README.md has the rules.
 *
 * Exit status: 0 every mutant killed, 1 not so, 64 wrong usage. */
#include "mutation/entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A mutant that loops must end; no test of a guard takes more than a few seconds. */
#define MUTANT_SECONDS 30

struct run {
    const char *source;
    const char *work;
    struct entry *entries;
    size_t n;
    int passed;
    int failed;
};

/* Runs a shell command in the work folder, its output in `log`. @return its exit status, 255 if it did not exit */
static int run_command(const struct run *run, const char *log, const char *command) {
    struct sbx_buf line = SBX_BUF_INIT;
    int status = -1;
    fflush(stdout);
    sbx_buf_printf(&line, "cd '%s' && { %s; } >'%s' 2>&1 </dev/null", run->work, command, log);
    if (!sbx_buf_status(&line)) status = system(sbx_buf_text(&line));
    sbx_buf_finish(&line);
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* The copy takes only what changed, with its time, so that an incremental build stays one. */
static int copy_tree(const struct run *run) {
    struct sbx_buf command = SBX_BUF_INIT;
    sbx_buf_printf(
        &command,
        "mkdir -p tree && cd '%s' && find . -path ./build -prune -o -name .git -prune -o -name node_modules "
        "-prune -o -type f -print >'%s/files' && cd '%s/tree' && "
        "find . -type f | while read -r f; do [ -f '%s'/\"$f\" ] || rm -f \"$f\"; done; "
        "while read -r f; do cmp -s '%s'/\"$f\" \"$f\" || { mkdir -p \"${f%%/*}\" && cp '%s'/\"$f\" \"$f\"; } "
        "|| exit 1; done <../files",
        run->source, run->work, run->work, run->source, run->source, run->source);
    int status = sbx_buf_status(&command) ? 255 : run_command(run, "copy.log", sbx_buf_text(&command));
    sbx_buf_finish(&command);
    return status;
}

static int source_changed(const struct run *run) {
    struct sbx_buf command = SBX_BUF_INIT;
    sbx_buf_printf(&command, "cd tree && while read -r f; do cmp -s '%s'/\"$f\" \"$f\" || exit 1; done <../files",
                   run->source);
    int status = sbx_buf_status(&command) ? 255 : run_command(run, "compare.log", sbx_buf_text(&command));
    sbx_buf_finish(&command);
    return status;
}

static int configure(const struct run *run) {
    return run_command(run, "configure.log", "cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug");
}

/* The names of the tests that an entry's expressions match: the programs before their dots are what must be built. */
static void append_selection(struct sbx_buf *out, const struct entry *entry) {
    for (size_t i = 0; i < entry->test_count; i++) sbx_buf_printf(out, "%s(%s)", i ? "|" : "", entry->tests[i]);
}

static int build_and_list(const struct run *run, const struct entry *entry) {
    struct sbx_buf command = SBX_BUF_INIT;
    sbx_buf_text_append(&command, "ctest --test-dir build -N -R '");
    append_selection(&command, entry);
    sbx_buf_printf(&command, "' | sed -n 's/^ *Test *#[0-9]*: \\([^.]*\\)\\..*/\\1/p' | sort -u >targets; "
                             "[ -s targets ] || { echo no test matches; exit 3; }; ninja -C build $(cat targets)");
    int status = sbx_buf_status(&command) ? 255 : run_command(run, "build.log", sbx_buf_text(&command));
    sbx_buf_finish(&command);
    return status;
}

static int run_tests(const struct run *run, const struct entry *entry) {
    struct sbx_buf command = SBX_BUF_INIT;
    sbx_buf_printf(&command, "ctest --test-dir build --no-tests=error --output-on-failure --timeout %d -R '",
                   MUTANT_SECONDS);
    append_selection(&command, entry);
    sbx_buf_text_append(&command, "'");
    int status = sbx_buf_status(&command) ? 255 : run_command(run, "test.log", sbx_buf_text(&command));
    sbx_buf_finish(&command);
    return status;
}

static char *work_file(const struct run *run, const char *name) {
    struct sbx_buf path = SBX_BUF_INIT;
    sbx_buf_printf(&path, "%s/%s", run->work, name);
    return sbx_buf_take(&path, NULL);
}

static int write_tree_file(const struct run *run, const char *name, const char *text) {
    struct sbx_buf path = SBX_BUF_INIT;
    int failed = 1;
    sbx_buf_printf(&path, "%s/tree/%s", run->work, name);
    FILE *file = sbx_buf_status(&path) ? NULL : fopen(sbx_buf_text(&path), "wb");
    if (file) {
        failed = fputs(text, file) < 0;
        failed |= fclose(file) != 0;
    }
    sbx_buf_finish(&path);
    return failed;
}

static void show_log(const struct run *run, const char *name) {
    char *path = work_file(run, name);
    char *text = path ? entry_read_file(path, NULL) : NULL;
    size_t len = text ? strlen(text) : 0;
    if (text) printf("%s\n", len > 3000 ? text + len - 3000 : text);
    free(text);
    free(path);
}

static int log_contains(const struct run *run, const char *name, const char *part) {
    char *path = work_file(run, name);
    char *text = path ? entry_read_file(path, NULL) : NULL;
    int found = text && strstr(text, part) != NULL;
    free(text);
    free(path);
    return found;
}

/* What came of one mutant: NULL if it was killed by the right test. */
static const char *judge(const struct run *run, const struct entry *entry) {
    int built = build_and_list(run, entry);
    if (built == 3) return "no test matches";
    if (built) {
        show_log(run, "build.log");
        return "does not compile: it proves nothing";
    }
    if (run_tests(run, entry) == 0) return "SURVIVED: its tests pass without the guard";
    if (log_contains(run, "test.log", entry->expect)) return NULL;
    show_log(run, "test.log");
    return "its tests fail, but do not print what was expected";
}

static const char *mutate(const struct run *run, const struct entry *entry) {
    struct sbx_buf name = SBX_BUF_INIT;
    const char *verdict = "its file cannot be read or written";
    char *path = NULL, *whole = NULL, *broken = NULL;
    sbx_buf_printf(&name, "tree/%s", entry->file);
    path = work_file(run, sbx_buf_text(&name));
    whole = path ? entry_read_file(path, NULL) : NULL;
    if (!whole) goto done;
    broken = entry_apply(entry, whole);
    if (!broken) {
        verdict = "its text is not exactly once in the file";
        goto done;
    }
    if (write_tree_file(run, entry->file, broken) == 0) verdict = judge(run, entry);
    if (write_tree_file(run, entry->file, whole) != 0) verdict = "the copy could not be put back";
done:
    sbx_buf_finish(&name);
    free(path);
    free(whole);
    free(broken);
    return verdict;
}

/* All named tests on the unbroken copy: without this a test that always fails would kill everything. */
static int clean_run(const struct run *run) {
    for (size_t i = 0; i < run->n; i++) {
        const struct entry *entry = &run->entries[i];
        if (build_and_list(run, entry) != 0) {
            show_log(run, "build.log");
            printf("%s: the unbroken tree does not build, or has no such test\n", entry->name);
            return 1;
        }
        if (run_tests(run, entry) != 0) {
            show_log(run, "test.log");
            printf("%s: its tests fail on the unbroken tree\n", entry->name);
            return 1;
        }
    }
    return 0;
}

static int named(const struct entry *entry, char **names, int n) {
    if (!n) return 1;
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], entry->guard) == 0 || strcmp(names[i], entry->name) == 0) return 1;
    return 0;
}

/* Keeps the entries that were asked for. */
static void select_entries(struct run *run, char **names, int n) {
    size_t kept = 0;
    for (size_t i = 0; i < run->n; i++) {
        if (named(&run->entries[i], names, n))
            run->entries[kept++] = run->entries[i];
        else
            entry_finish(&run->entries[i]);
    }
    run->n = kept;
}

static int run_all(struct run *run) {
    if (copy_tree(run) || configure(run)) {
        show_log(run, "copy.log");
        show_log(run, "configure.log");
        printf("the copy in %s cannot be configured\n", run->work);
        return 1;
    }
    if (clean_run(run)) return 1;
    for (size_t i = 0; i < run->n; i++) {
        const char *verdict = mutate(run, &run->entries[i]);
        printf("%-40s %s\n", run->entries[i].name, verdict ? verdict : "killed");
        if (verdict)
            run->failed++;
        else
            run->passed++;
    }
    if (clean_run(run)) return 1;
    if (source_changed(run)) {
        printf("a source was edited during the run: what was found may not hold for it\n");
        return 1;
    }
    printf("%d killed, %d not\n", run->passed, run->failed);
    return run->failed != 0;
}

int main(int argc, char **argv) {
    struct run run = {0};
    struct sbx_buf why = SBX_BUF_INIT, folder = SBX_BUF_INIT;
    int status = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3 || argv[1][0] != '/' || argv[2][0] != '/' || strchr(argv[1], '\'') || strchr(argv[2], '\'')) {
        fprintf(stderr, "usage: sandport-mutate /SOURCE /WORK [GUARD...]\n");
        return 64;
    }
    run.source = argv[1];
    run.work = argv[2];
    sbx_buf_printf(&folder, "%s/mutation/guards", run.source);
    run.entries = entries_load(sbx_buf_text(&folder), &run.n, &why);
    select_entries(&run, argv + 3, argc - 3);
    if (why.len)
        printf("%s", sbx_buf_text(&why));
    else if (!run.n)
        printf("no such guard\n");
    else
        status = run_all(&run);
    entries_free(run.entries, run.n);
    sbx_buf_finish(&why);
    sbx_buf_finish(&folder);
    return status;
}
