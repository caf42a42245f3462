/* What is there: lists and single paths. They look and wait for nobody. Rows L1, P8, D14. */
#include "adapters/local/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sandport/kit/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int32_t type_of(mode_t mode) {
    return S_ISREG(mode) ? SBX_FILE_REGULAR : S_ISDIR(mode) ? SBX_FILE_DIRECTORY : SBX_FILE_OTHER;
}

/* @param is NULL: more than the name was not to be seen. Owners are numbers: an isolated sandbox has names of its own
 */
static enum sbx_status look_add(struct sbx_files *into, const char *name, size_t len, const struct stat *is,
                                struct sbx_error *err) {
    struct sbx_file_draft draft = SBX_FILE_DRAFT_INIT;
    struct sbx_buf shown = SBX_BUF_INIT;
    char owner[24], group[24];
    sbx_utf8_append(&shown, name, len);
    draft.path = sbx_buf_text(&shown);
    if (is) {
        snprintf(owner, sizeof(owner), "%lu", (unsigned long)is->st_uid);
        snprintf(group, sizeof(group), "%lu", (unsigned long)is->st_gid);
        draft.owner = owner;
        draft.group = group;
        draft.type = type_of(is->st_mode);
        draft.mode = (int32_t)(is->st_mode & 0777);
        draft.bytes = (int64_t)is->st_size;
        draft.modified_ms = (int64_t)is->st_mtim.tv_sec * 1000 + is->st_mtim.tv_nsec / 1000000;
    }
    const int failed = shown.failed || sbx_files_add(into, &draft);
    sbx_buf_finish(&shown);
    return failed ? sbx_fail(err, SBX_NO_MEMORY, SBX_OUTCOME_REFUSED, NULL) : SBX_OK;
}

enum sbx_status sbx_local_file_stat(void *self, const struct sbx_identity *who, const char *path,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct local_walk walk = {0};
    struct stat is = {0};
    size_t len = 0;
    (void)call;
    enum sbx_status st = sbx_local_walk_begin(self, who, &walk, err);
    if (!st) {
        const int error = sbx_local_walk_stat(&walk, path, &is);
        const char *name = sbx_local_last_name(path, &len);
        if (!name && *path != '/') name = sbx_local_last_name(walk.view.home, &len);
        st = error ? sbx_local_file_fail(error, "path", err)
                   : look_add(into, name ? name : "/", name ? len : 1, &is, err);
    }
    sbx_local_walk_finish(&walk);
    return st;
}

/* ---- lists ---- */

struct names {
    char **at;
    size_t count, room;
};

static int names_add(struct names *names, const char *name) {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return 1;
    if (names->count == names->room) {
        const size_t room = names->room ? names->room * 2 : 64;
        char **more = realloc(names->at, room * sizeof(*more));
        if (!more) return 0;
        names->at = more;
        names->room = room;
    }
    names->at[names->count] = strdup(name);
    return names->at[names->count] && ++names->count;
}

static void names_finish(struct names *names) {
    for (size_t i = 0; i < names->count; i++) free(names->at[i]);
    free(names->at);
}

static int by_name(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* @return 0, or an errno */
static int names_read(struct names *names, DIR *dir) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (!entry) return errno;
        if (!names_add(names, entry->d_name)) return ENOMEM;
    }
}

/* A link is what it leads to, as far as the sandbox may go. */
static int list_stat(const struct local_walk *walk, const char *dir, int fd, const char *name, struct stat *is) {
    struct sbx_buf path = SBX_BUF_INIT;
    int error = fstatat(fd, name, is, AT_SYMLINK_NOFOLLOW) ? errno : 0;
    if (error || !S_ISLNK(is->st_mode)) return error;
    sbx_buf_printf(&path, "%s/%s", dir, name);
    error = path.failed ? ENOMEM : sbx_local_walk_stat(walk, sbx_buf_text(&path), is);
    sbx_buf_finish(&path);
    return error;
}

static enum sbx_status list_add(const struct local_walk *walk, const char *dir, int fd, const char *name,
                                struct sbx_files *into, struct sbx_error *err) {
    struct stat is = {0};
    const int error = list_stat(walk, dir, fd, name, &is);
    if (error == ENOENT || error == ELOOP || error == ENOTDIR) return SBX_OK; /* leads nowhere, or is gone by now */
    if (error == ENOMEM) return sbx_local_file_fail(error, "dir", err);
    return look_add(into, name, strlen(name), error ? NULL : &is, err);
}

static enum sbx_status list_all(const struct local *l, const struct local_walk *walk, const char *path, DIR *dir,
                                const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct names names = {0};
    const int error = names_read(&names, dir);
    enum sbx_status st = error ? sbx_local_file_fail(error, "dir", err) : SBX_OK;
    if (names.count) qsort(names.at, names.count, sizeof(*names.at), by_name);
    for (size_t i = 0; i < names.count && !st; i++) {
        st = sbx_call_check(call, l->env);
        st = st ? sbx_fail(err, st, SBX_OUTCOME_REFUSED, NULL)
                : list_add(walk, path, dirfd(dir), names.at[i], into, err);
    }
    names_finish(&names);
    return st;
}

enum sbx_status sbx_local_file_list(void *self, const struct sbx_identity *who, const char *dir,
                                    const struct sbx_call *call, struct sbx_files *into, struct sbx_error *err) {
    struct local_walk walk = {0};
    enum sbx_status st = sbx_local_walk_begin(self, who, &walk, err);
    const int fd = st ? -1 : sbx_local_walk_open(&walk, dir, O_RDONLY | O_DIRECTORY);
    DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
    if (!st && !all) st = sbx_local_file_fail(fd < 0 ? -fd : errno, "dir", err);
    if (!st && all) st = list_all(self, &walk, dir, all, call, into, err);
    if (all)
        closedir(all);
    else if (fd >= 0)
        close(fd);
    sbx_local_walk_finish(&walk);
    return st;
}
