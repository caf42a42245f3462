/* Checksums, by libcrypto: md5sum sha1sum sha256sum sha512sum. */
#include "sim/machine/tools/tools.h"
#include <ctype.h>
#include <errno.h>
#include <openssl/evp.h>
#include <sandport/kit/text.h>
#include <string.h>

#define HASH_HEX (2 * EVP_MAX_MD_SIZE + 1)

struct hash {
    struct sim_proc *p;
    const char *who, *label;
    const EVP_MD *md;
    size_t digits;
    int check, binary, quiet, silent, tag, strict, ignore_missing, zero;
};

static void hash_release(void *ctx) {
    EVP_MD_CTX_free(ctx);
}

/* @return 0, or -errno of the read */
static int hash_fd(const struct hash *h, int fd, char *hex) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    char buf[8192];
    unsigned len = 0;
    ptrdiff_t n;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    if (!ctx) sim_proc_oom(h->p);
    void *handle = sim_at_end(h->p, hash_release, ctx);
    int good = EVP_DigestInit_ex(ctx, h->md, NULL);
    while ((n = sim_sys_read(h->p, fd, buf, sizeof buf)) > 0) good &= EVP_DigestUpdate(ctx, buf, (size_t)n);
    good &= EVP_DigestFinal_ex(ctx, digest, &len);
    sim_drop(h->p, handle);
    EVP_MD_CTX_free(ctx);
    sbx_hex(digest, len, hex);
    if (n >= 0 && !good) sim_proc_oom(h->p);
    return n < 0 ? (int)n : 0;
}

/* A name with newlines and backslashes is escaped, and the line says so. */
static int hash_odd(const struct hash *h, const char *name) {
    return !h->zero && strpbrk(name, "\n\r\\") != NULL;
}

static void hash_name(const struct hash *h, const char *name) {
    for (; *name; name++) {
        if (h->zero || !strchr("\n\r\\", *name))
            sim_out_char(h->p, *name);
        else
            sim_outf(h->p, "\\%c", *name == '\n' ? 'n' : *name == '\r' ? 'r' : '\\');
    }
}

static int hash_one(const struct hash *h, const char *name) {
    char hex[HASH_HEX];
    int fd = sim_tool_open(h->p, h->who, name);
    if (fd < 0) return 1;
    int e = hash_fd(h, fd, hex);
    sim_tool_close(h->p, fd);
    if (e) return sim_tool_fail(h->p, h->who, name, e);
    if (hash_odd(h, name)) sim_out_char(h->p, '\\');
    if (h->tag) {
        sim_outf(h->p, "%s (", h->label);
        hash_name(h, name);
        sim_outf(h->p, ") = %s", hex);
    } else {
        sim_outf(h->p, "%s %c", hex, h->binary ? '*' : ' ');
        hash_name(h, name);
    }
    sim_out_char(h->p, h->zero ? '\0' : '\n');
    return 0;
}

/* ---- -c ---- */

static char *hash_unescape(const struct hash *h, const char *name) {
    struct sim_text out = {.p = h->p};
    for (; *name; name++) {
        if (*name == '\\' && name[1])
            sim_text_char(&out, *++name == 'n' ? '\n' : *name == 'r' ? '\r' : *name);
        else
            sim_text_char(&out, *name);
    }
    return sim_text_get(&out);
}

/* "HEX  NAME" or "MD5 (NAME) = HEX". @return 0 if it is neither */
static int hash_line(const struct hash *h, char *line, const char **hex, char **name) {
    int escaped = line[0] == '\\';
    char *at = line + escaped;
    size_t label = strlen(h->label);
    if (strncmp(at, h->label, label) == 0 && strncmp(at + label, " (", 2) == 0) {
        char *end = strrchr(at, ')');
        if (!end || strncmp(end, ") = ", 4) != 0) return 0;
        *end = '\0';
        *name = at + label + 2;
        *hex = end + 4;
    } else {
        size_t digits = 0;
        while (isxdigit((unsigned char)at[digits])) digits++;
        if (digits != h->digits || at[digits] != ' ' || !at[digits + 1]) return 0;
        *hex = at;
        at[digits] = '\0';
        *name = at + digits + 1 + (at[digits + 1] == ' ' || at[digits + 1] == '*');
    }
    if (strlen(*hex) != h->digits || !**name) return 0;
    if (escaped) *name = hash_unescape(h, *name);
    return 1;
}

struct hash_counts {
    int64_t good, wrong, unread, misformed;
};

static void hash_check_one(const struct hash *h, char *line, struct hash_counts *n) {
    char hex[HASH_HEX], *name;
    const char *wanted;
    if (!hash_line(h, line, &wanted, &name)) {
        n->misformed++;
        return;
    }
    int fd = strcmp(name, "-") == 0 ? 0 : sim_sys_open(h->p, name, SIM_O_READ, 0);
    if (fd == -ENOENT && h->ignore_missing) return;
    int e = fd < 0 ? fd : hash_fd(h, fd, hex);
    sim_tool_close(h->p, fd);
    int good = !e && sbx_text_equal_nocase(hex, wanted);
    n->good += good;
    n->unread += e != 0;
    n->wrong += !e && !good;
    if (e) sim_tool_fail(h->p, h->who, name, e);
    if (h->silent || (good && h->quiet)) return;
    if (strchr(name, '\n')) {
        sim_out_char(h->p, '\\');
        hash_name(h, name);
    } else {
        sim_out_str(h->p, name);
    }
    sim_outf(h->p, ": %s\n", good ? "OK" : e ? "FAILED open or read" : "FAILED");
}

static void hash_warn(const struct hash *h, int64_t n, const char *one, const char *many) {
    if (!n || h->silent) return;
    sim_out_flush(h->p);
    sim_errf(h->p, "%s: WARNING: %lld %s\n", h->who, (long long)n, n == 1 ? one : many);
}

static int hash_check(const struct hash *h, const char *list) {
    struct hash_counts n = {0};
    struct sim_lines l;
    int fd = sim_tool_open(h->p, h->who, list);
    if (fd < 0) return 1;
    sim_lines_start(&l, h->p, fd);
    while (sim_lines_next(&l)) {
        struct sim_mark mark = sim_mark(h->p);
        if (l.len && l.line[l.len - 1] == '\r') l.line[l.len - 1] = '\0';
        if (l.line[0] != '#' && l.line[0]) hash_check_one(h, l.line, &n);
        sim_release(h->p, mark);
    }
    sim_lines_finish(&l);
    sim_tool_close(h->p, fd);
    if (l.error) return sim_tool_fail(h->p, h->who, list, l.error);
    if (!n.good && !n.wrong && !n.unread && !h->ignore_missing) {
        sim_errf(h->p, "%s: %s: no properly formatted checksum lines found\n", h->who, list);
        return 1;
    }
    hash_warn(h, n.misformed, "line is improperly formatted", "lines are improperly formatted");
    hash_warn(h, n.unread, "listed file could not be read", "listed files could not be read");
    hash_warn(h, n.wrong, "computed checksum did NOT match", "computed checksums did NOT match");
    if (h->ignore_missing && !n.good && !n.wrong) {
        if (!h->silent) sim_errf(h->p, "%s: %s: no file was verified\n", h->who, list);
        return 1;
    }
    return n.wrong || n.unread || (h->strict && n.misformed);
}

static int hash_main(struct hash *h, int argc, char **argv) {
    static const struct sim_long_option longs[] = {
        {"check", 'c'},  {"binary", 'b'}, {"text", 't'},           {"quiet", 'Q'}, {"status", 'S'}, {"tag", 'T'},
        {"strict", 'X'}, {"warn", 'w'},   {"ignore-missing", 'M'}, {"zero", 'z'},  {NULL, 0}};
    static char dash[] = "-";
    char *standard[] = {dash, NULL};
    struct sim_opts o;
    int status = 0;
    h->who = sim_base_name(argv[0]);
    h->digits = 2 * (size_t)EVP_MD_size(h->md);
    sim_opts_start(&o, h->p, argc, argv, "cbtQSTXwMz", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'c')
            h->check = 1;
        else if (opt == 'b')
            h->binary = 1;
        else if (opt == 'Q' && o.bad && o.bad[1] == '-')
            h->quiet = 1;
        else if (opt == 'S' && o.bad && o.bad[1] == '-')
            h->silent = 1;
        else if (opt == 'T' && o.bad && o.bad[1] == '-')
            h->tag = 1;
        else if (opt == 'X' && o.bad && o.bad[1] == '-')
            h->strict = 1;
        else if (opt == 'M' && o.bad && o.bad[1] == '-')
            h->ignore_missing = 1;
        else if (opt == 'z')
            h->zero = 1;
        else if (opt != 't' && opt != 'w')
            return sim_opts_bad(&o);
    }
    for (char **name = o.n ? o.operands : standard; *name; name++)
        status |= h->check ? hash_check(h, *name) : hash_one(h, *name);
    return status;
}

static int tool_md5sum(struct sim_proc *p, int argc, char **argv) {
    struct hash h = {.p = p, .label = "MD5", .md = EVP_md5()};
    return hash_main(&h, argc, argv);
}

static int tool_sha1sum(struct sim_proc *p, int argc, char **argv) {
    struct hash h = {.p = p, .label = "SHA1", .md = EVP_sha1()};
    return hash_main(&h, argc, argv);
}

static int tool_sha256sum(struct sim_proc *p, int argc, char **argv) {
    struct hash h = {.p = p, .label = "SHA256", .md = EVP_sha256()};
    return hash_main(&h, argc, argv);
}

static int tool_sha512sum(struct sim_proc *p, int argc, char **argv) {
    struct hash h = {.p = p, .label = "SHA512", .md = EVP_sha512()};
    return hash_main(&h, argc, argv);
}

const struct sim_tool sim_tools_hash[] = {{"md5sum", tool_md5sum},
                                          {"sha1sum", tool_sha1sum},
                                          {"sha256sum", tool_sha256sum},
                                          {"sha512sum", tool_sha512sum},
                                          {NULL, NULL}};
