/* A folder for one test, gone with it. */
#ifndef TESTS_STORES_SCRATCH_H
#define TESTS_STORES_SCRATCH_H

#define SCRATCH_PATH_SIZE 128

struct scratch;

struct scratch *scratch_create(void);
/** The path of a file in it. @param out SCRATCH_PATH_SIZE bytes @return out */
const char *scratch_path(const struct scratch *scratch, const char *name, char *out);
/** Removes it and what is in it. */
void scratch_free(struct scratch *scratch);

#endif
