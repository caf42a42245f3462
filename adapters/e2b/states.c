/* E2B's words for states. There are two: what is being paused reads as paused, what is being killed is not there. Pure.
 */
#include "adapters/e2b/dto.h"

#include <string.h>

#define BIT(state) (1u << (state))

int32_t e2b_state_of(const char *word) {
    if (strcmp(word, "running") == 0) return SBX_STATE_RUNNING;
    if (strcmp(word, "paused") == 0) return SBX_STATE_PAUSED;
    return SBX_STATE_UNKNOWN; /* guard: e2b_unknown_state_is_not_running */
}

uint32_t e2b_states_bits(const int32_t *states, size_t n) {
    uint32_t bits = 0;
    for (size_t i = 0; i < n; i++) bits |= BIT(states[i]);
    return bits;
}

const char *e2b_states_ask(uint32_t wanted) {
    uint32_t running = wanted & BIT(SBX_STATE_RUNNING), paused = wanted & BIT(SBX_STATE_PAUSED);
    if (!wanted || (running && paused)) return "running,paused";
    return running ? "running" : paused ? "paused" : NULL;
}
