/* tar's headers: ustar, with pax records for what does not fit; GNU's long names are read too. */
#include "sim/machine/tools/tar.h"
#include <stdlib.h>
#include <string.h>

struct tar_block {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[8], user[32],
        group[32], major[8], minor[8], prefix[155], rest[12];
};

_Static_assert(sizeof(struct tar_block) == TAR_BLOCK, "a header is one block");

static unsigned header_sum(const unsigned char *block) {
    unsigned sum = 0;
    for (size_t i = 0; i < TAR_BLOCK; i++) sum += i >= 148 && i < 156 ? ' ' : block[i];
    return sum;
}

/* Digits in octal with a NUL behind; larger numbers in the binary form that GNU tar made. */
static void header_put(char *field, size_t size, int64_t value) {
    uint64_t v = (uint64_t)value;
    if (v >> (3 * (size - 1))) {
        for (size_t i = size; i-- > 0; v >>= 8) field[i] = (char)(v & 255);
        field[0] = (char)128;
        return;
    }
    field[size - 1] = '\0';
    for (size_t i = size - 1; i-- > 0; v >>= 3) field[i] = (char)('0' + (v & 7));
}

static int64_t header_get(const char *field, size_t size) {
    uint64_t v = 0;
    if ((unsigned char)field[0] & 128) {
        v = (unsigned char)field[0] & 63;
        for (size_t i = 1; i < size; i++) v = v << 8 | (unsigned char)field[i];
        return (int64_t)v;
    }
    size_t i = 0;
    while (i < size && field[i] == ' ') i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++) v = v << 3 | (uint64_t)(field[i] - '0');
    return (int64_t)v;
}

static void header_text(char *field, size_t size, const char *text) {
    size_t len = strlen(text);
    memcpy(field, text, len < size ? len : size);
}

/* Where to cut a path for prefix and name; 0 if it does not fit so. */
static size_t header_cut(const char *path, size_t len) {
    for (size_t i = len > 101 ? len - 101 : 1; i < len && i <= 155; i++)
        if (path[i] == '/' && len - i - 1 <= 100 && len - i - 1 > 0) return i;
    return 0;
}

static void header_fill(struct tar_block *b, const struct tar_member *m, const char *path, char type) {
    memset(b, 0, sizeof *b);
    size_t len = strlen(path), cut = len > 100 ? header_cut(path, len) : 0;
    if (cut) memcpy(b->prefix, path, cut);
    header_text(b->name, sizeof b->name, cut ? path + cut + 1 : path);
    header_put(b->mode, sizeof b->mode, m->mode);
    header_put(b->uid, sizeof b->uid, m->uid);
    header_put(b->gid, sizeof b->gid, m->gid);
    header_put(b->size, sizeof b->size, m->size);
    header_put(b->mtime, sizeof b->mtime, m->mtime_s > 0 ? m->mtime_s : 0);
    b->type = type;
    if (m->target) header_text(b->link, sizeof b->link, m->target);
    memcpy(b->magic, "ustar\00000", 8);
    header_text(b->user, sizeof b->user - 1, m->user);
    header_text(b->group, sizeof b->group - 1, m->group);
    header_put(b->major, sizeof b->major, 0);
    header_put(b->minor, sizeof b->minor, 0);
    unsigned sum = header_sum((const unsigned char *)b);
    header_put(b->checksum, 7, sum);
    b->checksum[7] = ' ';
}

/* "21 path=...\n": the number counts itself. */
static void header_record(struct sim_text *out, const char *key, const char *value) {
    size_t body = strlen(key) + strlen(value) + 3, digits = 1;
    for (size_t limit = 10; body + digits >= limit; limit *= 10) digits++;
    const size_t total = body + digits;
    sim_text_printf(out, "%zu %s=", total, key);
    sim_text_str(out, value);
    sim_text_char(out, '\n');
}

static void header_pad(struct sim_text *out) {
    while (out->len % TAR_BLOCK) sim_text_char(out, '\0');
}

char *sim_tar_header_make(struct tar *t, const struct tar_member *m, size_t *len) {
    static const char kinds[] = "fdlph", codes[] = "05261";
    struct sim_text out = {.p = t->p}, pax = {.p = t->p};
    struct tar_block block;
    const char *path = m->type == 'd' ? sim_format(t->p, "%s/", m->path) : m->path;
    size_t n = strlen(path);
    if (n > 100 && !header_cut(path, n)) header_record(&pax, "path", path);
    if (m->target && strlen(m->target) > 100) header_record(&pax, "linkpath", m->target);
    if (pax.len) {
        struct tar_member x = {.mode = 0644, .size = (int64_t)pax.len, .mtime_s = m->mtime_s, .user = "", .group = ""};
        header_fill(&block, &x, sim_format(t->p, "./PaxHeaders/%.80s", sim_base_name(m->path)), 'x');
        sim_text_add(&out, (const char *)&block, sizeof block);
        sim_text_add(&out, pax.s, pax.len);
        header_pad(&out);
    }
    const char *at = strchr(kinds, m->type);
    header_fill(&block, m, path, at ? codes[at - kinds] : '0');
    sim_text_add(&out, (const char *)&block, sizeof block);
    *len = out.len;
    return sim_text_get(&out);
}

int sim_tar_is_zero(const unsigned char *block) {
    for (size_t i = 0; i < TAR_BLOCK; i++)
        if (block[i]) return 0;
    return 1;
}

int sim_tar_header_read(struct tar *t, const unsigned char *bytes, struct tar_member *m, char *kind) {
    struct tar_block b;
    memcpy(&b, bytes, sizeof b);
    memset(m, 0, sizeof *m);
    if (header_get(b.checksum, sizeof b.checksum) != (int64_t)header_sum(bytes)) return 0;
    const char *name = sim_strndup(t->p, b.name, strnlen(b.name, sizeof b.name));
    int posix = memcmp(b.magic, "ustar", 6) == 0;
    if (posix && b.prefix[0])
        name = sim_format(t->p, "%.*s/%s", (int)strnlen(b.prefix, sizeof b.prefix), b.prefix, name);
    m->path = name;
    m->target = sim_strndup(t->p, b.link, strnlen(b.link, sizeof b.link));
    m->mode = (uint32_t)header_get(b.mode, sizeof b.mode) & 07777;
    m->uid = header_get(b.uid, sizeof b.uid);
    m->gid = header_get(b.gid, sizeof b.gid);
    m->size = header_get(b.size, sizeof b.size);
    m->mtime_s = header_get(b.mtime, sizeof b.mtime);
    m->user = sim_strndup(t->p, b.user, strnlen(b.user, sizeof b.user));
    m->group = sim_strndup(t->p, b.group, strnlen(b.group, sizeof b.group));
    *kind = b.type ? b.type : '0';
    m->type = *kind == '5'   ? 'd'
              : *kind == '2' ? 'l'
              : *kind == '1' ? 'h'
              : *kind == '6' ? 'p'
              : *kind == '3' ? 'c'
                             : 'f';
    size_t len = strlen(name);
    if (*kind == '0' && len && name[len - 1] == '/') m->type = 'd';
    if (m->type != 'f') m->size = strchr("xgLK", *kind) ? m->size : 0;
    return m->size >= 0;
}

void sim_tar_pax_read(struct tar *t, const char *text, size_t len, struct tar_member *m) {
    const char *end = text + len;
    while (text < end) {
        char *number_end;
        unsigned long total = strtoul(text, &number_end, 10);
        if (total == 0 || total > (size_t)(end - text) || *number_end != ' ') return;
        const char *key = number_end + 1, *stop = text + total - 1;
        const char *equals = key < stop ? memchr(key, '=', (size_t)(stop - key)) : NULL;
        if (!equals) return;
        char *value = sim_strndup(t->p, equals + 1, (size_t)(stop - equals - 1));
        size_t n = (size_t)(equals - key);
        if (n == 4 && memcmp(key, "path", 4) == 0) m->path = value;
        if (n == 8 && memcmp(key, "linkpath", 8) == 0) m->target = value;
        if (n == 4 && memcmp(key, "size", 4) == 0) m->size = strtoll(value, NULL, 10);
        if (n == 5 && memcmp(key, "mtime", 5) == 0) m->mtime_s = strtoll(value, NULL, 10);
        text += total;
    }
}
