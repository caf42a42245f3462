/* The shelf: its beginning and its end. */
#include "sim/machine/shelf.h"
#include "sim/machine/machine.h"
#include <stdlib.h>

struct sim_shelf *sim_shelf_new(void) {
    struct sim_shelf *shelf = calloc(1, sizeof *shelf);
    if (!shelf) return NULL;
    shelf->refs = 1;
    if (!sim_image_programs(shelf)) return shelf;
    sim_shelf_release(shelf);
    return NULL;
}

struct sim_shelf *sim_shelf_hold(struct sim_shelf *shelf) {
    shelf->refs++;
    return shelf;
}

void sim_shelf_release(struct sim_shelf *shelf) {
    if (!shelf || --shelf->refs > 0) return;
    for (size_t i = 0; i < SIM_SHELF_SCRIPTS; i++)
        if (shelf->scripts[i]) shelf->let_go(shelf->scripts[i]);
    free(shelf->programs);
    free(shelf);
}
