/* Failures on purpose: their spec, their counting, and that no field of a failure is believed. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine-open.h"
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
        struct lsr_op ops[N];
        struct lsr_meta metas[N];

        for (unsigned e = 0; e < 3; e++) {
                struct lsr_io *io = fault_open(e, "stat=EIO/3");
                unsigned count = 0;

                for (unsigned round = 0; io && round < 2; round++) {
                        memset(metas, 0, sizeof(metas));
                        for (size_t i = 0; i < N; i++)
                                ops[i] = op_stat(AT_FDCWD, i % 2 ? "/" : "/etc", 0x3ff, false, &metas[i]);
                        lsr_io_expect(io, N);
                        cr_assert_eq(lsr_io_add(io, ops, 100), 0);
                        cr_assert_eq(lsr_io_add(io, ops + 100, N - 100), 0);
                        lsr_io_wait(io);
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
                        struct lsr_op_data files[4];
                        struct lsr_op ops[4];
                        char bufs[4][32] = {};

                        if (!io)
                                continue;
                        for (unsigned i = 0; i < 4; i++) {
                                files[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = 32, .ret = 99 };
                                ops[i] = op_data(LSR_OP_READ_FILE, AT_FDCWD, path, &files[i]);
                        }
                        cr_assert_eq(lsr_io_run(io, ops, 4), 0);
                        for (unsigned i = 0; i < 4; i++)
                                cr_expect_eq(files[i].ret, cases[c].ret[i], "%s %s: file %u: %zd", fault_engines[e],
                                             cases[c].spec, i, files[i].ret);
                        lsr_io_free(io);
                }
        }
        unlink(path);
}

/* What has no rule is left alone. */
Test(fault, others_go_through)
{
        for (unsigned e = 0; e < 3; e++) {
                struct lsr_io *io = fault_open(e, "stat=EIO/1,file=EIO/1,open=EIO/1");
                static struct lsr_op_data data[1000];
                static struct lsr_op ops[1000];
                char buf[1000];

                for (unsigned i = 0; i < 1000; i++) {
                        data[i] = (struct lsr_op_data){ .buf = &buf[i], .cap = 1, .ret = 99 };
                        ops[i] = op_data(LSR_OP_READ_LINK, AT_FDCWD, "/proc/self", &data[i]);
                }
                if (!io)
                        continue;
                cr_assert_eq(lsr_io_run(io, ops, 1000), 0);
                for (unsigned i = 0; i < 1000; i++)
                        cr_assert_eq(data[i].ret, 1);
                cr_assert_eq(lsr_io_stats(io)->faults, 0);
                lsr_io_free(io);
        }
}
