/* stat: what is known of a file, by directives. */
#include "sim/machine/tools/date.h"
#include "sim/machine/tools/tools.h"
#include <string.h>

static const char *stat_type(const struct sim_fs_node *node) {
    switch (node->type) {
    case 'd':
        return "directory";
    case 'l':
        return "symbolic link";
    case 'c':
        return "character special file";
    case 'p':
        return "fifo";
    default:
        return node->size ? "regular file" : "regular empty file";
    }
}

static unsigned stat_raw_mode(const struct sim_fs_node *node) {
    unsigned type = node->type == 'd'   ? 040000U
                    : node->type == 'l' ? 0120000U
                    : node->type == 'c' ? 020000U
                    : node->type == 'p' ? 010000U
                                        : 0100000U;
    return type | node->mode;
}

/* @return 0 for a directive that is not known */
static int stat_directive(struct sim_proc *p, const struct sim_fs_node *node, const char *path, char c) {
    char mode[11];
    int64_t when;
    switch (c) {
    case 'n':
        sim_outf(p, "%s", path);
        break;
    case 'N':
        sim_outf(p, "'%s'", path);
        if (node->type == 'l') sim_outf(p, " -> '%s'", node->target);
        break;
    case 's':
        sim_outf(p, "%lld", (long long)sim_file_size_shown(node));
        break;
    case 'a':
        sim_outf(p, "%o", node->mode);
        break;
    case 'A':
        sim_file_mode(node, mode);
        sim_out_str(p, mode);
        break;
    case 'f':
        sim_outf(p, "%x", stat_raw_mode(node));
        break;
    case 'F':
        sim_out_str(p, stat_type(node));
        break;
    case 'h':
        sim_outf(p, "%lld", (long long)sim_fs_link_count(node));
        break;
    case 'i':
        sim_outf(p, "%llu", (unsigned long long)node->ino);
        break;
    case 'u':
        sim_outf(p, "%lld", (long long)node->uid);
        break;
    case 'g':
        sim_outf(p, "%lld", (long long)node->gid);
        break;
    case 'U':
        sim_out_str(p, sim_user_name(p, node->uid));
        break;
    case 'G':
        sim_out_str(p, sim_user_name(p, node->gid));
        break;
    case 'Y':
        sim_outf(p, "%lld", (long long)(node->mtime_ns / SIM_SEC));
        break;
    case 'X':
        sim_outf(p, "%lld", (long long)(node->atime_ns / SIM_SEC));
        break;
    case 'Z':
        sim_outf(p, "%lld", (long long)(node->ctime_ns / SIM_SEC));
        break;
    case 'W':
        sim_out_str(p, "0");
        break;
    case 'x':
    case 'y':
    case 'z':
        when = c == 'x' ? node->atime_ns : c == 'y' ? node->mtime_ns : node->ctime_ns;
        sim_outf(p, "%s.%09lld +0000", sim_date_format(p, when, "%Y-%m-%d %H:%M:%S"), (long long)(when % SIM_SEC));
        break;
    case 'b':
        sim_outf(p, "%lld", (long long)(node->blocks * 8));
        break;
    case 'B':
        sim_out_str(p, "512");
        break;
    case 't':
    case 'T':
        sim_outf(p, "%x", node->type != 'c' ? 0U : c == 't' ? 1U : (unsigned)node->device * 2 + 3);
        break;
    case 'o':
        sim_outf(p, "%d", SIM_FS_BLOCK);
        break;
    case '%':
        sim_out_char(p, '%');
        break;
    default:
        return 0;
    }
    return 1;
}

static int tool_stat(struct sim_proc *p, int argc, char **argv) {
    static const struct sim_long_option longs[] = {{"format", 'c'}, {"dereference", 'L'}, {"printf", 'P'}, {NULL, 0}};
    struct sim_opts o;
    const char *format = NULL;
    int follow = 0, status = 0, newline = 1;
    sim_opts_start(&o, p, argc, argv, "c:LP:", longs);
    for (int opt; (opt = sim_opts_next(&o)) != -1;) {
        if (opt == 'L')
            follow = 1;
        else if (opt == '?')
            return sim_opts_bad(&o);
        else {
            format = o.arg;
            newline = opt == 'c';
        }
    }
    if (!o.n) {
        sim_errf(p, "stat: missing operand\n");
        return 1;
    }
    if (!format)
        format = "  File: %N\n  Size: %s\t\tBlocks: %b\tIO Block: %o\t%F\nInode: %i\tLinks: %h\nAccess: (0%a/%A)  Uid: "
                 "(%u/%U)   Gid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -";
    for (int i = 0; i < o.n; i++) {
        struct sim_fs_node *node;
        int e = sim_file_node(p, o.operands[i], follow, &node);
        if (e) {
            sim_errf(p, "stat: cannot statx '%s': %s\n", o.operands[i], sim_strerror(-e));
            status = 1;
            continue;
        }
        for (const char *at = format; *at; at++) {
            if (*at == '\\' && !newline && at[1] && strchr("nt0\\", at[1])) {
                at++;
                sim_out_char(p, *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == '0' ? '\0' : '\\');
            } else if (*at != '%')
                sim_out_char(p, *at);
            else if (!at[1] || !stat_directive(p, node, o.operands[i], *++at))
                return sim_unsupported(p, "stat format %s", format);
        }
        if (newline) sim_out_char(p, '\n');
    }
    return status;
}

const struct sim_tool sim_tools_stat[] = {{"stat", tool_stat}, {NULL, NULL}};
