/* What programs print: buffered standard output, plain standard error, and the texts of error numbers. */
#include "sim/machine/inside.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OUT_BYTES 4096

int sim_out_flush(struct sim_proc *p) {
    size_t len = p->out_len;
    p->out_len = 0;
    if (len) {
        int e = sim_sys_write(p, 1, p->out, len);
        if (e && !p->out_error) p->out_error = -e;
    }
    return p->out_error;
}

void sim_out(struct sim_proc *p, const char *data, size_t len) {
    if (!p->out) p->out = sim_keep(p, OUT_BYTES);
    while (len > 0) {
        size_t n = OUT_BYTES - p->out_len < len ? OUT_BYTES - p->out_len : len;
        memcpy(p->out + p->out_len, data, n);
        p->out_len += n;
        data += n;
        len -= n;
        if (p->out_len == OUT_BYTES) sim_out_flush(p);
    }
}

void sim_out_str(struct sim_proc *p, const char *text) {
    sim_out(p, text, strlen(text));
}

void sim_out_char(struct sim_proc *p, char c) {
    sim_out(p, &c, 1);
}

void sim_outf(struct sim_proc *p, const char *fmt, ...) {
    char small[256];
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(small, sizeof small, fmt, args);
    if (len >= 0 && (size_t)len < sizeof small) {
        sim_out(p, small, (size_t)len);
    } else {
        struct sim_mark mark = sim_mark(p);
        sim_out_str(p, sim_vformat(p, fmt, again));
        sim_release(p, mark);
    }
    va_end(again);
    va_end(args);
}

void sim_errf(struct sim_proc *p, const char *fmt, ...) {
    struct sim_mark mark = sim_mark(p);
    va_list args;
    va_start(args, fmt);
    char *text = sim_vformat(p, fmt, args);
    va_end(args);
    sim_sys_write(p, 2, text, strlen(text));
    sim_release(p, mark);
}

const char *sim_strerror(int number) {
    static const struct {
        int number;
        const char *text;
    } texts[] = {
        {EPERM, "Operation not permitted"},
        {ENOENT, "No such file or directory"},
        {ESRCH, "No such process"},
        {EINTR, "Interrupted system call"},
        {EIO, "Input/output error"},
        {ENXIO, "No such device or address"},
        {ENOEXEC, "Exec format error"},
        {EBADF, "Bad file descriptor"},
        {ECHILD, "No child processes"},
        {EAGAIN, "Resource temporarily unavailable"},
        {ENOMEM, "Cannot allocate memory"},
        {EACCES, "Permission denied"},
        {EBUSY, "Device or resource busy"},
        {EEXIST, "File exists"},
        {EXDEV, "Invalid cross-device link"},
        {ENOTDIR, "Not a directory"},
        {EISDIR, "Is a directory"},
        {EINVAL, "Invalid argument"},
        {EMFILE, "Too many open files"},
        {EFBIG, "File too large"},
        {ENOSPC, "No space left on device"},
        {ESPIPE, "Illegal seek"},
        {EROFS, "Read-only file system"},
        {EMLINK, "Too many links"},
        {EPIPE, "Broken pipe"},
        {ENAMETOOLONG, "File name too long"},
        {ENOTEMPTY, "Directory not empty"},
        {ELOOP, "Too many levels of symbolic links"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].number == number) return texts[i].text;
    return "Unknown error";
}
