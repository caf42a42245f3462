/* Daytona's sandbox object, read: strict about what identifies it, tolerant about the rest. Rows D3, D21, D22. */
#include "adapters/daytona/dto.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define LABELS_MAX 256
#define MIB_A_GIB  1024

void daytona_dto_read(struct sbx_json *js, const struct sbx_json_node *node, struct daytona_dto *out) {
    memset(out, 0, sizeof(*out));
    out->node = node;
    out->id = sbx_json_string(js, node, "id");
    out->state_text = sbx_json_string(js, node, "state");
    out->name = sbx_json_opt_string(js, node, "name", "");
    out->desired_text = sbx_json_opt_string(js, node, "desiredState", "");
    out->toolbox_url = sbx_json_opt_string(js, node, "toolboxProxyUrl", "");
    out->snapshot = sbx_json_opt_string(js, node, "snapshot", "");
    out->target = sbx_json_opt_string(js, node, "target", "");
    (void)sbx_json_opt_object(js, node, "labels"); /* whose it is hangs on them: another type is no answer */
    out->state = out->state_text ? daytona_state_of(out->state_text) : SBX_STATE_UNKNOWN;
    if (out->id && (!*out->id || strlen(out->id) >= SBX_ID_SIZE)) sbx_json_complain(js, node, "id", "1 to 127 bytes");
}

enum sbx_status daytona_reply_dto(struct daytona_reply *reply, struct daytona_dto *dto, struct sbx_error *err) {
    enum sbx_status st = daytona_reply_json(reply, err);
    if (st) return st;
    daytona_dto_read(reply->js, sbx_json_as_object(reply->js, sbx_json_root(reply->js)), dto);
    st = sbx_json_status(reply->js);
    return st ? sbx_fail(err, st, SBX_OUTCOME_UNKNOWN, "answer: %s", sbx_json_error(reply->js)) : SBX_OK;
}

const char *daytona_dto_label(struct sbx_json *js, const struct daytona_dto *dto, const char *name) {
    return sbx_json_opt_string(js, sbx_json_opt_object(js, dto->node, "labels"), name, NULL);
}

int daytona_dto_matches(struct sbx_json *js, const struct daytona_dto *dto, const struct sbx_pair *labels, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *value = daytona_dto_label(js, dto, labels[i].name);
        if (!value || strcmp(value, labels[i].value) != 0) return 0;
    }
    return 1;
}

/* ---- a copy for callers ---- */

static size_t labels_read(struct sbx_json *js, const struct sbx_json_node *labels, struct sbx_pair *out) {
    size_t n = 0;
    for (const struct sbx_json_node *l = sbx_json_first(labels); l && n < LABELS_MAX; l = sbx_json_next(l)) {
        const char *value = sbx_json_as_string(js, l);
        if (value) out[n++] = (struct sbx_pair){sbx_json_key(l), value};
    }
    return n;
}

/* What only Daytona knows, as text: numbers and booleans are written out. */
static const char *const extra_names[] = {"sandboxClass",
                                          "warmPoolId",
                                          "autoDestroyAt",
                                          "autoPauseInterval",
                                          "spot",
                                          "autoStopInterval",
                                          "autoArchiveInterval",
                                          "autoDeleteInterval",
                                          "desiredState",
                                          "user",
                                          "public",
                                          "runnerId",
                                          "daemonVersion",
                                          "createdAt",
                                          "organizationId",
                                          "networkBlockAll",
                                          "networkAllowList",
                                          "domainAllowList"};
#define EXTRAS (sizeof(extra_names) / sizeof(extra_names[0]))

static size_t extras_read(struct sbx_json *js, const struct sbx_json_node *node, struct sbx_pair *out,
                          struct sbx_buf *texts) {
    size_t n = 0, at[EXTRAS];
    for (size_t i = 0; i < EXTRAS; i++) {
        const struct sbx_json_node *member = node ? sbx_json_member(node, extra_names[i]) : NULL;
        enum sbx_json_type type = member ? sbx_json_type(member) : SBX_JSON_NULL;
        if (type != SBX_JSON_STRING && type != SBX_JSON_NUMBER && type != SBX_JSON_BOOL) continue;
        out[n].name = extra_names[i];
        at[n++] = texts->len;
        if (type == SBX_JSON_STRING) {
            sbx_buf_text_append(texts, sbx_json_as_string(js, member));
        } else {
            struct sbx_buf one = SBX_BUF_INIT;
            sbx_json_write_node(&one, member);
            sbx_buf_text_append(texts, sbx_buf_text(&one));
            if (one.failed) texts->failed = 1;
            sbx_buf_finish(&one);
        }
        sbx_buf_char(texts, 0);
    }
    for (size_t i = 0; i < n; i++) out[i].value = texts->failed ? "" : texts->data + at[i];
    if (node && !sbx_json_member(node, "spot")) out[n++] = (struct sbx_pair){"spot", "false"}; /* APIs before 0.205 */
    return n;
}

struct sbx_info *daytona_dto_info(struct daytona *d, struct sbx_json *js, const struct daytona_dto *dto,
                                  const char *work_dir) {
    struct sbx_pair labels[LABELS_MAX], extras[EXTRAS];
    struct sbx_buf texts = SBX_BUF_INIT;
    struct sbx_info_draft draft = {.size = sizeof(draft),
                                   .id = dto->id,
                                   .name = dto->name,
                                   .snapshot = dto->snapshot,
                                   .target = dto->target,
                                   .state_text = dto->state_text,
                                   .state = dto->state,
                                   .work_dir = work_dir,
                                   .labels = labels,
                                   .extras = extras};
    draft.cpu = sbx_json_opt_number(js, dto->node, "cpu", 0);
    draft.memory_mib = (int64_t)(sbx_json_opt_number(js, dto->node, "memory", 0) * MIB_A_GIB);
    draft.disk_mib = (int64_t)(sbx_json_opt_number(js, dto->node, "disk", 0) * MIB_A_GIB);
    draft.acquisition = daytona_dto_label(js, dto, "sandport-acq");
    draft.label_count = labels_read(js, sbx_json_opt_object(js, dto->node, "labels"), labels);
    draft.extra_count = extras_read(js, dto->node, extras, &texts);
    draft.read_ms = d->env->now_ms(d->env);
    struct sbx_info *info = texts.failed ? NULL : sbx_info_create(&draft);
    sbx_buf_finish(&texts);
    return info;
}

/* ---- identity ---- */

/* Our credential goes wherever the toolbox is said to be: never over plain HTTP when the API itself is not. */
static int toolbox_is_safe(const struct daytona *d, const char *url) {
    if (!sbx_url_is_base(url)) return 0;
    return strncmp(d->endpoint, "https://", 8) != 0 || strncmp(url, "https://", 8) == 0; /* guard: toolbox_downgrade */
}

enum sbx_status daytona_dto_identity(const struct daytona *d, struct sbx_json *js, const struct daytona_dto *dto,
                                     struct sbx_identity *out, struct sbx_error *err) {
    const char *acquisition = daytona_dto_label(js, dto, "sandport-acq");
    size_t len = strlen(dto->toolbox_url);
    (void)!sbx_copy(out->id, sizeof(out->id), dto->id);
    if (acquisition && sbx_is_hex(acquisition, SBX_ACQUISITION_SIZE - 1))
        (void)!sbx_copy(out->acquisition, sizeof(out->acquisition), acquisition);
    out->state = dto->state;
    if (!*dto->toolbox_url) return SBX_OK; /* asked for when it is needed: dirs.c */
    while (len && dto->toolbox_url[len - 1] == '/') len--;
    if (len < sizeof(out->address)) {
        memcpy(out->address, dto->toolbox_url, len);
        out->address[len] = 0;
        if (toolbox_is_safe(d, out->address)) return SBX_OK;
    }
    out->address[0] = 0;
    return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE,
                    "toolboxProxyUrl: expected an absolute URL as safe as the endpoint's");
}
