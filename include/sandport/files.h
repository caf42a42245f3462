/* Files in a sandbox beyond single transfers: what is there, changes of it, searches, many files in one request, and
 * whole directories as tar streams. The ability is SBX_CAP_FILES. Rows P7, P8, D14.
 *
 * A path is absolute, or relative to the working directory; at most 4095 bytes of valid UTF-8 without `..`; any
 * other character may be in it, a newline too. Links are followed; one that leads nowhere is as if it were not there.
 * Default deadline 30 s, for what moves bytes none: there 60 s without progress end it.
 *
 * On failure: SBX_FILE_NOT_FOUND, SBX_FILE_DENIED, SBX_ALREADY_EXISTS; SBX_INVALID_ARGUMENT with the field in
 * err->detail; SBX_UNSUPPORTED when the software in the sandbox is too old for the call. A change whose answer was lost
 * has err->outcome UNKNOWN and is not sent again. */
#ifndef SANDPORT_FILES_H
#define SANDPORT_FILES_H

#include <sandport/sandbox.h>

#define SBX_UPLOAD_FILES_MAX 1000 /* in one request; also of files in one replacement */

/** What a path is. Stored as int32_t. */
enum sbx_file_type {
    SBX_FILE_TYPE_UNKNOWN = 0, /* no directory; more was not said */
    SBX_FILE_REGULAR = 1,
    SBX_FILE_DIRECTORY = 2,
    SBX_FILE_OTHER = 3 /* a device, a pipe, a socket */
};

/** What a call tells of files, an entry for each; which accessors say something depends on the call. */
struct sbx_files;

struct sbx_mkdir_options {
    size_t size;
    int32_t mode; /* up to 0777, or SBX_MODE_NONE; 0 = 0755. The sandbox's umask takes from it; a directory that is
                     there already keeps its own */
};

struct sbx_remove_options {
    size_t size;
    int32_t recursive; /* SBX_YES: a directory with all that is in it. Default: SBX_NO */
};

struct sbx_permission_options {
    size_t size;
    int32_t mode;      /* up to 0777, or SBX_MODE_NONE; 0 = as it is */
    const char *owner; /* a name or number; NULL = as it is */
    const char *group;
};

/** One file of an upload of many. */
struct sbx_upload_file {
    size_t size;
    const char *path;
    const struct sbx_reader *from; /* lent; read once, when its turn comes */
    int64_t bytes;                 /* how many it will give, 0 = until it ends, SBX_EMPTY_FILE = none */
    int32_t mode;                  /* up to 0777, or SBX_MODE_NONE; 0 = 0644, or what an older file there had */
};

#define SBX_MKDIR_OPTIONS_INIT                                                                                         \
    { .size = sizeof(struct sbx_mkdir_options) }
#define SBX_REMOVE_OPTIONS_INIT                                                                                        \
    { .size = sizeof(struct sbx_remove_options) }
#define SBX_PERMISSION_OPTIONS_INIT                                                                                    \
    { .size = sizeof(struct sbx_permission_options) }
#define SBX_UPLOAD_FILE_INIT                                                                                           \
    { .size = sizeof(struct sbx_upload_file) }

#ifdef __cplusplus
extern "C" {
#endif

SBX_API void sbx_mkdir_options_init(struct sbx_mkdir_options *opt, size_t size);
SBX_API void sbx_remove_options_init(struct sbx_remove_options *opt, size_t size);
SBX_API void sbx_permission_options_init(struct sbx_permission_options *opt, size_t size);
SBX_API void sbx_upload_file_init(struct sbx_upload_file *file, size_t size);

/* ---- what is there ---- */

/** What is in a directory, without `.` and `..`, in the sandbox's order. @param out yours: sbx_files_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_list_dir(struct sbx_sandbox *sb, const char *dir,
                                                          const struct sbx_call *call, struct sbx_files **out,
                                                          struct sbx_error *err);

/** One path. @param out one entry, yours: sbx_files_free() */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_stat(struct sbx_sandbox *sb, const char *path,
                                                      const struct sbx_call *call, struct sbx_files **out,
                                                      struct sbx_error *err);

/** The paths below `dir` whose last name fits a pattern with * ? [a-z] [^x]; \ takes the next character as it is. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_search_files(struct sbx_sandbox *sb, const char *dir,
                                                              const char *pattern, const struct sbx_call *call,
                                                              struct sbx_files **out, struct sbx_error *err);

/** The lines in text files below `dir`, or in one file, that have `text` in them: path, line, text. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_find_text(struct sbx_sandbox *sb, const char *dir, const char *text,
                                                           const struct sbx_call *call, struct sbx_files **out,
                                                           struct sbx_error *err);

/* ---- changes ---- */

/** Makes a directory and those on the way. One that is there is success.
 *  @return SBX_INVALID_ARGUMENT ("path: ...") if it, or a part of it, is a file */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_mkdir(struct sbx_sandbox *sb, const char *path,
                                                       const struct sbx_mkdir_options *opt, const struct sbx_call *call,
                                                       struct sbx_error *err);

/** Removes a file; a directory only if opt says recursive, an empty one too. The root, and `.`, are refused.
 *  @return SBX_FILE_NOT_FOUND if it is not there; SBX_INVALID_ARGUMENT ("recursive: ...") for a directory */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_remove(struct sbx_sandbox *sb, const char *path,
                                                        const struct sbx_remove_options *opt,
                                                        const struct sbx_call *call, struct sbx_error *err);

/** Gives a file or directory another path. What is looked at and what is done are two steps in the sandbox: two movers
 *  to one place at the same time can both succeed.
 *  @return SBX_ALREADY_EXISTS if `to` is there; SBX_FILE_NOT_FOUND if `from` or the directory of `to` is not */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_move(struct sbx_sandbox *sb, const char *from, const char *to,
                                                      const struct sbx_call *call, struct sbx_error *err);

/** Sets mode, owner, group: those that opt names, at least one. */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_set_permissions(struct sbx_sandbox *sb, const char *path,
                                                                 const struct sbx_permission_options *opt,
                                                                 const struct sbx_call *call, struct sbx_error *err);

/** Puts `with` in the place of each `text`, in each file.
 *  @param out an entry for each file in the order given: path, status
 *  @return SBX_OK if all succeeded; else the first file's failure, with err->outcome DONE and `out` set */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_replace_text(struct sbx_sandbox *sb, const char *const *paths,
                                                              size_t count, const char *text, const char *with,
                                                              const struct sbx_call *call, struct sbx_files **out,
                                                              struct sbx_error *err);

/* ---- many files, whole directories ---- */

/** Writes many files, in one request where the provider can say of each what became of it, in constant memory;
 * directories on the way are made. Then the sandbox is asked what it has: each file's size, and its SHA-256 where the
 * sandbox has sha256sum; modes are set.
 *  @param files none of the paths twice @param opt of it `bytes` and `mode` are 0; progress is told of all bytes
 *  @param out an entry for each file in the order given: path, status, size, sha256, verified. Yours: sbx_files_free()
 *  @return SBX_OK if all are there as they were sent; else the first file's failure, with err->outcome DONE and `out`
 *          set: SBX_CONNECTION_LOST for one that is not what was sent */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_upload_files(struct sbx_sandbox *sb,
                                                              const struct sbx_upload_file *files, size_t count,
                                                              const struct sbx_transfer_options *opt,
                                                              const struct sbx_call *call, struct sbx_files **out,
                                                              struct sbx_error *err);

/** Unpacks a tar stream into a directory, which is made if need be, by the sandbox's own tar, in constant memory here.
 *  Files of the same names are replaced, others stay. The stream, which the caller makes, is first kept in the sandbox
 *  (so that it needs room for it twice), checked by size and SHA-256, and removed in the end, whatever happened;
 *  err->cleanup says whether that is proven. What is no tar unpacks nothing; opt->bytes says where it must
 *  end.
 *  @param opt `mode` is 0
 *  @return SBX_TOOL_MISSING: no tar in the sandbox; SBX_INVALID_ARGUMENT ("from: ..."): no tar stream */
SBX_API SBX_MUST_USE enum sbx_status sbx_sandbox_upload_tree(struct sbx_sandbox *sb, const char *dir,
                                                             const struct sbx_reader *from,
                                                             const struct sbx_transfer_options *opt,
                                                             const struct sbx_call *call,
                                                             struct sbx_transfer_result *result, struct sbx_error *err);

/** The other way: a directory's contents as a tar stream, whose names begin with `./`. The stream is first made in the
 *  sandbox, and removed in the end. What reached the sink is whole only if this succeeds.
 *  @return SBX_CONFLICT when a file changed while it was read; SBX_CONNECTION_LOST when what came is not what was made
 */
SBX_API SBX_MUST_USE enum sbx_status
sbx_sandbox_download_tree(struct sbx_sandbox *sb, const char *dir, const struct sbx_sink *to,
                          const struct sbx_transfer_options *opt, const struct sbx_call *call,
                          struct sbx_transfer_result *result, struct sbx_error *err);

/* ---- reading entries; texts are lent. An index beyond the last is the caller's mistake ---- */

SBX_API size_t sbx_files_count(const struct sbx_files *files);
/** The name in its directory, of list_dir and stat; else the path. */
SBX_API const char *sbx_files_path(const struct sbx_files *files, size_t i);
/** enum sbx_file_type */
SBX_API int32_t sbx_files_type(const struct sbx_files *files, size_t i);
/** Bytes; -1 = not said. */
SBX_API int64_t sbx_files_size(const struct sbx_files *files, size_t i);
/** The permission bits, 0 to 0777; -1 = not said. */
SBX_API int32_t sbx_files_mode(const struct sbx_files *files, size_t i);
/** A name or number, as the provider says it; "" = not said. */
SBX_API const char *sbx_files_owner(const struct sbx_files *files, size_t i);
SBX_API const char *sbx_files_group(const struct sbx_files *files, size_t i);
/** When its contents were changed, in milliseconds since 1970; INT64_MIN = not said. */
SBX_API int64_t sbx_files_modified_ms(const struct sbx_files *files, size_t i);
/** Which line, from 1; 0 = not about one. */
SBX_API int64_t sbx_files_line(const struct sbx_files *files, size_t i);
/** The line itself; bytes that are no UTF-8 may be shown as U+FFFD. */
SBX_API const char *sbx_files_text(const struct sbx_files *files, size_t i);
/** enum sbx_status: what became of this file. */
SBX_API int32_t sbx_files_status(const struct sbx_files *files, size_t i);
/** Of what was sent, in hex; "" = not about a transfer. */
SBX_API const char *sbx_files_sha256(const struct sbx_files *files, size_t i);
/** Is the SHA-256 in the sandbox proven to be that? 0 where it has no sha256sum: then only the size is. */
SBX_API int sbx_files_verified(const struct sbx_files *files, size_t i);
SBX_API void sbx_files_free(struct sbx_files *files);

#ifdef __cplusplus
}
#endif
#endif
