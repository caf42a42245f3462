/* One exchange with the simulated Daytona after the other. */
#include "ask.h"

#include <stdio.h>

void ask_init_whole(struct ask *a, const char *scenario) {
    ask_begin(a, scenario, SBX_SIM_DAYTONA_KEY, "http://daytona.sim");
}

void ask_init(struct ask *a, const char *scenario) {
    char text[4096];
    snprintf(text, sizeof(text), "{\"daytona\":%s}", scenario ? scenario : "{}");
    ask_init_whole(a, scenario ? text : NULL);
}

int ask_raw(struct ask *a, const char *method, const char *path, const char *type, const void *body, size_t len) {
    char auth[128];
    struct sbx_header headers[10] = {{"Content-Type", type}, {"Authorization", auth}};
    snprintf(auth, sizeof(auth), "Bearer %s", a->key ? a->key : "");
    return ask_exchange(a, method, path, headers, a->key ? 2 : 1, body, len);
}

int ask(struct ask *a, const char *method, const char *path, const char *body) {
    return ask_raw(a, method, path, "application/json", body, body ? strlen(body) : 0);
}

void ask_create(struct ask *a, const char *body) {
    T_EQ(ask(a, "POST", "/api/sandbox", body ? body : "{}"), 200);
    T_TRUE(sbx_copy(a->id, sizeof(a->id), ask_text(a, "id")));
}

void ask_create_started(struct ask *a, const char *body) {
    ask_create(a, body);
    T_STR(ask_state(a), "started");
}

const char *ask_state(struct ask *a) {
    if (ask(a, "GET", "/api/sandbox/%s", NULL) == 404) return "404";
    return ask_text(a, "state");
}

int ask_execute(struct ask *a, const char *body) {
    return ask(a, "POST", "/toolbox/%s/process/execute", body);
}
