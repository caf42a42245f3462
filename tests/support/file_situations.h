/* Situations with files that every provider has to tell the same: what tests of each play over their own world. */
#ifndef TESTS_SUPPORT_FILE_SITUATIONS_H
#define TESTS_SUPPORT_FILE_SITUATIONS_H

#include "t.h"

#include <sandport/sandport.h>

/** Runs a command that says nothing on standard error. */
void situation_shell(struct sbx_sandbox *sb, const char *command, const char *want);

/* Each wants a sandbox whose working directory is empty, and may leave something in it. */
void situation_lists(struct sbx_sandbox *sb, const char *owner); /* as the provider writes it */
void situation_names(struct sbx_sandbox *sb);
void situation_searches(struct sbx_sandbox *sb);
void situation_directories(struct sbx_sandbox *sb);
void situation_removals(struct sbx_sandbox *sb);
void situation_moves(struct sbx_sandbox *sb);
void situation_permissions(struct sbx_sandbox *sb);
void situation_replacements(struct sbx_sandbox *sb);

#endif
