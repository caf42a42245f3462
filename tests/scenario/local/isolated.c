/* What an isolated sandbox cannot reach, and what becomes of it when its box ends. Row L1. */
#include "local_world.h"

#include <stdio.h>
#include <stdlib.h>

static void it_writes_only_to_its_own_places(void) {
    struct local_world *w = local_world_launched(1);
    char command[256];
    T_STR(local_world_says(w, "pwd; echo $HOME"), "/home/user\n/home/user\n");
    T_STR(local_world_says(w, "for d in / /usr /etc /home /dev; do touch $d/x 2>/dev/null && echo $d; done; true"), "");
    snprintf(command, sizeof(command), "ls -d %s /root /var 2>/dev/null || echo nothing", w->dir);
    T_STR(local_world_says(w, command), "nothing\n");
    T_STR(local_world_says(w, "echo x >/tmp/mine; cat /tmp/mine"), "x\n");
    T_STR(local_world_says(w, "grep -c . /proc/net/dev"), "3\n"); /* two lines of heading, and lo */
    local_world_finish(w);
}

static void it_sees_no_other_processes(void) {
    struct local_world *w = local_world_launched(1);
    char command[128];
    T_STR(local_world_says(w, "cat /proc/1/comm"), "bwrap\n");
    snprintf(command, sizeof(command), "kill -0 %d 2>/dev/null && echo seen || echo unseen", (int)getpid() + 1000000);
    T_STR(local_world_says(w, command), "unseen\n");
    T_STR(local_world_says(w, "ls -d /proc/[0-9]* | wc -l | tr -d ' ' | sed 's/^[1-9]$/few/'"), "few\n");
    T_STR(local_world_says(w, "grep CapEff /proc/self/status"), "CapEff:\t0000000000000000\n");
    local_world_finish(w);
}

static void a_stop_ends_even_what_hides(void) {
    struct local_world *w = local_world_launched(1);
    local_world_says(
        w, "env -i setsid sh -c 'echo >hidden; exec sleep 1000' >/dev/null 2>&1 & while [ ! -f hidden ]; do :; done");
    T_STATUS(sbx_sandbox_stop(w->sb, NULL, NULL, &w->err), SBX_OK);
    T_EQ(sbx_sandbox_state(w->sb), SBX_STATE_STOPPED);
    T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, NULL, &w->err), SBX_OK);
    T_STR(local_world_says(w, "ls hidden; grep -al sleep.100[0] /proc/[0-9]*/cmdline | wc -l"), "hidden\n0\n");
    local_world_finish(w);
}

/* The box's own process can be ended from inside: that is the sandbox's end, and told. */
static void a_box_that_ended_is_started_again(void) {
    struct local_world *w = local_world_launched(1);
    struct sbx_info *info = NULL;
    struct sbx_error err = SBX_ERROR_INIT;
    local_world_says(w, "echo kept >file");
    sbx_exec_result_free(w->result);
    w->result = NULL;
    (void)!sbx_sandbox_exec(w->sb, "kill -KILL 2", NULL, NULL, &w->result, &err);
    do {
        sbx_info_free(info);
        T_STATUS(sbx_sandbox_info(w->sb, NULL, &info, &w->err), SBX_OK);
    } while (sbx_info_state(info) == SBX_STATE_RUNNING);
    T_EQ(sbx_info_state(info), SBX_STATE_STOPPED);
    T_STR(sbx_info_extra(info, "isolation"), "bubblewrap");
    sbx_info_free(info);
    T_STATUS(sbx_sandbox_start(w->sb, NULL, NULL, NULL, &w->err), SBX_OK);
    T_STR(local_world_says(w, "cat file"), "kept\n");
    local_world_finish(w);
}

T_CASES(T_CASE(it_writes_only_to_its_own_places), T_CASE(it_sees_no_other_processes),
        T_CASE(a_stop_ends_even_what_hides), T_CASE(a_box_that_ended_is_started_again))
