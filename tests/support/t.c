/* The small part of the tests that is not cmocka's: choosing cases by name and saying what was expected. */
#include "t.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static void t_run(void **state) {
    const struct t_case *chosen = *state;
    chosen->run();
}

static const struct t_case *t_find(const struct t_case *cases, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    return NULL;
}

static int t_run_one(const struct t_case *chosen) {
    struct t_case copy = *chosen;
    const struct CMUnitTest test = {chosen->name, t_run, NULL, NULL, &copy};
    const struct CMUnitTest tests[] = {test};
    return cmocka_run_group_tests_name(chosen->name, tests, NULL, NULL);
}

int t_main(const struct t_case *cases, size_t n, int argc, char **argv) {
    int failed = 0;
    /* As a host program may: nothing of ours may depend on it (./dev golden runs with a comma for a point). */
    (void)setlocale(LC_ALL, "");
    for (int i = 1; i < argc; i++) {
        const struct t_case *chosen = t_find(cases, n, argv[i]);
        if (!chosen) {
            fprintf(stderr, "no case named %s here\n", argv[i]);
            return 64;
        }
        failed += t_run_one(chosen);
    }
    if (argc < 2)
        for (size_t i = 0; i < n; i++) failed += t_run_one(&cases[i]);
    return failed ? 1 : 0;
}

void t_fail(const char *file, int line, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    _fail(file, line);
    abort();
}

void t_status(int32_t got, int32_t want, const char *what, const char *file, int line) {
    if (got != want) t_fail(file, line, "%s: got %s, expected %s", what, sbx_status_name(got), sbx_status_name(want));
}

void t_int(int64_t got, int64_t want, const char *what, const char *file, int line) {
    if (got != want) t_fail(file, line, "%s: got %lld, expected %lld", what, (long long)got, (long long)want);
}

void t_str(const char *got, const char *want, const char *what, const char *file, int line) {
    if (!got || strcmp(got, want) != 0)
        t_fail(file, line, "%s: got\n%s\nexpected\n%s", what, got ? got : "(null)", want);
}

void t_mem(const void *got, size_t got_len, const void *want, size_t want_len, const char *what, const char *file,
           int line) {
    size_t same = 0;
    const unsigned char *a = got, *b = want;
    if (got_len != want_len) t_fail(file, line, "%s: got %zu bytes, expected %zu", what, got_len, want_len);
    while (same < got_len && a[same] == b[same]) same++;
    if (same < got_len) t_fail(file, line, "%s: byte %zu is %02x, expected %02x", what, same, a[same], b[same]);
}

void t_contains(const char *got, const char *part, const char *what, const char *file, int line) {
    if (!got || !strstr(got, part)) t_fail(file, line, "%s: no '%s' in\n%s", what, part, got ? got : "(null)");
}

char *t_read_source(const char *path, size_t *len) {
    const char *root = getenv("SANDPORT_SOURCE_DIR");
    char full[4096];
    snprintf(full, sizeof(full), "%s/%s", root ? root : ".", path);
    FILE *f = fopen(full, "rb");
    if (!f) t_fail(__FILE__, __LINE__, "cannot open %s", full);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, f) != (size_t)size) t_fail(__FILE__, __LINE__, "cannot read %s", full);
    fclose(f);
    text[size] = 0;
    if (len) *len = (size_t)size;
    return text;
}
