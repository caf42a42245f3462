/* Pieces of shell that the scripts of src/work have in common. */
#ifndef SRC_WORK_SHELL_PIECES_H
#define SRC_WORK_SHELL_PIECES_H

/* PATH is our own: the caller's may lead anywhere, or nowhere. */
#define OWN_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"

/* A nap is counted only when it was one: without a sleep that works, nothing is ever killed for lack of patience. */
#define NAP                                                                                                            \
    "nap() {\n"                                                                                                        \
    "    if sleep 0.05; then naps=$((naps + 1)); elif sleep 1; then naps=$((naps + 20)); fi\n"                         \
    "}\n"

enum { SHELL_NAP_MS = 50 }; /* one nap, at least */

#endif
