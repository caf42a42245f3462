/* Runs scripts as the host's own shell: host_runner <shell> <scratch> <count>.
 *
 * Script i is scratch/i/script, its directory scratch/i/work; its output goes to scratch/i/out, read from a pipe until
 * nobody holds that, and its code to scratch/i/code. Several run at a time. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE 12

struct running {
    pid_t pid;   /* 0 = free; -1 = it has exited */
    int in, out; /* the pipe's end, the file; -1 = closed */
    int number;
};

static const char *shell, *scratch;

static void child(int number, int out) {
    char dir[256], home[300], path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    char tmp[] = "TMPDIR=/tmp", locale[] = "LC_ALL=C.UTF-8", zone[] = "TZ=UTC";
    char script[] = "../script", one[] = "one", two[] = "two words", name[16];
    snprintf(dir, sizeof dir, "%s/%d/work", scratch, number);
    snprintf(home, sizeof home, "HOME=%s", dir);
    snprintf(name, sizeof name, "%s", shell);
    char *env[] = {home, tmp, path, locale, zone, NULL}, *argv[] = {name, script, one, two, NULL};
    int null = open("/dev/null", O_RDWR);
    umask(022);
    if (null < 0 || chdir(dir) || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0) _exit(99);
    for (int fd = 3; fd < 64; fd++) close(fd);
    execvpe(shell, argv, env);
    _exit(99);
}

static int start(struct running *r, int number) {
    char path[256];
    int fds[2];
    snprintf(path, sizeof path, "%s/%d/out", scratch, number);
    if (pipe(fds)) return 0;
    *r = (struct running){.in = fds[0], .out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), .number = number};
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0) child(number, fds[1]);
    close(fds[1]);
    return r->pid > 0 && r->out >= 0;
}

static void ended(struct running *list, pid_t pid, int status) {
    char path[256];
    for (int i = 0; i < AT_ONCE; i++) {
        if (list[i].pid != pid) continue;
        snprintf(path, sizeof path, "%s/%d/code", scratch, list[i].number);
        FILE *file = fopen(path, "w");
        if (!file) exit(1);
        fprintf(file, "%d\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
        fclose(file);
        list[i].pid = -1;
        return;
    }
}

/* Moves what is there from the pipes to the files. */
static void pump(struct running *list) {
    struct pollfd fds[AT_ONCE];
    char buf[65536];
    for (int i = 0; i < AT_ONCE; i++) fds[i] = (struct pollfd){.fd = list[i].pid ? list[i].in : -1, .events = POLLIN};
    poll(fds, AT_ONCE, 5);
    for (int i = 0; i < AT_ONCE; i++) {
        if (fds[i].fd < 0 || !fds[i].revents) continue;
        ssize_t n = read(list[i].in, buf, sizeof buf);
        if (n > 0 && write(list[i].out, buf, (size_t)n) != n) exit(1);
        if (n > 0) continue;
        close(list[i].in);
        close(list[i].out);
        list[i].in = -1;
    }
}

int main(int argc, char **argv) {
    struct running list[AT_ONCE] = {0};
    if (argc != 4) return 2;
    shell = argv[1];
    scratch = argv[2];
    int count = atoi(argv[3]), next = 0;
    signal(SIGPIPE, SIG_DFL);
    for (int busy = 1; busy;) {
        int status;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) ended(list, pid, status);
        busy = 0;
        for (int i = 0; i < AT_ONCE; i++) {
            if (list[i].pid == -1 && list[i].in < 0) list[i].pid = 0;
            if (list[i].pid == 0 && next < count && !start(&list[i], next++)) return 1;
            busy |= list[i].pid != 0;
        }
        if (busy) pump(list);
    }
    return 0;
}
