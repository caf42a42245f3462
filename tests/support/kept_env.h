/* A command's environment is its caller's, whatever names our own scripts use. */
#ifndef TESTS_SUPPORT_KEPT_ENV_H
#define TESTS_SUPPORT_KEPT_ENV_H

#include <sandport/sandport.h>

/** Runs a command in every way that the sandbox's runtime declares, each time with an environment of all names that
 * scripts of ours have for variables. Fails the test unless the command sees each of them as it was given. */
void kept_env_check(struct sbx_sandbox *sb, const struct sbx_runtime *rt);

#endif
