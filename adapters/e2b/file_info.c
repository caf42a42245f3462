/* What the daemon says of a file. Its JSON leaves out what is zero: a size, a mode, a type that has no word. Rows P8,
 * D14. */
#include "adapters/e2b/file.h"

#include <sandport/kit/text.h>
#include <string.h>

#define TYPE_FILE      "FILE_TYPE_FILE"
#define TYPE_DIRECTORY "FILE_TYPE_DIRECTORY"
#define TYPE_SYMLINK   "FILE_TYPE_SYMLINK"

/* Type and mode are of what a link leads to. */
static int32_t info_type(const char *type, const char *target, int32_t *leads_nowhere) {
    if (strcmp(type, TYPE_FILE) == 0) return SBX_FILE_REGULAR;
    if (strcmp(type, TYPE_DIRECTORY) == 0) return SBX_FILE_DIRECTORY;
    *leads_nowhere = strcmp(type, TYPE_SYMLINK) == 0 || (!*type && *target);
    return *type ? SBX_FILE_TYPE_UNKNOWN : SBX_FILE_OTHER;
}

/* 64-bit numbers are texts to it; readers are told to take both. */
static int64_t info_bytes(struct sbx_json *js, const struct sbx_json_node *node) {
    const struct sbx_json_node *member = sbx_json_member(node, "size");
    int64_t bytes = 0;
    if (member && sbx_json_type(member) == SBX_JSON_STRING) {
        if (!sbx_text_int(sbx_json_as_string(js, member), 0, INT64_MAX, &bytes))
            sbx_json_complain(js, node, "size", "0 or more");
        return bytes;
    }
    bytes = sbx_json_opt_int(js, node, "size", 0);
    if (bytes < 0) sbx_json_complain(js, node, "size", "0 or more");
    return bytes;
}

/* 0 is left out: then the letters must say that there are some. */
static int32_t info_mode(struct sbx_json *js, const struct sbx_json_node *node) {
    const struct sbx_json_node *mode = sbx_json_member(node, "mode");
    if (!mode) return *sbx_json_soft_string(js, node, "permissions") ? 0 : -1;
    if (sbx_json_type(mode) != SBX_JSON_NUMBER) return -1;
    return (int32_t)sbx_json_opt_number(js, node, "mode", -1) & 0777;
}

void e2b_file_info(struct sbx_json *js, const struct sbx_json_node *node, int listed, struct e2b_file *out) {
    *out = (struct e2b_file){.draft = SBX_FILE_DRAFT_INIT};
    out->draft.path = sbx_json_string(js, node, "name");
    const char *type = sbx_json_opt_string(js, node, "type", "");
    out->draft.type = info_type(type, sbx_json_soft_string(js, node, "symlinkTarget"), &out->leads_nowhere);
    out->draft.bytes = info_bytes(js, node);
    out->draft.mode = info_mode(js, node);
    out->draft.modified_ms = sbx_stamp_ms(sbx_json_soft_string(js, node, "modifiedTime"));
    out->draft.owner = sbx_json_soft_string(js, node, "owner");
    out->draft.group = sbx_json_soft_string(js, node, "group");
    if (!out->draft.path) return;
    if (!sbx_is_one_name(out->draft.path) && (listed || strcmp(out->draft.path, "/") != 0))
        sbx_json_complain(js, node, "name", "one name");
}
