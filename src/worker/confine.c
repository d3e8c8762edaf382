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
 *
 * The program is a binary search over ranges of call numbers, since the kernel
 * tries every number once when it takes a filter.  Rejected: libseccomp, which
 * finds out what the kernel knows and takes 0.1 ms more of the 0.9 that listing
 * a small bundle takes; a list in place of the search, 0.4 ms.
 */
#include "worker/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compat.h"
#include "base/limits.h"

#define CONFINE_FILES 1024u

#if defined(__x86_64__) && defined(__LP64__)
#define CONFINE_ARCH AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define CONFINE_ARCH AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define CONFINE_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define CONFINE_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define CONFINE_ARCH AUDIT_ARCH_PPC64LE
#else
#error "which AUDIT_ARCH_ is it?"
#endif

/* The older one of a machine of 32 bits has its arguments in memory. */
#ifdef SYS_mmap2
#define CONFINE_MMAP SYS_mmap2
#else
#define CONFINE_MMAP SYS_mmap
#endif

/* What becomes of a call. */
enum {
        CONFINE_KILL,
        CONFINE_ALLOW,
        CONFINE_EPERM,
        CONFINE_ENOSYS,
        CONFINE_SOCKET,  /* allowed on our socket */
        CONFINE_PRIVATE, /* allowed if it maps a private copy, and no code */
        CONFINE_NO_CODE, /* allowed unless it maps code */
        CONFINE_THREAD,  /* allowed if what it makes is a thread */
};

/* By number; old calls are not on every machine. */
static const uint8_t confine_calls[] = {
        [SYS_read] = CONFINE_ALLOW,
        [SYS_pread64] = CONFINE_ALLOW,
        [SYS_preadv] = CONFINE_ALLOW,
        [SYS_lseek] = CONFINE_ALLOW,
        [SYS_close] = CONFINE_ALLOW,
        [SYS_fstat] = CONFINE_ALLOW,
        [SYS_io_uring_enter] = CONFINE_ALLOW,
        [SYS_io_uring_register] = CONFINE_ALLOW, /* the ring allows what it was restricted to */
        [SYS_munmap] = CONFINE_ALLOW,
        [SYS_mremap] = CONFINE_ALLOW,
        [SYS_brk] = CONFINE_ALLOW,
        [SYS_madvise] = CONFINE_ALLOW,
        [451] = CONFINE_ALLOW, /* cachestat, which headers may not know yet */
        [SYS_futex] = CONFINE_ALLOW,
        [SYS_set_robust_list] = CONFINE_ALLOW,
        [SYS_rseq] = CONFINE_ALLOW,
        [SYS_rt_sigprocmask] = CONFINE_ALLOW,
        [SYS_rt_sigreturn] = CONFINE_ALLOW,
        [SYS_sigaltstack] = CONFINE_ALLOW,
        [SYS_restart_syscall] = CONFINE_ALLOW,
        [SYS_gettid] = CONFINE_ALLOW,
        [SYS_getpid] = CONFINE_ALLOW,
        [SYS_sched_yield] = CONFINE_ALLOW,
        [SYS_sched_getaffinity] = CONFINE_ALLOW,
        [SYS_clock_gettime] = CONFINE_ALLOW,
        [SYS_clock_nanosleep] = CONFINE_ALLOW,
        [SYS_getrandom] = CONFINE_ALLOW,
        [SYS_exit] = CONFINE_ALLOW,
        [SYS_exit_group] = CONFINE_ALLOW,

        [SYS_sendmsg] = CONFINE_SOCKET,
        [SYS_recvmsg] = CONFINE_SOCKET,
        /*
         * Of a shared map of a file that was opened for writing, mprotect(2) makes one that writes; and to refuse that
         * would be to refuse what allocators do.  So there are no shared maps but those of the ring, which are older.
         */
        [CONFINE_MMAP] = CONFINE_PRIVATE,
        [SYS_mprotect] = CONFINE_NO_CODE,
        [SYS_clone] = CONFINE_THREAD,
        /* Its flags lie in memory, where a filter cannot look; libc falls back to clone. */
        [SYS_clone3] = CONFINE_ENOSYS,

        /* A file system's calls, by which a library looks around, and those by which it complains or dies. */
        [SYS_openat] = CONFINE_EPERM,
        [SYS_faccessat] = CONFINE_EPERM,
        [SYS_faccessat2] = CONFINE_EPERM,
        [SYS_statx] = CONFINE_EPERM,
        [SYS_readlinkat] = CONFINE_EPERM,
        [SYS_getcwd] = CONFINE_EPERM,
        [SYS_ioctl] = CONFINE_EPERM,
        [SYS_fcntl] = CONFINE_EPERM,
        [SYS_write] = CONFINE_EPERM,
        [SYS_writev] = CONFINE_EPERM,
        [SYS_uname] = CONFINE_EPERM,
        [SYS_sysinfo] = CONFINE_EPERM,
        [SYS_getrusage] = CONFINE_EPERM,
        [SYS_prctl] = CONFINE_EPERM,
        [SYS_prlimit64] = CONFINE_EPERM,
        [SYS_getuid] = CONFINE_EPERM,
        [SYS_geteuid] = CONFINE_EPERM,
        [SYS_getgid] = CONFINE_EPERM,
        [SYS_getegid] = CONFINE_EPERM,
        [SYS_tgkill] = CONFINE_EPERM,
        [SYS_fadvise64] = CONFINE_EPERM,
        [SYS_sched_setscheduler] = CONFINE_EPERM,
        [SYS_rt_sigaction] = CONFINE_EPERM,
        [SYS_membarrier] = CONFINE_EPERM, /* musl registers for it with the first thread, and does without */
#ifdef SYS_open
        [SYS_open] = CONFINE_EPERM,
        [SYS_access] = CONFINE_EPERM,
        [SYS_stat] = CONFINE_EPERM,
        [SYS_lstat] = CONFINE_EPERM,
        [SYS_readlink] = CONFINE_EPERM,
        [SYS_poll] = CONFINE_ALLOW, /* for a pipe that another made non-blocking */
#else
        [SYS_ppoll] = CONFINE_ALLOW,
#endif
#ifdef SYS_newfstatat
        [SYS_newfstatat] = CONFINE_EPERM,
#endif
#ifdef SYS_mmap2 /* a machine of 32 bits, and what is there for offsets and times of 64 */
        [SYS__llseek] = CONFINE_ALLOW,
        [SYS_futex_time64] = CONFINE_ALLOW,
        [SYS_clock_gettime64] = CONFINE_ALLOW,
        [SYS_clock_nanosleep_time64] = CONFINE_ALLOW,
        [SYS_sigreturn] = CONFINE_ALLOW,
        [SYS_fstatat64] = CONFINE_EPERM,
        [SYS_fstat64] = CONFINE_EPERM,
        [SYS_stat64] = CONFINE_EPERM,
        [SYS_lstat64] = CONFINE_EPERM,
        [SYS_fcntl64] = CONFINE_EPERM,
        [SYS_fadvise64_64] = CONFINE_EPERM,
        [SYS_getuid32] = CONFINE_EPERM,
        [SYS_geteuid32] = CONFINE_EPERM,
        [SYS_getgid32] = CONFINE_EPERM,
        [SYS_getegid32] = CONFINE_EPERM,
#endif
};

#define CONFINE_CALLS (sizeof(confine_calls) / sizeof(*confine_calls))
#define CONFINE_VERDICTS 20u /* instructions */

void lsr_confine_end(pid_t pid)
{
        kill(pid, SIGKILL);
}

void lsr_confine_descriptors(int socket)
{
        for (int fd = 0; fd < socket; fd++)
                close(fd);
        closefrom(socket + 1);
}

/* @pid 0: this process. */
static int confine_limit(pid_t pid, int resource, uint64_t n, uint64_t hard)
{
        struct rlimit limit;

        if (prlimit(pid, resource, NULL, &limit) < 0)
                return -errno;
        if (limit.rlim_max > hard)
                limit.rlim_max = hard;
        if (limit.rlim_cur > n)
                limit.rlim_cur = n;
        return prlimit(pid, resource, &limit, NULL) < 0 ? -errno : 0;
}

uint64_t lsr_confine_seconds(uint64_t size)
{
        return lsr_limit(LSR_LIMIT_TIME) + size / lsr_limit(LSR_LIMIT_BYTES_PER_SECOND);
}

/*
 * From outside, as a process may be confined before it is known what it will read.  RLIMIT_DATA and not RLIMIT_AS, as
 * allocators reserve 64 MiB of addresses for each thread without using them.
 */
int lsr_confine_process(pid_t pid, uint64_t size, uint64_t window_max)
{
        uint64_t memory = lsr_limit_in_proportion(LSR_LIMIT_MEMORY, LSR_LIMIT_MEMORY_PER_BYTE, size);
        uint64_t seconds = lsr_confine_seconds(size);
        int r;

        if (memory > lsr_limit(LSR_LIMIT_MEMORY_MOST))
                memory = lsr_limit(LSR_LIMIT_MEMORY_MOST);
        r = confine_limit(pid, RLIMIT_DATA, memory + window_max, memory + window_max);
        /* What SIGXCPU does not end a second more does. */
        if (r == 0 && size != UINT64_MAX)
                r = confine_limit(pid, RLIMIT_CPU, seconds, seconds + 1);
        return r;
}

/* What does not depend on the file. */
static int confine_limits(void)
{
        const struct {
                int resource;
                uint64_t n;
        } limits[] = {
                { RLIMIT_CORE, 0 },
                { RLIMIT_FSIZE, 0 },
                { RLIMIT_NOFILE, CONFINE_FILES },
        };
        int first = 0;

        for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
                int r = confine_limit(0, limits[i].resource, limits[i].n, limits[i].n);

                if (first == 0)
                        first = r;
        }
        return first;
}

/*
 *      what machine, which call      the search      what becomes of it
 *
 * Jumps go forwards, 255 instructions at most, so all of it is shorter than that.
 */
struct confine_program {
        struct sock_filter code[UINT8_MAX];
        unsigned n;
        unsigned verdicts; /* where the last part begins */
        unsigned n_ranges;
        uint16_t ranges[CONFINE_CALLS + 1]; /* calls with one verdict in a row: where each begins */
};

#define CONFINE_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define CONFINE_RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define CONFINE_IF(test, value, yes, no) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, yes, no)

/* Where each begins among the verdicts below. */
static const uint8_t confine_at[] = {
        [CONFINE_KILL] = 0,   [CONFINE_ALLOW] = 1,   [CONFINE_EPERM] = 2,    [CONFINE_ENOSYS] = 3,
        [CONFINE_SOCKET] = 4, [CONFINE_PRIVATE] = 8, [CONFINE_NO_CODE] = 12, [CONFINE_THREAD] = 16,
};

/* Of the arguments that are looked at the low 32 bits are all that the kernel knows. */
static void confine_add_verdicts(struct confine_program *p, int socket)
{
        const struct sock_filter verdicts[] = {
                CONFINE_RETURN(SECCOMP_RET_KILL_PROCESS),
                CONFINE_RETURN(SECCOMP_RET_ALLOW),
                CONFINE_RETURN(SECCOMP_RET_ERRNO | EPERM),
                CONFINE_RETURN(SECCOMP_RET_ERRNO | ENOSYS),
                CONFINE_LOAD(args[0]),
                CONFINE_IF(BPF_JEQ, (uint32_t)socket, 0, 1),
                CONFINE_RETURN(SECCOMP_RET_ALLOW),
                CONFINE_RETURN(SECCOMP_RET_KILL_PROCESS),
                /* A private map goes on with the verdict below. */
                CONFINE_LOAD(args[3]),
                BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_TYPE),
                CONFINE_IF(BPF_JEQ, MAP_PRIVATE, 1, 0),
                CONFINE_RETURN(SECCOMP_RET_KILL_PROCESS),
                CONFINE_LOAD(args[2]),
                CONFINE_IF(BPF_JSET, PROT_EXEC, 1, 0),
                CONFINE_RETURN(SECCOMP_RET_ALLOW),
                CONFINE_RETURN(SECCOMP_RET_KILL_PROCESS),
                CONFINE_LOAD(args[0]),
                CONFINE_IF(BPF_JSET, CLONE_THREAD, 0, 1),
                CONFINE_RETURN(SECCOMP_RET_ALLOW),
                CONFINE_RETURN(SECCOMP_RET_KILL_PROCESS),
        };

        p->verdicts = p->n;
        memcpy(p->code + p->n, verdicts, sizeof(verdicts));
        p->n += sizeof(verdicts) / sizeof(*verdicts);
}

/* The search among ranges [first, end), at least one.  Where it begins. */
static unsigned confine_search(struct confine_program *p, unsigned first, unsigned end)
{
        unsigned middle = first + (end - first) / 2, at, below, above;

        if (end - first == 1)
                return p->verdicts +
                       confine_at[p->ranges[first] < CONFINE_CALLS ? confine_calls[p->ranges[first]] : CONFINE_KILL];
        at = p->n++;
        below = confine_search(p, first, middle);
        above = confine_search(p, middle, end);
        p->code[at] = (struct sock_filter)CONFINE_IF(BPF_JGE, p->ranges[middle], (uint8_t)(above - at - 1),
                                                     (uint8_t)(below - at - 1));
        return at;
}

static int confine_filter(int socket)
{
        const struct sock_filter head[] = {
                CONFINE_LOAD(arch),
                CONFINE_IF(BPF_JEQ, CONFINE_ARCH, 1, 0),
                CONFINE_RETURN(SECCOMP_RET_KILL_PROCESS),
                CONFINE_LOAD(nr),
        };
        struct confine_program p = {};
        struct sock_fprog program = { .filter = p.code };

        for (unsigned i = 0; i <= CONFINE_CALLS; i++)
                if (i == 0 || i == CONFINE_CALLS || confine_calls[i] != confine_calls[i - 1])
                        p.ranges[p.n_ranges++] = (uint16_t)i;
        memcpy(p.code, head, sizeof(head));
        /* A search among n has n - 1 questions. */
        p.n = sizeof(head) / sizeof(*head) + p.n_ranges - 1;
        if (p.n + CONFINE_VERDICTS > UINT8_MAX)
                return -E2BIG;
        confine_add_verdicts(&p, socket);
        program.len = (unsigned short)p.n;
        p.n = sizeof(head) / sizeof(*head);
        confine_search(&p, 0, p.n_ranges);
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? -errno : 0;
}

int lsr_confine(int socket)
{
        const int results[] = {
                confine_limits(),
                prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ? -errno : 0,
                prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0,
                prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0,
                confine_filter(socket),
        };

        for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
                if (results[i] < 0)
                        return results[i];
        return 0;
}
