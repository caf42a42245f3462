/* The account that a live run spends on: one file, read strictly, never given to a shell. */
#include "live/account.h"

#include <sandport/daytona.h>
#include <sandport/kit/text.h>
#include <sandport/kit/wire.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX 16384

struct member {
    const char *name;
    char *value;
    size_t cap;
    int given;
};

struct reading {
    struct member members[4];
    char *why;
    size_t why_cap;
};

void live_account_wipe(struct live_account *account) {
    explicit_bzero(account, sizeof(*account));
}

static int wrong(const struct reading *r, int line, const char *what) {
    if (line)
        snprintf(r->why, r->why_cap, "line %d: %s", line, what);
    else
        snprintf(r->why, r->why_cap, "%s", what);
    return 0;
}

/* The whole file. The mode is that of the file that was opened, whatever its name leads to a moment later. */
static int file_read(const struct reading *r, const char *path, char text[FILE_MAX], size_t *len) {
    struct stat st;
    ssize_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *len = 0;
    if (fd < 0) return wrong(r, 0, errno == EACCES ? "may not be read" : "there is no such file");
    int ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!ok)
        wrong(r, 0, "expected a regular file");
    else if (st.st_mode & (S_IRWXG | S_IRWXO))
        ok = wrong(r, 0, "others may use this file: expected mode 600 (chmod 600 FILE)");
    while (ok && *len < FILE_MAX && (got = read(fd, text + *len, FILE_MAX - *len)) > 0) *len += (size_t)got;
    close(fd);
    if (ok && got < 0) return wrong(r, 0, "cannot be read");
    if (ok && *len == FILE_MAX) return wrong(r, 0, "expected less than 16 KiB");
    return ok;
}

static struct member *member_of(struct reading *r, const char *name, size_t len) {
    for (size_t i = 0; i < sizeof(r->members) / sizeof(r->members[0]); i++)
        if (strlen(r->members[i].name) == len && memcmp(r->members[i].name, name, len) == 0) return &r->members[i];
    return NULL;
}

static int value_take(const struct reading *r, int number, struct member *member, const char *value, size_t len) {
    if (len == 0) return wrong(r, number, "expected a value behind =");
    if (len >= member->cap) return wrong(r, number, "the value is too long");
    if (value[0] == '"' || value[0] == '\'') return wrong(r, number, "expected the value without quotes");
    for (size_t i = 0; i < len; i++)
        if (value[i] <= ' ' || value[i] > '~')
            return wrong(r, number, "expected printable ASCII without spaces (and no carriage return)");
    memcpy(member->value, value, len);
    member->value[len] = 0;
    member->given = 1;
    return 1;
}

static int line_take(struct reading *r, int number, const char *line, size_t len) {
    if (len == 0 || line[0] == '#') return 1;
    const char *equals = memchr(line, '=', len);
    if (!equals) return wrong(r, number, "expected NAME=value");
    struct member *member = member_of(r, line, (size_t)(equals - line));
    if (!member)
        return wrong(r, number,
                     "expected DAYTONA_API_KEY, DAYTONA_API_URL, DAYTONA_TARGET or DAYTONA_SNAPSHOT before the =");
    if (member->given) return wrong(r, number, "this name was given before");
    return value_take(r, number, member, equals + 1, (size_t)(line + len - equals) - 1);
}

static int lines_take(struct reading *r, const char *text, size_t len) {
    int number = 1;
    for (size_t at = 0; at < len; number++) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        if (!line_take(r, number, text + at, n)) return 0;
        at += n + 1;
    }
    return 1;
}

static int is_own_host(const char *url) {
    static const char *const own[] = {"http://127.0.0.1", "http://localhost"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        size_t len = strlen(own[i]);
        if (strncmp(url, own[i], len) == 0 && (url[len] == ':' || url[len] == '/')) return 1;
    }
    return 0;
}

static int address_check(const struct reading *r, const char *url) {
    if (!sbx_url_is_base(url)) return wrong(r, 0, "DAYTONA_API_URL: expected an absolute URL and nothing more");
    if (strncmp(url, "https://", 8) != 0 && !is_own_host(url))
        return wrong(r, 0, "DAYTONA_API_URL: expected https, or http at 127.0.0.1 or localhost");
    return 1;
}

int live_account_read(const char *path, struct live_account *out, char *why, size_t why_cap) {
    char text[FILE_MAX];
    size_t len = 0;
    memset(out, 0, sizeof(*out));
    struct reading r = {.members = {{"DAYTONA_API_KEY", out->api_key, sizeof(out->api_key), 0},
                                    {"DAYTONA_API_URL", out->api_url, sizeof(out->api_url), 0},
                                    {"DAYTONA_TARGET", out->target, sizeof(out->target), 0},
                                    {"DAYTONA_SNAPSHOT", out->snapshot, sizeof(out->snapshot), 0}},
                        .why = why,
                        .why_cap = why_cap};
    int ok = file_read(&r, path, text, &len) && lines_take(&r, text, len);
    explicit_bzero(text, sizeof(text));
    if (ok && !r.members[0].given) ok = wrong(&r, 0, "expected a line DAYTONA_API_KEY=...");
    if (ok && !r.members[1].given) (void)!sbx_copy(out->api_url, sizeof(out->api_url), SBX_DAYTONA_ENDPOINT);
    if (ok) ok = address_check(&r, out->api_url);
    if (!ok) live_account_wipe(out);
    return ok;
}
