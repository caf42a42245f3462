/* The body of a create. The sandbox's lifetime is always in it: left out it means five minutes, or fifteen seconds by
 * the older generation. Rows E1, E2. */
#include "adapters/e2b/verbs.h"

#include <string.h>

static void put_pairs(struct sbx_buf *body, const char *key, const struct sbx_pair *pairs, size_t n) {
    if (!n) return;
    sbx_json_begin_object(body, key);
    for (size_t i = 0; i < n; i++) sbx_json_put_string(body, pairs[i].name, pairs[i].value);
    sbx_json_end_object(body);
}

static void put_metadata(struct sbx_buf *body, const struct sbx_launch_options *opt) {
    sbx_json_begin_object(body, "metadata");
    for (size_t i = 0; i < opt->label_count; i++) sbx_json_put_string(body, opt->labels[i].name, opt->labels[i].value);
    sbx_json_put_string(body, "sandport-acq", opt->acquisition);
    if (opt->name) sbx_json_put_string(body, "sandport-name", opt->name);
    sbx_json_end_object(body);
}

static void put_entries(struct sbx_buf *body, const char *list) {
    struct sbx_buf one = SBX_BUF_INIT;
    for (const char *at = list; at && *at; at += strspn(at, ",")) {
        const size_t len = strcspn(at, ",");
        sbx_buf_clear(&one);
        sbx_buf_append(&one, at, len);
        sbx_json_put_string(body, NULL, sbx_buf_text(&one));
        if (one.failed) body->failed = 1;
        at += len;
    }
    sbx_buf_finish(&one);
}

/* What may be reached is an exception of "nothing": without the denial beside it an allow list allows all the same. */
static void put_network(struct sbx_buf *body, const struct sbx_launch_options *opt) {
    if (sbx_launch_blocks_all(opt)) {
        sbx_json_put_bool(body, "allow_internet_access", 0);
        return;
    }
    if (!opt->network_allow_list && !opt->domain_allow_list) return;
    sbx_json_begin_object(body, "network");
    sbx_json_begin_array(body, "allowOut");
    put_entries(body, opt->network_allow_list);
    put_entries(body, opt->domain_allow_list);
    sbx_json_end_array(body);
    sbx_json_begin_array(body, "denyOut"); /* guard: e2b_allow_list_denies_the_rest */
    sbx_json_put_string(body, NULL, "0.0.0.0/0");
    sbx_json_end_array(body);
    sbx_json_end_object(body);
}

void e2b_body_of_launch(const struct e2b *e, struct sbx_buf *body, const struct e2b_launch *launch) {
    sbx_json_begin_object(body, NULL);
    sbx_json_put_string(body, "templateID", launch->template_id);
    sbx_json_put_int(body, "timeout", e2b_seconds(launch->lifetime_ms)); /* guard: create_lifetime_sent */
    put_metadata(body, launch->opt);
    put_network(body, launch->opt);
    put_pairs(body, "envVars", launch->opt->env, launch->opt->env_count);
    if (e->api == SBX_E2B_API_V1) sbx_json_put_bool(body, "secure", 1); /* the newer one knows no other */
    sbx_json_end_object(body);
}
