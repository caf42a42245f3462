/* The names of events. */
#include <sandport/router_event.h>

const char *sbx_router_event_name(int32_t kind) {
    switch (kind) {
#define NAME(name, number, text)                                                                                       \
    case number:                                                                                                       \
        return #name;
        SBX_ROUTER_EVENT_LIST(NAME)
#undef NAME
    default:
        return "UNKNOWN";
    }
}
