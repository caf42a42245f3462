/* Why a pool was not chosen: names, texts, and how a set of reasons is gone through. */
#include <sandport/router_reason.h>

#include <stddef.h>

static const struct {
    int32_t reason;
    const char *name;
    const char *text;
} reasons[] = {
#define ENTRY(name, number, text) {number, #name, text},
    SBX_REASON_LIST(ENTRY)
#undef ENTRY
};
#define REASON_COUNT (sizeof(reasons) / sizeof(reasons[0]))

const char *sbx_reason_name(int32_t reason) {
    for (size_t i = 0; i < REASON_COUNT; i++)
        if (reasons[i].reason == reason) return reasons[i].name;
    return "UNKNOWN";
}

const char *sbx_reason_text(int32_t reason) {
    for (size_t i = 0; i < REASON_COUNT; i++)
        if (reasons[i].reason == reason) return reasons[i].text;
    return "not a reason of this release";
}

int32_t sbx_reason_next(uint64_t set, int32_t after) {
    for (size_t i = 0; i < REASON_COUNT; i++)
        if (reasons[i].reason > after && (set & SBX_REASON_BIT(reasons[i].reason))) return reasons[i].reason;
    return 0;
}
