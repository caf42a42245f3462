/* As much of JSON Schema as our schema files use, for holding real lines against them. */
#ifndef TESTS_SIM_KIT_SCHEMA_H
#define TESTS_SIM_KIT_SCHEMA_H

#include <sandport/kit/json.h>
#include <stddef.h>

/** @return 1 if the value fits; else 0 with the place and what was wrong. A keyword that it does not know fails too. */
int schema_fits(const struct sbx_json_node *schema, const struct sbx_json_node *root, const struct sbx_json_node *value,
                char *why, size_t why_cap);

#endif
