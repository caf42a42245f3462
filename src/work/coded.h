/* What the answers of src/work's scripts have in common: marks with a key in them, and streams coded between marks.
 * Pure functions of the text. Row P7.
 *
 * A provider may put a banner before an answer, a goodbye after it, and \r\n for \n. */
#ifndef SRC_WORK_CODED_H
#define SRC_WORK_CODED_H

#include <sandport/kit/buf.h>

/** Lines not read yet. */
struct coded_text {
    const char *at;
    const char *end;
};

struct coded_line {
    const char *text;
    size_t len;
};

/** Each line of ours begins "<tag> <key> ". */
struct coded_mark {
    const char *tag;
    const char *key;
};

#define CODED_TOOL_SIZE 16

/** What a script says became of a command. */
enum coded_code {
    CODED_EXIT,    /* it ended with its exit code */
    CODED_LOST,    /* it was started, is gone, and its exit code with it */
    CODED_RUNNING, /* it was started and is alive or not proven dead; or it is about to be started */
    CODED_NEVER,   /* it has not been started and never will be */
    CODED_NO_TOOL, /* refused: the sandbox lacks a tool */
    CODED_NO_CWD,  /* refused: no such working directory */
    CODED_NO_ROOM, /* refused: its directory could not be made or filled */
    CODED_ABSENT,  /* no trace of it */
    CODED_UNKNOWN  /* the trace does not tell */
};

/** @return 0 when there are no more */
int sbx_coded_next(struct coded_text *in, struct coded_line *out);

/** The fields behind the mark, exactly `count`, cut at single spaces.
 *  @param room  where they are put, NUL-terminated
 *  @return 0 if the line is not of that form */
int sbx_coded_head(const struct coded_line *line, const struct coded_mark *mark, char *room, size_t cap, char **fields,
                   size_t count);

/** "0" to "255", "tool:<name>", or a word. @param exit_code, tool set where the code has one @return 0 if it is none */
int sbx_coded_verdict(const char *text, enum coded_code *code, int32_t *exit_code, char tool[CODED_TOOL_SIZE]);

/** A count of bytes; "-" is -1. @return 0 if it is none */
int sbx_coded_total(const char *text, int64_t *out);

/** "b64" or "hex". @return 0 if it is neither */
int sbx_coded_coding(const char *text, int *hex);

/** One stream: all lines up to the mark and the word `until`, decoded onto `out`.
 *  @param scratch ours during the call; may be used again
 *  @return 0 if the mark does not come or anything else is mixed in */
int sbx_coded_stream(struct coded_text *in, const struct coded_mark *mark, const char *until, int hex,
                     struct sbx_buf *scratch, struct sbx_buf *out);

#endif
