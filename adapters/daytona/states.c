/* Daytona's words for states, and what the list may be asked of them. Rows D3, D21. Pure.
 *
 * A read shows where a sandbox is going - one that is started and wanted stopped reads "stopping" - but the list
 * filters by the word that is stored. So a state is asked for by every word that may read as it. */
#include "adapters/daytona/dto.h"

#include <sandport/kit/text.h>

#define BIT(state)  (1u << (state))
#define STARTING    BIT(SBX_STATE_STARTING)
#define STOPPING    BIT(SBX_STATE_STOPPING)
#define DESTROYING  BIT(SBX_STATE_DESTROYING)
#define NOTHING     0u
#define WORDS       (sizeof(state_words) / sizeof(state_words[0]))
#define IN_ANY_WORD DESTROYING /* nearly every word may read so: the list is asked for all */

struct state_word {
    const char *word;
    int32_t state;
    uint32_t also; /* what it may read as while it is going somewhere */
};

static const struct state_word state_words[] = {
    {"creating", SBX_STATE_STARTING, NOTHING},
    {"restoring", SBX_STATE_STARTING, NOTHING},
    {"starting", SBX_STATE_STARTING, NOTHING},
    {"resuming", SBX_STATE_STARTING, NOTHING},
    {"pending_build", SBX_STATE_STARTING, DESTROYING},
    {"building_snapshot", SBX_STATE_STARTING, NOTHING},
    {"pulling_snapshot", SBX_STATE_STARTING, NOTHING},
    {"started", SBX_STATE_RUNNING, STOPPING | DESTROYING},
    {"resizing", SBX_STATE_RUNNING, NOTHING},
    {"snapshotting", SBX_STATE_RUNNING, NOTHING},
    {"forking", SBX_STATE_RUNNING, NOTHING},
    {"stopping", SBX_STATE_STOPPING, NOTHING},
    {"pausing", SBX_STATE_STOPPING, NOTHING},
    {"archiving", SBX_STATE_STOPPED, NOTHING},
    {"stopped", SBX_STATE_STOPPED, STARTING | DESTROYING},
    {"paused", SBX_STATE_PAUSED, STARTING | STOPPING | DESTROYING},
    {"archived", SBX_STATE_ARCHIVED, STARTING | DESTROYING},
    {"error", SBX_STATE_FAILED, DESTROYING},
    {"build_failed", SBX_STATE_FAILED, DESTROYING},
    {"destroying", SBX_STATE_DESTROYING, NOTHING},
    {"destroyed", SBX_STATE_DESTROYED, NOTHING},
    {"unknown", SBX_STATE_UNKNOWN, STARTING},
};

static const struct state_word *word_of(const char *word) {
    for (size_t i = 0; i < WORDS; i++)
        if (sbx_text_equal_nocase(state_words[i].word, word)) return &state_words[i];
    return NULL;
}

int32_t daytona_state_of(const char *word) {
    const struct state_word *found = word_of(word);
    return found ? found->state : SBX_STATE_UNKNOWN; /* guard: unknown_state_is_not_running */
}

uint32_t daytona_states_bits(const int32_t *states, size_t n) {
    uint32_t bits = 0;
    for (size_t i = 0; i < n; i++) bits |= BIT(states[i]);
    return bits;
}

int daytona_state_may_be(const char *word, uint32_t wanted) {
    const struct state_word *found = word_of(word);
    if (!wanted || !found) return 1; /* a word that we do not know may be anything */
    return ((BIT(found->state) | found->also) & wanted) != 0;
}

const char *daytona_states_ask(uint32_t wanted, size_t *at) {
    if (!wanted || (wanted & IN_ANY_WORD)) return NULL;
    for (; *at < WORDS; ++*at)
        if (daytona_state_may_be(state_words[*at].word, wanted)) return state_words[(*at)++].word;
    return NULL;
}
