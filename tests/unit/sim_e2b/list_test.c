/* Lists of the simulated E2B: metadata in its triple encoding, states, pages. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>

static int count_of(struct ask *a) {
    return a->js ? (int)sbx_json_count(sbx_json_root(a->js)) : -1;
}

static void metadata_is_encoded_three_times(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"metadata\":{\"user\":\"a b\",\"k&\":\"v=1\",\"e\":\"\",\"p\":\"50%\","
                   "\"u\":\"\xc3\xbc\",\"plus\":\"a+b\"}}");
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=user%3Da%252520b%26k%252526%3Dv%25253D1&state=running,paused&limit=2",
             NULL),
         200);
    T_EQ(count_of(&a), 1);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=p%3D50%252525%26u%3D%2525C3%2525BC%26e%3D", NULL), 200);
    T_EQ(count_of(&a), 1);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=plus%3Da%25252Bb", NULL), 200);
    T_EQ(count_of(&a), 1);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=user%3Da", NULL), 200);
    T_EQ(count_of(&a), 0);
    T_EQ(ask(&a, "GET", "/sandboxes?metadata=e%3D", NULL), 200);
    T_EQ(count_of(&a), 1);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=user", NULL), 400);
    T_CONTAINS(ask_text(&a, "message"), "Error parsing metadata");
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=a%3Db%3Dc", NULL), 400);
    ask_finish(&a);
}

static void sandboxes_without_metadata_fit_no_filter(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=a%3D1", NULL), 200);
    T_EQ(count_of(&a), 0);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=", NULL), 200);
    T_EQ(count_of(&a), 1);
    ask_finish(&a);
}

static void states_are_told_apart(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "POST", "/sandboxes/%s/pause", "{}"), 204);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?state=paused", NULL), 200);
    T_EQ(count_of(&a), 1);
    T_TRUE(!strstr(sbx_buf_text(&a.headers), "X-Total-Running"));
    T_EQ(ask(&a, "GET", "/v2/sandboxes?state=running", NULL), 200);
    T_EQ(count_of(&a), 1);
    T_CONTAINS(sbx_buf_text(&a.headers), "X-Total-Running: 1\n");
    T_EQ(ask(&a, "GET", "/v2/sandboxes", NULL), 200);
    T_EQ(count_of(&a), 2);
    T_EQ(ask(&a, "GET", "/sandboxes", NULL), 200);
    T_EQ(count_of(&a), 1);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?state=dead", NULL), 400);
    ask_finish(&a);
}

static const char *next_of(struct ask *a, char out[128]) {
    const char *at = strstr(sbx_buf_text(&a->headers), "X-Next-Token: ");
    if (!at) return NULL;
    snprintf(out, 128, "%.*s", (int)strcspn(at + 14, "\n"), at + 14);
    return out;
}

static void pages_follow_each_other_and_do_not_repeat(void) {
    struct ask a;
    char token[128], path[256] = "/v2/sandboxes?limit=2", seen[5][64];
    int count = 0, pages = 0;
    ask_init(&a, NULL);
    for (int i = 0; i < 5; i++) ask_create(&a, NULL);
    for (const char *next = ""; next; pages++) {
        T_EQ(ask(&a, "GET", path, NULL), 200);
        for (const struct sbx_json_node *it = sbx_json_first(sbx_json_root(a.js)); it; it = sbx_json_next(it))
            T_TRUE(count < 5 && sbx_copy(seen[count++], 64, sbx_json_string(a.js, it, "sandboxID")));
        if (pages == 0) ask_pass_ms(&a, 10);
        next = next_of(&a, token);
        if (next) snprintf(path, sizeof(path), "/v2/sandboxes?limit=2&nextToken=%s", next);
        if (pages == 0) {
            T_EQ(ask(&a, "POST", "/v2/sandboxes", "{\"templateID\":\"base\"}"), 201); /* newer: before the first page */
        }
    }
    T_EQ(pages, 3);
    T_EQ(count, 5);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++) T_TRUE(strcmp(seen[i], seen[k]) != 0);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?nextToken=bogus", NULL), 400);
    T_STR(ask_text(&a, "message"), "Invalid next token");
    T_EQ(ask(&a, "GET", "/v2/sandboxes?limit=0", NULL), 400);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?limit=101", NULL), 400);
    ask_finish(&a);
}

static void e2b8_09_as_many_as_the_limit_have_no_next_page(void) {
    struct ask a;
    ask_init(&a, NULL);
    ask_create(&a, NULL);
    ask_create(&a, NULL);
    T_EQ(ask(&a, "GET", "/v2/sandboxes?limit=2", NULL), 200);
    T_EQ(count_of(&a), 2);
    T_TRUE(!strstr(sbx_buf_text(&a.headers), "X-Next-Token"));
    ask_finish(&a);
}

static void effects_of_lists(void) {
    struct ask a;
    static const struct {
        const char *kind;
        int count;
    } kinds[] = {{"list_all", 2}, {"list_missing", 0}, {"list_duplicate", 2}, {"list_empty_page", 0}, {"list_loop", 1}};
    ask_init(&a, NULL);
    ask_create(&a, "{\"templateID\":\"base\",\"metadata\":{\"a\":\"1\"}}");
    ask_create(&a, NULL);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct sbx_fault fault = {
            .op = "e2b.sandbox.list", .phase = "before", .times = 1, .effect = {.kind = kinds[i].kind}};
        ask_fault(&a, &fault);
        T_EQ(ask(&a, "GET", "/v2/sandboxes?metadata=a%3D1", NULL), 200);
        T_EQ(count_of(&a), kinds[i].count);
        T_EQ(strstr(sbx_buf_text(&a.headers), "X-Next-Token") != NULL, strcmp(kinds[i].kind, "list_loop") == 0);
    }
    ask_finish(&a);
}

T_CASES(T_CASE(metadata_is_encoded_three_times), T_CASE(sandboxes_without_metadata_fit_no_filter),
        T_CASE(states_are_told_apart), T_CASE(pages_follow_each_other_and_do_not_repeat),
        T_CASE(e2b8_09_as_many_as_the_limit_have_no_next_page), T_CASE(effects_of_lists))
