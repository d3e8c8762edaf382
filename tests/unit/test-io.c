/* The engines, each through the same face, against plain system calls: metadata and directories. */
#include "io-dir.h"

/* A fresh engine for every size. */
IO_TEST(sizes)
{
        for (size_t i = 0; i < IO_SIZES; i++) {
                struct lsr_io *io = engine_open(engine);

                io_batch(io, io_counts[i], 1, false, io_counts[i]);
                lsr_io_free(io);
        }
}

/* One engine for all: each batch outgrows the one before it. */
IO_TEST(growing_batches)
{
        struct lsr_io *io = engine_open(engine);

        for (size_t i = 0; i < IO_SIZES; i++)
                io_batch(io, io_counts[i], 1, i % 2, io_counts[i]);
        io_batch(io, 3, 1, false, 3);
        io_batch(io, 5000, 1, false, 5000);
        lsr_io_free(io);
}

IO_TEST(several_adds)
{
        struct lsr_io *io = engine_open(engine);

        io_batch(io, 2, 2, false, 0);
        io_batch(io, 400, 2, false, 400);
        io_batch(io, 1000, 3, true, 0);
        io_batch(io, 5000, 2, false, 5000);
        io_batch(io, 5000, 700, false, 5000);
        lsr_io_free(io);
}

/* The guess of what will come is no promise. */
IO_TEST(wrong_expectations)
{
        static const size_t guesses[] = { 0, 1, 64, 129, 100000 };

        for (size_t i = 0; i < 5; i++) {
                struct lsr_io *io = engine_open(engine);

                io_batch(io, 3000, 1, false, guesses[i]);
                io_batch(io, 10, 1, true, guesses[i]);
                lsr_io_free(io);
        }
}

IO_TEST(follow_or_not)
{
        struct lsr_io *io = engine_open(engine);

        io_batch(io, 600, 1, false, 600);
        io_batch(io, 600, 1, true, 600);
        lsr_io_free(io);
}

/* Paths too long for the kernel fail before they run, in the middle of a chain. */
IO_TEST(long_names)
{
        struct lsr_io *io = engine_open(engine);
        enum { N = 300 };
        struct lsr_op ops[N];
        struct lsr_meta metas[N];
        char longest[256], too_long[257], path[5001];
        int fd;

        io_make(N);
        memset(longest, 'l', 255);
        longest[255] = '\0';
        memset(too_long, 'm', 256);
        too_long[256] = '\0';
        memset(path, 'p', 5000);
        path[5000] = '\0';
        fd = openat(io_dirfd, longest, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        cr_assert_geq(fd, 0);
        close(fd);
        for (unsigned place = 0; place < 4; place++) {
                io_mark(metas, N);
                for (size_t i = 0; i < N; i++) {
                        const char *name = io_names[i];

                        if (i % 97 == 10)
                                name = longest;
                        else if (i % 97 == 20)
                                name = too_long;
                        /* At the head, inside and at the tail of chains of 64 and of 128. */
                        else if ((place == 0 && i % 64 == 0) || (place == 1 && i % 50 == 30) ||
                                 (place == 2 && i % 64 == 63) || (place == 3 && i + 1 == N))
                                name = path;
                        ops[i] = op_stat(io_dirfd, name, IO_FIELDS, false, &metas[i]);
                }
                cr_assert_eq(lsr_io_run(io, ops, N), 0);
                for (size_t i = 0; i < N; i++)
                        io_check_one(ops[i].name, io_dirfd, ops[i].name, false, &metas[i]);
        }
        lsr_io_free(io);
}

/* Operands: relative to the working directory, absolute, empty. */
IO_TEST(operands)
{
        struct lsr_io *io = engine_open(engine);
        const char *names[] = { "/", "/etc/passwd", ".", "", "/nowhere/at/all", "/etc/passwd/x" };
        struct lsr_op ops[6];
        struct lsr_meta metas[6];

        io_mark(metas, 6);
        for (size_t i = 0; i < 6; i++)
                ops[i] = op_stat(AT_FDCWD, names[i], IO_FIELDS, false, &metas[i]);
        cr_assert_eq(lsr_io_run(io, ops, 6), 0);
        for (size_t i = 0; i < 6; i++)
                io_check_one(names[i], AT_FDCWD, names[i], false, &metas[i]);
        cr_assert_eq(metas[3].error, -ENOENT);
        cr_assert_eq(metas[5].error, -ENOTDIR);
        lsr_io_free(io);
}
/* ---- directories ---- */

IO_TEST(directories)
{
        struct lsr_io *io = engine_open(engine);
        char buf[4096];
        ssize_t n, sum = 0;
        int fd;

        io_make(200);
        fd = lsr_io_open_dir(io, AT_FDCWD, io_dir, true);
        cr_assert_geq(fd, 0);
        while ((n = lsr_io_read_dir(io, fd, buf, sizeof(buf))) > 0)
                sum += n;
        cr_assert_eq(n, 0);
        cr_assert_geq(sum, 150 * 24);
        cr_assert_eq(lsr_io_stats(io)->bytes_read, (uint64_t)sum);
        close(fd);
        cr_assert_eq(lsr_io_open_dir(io, io_dirfd, "missing", true), -ENOENT);
        cr_assert_eq(lsr_io_open_dir(io, AT_FDCWD, "/etc/passwd", true), -ENOTDIR);
        cr_assert_eq(symlinkat(".", io_dirfd, "loop"), 0);
        cr_assert_lt(lsr_io_open_dir(io, io_dirfd, "loop", false), 0);
        fd = lsr_io_open_dir(io, io_dirfd, "loop", true);
        cr_assert_geq(fd, 0);
        close(fd);
        cr_assert_eq(lsr_io_read_dir(io, -1, buf, sizeof(buf)), -EBADF);
        lsr_io_free(io);
}
