/* POST /sandboxes and /v2/sandboxes: what a create may ask for, what refuses it, and the commit. Rows D20, V1. */
#include "sim/e2b/idempotency.h"
#include "sim/e2b/verbs.h"

#include <ctype.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define CREATE_V1_S        15
#define CREATE_V2_S        300
#define CREATE_ACQUISITION "sandport-acq"

struct create {
    struct sim_e2b_wish wish;
    struct sbx_buf template_name, tag, network;
};

static void create_finish(struct create *c) {
    sim_e2b_map_free(c->wish.metadata);
    sim_e2b_map_free(c->wish.env);
    sbx_buf_finish(&c->template_name);
    sbx_buf_finish(&c->tag);
    sbx_buf_finish(&c->network);
}

/* "name", an id, "namespace/alias", "alias:tag"; trimmed, in lower case. */
static void create_read_name(struct create *c, const char *text) {
    const char *from = text + strspn(text, " \t\r\n"), *colon = strrchr(from, ':');
    size_t len = strlen(from);
    while (len && strchr(" \t\r\n", from[len - 1])) len--;
    const size_t name = colon && colon < from + len ? (size_t)(colon - from) : len;
    for (size_t i = 0; i < len; i++)
        if (i != name) sbx_buf_char(i < name ? &c->template_name : &c->tag, (char)tolower((unsigned char)from[i]));
}

static int create_refuse_template(struct sim_e2b_call *call, struct create *c) {
    const char *name = sbx_buf_text(&c->template_name), *tag = sbx_buf_text(&c->tag), *slash = strrchr(name, '/');
    if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-/") != strlen(name)) {
        sim_e2b_refuse(call, 400, NULL, "Invalid template reference: %s", name);
        return 1;
    }
    const struct sim_e2b_template *found = sim_e2b_template_find(&call->e2b->config, slash ? slash + 1 : name);
    if (!found) {
        sim_e2b_refuse(call, 404, NULL, "template '%s' not found", name);
        return 1;
    }
    if (*tag && strcmp(tag, "default") != 0 && strcmp(tag, "latest") != 0) {
        sim_e2b_refuse(call, 404, NULL, "tag '%s' does not exist for template '%s'", tag, name);
        return 1;
    }
    c->wish.template_id = found->id;
    c->wish.alias = found->name;
    return 0;
}

static void create_read_network(struct create *c, struct sbx_json *js, const struct sbx_json_node *root) {
    const struct sbx_json_node *network = sbx_json_opt_object(js, root, "network");
    c->wish.internet = -1;
    if (sbx_json_member(root, "allow_internet_access"))
        c->wish.internet = sbx_json_opt_bool(js, root, "allow_internet_access", 1);
    c->wish.public_traffic = sbx_json_opt_bool(js, network, "allowPublicTraffic", 1);
    if (!network) return;
    sbx_json_touch(network);
    sbx_json_write_node(&c->network, network);
    c->wish.network = sbx_buf_text(&c->network);
}

static int create_is_address(const char *text) {
    return text[0] && strspn(text, "0123456789./") == strlen(text);
}

/* The first of a list that is none of what may be there; names of hosts may be where the rest is denied. NULL = none */
static const char *create_wrong_entry(struct sbx_json *js, const struct sbx_json_node *list, int hosts) {
    for (const struct sbx_json_node *it = sbx_json_first(list); it; it = sbx_json_next(it)) {
        const char *text = sbx_json_as_string(js, it);
        if (text && !create_is_address(text) && !(hosts && strchr(text, '.') && !strpbrk(text, "/: "))) return text;
    }
    return NULL;
}

static int create_refuse_network(struct sim_e2b_call *call, struct sbx_json *js, const struct sbx_json_node *root) {
    const struct sbx_json_node *network = sbx_json_opt_object(js, root, "network");
    const struct sbx_json_node *allow = sbx_json_opt_array(js, network, "allowOut");
    const struct sbx_json_node *deny = sbx_json_opt_array(js, network, "denyOut");
    int all_denied = 0;
    for (const struct sbx_json_node *it = sbx_json_first(deny); it; it = sbx_json_next(it)) {
        const char *text = sbx_json_as_string(js, it);
        all_denied |= text && strcmp(text, "0.0.0.0/0") == 0;
    }
    const char *denied = create_wrong_entry(js, deny, 0), *allowed = create_wrong_entry(js, allow, all_denied);
    if (denied) sim_e2b_refuse(call, 400, NULL, "invalid denied CIDR %s", denied);
    if (allowed && !denied) sim_e2b_refuse(call, 400, NULL, "invalid allowed address %s", allowed);
    return denied || allowed;
}

static int create_refuse_what_is_not_there(struct sim_e2b_call *call, struct sbx_json *js,
                                           const struct sbx_json_node *root) {
    const struct sbx_json_node *mounts = sbx_json_opt_array(js, root, "volumeMounts");
    if (mounts && sbx_json_count(mounts)) {
        sim_e2b_refuse(call, 400, NULL, "Volume mounts are not enabled.");
        return 1;
    }
    if (sbx_json_opt_object(js, root, "mcp")) {
        sim_e2b_refuse_unknown(call, "mcp of a create");
        return 1;
    }
    if (sbx_json_opt_object(js, root, "iam")) {
        sim_e2b_refuse_unknown(call, "iam of a create");
        return 1;
    }
    return 0;
}

static int create_refuse_pause(struct sim_e2b_call *call, const struct sim_e2b_wish *wish) {
    const char *why = NULL;
    if (!wish->auto_pause && !wish->auto_pause_memory)
        why = "autoPauseMemory=false only applies when autoPause is true.";
    else if (!wish->auto_pause_memory && wish->auto_resume)
        why = "autoPauseMemory=false conflicts with autoResume.";
    else if (!wish->public_traffic && !wish->secure)
        why = "You cannot create a sandbox without public access unless you enable secure envd access via 'secure' "
              "flag.";
    if (why) sim_e2b_refuse(call, 400, NULL, "%s", why);
    return why != NULL;
}

/* @return 1 if it has been answered */
static int create_read(struct sim_e2b_call *call, struct create *c) {
    struct sbx_json *js = NULL;
    const struct sbx_json_node *root = sim_e2b_body(call, 1, &js, NULL);
    const int second = (call->route->flags & E2B_V2) != 0;
    if (!root) return 1;
    create_read_name(c, sbx_json_string(js, root, "templateID") ? sbx_json_string(js, root, "templateID") : "");
    c->wish.secure = second || sbx_json_opt_bool(js, root, "secure", 0);
    c->wish.auto_pause = sbx_json_opt_bool(js, root, "autoPause", 0);
    c->wish.auto_pause_memory = sbx_json_opt_bool(js, root, "autoPauseMemory", 1);
    c->wish.auto_resume = sbx_json_opt_bool(js, sbx_json_opt_object(js, root, "autoResume"), "enabled", 0);
    create_read_network(c, js, root);
    if (sim_e2b_map_read(js, root, "metadata", &c->wish.metadata) ||
        sim_e2b_map_read(js, root, "envVars", &c->wish.env)) {
        sim_e2b_broken(call);
        return 1;
    }
    if (create_refuse_network(call, js, root) || create_refuse_what_is_not_there(call, js, root)) return 1;
    c->wish.timeout_s = sim_e2b_lifetime(call, js, root, second ? CREATE_V2_S : CREATE_V1_S, 1);
    if (c->wish.timeout_s < 0 || sim_e2b_body_refused(call, js)) return 1;
    return create_refuse_pause(call, &c->wish) || create_refuse_template(call, c);
}

static void create_commit(struct sim_e2b_call *call, struct create *c) {
    struct sim_e2b *e2b = call->e2b;
    struct sim_e2b_sandbox *sb = sim_e2b_sandbox_new(e2b, call->account, &c->wish);
    if (!sb) return;
    call->sb = sim_e2b_sandbox_pin(sb);
    sim_journal_alias_add(sim_journal(e2b->sim), "sb", sb->id, NULL);
    sim_ledger_open(sim_ledger(e2b->sim), "e2b", call->account->name, sb->id, NULL,
                    sim_e2b_map_get(sb->metadata, CREATE_ACQUISITION), call->account->price_running,
                    sim_http_number(call->x));
    sim_e2b_subject(call, sb);
    sim_e2b_sandbox_start(sb);
    if (call->twist.holds) sim_e2b_sandbox_hold(sb, call->twist.hold_state, call->twist.hold_ns);
}

static void create_answer(struct sim_e2b_call *call) {
    struct sim_e2b_sandbox *sb = call->sb;
    if (!sim_e2b_sandbox_settle(sb)) return;
    if (sb->state == E2B_GONE) {
        sim_e2b_refuse(call, 500, "sandbox_create_failed", "Failed to create sandbox");
        return;
    }
    if (call->twist.expires) sim_e2b_sandbox_set_end(sb, sim_e2b_now(call->e2b) + call->twist.expire_ns);
    if (call->twist.redirect) {
        sim_http_header_add(call->x, "Location", call->twist.redirect);
        sim_e2b_reply_empty(call, 302);
        return;
    }
    sim_e2b_idempotency_record(call, 201);
    sim_e2b_sandbox_reply(call, 201, sb);
}

void sim_e2b_serve_create(struct sim_e2b_call *call) {
    struct create c = {.wish = {.internet = -1}};
    if (sim_e2b_idempotency_replay(call)) return;
    if (create_read(call, &c)) goto done;
    if (sim_e2b_fault(call, SIM_PHASE_BEFORE_COMMIT)) goto done;
    if (sim_e2b_account_full(call)) goto done;
    create_commit(call, &c);
    if (!call->sb) {
        sim_e2b_broken(call);
        goto done;
    }
    sim_e2b_idempotency_begin(call);
    if (!sim_e2b_fault(call, SIM_PHASE_AFTER_COMMIT)) create_answer(call);
done:
    create_finish(&c);
}
