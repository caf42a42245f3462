/* An answer held against a fixture, member for member.
 *
 * In a fixture "$name" stands for what is bound before; a name that is not bound takes the value that it meets and must
 * meet it again. "$any:<type>" takes any value of that type: number, bool, string, or one of the shapes that a cloud
 * has. A member that the fixture does not know fails. */
#ifndef TESTS_SUPPORT_FIXTURE_MATCH_H
#define TESTS_SUPPORT_FIXTURE_MATCH_H

#include "t.h"

#include <sandport/kit/buf.h>
#include <sandport/kit/json.h>

/** A type that is a text of one shape: 9 a digit, h a hex digit, x a letter or digit, * the rest of it, else itself. */
struct fixture_shape {
    const char *type;
    const char *shape;
};

struct fixture_names {
    const struct fixture_shape *shapes; /* lent; ended by a NULL type */
    struct fixture_name {
        char name[32];
        char value[128];
        int number; /* in a request, its quotes go with it */
    } bound[8];
    size_t count;
};

void fixture_bind(struct fixture_names *names, const char *name, const char *value, int number);
/** Puts bound values in place of their names. */
void fixture_fill(const struct fixture_names *names, const char *text, struct sbx_buf *out);
/** Fails the test unless `got`, of js, is what `want`, of want_js, says. */
void fixture_match(struct fixture_names *names, struct sbx_json *want_js, const struct sbx_json_node *want,
                   struct sbx_json *js, const struct sbx_json_node *got);

#endif
