/* Tools to come. */
#include "sim/machine/tool.h"

const struct sim_tool sim_tools_tree[] = {{NULL, NULL}};
