/*
 * old-kernel - run a command as an older kernel would, or a container
 *
 *      old-kernel KERNEL COMMAND...
 *      old-kernel --list
 *
 * A seccomp filter answers what that kernel would answer to a call which it does not have: by number, as new calls get
 * higher ones (syscalls(2) has their versions), and where a known call got new operations by its argument.  Above
 * rseq, of 4.18, numbers are the same on all 64-bit machines.  What lies in memory a filter does not see: the flags of
 * a ring that is made, and the requests on it, which tests/unit/test-uring.c has.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAST 0x3fffffff /* of x86-64; calls of x32 lie above */
#define PROGRAM_MAX 512
#define NAMESPACES \
        (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)

/* Calls from @first to @last fail; with @bits or @least only if argument @arg has one of these, or is not below. */
struct rule {
        const char *kernel;
        unsigned first, last;
        int error;
        unsigned arg, bits, least;
};

static const struct rule rules[] = {
        { "4.19", SYS_rseq + 1, LAST, ENOSYS },
        { "4.19", SYS_madvise, SYS_madvise, EINVAL, 2, 0, 20 }, /* MADV_COLD is of 5.4 */
        { "4.19", SYS_memfd_create, SYS_memfd_create, EINVAL, 1, 0x18, 0 },

        { "5.4", 436, LAST, ENOSYS },                          /* clone3 is 435, close_range of 5.9 is 436 */
        { "5.4", SYS_madvise, SYS_madvise, EINVAL, 2, 0, 22 }, /* MADV_POPULATE_READ is of 5.14 */
        { "5.4", SYS_memfd_create, SYS_memfd_create, EINVAL, 1, 0x18, 0 },
        { "5.4", SYS_io_uring_register, SYS_io_uring_register, EINVAL, 1, 0, 6 }, /* FILES_UPDATE is of 5.5 */

        { "5.15", 449, LAST, ENOSYS }, /* process_mrelease is 448, futex_waitv of 5.16 is 449 */
        { "5.15", SYS_madvise, SYS_madvise, EINVAL, 2, 0, 24 },
        { "5.15", SYS_memfd_create, SYS_memfd_create, EINVAL, 1, 0x18, 0 },
        { "5.15", SYS_io_uring_register, SYS_io_uring_register, EINVAL, 1, 0, 20 }, /* RING_FDS is of 5.18 */

        /* kernel.io_uring_disabled is 2 for all, and 1 for those without CAP_SYS_ADMIN. */
        { "no-ring", SYS_io_uring_setup, SYS_io_uring_setup, EPERM },

        /* gVisor's table of calls: what is not in it is ENOSYS, and its rings are off by default. */
        { "gvisor", SYS_io_uring_setup, SYS_io_uring_register, ENOSYS },
        { "gvisor", 440, 440, ENOSYS },
        { "gvisor", 442, LAST, ENOSYS },
        { "gvisor", SYS_copy_file_range, SYS_copy_file_range, ENOSYS },
        { "gvisor", SYS_name_to_handle_at, SYS_open_by_handle_at, EOPNOTSUPP },
        { "gvisor", SYS_userfaultfd, SYS_userfaultfd, ENOSYS },
        { "gvisor", SYS_perf_event_open, SYS_perf_event_open, ENODEV },
        { "gvisor", SYS_preadv2, SYS_preadv2, EOPNOTSUPP, 5, ~0u, 0 },
        { "gvisor", SYS_pwritev2, SYS_pwritev2, EOPNOTSUPP, 5, ~0u, 0 },

        /* Docker's default profile since 25: what it does not name is EPERM, what libseccomp does not know ENOSYS. */
        { "docker", SYS_io_uring_setup, SYS_io_uring_register, EPERM },
        { "docker", SYS_clone3, SYS_clone3, ENOSYS },
        { "docker", SYS_clone, SYS_clone, EPERM, 0, NAMESPACES, 0 },
        { "docker", SYS_unshare, SYS_unshare, EPERM },
        { "docker", SYS_bpf, SYS_bpf, EPERM },
        { "docker", SYS_perf_event_open, SYS_perf_event_open, EPERM },
        { "docker", SYS_userfaultfd, SYS_userfaultfd, EPERM },
        { "docker", 451, LAST, ENOSYS },

        /* Before runc 1.0 and libseccomp 2.5 all that was not known was EPERM. */
        { "docker-2020", SYS_rseq, LAST, EPERM },
        { "docker-2020", SYS_clone, SYS_clone, EPERM, 0, NAMESPACES, 0 },
        { "docker-2020", SYS_unshare, SYS_unshare, EPERM },
        { "docker-2020", SYS_ptrace, SYS_ptrace, EPERM },

        /* Podman's: unshare is allowed, and what is not known is ENOSYS. */
        { "podman", SYS_io_uring_setup, SYS_io_uring_register, ENOSYS },
        { "podman", SYS_bpf, SYS_bpf, EPERM },
        { "podman", SYS_perf_event_open, SYS_perf_event_open, EPERM },
        { "podman", 451, LAST, ENOSYS },

        /* What lsr can do without, all at once. */
        { "bare", SYS_rseq + 1, LAST, ENOSYS },
        { "bare", SYS_madvise, SYS_madvise, EINVAL },
        { "bare", SYS_copy_file_range, SYS_copy_file_range, ENOSYS },
        { "bare", SYS_fallocate, SYS_fallocate, EOPNOTSUPP },
        { "bare", SYS_unshare, SYS_unshare, EPERM },
        { "bare", SYS_fadvise64, SYS_fadvise64, ENOSYS },
        { "bare", SYS_sched_setaffinity, SYS_sched_setaffinity, EPERM },
};

#define N_RULES (sizeof(rules) / sizeof(*rules))

static struct sock_filter program[PROGRAM_MAX];
static unsigned short program_n;

static void put(unsigned code, unsigned char yes, unsigned char no, unsigned k)
{
        program[program_n++] = (struct sock_filter){ (unsigned short)code, yes, no, k };
}

static void put_rule(const struct rule *r)
{
        bool looks = r->bits || r->least;

        put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
        put(BPF_JMP | BPF_JGE | BPF_K, 0, looks ? 4 : 2, r->first);
        put(BPF_JMP | BPF_JGT | BPF_K, looks ? 3 : 1, 0, r->last);
        if (looks) {
                put(BPF_LD | BPF_W | BPF_ABS, 0, 0,
                    (unsigned)(offsetof(struct seccomp_data, args) + r->arg * sizeof(__u64)));
                put(BPF_JMP | (r->bits ? BPF_JSET : BPF_JGE) | BPF_K, 0, 1, r->bits ? r->bits : r->least);
        }
        put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | (unsigned)r->error);
}

int main(int argc, char **argv)
{
        struct sock_fprog filter = { .filter = program };

        if (argc == 2 && strcmp(argv[1], "--list") == 0) {
                for (size_t i = 0; i < N_RULES; i++)
                        if (i == 0 || strcmp(rules[i].kernel, rules[i - 1].kernel) != 0)
                                puts(rules[i].kernel);
                return 0;
        }
        for (size_t i = 0; i < N_RULES && argc > 2; i++)
                if (strcmp(rules[i].kernel, argv[1]) == 0)
                        put_rule(&rules[i]);
        if (!program_n) {
                fprintf(stderr, "usage: old-kernel KERNEL COMMAND..., or --list\n");
                return 125;
        }
        put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
        filter.len = program_n;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
                perror("old-kernel");
                return 125;
        }
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        return 125;
}
