/* Files of a machine from outside, whatever its engine: what they are, and that no link leads out of it. */
#include "engine_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CASE(name)                                                                                                     \
    static void name##_body(struct engine *e);                                                                         \
    static void name(void) {                                                                                           \
        engine_case(name##_body);                                                                                      \
    }                                                                                                                  \
    static void name##_body(struct engine *e)

static void has(struct engine *e, const char *path, const char *text) {
    sim_errno why = 0;
    char *got = engine_get(e, path, &why);
    if (why) T_FAIL("%s: errno %d", path, why);
    T_STR(got, text);
    free(got);
}

static sim_errno get_fails(struct engine *e, const char *path) {
    sim_errno why = 0;
    free(engine_get(e, path, &why));
    return why;
}

CASE(what_is_written_outside_is_read_inside_and_the_other_way) {
    struct sim_stat st;
    struct sim_file *file = NULL;
    engine_put(e, "f", "one\n");
    engine_expect(e, "cat f; echo two >> f", "one\n", 0);
    has(e, "/home/daytona/f", "one\ntwo\n");
    T_EQ(sim_open_write(e->m, "f", 0600, 0, &file), 0);
    T_EQ(sim_file_write(file, "three\n", 6), 0);
    T_EQ(sim_file_size(file), 14);
    sim_file_close(file);
    engine_expect(e, "cat f; stat -c '%a %U' f", "one\ntwo\nthree\n644 daytona\n", 0);
    T_EQ(sim_stat(e->m, "f", 1, &st), 0);
    T_EQ(st.type, 'f');
    T_EQ(st.mode, 0644);
    T_EQ(st.bytes, 14);
    T_EQ(st.uid, 1000);
    T_EQ(sim_chmod(e->m, "f", 0741), 0);
    engine_expect(e, "stat -c %a f", "741\n", 0);
    T_EQ(sim_chown(e->m, "f", 1000, -1), 0);
    T_EQ(sim_chown(e->m, "f", 0, -1), EPERM);
    T_EQ(sim_chown(e->m, "nothing", 1000, -1), ENOENT);
}

static void add_name(void *ctx, const char *name) {
    sbx_buf_printf(ctx, "%s ", name);
}

CASE(folders_are_made_listed_moved_and_taken_away) {
    struct sbx_buf names = SBX_BUF_INIT;
    struct sim_stat st;
    T_EQ(sim_mkdir(e->m, "a/b/c", 0755, 1), 0);
    T_EQ(sim_mkdir(e->m, "a/b/c", 0755, 1), 0);
    T_EQ(sim_mkdir(e->m, "a/b", 0755, 0), EEXIST);
    T_EQ(sim_mkdir(e->m, "x/y", 0755, 0), ENOENT);
    engine_put(e, "a/Z", "");
    engine_put(e, "a/m", "");
    T_EQ(sim_list(e->m, "a", add_name, &names), 0);
    T_STR(sbx_buf_text(&names), "Z b m ");
    sbx_buf_finish(&names);
    T_EQ(sim_mkdir(e->m, "a/m/n", 0755, 1), ENOTDIR);
    T_EQ(sim_list(e->m, "a/m", add_name, &names), ENOTDIR);
    T_EQ(sim_rename(e->m, "a", "/tmp/moved"), 0);
    T_EQ(sim_stat(e->m, "a", 1, &st), ENOENT);
    T_EQ(sim_stat(e->m, "/tmp/moved/b/c", 1, &st), 0);
    T_EQ(st.type, 'd');
    T_EQ(sim_unlink(e->m, "/tmp/moved", 0), EISDIR);
    T_EQ(sim_unlink(e->m, "/tmp/moved", 1), 0);
    T_EQ(sim_unlink(e->m, "/tmp/moved", 1), ENOENT);
    T_EQ(sim_unlink(e->m, "/home/daytona", 1), EBUSY);
    T_EQ(sim_open_read(e->m, "/tmp", &(struct sim_file *){NULL}), EISDIR);
}

CASE(deep_and_locked_trees_are_taken_away) {
    struct sim_stat st;
    engine_expect(e,
                  "mkdir d; cd d; i=0; while [ $i -lt 300 ]; do mkdir x y; echo f > f; cd x; i=$((i+1)); done; "
                  "cd /home/daytona; mkdir -p l/k; echo t > l/k/t; chmod 0500 l/k; chmod 0700 l",
                  "", 0);
    T_EQ(sim_unlink(e->m, "d", 1), 0);
    T_EQ(sim_stat(e->m, "d", 0, &st), ENOENT);
}

CASE(what_is_no_file_is_not_waited_for) {
    struct sim_file *file = NULL;
    engine_expect(e, "mkfifo p", "", 0);
    T_EQ(get_fails(e, "p"), ENXIO);
    T_EQ(sim_open_write(e->m, "/dev/null", 0644, 1, &file), 0);
    T_EQ(sim_file_write(file, "x", 1), 0);
    sim_file_close(file);
    T_EQ(get_fails(e, "/dev/null"), 0);
}

CASE(a_file_larger_than_the_disk_has_no_room) {
    static char mega[1 << 20];
    struct sim_file *file = NULL;
    sim_errno failed = 0;
    T_EQ(sim_open_write(e->m, "big", 0644, 1, &file), 0);
    for (int i = 0; i < 65 && !failed; i++) failed = sim_file_write(file, mega, sizeof(mega));
    T_EQ(failed, ENOSPC);
    sim_file_close(file);
}

/* ---- links ---- */

CASE(a_link_leads_to_what_the_sandbox_has_there) {
    struct sim_stat st;
    engine_expect(
        e,
        "ln -s /etc/hostname abs; ln -s ../../../../../../../../etc/hostname up; ln -s /etc dir; ln -s loop loop; "
        "ln -s /tmp t; ln -s f2 to",
        "", 0);
    has(e, "abs", "box\n");
    has(e, "up", "box\n");
    has(e, "dir/hostname", "box\n");
    has(e, "../../../../../../etc/hostname", "box\n");
    T_EQ(get_fails(e, "loop"), ELOOP);
    T_EQ(sim_stat(e->m, "abs", 0, &st), 0);
    T_EQ(st.type, 'l');
    engine_put(e, "t/x", "in tmp");
    has(e, "/tmp/x", "in tmp");
    engine_put(e, "to", "made behind a link");
    has(e, "f2", "made behind a link");
    T_EQ(sim_unlink(e->m, "t", 1), 0); /* the link alone */
    has(e, "/tmp/x", "in tmp");
}

/* A folder of the host's with a secret in it, by its path there. */
CASE(no_link_leads_to_the_hosts_files) {
    char outside[] = "/tmp/sandport-outside-XXXXXX", script[512], path[128];
    struct stat st;
    struct sim_file *file = NULL;
    T_TRUE(mkdtemp(outside) != NULL);
    snprintf(path, sizeof(path), "%s/secret", outside);
    FILE *f = fopen(path, "w");
    T_TRUE(f && fputs("secret", f) > 0 && fclose(f) == 0);
    chmod(outside, 0755);
    snprintf(script, sizeof(script),
             "ln -s %s out; ln -s %s/secret s; ln -s /proc/1/root/tmp p; ln -s /proc/self/root r; mkdir tree; ln -s %s "
             "tree/out; "
             "cat out/secret 2>/dev/null; ls %s 2>/dev/null; ls -d /proc/1/root%s 2>/dev/null",
             outside, outside, outside, outside, outside);
    struct ran ran;
    engine_sh(e, script, &ran);
    T_STR(sbx_buf_text(&ran.stream[1]), "");
    ran_finish(&ran);
    const char *const ways[] = {"out/secret", "s", "tree/out/secret", path};
    for (size_t i = 0; i < 4; i++) T_EQ(get_fails(e, ways[i]), ENOENT);
    snprintf(script, sizeof(script), "p/../%s", path);
    T_TRUE(get_fails(e, script) != 0);
    snprintf(script, sizeof(script), "r/%s", path);
    T_TRUE(get_fails(e, script) != 0);
    T_EQ(sim_open_write(e->m, "out/new", 0644, 1, &file), ENOENT);
    T_TRUE(sim_unlink(e->m, "out/secret", 0) != 0);
    T_TRUE(sim_rename(e->m, "out/secret", "mine") != 0);
    T_TRUE(sim_chmod(e->m, "s", 0777) != 0);
    T_TRUE(sim_mkdir(e->m, "out/folder", 0755, 0) != 0);
    T_EQ(sim_unlink(e->m, "tree", 1), 0);
    T_EQ(stat(path, &st), 0);
    T_EQ(st.st_size, 6);
    T_EQ(st.st_mode & 0777, 0644);
    T_EQ(unlink(path), 0);
    T_EQ(rmdir(outside), 0); /* nothing else is in it */
}

CASE(the_systems_folders_stay) {
    struct sim_stat st;
    T_TRUE(sim_unlink(e->m, "/usr", 1) != 0);
    T_TRUE(sim_rename(e->m, "/etc", "/tmp/etc") != 0);
    T_TRUE(sim_unlink(e->m, "/", 1) != 0);
    T_TRUE(sim_unlink(e->m, "/usr/bin/env", 0) != 0);
    T_TRUE(sim_chmod(e->m, "/usr/bin/env", 0777) != 0);
    T_EQ(sim_stat(e->m, "/usr/bin/env", 1, &st), 0);
    T_EQ(st.uid, 0);
    engine_expect(e, "touch /usr/bin/x 2>/dev/null; echo $?; rm /etc/passwd 2>/dev/null; echo $?", "1\n1\n", 0);
}

T_CASES(T_CASE(what_is_written_outside_is_read_inside_and_the_other_way),
        T_CASE(folders_are_made_listed_moved_and_taken_away), T_CASE(deep_and_locked_trees_are_taken_away),
        T_CASE(what_is_no_file_is_not_waited_for), T_CASE(a_file_larger_than_the_disk_has_no_room),
        T_CASE(a_link_leads_to_what_the_sandbox_has_there), T_CASE(no_link_leads_to_the_hosts_files),
        T_CASE(the_systems_folders_stay))
