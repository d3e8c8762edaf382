/*
 * The io_uring engine while it waits: signals, the submitting task asleep, streams, and what must not be waited for.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "io/stream.h"
#include "ring-world.h"

/* ---- signals ---- */

/* What a wait was for has come when a signal ends it: there is nothing more to wait for. */
RING_TEST(signals_end_waits)
{
        struct lsr_io *io = engine_open("uring");
        char text[8];
        struct lsr_op_data file = { .buf = text, .cap = sizeof(text) };
        struct lsr_op op = op_data(LSR_OP_READ_FILE, ring_dirfd, "p", &file);
        unsigned waits = 0;

        for (unsigned round = 0; round < 5; round++) {
                ring_interrupts = UINT32_MAX;
                ring_batch(io, 300, 7);
                cr_assert_eq(lsr_io_run(io, &op, 1), 0);
                waits += UINT32_MAX - ring_interrupts;
        }
        cr_assert_gt(waits, 0);
        lsr_io_free(io);
}

static void *ring_write_late(void *fd)
{
        for (int i = 0; i < 3; i++) {
                usleep(20000);
                cr_assert_eq(write(*(int *)fd, "ab", 2), 2);
        }
        close(*(int *)fd);
        return NULL;
}

RING_TEST(signals_end_waits_of_streams)
{
        struct lsr_io *io = engine_open("uring");
        struct lsr_stream *s;
        const uint8_t *data;
        pthread_t thread;
        size_t sum = 0;
        ssize_t n;
        int fds[2];

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        ring_interrupts = UINT32_MAX;
        cr_assert_eq(lsr_stream_new(&s, io, fds[0], 0, 100), 0);
        cr_assert_eq(pthread_create(&thread, NULL, ring_write_late, &fds[1]), 0);
        while ((n = lsr_stream_next(s, &data)) > 0)
                sum += (size_t)n;
        cr_assert_eq(n, 0);
        cr_assert_eq(sum, 6);
        pthread_join(thread, NULL);
        lsr_stream_free(s);
        lsr_io_free(io);
        close(fds[0]);
}

/* ---- the submitting task sleeps ---- */

static unsigned ring_clones;
static int ring_clone_error;
static bool ring_clone_nothing; /* as if the child had not run when the call returns */

int __real_clone(int (*run)(void *), void *stack, int flags, void *arg, ...);
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *arg, ...);

int __wrap_clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
        ring_clones++;
        if (ring_clone_error) {
                errno = ring_clone_error;
                return -1;
        }
        return ring_clone_nothing ? 1 : __real_clone(run, stack, flags, arg);
}

static int ring_clone_child(void *arg)
{
        return 0;
}

/* Many wait asleep, few do not; one named depth is for few calls. */
RING_TEST(many_wait_asleep)
{
        static char stack[4096] __attribute__((aligned(64)));
        static const char *const engines[] = { "uring", "uring:sleep=1", "uring:depth=512,sleep=1" };
        const int flags = CLONE_VM | CLONE_VFORK | CLONE_THREAD | CLONE_SIGHAND;

        if (__real_clone(ring_clone_child, stack + sizeof(stack), flags, NULL) < 0)
                cr_skip_test("clone() makes no threads, as with musl");
        for (unsigned i = 0; i < 3; i++) {
                struct lsr_io *io = engine_open(engines[i]);
                unsigned before = ring_clones;

                ring_batch(io, RING_NAMES, 64);
                cr_assert_gt(ring_clones, before, "%s", engines[i]);
                cr_assert_eq(lsr_io_stats(io)->ring_ops, RING_NAMES);
                before = ring_clones;
                ring_batch(io, 300, 0);
                /* What has ended by itself is not waited for. */
                for (unsigned tries = 0; i > 0 && ring_clones == before && tries < 100; tries++)
                        ring_batch(io, 300, 0);
                cr_assert_eq(ring_clones > before, i > 0, "%s", engines[i]);
                lsr_io_free(io);
        }
        ring_clones = 0;
        for (unsigned i = 0; i < 2; i++) {
                struct lsr_io *io = engine_open(i ? "uring:depth=512" : "uring:sleep=2");

                ring_batch(io, RING_NAMES, 0);
                cr_assert_eq(ring_clones, 0);
                lsr_io_free(io);
        }
}

/* Refused, or by something that does not know what a vfork is: not tried again, and nothing is missing. */
static void ring_sleepless(void)
{
        struct lsr_io *io = engine_open("uring:sleep=1");

        ring_clones = 0;
        for (unsigned round = 0; round < 3; round++)
                ring_batch(io, RING_NAMES, round * 32);
        cr_assert_eq(ring_clones, 1);
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 3 * RING_NAMES);
        lsr_io_free(io);
}

RING_TEST(sleep_is_refused)
{
        static const int errors[] = { EPERM, EINVAL, ENOSYS, EAGAIN, ENOMEM };

        for (unsigned i = 0; i < 5; i++) {
                ring_clone_error = errors[i];
                ring_sleepless();
        }
        ring_clone_error = 0;
        ring_clone_nothing = true;
        ring_sleepless();
}

static volatile sig_atomic_t ring_signals;

static void ring_on_signal(int number)
{
        (void)number;
        ring_signals++;
}

/* Signals that are handled come while it sleeps, and others of children. */
RING_TEST(signals_in_sleep)
{
        struct lsr_io *io = engine_open("uring:depth=128,chain=8,sleep=1");
        const struct itimerval often = { { 0, 500 }, { 0, 500 } };

        signal(SIGALRM, ring_on_signal);
        signal(SIGCHLD, ring_on_signal);
        cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
        for (unsigned round = 0; round < 100 && ring_signals < 50; round++) {
                pid_t pid = round % 10 ? -1 : fork();

                if (pid == 0)
                        _exit(0);
                ring_batch(io, 1000, 16);
        }
        cr_assert_eq(setitimer(ITIMER_REAL, &(struct itimerval){}, NULL), 0);
        cr_assert_gt(ring_signals, 0);
        cr_assert_gt(ring_clones, 0);
        lsr_io_free(io);
}

/* It stops, goes on and ends as the terminal asks, whatever it does at that moment. */
Test(uring, stops_goes_on_and_ends, .init = ring_setup, .fini = ring_teardown, .timeout = 240)
{
        static const int last[] = { SIGINT, SIGTERM, SIGHUP, SIGKILL };
        int status, fds[2];

        lsr_io_free(engine_open("uring"));
        for (unsigned i = 0; i < 4; i++) {
                pid_t pid;
                char c;

                cr_assert_eq(pipe(fds), 0);
                pid = fork();
                if (pid == 0) {
                        struct lsr_io *io;

                        /* It is not left behind when the test runs out of time. */
                        prctl(PR_SET_PDEATHSIG, SIGKILL);
                        close(fds[0]);
                        /* Who started the test may ignore them: nohup does. */
                        for (unsigned k = 0; k < 3; k++)
                                signal(last[k], SIG_DFL);
                        io = engine_open("uring:depth=128,chain=8,sleep=1");
                        setpgid(0, 0);
                        for (;;) {
                                ring_batch(io, 512, 64);
                                if (write(fds[1], "", 1) != 1)
                                        _exit(1);
                        }
                }
                cr_assert_gt(pid, 0);
                for (unsigned round = 0; round < 4; round++) {
                        for (unsigned batches = 0; batches < 2; batches++)
                                cr_assert_eq(read(fds[0], &c, 1), 1);
                        kill(pid, round % 2 ? SIGTSTP : SIGTTOU);
                        cr_assert_eq(waitpid(pid, &status, WUNTRACED), pid);
                        cr_assert(WIFSTOPPED(status));
                        kill(pid, SIGCONT);
                }
                kill(pid, last[i]);
                cr_assert_eq(waitpid(pid, &status, 0), pid);
                cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == last[i], "status %x", (unsigned)status);
                close(fds[0]);
                close(fds[1]);
        }
}

/* ---- streams ---- */

enum { RING_STREAM = 40 << 18 }; /* forty pieces */

static uint8_t ring_byte(uint64_t at)
{
        return (uint8_t)(at % 251);
}

static int ring_stream_file(void)
{
        int fd = openat(ring_dirfd, "stream", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        uint8_t *data = malloc(RING_STREAM);

        for (uint64_t i = 0; i < RING_STREAM; i++)
                data[i] = ring_byte(i);
        cr_assert_eq(write(fd, data, RING_STREAM), RING_STREAM);
        free(data);
        return fd;
}

/* Bytes that came and were right before the end or an error. */
static uint64_t ring_stream(struct lsr_io *io, int fd, ssize_t *ret_last)
{
        struct lsr_stream *s;
        const uint8_t *data;
        uint64_t at = 0;

        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, RING_STREAM), 0);
        while ((*ret_last = lsr_stream_next(s, &data)) > 0)
                for (ssize_t i = 0; i < *ret_last; i++, at++)
                        cr_assert_eq(data[i], ring_byte(at), "byte %llu", (unsigned long long)at);
        lsr_stream_free(s);
        return at;
}

RING_TEST(streams)
{
        struct lsr_io *io = engine_open("uring");
        int fd = ring_stream_file();
        ssize_t last;

        ring_part = ring_one;
        for (unsigned round = 0; round < 3; round++) {
                cr_assert_eq(ring_stream(io, fd, &last), RING_STREAM);
                cr_assert_eq(last, 0);
        }
        lsr_io_free(io);
        /* A ring that fails gives back the buffers; later streams fail and no more than that. */
        for (unsigned from = 1; from < 12; from++) {
                io = engine_open("uring");
                ring_fails_from = ring_calls + from;
                ring_fails_to = UINT32_MAX;
                ring_error = -EINVAL;
                cr_assert_lt(ring_stream(io, fd, &last), RING_STREAM);
                cr_assert_eq(last, -EINVAL);
                cr_assert_eq(ring_stream(io, fd, &last), 0);
                cr_assert_eq(last, -EINVAL);
                lsr_io_free(io);
        }
        close(fd);
}

/* ---- what must not be waited for ---- */

/* A FIFO with a silent writer, also where a file was when somebody looked. */
RING_TEST(silent_fifos)
{
        static const char *const engines[] = { "sync", "threads", "uring" };
        char buf[3][32];
        int writer;

        cr_assert_eq(mkfifoat(ring_dirfd, "fifo", 0600), 0);
        writer = openat(ring_dirfd, "fifo", O_RDWR | O_CLOEXEC);
        cr_assert_geq(writer, 0);
        for (unsigned i = 0; i < 3; i++) {
                struct lsr_io *io = engine_open(engines[i]);
                struct lsr_op_data files[3] = {
                        { .buf = buf[0], .cap = 32 },
                        { .buf = buf[1], .cap = 32, .size = 5 },
                        { .buf = buf[2], .cap = 32, .ends = true },
                };
                struct lsr_op ops[3];

                for (unsigned f = 0; f < 3; f++)
                        ops[f] = op_data(LSR_OP_READ_FILE, ring_dirfd, "fifo", &files[f]);
                cr_assert_eq(lsr_io_run(io, ops, 3), 0);
                for (unsigned f = 0; f < 3; f++)
                        cr_assert_eq(files[f].ret, -EAGAIN, "%s: %zd", engines[i], files[f].ret);
                lsr_io_free(io);
        }
        close(writer);
}
