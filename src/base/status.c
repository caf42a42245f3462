/* Names and texts of statuses. */
#include <sandport/status.h>

struct status_row {
    int32_t number;
    const char *name;
    const char *text;
};

#define STATUS_ROW(name, number, text) {(number), #name, (text)},
static const struct status_row status_rows[] = {SBX_STATUS_LIST(STATUS_ROW)};

static const struct status_row *status_find(int32_t status) {
    for (size_t i = 0; i < sizeof(status_rows) / sizeof(status_rows[0]); i++)
        if (status_rows[i].number == status) return &status_rows[i];
    return NULL;
}

const char *sbx_status_name(int32_t status) {
    const struct status_row *row = status_find(status);
    return row ? row->name : "UNKNOWN";
}

const char *sbx_status_text(int32_t status) {
    const struct status_row *row = status_find(status);
    return row ? row->text : "a status that this release does not know";
}
