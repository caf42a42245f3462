/* The searches find what they are for: each form of a credential, and a block that was not wiped. */
#include "canary.h"
#include "short_memory.h"
#include "t.h"

#include <stdlib.h>

#define SECRET "dtn_ca\"na\\ry/1+%&<~>?"

static void each_form_is_found(void) {
    static const struct {
        const char *text;
        const char *form;
    } texts[] = {{"Bearer dtn_ca\"na\\ry/1+%&<~>?.", "raw"},
                 {"x ZHRuX2NhIm5hXHJ5LzErJSY8fj4/", "base64"},
                 {"eGR0bl9jYSJuYVxyeS8xKyUmPH4+Pw==", "base64"},
                 {"eHhkdG5fY2EibmFccnkvMSslJjx+Pj8=", "base64"},
                 {"eGR0bl9jYSJuYVxyeS8xKyUmPH4-Pw", "base64 for URLs"},
                 {"<64746e5f6361226e615c72792f312b25263c7e3e3f>", "lower hex"},
                 {"64746E5F6361226E615C72792F312B25263C7E3E3F", "capital hex"},
                 {"?k=dtn_ca%22na%5Cry%2F1%2B%25%26%3C~%3E%3F&", "percent-encoded"},
                 {"?k=dtn_ca%22na%5cry%2f1%2b%25%26%3c~%3e%3f&", "percent-encoded in lower case"},
                 {"{\"k\":\"dtn_ca\\\"na\\\\ry/1+%&<~>?\"}", "JSON-escaped"},
                 {"{\"k\":\"dtn_ca\\\"na\\\\ry\\/1+%&<~>?\"}", "JSON-escaped with slashes"}};
    struct canary c;
    canary_init(&c, SECRET);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *form = canary_in(&c, texts[i].text, strlen(texts[i].text));
        if (!form || strcmp(form, texts[i].form) != 0)
            T_FAIL("%s: found %s, expected %s", texts[i].text, form ? form : "nothing", texts[i].form);
    }
    T_TRUE(!canary_in(&c, "dtn_ca\"na\\ry/2+%&<~>?", 21));
}

static struct canary searched;
static int found;

static void look(const void *block, size_t size) {
    found += canary_in(&searched, block, size) != NULL;
}

static void blocks_that_go_are_seen(void) {
    char *block = strdup(SECRET);
    T_TRUE(block != NULL);
    canary_init(&searched, SECRET);
    short_memory_watch(look);
    block = realloc(block, 100000);
    T_EQ(found, 1);
    T_TRUE(block != NULL);
    int before = short_memory_mask(1);
    block = realloc(block, 200000);
    T_EQ(found, 1);
    (void)short_memory_mask(before);
    free(block);
    T_EQ(found, 2);
    block = strdup(SECRET);
    T_TRUE(block != NULL);
    explicit_bzero(block, strlen(block));
    free(block);
    T_EQ(found, 2);
    short_memory_watch(NULL);
}

T_CASES(T_CASE(each_form_is_found), T_CASE(blocks_that_go_are_seen))
