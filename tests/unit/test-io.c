/*
 * The engines, each through the same face, against plain system calls.
 *
 * A scratch directory has files of all lengths, links, dangling links and
 * directories; some names in every batch are missing.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "engine-open.h"
#include "io/io.h"

#define IO_NAMES_MAX 20000
#define IO_FIELDS 0x1fff /* all of enum lsr_field */

static char io_dir[64];
static int io_dirfd = -1;
static size_t io_made;
static char (*io_names)[16];

static void io_setup(void)
{
        strcpy(io_dir, "/tmp/lsr-test-io-XXXXXX");
        cr_assert(mkdtemp(io_dir));
        io_dirfd = open(io_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert_geq(io_dirfd, 0);
        io_names = calloc(IO_NAMES_MAX, sizeof(*io_names));
}

static int io_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st, (void)type, (void)ftw;
        return remove(path);
}

static void io_teardown(void)
{
        close(io_dirfd);
        nftw(io_dir, io_remove, 16, FTW_DEPTH | FTW_PHYS);
        free(io_names);
}

static bool io_is_missing(size_t i)
{
        return i % 11 == 5;
}

/* Bring the directory to @n names. */
static void io_make(size_t n)
{
        for (; io_made < n; io_made++) {
                char *name = io_names[io_made];

                sprintf(name, "n%zu", io_made);
                if (io_is_missing(io_made)) {
                        continue;
                } else if (io_made % 7 == 3) {
                        cr_assert_eq(symlinkat("n0", io_dirfd, name), 0);
                } else if (io_made % 13 == 1) {
                        cr_assert_eq(symlinkat("nowhere", io_dirfd, name), 0);
                } else if (io_made % 401 == 2) {
                        cr_assert_eq(mkdirat(io_dirfd, name, 0750), 0);
                } else {
                        int fd = openat(io_dirfd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600 | (io_made % 64));

                        cr_assert_geq(fd, 0);
                        if (io_made % 3 == 0)
                                cr_assert_eq(ftruncate(fd, (off_t)io_made), 0);
                        close(fd);
                }
        }
}

/* On failure only error may have been set; these show it. */
static void io_mark(struct lsr_meta *metas, size_t n)
{
        memset(metas, 0, n * sizeof(*metas));
        for (size_t i = 0; i < n; i++)
                metas[i] = (struct lsr_meta){ .known = LSR_FIELD_INODE, .inode = 4711, .size = 17, .error = 0 };
}

static void io_check_one(const char *name, int dirfd, const char *path, bool follow, const struct lsr_meta *m)
{
        struct stat st;

        if (fstatat(dirfd, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
                cr_assert_eq(m->error, -errno, "%s: error %d, not %d", name, m->error, -errno);
                cr_assert(m->known == LSR_FIELD_INODE && m->inode == 4711 && m->size == 17 && m->mode == 0,
                          "%s: a failure touched more than error", name);
                return;
        }
        cr_assert_eq(m->error, 0, "%s: error %d", name, m->error);
        /* Birth times are not on every file system. */
        cr_assert_eq(m->known | LSR_FIELD_BTIME, (unsigned)IO_FIELDS, "%s: known %x", name, m->known);
        cr_assert_eq(m->mode, st.st_mode, "%s: mode %o", name, m->mode);
        cr_assert_eq(m->inode, st.st_ino, "%s: inode", name);
        cr_assert_eq(m->nlink, st.st_nlink, "%s: nlink", name);
        cr_assert_eq(m->uid, st.st_uid, "%s: uid", name);
        cr_assert_eq(m->gid, st.st_gid, "%s: gid", name);
        cr_assert_eq(m->size, (uint64_t)st.st_size, "%s: size", name);
        cr_assert_eq(m->blocks, (uint64_t)st.st_blocks, "%s: blocks", name);
        cr_assert_eq(m->sec[LSR_MTIME], st.st_mtim.tv_sec, "%s: mtime", name);
        cr_assert_eq(m->nsec[LSR_MTIME], st.st_mtim.tv_nsec, "%s: mtime ns", name);
        cr_assert_eq(m->sec[LSR_CTIME], st.st_ctim.tv_sec, "%s: ctime", name);
        cr_assert_eq(m->nsec[LSR_CTIME], st.st_ctim.tv_nsec, "%s: ctime ns", name);
        cr_assert_eq(m->sec[LSR_ATIME], st.st_atim.tv_sec, "%s: atime", name);
        cr_assert_eq(lsr_dev_major(m->dev), (unsigned)(st.st_dev >> 8 & 0xfff), "%s: dev major", name);
}

/* The first @n names in @lots lots, checked against fstatat.  @expected: 0: many. */
static void io_batch(struct lsr_io *io, size_t n, size_t lots, bool follow, size_t expected)
{
        struct lsr_op *ops = calloc(n + 1, sizeof(*ops));
        struct lsr_meta *metas = calloc(n + 1, sizeof(*metas));
        size_t done = 0;

        io_make(n);
        io_mark(metas, n);
        for (size_t i = 0; i < n; i++)
                ops[i] = op_stat(io_dirfd, io_names[i], IO_FIELDS, follow, &metas[i]);
        lsr_io_expect(io, expected ? expected : LSR_IO_MANY);
        for (size_t lot = 0; lot < lots; lot++) {
                size_t len = lot + 1 == lots ? n - done : n / lots;

                cr_assert_eq(lsr_io_add(io, ops + done, len), 0);
                done += len;
        }
        lsr_io_wait(io);
        for (size_t i = 0; i < n; i++)
                io_check_one(io_names[i], io_dirfd, io_names[i], follow, &metas[i]);
        free(ops);
        free(metas);
}

/* One test for every engine; auto among them, which takes this one or that. */
#define IO_TEST(what)                                                   \
        static void io_##what(const char *engine);                      \
        Test(io, what##_sync, .init = io_setup, .fini = io_teardown)    \
        {                                                               \
                io_##what("sync");                                      \
        }                                                               \
        Test(io, what##_threads, .init = io_setup, .fini = io_teardown) \
        {                                                               \
                io_##what("threads");                                   \
        }                                                               \
        Test(io, what##_uring, .init = io_setup, .fini = io_teardown)   \
        {                                                               \
                io_##what("uring");                                     \
        }                                                               \
        Test(io, what##_auto, .init = io_setup, .fini = io_teardown)    \
        {                                                               \
                io_##what("auto");                                      \
        }                                                               \
        static void io_##what(const char *engine)

static const size_t io_counts[] = { 0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 5000, 20000 };
#define IO_SIZES (sizeof(io_counts) / sizeof(*io_counts))

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

/* ---- files ---- */

static char *io_file(const char *name, const char *text)
{
        static char paths[64][128];
        static unsigned next;
        char *path = paths[next++ % 64];
        FILE *f;

        sprintf(path, "%s/%s", io_dir, name);
        if (text) {
                f = fopen(path, "we");
                cr_assert(f, "%s: %s", path, strerror(errno));
                fputs(text, f);
                fclose(f);
        }
        return path;
}

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

/* No ring is made for what takes a call for each file anyway. */
Test(io, prefer_calls, .init = io_setup, .fini = io_teardown)
{
        enum { N = 300 };
        struct lsr_io *io = engine_open("auto");
        struct lsr_meta metas[N] = {};
        struct lsr_op ops[N];

        for (unsigned i = 0; i < N; i++)
                ops[i] = op_stat(io_dirfd, ".", LSR_FIELD_TYPE | LSR_FIELD_ATTRIBUTES, true, &metas[i]);
        lsr_io_prefer_calls(io);
        cr_assert_eq(lsr_io_run(io, ops, N), 0);
        for (unsigned i = 0; i < N; i++)
                cr_assert(metas[i].error == 0 && S_ISDIR(metas[i].mode));
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 0);
        cr_assert_str_eq(lsr_io_name(io), "threads");
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

/* ---- who did it ---- */

Test(io, sync_does_the_work, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("sync");
        const struct lsr_io_stats *s = lsr_io_stats(io);

        io_batch(io, 1000, 1, false, 1000);
        cr_assert_str_eq(lsr_io_name(io), "sync");
        cr_assert_eq(s->sync_ops, 1000);
        cr_assert_eq(s->syscalls, 1000);
        cr_assert(s->ring_ops == 0 && s->ring_enters == 0 && s->thread_ops == 0 && s->faults == 0);
        lsr_io_free(io);
}

Test(io, threads_do_the_work, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("threads");
        const struct lsr_io_stats *s = lsr_io_stats(io);

        io_batch(io, 10, 1, false, 10);
        cr_assert_eq(s->thread_ops, 10);
        io_batch(io, 1000, 1, false, 1000);
        cr_assert_str_eq(lsr_io_name(io), "threads");
        cr_assert_eq(s->thread_ops, 1010);
        cr_assert(s->ring_ops == 0 && s->ring_enters == 0 && s->sync_ops == 0);
        lsr_io_free(io);
}

Test(io, uring_does_the_work, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("uring");
        const struct lsr_io_stats *s = lsr_io_stats(io);

        io_batch(io, 10, 1, false, 10);
        cr_assert_eq(s->ring_ops, 10);
        io_batch(io, 10000, 1, false, 10000);
        cr_assert_str_eq(lsr_io_name(io), "uring");
        cr_assert_eq(s->ring_ops, 10010);
        cr_assert(s->sync_ops == 0 && s->thread_ops == 0);
        /* Only what is missing is asked for again: nothing disturbs its neighbours. */
        cr_assert_leq(s->retried_ops, 10 / 11 + 1 + 10000 / 11 + 1);
        cr_assert_leq(s->ring_enters, 60);
        lsr_io_free(io);
}

/* What the ring has read is not read again. */
Test(io, uring_reads_files, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("uring");
        static char bufs[20][64];
        struct lsr_op_data files[20];
        struct lsr_op ops[20];

        for (unsigned i = 0; i < 20; i++) {
                char name[16];

                sprintf(name, "f%u", i);
                files[i] = (struct lsr_op_data){ .buf = bufs[i], .cap = 64, .ret = 99 };
                ops[i] = op_data(LSR_OP_READ_FILE, AT_FDCWD, io_file(name, "text\n"), &files[i]);
        }
        cr_assert_eq(lsr_io_run(io, ops, 20), 0);
        for (unsigned i = 0; i < 20; i++)
                cr_assert_eq(files[i].ret, 5);
        cr_assert_eq(lsr_io_stats(io)->retried_ops, 0);
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 60);
        lsr_io_free(io);
}

Test(io, auto_takes_sync_for_few_and_the_ring_for_many, .init = io_setup, .fini = io_teardown)
{
        struct lsr_io *io = engine_open("uring");

        lsr_io_free(io);
        io = engine_open("auto");
        io_batch(io, LSR_IO_RING_MIN - 1, 1, false, LSR_IO_RING_MIN - 1);
        cr_assert_str_eq(lsr_io_name(io), "sync");
        cr_assert_eq(lsr_io_stats(io)->ring_ops, 0);
        io_batch(io, LSR_IO_RING_MIN, 1, false, LSR_IO_RING_MIN);
        cr_assert_str_eq(lsr_io_name(io), "uring");
        cr_assert_eq(lsr_io_stats(io)->ring_ops, LSR_IO_RING_MIN);
        io_batch(io, 3, 1, false, 3);
        cr_assert_str_eq(lsr_io_name(io), "sync");
        lsr_io_free(io);
}

Test(io, names_of_engines)
{
        static const char *const bad[] = { "",       "Sync",       "uring ",
                                           "urin",   "threads2",   "fault",
                                           "fault:", "fault:nope", "fault:auto:stat=EIO/3" };
        struct lsr_io *io = (struct lsr_io *)8;

        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                cr_assert_eq(lsr_io_new(&io, bad[i]), -EINVAL, "'%s'", bad[i]);
        cr_assert_eq(io, (struct lsr_io *)8, "written on failure");
        cr_assert_null(lsr_io_free(NULL));
}

/* The numbers of the ring, for experiments. */
Test(io, tunings, .init = io_setup, .fini = io_teardown)
{
        static const char *const good[] = { "uring:depth=128,chain=8,workers=2,batch=1", "uring:chain=128",
                                            "uring:depth=4096", "uring:batch=2,workers=64", "uring:" };
        static const char *const bad[] = { "uring:depth=127",  "uring:depth=4097", "uring:chain=7",
                                           "uring:chain=129",  "uring:workers=0",  "uring:workers=65",
                                           "uring:batch=0",    "uring:batch=3",    "uring:depth",
                                           "uring:depth=x",    "uring:depth=128x", "uring:many=5",
                                           "uring:depth=-128", "uring:,",          "sync:depth=128",
                                           "threads:workers=2" };
        struct lsr_io *io;

        for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
                io = engine_open(good[i]);
                io_batch(io, 1000, 1, false, 1000);
                cr_assert_eq(lsr_io_stats(io)->ring_ops, 1000, "%s", good[i]);
                lsr_io_free(io);
        }
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
                cr_assert_eq(lsr_io_new(&io, bad[i]), -EINVAL, "%s", bad[i]);
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

static void io_died(int sig)
{
        void *frames[32];

        backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
        signal(sig, SIG_DFL);
        raise(sig);
}

/* What runs the tests may share the limits of a test's process; those of a child are the test's alone. */
static void io_in_child(void (*test)(const char *engine), const char *engine)
{
        pid_t child;
        int status;

        lsr_io_free(engine_open(engine));
        child = fork();
        if (child == 0) {
                signal(SIGSEGV, io_died);
                signal(SIGABRT, io_died);
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
