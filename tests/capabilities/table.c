/* The table of abilities: a runtime of each kind is made, and asked. Row P5. */
#include "table.h"

#include <sandport/daytona.h>
#include <sandport/e2b.h>
#include <sandport/local.h>
#include <sandport/posix.h>
#include <sandport/sandport.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KINDS = 3, ABILITIES_MAX = 64 };

static const char *const kinds[KINDS] = {"daytona", "e2b", "local"};

static enum sbx_status make(size_t kind, const char *root, struct sbx_env *env, struct sbx_runtime **out) {
    struct sbx_daytona_options daytona = SBX_DAYTONA_OPTIONS_INIT;
    struct sbx_e2b_options e2b = SBX_E2B_OPTIONS_INIT;
    struct sbx_local_options local = SBX_LOCAL_OPTIONS_INIT;
    daytona.endpoint = SBX_DAYTONA_ENDPOINT;
    e2b.endpoint = SBX_E2B_ENDPOINT;
    daytona.api_key = e2b.api_key = "canary-key-of-nobody";
    local.root = root;
    local.isolation = SBX_LOCAL_ISOLATION_NONE;
    switch (kind) {
    case 0:
        return sbx_daytona_create(&daytona, env, out, NULL);
    case 1:
        return sbx_e2b_create(&e2b, env, out, NULL);
    default:
        return sbx_local_create(&local, env, out, NULL);
    }
}

static const char *isolation_name(int32_t isolation) {
    static const char *const names[] = {"none", "namespace", "container", "vm"};
    return isolation >= SBX_ISOLATION_NONE && isolation <= SBX_ISOLATION_VM ? names[isolation] : "unknown";
}

static void put_row(struct sbx_buf *out, const char *name, struct sbx_runtime *const *rt, uint64_t bit) {
    sbx_buf_printf(out, "| %s |", name);
    for (size_t i = 0; i < KINDS; i++) sbx_buf_printf(out, " %s |", sbx_runtime_capabilities(rt[i]) & bit ? "yes" : "");
    sbx_buf_text_append(out, "\n");
}

static void put_table(struct sbx_buf *out, struct sbx_runtime *const *rt) {
    sbx_buf_text_append(out, "| ability |");
    for (size_t i = 0; i < KINDS; i++) sbx_buf_printf(out, " %s |", kinds[i]);
    sbx_buf_text_append(out, "\n| --- |");
    for (size_t i = 0; i < KINDS; i++) sbx_buf_text_append(out, " --- |");
    sbx_buf_text_append(out, "\n");
    for (int i = 0; i < ABILITIES_MAX; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        if (sbx_capability_name(bit)) put_row(out, sbx_capability_name(bit), rt, bit);
    }
    sbx_buf_text_append(out, "| isolation |");
    for (size_t i = 0; i < KINDS; i++) sbx_buf_printf(out, " %s |", isolation_name(sbx_runtime_isolation(rt[i])));
    sbx_buf_text_append(out, "\n");
}

static int table_of(struct sbx_buf *out, const char *root) {
    struct sbx_runtime *rt[KINDS] = {NULL};
    struct sbx_env *env = NULL;
    int made = sbx_posix_env_create(&env) == SBX_OK;
    for (size_t i = 0; made && i < KINDS; i++) made = make(i, root, env, &rt[i]) == SBX_OK;
    if (made) put_table(out, rt);
    for (size_t i = 0; i < KINDS; i++) sbx_runtime_free(rt[i]);
    sbx_env_free(env);
    return made && !out->failed;
}

int capability_table(struct sbx_buf *out) {
    static const char *const left[] = {"/.names", "/.never", ""};
    char root[] = "/tmp/sandport-table-XXXXXX", path[64];
    if (!mkdtemp(root)) return 0;
    const int made = table_of(out, root);
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", root, left[i]);
        (void)rmdir(path);
    }
    return made;
}
