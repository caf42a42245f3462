/* How this cloud is set up: healthy defaults, and the scenario's part read strictly over them. */
#include "sim/e2b/config.h"
#include "sim/e2b/cloud.h"

#include <stdlib.h>
#include <string.h>

static void config_templates_free(struct sim_e2b_config *config) {
    while (config->templates) {
        struct sim_e2b_template *next = config->templates->next;
        free(config->templates->name);
        free(config->templates);
        config->templates = next;
    }
}

void sim_e2b_config_finish(struct sim_e2b_config *config) {
    config_templates_free(config);
    free(config->envd_version);
    config->envd_version = NULL;
}

static enum sbx_status config_text(char **member, const char *value) {
    char *copy = strdup(value);
    if (!copy) return SBX_NO_MEMORY;
    free(*member);
    *member = copy;
    return SBX_OK;
}

static enum sbx_status config_template(struct sim_e2b *e2b, const char *name) {
    struct sim_e2b_template *made = calloc(1, sizeof(*made)), **end = &e2b->config.templates;
    if (!made) return SBX_NO_MEMORY;
    if (config_text(&made->name, name)) {
        free(made);
        return SBX_NO_MEMORY;
    }
    sim_draw_token(sim_world(e2b->sim), "e2b.template", made->id, sizeof(made->id) - 1);
    while (*end) end = &(*end)->next;
    *end = made;
    return SBX_OK;
}

const struct sim_e2b_template *sim_e2b_template_find(const struct sim_e2b_config *config, const char *name) {
    const struct sim_e2b_template *it = config->templates;
    while (it && strcmp(it->name, name) != 0 && strcmp(it->id, name) != 0) it = it->next;
    return it;
}

enum sbx_status sim_e2b_config_init(struct sim_e2b *e2b) {
    struct sim_e2b_config *config = &e2b->config;
    config->boot_ms = 400;
    config->pause_ms = 400;
    config->resume_ms = 300;
    config->kill_ms = 100;
    config->exit_retention_ms = 30000;
    config->bad_port_status = 400;
    config->gzip = 1;
    enum sbx_status st = config_text(&config->envd_version, "0.6.13");
    if (!st) st = config_template(e2b, "base");
    if (!st && !sim_e2b_account_add(e2b, "default", SBX_SIM_E2B_KEY)) st = SBX_NO_MEMORY;
    return st;
}

/* ---- the scenario ---- */

/* A number that must not be negative. */
static int64_t config_count(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, int64_t otherwise) {
    const int64_t value = sbx_json_opt_int(js, obj, key, otherwise);
    if (value >= 0 && value <= INT32_MAX) return value;
    sbx_json_complain(js, obj, key, "a number from 0 to 2147483647");
    return otherwise;
}

/* One of two words. @return 1 for the second */
static int config_switch(struct sbx_json *js, const struct sbx_json_node *obj, const char *key, const char *first,
                         const char *second, int otherwise) {
    const char *word = sbx_json_opt_string(js, obj, key, NULL);
    if (!word) return otherwise;
    if (strcmp(word, second) == 0) return 1;
    if (strcmp(word, first) != 0) sbx_json_complain(js, obj, key, "one of the words that the schema has");
    return 0;
}

static enum sbx_status config_read_account(struct sim_e2b *e2b, struct sbx_json *js, const struct sbx_json_node *obj) {
    const char *name = sbx_json_string(js, obj, "name"), *key = sbx_json_string(js, obj, "api_key");
    const char *blocked = sbx_json_opt_string(js, obj, "blocked", NULL);
    const struct sbx_json_node *rate = sbx_json_opt_object(js, obj, "rate");
    const struct sbx_json_node *price = sbx_json_opt_object(js, obj, "price");
    if (sbx_json_status(js)) return SBX_INVALID_ARGUMENT;
    if (sim_e2b_account_by_key(e2b, key)) sbx_json_complain(js, obj, "api_key", "a key that no other account has");
    struct sim_e2b_account *account = sim_e2b_account_add(e2b, name, key);
    if (!account || (blocked && config_text(&account->blocked, blocked))) return SBX_NO_MEMORY;
    account->banned = sbx_json_opt_bool(js, obj, "banned", 0);
    account->concurrency = config_count(js, obj, "concurrency", account->concurrency);
    account->max_s = config_count(js, obj, "max_s", account->max_s);
    account->meter[E2B_METER_CREATE].limit = config_count(js, rate, "create", 0);
    account->meter[E2B_METER_LIFECYCLE].limit = config_count(js, rate, "lifecycle", 0);
    account->price_running = config_count(js, price, "running", account->price_running);
    account->price_paused = config_count(js, price, "paused", account->price_paused);
    return SBX_OK;
}

static enum sbx_status config_read_accounts(struct sim_e2b *e2b, struct sbx_json *js,
                                            const struct sbx_json_node *part) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, part, "accounts");
    enum sbx_status st = SBX_OK;
    if (!list || sbx_json_count(list) == 0) return SBX_OK;
    sim_e2b_accounts_free(e2b->accounts);
    e2b->accounts = NULL;
    for (const struct sbx_json_node *it = sbx_json_first(list); it && !st; it = sbx_json_next(it))
        st = config_read_account(e2b, js, it);
    return st;
}

static enum sbx_status config_read_templates(struct sim_e2b *e2b, struct sbx_json *js,
                                             const struct sbx_json_node *part) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, part, "templates");
    enum sbx_status st = SBX_OK;
    if (!list) return SBX_OK;
    config_templates_free(&e2b->config);
    for (const struct sbx_json_node *it = sbx_json_first(list); it && !st; it = sbx_json_next(it)) {
        const char *name = sbx_json_as_string(js, it);
        st = name ? config_template(e2b, name) : SBX_INVALID_ARGUMENT;
    }
    return st;
}

static enum sbx_status config_read_ways(struct sim_e2b_config *config, struct sbx_json *js,
                                        const struct sbx_json_node *part) {
    const char *version = sbx_json_opt_string(js, part, "envd_version", NULL);
    config->boot_ms = config_count(js, part, "boot_ms", config->boot_ms);
    config->pause_ms = config_count(js, part, "pause_ms", config->pause_ms);
    config->resume_ms = config_count(js, part, "resume_ms", config->resume_ms);
    config->kill_ms = config_count(js, part, "kill_ms", config->kill_ms);
    config->exit_retention_ms = config_count(js, part, "exit_retention_ms", config->exit_retention_ms);
    config->default_timeout_ms = config_count(js, part, "default_timeout_ms", config->default_timeout_ms);
    config->bad_port_status = config_count(js, part, "bad_port_status", config->bad_port_status);
    if (config->bad_port_status != 400 && config->bad_port_status != 500)
        sbx_json_complain(js, part, "bad_port_status", "400 or 500");
    config->timeout_ends = config_switch(js, part, "timeout", "error", "end", config->timeout_ends);
    config->cut_says_unavailable = config_switch(js, part, "cut", "close", "unavailable", config->cut_says_unavailable);
    config->over_max_clamps = config_switch(js, part, "over_max", "refused", "clamped", config->over_max_clamps);
    config->zero_is_default = config_switch(js, part, "zero_timeout", "refused", "default", config->zero_is_default);
    config->gzip = sbx_json_opt_bool(js, part, "gzip", config->gzip);
    config->idempotency = sbx_json_opt_bool(js, part, "idempotency", config->idempotency);
    return version ? config_text(&config->envd_version, version) : SBX_OK;
}

enum sbx_status sim_e2b_config_read(struct sim_cloud *cloud, struct sbx_json *js, const struct sbx_json_node *part) {
    struct sim_e2b *e2b = (struct sim_e2b *)cloud;
    enum sbx_status st = config_read_ways(&e2b->config, js, part);
    if (!st) st = config_read_templates(e2b, js, part);
    if (!st) st = config_read_accounts(e2b, js, part);
    if (!st && sbx_json_status(js)) st = SBX_INVALID_ARGUMENT;
    return st;
}
