/* What callers may pass: each check names the field that is wrong and what was expected. Rows P3, D20 (the port's
 * part). */
#include "src/port/port.h"

#include <sandport/kit/text.h>
#include <string.h>

#define NAME_BYTES_MAX  256
#define PATH_BYTES_MAX  4095
#define LABEL_BYTES_MAX 4096

static enum sbx_status wrong(struct sbx_error *err, const char *field, const char *expected) {
    return sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE, "%s: expected %s", field, expected);
}

static int has_control(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return 1;
    return 0;
}

static int is_utf8(const char *text) {
    size_t len = strlen(text);
    return sbx_utf8_valid(text, len) == len;
}

/* A short text of people's: a name, a region, a snapshot. NULL is fine. */
static enum sbx_status check_word(const char *text, const char *field, struct sbx_error *err) {
    if (!text) return SBX_OK;
    if (!*text || strlen(text) > NAME_BYTES_MAX) return wrong(err, field, "1 to 256 bytes");
    if (has_control(text)) return wrong(err, field, "no control characters");
    if (!is_utf8(text)) return wrong(err, field, "valid UTF-8");
    return SBX_OK;
}

enum sbx_status sbx_port_check_choice(int32_t value, const char *field, struct sbx_error *err) {
    return value >= SBX_DEFAULT && value <= SBX_NO ? SBX_OK : wrong(err, field, "SBX_DEFAULT, SBX_YES or SBX_NO");
}

enum sbx_status sbx_port_check_id(const char *id, struct sbx_error *err) {
    if (!id || !*id) return wrong(err, "id", "a sandbox id");
    if (strlen(id) >= SBX_ID_SIZE) return wrong(err, "id", "fewer than 128 bytes");
    for (const char *c = id; *c; c++)
        if ((unsigned char)*c <= 0x20 || (unsigned char)*c >= 0x7f || strchr("/?#%\\", *c))
            return wrong(err, "id", "printable ASCII without / ? # % \\ or spaces");
    if (strcmp(id, ".") == 0 || strcmp(id, "..") == 0) return wrong(err, "id", "a sandbox id");
    return SBX_OK;
}

static int has_dot_dot(const char *path) {
    for (const char *part = path; part; part = strchr(part, '/')) {
        if (*part == '/') part++;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) return 1;
    }
    return 0;
}

enum sbx_status sbx_port_check_path(const char *path, struct sbx_error *err) {
    if (!path || !*path) return wrong(err, "path", "a path");
    size_t len = strlen(path);
    if (len > PATH_BYTES_MAX) return wrong(err, "path", "at most 4095 bytes");
    if (path[len - 1] == '/') return wrong(err, "path", "a file, not a directory with a slash at its end");
    if (has_control(path)) return wrong(err, "path", "no control characters");
    if (!is_utf8(path)) return wrong(err, "path", "valid UTF-8");
    if (has_dot_dot(path)) return wrong(err, "path", "no .. in it");
    return SBX_OK;
}

/* A newline or a quote may be in a name; what takes a path by its query or in a shell's quotes has no trouble with it.
 */
enum sbx_status sbx_port_check_any_path(const char *path, const char *field, struct sbx_error *err) {
    if (!path || !*path) return wrong(err, field, "a path");
    if (strlen(path) > PATH_BYTES_MAX) return wrong(err, field, "at most 4095 bytes");
    if (!is_utf8(path)) return wrong(err, field, "valid UTF-8");
    if (has_dot_dot(path)) return wrong(err, field, "no .. in it");
    return SBX_OK;
}

enum sbx_status sbx_port_check_text(const char *text, const char *field, struct sbx_error *err) {
    if (!text || !*text) return wrong(err, field, "a text");
    return is_utf8(text) ? SBX_OK : wrong(err, field, "valid UTF-8");
}

enum sbx_status sbx_port_check_mode(int32_t mode, const char *field, struct sbx_error *err) {
    return mode >= SBX_MODE_NONE && mode <= 0777 ? SBX_OK : wrong(err, field, "0 to 0777, or SBX_MODE_NONE");
}

/* ---- pairs ---- */

static enum sbx_status check_pairs_shape(const struct sbx_pair *pairs, size_t n, const char *field,
                                         struct sbx_error *err) {
    char at[64];
    sbx_copy(at, sizeof(at), field);
    if (n && !pairs) return wrong(err, field, "as many as the count says");
    for (size_t i = 0; i < n; i++) {
        if (!pairs[i].name || !*pairs[i].name) return wrong(err, field, "a name in every one");
        if (!pairs[i].value) return wrong(err, field, "a value in every one");
        if (!is_utf8(pairs[i].name) || !is_utf8(pairs[i].value)) return wrong(err, field, "valid UTF-8");
        for (size_t k = 0; k < i; k++)
            if (strcmp(pairs[k].name, pairs[i].name) == 0) return wrong(err, field, "each name once");
    }
    return SBX_OK;
}

static enum sbx_status check_labels(const struct sbx_pair *labels, size_t n, int may_be_ours, struct sbx_error *err) {
    enum sbx_status st = check_pairs_shape(labels, n, "labels", err);
    for (size_t i = 0; i < n && !st; i++) {
        if (has_control(labels[i].name) || has_control(labels[i].value))
            st = wrong(err, "labels", "no control characters");
        else if (strlen(labels[i].name) > LABEL_BYTES_MAX || strlen(labels[i].value) > LABEL_BYTES_MAX)
            st = wrong(err, "labels", "at most 4096 bytes each");
        else if (!may_be_ours && strncmp(labels[i].name, "sandport-", 9) == 0)
            st = wrong(err, "labels", "no name that starts with sandport-");
    }
    return st;
}

static enum sbx_status check_env(const struct sbx_pair *env, size_t n, struct sbx_error *err) {
    enum sbx_status st = check_pairs_shape(env, n, "env", err);
    for (size_t i = 0; i < n && !st; i++) {
        if (!sbx_is_env_name(env[i].name))
            st = wrong(err, "env", "names of letters, digits and _ that do not start with a digit");
        else if (strlen(env[i].name) + 1 + strlen(env[i].value) >= SBX_ENV_ENTRY_MAX)
            st = wrong(err, "env", "entries below 128 KiB");
    }
    return st;
}

/* ---- launch ---- */

static enum sbx_status check_volumes(const struct sbx_launch_options *opt, struct sbx_error *err) {
    if (opt->volume_count && !opt->volumes) return wrong(err, "volumes", "as many as the count says");
    for (size_t i = 0; i < opt->volume_count; i++) {
        const struct sbx_volume *volume = &opt->volumes[i];
        if (volume->size != sizeof(*volume)) return wrong(err, "volumes", "a size in every one");
        if (!volume->volume || !*volume->volume) return wrong(err, "volumes", "an id or name in every one");
        if (!volume->mount_path || volume->mount_path[0] != '/') return wrong(err, "volumes", "absolute mount paths");
    }
    return SBX_OK;
}

static enum sbx_status check_numbers(const struct sbx_launch_options *opt, struct sbx_error *err) {
    if (opt->create_ms < 0) return wrong(err, "create_ms", "0 or more");
    if (opt->auto_stop_min < 0) return wrong(err, "auto_stop_min", "0 or more");
    if (opt->auto_archive_min < 0) return wrong(err, "auto_archive_min", "0 or more");
    if (opt->auto_delete_min < -1 && opt->auto_delete_min != SBX_EPHEMERAL)
        return wrong(err, "auto_delete_min", "-1, 0, more, or SBX_EPHEMERAL");
    if (opt->auto_pause_min < 0) return wrong(err, "auto_pause_min", "0 or more");
    if (opt->auto_pause_min && opt->auto_stop_min) return wrong(err, "auto_pause_min", "0 beside an auto_stop_min");
    if (opt->ttl_min < 0) return wrong(err, "ttl_min", "0 or more");
    if (!(opt->cpu >= 0) || opt->cpu > 1e6) return wrong(err, "cpu", "0 or more");
    if (opt->memory_mib < 0) return wrong(err, "memory_mib", "0 or more");
    if (opt->disk_mib < 0) return wrong(err, "disk_mib", "0 or more");
    return SBX_OK;
}

struct need {
    int asked;
    uint64_t cap;
    const char *field;
};

static enum sbx_status check_needs(const struct sbx_runtime *rt, const struct sbx_launch_options *opt,
                                   struct sbx_error *err) {
    const struct need needs[] = {
        {opt->port_count > 0, SBX_CAP_PORTS, "ports"},
        {opt->cpu > 0, SBX_CAP_LAUNCH_RESOURCES, "cpu"},
        {opt->memory_mib > 0, SBX_CAP_LAUNCH_RESOURCES, "memory_mib"},
        {opt->disk_mib > 0, SBX_CAP_LAUNCH_RESOURCES, "disk_mib"},
        {opt->network_block_all == SBX_YES, SBX_CAP_LAUNCH_NETWORK, "network_block_all"},
        {opt->network_allow_list != NULL, SBX_CAP_LAUNCH_NETWORK, "network_allow_list"},
        {opt->domain_allow_list != NULL, SBX_CAP_LAUNCH_NETWORK, "domain_allow_list"},
        {opt->volume_count > 0, SBX_CAP_LAUNCH_VOLUMES, "volumes"},
        {opt->auto_stop_min > 0, SBX_CAP_LAUNCH_INTERVALS, "auto_stop_min"},
        {opt->auto_archive_min > 0, SBX_CAP_LAUNCH_INTERVALS, "auto_archive_min"},
        {opt->auto_delete_min != 0, SBX_CAP_LAUNCH_INTERVALS, "auto_delete_min"},
        {opt->auto_pause_min > 0, SBX_CAP_LAUNCH_INTERVALS, "auto_pause_min"},
        {opt->ttl_min > 0, SBX_CAP_LAUNCH_INTERVALS, "ttl_min"},
    };
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
        if (needs[i].asked && !(rt->ops.caps & needs[i].cap)) /* guard: launch_undeclared_option */
            return sbx_fail(err, SBX_UNSUPPORTED, SBX_OUTCOME_NOT_SENT, "%s: %s does not declare %s", needs[i].field,
                            rt->ops.provider, sbx_capability_name(needs[i].cap));
    return SBX_OK;
}

enum sbx_status sbx_port_check_launch(const struct sbx_runtime *rt, const struct sbx_launch_options *opt,
                                      struct sbx_error *err) {
    enum sbx_status st = SBX_OK;
    if (opt->acquisition && !sbx_is_hex(opt->acquisition, SBX_ACQUISITION_SIZE - 1))
        return wrong(err, "acquisition", "32 lower-case hex digits");
    if ((st = check_word(opt->name, "name", err))) return st;
    if ((st = check_word(opt->snapshot, "snapshot", err))) return st;
    if ((st = check_word(opt->target, "target", err))) return st;
    if ((st = check_labels(opt->labels, opt->label_count, 0, err))) return st;
    if ((st = check_env(opt->env, opt->env_count, err))) return st;
    if ((st = check_volumes(opt, err))) return st;
    if ((st = check_numbers(opt, err))) return st;
    if ((st = sbx_port_check_choice(opt->network_block_all, "network_block_all", err))) return st;
    if ((st = check_pairs_shape(opt->provider_options, opt->provider_option_count, "provider_options", err))) return st;
    return check_needs(rt, opt, err);
}

/* ---- the rest ---- */

enum sbx_status sbx_port_check_query(const struct sbx_query *query, struct sbx_error *err) {
    enum sbx_status st = check_labels(query->labels, query->label_count, 1, err);
    if (st) return st;
    if (query->state_count && !query->states) return wrong(err, "states", "as many as the count says");
    for (size_t i = 0; i < query->state_count; i++)
        if (query->states[i] < SBX_STATE_STARTING || query->states[i] > SBX_STATE_DESTROYING)
            return wrong(err, "states", "states that a listed sandbox can have");
    if (query->exclude_count && !query->exclude_ids) return wrong(err, "exclude_ids", "as many as the count says");
    for (size_t i = 0; i < query->exclude_count; i++)
        if (!query->exclude_ids[i]) return wrong(err, "exclude_ids", "ids");
    if (query->page_size < 0) return wrong(err, "page_size", "0 or more");
    if (query->max < 0) return wrong(err, "max", "0 or more");
    return SBX_OK;
}

enum sbx_status sbx_port_check_reconcile(const struct sbx_reconcile_options *opt, struct sbx_error *err) {
    if (!sbx_is_hex(opt->acquisition, SBX_ACQUISITION_SIZE - 1))
        return wrong(err, "acquisition", "32 lower-case hex digits");
    if (opt->sent_ms_ago < 0) return wrong(err, "sent_ms_ago", "0 or more");
    return check_word(opt->name, "name", err);
}

static int is_blank(const char *text) {
    return text[strspn(text, " \t\r\n")] == 0;
}

static enum sbx_status check_command(const char *command, const char *cwd, struct sbx_error *err) {
    if (!command || is_blank(command)) return wrong(err, "command", "a command");
    if (strlen(command) > SBX_COMMAND_BYTES_MAX) return wrong(err, "command", "at most 96 KiB");
    if (!is_utf8(command)) return wrong(err, "command", "valid UTF-8");
    if (cwd && (!*cwd || strlen(cwd) > PATH_BYTES_MAX)) return wrong(err, "cwd", "1 to 4095 bytes");
    if (cwd && !is_utf8(cwd)) return wrong(err, "cwd", "valid UTF-8");
    return SBX_OK;
}

enum sbx_status sbx_port_check_run_id(const char *run_id, struct sbx_error *err) {
    if (!run_id || !*run_id || strlen(run_id) > SBX_RUN_ID_BYTES_MAX) return wrong(err, "run_id", "1 to 256 bytes");
    return SBX_OK;
}

enum sbx_status sbx_port_check_submit(const char *command, const struct sbx_run_options *opt, struct sbx_error *err) {
    enum sbx_status st = check_command(command, opt->cwd, err);
    if (st) return st;
    if (opt->lifetime_ms < 0) return wrong(err, "lifetime_ms", "0 or more");
    return check_env(opt->env, opt->env_count, err);
}

enum sbx_status sbx_port_check_log(const struct sbx_log_options *opt, struct sbx_error *err) {
    if (opt->stdout_from < SBX_LOG_TAIL) return wrong(err, "stdout_from", "0 or more, SBX_LOG_TAIL or SBX_LOG_NONE");
    if (opt->stderr_from < SBX_LOG_TAIL) return wrong(err, "stderr_from", "0 or more, SBX_LOG_TAIL or SBX_LOG_NONE");
    if (opt->bytes_max < 0 || opt->bytes_max > SBX_LOG_BYTES_MAX) return wrong(err, "bytes_max", "0 to 1 MiB");
    return SBX_OK;
}

enum sbx_status sbx_port_check_exec(const char *command, const struct sbx_exec_options *opt, struct sbx_error *err) {
    enum sbx_status st = check_command(command, opt->cwd, err);
    if (st) return st;
    if (opt->lifetime_ms < 0) return wrong(err, "lifetime_ms", "0 or more");
    if (opt->output_bytes_max < 0) return wrong(err, "output_bytes_max", "0 or more");
    if (opt->mode < SBX_EXEC_MODE_DEFAULT || opt->mode > SBX_EXEC_WIRE)
        return wrong(err, "mode", "one of enum sbx_exec_mode");
    return check_env(opt->env, opt->env_count, err);
}

enum sbx_status sbx_port_check_transfer(const struct sbx_transfer_options *opt, struct sbx_error *err) {
    if (opt->bytes < 0 && opt->bytes != SBX_EMPTY_FILE) return wrong(err, "bytes", "0 or more, or SBX_EMPTY_FILE");
    if (opt->stall_ms < 0) return wrong(err, "stall_ms", "0 or more");
    enum sbx_status st = sbx_port_check_mode(opt->mode, "mode", err);
    return st ? st : sbx_port_check_choice(opt->checksum, "checksum", err);
}
