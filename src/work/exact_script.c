/* The shell text of exact exec, piece by piece with its reasons. Rows P7, P11; docs/exact-exec.md is the protocol.
 *
 * It must run in dash, bash as sh and busybox sh, with nothing on its PATH but mkdir, head, wc, mv and base64 or
 * od (setsid, sleep and rm where there are any), with whatever environment the caller chose, and in the simulated
 * shell. Rules that follow:
 *  - No variable is set before the command has been started: the caller may have exported one of that name, and the
 * command would get our value. Positional parameters, which nobody exports, carry everything until then.
 *  - `true >file` and never `: >file`: a redirection that fails ends the shell when the builtin is a special one.
 *  - `kill -KILL -PID` without `--`: that is the one form that all of them take.
 *  - Standard error is sent away: it would come back mixed into the answer.
 *  - No `&`: a shell without job control starts such a command with SIGINT and SIGQUIT ignored, for good. */
#include "src/work/exact_script.h"

#include "src/work/shell_pieces.h"

/* alive PID, alive -GROUP: is the process, or anyone of the group, not dead? /proc is asked where there is one, because
 * a zombie that nobody reaps (a container's first process often does not) still takes signals, and because kill(2) also
 * refuses where a member runs as somebody else. A line that is not understood counts as alive: dead is a claim. */
#define ALIVE                                                                                                          \
    "alive() {\n"                                                                                                      \
    "    [ -r /proc/self/stat ] || { kill -0 $1; return; }\n"                                                          \
    "    who=$1\n"                                                                                                     \
    "    case $who in -*) set -- /proc/[0-9]*/stat ;; *) set -- /proc/$who/stat ;; esac\n"                             \
    "    for stat; do\n"                                                                                               \
    "        line=\n"                                                                                                  \
    "        read -r line <$stat || continue\n"                                                                        \
    "        case $line in *\") \"*) set -- ${line##*\") \"} ;; *) return 0 ;; esac\n" /* state, parent, group, ... */ \
    "        case $1 in Z | X) continue ;; esac\n"                                                                     \
    "        case $who in -$3 | [0-9]*) return 0 ;; esac\n"                                                            \
    "    done\n"                                                                                                       \
    "    return 1\n"                                                                                                   \
    "}\n"

/* note WORD: the verdict, for whoever asks later. exit.tmp was written at the start, as long as any verdict, and is
 * overwritten in place: that takes no room on a disk that the command has filled. The first line counts. */
#define NOTE                                                                                                           \
    "note() {\n"                                                                                                       \
    "    echo $1 1<>$d/exit.tmp && mv $d/exit.tmp $d/exit\n"                                                           \
    "}\n"

/* await PATIENCE GRACE: sets code and ended. Waits for the verdict; after PATIENCE naps (never if it is -) forbids the
 * start and kills the group, and after GRACE more gives up.
 *  - The keeper (whose pid is in `pid`) alive: the verdict will come.
 *  - The keeper gone: `stop` is put first, then `group` read. The child writes `group` first, then looks for `stop`: so
 * one of the two sees the other, and `never` is only said when no start can follow. It also needs the keeper's files to
 * be there still: a command that cleans up /tmp must not look like one that never ran.
 *  - No pid at all: the keeper died at once, or is slow, or somebody emptied the directory: nothing is claimed. */
#define AWAIT                                                                                                          \
    "await() {\n"                                                                                                      \
    "    ended=self naps=0\n"                                                                                          \
    "    until [ -f $d/exit ]; do\n"                                                                                   \
    "        code=unknown pid= group=\n"                                                                               \
    "        [ -d $d ] || return\n"                                                                                    \
    "        read -r pid <$d/pid\n"                                                                                    \
    "        [ \"$pid\" ] || [ $naps -lt 40 ] || return\n"                                                             \
    "        if [ $1 != - ] && [ $naps -ge $1 ]; then\n"                                                               \
    "            true >$d/stop\n"                                                                                      \
    "            read -r group <$d/group && kill -KILL $group && ended=killed\n"                                       \
    "        fi\n"                                                                                                     \
    "        if [ \"$pid\" ] && ! alive $pid; then\n"                                                                  \
    "            true >$d/stop\n"                                                                                      \
    "            group=\n"                                                                                             \
    "            read -r group <$d/group\n"                                                                            \
    "            if [ -z \"$group\" ]; then\n"                                                                         \
    "                [ -f $d/exit ] && break\n"                                                                        \
    "                [ -f $d/stop ] && [ -f $d/exit.tmp ] && code=never\n"                                             \
    "                return\n"                                                                                         \
    "            fi\n"                                                                                                 \
    "            if ! alive $group; then\n"                                                                            \
    "                [ -f $d/exit ] && break\n"                                                                        \
    "                code=lost\n"                                                                                      \
    "                case $ended$group in self-*) ended=dead ;; esac\n"                                                \
    "                break\n"                                                                                          \
    "            fi\n"                                                                                                 \
    "        fi\n"                                                                                                     \
    "        if [ $1 != - ] && [ $naps -ge $(($1 + $2)) ]; then\n"                                                     \
    "            [ -z \"$group\" ] || code=running\n"                                                                  \
    "            break\n"                                                                                              \
    "        fi\n"                                                                                                     \
    "        nap\n"                                                                                                    \
    "    done\n"                                                                                                       \
    "    [ -f $d/exit ] && read -r code <$d/exit\n"                                                                    \
    "    [ $ended = killed ] || return\n"                                                                              \
    "    while alive $group; do\n"                                                                                     \
    "        [ $naps -lt $(($1 + $2)) ] || { ended=unproven; return; }\n"                                              \
    "        nap\n"                                                                                                    \
    "    done\n"                                                                                                       \
    "    case $group in -*) ;; *) ended=unproven ;; esac\n" /* its children are not ours to know */                    \
    "}\n"

/* tell: the answer. Sizes first, then no more of a stream than was measured, since a child left behind may still write.
 * The empty line ends a banner that did not; every mark has the nonce, which no banner knows. echo splits its arguments
 * on purpose: some wc pad their numbers. */
#define TELL                                                                                                           \
    "tell() {\n"                                                                                                       \
    "    out= err= coding=hex\n"                                                                                       \
    "    command -v base64 >/dev/null && coding=b64\n"                                                                 \
    "    [ -f $d/out ] && out=$(wc -c <$d/out)\n"                                                                      \
    "    [ -f $d/err ] && err=$(wc -c <$d/err)\n"                                                                      \
    "    echo\n"                                                                                                       \
    "    echo sbx1 $nonce $code ${out:--} ${err:--} $coding $ended\n"                                                  \
    "    coded ${out:-0} $d/out\n"                                                                                     \
    "    echo sbx1 $nonce err\n"                                                                                       \
    "    coded ${err:-0} $d/err\n"                                                                                     \
    "    echo sbx1 $nonce end\n"                                                                                       \
    "}\n"                                                                                                              \
    "coded() {\n"                                                                                                      \
    "    [ $1 -le $limit ] || set -- $limit $2\n"                                                                      \
    "    [ $1 -gt 0 ] || return\n"                                                                                     \
    "    if [ $coding = b64 ]; then head -c $1 <$2 | base64; else head -c $1 <$2 | od -An -v -tx1; fi\n"               \
    "}\n"

/* ready PATH COMMAND NONCE CWD LIMIT: for who made the directory. Everything that later steps write is made now, while
 * nothing has run. Sets code on failure only. A cwd gets ./ so that neither CDPATH nor `-` means anything. */
#define READY                                                                                                          \
    "ready() {\n"                                                                                                      \
    "    if ! { echo $$ >/tmp/.sbx-$3/pid && echo \"                \" >/tmp/.sbx-$3/exit.tmp &&\n"                    \
    "        true >>/tmp/.sbx-$3/out && true >>/tmp/.sbx-$3/err; }; then\n"                                            \
    "        code=space\n"                                                                                             \
    "    elif ! { command -v head && command -v wc && command -v mv &&\n"                                              \
    "        { command -v base64 || command -v od; }; } >/dev/null; then\n"                                            \
    "        for tool in head wc mv base64; do command -v $tool >/dev/null || break; done\n"                           \
    "        code=tool:$tool\n"                                                                                        \
    "    else\n"                                                                                                       \
    "        case $4 in \"\") ;; /*) cd \"$4\" ;; *) cd \"./$4\" ;; esac && return\n"                                  \
    "        code=cwd\n"                                                                                               \
    "    fi\n"                                                                                                         \
    "    return 1\n"                                                                                                   \
    "}\n"

/* launch PATH COMMAND NONCE: the command in a session of its own (a group of its own where only `set -m` can be had),
 * so that it can be killed with its children and nothing else. The child says which group it is before it looks for
 * `stop`, and only then becomes the command. It appends, so that a stream emptied by its own writer (`>/dev/stderr`)
 * has no holes. The space keeps a command that begins with - from being an option. In a subshell, since some shells
 * wait for a command with its redirections in force and would say "Killed" into its err; in the foreground, see `&`
 * above. */
#define LAUNCH                                                                                                         \
    "launch() {\n"                                                                                                     \
    "    command -v setsid >/dev/null || set -m\n"                                                                     \
    "    (exec $(command -v setsid) /bin/sh -c '\n"                                                                    \
    "        if ! { kill -0 -$$ && echo -$$ || echo $$; } >$3/group 2>/dev/null; then\n"                               \
    "            { echo space 1<>$3/exit.tmp && mv $3/exit.tmp $3/exit; } 2>/dev/null\n"                               \
    "        elif [ -f $3/stop ]; then\n" /* guard: exec_stop_before_start */                                          \
    "            { echo never 1<>$3/exit.tmp && mv $3/exit.tmp $3/exit; } 2>/dev/null\n"                               \
    "        else\n"                                                                                                   \
    "            PATH=$1\n"                                                                                            \
    "            exec /bin/sh -c \" $2\"\n"                                                                            \
    "        fi\n"                                                                                                     \
    "    ' sbx \"$1\" \"$2\" /tmp/.sbx-$3) </dev/null >>/tmp/.sbx-$3/out 2>>/tmp/.sbx-$3/err\n"                        \
    "}\n"

/* Whoever makes the directory decides; everybody else, at any time, waits for that decision. So a refusal is noted
 * there like an exit code, and no copy can say "bad cwd" while another one runs the command. A directory that cannot be
 * made and is not there either is the one refusal without a trace. */
const char sbx_exact_script_run[] =
    "exec 2>/dev/null\n"
    "set -- \"$PATH\" \"$@\"\n" OWN_PATH ALIVE NAP NOTE AWAIT TELL READY LAUNCH
    "if mkdir -m 700 /tmp/.sbx-$3; then\n" /* guard: exec_once */
    "    [ $# -lt 6 ] || (\n"
    "        shift 5\n"
    "        for old; do rm -f /tmp/.sbx-$old/out /tmp/.sbx-$old/err; done\n" /* guard: exec_tombstone */
    "    )\n"
    "    if ready \"$@\"; then\n"
    "        launch \"$@\"\n"
    "        code=$?\n"
    "    fi\n"
    "    nonce=$3 limit=$5 d=/tmp/.sbx-$3 ended=self\n"
    "    if [ -f $d/exit ]; then read -r code <$d/exit; else note $code; fi\n"
    "else\n"
    "    nonce=$3 limit=$5 d=/tmp/.sbx-$3 ended=self\n"
    "    if [ -d $d ]; then await - 0\n"
    "    elif command -v mkdir >/dev/null; then code=space\n"
    "    else code=tool:mkdir\n"
    "    fi\n"
    "fi\n"
    "tell\n";

const char sbx_exact_script_ask[] =
    "exec 2>/dev/null\n" OWN_PATH ALIVE NAP AWAIT TELL "nonce=$1 limit=$2 d=/tmp/.sbx-$1 ended=self\n"
    "if [ -d $d ]; then await $3 $4; else code=absent; fi\n" /* guard: exec_ask_starts_nothing */
    "tell\n";
