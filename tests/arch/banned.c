/* What no source of ours may call, and where the few exceptions are: the library never prints, exits, reads the
 * environment, sleeps, tells the time or draws chance behind the seam. Rows P3, P4. */
#include "source.h"

#include "t.h"
#include <string.h>

static const struct ban {
    const char *calls;   /* between blanks */
    const char *allowed; /* path prefixes, between blanks */
    const char *why;
} bans[] = {
    {" printf vprintf puts putchar perror fprintf vfprintf fputs fputc putc fwrite ", " sim/serve/ examples/ live/ ",
     "a library prints nothing"},
    {" exit _exit _Exit quick_exit atexit ", " sim/serve/ ", "a library does not end its host"},
    {" abort ", " sim/kit/ sim/machine/ sim/daytona/ ", "a library does not end its host"},
    {" getenv secure_getenv setenv putenv unsetenv clearenv ", " sim/serve/ examples/ live/ ",
     "everything environment-specific is an argument (row P3)"},
    {" sleep usleep nanosleep clock_nanosleep ", " src/posix/ ", "sleeping goes through the env"},
    {" time gettimeofday clock clock_gettime ", " src/posix/ sim/serve/ ", "time comes from the env"},
    {" rand srand random srandom drand48 lrand48 getrandom getentropy arc4random ", " src/posix/ sim/serve/ ",
     "randomness comes from the env"},
    {" fopen open openat creat freopen ", " adapters/local/ sim/serve/ sim/machine/host/ examples/ live/ ",
     "the library reads and writes no files"},
    {" tmpfile mkstemp mkostemp mkdtemp memfd_create ", " sim/machine/spill.c sim/machine/host/ sim/serve/ ",
     "the library reads and writes no files; the bytes of a simulated large file have one place"},
    {" strcpy strcat sprintf vsprintf strtok gets strncpy strncat stpcpy ", " ", "no bound, or a hidden state"},
    {" atoi atol atoll atof ", " ", "cannot tell an error from 0"},
    {" system popen fork vfork ", " ", "posix_spawn only"},
    {" alloca ", " ", "no bound on the stack"},
    {" setlocale localtime localtime_r strerror ctime asctime ", " ",
     "depends on the host's locale or a shared buffer"},
};

static const char *const product[] = {"include", "src", "adapters", "sim", "examples", "live", NULL};

static int listed(const char *list, const char *path) {
    char one[64];
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, " ");
        if (len && len < sizeof(one)) {
            memcpy(one, p, len);
            one[len] = 0;
            if (source_starts_with(path, one)) return 1;
        }
        p += len;
        p += *p == ' ';
    }
    return 0;
}

/* A call of ours through a table (`env->ops->time(...)`) is not the C library's. */
static int is_member(const char *code, const char *at) {
    return (at > code && at[-1] == '.') || (at > code + 1 && at[-2] == '-' && at[-1] == '>');
}

static void find_calls(const struct source_file *file, const struct ban *ban, const char *name, struct sbx_buf *wrong) {
    size_t len = strlen(name);
    for (const char *at = file->code; (at = strstr(at, name)) != NULL; at += len) {
        const char *next = at + len + strspn(at + len, " \n");
        if (!source_word_at(file->code, at, name) || *next != '(' || is_member(file->code, at)) continue;
        sbx_buf_printf(wrong, "%s:%d: %s(): %s\n", file->path, source_line(file->code, at), name, ban->why);
    }
}

static void check_file(const struct source_file *file, struct sbx_buf *wrong) {
    for (size_t b = 0; b < sizeof(bans) / sizeof(bans[0]); b++) {
        if (listed(bans[b].allowed, file->path)) continue;
        for (const char *p = bans[b].calls; *p;) {
            char name[32];
            size_t len = strcspn(p, " ");
            if (len && len < sizeof(name)) {
                memcpy(name, p, len);
                name[len] = 0;
                find_calls(file, &bans[b], name, wrong);
            }
            p += len;
            p += *p == ' ';
        }
    }
}

static void nobody_calls_what_is_banned(void) {
    struct source_tree tree;
    struct sbx_buf wrong = SBX_BUF_INIT;
    source_tree_load(&tree, product);
    for (size_t i = 0; i < tree.n; i++) check_file(&tree.files[i], &wrong);
    source_tree_free(&tree);
    source_report(&wrong);
}

static void a_banned_call_is_found(void) {
    static char code[] = "int f(void) { return my_time(0) + env->time(1) + time (0); }\n";
    struct source_file file = {.path = "src/port/x.c", .text = code, .plain = code, .code = code};
    struct sbx_buf wrong = SBX_BUF_INIT;
    check_file(&file, &wrong);
    T_STR(sbx_buf_text(&wrong), "src/port/x.c:1: time(): time comes from the env\n");
    sbx_buf_finish(&wrong);
}

T_CASES(T_CASE(nobody_calls_what_is_banned), T_CASE(a_banned_call_is_found))
