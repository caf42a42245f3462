/* A pool's profile: checked, and copied into one piece of memory. Row R1. */
#include "src/pool/profile.h"

#include "src/pool/piece.h"

#include <sandport/kit/fail.h>
#include <sandport/kit/options.h>
#include <sandport/kit/text.h>
#include <stdlib.h>
#include <string.h>

#define FEATURES                                                                                                       \
    (SBX_FEATURE_TAILNET | SBX_FEATURE_LONG_PROCESS | SBX_FEATURE_STABLE_PID | SBX_FEATURE_PROCESS_RESTART |           \
     SBX_FEATURE_UNATTENDED_ENROLMENT | SBX_FEATURE_NESTED_USER_NAMESPACE)

void sbx_profile_init(struct sbx_profile *profile, size_t size) {
    sbx_options_init(profile, size);
}

const char *sbx_feature_name(uint64_t bit) {
    static const struct {
        uint64_t bit;
        const char *name;
    } names[] = {{SBX_FEATURE_TAILNET, "TAILNET"},
                 {SBX_FEATURE_LONG_PROCESS, "LONG_PROCESS"},
                 {SBX_FEATURE_STABLE_PID, "STABLE_PID"},
                 {SBX_FEATURE_PROCESS_RESTART, "PROCESS_RESTART"},
                 {SBX_FEATURE_UNATTENDED_ENROLMENT, "UNATTENDED_ENROLMENT"},
                 {SBX_FEATURE_NESTED_USER_NAMESPACE, "NESTED_USER_NAMESPACE"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].bit == bit) return names[i].name;
    return sbx_capability_name(bit);
}

const char *sbx_egress_name(int32_t egress) {
    static const char *const names[] = {"UNKNOWN", "NONE", "ALLOW_LIST", "OPEN"};
    return egress >= SBX_EGRESS_UNKNOWN && egress <= SBX_EGRESS_OPEN ? names[egress] : "?";
}

int sbx_is_word(const char *text, size_t bytes_max) {
    size_t len = text ? strlen(text) : 0;
    if (len == 0 || len > bytes_max || sbx_utf8_valid(text, len) != len) return 0;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return 0;
    return 1;
}

int sbx_is_word_list(const char *const *words, size_t count) {
    if (count > SBX_LIST_COUNT_MAX || (count && !words)) return 0;
    for (size_t i = 0; i < count; i++)
        if (!sbx_is_word(words[i], SBX_LIST_BYTES_MAX)) return 0;
    return 1;
}

int sbx_features_known(uint64_t bits) {
    for (uint64_t bit = 1; bit; bit <<= 1)
        if ((bits & bit) && !sbx_feature_name(bit)) return 0;
    return 1;
}

/* ---- checks ---- */

static const char *numbers_wrong(const struct sbx_profile *p) {
    if (!(p->cpu >= 0 && p->cpu <= SBX_RESOURCE_CPU_MAX)) return "cpu"; /* NaN is neither */
    if (p->memory_mib < 0) return "memory_mib";
    if (p->disk_mib < 0) return "disk_mib";
    if (p->gpu_count < 0) return "gpu_count";
    if (p->isolation < SBX_ISOLATION_NONE || p->isolation > SBX_ISOLATION_VM) return "isolation";
    if (p->durability < SBX_DURABILITY_NONE || p->durability > SBX_DURABILITY_MEMORY) return "durability";
    if (p->egress < SBX_EGRESS_UNKNOWN || p->egress > SBX_EGRESS_OPEN) return "egress";
    if (p->timeout_semantics & ~SBX_TIMEOUT_ALL) return "timeout_semantics";
    if (p->timeout_granularity_ms < 0) return "timeout_granularity_ms";
    if (p->lifetime_ms_max < 0) return "lifetime_ms_max";
    if (p->command_ms_max < 0) return "command_ms_max";
    return NULL;
}

static const char *texts_wrong(const struct sbx_profile *p) {
    if (p->gpu_type && !sbx_is_word(p->gpu_type, SBX_LIST_BYTES_MAX)) return "gpu_type";
    if (p->image && !sbx_is_word(p->image, SBX_LIST_BYTES_MAX)) return "image";
    if (!sbx_is_word_list(p->binaries, p->binary_count)) return "binaries";
    if (!sbx_is_word_list(p->regions, p->region_count)) return "regions";
    if (!sbx_is_word_list(p->restrictions, p->restriction_count)) return "restrictions";
    return NULL;
}

enum sbx_status sbx_profile_check(const struct sbx_profile *profile, uint64_t runtime_caps, struct sbx_error *err) {
    uint64_t beyond = profile->capabilities & ~runtime_caps & ~FEATURES;
    const char *wrong = numbers_wrong(profile);
    if (!wrong) wrong = texts_wrong(profile);
    if (wrong) {
        (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE,
                       "profile.%s: expected a claim of the documented form", wrong);
        return SBX_INVALID_ARGUMENT;
    }
    if (beyond) { /* guard: profile_within_runtime */
        const char *name = sbx_capability_name(beyond & (~beyond + 1));
        (void)sbx_fail(err, SBX_INVALID_ARGUMENT, SBX_OUTCOME_NONE,
                       "profile.capabilities: %s, which the runtime does not declare", name ? name : "an unknown bit");
        return SBX_INVALID_ARGUMENT;
    }
    return SBX_OK;
}

/* ---- a copy ---- */

static void lists_copy(struct piece *piece, struct sbx_profile *to, const struct sbx_profile *from) {
    to->gpu_type = sbx_piece_text(piece, from->gpu_type);
    to->image = sbx_piece_text(piece, from->image);
    to->binaries = sbx_piece_words(piece, from->binaries, from->binary_count);
    to->regions = sbx_piece_words(piece, from->regions, from->region_count);
    to->restrictions = sbx_piece_words(piece, from->restrictions, from->restriction_count);
}

void *sbx_profile_copy(struct sbx_profile *to, const struct sbx_profile *from) {
    struct piece piece = {0};
    *to = *from;
    lists_copy(&piece, to, from);
    char *memory = calloc(1, piece.bytes + 1);
    if (!memory) return NULL;
    piece.at = memory;
    lists_copy(&piece, to, from);
    return memory;
}
