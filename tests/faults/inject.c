/*
 * inject - run a command of which one system call fails
 *
 *      inject REPORT 0 - COMMAND...            only say which calls there are
 *      inject REPORT NAME:N ERROR COMMAND...   the Nth of that name fails, such as with EIO
 *      inject REPORT NAME:N ERROR+ COMMAND...  so does every later one of it
 *      inject REPORT N '!SHELL' COMMAND...     before the Nth of all a shell does something
 *
 * A seccomp filter hands the calls that can fail to this process, which counts those of all processes and threads
 * of the command together, and lets them go on or answers in place of the kernel.  So neither ptrace nor a library
 * stands between: a static program, its confined worker and the leak sanitizer run as they do elsewhere.  What is put
 * on a ring is not seen, but by --io=fault.
 *
 * A close(2) that fails has closed, as on Linux: the descriptor is replaced by one of /dev/null.
 *
 * REPORT has a line for each call in the first case, `NAME ARGUMENT`, and for those that failed in the others; then
 * `exit STATUS` or `signal NUMBER`.  The path of the command is not searched.  Statuses are passed on; 128 and more is
 * a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL(name)                \
        {                         \
#name, SYS_##name \
        }

/* futex and brk are not there: nobody looks at how they fail. */
static const struct {
        const char *name;
        int number;
} calls[] = {
        CALL(openat),
        CALL(openat2),
        CALL(read),
        CALL(pread64),
        CALL(readv),
        CALL(preadv),
        CALL(preadv2),
        CALL(lseek),
        CALL(getdents64),
        CALL(statx),
        CALL(newfstatat),
        CALL(fstat),
        CALL(readlinkat),
        CALL(faccessat),
        CALL(faccessat2),
        CALL(getxattr),
        CALL(lgetxattr),
        CALL(fgetxattr),
        CALL(listxattr),
        CALL(llistxattr),
        CALL(flistxattr),
        CALL(fstatfs),
        CALL(statfs),
        CALL(ioctl),
        CALL(fcntl),
        CALL(fadvise64),
        CALL(getcwd),
        CALL(write),
        CALL(writev),
        CALL(pwrite64),
        CALL(pwritev),
        CALL(copy_file_range),
        CALL(sendfile),
        CALL(fsync),
        CALL(fdatasync),
        CALL(ftruncate),
        CALL(fallocate),
        CALL(linkat),
        CALL(renameat),
        CALL(renameat2),
        CALL(unlinkat),
        CALL(mkdirat),
        CALL(symlinkat),
        CALL(mknodat),
        CALL(fchmod),
        CALL(fchmodat),
        CALL(fchown),
        CALL(fchownat),
        CALL(utimensat),
        CALL(setxattr),
        CALL(lsetxattr),
        CALL(fsetxattr),
        CALL(flock),
        CALL(close),
        CALL(dup),
        CALL(dup3),
        CALL(pipe2),
        CALL(socketpair),
        CALL(memfd_create),
        CALL(clone),
        CALL(clone3),
        CALL(execve),
        CALL(execveat),
        CALL(wait4),
        CALL(waitid),
        CALL(prctl),
        CALL(seccomp),
        CALL(prlimit64),
        CALL(unshare),
        CALL(sched_getaffinity),
        CALL(sched_setaffinity),
        CALL(getrandom),
        CALL(ptrace),
        CALL(mmap),
        CALL(mremap),
        CALL(mprotect),
        CALL(madvise),
        CALL(munmap),
        CALL(io_uring_setup),
        CALL(io_uring_enter),
        CALL(io_uring_register),
        CALL(sendmsg),
        CALL(recvmsg),
        CALL(ppoll),
        CALL(pidfd_open),
        { "cachestat", 451 },
        { "getxattrat", 464 },
        { "listxattrat", 465 },
#ifdef SYS_open
        CALL(open),
        CALL(stat),
        CALL(lstat),
        CALL(access),
        CALL(readlink),
        CALL(rename),
        CALL(unlink),
        CALL(mkdir),
        CALL(rmdir),
        CALL(link),
        CALL(chmod),
        CALL(pipe),
        CALL(dup2),
        CALL(poll),
        CALL(fork),
        CALL(vfork),
#endif
};

#define N_CALLS (sizeof(calls) / sizeof(*calls))

static const struct {
        const char *name;
        int number;
} errors[] = {
        { "EPERM", EPERM },   { "ENOENT", ENOENT },   { "EINTR", EINTR },           { "EIO", EIO },
        { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM },   { "EACCES", EACCES },         { "EBUSY", EBUSY },
        { "EEXIST", EEXIST }, { "EINVAL", EINVAL },   { "EMFILE", EMFILE },         { "ENOSPC", ENOSPC },
        { "ENOSYS", ENOSYS }, { "EDQUOT", EDQUOT },   { "ESTALE", ESTALE },         { "EROFS", EROFS },
        { "EFBIG", EFBIG },   { "ENOBUFS", ENOBUFS }, { "EOPNOTSUPP", EOPNOTSUPP }, { "ECONNRESET", ECONNRESET },
};

#define N_ERRORS (sizeof(errors) / sizeof(*errors))

static struct {
        FILE *report;
        unsigned long at, count; /* of all, or of those of @name */
        int error;
        bool later;        /* the others of that name, too */
        const char *shell; /* instead of an error */
        int name;          /* index of calls, or -1 */
        int null;
        bool runs; /* the command has replaced us */
} in = { .name = -1 };

static int call_of(int number)
{
        for (size_t i = 0; i < N_CALLS; i++)
                if (calls[i].number == number)
                        return (int)i;
        return -1;
}

static bool is_due(int call)
{
        if (!in.runs) {
                in.runs = true;
                return false;
        }
        if (in.name >= 0 && call != in.name)
                return false;
        in.count++;
        return in.at > 0 && (in.count == in.at || (in.later && in.count > in.at));
}

/* What close(2) of the descriptor leaves behind is none of what it was. */
static void replace(int listener, const struct seccomp_notif *call)
{
        struct seccomp_notif_addfd add = { .id = call->id,
                                           .flags = SECCOMP_ADDFD_FLAG_SETFD,
                                           .srcfd = (unsigned)in.null,
                                           .newfd = (unsigned)call->data.args[0],
                                           .newfd_flags = O_CLOEXEC };

        ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

/* Returns whether there may be more. */
static bool answer(int listener)
{
        struct seccomp_notif call = {};
        struct seccomp_notif_resp resp = {};
        int name;

        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
                return errno == EINTR || errno == ENOENT;
        name = call_of(call.data.nr);
        resp.id = call.id;
        resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        if (is_due(name)) {
                fprintf(in.report, "%s %lld\n", calls[name].name, (long long)call.data.args[0]);
                if (in.shell) {
                        if (system(in.shell) != 0)
                                fprintf(in.report, "failed: %s\n", in.shell);
                } else {
                        if (calls[name].number == SYS_close)
                                replace(listener, &call);
                        resp.flags = 0;
                        resp.error = -in.error;
                }
        } else if (in.at == 0 && in.count > 0) {
                fprintf(in.report, "%s %lld\n", calls[name].name, (long long)call.data.args[0]);
        }
        /* It may have been killed meanwhile. */
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
        return true;
}

static int serve(int listener, pid_t pid)
{
        struct pollfd wait = { .fd = listener, .events = POLLIN };
        int status;

        while (poll(&wait, 1, -1) >= 0 || errno == EINTR) {
                if (wait.revents & POLLHUP && !(wait.revents & POLLIN))
                        break;
                if (wait.revents & POLLIN && !answer(listener))
                        break;
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        if (WIFSIGNALED(status))
                fprintf(in.report, "signal %d\n", WTERMSIG(status));
        else
                fprintf(in.report, "exit %d\n", WEXITSTATUS(status));
        return fclose(in.report) != 0 ? 125 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Returns the descriptor by which its calls are answered. */
static int filter(void)
{
        struct sock_filter program[N_CALLS + 3];
        struct sock_fprog all = { .filter = program };

        program[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
        for (size_t i = 0; i < N_CALLS; i++)
                program[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number,
                                                              (unsigned char)(N_CALLS - i), 0);
        program[N_CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        program[N_CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
        all.len = N_CALLS + 3;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return -1;
        return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &all);
}

static int usage(void)
{
        fprintf(stderr, "usage: inject REPORT N ERROR[+]|'!SHELL'|- COMMAND...\n");
        return 125;
}

int main(int argc, char **argv)
{
        const char *colon = argc < 5 ? NULL : strchr(argv[2], ':');
        volatile int *listener;
        pid_t pid;

        if (argc < 5)
                return usage();
        in.report = fopen(argv[1], "we");
        for (size_t i = 0; colon && i < N_CALLS; i++)
                if (strncmp(argv[2], calls[i].name, (size_t)(colon - argv[2])) == 0 &&
                    strlen(calls[i].name) == (size_t)(colon - argv[2]))
                        in.name = (int)i;
        in.at = strtoul(colon ? colon + 1 : argv[2], NULL, 10);
        in.null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (argv[3][0] == '!')
                in.shell = argv[3] + 1;
        for (size_t i = 0; i < N_ERRORS; i++)
                if (strncmp(argv[3], errors[i].name, strlen(errors[i].name)) == 0)
                        in.error = errors[i].number;
        in.later = argv[3][strlen(argv[3]) - 1] == '+';
        listener = mmap(NULL, sizeof(*listener), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (!in.report || listener == MAP_FAILED || (in.at && !in.error && !in.shell) || (colon && in.name < 0))
                return usage();
        *listener = -2;
        /* What it opens we have, as well, until it is replaced by the command. */
        pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
                *listener = filter();
                if (*listener >= 0)
                        execv(argv[4], argv + 4);
                _exit(125);
        }
        while (*listener == -2 && pid > 0)
                sched_yield();
        if (pid < 0 || *listener < 0) {
                fprintf(stderr, "inject: this kernel does not hand calls over\n");
                return 125;
        }
        return serve(*listener, pid);
}
