/* The two shell scripts of exact exec, as they go over the wire. Rows P7, P11; docs/exact-exec.md. */
#ifndef SRC_WORK_EXACT_SCRIPT_H
#define SRC_WORK_EXACT_SCRIPT_H

/** Runs a command once per nonce: sh -c SCRIPT sbx <command> <nonce> <cwd> <limit> [<received nonce>...] */
extern const char sbx_exact_script_run[];

/** Asks what became of a nonce, and ends it where due; never starts anything:
 *  sh -c SCRIPT sbx <nonce> <limit> <naps before it kills> <naps for the end to be seen> */
extern const char sbx_exact_script_ask[];

#endif
