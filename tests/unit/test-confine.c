/*
 * What a confined process can still do.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "worker/confine.h"

#ifdef __SANITIZE_ADDRESS__
#define CONFINE_BUILT false
#else
#define CONFINE_BUILT true
#endif

/* What @act says of itself in a confined process: its exit status, or minus the signal that killed it. */
static int confined(int (*act)(int socket))
{
        int fds[2], status;
        pid_t pid;

        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        pid = fork();
        if (pid == 0) {
                if (lsr_confine_process(0, UINT64_MAX, (uint64_t)64 << 20) < 0 || lsr_confine(fds[1]) < 0)
                        _exit(99);
                _exit(act(fds[1]));
        }
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        close(fds[0]);
        close(fds[1]);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int act_open(int socket)
{
        (void)socket;
        return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0;
}

static int act_stat(int socket)
{
        struct stat st;

        (void)socket;
        return stat("/etc/passwd", &st) < 0 ? errno : 0;
}

static int act_socket(int fd)
{
        (void)fd;
        return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int act_execute(int fd)
{
        (void)fd;
        return execl("/bin/true", "true", (char *)NULL) < 0 ? errno : 0;
}

static int act_fork(int fd)
{
        (void)fd;
        return fork() < 0 ? errno : 0;
}

static int act_write(int fd)
{
        (void)fd;
        return write(STDERR_FILENO, "", 1) < 0 ? errno : 0;
}

static int act_send_elsewhere(int fd)
{
        struct msghdr msg = {};

        return syscall(SYS_sendmsg, fd - 1, &msg, 0) < 0 ? errno : 0;
}

static int act_kill(int fd)
{
        (void)fd;
        return kill(getppid(), 0) < 0 ? errno : 0;
}

static int act_map_code(int fd)
{
        (void)fd;
        return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}

static int act_unmask_code(int fd)
{
        void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        (void)fd;
        return mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0 ? errno : 0;
}

/* A file that could be written to, as standard input can be: made before the process is confined. */
static int writable_file = -1;

static int act_map_shared(int fd)
{
        (void)fd;
        return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writable_file, 0) == MAP_FAILED ? errno : 0;
}

/* One that mprotect() could make writable: to refuse that would be to refuse what malloc() does. */
static int act_map_shared_to_read(int fd)
{
        (void)fd;
        return mmap(NULL, 4096, PROT_READ, MAP_SHARED, writable_file, 0) == MAP_FAILED ? errno : 0;
}

static int act_map_shared_validated(int fd)
{
        (void)fd;
        return mmap(NULL, 4096, PROT_READ, MAP_SHARED_VALIDATE, writable_file, 0) == MAP_FAILED ? errno : 0;
}

static int act_map_private(int fd)
{
        char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, writable_file, 0);

        (void)fd;
        if (p == MAP_FAILED)
                return errno;
        p[0] = '!';
        return 42;
}

static int act_memory(int fd)
{
        uint64_t size = lsr_limit(LSR_LIMIT_MEMORY_MOST) + ((uint64_t)128 << 20);
        /* Reserved but never touched; volatile, or a compiler may take it for had. */
        void *volatile p = size <= SIZE_MAX ? malloc((size_t)size) : NULL;

        (void)fd;
        return p ? 0 : EPERM;
}

static int act_ring(int fd)
{
        char params[128] = {};

        (void)fd;
        return syscall(SYS_io_uring_setup, 8, params) < 0 ? errno : 0;
}

static void *act_thread_run(void *arg)
{
        return arg;
}

static int act_thread(int fd)
{
        pthread_t thread;
        void *result;
        int token;

        (void)fd;
        if (pthread_create(&thread, NULL, act_thread_run, &token) != 0 || pthread_join(thread, &result) != 0)
                return 1;
        return result == &token ? 42 : 2;
}

static long call_number;

static int act_call(int fd)
{
        (void)fd;
        /*
         * No address, no descriptor; as the third and the fourth argument nothing that maps code, or what others have.
         */
        return syscall(call_number, -1L, -1L, 0L, (long)MAP_PRIVATE, -1L, -1L) < 0 ? errno : 0;
}

static int act_send(int fd)
{
        struct iovec iov = { (char[2]){ "x" }, 1 };
        struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

        return syscall(SYS_sendmsg, fd, &msg, MSG_NOSIGNAL) == 1 ? 42 : errno;
}

Test(confine, leaves_little)
{
        static int (*const acts[])(int) = {
                act_open,           act_stat,       act_socket,
                act_execute,        act_fork,       act_write,
                act_send_elsewhere, act_kill,       act_map_code,
                act_unmask_code,    act_map_shared, act_map_shared_to_read,
                act_memory,         act_ring,       act_map_shared_validated,
        };
        char text = 'a';

        if (!CONFINE_BUILT)
                cr_skip_test("built with a sanitizer");
        writable_file = memfd_create("test", MFD_CLOEXEC);
        cr_assert_eq(write(writable_file, &text, 1), 1);
        for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++) {
                int r = confined(acts[i]);

                cr_assert(r == EPERM || r == -SIGSYS, "act %zu: %d", i, r);
        }
        cr_assert_eq(confined(act_thread), 42);
        cr_assert_eq(confined(act_send), 42);
        cr_assert_eq(confined(act_map_private), 42);
        cr_assert_eq(pread(writable_file, &text, 1, 0), 1);
        cr_assert_eq(text, 'a');
}

/* What changes a file by its descriptor is not there at all. */
Test(confine, writes_nothing)
{
        static const long writing[] = {
                SYS_pwrite64,
                SYS_pwritev,
                SYS_pwritev2,
                SYS_sendfile,
                SYS_splice,
                SYS_tee,
                SYS_vmsplice,
                SYS_copy_file_range,
                SYS_ftruncate,
                SYS_fallocate,
                SYS_fsetxattr,
                SYS_fremovexattr,
                SYS_fchmod,
                SYS_fchown,
                SYS_utimensat,
                SYS_sync_file_range,
                SYS_io_submit,
                SYS_io_uring_setup,
                SYS_shmat,
                SYS_shmget,
                SYS_remap_file_pages,
                SYS_process_vm_writev,
                SYS_pkey_mprotect,
                SYS_memfd_create,
                SYS_linkat,
        };

        if (!CONFINE_BUILT)
                cr_skip_test("built with a sanitizer");
        for (size_t i = 0; i < sizeof(writing) / sizeof(*writing); i++) {
                call_number = writing[i];
                cr_assert_eq(confined(act_call), -SIGSYS, "call %ld", call_number);
        }
}

/* ---- every call, by its number ---- */

static bool call_is_among(long number, const long *numbers, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (numbers[i] == number)
                        return true;
        return false;
}

#define AMONG(number, list) call_is_among(number, list, sizeof(list) / sizeof(*(list)))

/* The lists are written down a second time: what a confined process may do changes in two places or not at all. */
Test(confine, every_call)
{
        static const long allowed[] = {
                SYS_read,
                SYS_pread64,
                SYS_preadv,
                SYS_lseek,
                SYS_close,
                SYS_fstat,
                SYS_io_uring_enter,
                SYS_io_uring_register,
                SYS_munmap,
                SYS_mremap,
                SYS_brk,
                SYS_madvise,
                451,
                SYS_futex,
                SYS_set_robust_list,
                SYS_rseq,
                SYS_rt_sigprocmask,
                SYS_sigaltstack,
                SYS_restart_syscall,
                SYS_gettid,
                SYS_getpid,
                SYS_sched_yield,
                SYS_sched_getaffinity,
                SYS_clock_gettime,
                SYS_clock_nanosleep,
                SYS_getrandom,
#ifdef SYS_mmap2
                SYS_mmap2,
                SYS__llseek,
                SYS_futex_time64,
                SYS_clock_gettime64,
                SYS_clock_nanosleep_time64,
#else
                SYS_mmap,
#endif
                SYS_mprotect,
                SYS_clone,
#ifdef SYS_poll
                SYS_poll,
#else
                SYS_ppoll,
#endif
        };
        static const long refused[] = {
                SYS_openat,       SYS_faccessat,  SYS_faccessat2, SYS_statx,
#ifdef SYS_newfstatat
                SYS_newfstatat,
#endif
                SYS_readlinkat,   SYS_getcwd,     SYS_ioctl,      SYS_fcntl,     SYS_write,     SYS_writev,
                SYS_uname,        SYS_sysinfo,    SYS_getrusage,  SYS_prctl,     SYS_prlimit64, SYS_getuid,
                SYS_geteuid,      SYS_getgid,     SYS_getegid,    SYS_tgkill,    SYS_fadvise64, SYS_sched_setscheduler,
                SYS_rt_sigaction, SYS_membarrier,
#ifdef SYS_open
                SYS_open,         SYS_access,     SYS_stat,       SYS_lstat,     SYS_readlink,
#endif
#ifdef SYS_mmap2
                SYS_fstatat64,    SYS_fstat64,    SYS_stat64,     SYS_lstat64,   SYS_fcntl64,   SYS_fadvise64_64,
                SYS_getuid32,     SYS_geteuid32,  SYS_getgid32,   SYS_getegid32,
#endif
        };
        /* Some do not return, or not to here; no filter is asked about uretprobe and uprobe of x86. */
        static const long odd[] = {
                SYS_exit,
                SYS_exit_group,
                SYS_rt_sigreturn,
#ifdef SYS_sigreturn
                SYS_sigreturn,
#endif
                335,
                336,
        };

        if (!CONFINE_BUILT)
                cr_skip_test("built with a sanitizer");
        for (call_number = 0; call_number < 700; call_number++) {
                int r;

                if (AMONG(call_number, odd))
                        continue;
                r = confined(act_call);
                if (AMONG(call_number, allowed))
                        cr_assert(r >= 0 && r != EPERM && r != 99, "call %ld: %d", call_number, r);
                else if (AMONG(call_number, refused))
                        cr_assert_eq(r, EPERM, "call %ld: %d", call_number, r);
                else if (call_number == SYS_clone3)
                        cr_assert_eq(r, ENOSYS, "call %ld: %d", call_number, r);
                else
                        cr_assert_eq(r, -SIGSYS, "call %ld: %d", call_number, r);
        }
#ifdef __x86_64__
        /* The calls of x32. */
        call_number = 0x40000000 + SYS_read;
        cr_assert_eq(confined(act_call), -SIGSYS);
#endif
}

/* Memory is limited in proportion to the file, and so is time. */
Test(confine, limits_by_size)
{
        static const struct {
                uint64_t size, memory, seconds;
        } cases[] = {
                { 0, (uint64_t)1 << 30, 60 },
                { (uint64_t)1 << 20, (uint64_t)1280 << 20, 64 },
                { (uint64_t)1 << 40, (uint64_t)4 << 30, 60 + (4 << 20) },
                { UINT64_MAX, (uint64_t)4 << 30, 0 },
        };

        if (!CONFINE_BUILT)
                cr_skip_test("built with a sanitizer");
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct rlimit before, limit;
                pid_t pid = fork();

                if (pid == 0) {
                        pause();
                        _exit(0);
                }
                cr_assert_eq(lsr_confine_process(pid, cases[i].size, 0), 0);
                cr_assert_eq(prlimit(pid, RLIMIT_DATA, NULL, &limit), 0);
                cr_expect_eq(limit.rlim_cur, cases[i].memory, "%zu: %llu", i, (unsigned long long)limit.rlim_cur);
                cr_assert_eq(getrlimit(RLIMIT_CPU, &before), 0);
                cr_assert_eq(prlimit(pid, RLIMIT_CPU, NULL, &limit), 0);
                cr_expect_eq(limit.rlim_cur, cases[i].seconds ? cases[i].seconds : before.rlim_cur, "%zu: %llu", i,
                             (unsigned long long)limit.rlim_cur);
                kill(pid, SIGKILL);
                waitpid(pid, NULL, 0);
        }
}

static void *volatile bomb_block;

/* Takes memory until there is no more. */
static int bomb_memory(void)
{
        for (int n = 0; n < 64; n++) {
                bomb_block = malloc((size_t)64 << 20);
                if (!bomb_block)
                        return n;
        }
        return 99;
}

static int bomb_time(void)
{
        while (!bomb_block)
                bomb_block = NULL;
        return 99;
}

/* The status of a process that runs @bomb below the limits for a file without content, and below @seconds. */
static int bombed(int (*bomb)(void), rlim_t seconds)
{
        int fds[2], status;
        char byte;
        pid_t pid;

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        pid = fork();
        if (pid == 0) {
                setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds + 1 });
                _exit(read(fds[0], &byte, 1) == 1 ? bomb() : 98);
        }
        cr_assert_eq(lsr_confine_process(pid, 0, 0), 0);
        cr_assert_eq(write(fds[1], "", 1), 1);
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        close(fds[0]);
        close(fds[1]);
        return status;
}

Test(confine, stops_bombs)
{
        int status;

        if (!CONFINE_BUILT)
                cr_skip_test("built with a sanitizer");
        status = bombed(bomb_memory, 60);
        cr_assert(WIFEXITED(status));
        /* 1 GiB, of which the process has something already. */
        cr_assert(WEXITSTATUS(status) >= 13 && WEXITSTATUS(status) <= 16, "%d", WEXITSTATUS(status));
        status = bombed(bomb_time, 1);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU, "%x", (unsigned)status);
}
