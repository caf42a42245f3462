/* E2B's sandbox object, read: strict about what identifies and reaches it, tolerant about the rest. Rows E1, R12. */
#include "adapters/e2b/dto.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define LABELS_MAX 256

/* ---- reading ---- */

/* It becomes part of a host name, so it must not be able to name another host. */
static int is_id(const char *id) {
    size_t len = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return len > 0 && len < SBX_ID_SIZE && !id[len] && id[0] != '-';
}

void e2b_dto_read(struct sbx_json *js, const struct sbx_json_node *node, int made, struct e2b_dto *out) {
    memset(out, 0, sizeof(*out));
    out->node = node;
    out->id = sbx_json_string(js, node, "sandboxID");
    out->state_text = made ? "" : sbx_json_string(js, node, "state");
    out->template_id = sbx_json_opt_string(js, node, "templateID", "");
    out->domain = sbx_json_opt_string(js, node, "domain", "");
    out->token = sbx_json_opt_string(js, node, "envdAccessToken", "");
    out->software = sbx_json_soft_string(js, node, "envdVersion");
    out->end_ms = e2b_stamp_ms(sbx_json_opt_string(js, node, "endAt", ""));
    (void)sbx_json_opt_object(js, node, "metadata"); /* whose it is hangs on it: another type is no answer */
    out->state = made ? SBX_STATE_RUNNING : out->state_text ? e2b_state_of(out->state_text) : SBX_STATE_UNKNOWN;
    if (out->id && !is_id(out->id)) sbx_json_complain(js, node, "sandboxID", "letters and digits");
}

enum sbx_status e2b_reply_dto(struct e2b_reply *reply, int made, struct e2b_dto *dto, struct sbx_error *err) {
    enum sbx_status st = e2b_reply_json(reply, err);
    if (st) return st;
    e2b_dto_read(reply->js, sbx_json_as_object(reply->js, sbx_json_root(reply->js)), made, dto);
    st = sbx_json_status(reply->js);
    return st ? sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "answer: %s", sbx_json_error(reply->js)) : SBX_OK;
}

const char *e2b_dto_label(struct sbx_json *js, const struct e2b_dto *dto, const char *name) {
    return sbx_json_opt_string(js, sbx_json_opt_object(js, dto->node, "metadata"), name, NULL);
}

int e2b_dto_matches(struct sbx_json *js, const struct e2b_dto *dto, const struct sbx_pair *labels, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *value = e2b_dto_label(js, dto, labels[i].name);
        if (!value || strcmp(value, labels[i].value) != 0) return 0; /* guard: e2b_filter_is_checked */
    }
    return 1;
}

int64_t e2b_stamp_ms(const char *text) {
    const int64_t ms = sbx_stamp_ms(text);
    return ms > 0 ? ms : 0;
}

/* ---- a copy for callers ---- */

static size_t labels_read(struct sbx_json *js, const struct sbx_json_node *labels, struct sbx_pair *out) {
    size_t n = 0;
    for (const struct sbx_json_node *l = sbx_json_first(labels); l && n < LABELS_MAX; l = sbx_json_next(l))
        if (sbx_json_type(l) == SBX_JSON_STRING)
            out[n++] = (struct sbx_pair){sbx_json_key(l), sbx_json_as_string(js, l)};
    return n;
}

/* What only E2B knows. Never the token. */
static const char *const extra_names[] = {"alias", "startedAt", "endAt", "envdVersion", "clientID", "domain"};
#define EXTRAS (sizeof(extra_names) / sizeof(extra_names[0]))

static size_t extras_read(struct sbx_json *js, const struct sbx_json_node *node, struct sbx_pair *out) {
    const struct sbx_json_node *cycle = sbx_json_opt_object(js, node, "lifecycle");
    const char *on_timeout = sbx_json_opt_string(js, cycle, "onTimeout", NULL);
    size_t n = 0;
    for (size_t i = 0; i < EXTRAS; i++) {
        const struct sbx_json_node *member = node ? sbx_json_member(node, extra_names[i]) : NULL;
        if (member && sbx_json_type(member) == SBX_JSON_STRING)
            out[n++] = (struct sbx_pair){extra_names[i], sbx_json_as_string(js, member)};
    }
    if (on_timeout) out[n++] = (struct sbx_pair){"onTimeout", on_timeout};
    return n;
}

struct sbx_info *e2b_dto_info(struct e2b *e, struct sbx_json *js, const struct e2b_dto *dto) {
    struct sbx_pair labels[LABELS_MAX], extras[EXTRAS + 1];
    struct sbx_info_draft draft = {.size = sizeof(draft),
                                   .id = dto->id,
                                   .snapshot = dto->template_id,
                                   .state_text = dto->state_text,
                                   .state = dto->state,
                                   .labels = labels,
                                   .extras = extras};
    draft.name = e2b_dto_label(js, dto, "sandport-name");
    draft.acquisition = e2b_dto_label(js, dto, "sandport-acq");
    draft.cpu = sbx_json_opt_number(js, dto->node, "cpuCount", 0);
    draft.memory_mib = (int64_t)sbx_json_opt_number(js, dto->node, "memoryMB", 0);
    draft.disk_mib = (int64_t)sbx_json_opt_number(js, dto->node, "diskSizeMB", 0);
    draft.label_count = labels_read(js, sbx_json_opt_object(js, dto->node, "metadata"), labels);
    draft.extra_count = extras_read(js, dto->node, extras);
    draft.read_ms = e->env->now_ms(e->env);
    return sbx_info_create(&draft);
}

/* ---- identity ---- */

static int is_domain(const char *domain) {
    return *domain && !domain[strspn(domain, "abcdefghijklmnopqrstuvwxyz0123456789-.")] && *domain != '.';
}

static int is_token(const char *token) {
    size_t len = 0;
    for (; token[len]; len++)
        if ((unsigned char)token[len] <= 0x20 || (unsigned char)token[len] >= 0x7f) return 0;
    return len < SBX_TOKEN_SIZE;
}

/* The domain of an endpoint like https://api.e2b.app; "" if it has none. */
static void endpoint_domain(const struct e2b *e, char *out, size_t cap) {
    static const char prefix[] = "https://api.";
    out[0] = 0;
    if (strncmp(e->endpoint, prefix, sizeof(prefix) - 1) != 0) return;
    if (!sbx_copy(out, cap, e->endpoint + sizeof(prefix) - 1) || !is_domain(out)) out[0] = 0;
}

/* The given form, with the id in its place; a suffix behind a dash in an old id is no part of a host. */
static void put_form(struct sbx_buf *address, const char *form, const char *id) {
    static const char place[] = "{id}";
    for (const char *at; (at = strstr(form, place)); form = at + sizeof(place) - 1) {
        sbx_buf_append(address, form, (size_t)(at - form));
        sbx_buf_append(address, id, strcspn(id, "-"));
    }
    sbx_buf_text_append(address, form);
}

static enum sbx_status put_address(const struct e2b *e, const struct e2b_dto *dto, struct sbx_buf *address,
                                   struct sbx_error *err) {
    char domain[SBX_ADDRESS_SIZE], form[SBX_ADDRESS_SIZE + 32];
    if (e->sandbox_url) {
        put_form(address, e->sandbox_url, dto->id);
        return SBX_OK;
    }
    if (*dto->domain && (!is_domain(dto->domain) || !sbx_copy(domain, sizeof(domain), dto->domain)))
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "domain: expected a host name");
    if (!*dto->domain) endpoint_domain(e, domain, sizeof(domain));
    if (!domain[0])
        return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_DONE,
                        "sandbox_url: expected one, since neither E2B nor the endpoint names a domain");
    snprintf(form, sizeof(form), "https://" E2B_PORT "-{id}.%s", domain);
    put_form(address, form, dto->id);
    return SBX_OK;
}

enum sbx_status e2b_dto_identity(const struct e2b *e, struct sbx_json *js, const struct e2b_dto *dto,
                                 struct sbx_identity *out, struct sbx_error *err) {
    struct sbx_buf address = SBX_BUF_INIT;
    const char *acquisition = e2b_dto_label(js, dto, "sandport-acq");
    (void)!sbx_copy(out->id, sizeof(out->id), dto->id);
    if (acquisition && sbx_is_hex(acquisition, SBX_ACQUISITION_SIZE - 1))
        (void)!sbx_copy(out->acquisition, sizeof(out->acquisition), acquisition);
    out->state = dto->state;
    enum sbx_status st = put_address(e, dto, &address, err);
    if (!st && address.failed) st = sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL);
    if (!st && !sbx_copy(out->address, sizeof(out->address), sbx_buf_text(&address)))
        st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "domain: expected a shorter one");
    if (!st && !is_token(dto->token))
        st = sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "envdAccessToken: expected printable ASCII");
    if (!st) (void)!sbx_copy(out->token, sizeof(out->token), dto->token);
    if (!st && *dto->software) (void)!sbx_copy(out->software, sizeof(out->software), dto->software);
    sbx_buf_finish(&address);
    return st;
}
