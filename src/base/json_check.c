/* A recogniser for JSON: strict where cJSON is lenient, and bounded in depth before anything recurses over it. */
#include "src/base/json_check.h"

#include "src/base/bytes.h"

#include <sandport/kit/text.h>
#include <string.h>

struct check {
    const char *text;
    size_t len;
    size_t at;
    int depth;
    const char *wrong;
};

static int check_value(struct check *c);

static int check_fail(struct check *c, const char *expected) {
    if (!c->wrong) c->wrong = expected;
    return 0;
}

static int check_peek(const struct check *c) {
    return c->at < c->len ? (unsigned char)c->text[c->at] : -1;
}

static int check_take(struct check *c, char wanted) {
    if (check_peek(c) != (unsigned char)wanted) return 0;
    c->at++;
    return 1;
}

static void check_space(struct check *c) {
    for (; c->at < c->len; c->at++) {
        char next = c->text[c->at];
        if (next != ' ' && next != '\t' && next != '\r' && next != '\n') return;
    }
}

static int check_word(struct check *c, const char *word) {
    size_t n = strlen(word);
    if (c->len - c->at < n || memcmp(c->text + c->at, word, n) != 0) return check_fail(c, "a value");
    c->at += n;
    return 1;
}

static size_t check_digits(struct check *c) {
    size_t from = c->at;
    while (check_peek(c) >= '0' && check_peek(c) <= '9') c->at++;
    return c->at - from;
}

static int check_number(struct check *c) {
    check_take(c, '-');
    if (!check_take(c, '0') && check_digits(c) == 0) return check_fail(c, "a digit");
    if (check_take(c, '.') && check_digits(c) == 0) return check_fail(c, "a digit");
    if (check_take(c, 'e') || check_take(c, 'E')) {
        if (!check_take(c, '+')) check_take(c, '-');
        if (check_digits(c) == 0) return check_fail(c, "a digit");
    }
    return 1;
}

static int check_hex4(struct check *c, unsigned *out) {
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        int d = check_peek(c);
        int v = d >= '0' && d <= '9'   ? d - '0'
                : d >= 'a' && d <= 'f' ? d - 'a' + 10
                : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                       : -1;
        if (v < 0) return check_fail(c, "four hex digits");
        value = value * 16 + (unsigned)v;
        c->at++;
    }
    *out = value;
    return 1;
}

static int check_escape(struct check *c) {
    unsigned unit = 0;
    int kind = check_peek(c);
    if (kind < 0 || !strchr("\"\\/bfnrtu", kind) || kind == 0) return check_fail(c, "an escape");
    c->at++;
    if (kind != 'u') return 1;
    if (!check_hex4(c, &unit)) return 0;
    if (unit == 0) return check_fail(c, "no escaped NUL");
    if (unit >= 0xdc00 && unit <= 0xdfff) return check_fail(c, "a high surrogate first");
    if (unit < 0xd800 || unit > 0xdbff) return 1;
    if (!check_take(c, '\\') || !check_take(c, 'u') || !check_hex4(c, &unit)) return check_fail(c, "a low surrogate");
    return unit >= 0xdc00 && unit <= 0xdfff ? 1 : check_fail(c, "a low surrogate");
}

static int check_string(struct check *c) {
    if (!check_take(c, '"')) return check_fail(c, "a string");
    for (;;) {
        c->at += bytes_plain(c->text + c->at, c->len - c->at);
        int next = check_peek(c);
        if (next < 0x20) return check_fail(c, next < 0 ? "the end of a string" : "no control character in a string");
        c->at++;
        if (next == '"') return 1;
        if (next == '\\' && !check_escape(c)) return 0;
    }
}

static int check_object(struct check *c) {
    check_space(c);
    if (check_take(c, '}')) return 1;
    do {
        check_space(c);
        if (!check_string(c)) return 0;
        check_space(c);
        if (!check_take(c, ':')) return check_fail(c, "a colon");
        if (!check_value(c)) return 0;
    } while (check_take(c, ','));
    return check_take(c, '}') ? 1 : check_fail(c, "a comma or }");
}

static int check_array(struct check *c) {
    check_space(c);
    if (check_take(c, ']')) return 1;
    do {
        if (!check_value(c)) return 0;
    } while (check_take(c, ','));
    return check_take(c, ']') ? 1 : check_fail(c, "a comma or ]");
}

static int check_nested(struct check *c, int (*inside)(struct check *)) {
    c->at++;
    if (c->depth == 0) return check_fail(c, "fewer levels");
    c->depth--;
    int ok = inside(c);
    c->depth++;
    return ok;
}

static int check_value(struct check *c) {
    int ok = 0;
    check_space(c);
    switch (check_peek(c)) {
    case '{':
        ok = check_nested(c, check_object);
        break;
    case '[':
        ok = check_nested(c, check_array);
        break;
    case '"':
        ok = check_string(c);
        break;
    case 't':
        ok = check_word(c, "true");
        break;
    case 'f':
        ok = check_word(c, "false");
        break;
    case 'n':
        ok = check_word(c, "null");
        break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        ok = check_number(c);
        break;
    default:
        ok = check_fail(c, "a value");
        break;
    }
    check_space(c);
    return ok;
}

const char *sbx_json_check(const char *text, size_t len, int depth_max, size_t *where) {
    struct check c = {text, len, 0, depth_max, NULL};
    if (check_value(&c) && c.at < c.len) check_fail(&c, "the end");
    if (!c.wrong) {
        size_t valid = sbx_utf8_valid(text, len);
        if (valid < len) {
            c.at = valid;
            c.wrong = "valid UTF-8";
        }
    }
    *where = c.at;
    return c.wrong;
}
