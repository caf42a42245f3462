/* Archives between the machine and this host's own tar and gzip: each reads what the other wrote. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_NAME                                                                                                      \
    "a-name-that-is-longer-than-the-hundred-characters-which-a-header-of-the-old-kind-has-room-for-"                   \
    "so-that-it-needs-another-way-and-then-some-more-for-good-measure"

/* What both sides pack, and what they say of it when it is unpacked in t. */
#define MAKE                                                                                                           \
    "umask 022; mkdir -p d/e; echo hello > d/f; seq 3000 > d/e/n; ln -s ../f d/e/l; ln d/f d/hard; chmod 750 d/e; "    \
    "chmod 4711 d/f; : > d/empty; echo long > d/" LONG_NAME "; touch 'd/sp ace' 'd/new\nline'; "
#define SHOW                                                                                                           \
    "cd t; find d | sort; cat d/f d/" LONG_NAME "; tail -n 1 d/e/n; readlink d/e/l; stat -c '%%a %%h' d/e d/hard "     \
    "d/empty"

static void host(const char *scratch, const char *script) {
    char command[8192];
    snprintf(command, sizeof command, "export LC_ALL=C; cd %s && { %s; }", scratch, script);
    T_EQ(system(command), 0);
}

static char *host_file(const char *scratch, const char *name, size_t *len) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *file = fopen(path, "rb");
    T_TRUE(file != NULL);
    char *text = calloc(1, 1 << 20);
    T_TRUE(text != NULL);
    *len = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void expect(struct rig *rig, const char *script, const char *want) {
    struct rig_result r;
    rig_sh(rig, script, &r);
    T_STR(sbx_buf_text(&r.err), "");
    T_STR(sbx_buf_text(&r.out), want);
    T_EQ(r.code, 0);
    rig_result_finish(&r);
}

static void put_on_host(struct rig *rig, const char *from, const char *scratch, const char *to) {
    struct sim_file *file = NULL;
    char path[200], buf[4096];
    snprintf(path, sizeof path, "%s/%s", scratch, to);
    FILE *out = fopen(path, "wb");
    T_TRUE(out != NULL);
    T_EQ(sim_open_read(rig->m, from, &file), 0);
    for (ptrdiff_t n; (n = sim_file_read(file, buf, sizeof buf)) > 0;) T_EQ(fwrite(buf, 1, (size_t)n, out), (size_t)n);
    sim_file_close(file);
    fclose(out);
}

static void exchanged(const char *pack, const char *unpack) {
    static const struct sim_machine_options root = {.hostname = "box", .user = "root", .home = "/root", .uid = 0};
    char scratch[] = "/tmp/sandport-archive-XXXXXX", script[4096];
    struct rig rig;
    size_t len, want_len;
    T_TRUE(mkdtemp(scratch) != NULL);
    snprintf(script, sizeof script, MAKE "%s; mkdir t; %s; (" SHOW ") > want 2>&1", pack, unpack);
    host(scratch, script);
    char *want = host_file(scratch, "want", &want_len);

    char *archive = host_file(scratch, "a", &len);
    rig_start(&rig, &root);
    rig_put(&rig, "a", archive, len, 0644);
    snprintf(script, sizeof script, "mkdir t; %s; " SHOW, unpack);
    expect(&rig, script, want);
    rig_finish(&rig);

    rig_start(&rig, &root);
    snprintf(script, sizeof script, MAKE "%s", pack);
    expect(&rig, script, "");
    put_on_host(&rig, "a", scratch, "ours");
    rig_finish(&rig);
    snprintf(script, sizeof script, "rm -r t; mkdir t; mv ours a; %s; (" SHOW ") > got 2>&1; cmp want got", unpack);
    host(scratch, script);
    free(want);
    free(archive);
    snprintf(script, sizeof script, "rm -rf '%s'", scratch);
    T_EQ(system(script), 0);
}

static void tar_is_read_both_ways(void) {
    exchanged("tar cf a d", "tar xpf a -C t");
}

static void tar_in_gzip_is_read_both_ways(void) {
    exchanged("tar czf a d", "tar xpzf a -C t");
}

static void old_and_new_headers_are_read(void) {
    exchanged("tar cf - d | gzip -9 > a", "gunzip -c < a | tar xpf - -C t");
}

T_CASES(T_CASE(tar_is_read_both_ways), T_CASE(tar_in_gzip_is_read_both_ways), T_CASE(old_and_new_headers_are_read))
