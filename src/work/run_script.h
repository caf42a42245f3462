/* The shell scripts of durable runs, as they go over the wire. Row D10; docs/durable-runs.md. */
#ifndef SRC_WORK_RUN_SCRIPT_H
#define SRC_WORK_RUN_SCRIPT_H

/** Makes a run once for its directory, and tells how it stands:
 *  sh -c SCRIPT sbx <command> <directory> <cwd> <lifetime s> <hash> <nonce> <keeper> <child> <watch> */
extern const char sbx_run_script_submit[];

/* What a run consists of, handed to the script above. */
extern const char sbx_run_script_keeper[]; /* waits for the command and notes its exit code */
extern const char sbx_run_script_child[];  /* becomes the command */
extern const char sbx_run_script_watch[];  /* ends it when its lifetime is over */

/** Tells how a run stands, with a piece of each stream; starts nothing:
 *  sh -c SCRIPT sbx <directory> <from in stdout, or -> <from in stderr, or -> <bytes> */
extern const char sbx_run_script_read[];

/** Ends a run and tells: sh -c SCRIPT sbx <directory> <naps for each signal> */
extern const char sbx_run_script_kill[];

/** Removes the streams of a run that has ended: sh -c SCRIPT sbx <directory> */
extern const char sbx_run_script_drop[];

#endif
