/*
 * confine - resource limits and a seccomp filter
 *
 * Three classes of system calls.  Those that reading and computing need are
 * allowed, where it matters with their arguments.  Those that libraries try in
 * good faith (the time zone, the number of cores, a message on standard error)
 * fail with EPERM, and their callers do without.  Everything else ends the
 * process.
 *
 * seccomp does not see what is put on an io_uring; the engine's ring is made
 * before and restricted by itself, see lsr_io_seal().
 */
#include "source/confine.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define CONFINE_FILES 1024u

static const int confine_allowed[] = {
        SCMP_SYS(read),
        SCMP_SYS(pread64),
        SCMP_SYS(preadv),
        SCMP_SYS(lseek),
        SCMP_SYS(close),
        SCMP_SYS(fstat),
        SCMP_SYS(io_uring_enter),
        SCMP_SYS(io_uring_register), /* the ring allows what it was restricted to */
        SCMP_SYS(munmap),
        SCMP_SYS(mremap),
        SCMP_SYS(brk),
        SCMP_SYS(madvise),
        451, /* cachestat, which libseccomp may not know yet */
        SCMP_SYS(futex),
        SCMP_SYS(set_robust_list),
        SCMP_SYS(rseq),
        SCMP_SYS(rt_sigprocmask),
        SCMP_SYS(rt_sigreturn),
        SCMP_SYS(sigaltstack),
        SCMP_SYS(restart_syscall),
        SCMP_SYS(gettid),
        SCMP_SYS(getpid),
        SCMP_SYS(sched_yield),
        SCMP_SYS(sched_getaffinity),
        SCMP_SYS(clock_gettime),
        SCMP_SYS(clock_nanosleep),
        SCMP_SYS(poll), /* for a pipe that another made non-blocking */
        SCMP_SYS(getrandom),
        SCMP_SYS(exit),
        SCMP_SYS(exit_group),
};

/* A file system's calls, by which a library looks around, and those by which it complains or dies. */
static const int confine_refused[] = {
        SCMP_SYS(open),         SCMP_SYS(openat),   SCMP_SYS(access),     SCMP_SYS(faccessat),
        SCMP_SYS(faccessat2),   SCMP_SYS(stat),     SCMP_SYS(lstat),      SCMP_SYS(statx),
        SCMP_SYS(newfstatat),   SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
        SCMP_SYS(ioctl),        SCMP_SYS(fcntl),    SCMP_SYS(write),      SCMP_SYS(writev),
        SCMP_SYS(uname),        SCMP_SYS(sysinfo),  SCMP_SYS(getrusage),  SCMP_SYS(prctl),
        SCMP_SYS(prlimit64),    SCMP_SYS(getuid),   SCMP_SYS(geteuid),    SCMP_SYS(getgid),
        SCMP_SYS(getegid),      SCMP_SYS(tgkill),   SCMP_SYS(fadvise64),  SCMP_SYS(sched_setscheduler),
        SCMP_SYS(rt_sigaction),
};

void lsr_confine_descriptors(int socket)
{
        for (int fd = 0; fd < socket; fd++)
                close(fd);
        closefrom(socket + 1);
}

static int confine_limit(int resource, uint64_t n)
{
        struct rlimit limit;

        if (getrlimit(resource, &limit) < 0)
                return -errno;
        if (limit.rlim_max > n)
                limit.rlim_max = n;
        if (limit.rlim_cur > n)
                limit.rlim_cur = n;
        return setrlimit(resource, &limit) < 0 ? -errno : 0;
}

/*
 * No limit of time: a large bundle takes what it takes, and Ctrl-C ends both
 * processes.  RLIMIT_DATA and not RLIMIT_AS, as allocators reserve 64 MiB of
 * addresses for each thread without using them.
 */
static int confine_limits(uint64_t window_max)
{
        int r = confine_limit(RLIMIT_CORE, 0);

        if (r >= 0)
                r = confine_limit(RLIMIT_FSIZE, 0);
        if (r >= 0)
                r = confine_limit(RLIMIT_NOFILE, CONFINE_FILES);
        if (r >= 0)
                r = confine_limit(RLIMIT_DATA, LSR_CONFINE_MEMORY + window_max);
        return r;
}

static int confine_rules(scmp_filter_ctx filter, int socket)
{
        const struct scmp_arg_cmp to_socket = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)socket);
        const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
        const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
        int r = 0;

        for (size_t i = 0; i < sizeof(confine_allowed) / sizeof(*confine_allowed) && r >= 0; i++)
                r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, confine_allowed[i], 0);
        for (size_t i = 0; i < sizeof(confine_refused) / sizeof(*confine_refused) && r >= 0; i++)
                r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), confine_refused[i], 0);
        if (r >= 0)
                r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1, &to_socket);
        if (r >= 0)
                r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(recvmsg), 1, &to_socket);
        if (r >= 0)
                r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_code);
        if (r >= 0)
                r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &no_code);
        if (r >= 0)
                r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &thread);
        /* Its flags lie in memory, where a filter cannot look; libc falls back to clone. */
        if (r >= 0)
                r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
        return r;
}

static int confine_filter(int socket)
{
        scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
        int r;

        if (!filter)
                return -ENOTSUP;
        /* A binary search: the kernel tries every call number once when it takes the filter. */
        r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
        if (r >= 0)
                r = confine_rules(filter, socket);
        if (r >= 0)
                r = seccomp_load(filter);
        seccomp_release(filter);
        return r;
}

/* With filters in the kernel a NULL is a bad address; without, the mode is not known. */
static bool confine_has_seccomp(void)
{
        return prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, NULL, 0, 0) == 0 || errno != EINVAL;
}

int lsr_confine(int socket, uint64_t window_max)
{
        int r = confine_limits(window_max);

        if (r < 0)
                return r;
        if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return -errno;
        return confine_has_seccomp() ? confine_filter(socket) : 0;
}
