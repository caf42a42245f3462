/* The shell text of durable runs, piece by piece with its reasons. Row D10; docs/durable-runs.md is the protocol.
 *
 * It lives under the rules of exact_script.c: dash, bash as sh and busybox sh; no variable set before the command has
 * been started, but in a subshell; `true >file`, never `: >file`. Directories are quoted: a home may have any name. */
#include "src/work/run_script.h"

#include "src/work/shell_pieces.h"

/* born PID: sets born to the time at which that process started, "" if there is none or it is dead. */
#define BORN                                                                                                           \
    "born() {\n"                                                                                                       \
    "    line= born=\n"                                                                                                \
    "    read -r line </proc/$1/stat || return\n"                                                                      \
    "    case $line in *\") \"*) set -- ${line##*\") \"} ;; *) return ;; esac\n" /* state is the third field */        \
    "    case $1 in Z | X) return ;; esac\n"                                                                           \
    "    shift 19\n"                                                                                                   \
    "    born=$1\n"                                                                                                    \
    "}\n"

/* era: sets era to what changes whenever every process of the sandbox ends: the kernel's boot, and the start of the
 * first process, since a container starts anew without a boot. */
#define ERA                                                                                                            \
    "era() {\n"                                                                                                        \
    "    boot=\n"                                                                                                      \
    "    read -r boot </proc/sys/kernel/random/boot_id\n"                                                              \
    "    born 1\n"                                                                                                     \
    "    era=${boot:-0}/${born:-0}\n"                                                                                  \
    "}\n"

/* alive -GROUP START: is anyone of the group, whose leader started then, not dead? A leader of that number that started
 * at another time has a group of the same number, and is not ours. alive PID START where there was no group to be had.
 * A line that is not understood counts as alive: dead is a claim. */
#define ALIVE                                                                                                          \
    "alive() {\n"                                                                                                      \
    "    for stat in /proc/[0-9]*/stat; do\n"                                                                          \
    "        line=\n"                                                                                                  \
    "        read -r line <$stat || continue\n"                                                                        \
    "        pid=${line%%\" \"*}\n"                                                                                    \
    "        case $line in *\") \"*) set -- \"$1\" \"$2\" ${line##*\") \"} ;; *) return 0 ;; esac\n"                   \
    "        case $3 in Z | X) continue ;; esac\n"                                                                     \
    "        [ $pid != \"${1#-}\" ] || [ ${22} = \"$2\" ] || return 1\n"                                               \
    "        case $1 in -$5 | $pid) return 0 ;; esac\n"                                                                \
    "    done\n"                                                                                                       \
    "    return 1\n"                                                                                                   \
    "}\n"

/* look: sets code, and what admission says. It waits only for an admission that is being written.
 *  - Another era: whatever ran is gone, and what it noted before is all there is.
 *  - The keeper lives, or the launcher that is about to start it: the exit code will come.
 *  - Neither does: `stop` is put first, then `group` read, while the child writes `group` first and then looks for
 * `stop`. One of the two sees the other, so `never` is only said when no start can follow. */
#define LOOK                                                                                                           \
    "look() {\n"                                                                                                       \
    "    naps=0\n"                                                                                                     \
    "    era\n"                                                                                                        \
    "    while :; do\n"                                                                                                \
    "        code=unknown version= hash= nonce= then= starter= since= keeper= birth= group= start=\n"                  \
    "        [ -d \"$d\" ] || { code=absent; return; }\n"                                                              \
    "        read -r version hash nonce then starter since <\"$d/admission\"\n"                                        \
    "        [ ! -f \"$d/exit\" ] || break\n"                                                                          \
    "        if [ -z \"$then\" ]; then\n"                                                                              \
    "            [ $naps -lt 40 ] || break\n"                                                                          \
    "            nap\n"                                                                                                \
    "            continue\n"                                                                                           \
    "        fi\n"                                                                                                     \
    "        [ -r /proc/self/stat ] || break\n"                                                                        \
    "        if [ $then != $era ]; then\n" /* guard: run_lost_after_restart */                                         \
    "            code=lost\n"                                                                                          \
    "            break\n"                                                                                              \
    "        fi\n"                                                                                                     \
    "        code=running\n"                                                                                           \
    "        if read -r keeper birth <\"$d/keeper\"; then\n"                                                           \
    "            born $keeper\n" /* guard: run_pid_reused */                                                           \
    "            [ \"$born\" != \"$birth\" ] || break\n"                                                               \
    "        else\n"                                                                                                   \
    "            born $starter\n"                                                                                      \
    "            [ \"$born\" != \"$since\" ] || break\n"                                                               \
    "        fi\n"                                                                                                     \
    "        code=unknown\n"                                                                                           \
    "        true >\"$d/stop\"\n"                                                                                      \
    "        if ! read -r group start <\"$d/group\"; then\n"                                                           \
    "            [ -f \"$d/stop\" ] && [ -f \"$d/exit.tmp\" ] && code=never\n"                                         \
    "        elif alive \"$group\" \"$start\"; then\n"                                                                 \
    "            code=running\n"                                                                                       \
    "        else\n"                                                                                                   \
    "            code=lost\n"                                                                                          \
    "        fi\n"                                                                                                     \
    "        break\n"                                                                                                  \
    "    done\n"                                                                                                       \
    "    [ -f \"$d/exit\" ] && read -r code <\"$d/exit\"\n"                                                            \
    "}\n"

/* tell: the answer. The state was looked at before the sizes are taken, so an exit comes with everything that was
 * written before it; and no more of a stream is sent than was measured. */
#define TELL                                                                                                           \
    "tell() {\n"                                                                                                       \
    "    out= err= how=- coding=hex\n"                                                                                 \
    "    command -v base64 >/dev/null && coding=b64\n"                                                                 \
    "    [ \"$d\" ] && [ -f \"$d/late\" ] && how=$how,late\n"                                                          \
    "    [ \"$d\" ] && [ -f \"$d/killed\" ] && how=$how,killed\n"                                                      \
    "    [ -z \"$unproven\" ] || how=$how,unproven\n"                                                                  \
    "    [ \"$d\" ] && [ -f \"$d/out\" ] && out=$(wc -c <\"$d/out\")\n"                                                \
    "    [ \"$d\" ] && [ -f \"$d/err\" ] && err=$(wc -c <\"$d/err\")\n"                                                \
    "    echo\n"                                                                                                       \
    "    echo sbxr1 $key $code ${version:--} ${hash:--} ${nonce:--} $how ${out:--} ${err:--} $coding\n"                \
    "    coded ${out:-0} $from_out \"$d/out\"\n"                                                                       \
    "    echo sbxr1 $key err\n"                                                                                        \
    "    coded ${err:-0} $from_err \"$d/err\"\n"                                                                       \
    "    echo sbxr1 $key end\n"                                                                                        \
    "}\n"                                                                                                              \
    "coded() {\n" /* TOTAL FROM FILE; from - is the last max bytes */                                                  \
    "    [ $2 != - ] || set -- $1 $(($1 > max ? $1 - max : 0)) \"$3\"\n"                                               \
    "    [ $1 -gt $2 ] && [ $max -gt 0 ] || return\n"                                                                  \
    "    set -- $(($1 - $2 > max ? max : $1 - $2)) $(($2 + 1)) \"$3\"\n"                                               \
    "    if [ $coding = b64 ]; then tail -c +$2 <\"$3\" | head -c $1 | base64\n"                                       \
    "    else tail -c +$2 <\"$3\" | head -c $1 | od -An -v -tx1\n"                                                     \
    "    fi\n"                                                                                                         \
    "}\n"

#define NOTE                                                                                                           \
    "note() {\n"                                                                                                       \
    "    echo $1 1<>\"$d/exit.tmp\" && mv \"$d/exit.tmp\" \"$d/exit\"\n"                                               \
    "}\n"

/* ready PATH COMMAND DIRECTORY CWD LIFETIME HASH NONCE: for who made the directory. What later steps write is made now,
 * while nothing has run. Sets code on failure only. A cwd gets ./ so that neither CDPATH nor `-` means anything. */
#define READY                                                                                                          \
    "ready() {\n"                                                                                                      \
    "    if ! { (era; born $$; echo 1 $6 $7 $era $$ $born) >\"$3/admission\" &&\n"                                     \
    "        echo \"                \" >\"$3/exit.tmp\" && true >>\"$3/out\" && true >>\"$3/err\"; }; then\n"          \
    "        code=space\n"                                                                                             \
    "    elif ! { command -v head && command -v tail && command -v wc && command -v mv && command -v sleep &&\n"       \
    "        { command -v base64 || command -v od; }; } >/dev/null; then\n"                                            \
    "        for tool in head tail wc mv sleep base64; do command -v $tool >/dev/null || break; done\n"                \
    "        code=tool:$tool\n"                                                                                        \
    "    else\n"                                                                                                       \
    "        case $4 in \"\") ;; /*) cd \"$4\" ;; *) cd \"./$4\" ;; esac && return\n"                                  \
    "        code=cwd\n"                                                                                               \
    "    fi\n"                                                                                                         \
    "    return 1\n"                                                                                                   \
    "}\n"

/* keep: starts the keeper in a session of its own, which lives on when this request has ended. By setsid's own fork,
 * since a shell without job control makes what it starts with & ignore SIGINT and SIGQUIT for good; only where setsid
 * cannot fork it is done so. The keeper holds the output that is waited for until it has said who it is. */
#define KEEP                                                                                                           \
    "keep() {\n"                                                                                                       \
    "    if setsid -f true; then setsid -f /bin/sh -c \"$8\" sbx \"$@\" </dev/null\n"                                  \
    "    else $(command -v setsid) /bin/sh -c \"$8\" sbx \"$@\" </dev/null &\n"                                        \
    "    fi\n"                                                                                                         \
    "}\n"

#define QUESTION                                                                                                       \
    "exec 2>/dev/null\n" OWN_PATH BORN ERA ALIVE NAP LOOK TELL                                                         \
    "d=$1 key=${1##*/} key=${key#.sbx-} from_out=0 from_err=0 max=0\n"

/* Whoever makes the directory admits the run; everybody else, at any time, is told how it stands. A refusal is noted
 * there like an exit code: a run id is immutable, also when it was refused. */
const char sbx_run_script_submit[] =
    "exec 2>/dev/null\n"
    "set -- \"$PATH\" \"$@\"\n" OWN_PATH BORN ERA ALIVE NAP LOOK TELL NOTE READY KEEP
    "if (umask 077; mkdir -p \"${3%/*}\") && mkdir -m 700 \"$3\"; then\n" /* guard: run_once */
    "    if ready \"$@\"; then : \"$(keep \"$@\")\"\n"
    "    else\n"
    "        d=$3\n"
    "        note $code\n"
    "    fi\n"
    "fi\n"
    "d=$3 key=${3##*/} key=${key#.sbx-} from_out=0 from_err=0 max=0\n"
    "if [ -d \"$d\" ]; then look\n"
    "elif command -v mkdir >/dev/null; then code=space d=\n"
    "else code=tool:mkdir d=\n"
    "fi\n"
    "tell\n";

/* The keeper. Everything it was given stays in positional parameters until the command is over. */
const char sbx_run_script_keeper[] =
    "exec 2>/dev/null\n" BORN "if (born $$; echo $$ $born) >\"$3/keeper\"; then\n"
    "    exec >/dev/null\n"
    "    command -v setsid >/dev/null || set -m\n"
    "    if [ $5 -gt 0 ]; then\n"
    "        $(command -v setsid) /bin/sh -c \"${10}\" sbx \"$3\" $5 &\n"
    "        set -- \"$@\" $!\n"
    "    fi\n"
    "    (exec $(command -v setsid) /bin/sh -c \"$9\" sbx \"$1\" \"$2\" \"$3\") </dev/null >>\"$3/out\" 2>>\"$3/err\"\n"
    "    set -- \"$3\" $? ${11}\n"
    "    [ -f \"$1/exit\" ] || { echo $2 1<>\"$1/exit.tmp\" && mv \"$1/exit.tmp\" \"$1/exit\"; }\n"
    "    [ -z \"$3\" ] || kill -KILL -$3 || kill -KILL $3\n"
    "fi\n";

const char sbx_run_script_child[] =
    BORN "if ! (kill -0 -$$ && group=-$$ || group=$$; born $$; echo $group $born) >\"$3/group\" 2>/dev/null; then\n"
         "    { echo space 1<>\"$3/exit.tmp\" && mv \"$3/exit.tmp\" \"$3/exit\"; } 2>/dev/null\n"
         "elif [ -f \"$3/stop\" ]; then\n" /* guard: run_stop_before_start */
         "    { echo never 1<>\"$3/exit.tmp\" && mv \"$3/exit.tmp\" \"$3/exit\"; } 2>/dev/null\n"
         "else\n"
         "    PATH=$1\n"
         "    exec /bin/sh -c \" $2\"\n"
         "fi\n";

const char sbx_run_script_watch[] = "sleep $2 || exit\n"
                                    "true >\"$1/late\"\n"
                                    "true >\"$1/stop\"\n"
                                    "read -r group start <\"$1/group\" && kill -KILL $group\n";

const char sbx_run_script_read[] = QUESTION "from_out=$2 from_err=$3 max=$4\n"
                                            "look\n"
                                            "tell\n";

/* SIGTERM, then SIGKILL, to the command's group and nothing else; the keeper notes what came of it. A command that has
 * ended is left alone, with whatever it left behind. */
const char sbx_run_script_kill[] = QUESTION
    "look\n"
    "if [ $code = running ]; then\n" /* guard: run_kill_spares_the_ended */
    "    true >\"$d/killed\"\n"
    "    true >\"$d/stop\"\n"
    "    for signal in TERM KILL; do\n"
    "        naps=0 sent=\n"
    "        while [ $naps -lt $2 ]; do\n"
    "            group= start=\n"
    "            read -r group start <\"$d/group\"\n"
    "            [ -z \"$group\" ] || [ \"$sent\" ] || { kill -$signal $group; sent=1; }\n"
    "            [ \"$group\" ] && ! alive \"$group\" \"$start\" && break 2\n"
    "            [ -z \"$group\" ] && [ -f \"$d/exit\" ] && break 2\n"
    "            nap\n"
    "        done\n"
    "    done\n"
    "    naps=0 unproven=\n"
    "    case $group in -*) ! alive \"$group\" \"$start\" || unproven=1 ;; \"\") ;; *) unproven=1 ;; esac\n"
    "    until [ -f \"$d/exit\" ] || [ \"$unproven\" ] || [ $naps -ge $2 ]; do\n" /* the keeper is about to note it */
    "        born ${keeper:-0}\n"
    "        [ \"$born\" = \"$birth\" ] || break\n"
    "        nap\n"
    "    done\n"
    "    look\n"
    "fi\n"
    "tell\n";

const char sbx_run_script_drop[] = "exec 2>/dev/null\n" OWN_PATH "[ -f \"$1/exit\" ] && rm -f \"$1/out\" \"$1/err\"\n";
