/* What the daemon says of a file. Rows P8, D14. */
#include "adapters/daytona/verbs.h"

#include <sandport/kit/text.h>
#include <string.h>

static int32_t info_mode(const char *octal) {
    int32_t mode = 0;
    size_t len = strlen(octal);
    if (len < 3 || len > 5) return -1;
    for (; *octal; octal++) {
        if (*octal < '0' || *octal > '7') return -1;
        mode = mode * 8 + (*octal - '0');
    }
    return mode & 0777;
}

/* Go's letters before the nine permissions: none but "-" for a regular file. */
static int32_t info_type(int is_dir, const char *mode) {
    if (is_dir) return SBX_FILE_DIRECTORY;
    if (strlen(mode) < 10) return SBX_FILE_TYPE_UNKNOWN;
    return strpbrk(mode, "LDpSc?") ? SBX_FILE_OTHER : SBX_FILE_REGULAR;
}

enum sbx_status daytona_file_info(struct sbx_json *js, const struct sbx_json_node *node, int listed,
                                  struct sbx_files *into, struct sbx_error *err) {
    struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
    const int is_dir = sbx_json_bool(js, node, "isDir");
    draft.path = sbx_json_string(js, node, "name");
    draft.bytes = sbx_json_int(js, node, "size");
    if (sbx_json_status(js)) return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: %s", sbx_json_error(js));
    const int is_start = strcmp(draft.path, "/") == 0 || strcmp(draft.path, ".") == 0;
    if (!sbx_is_one_name(draft.path) && (listed || !is_start))
        return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected one name at $.name");
    if (draft.bytes < 0) return sbx_fail(err, SBX_PROTOCOL, SBX_OUTCOME_DONE, "answer: expected 0 or more at $.size");
    const char *modified = sbx_json_soft_string(js, node, "modifiedAt");
    draft.type = info_type(is_dir, sbx_json_soft_string(js, node, "mode"));
    draft.mode = info_mode(sbx_json_soft_string(js, node, "permissions"));
    draft.modified_ms = sbx_stamp_ms(*modified ? modified : sbx_json_soft_string(js, node, "modTime"));
    draft.owner = sbx_json_soft_string(js, node, "owner");
    draft.group = sbx_json_soft_string(js, node, "group");
    return sbx_files_add(into, &draft) ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_DONE, NULL) : SBX_OK;
}
