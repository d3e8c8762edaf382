/*
 * Streams, reads at offsets and the sealed ring, through every engine.
 *
 * Every byte of a scratch file follows from its offset, so that what a stream
 * gives is checked against no second reading.  Long, as all parts of it stand
 * on the same few helpers.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/read.h"
#include "io/ring.h"
#include "io/stream.h"

#define PIECE ((uint64_t)256 << 10)
#define MANY (10 * PIECE + 77)

static uint8_t stream_byte(uint64_t offset)
{
        return (uint8_t)((offset * 2654435761u >> 13) ^ offset >> 18);
}

static int stream_file(uint64_t size)
{
        char path[] = "/tmp/lsr-test-stream-XXXXXX";
        int fd = mkstemp(path);
        uint8_t buf[65536];

        cr_assert_geq(fd, 0);
        unlink(path);
        for (uint64_t at = 0; at < size;) {
                size_t n = size - at < sizeof(buf) ? (size_t)(size - at) : sizeof(buf);

                for (size_t i = 0; i < n; i++)
                        buf[i] = stream_byte(at + i);
                cr_assert_eq(write(fd, buf, n), (ssize_t)n);
                at += n;
        }
        return fd;
}

static struct lsr_io *stream_io(const char *engine)
{
        struct lsr_io *io = NULL;
        int r = lsr_io_new(&io, engine);

        if (r == 0)
                r = lsr_io_require(io);
        if (r < 0 && strstr(engine, "uring")) {
                lsr_io_free(io);
                cr_skip_test("io_uring is refused here: %s", strerror(-r));
        }
        cr_assert_eq(r, 0, "%s: %s", engine, strerror(-r));
        return io;
}

static void stream_check(const uint8_t *data, size_t n, uint64_t at)
{
        for (size_t i = 0; i < n; i++)
                if (data[i] != stream_byte(at + i))
                        cr_assert_fail("byte %lu is wrong", (unsigned long)(at + i));
}

/* Bytes from @at on until the end or @limit; failures are retried if @failures is not NULL. */
static uint64_t stream_run(struct lsr_stream *s, uint64_t at, uint64_t limit, unsigned *failures)
{
        uint64_t sum = 0;
        const uint8_t *data;
        ssize_t n;

        while (sum < limit && (n = lsr_stream_next(s, &data)) != 0) {
                if (n < 0 && failures) {
                        ++*failures;
                        continue;
                }
                cr_assert_gt(n, 0, "%s", strerror((int)-n));
                stream_check(data, (size_t)n, at + sum);
                sum += (uint64_t)n;
        }
        return sum;
}

static uint64_t stream_all(struct lsr_io *io, int fd, uint64_t offset, uint64_t end)
{
        struct lsr_stream *s;
        const uint8_t *data;
        uint64_t sum;

        cr_assert_eq(lsr_stream_new(&s, io, fd, offset, end), 0);
        sum = stream_run(s, offset, UINT64_MAX, NULL);
        cr_assert_eq(lsr_stream_next(s, &data), 0, "goes on behind the end");
        cr_assert_null(lsr_stream_free(s));
        return sum;
}

#define STREAM_TEST(what)                              \
        static void stream_##what(const char *engine); \
        Test(stream, what##_sync)                      \
        {                                              \
                stream_##what("sync");                 \
        }                                              \
        Test(stream, what##_threads)                   \
        {                                              \
                stream_##what("threads");              \
        }                                              \
        Test(stream, what##_uring)                     \
        {                                              \
                stream_##what("uring");                \
        }                                              \
        Test(stream, what##_auto)                      \
        {                                              \
                stream_##what("auto");                 \
        }                                              \
        static void stream_##what(const char *engine)

/* Each size with its end known, unknown and expected too far away; one engine for all. */
STREAM_TEST(sizes)
{
        static const uint64_t sizes[] = { 0, 1, 4095, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 4 * PIECE, MANY };
        struct lsr_io *io = stream_io(engine);
        uint64_t before;

        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                int fd = stream_file(sizes[i]);

                before = lsr_io_stats(io)->bytes_read;
                cr_assert_eq(lseek(fd, 3, SEEK_SET), 3);
                cr_assert_eq(stream_all(io, fd, 0, sizes[i]), sizes[i]);
                cr_assert_eq(lsr_io_stats(io)->bytes_read - before, sizes[i]);
                cr_assert_eq(stream_all(io, fd, 0, LSR_STREAM_END), sizes[i]);
                cr_assert_eq(stream_all(io, fd, 0, sizes[i] + 3 * PIECE), sizes[i]);
                cr_assert_eq(lseek(fd, 0, SEEK_CUR), 3, "the position moved");
                close(fd);
        }
        lsr_io_free(io);
}

STREAM_TEST(ranges)
{
        static const uint64_t ranges[][2] = { { 5, 5 },
                                              { 5, 6 },
                                              { 1, PIECE },
                                              { PIECE - 1, PIECE + 1 },
                                              { 100, PIECE + 100 },
                                              { 100, PIECE + 101 },
                                              { 777, MANY - 777 },
                                              { MANY - 1, MANY } };
        struct lsr_io *io = stream_io(engine);
        int fd = stream_file(MANY);

        for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
                cr_assert_eq(stream_all(io, fd, ranges[i][0], ranges[i][1]), ranges[i][1] - ranges[i][0]);
        cr_assert_eq(stream_all(io, fd, 777, LSR_STREAM_END), MANY - 777);
        cr_assert_eq(stream_all(io, fd, MANY, LSR_STREAM_END), 0);
        cr_assert_eq(stream_all(io, fd, MANY + 1000, LSR_STREAM_END), 0);
        cr_assert_eq(stream_all(io, fd, MANY + 1000, MANY), 0);
        cr_assert_eq(stream_all(io, fd, MANY - 5, MANY + 5), 5);
        close(fd);
        lsr_io_free(io);
}

/* Back and forth, with reads in flight, from a range's modest end to its whole. */
STREAM_TEST(seeks)
{
        struct lsr_io *io = stream_io(engine);
        int fd = stream_file(MANY);
        struct lsr_stream *s;
        const uint8_t *data;
        unsigned seed = 1;
        uint64_t calls;

        cr_assert_eq(lsr_stream_new(&s, io, fd, MANY - 100, MANY), 0);
        cr_assert_eq(stream_run(s, MANY - 100, UINT64_MAX, NULL), 100);
        cr_assert_eq(lsr_stream_seek(s, 0), 0);
        calls = lsr_io_stats(io)->syscalls;
        cr_assert_eq(stream_run(s, 0, UINT64_MAX, NULL), MANY);
        cr_assert_leq(lsr_io_stats(io)->syscalls - calls, 12, "in pieces as small as the range was");
        for (unsigned i = 0; i < 200; i++) {
                uint64_t at, some;

                seed = seed * 1103515245 + 12345;
                at = (seed >> 4) % (MANY + PIECE);
                some = i % 5 * PIECE;
                if (i == 100)
                        cr_assert_eq(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
                cr_assert_eq(lsr_stream_seek(s, at), 0);
                if (i % 7 == 3)
                        cr_assert_eq(lsr_stream_seek(s, at), 0);
                if (at >= MANY)
                        cr_assert_eq(lsr_stream_next(s, &data), 0);
                else if (some)
                        stream_run(s, at, some, NULL);
        }
        cr_assert_eq(lsr_stream_seek(s, UINT64_MAX), 0);
        cr_assert_eq(lsr_stream_next(s, &data), 0);
        cr_assert_eq(lsr_stream_seek(s, MANY - PIECE), 0);
        cr_assert_eq(stream_run(s, MANY - PIECE, UINT64_MAX, NULL), PIECE);
        lsr_stream_free(s);
        /* Unknown end, unread. */
        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, LSR_STREAM_END), 0);
        cr_assert_eq(lsr_stream_seek(s, 3 * PIECE + 1), 0);
        cr_assert_eq(stream_run(s, 3 * PIECE + 1, UINT64_MAX, NULL), MANY - 3 * PIECE - 1);
        lsr_stream_free(s);
        cr_assert_null(lsr_stream_free(NULL));
        close(fd);
        lsr_io_free(io);
}

/* What one stream drops another one must not get. */
STREAM_TEST(several_at_once)
{
        enum { N = 12 };
        struct lsr_io *io = stream_io(engine);
        int fd = stream_file(MANY);
        struct lsr_stream *s[N];
        uint64_t at[N];

        for (unsigned i = 0; i < N; i++) {
                at[i] = i * 1000;
                cr_assert_eq(lsr_stream_new(&s[i], io, fd, at[i], MANY), 0);
        }
        for (unsigned round = 0; round < 6; round++) {
                posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
                for (unsigned i = 0; i < N; i++)
                        at[i] += stream_run(s[i], at[i], 1, NULL);
                lsr_stream_free(s[round]);
                at[round] = round;
                cr_assert_eq(lsr_stream_new(&s[round], io, fd, at[round], MANY), 0);
        }
        for (unsigned i = 0; i < N; i++) {
                cr_assert_eq(at[i] + stream_run(s[i], at[i], UINT64_MAX, NULL), MANY);
                lsr_stream_free(s[i]);
        }
        close(fd);
        lsr_io_free(io);
}

/* It shrinks under the reader's hands, and grows again. */
STREAM_TEST(shrinking_file)
{
        struct lsr_io *io = stream_io(engine);
        int fd = stream_file(40 * PIECE);
        struct lsr_stream *s;
        const uint8_t *data;
        uint64_t sum;

        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, 40 * PIECE), 0);
        sum = stream_run(s, 0, 5 * PIECE, NULL);
        cr_assert_eq(ftruncate(fd, (off_t)(20 * PIECE + 5)), 0);
        sum += stream_run(s, sum, UINT64_MAX, NULL);
        cr_assert_eq(sum, 20 * PIECE + 5);
        cr_assert_eq(ftruncate(fd, (off_t)(30 * PIECE)), 0);
        cr_assert_eq(lsr_stream_next(s, &data), 0, "an end is an end");
        cr_assert_eq(lsr_stream_seek(s, 2 * PIECE), 0);
        cr_assert_eq(stream_run(s, 2 * PIECE, 10 * PIECE, NULL) % 7, (10 * PIECE + 65536) % 7);
        lsr_stream_free(s);
        close(fd);
        lsr_io_free(io);
}

/* ---- what cannot seek ---- */

struct stream_writer {
        int fd;
        uint64_t size;
        size_t most;
};

/* Dribbles, pauses, and pours. */
static void *stream_write(void *arg)
{
        struct stream_writer *w = arg;
        uint8_t buf[70000];
        sigset_t all;

        /* Signals are for the reader. */
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        for (uint64_t at = 0; at < w->size;) {
                size_t n = at < 3000 ? 1 + at % 300 : w->most;

                if (n > w->size - at)
                        n = (size_t)(w->size - at);
                for (size_t i = 0; i < n; i++)
                        buf[i] = stream_byte(at + i);
                for (size_t done = 0; done < n;) {
                        ssize_t r = write(w->fd, buf + done, n - done);

                        cr_assert_gt(r, 0);
                        done += (size_t)r;
                }
                at += n;
                if (at < 3000)
                        usleep(2000);
        }
        close(w->fd);
        return NULL;
}

/* From @fds[0], to which a thread writes through @fds[1]. */
static void stream_through(struct lsr_io *io, const int fds[2], uint64_t size)
{
        struct stream_writer w = { fds[1], size, 70000 };
        struct lsr_stream *s;
        pthread_t thread;

        cr_assert_eq(pthread_create(&thread, NULL, stream_write, &w), 0);
        cr_assert_eq(lsr_stream_new(&s, io, fds[0], 0, LSR_STREAM_END), 0);
        cr_assert_eq(lsr_stream_seek(s, 5), -ESPIPE);
        cr_assert_eq(stream_run(s, 0, UINT64_MAX, NULL), size);
        cr_assert_eq(lsr_stream_seek(s, 0), -ESPIPE);
        lsr_stream_free(s);
        pthread_join(thread, NULL);
        close(fds[0]);
}

STREAM_TEST(pipes)
{
        struct lsr_io *io = stream_io(engine);
        int fds[2];

        for (unsigned i = 0; i < 3; i++) {
                cr_assert_eq(i == 2 ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe2(fds, O_CLOEXEC), 0);
                /* Whoever made the pipe may have made it so. */
                if (i == 1)
                        cr_assert_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
                stream_through(io, fds, i == 1 ? 0 : 1000000);
                if (i == 1) {
                        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
                        cr_assert_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
                        stream_through(io, fds, 1000000);
                }
        }
        lsr_io_free(io);
}

/* A stream that is freed early has taken no more of a pipe than it gave. */
STREAM_TEST(pipes_are_not_read_ahead)
{
        struct lsr_io *io = stream_io(engine);
        struct lsr_stream *s;
        const uint8_t *data;
        char rest[8];
        int fds[2];

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        cr_assert_eq(lsr_stream_new(&s, io, fds[0], 0, LSR_STREAM_END), 0);
        cr_assert_eq(write(fds[1], "abc", 3), 3);
        cr_assert_eq(lsr_stream_next(s, &data), 3);
        cr_assert_eq(write(fds[1], "def", 3), 3);
        lsr_stream_free(s);
        cr_assert_eq(read(fds[0], rest, 8), 3);
        cr_assert_arr_eq(rest, "def", 3);
        close(fds[0]);
        close(fds[1]);
        lsr_io_free(io);
}

static void stream_on_alarm(int signal)
{
        (void)signal;
}

/* Signals arrive while a pipe is waited for. */
STREAM_TEST(interrupts)
{
        struct sigaction action = { .sa_handler = stream_on_alarm };
        struct lsr_io *io = stream_io(engine);
        int fds[2];

        sigaction(SIGALRM, &action, NULL);
        ualarm(1000, 500);
        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        stream_through(io, fds, 100000);
        ualarm(0, 0);
        lsr_io_free(io);
}

/* ---- at an offset ---- */

STREAM_TEST(read_at)
{
        struct lsr_io *io = stream_io(engine);
        int fd = stream_file(MANY);
        uint8_t *buf = malloc(MANY + 100);

        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 0), 100);
        stream_check(buf, 100, 0);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, MANY, 1), MANY - 1);
        stream_check(buf, MANY - 1, 1);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 0, 7), 0);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, MANY - 30), 30);
        stream_check(buf, 30, MANY - 30);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, MANY), 0);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, (uint64_t)1 << 62), 0);
        /* Minus one would mean the position of the descriptor to a ring. */
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, UINT64_MAX), -EINVAL);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, (uint64_t)INT64_MAX - 50), -EINVAL);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, SIZE_MAX, 5), -EINVAL);
        cr_assert_eq(lsr_io_read_at(io, -1, buf, 100, 0), -EBADF);
        cr_assert_eq(lsr_io_stats(io)->bytes_read, 100 + MANY - 1 + 30);
        free(buf);
        close(fd);
        fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert_eq(lsr_io_read_at(io, fd, (char[4]){}, 4, 0), -EISDIR);
        close(fd);
        lsr_io_free(io);
}

STREAM_TEST(failing_descriptors)
{
        struct lsr_io *io = stream_io(engine);
        int dir = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const uint8_t *data = NULL;
        struct lsr_stream *s;

        cr_assert_eq(lsr_stream_new(&s, io, -1, 0, 100 * PIECE), 0);
        for (unsigned i = 0; i < 30; i++)
                cr_assert_eq(lsr_stream_next(s, &data), -EBADF);
        lsr_stream_free(s);
        cr_assert_eq(lsr_stream_new(&s, io, dir, 0, 100 * PIECE), 0);
        for (unsigned i = 0; i < 30; i++)
                cr_assert_eq(lsr_stream_next(s, &data), -EISDIR);
        lsr_stream_free(s);
        close(dir);
        lsr_io_free(io);
}

STREAM_TEST(open_file)
{
        struct lsr_io *io = stream_io(engine);
        char dir[] = "/tmp/lsr-test-stream-XXXXXX", path[64];
        struct timespec old[2] = { { 1000, 0 }, { 2000, 0 } };
        struct stat st;
        uint8_t buf[16];
        int fd, dirfd;

        cr_assert(mkdtemp(dir));
        dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        fd = openat(dirfd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        cr_assert_eq(write(fd, "text", 4), 4);
        cr_assert_eq(futimens(fd, old), 0);
        close(fd);
        fd = lsr_io_open_file(io, dirfd, "file", true);
        cr_assert_geq(fd, 0);
        cr_assert_eq(lsr_io_stats(io)->syscalls, strcmp(engine, "uring") ? 1 : 4);
        cr_assert_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 16, 0), 4);
        cr_assert_eq(fstat(fd, &st), 0);
        cr_assert_eq(st.st_atim.tv_sec, 1000, "the access time changed");
        close(fd);
        /* Nobody writes. */
        cr_assert_eq(mkfifoat(dirfd, "fifo", 0600), 0);
        fd = lsr_io_open_file(io, dirfd, "fifo", true);
        cr_assert_geq(fd, 0);
        close(fd);
        cr_assert_eq(lsr_io_open_file(io, dirfd, "missing", true), -ENOENT);
        unlinkat(dirfd, "file", 0);
        unlinkat(dirfd, "fifo", 0);
        close(dirfd);
        rmdir(dir);
        snprintf(path, sizeof(path), "%s/x", dir);
        cr_assert_eq(lsr_io_open_file(io, AT_FDCWD, path, true), -ENOENT);
        lsr_io_free(io);
}

/* O_NOATIME is for the owner. */
Test(stream, open_a_file_of_somebody_else)
{
        struct lsr_io *io = stream_io("sync");
        int fd;

        if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
                cr_skip_test("cannot be nobody");
        fd = lsr_io_open_file(io, AT_FDCWD, "/etc/passwd", true);
        cr_assert_geq(fd, 0);
        cr_assert_eq(lsr_io_stats(io)->syscalls, 2);
        close(fd);
        lsr_io_free(io);
}

/* ---- failures ---- */

static const char *const stream_fault_engines[] = { "sync", "threads", "uring" };

static struct lsr_io *stream_fault(unsigned engine, const char *spec)
{
        struct lsr_io *io;
        char name[64];

        snprintf(name, sizeof(name), "fault:%s:%s", stream_fault_engines[engine], spec);
        cr_assert_eq(lsr_io_new(&io, name), 0, "%s", name);
        return lsr_io_require(io) == 0 ? io : lsr_io_free(io);
}

/* Short reads, interruptions: nobody sees them.  Errors: once each, and the bytes around them are right. */
Test(stream, faults)
{
        static const struct {
                const char *spec;
                bool seen;
        } cases[] = { { "part/1", false },
                      { "part/2", false },
                      { "part/3", false },
                      { "read=EINTR/2", false },
                      { "read=EAGAIN/2", false },
                      { "read=ECANCELED/2", false },
                      { "read=EINTR/3,part/2", false },
                      { "read=EIO/2", true },
                      { "read=EIO/7", true },
                      { "read=EIO/5,part/3", true } };
        int fd = stream_file(MANY);

        for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
                for (unsigned e = 0; e < 3; e++) {
                        struct lsr_io *io = stream_fault(e, cases[c].spec);
                        unsigned failures = 0;
                        struct lsr_stream *s;

                        if (!io)
                                continue;
                        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, MANY), 0);
                        cr_assert_eq(stream_run(s, 0, UINT64_MAX, &failures), MANY, "%s %s", stream_fault_engines[e],
                                     cases[c].spec);
                        cr_assert_eq(failures > 0, cases[c].seen, "%s %s: %u failures", stream_fault_engines[e],
                                     cases[c].spec, failures);
                        cr_assert_gt(lsr_io_stats(io)->faults, 0);
                        /* The ring would block: a plain call does not ask. */
                        cr_assert_eq(lsr_io_stats(io)->retried_ops > 0, e == 2 && strstr(cases[c].spec, "EAGAIN"));
                        lsr_stream_free(s);
                        lsr_io_free(io);
                }
        }
        close(fd);
}

Test(stream, faults_at_an_offset)
{
        int fd = stream_file(MANY);
        static uint8_t buf[300000];

        for (unsigned e = 0; e < 3; e++) {
                struct lsr_io *io = stream_fault(e, "read=EIO/3");

                if (!io)
                        continue;
                for (unsigned i = 1; i < 10; i++)
                        cr_assert_eq(lsr_io_read_at(io, fd, buf, 10, i), i % 3 ? 10 : -EIO);
                lsr_io_free(io);
                io = stream_fault(e, "read=EINTR/2,part/3");
                for (unsigned i = 1; i < 10; i++) {
                        memset(buf, 0, sizeof(buf));
                        cr_assert_eq(lsr_io_read_at(io, fd, buf, sizeof(buf), i * 1000), sizeof(buf));
                        stream_check(buf, sizeof(buf), i * 1000);
                }
                lsr_io_free(io);
                /* Nothing else ever comes. */
                io = stream_fault(e, "read=EINTR/1");
                cr_assert_eq(lsr_io_read_at(io, fd, buf, 10, 0), -EINTR);
                lsr_io_free(io);
                io = stream_fault(e, "open=EACCES/2");
                cr_assert_eq(close(lsr_io_open_file(io, AT_FDCWD, "/etc/passwd", true)), 0);
                cr_assert_eq(lsr_io_open_file(io, AT_FDCWD, "/etc/passwd", true), -EACCES);
                lsr_io_free(io);
        }
        close(fd);
}

/* ---- the ring ---- */

/* From now on system calls @a and @b fail with EPERM; -1 for none. */
static void stream_forbid(int a, int b)
{
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)a, 2, 0),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)b, 1, 0),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        };
        struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

        cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
                cr_skip_test("no seccomp here");
}

/* By name: no plain call reads, and more than one read goes with a call. */
Test(stream, uring_reads_through_the_ring)
{
        struct lsr_io *io = stream_io("uring");
        int fd = stream_file(40 * PIECE);
        const struct lsr_io_stats *stats = lsr_io_stats(io);
        uint64_t calls = stats->syscalls;
        struct lsr_stream *s;
        const uint8_t *data;
        uint8_t buf[100];

        stream_forbid(SYS_pread64, -1);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 5), 100);
        cr_assert_eq(stats->ring_ops, 1);
        cr_assert_eq(stats->ring_enters, 1);
        cr_assert_eq(stats->syscalls - calls, 3 + 1);
        cr_assert_eq(stream_all(io, fd, 0, 100), 100);
        cr_assert_eq(stats->ring_ops, 2);
        cr_assert_eq(stream_all(io, fd, 0, 40 * PIECE), 40 * PIECE);
        cr_assert_eq(stats->ring_ops, 42);
        cr_assert_leq(stats->ring_enters, 2 + 40 * 3 / 4, "no two reads go together");
        cr_assert_eq(lsr_stream_new(&s, io, fd, 0, 40 * PIECE), 0);
        while (lsr_stream_next(s, &data) > 0)
                cr_assert_eq(io_uring_sq_ready(lsr_read_ring_raw(lsr_io_reads(io)->ring)), 0, "kept from the kernel");
        lsr_stream_free(s);
        cr_assert_eq(stats->retried_ops, 0);
        close(fd);
        lsr_io_free(io);
}

Test(stream, auto_takes_the_ring_for_much)
{
        struct lsr_io *io = stream_io("uring");
        int fd = stream_file(32 << 20);
        const struct lsr_io_stats *stats;
        uint8_t buf[100];

        lsr_io_free(io);
        io = stream_io("auto");
        stats = lsr_io_stats(io);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 5), 100);
        cr_assert_eq(stream_all(io, fd, 0, 100), 100);
        cr_assert_eq(stats->syscalls, 2, "one call each");
        cr_assert_eq(stream_all(io, fd, 1, 32 << 20), (32 << 20) - 1);
        cr_assert_eq(stats->ring_ops, 0);
        cr_assert_eq(stream_all(io, fd, 0, 32 << 20), 32 << 20);
        cr_assert_eq(stats->ring_ops, 128);
        close(fd);
        lsr_io_free(io);
}

Test(stream, the_ring_refused)
{
        struct lsr_io *by_name, *any;
        int fd = stream_file(33 << 20);
        const uint8_t *data;
        struct lsr_stream *s;

        cr_assert_eq(lsr_io_new(&by_name, "uring"), 0);
        cr_assert_eq(lsr_io_new(&any, "auto"), 0);
        stream_forbid(SYS_io_uring_setup, -1);
        cr_assert_eq(lsr_io_read_at(by_name, fd, (char[4]){}, 4, 0), -EPERM);
        cr_assert_eq(lsr_stream_new(&s, by_name, fd, 0, 4), 0);
        cr_assert_eq(lsr_stream_next(s, &data), -EPERM);
        lsr_stream_free(s);
        cr_assert_eq(lsr_io_seal(by_name), -EPERM);
        cr_assert_eq(stream_all(any, fd, 0, 33 << 20), 33 << 20);
        cr_assert_eq(lsr_io_seal(any), 0);
        cr_assert_eq(lsr_io_register(any, fd), 0);
        cr_assert_eq(stream_all(any, fd, 0, 33 << 20), 33 << 20);
        cr_assert_eq(lsr_io_stats(any)->ring_ops, 0);
        lsr_io_unregister(any, fd);
        close(fd);
        lsr_io_free(by_name);
        lsr_io_free(any);
}

/* Nothing arrives after a stream was freed or has sought. */
Test(stream, dropped_reads_are_waited_for)
{
        struct lsr_io *io = stream_io("uring");
        int fd = stream_file(100 * PIECE);
        struct lsr_stream *s;

        cr_assert_eq(fdatasync(fd), 0);
        for (unsigned i = 0; i < 20; i++) {
                struct io_uring *ring;

                posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
                cr_assert_eq(lsr_stream_new(&s, io, fd, 0, 100 * PIECE), 0);
                stream_run(s, 0, (3 + i % 5) * PIECE, NULL);
                if (i % 2)
                        cr_assert_eq(lsr_stream_seek(s, 50 * PIECE), 0);
                else
                        s = lsr_stream_free(s);
                ring = lsr_read_ring_raw(lsr_io_reads(io)->ring);
                for (unsigned t = 0; t < 10; t++) {
                        cr_assert_eq(io_uring_sq_ready(ring), 0, "one was left in the queue");
                        cr_assert_eq(io_uring_cq_ready(ring), 0, "one came late");
                        usleep(500);
                }
                lsr_stream_free(s);
        }
        close(fd);
        lsr_io_free(io);
}

/* ---- sealed ---- */

/* All that reads is forbidden but the ring, and so is to make another one. */
static void stream_sealed(const char *engine, bool ring)
{
        struct lsr_io *io = stream_io(engine);
        int fd = stream_file(33 << 20), other = stream_file(100);
        uint8_t buf[100];

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        stream_forbid(SYS_io_uring_setup, ring ? SYS_pread64 : -1);
        cr_assert_eq(stream_all(io, fd, 0, 33 << 20), 33 << 20);
        cr_assert_eq(lsr_io_stats(io)->ring_ops > 0, strcmp(engine, "sync") != 0);
        cr_assert_eq(lsr_io_read_at(io, other, buf, 100, 0), ring ? -EBADF : 100);
        cr_assert_eq(lsr_io_register(io, other), 0);
        cr_assert_eq(lsr_io_read_at(io, other, buf, 100, 0), 100);
        stream_check(buf, 100, 0);
        lsr_io_unregister(io, other);
        cr_assert_eq(lsr_io_read_at(io, other, buf, 100, 0), ring ? -EBADF : 100);
        lsr_io_unregister(io, other);
        cr_assert_eq(lsr_io_read_at(io, fd, buf, 100, 7), 100);
        stream_check(buf, 100, 7);
        close(fd);
        close(other);
        lsr_io_free(io);
}

Test(stream, sealed_uring)
{
        stream_sealed("uring", true);
}

Test(stream, sealed_auto)
{
        /* Skips where there is no ring. */
        lsr_io_free(stream_io("uring"));
        stream_sealed("auto", false);
}

Test(stream, sealed_sync)
{
        stream_sealed("sync", false);
}

Test(stream, sealed_pipe)
{
        struct lsr_io *io = stream_io("uring");
        int fds[2];

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fds[0]), 0);
        stream_through(io, fds, 1000000);
        lsr_io_unregister(io, fds[0]);
        lsr_io_free(io);
}

/* 64 places; the 65th file waits until one is free. */
Test(stream, sealed_table_is_bounded)
{
        struct lsr_io *io = stream_io("uring"), *any = stream_io("auto");
        int fd = stream_file(100), fds[65];
        uint8_t buf[100];

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_seal(any), 0);
        cr_assert_eq(lsr_io_register(io, -1), -EBADF);
        for (unsigned i = 0; i < 65; i++) {
                fds[i] = dup(fd);
                cr_assert_eq(lsr_io_register(io, fds[i]), i < 64 ? 0 : -EMFILE);
                cr_assert_eq(lsr_io_register(any, fds[i]), 0);
        }
        cr_assert_eq(lsr_io_read_at(io, fds[64], buf, 100, 0), -EBADF);
        cr_assert_eq(lsr_io_read_at(any, fds[64], buf, 100, 0), 100);
        lsr_io_unregister(io, fds[5]);
        cr_assert_eq(lsr_io_register(io, fds[64]), 0);
        for (unsigned i = 0; i < 65; i++) {
                cr_assert_eq(lsr_io_read_at(io, fds[i], buf, 100, 0), i == 5 ? -EBADF : 100);
                close(fds[i]);
        }
        close(fd);
        lsr_io_free(io);
        lsr_io_free(any);
}

static int stream_raw(struct io_uring *ring)
{
        struct io_uring_cqe *cqe;
        int r;

        cr_assert_eq(io_uring_submit(ring), 1);
        cr_assert_eq(io_uring_wait_cqe(ring, &cqe), 0);
        r = cqe->res;
        io_uring_cqe_seen(ring, cqe);
        return r;
}

/* Whoever has taken over the process finds a ring that reads what it may read anyway. */
Test(stream, sealed_ring_refuses_all_else)
{
        struct lsr_io *io = stream_io("uring");
        int fd = stream_file(100);
        struct io_uring *ring;
        struct io_uring_restriction all = { .opcode = IORING_RESTRICTION_SQE_OP, .sqe_op = IORING_OP_OPENAT };
        char buf[100];

        cr_assert_eq(lsr_io_seal(io), 0);
        cr_assert_eq(lsr_io_register(io, fd), 0);
        ring = lsr_read_ring_raw(lsr_io_reads(io)->ring);

        io_uring_prep_read(io_uring_get_sqe(ring), 0, buf, 100, 0);
        ring->sq.sqes[0].flags = IOSQE_FIXED_FILE;
        cr_assert_eq(stream_raw(ring), 100, "what may be done is done");
        for (unsigned op = 0; op < 64; op++) {
                struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

                if (op == IORING_OP_READ)
                        op++;
                memset(sqe, 0, sizeof(*sqe));
                sqe->opcode = (uint8_t)op;
                sqe->flags = IOSQE_FIXED_FILE;
                cr_expect_lt(stream_raw(ring), 0, "opcode %u", op);
        }
        io_uring_prep_openat(io_uring_get_sqe(ring), AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);
        io_uring_prep_write(io_uring_get_sqe(ring), 0, buf, 100, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);
        io_uring_prep_nop(io_uring_get_sqe(ring));
        cr_assert_eq(stream_raw(ring), -EACCES);
        /* By descriptor and not by place. */
        io_uring_prep_read(io_uring_get_sqe(ring), fd, buf, 100, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);

        cr_assert_eq(io_uring_register_buffers(ring, &(struct iovec){ buf, 100 }, 1), -EACCES);
        cr_assert_eq(io_uring_unregister_files(ring), -EACCES);
        cr_assert_eq(io_uring_register_iowq_max_workers(ring, (unsigned[2]){ 1, 1 }), -EACCES);
        cr_assert_lt(syscall(SYS_io_uring_register, ring->ring_fd, IORING_REGISTER_RESTRICTIONS, &all, 1), 0);
        io_uring_prep_openat(io_uring_get_sqe(ring), AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
        cr_assert_eq(stream_raw(ring), -EACCES);
        close(fd);
        lsr_io_free(io);
}

struct stream_baton {
        struct lsr_stream *s;
        uint64_t at;
};

static void *stream_take_turn(void *arg)
{
        struct stream_baton *b = arg;

        b->at += stream_run(b->s, b->at, 5 * PIECE, NULL);
        return NULL;
}

/* Threads take turns and end with reads in flight. */
static void stream_relay(bool sealed)
{
        struct lsr_io *io = stream_io("uring");
        int fd = stream_file(100 * PIECE);
        struct stream_baton b = { NULL, 0 };
        pthread_t thread;

        if (sealed) {
                cr_assert_eq(lsr_io_seal(io), 0);
                cr_assert_eq(lsr_io_register(io, fd), 0);
        }
        cr_assert_eq(fdatasync(fd), 0);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        cr_assert_eq(lsr_stream_new(&b.s, io, fd, 0, 100 * PIECE), 0);
        while (b.at < 100 * PIECE) {
                cr_assert_eq(pthread_create(&thread, NULL, stream_take_turn, &b), 0);
                pthread_join(thread, NULL);
                stream_take_turn(&b);
        }
        lsr_stream_free(b.s);
        close(fd);
        lsr_io_free(io);
}

Test(stream, threads_take_turns)
{
        stream_relay(false);
}

Test(stream, threads_take_turns_sealed)
{
        stream_relay(true);
}
