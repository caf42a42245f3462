/* Ending a process with its children, and the proof that nobody of it is alive. Rows E3, P9.
 *
 * The daemon signals the first process only, and children of its share the daemon's own group: so a command of ours is
 * made the leader of a session of its own (exec.c), and the group of its number is ended from inside. A number can
 * stand for another process by now only if nobody of the group has lived in between, which a call is too short for. */
#include "adapters/e2b/process.h"

#include <sandport/kit/text.h>
#include <stdio.h>
#include <string.h>

#define SCRIPT_MS    15000
#define ANSWER_BYTES 4096

/* members PID: counts who is of that group and not dead; what is not understood counts. */
static const char end_script[] =
    "exec 2>/dev/null\n"
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
    "members() {\n"
    "    n=0\n"
    "    for stat in /proc/[0-9]*/stat; do\n"
    "        line=\n"
    "        read -r line <$stat || continue\n"
    "        case $line in *\") \"*) set -- $1 ${line##*\") \"} ;; *) n=$((n + 1)); continue ;; esac\n"
    "        case $2 in Z | X) continue ;; esac\n"
    "        [ $4 != $1 ] || n=$((n + 1))\n"
    "    done\n"
    "}\n"
    "own=\n"
    "command -v setsid >/dev/null && own=1\n" /* the same question as at its start: was it given a group? */
    "kill -KILL -$1 || kill -KILL $1\n"
    "naps=0\n"
    "while members $1; [ $n != 0 ] && [ $naps -lt 100 ]; do\n"
    "    sleep 0.05 || sleep 1\n"
    "    naps=$((naps + 1))\n"
    "done\n"
    "[ -r /proc/self/stat ] || own= n=1\n"
    "echo e2b-end $2 $n${own:+ own}\n";

static int find_tag(struct sbx_json *js, const char *tag, int64_t *pid) {
    const struct sbx_json_node *list = sbx_json_opt_array(js, sbx_json_root(js), "processes");
    for (const struct sbx_json_node *p = sbx_json_first(list); p; p = sbx_json_next(p)) {
        if (strcmp(sbx_json_opt_string(js, p, "tag", ""), tag) != 0) continue;
        *pid = sbx_json_int(js, p, "pid");
        return sbx_json_status(js) == SBX_OK && *pid > 0;
    }
    return 0;
}

/* The number of the process with that tag, from the daemon's list. @return 0 if it has none, or cannot be asked */
static int tag_look(struct e2b *e, const struct sbx_identity *who, const char *tag, const struct sbx_call *call,
                    int64_t *pid) {
    struct e2b_reply reply = {0};
    struct sbx_error quiet;
    struct sbx_buf url = SBX_BUF_INIT, body = SBX_BUF_INIT;
    int found = 0;
    sbx_error_init(&quiet, sizeof(quiet));
    sbx_buf_text_append(&url, who->address);
    sbx_buf_text_append(&url, "/process.Process/List");
    sbx_buf_text_append(&body, "{}");
    const struct e2b_request req = {.op = E2B_PROCESSES,
                                    .method = "POST",
                                    .url = sbx_buf_text(&url),
                                    .body = &body,
                                    .who = who,
                                    .flags = SBX_REQUEST_IDEMPOTENT};
    if (!url.failed && !body.failed && !e2b_send(e, &req, call, &reply, &quiet) && !e2b_reply_json(&reply, &quiet))
        found = find_tag(reply.js, tag, pid);
    e2b_reply_finish(&reply);
    sbx_buf_finish(&url);
    sbx_buf_finish(&body);
    return found;
}

/* Was the answer that a group of its own is empty? */
static int is_proof(const char *text, const char *tag) {
    char want[sizeof("e2b-end  0 own\n") + E2B_TAG_SIZE];
    snprintf(want, sizeof(want), "e2b-end %s 0 own\n", tag);
    return strcmp(text, want) == 0;
}

int e2b_process_end(struct e2b *e, const struct sbx_identity *who, const char *tag, int64_t *pid,
                    const struct sbx_call *call) {
    struct sbx_call cleanup;
    struct sbx_error quiet;
    struct e2b_heard heard = {0};
    struct sbx_buf text = SBX_BUF_INIT;
    char number[24];
    if (!sbx_call_for_cleanup(call, e->env, &cleanup)) return 0;
    if (!*pid && !tag_look(e, who, tag, &cleanup, pid)) return 0;
    sbx_error_init(&quiet, sizeof(quiet));
    snprintf(number, sizeof(number), "%lld", (long long)*pid);
    const char *const args[] = {"-c", end_script, "sbx", number, tag};
    const struct e2b_order order = {.args = args, .arg_count = 5, .lifetime_ms = SCRIPT_MS};
    int proven = e2b_process_text(e, who, &order, ANSWER_BYTES, &cleanup, &text, &heard, &quiet) == SBX_OK &&
                 is_proof(sbx_buf_text(&text), tag); /* guard: e2b_kill_confirmed */
    sbx_buf_finish(&text);
    return proven;
}
