/* Failures on purpose: their spec, their counting, and that no field of a failure is believed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/io.h"

static const char *const fault_engines[] = { "sync", "threads", "uring" };

/* NULL if the ring is refused. */
static struct lsr_io *fault_open(unsigned engine, const char *spec)
{
        struct lsr_io *io;
        char name[128];

        snprintf(name, sizeof(name), "fault:%s%s%s", fault_engines[engine], *spec ? ":" : "", spec);
        cr_assert_eq(lsr_io_new(&io, name), 0, "%s", name);
        return lsr_io_require(io) == 0 ? io : lsr_io_free(io);
}

Test(fault, specs)
{
        static const char *const good[] = { "stat=EIO/3",
                                            "dir=EINTR/2,open=EACCES/1",
                                            "short/1",
                                            "read=EAGAIN/7,part/2",
                                            "file=ENOMEM/1000",
                                            "stat=ENOENT/1,dir=EIO/1,open=EIO/1,file=EIO/1,short/2",
                                            "" };
        static const char *const bad[] = { "stat",
                                           "stat=",
                                           "stat=EIO",
                                           "stat=EIO/",
                                           "stat=EIO/0",
                                           "stat=EIO/x",
                                           "stat=EIO/3x",
                                           "stat=EWHAT/3",
                                           "stat=/3",
                                           "stat/3",
                                           "nope=EIO/1",
                                           "short",
                                           "short/",
                                           "short/0",
                                           "short=EIO/1",
                                           "part=EIO/1",
                                           "part",
                                           "read/1",
                                           "read=/1",
                                           "shorter/1",
                                           "stat=EIO/-1",
                                           "stat=EIO/ 3",
                                           "stat=EIO/+3",
                                           "=EIO/1",
                                           "stat=EIO/3,,",
                                           ",",
                                           "dir=EIO/1,x",
                                           "stat=EIO,/3",
                                           "/1",
                                           "stat=EIO/4294967296",
                                           "stat=EIO/99999999999999999999",
                                           "stat=eio/1",
                                           "stat=EIO3/3" };
        struct lsr_io *io;
        char name[128];

        for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
                snprintf(name, sizeof(name), "fault:sync:%s", good[i]);
                cr_assert_eq(lsr_io_new(&io, name), 0, "%s", name);
                lsr_io_free(io);
        }
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                snprintf(name, sizeof(name), "fault:sync:%s", bad[i]);
                cr_expect_eq(lsr_io_new(&io, name), -EINVAL, "%s", name);
        }
}

/* Every third stat fails, counted over lots and batches, and failures have no known field. */
Test(fault, stats)
{
        enum { N = 500 };
        struct lsr_stat_op ops[N];
        struct lsr_meta metas[N];

        for (unsigned e = 0; e < 3; e++) {
                struct lsr_io *io = fault_open(e, "stat=EIO/3");
                unsigned count = 0;

                for (unsigned round = 0; io && round < 2; round++) {
                        memset(metas, 0, sizeof(metas));
                        for (size_t i = 0; i < N; i++)
                                ops[i] = (struct lsr_stat_op){ i % 2 ? "/" : "/etc", &metas[i] };
                        cr_assert_eq(lsr_io_stat_begin(io, &(struct lsr_stat_batch){ AT_FDCWD, false, 0x3ff, N }), 0);
                        cr_assert_eq(lsr_io_stat_add(io, ops, 100), 0);
                        cr_assert_eq(lsr_io_stat_add(io, ops + 100, N - 100), 0);
                        cr_assert_eq(lsr_io_stat_wait(io), 0);
                        for (size_t i = 0; i < N; i++) {
                                bool failed = ++count % 3 == 0;

                                cr_assert_eq(metas[i].error, failed ? -EIO : 0, "%s: op %u", fault_engines[e], count);
                                if (failed) {
                                        cr_assert_eq(metas[i].known, 0);
                                        cr_assert_eq(metas[i].size, 0x5a5a5a5a5a5a5a5a, "not garbage");
                                } else {
                                        cr_assert(metas[i].known & LSR_FIELD_MODE);
                                }
                        }
                }
                if (io) {
                        cr_assert_eq(lsr_io_stats(io)->faults, 2 * N / 3);
                        lsr_io_free(io);
                }
        }
}

Test(fault, directories)
{
        for (unsigned e = 0; e < 3; e++) {
                struct lsr_io *io = fault_open(e, "open=EACCES/2,dir=EINTR/3");
                char buf[4096];

                for (unsigned i = 1; io && i <= 4; i++) {
                        int fd = lsr_io_open_dir(io, AT_FDCWD, "/", true);

                        if (i % 2 == 0)
                                cr_assert_eq(fd, -EACCES);
                        else
                                cr_assert_eq(close(fd), 0);
                }
                for (unsigned i = 1; io && i <= 6; i++) {
                        int fd = open("/", O_RDONLY | O_DIRECTORY);
                        ssize_t n = lsr_io_read_dir(io, fd, buf, sizeof(buf));

                        if (i % 3 == 0)
                                cr_assert_eq(n, -EINTR);
                        else
                                cr_assert_gt(n, 0);
                        close(fd);
                }
                lsr_io_free(io);
        }
}

/* The wrapped engine has no way of its own to read files, or it has: the result is one. */
Test(fault, files)
{
        static const struct {
                const char *spec;
                ssize_t ret[4];
        } cases[] = {
                { "stat=EIO/3", { 10, 10, 10, 10 } },     { "file=EIO/1", { -EIO, -EIO, -EIO, -EIO } },
                { "file=EIO/2", { 10, -EIO, 10, -EIO } }, { "short/1", { 5, 5, 5, 5 } },
                { "short/3", { 10, 10, 5, 10 } },
        };
        char path[] = "/tmp/lsr-test-fault-XXXXXX";
        int fd = mkstemp(path);

        cr_assert_eq(write(fd, "123456789\n", 10), 10);
        close(fd);
        for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
                for (unsigned e = 0; e < 3; e++) {
                        struct lsr_io *io = fault_open(e, cases[c].spec);
                        struct lsr_file_read files[4];
                        char bufs[4][32] = {};

                        if (!io)
                                continue;
                        for (unsigned i = 0; i < 4; i++)
                                files[i] = (struct lsr_file_read){ path, bufs[i], 32, 99 };
                        cr_assert_eq(lsr_io_read_files(io, files, 4), 0);
                        for (unsigned i = 0; i < 4; i++)
                                cr_expect_eq(files[i].ret, cases[c].ret[i], "%s %s: file %u: %zd", fault_engines[e],
                                             cases[c].spec, i, files[i].ret);
                        lsr_io_free(io);
                }
        }
        unlink(path);
}

static void fault_count(void *ctx, size_t i)
{
        __atomic_fetch_add((size_t *)ctx, i, __ATOMIC_RELAXED);
}

Test(fault, each_goes_through)
{
        for (unsigned e = 0; e < 3; e++) {
                struct lsr_io *io = fault_open(e, "stat=EIO/1");
                size_t sum = 0;

                if (!io)
                        continue;
                lsr_io_each(io, 1000, 1, fault_count, &sum);
                cr_assert_eq(sum, 1000 * 999 / 2);
                lsr_io_free(io);
        }
}
