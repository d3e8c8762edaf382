/* Streams and reads at offsets, through every engine, and with faults. */
#include "stream-maker.h"

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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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

STREAM_TEST(pipes)
{
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open(engine);
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
        struct lsr_io *io = engine_open("sync");
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
        } cases[] = { { "part/1", false },          { "part/2", false },
                      { "part/3", false },          { "read=EINTR/2", false },
                      { "read=EAGAIN/2", false },   { "read=ECANCELED/2", false },
                      { "read=EFAULT/2", false },   { "read=EINTR/3,part/2", false },
                      { "read=EIO/2", true },       { "read=EIO/7", true },
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
