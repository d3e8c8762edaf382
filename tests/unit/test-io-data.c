/* The engines: contents of files, targets of links, attributes; with few descriptors and no locked memory, too. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "io-dir.h"

/* ---- files ---- */

enum { IO_SORTS = 7 };

/* Files of all sorts are read, and others come along. */
static void io_read_with(struct lsr_io *io, const struct lsr_op *others, size_t n)
{
        static char bufs[IO_SORTS][64];
        struct lsr_op_data files[IO_SORTS];
        const char *names[IO_SORTS] = {
                io_file("missing", NULL),
                io_file("empty", ""),
                io_file("line", "one\ntwo\n"),
                io_file("open", "one\ntwo"),
                io_file("large", "0123456789\n"),
                io_file("exact", "1234567\n"),
                io_dir,
        };
        struct lsr_op ops[IO_SORTS];

        for (unsigned i = 0; i < IO_SORTS; i++) {
                files[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = i == 4 || i == 5 ? 8 : 64, .ret = 99 };
                ops[i] = op_data(LSR_OP_READ_FILE, AT_FDCWD, names[i], &files[i]);
        }
        cr_assert_eq(lsr_io_add(io, ops, IO_SORTS), 0);
        cr_assert_eq(lsr_io_add(io, others, n), 0);
        lsr_io_wait(io);
        cr_assert_eq(files[0].ret, -ENOENT);
        cr_assert_eq(files[1].ret, 0);
        cr_assert(files[2].ret == 8 && !memcmp(bufs[2], "one\ntwo\n", 8), "%zd", files[2].ret);
        cr_assert(files[3].ret == 7 && !memcmp(bufs[3], "one\ntwo", 7), "%zd", files[3].ret);
        cr_assert_eq(files[4].ret, -EFBIG, "%zd", files[4].ret);
        cr_assert_eq(files[5].ret, -EFBIG, "%zd", files[5].ret);
        cr_assert_eq(files[6].ret, -EISDIR, "%zd", files[6].ret);
}

static void io_read_all_sorts(struct lsr_io *io)
{
        io_read_with(io, NULL, 0);
}

static void io_read_many(struct lsr_io *io)
{
        enum { N = 50 };
        static char bufs[N][32];
        struct lsr_op_data files[N];
        struct lsr_op ops[N];

        for (unsigned i = 0; i < N; i++) {
                char name[16], text[32];

                sprintf(name, "file%u", i);
                sprintf(text, "text %u\n", i);
                files[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = 32, .ret = 99 };
                ops[i] = op_data(LSR_OP_READ_FILE, AT_FDCWD, io_file(name, i % 10 == 9 ? NULL : text), &files[i]);
        }
        cr_assert_eq(lsr_io_run(io, ops, 0), 0);
        cr_assert_eq(lsr_io_run(io, ops, N), 0);
        for (unsigned i = 0; i < N; i++) {
                char text[32];

                if (i % 10 == 9) {
                        cr_assert_eq(files[i].ret, -ENOENT);
                        continue;
                }
                sprintf(text, "text %u\n", i);
                cr_assert(files[i].ret == (ssize_t)strlen(text) && !memcmp(bufs[i], text, strlen(text)), "file %u: %zd",
                          i, files[i].ret);
        }
}

IO_TEST(read_files)
{
        struct lsr_io *io = engine_open(engine);

        io_read_all_sorts(io);
        io_read_many(io);
        io_read_all_sorts(io);
        cr_assert_gt(lsr_io_stats(io)->bytes_read, 0);
        lsr_io_free(io);
}

/* passwd, group and the zone are read like this. */
IO_TEST(read_files_during_a_batch)
{
        struct lsr_io *io = engine_open(engine);
        size_t n = 5000;
        struct lsr_op *ops = calloc(n, sizeof(*ops));
        struct lsr_meta *metas = calloc(n, sizeof(*metas));

        io_make(n);
        for (unsigned round = 0; round < 5; round++) {
                io_mark(metas, n);
                for (size_t i = 0; i < n; i++)
                        ops[i] = op_stat(io_dirfd, io_names[i], IO_FIELDS, false, &metas[i]);
                lsr_io_expect(io, n);
                cr_assert_eq(lsr_io_add(io, ops, 3000), 0);
                io_read_with(io, ops + 3000, 1000);
                cr_assert_eq(lsr_io_add(io, ops + 4000, 1000), 0);
                lsr_io_go(io);
                io_read_all_sorts(io);
                for (size_t i = 0; i < n; i++)
                        io_check_one(io_names[i], io_dirfd, io_names[i], false, &metas[i]);
        }
        free(ops);
        free(metas);
        lsr_io_free(io);
}

/* ---- what has no opcode ---- */

/* Targets of the first @n names, of which most are no links; together with what is under way. */
static void io_check_links(struct lsr_io *io, size_t n)
{
        struct lsr_op_data *data = calloc(n + 1, sizeof(*data));
        struct lsr_op *ops = calloc(n + 1, sizeof(*ops));
        char(*bufs)[16] = calloc(n + 1, sizeof(*bufs)), target[16];

        io_make(n);
        for (size_t i = 0; i < n; i++) {
                data[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = sizeof(*bufs), .ret = 99 };
                ops[i] = op_data(LSR_OP_READ_LINK, io_dirfd, io_names[i], &data[i]);
        }
        cr_assert_eq(lsr_io_run(io, ops, n), 0);
        for (size_t i = 0; i < n; i++) {
                ssize_t len = readlinkat(io_dirfd, io_names[i], target, sizeof(target));

                cr_assert_eq(data[i].ret, len < 0 ? -errno : len, "%s: %zd", io_names[i], data[i].ret);
                cr_assert(len < 0 || memcmp(bufs[i], target, (size_t)len) == 0, "%s", io_names[i]);
        }
        free(bufs);
        free(ops);
        free(data);
}

IO_TEST(links)
{
        struct lsr_io *io = engine_open(engine);
        uint64_t before;

        for (size_t i = 0; i < IO_SIZES; i++)
                io_check_links(io, io_counts[i]);
        before = lsr_io_stats(io)->syscalls;
        io_check_links(io, 100);
        cr_assert_eq(lsr_io_stats(io)->syscalls - before, 100);
        before = lsr_io_stats(io)->syscalls;
        io_check_links(io, 5000);
        cr_assert_eq(lsr_io_stats(io)->syscalls - before, 5000, "what other threads did counts");
        io_batch(io, 1000, 2, false, 0);
        io_check_links(io, 1000);
        lsr_io_free(io);
}

/* Very many lots of stats, then targets while they run. */
IO_TEST(links_with_stats)
{
        struct lsr_io *io = engine_open(engine);
        enum { LOT = 256, LOTS = 256 };
        struct lsr_op *ops = calloc(LOT, sizeof(*ops));
        struct lsr_meta *metas = calloc(LOT, sizeof(*metas));

        io_make(LOT);
        io_mark(metas, LOT);
        for (size_t i = 0; i < LOT; i++)
                ops[i] = op_stat(io_dirfd, "missing", IO_FIELDS, false, &metas[i]);
        lsr_io_expect(io, LSR_IO_MANY);
        for (unsigned lot = 0; lot < LOTS; lot++)
                cr_assert_eq(lsr_io_add(io, ops, LOT), 0);
        io_check_links(io, 1000);
        for (size_t i = 0; i < LOT; i++)
                cr_assert_eq(metas[i].error, -ENOENT);
        free(ops);
        free(metas);
        lsr_io_free(io);
}

/* Kinds side by side in one lot: whoever does one of them passes over no other. */
IO_TEST(kinds_mixed)
{
        struct lsr_io *io = engine_open(engine);
        enum { N = 1200 };
        static struct lsr_meta metas[N];
        static struct lsr_op_data data[N];
        static struct lsr_op ops[N];
        static char bufs[N][32];
        const char *path = io_file("text", "text\n"), *link = io_file("link", NULL);

        cr_assert_eq(symlink("text", link), 0);
        for (unsigned i = 0; i < N; i++) {
                metas[i] = (struct lsr_meta){};
                data[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = 32, .ret = 99 };
                if (i % 7 < 4)
                        ops[i] = op_stat(AT_FDCWD, path, IO_FIELDS, false, &metas[i]);
                else
                        ops[i] = op_data(i % 7 < 6 ? LSR_OP_READ_FILE : LSR_OP_READ_LINK, AT_FDCWD,
                                         i % 7 < 6 ? path : link, &data[i]);
        }
        cr_assert_eq(lsr_io_run(io, ops, N), 0);
        for (unsigned i = 0; i < N; i++) {
                if (i % 7 < 4)
                        cr_assert(metas[i].error == 0 && metas[i].size == 5, "%u", i);
                else
                        cr_assert(data[i].ret == (i % 7 < 6 ? 5 : 4) && memcmp(bufs[i], "text", 4) == 0, "%u: %zd", i,
                                  data[i].ret);
        }
        lsr_io_free(io);
}

/* Names and values by path and below a directory; what has none, and what is not there. */
IO_TEST(xattrs)
{
        struct lsr_io *io = engine_open(engine);
        const char *path = io_file("marked", "x");
        char large[3000];
        struct lsr_op_data d[7] = {};
        struct lsr_op ops[7] = {
                op_data(LSR_OP_LIST_XATTRS, AT_FDCWD, path, &d[0]),
                op_data(LSR_OP_LIST_XATTRS, io_dirfd, "marked", &d[1]),
                op_data(LSR_OP_GET_XATTR, AT_FDCWD, path, &d[2]),
                op_data(LSR_OP_GET_XATTR, io_dirfd, "marked", &d[3]),
                op_data(LSR_OP_LIST_XATTRS, AT_FDCWD, io_file("plain", "x"), &d[4]),
                op_data(LSR_OP_LIST_XATTRS, io_dirfd, "missing", &d[5]),
                op_data(LSR_OP_GET_XATTR, io_dirfd, "marked", &d[6]),
        };

        memset(large, 'v', sizeof(large));
        if (setxattr(path, "user.large", large, sizeof(large), 0) < 0)
                cr_skip_test("no extended attributes here");
        cr_assert_eq(setxattr(path, "user.small", "v", 1, 0), 0);
        d[2].attribute = "user.large";
        d[3].attribute = "user.small";
        d[6].attribute = "user.missing";
        cr_assert_eq(lsr_io_run(io, ops, 7), 0);
        for (unsigned i = 0; i < 2; i++) {
                cr_assert_eq(d[i].ret, 22, "%zd", d[i].ret);
                cr_assert(d[i].buf && memmem(d[i].buf, 22, "user.large", 11));
                cr_assert(d[i].buf && memmem(d[i].buf, 22, "user.small", 11));
        }
        cr_assert(d[2].ret == sizeof(large) && memcmp(d[2].buf, large, sizeof(large)) == 0, "%zd", d[2].ret);
        cr_assert(d[3].ret == 1 && strcmp(d[3].buf, "v") == 0, "%zd", d[3].ret);
        cr_assert(d[4].ret == 0 && !d[4].buf, "%zd", d[4].ret);
        cr_assert(d[5].ret == -ENOENT && !d[5].buf, "%zd", d[5].ret);
        cr_assert(d[6].ret == -ENODATA && !d[6].buf, "%zd", d[6].ret);
        for (unsigned i = 0; i < 7; i++)
                free(d[i].buf);
        lsr_io_free(io);
}

/* Which attributes there are comes with the stat, or it is said that it did not. */
IO_TEST(attributes_with_the_stat)
{
        static const char *const names[] = { "marked", "plain", "missing", "many" };
        static const char cap_chown[20] = { 0, 0, 0, 2, 1 }; /* struct vfs_cap_data */
        struct lsr_io *io = engine_open(engine);
        struct lsr_meta metas[4] = {};
        struct lsr_op ops[4];
        char long_name[100];

        if (setxattr(io_file("marked", "x"), "security.capability", cap_chown, sizeof(cap_chown), 0) < 0)
                cr_skip_test("no capabilities here");
        io_file("plain", "x");
        io_file("many", "x");
        for (unsigned i = 0; i < 12; i++) {
                sprintf(long_name, "user.%090u", i);
                cr_assert_eq(setxattr(io_file("many", NULL), long_name, "v", 1, 0), 0);
        }
        for (unsigned i = 0; i < 4; i++)
                ops[i] = op_stat(io_dirfd, names[i], LSR_FIELD_TYPE | LSR_FIELD_ATTRIBUTES, true, &metas[i]);
        cr_assert_eq(lsr_io_run(io, ops, 4), 0);
        cr_assert_eq(metas[2].error, -ENOENT);
        cr_assert_not(metas[3].known & LSR_FIELD_ATTRIBUTES, "more names than one call has room for");
        if (metas[0].known & LSR_FIELD_ATTRIBUTES) {
                cr_assert_eq(metas[0].attributes, LSR_ATTRIBUTE_CAPABILITY);
                cr_assert_eq(metas[1].attributes, 0);
        }
        cr_assert_eq(metas[0].known & LSR_FIELD_ATTRIBUTES, metas[1].known & LSR_FIELD_ATTRIBUTES);
        /* The ring does not.  Kernels before Linux 6.13 have no such call. */
        if (strcmp(engine, "uring") == 0 || syscall(465, AT_FDCWD, "/", 0, NULL, 0) < 0)
                cr_assert_not(metas[0].known & LSR_FIELD_ATTRIBUTES);
        else
                cr_assert(metas[0].known & LSR_FIELD_ATTRIBUTES);
        lsr_io_free(io);
}

/* ---- few resources ---- */

static void io_limit_files(unsigned spare)
{
        struct rlimit limit;
        int fds[32];

        getrlimit(RLIMIT_NOFILE, &limit);
        for (unsigned i = 0; i <= spare; i++)
                cr_assert_geq(fds[i] = dup(io_dirfd), 0);
        limit.rlim_cur = (rlim_t)fds[spare];
        for (unsigned i = 0; i <= spare; i++)
                close(fds[i]);
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* What runs the tests may share the limits of a test's process; those of a child are the test's alone. */
static void io_in_child(void (*test)(const char *engine), const char *engine)
{
        pid_t child;
        int status;

        lsr_io_free(engine_open(engine));
        child = fork();
        if (child == 0) {
                test(engine);
                _exit(0);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(!WIFSIGNALED(status), "%s", strsignal(WTERMSIG(status)));
        cr_assert_eq(status, 0);
}

static void io_few_descriptors_stat(const char *engine)
{
        struct lsr_io *io = engine_open(engine);

        io_make(1000);
        io_limit_files(3);
        io_batch(io, 1000, 1, false, 1000);
        io_read_all_sorts(io);
        lsr_io_free(io);
}

/* A table of direct descriptors larger than the limit is refused; the files are read all the same. */
IO_TEST(few_descriptors)
{
        io_in_child(io_few_descriptors_stat, engine);
}

static void io_few_descriptors_read(const char *engine)
{
        struct lsr_io *io = engine_open(engine);

        io_make(100);
        io_batch(io, 100, 1, false, 100);
        io_limit_files(3);
        io_read_many(io);
        lsr_io_free(io);
}

IO_TEST(few_descriptors_many_files)
{
        io_in_child(io_few_descriptors_read, engine);
}

IO_TEST(no_locked_memory)
{
        struct rlimit limit = { 0, 0 };
        struct lsr_io *io;

        cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
        io = engine_open(engine);
        io_batch(io, 5000, 1, false, 5000);
        io_read_many(io);
        lsr_io_free(io);
}
