/*
 * io-dir - a scratch directory for the tests of the engines: files of all lengths, links, dangling links and
 * directories; some names in every batch are missing
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine-open.h"
#include "io/io.h"

#define IO_NAMES_MAX 20000
#define IO_FIELDS 0x1fff /* all of enum lsr_field */

static char io_dir[64];
static int io_dirfd = -1;
static size_t io_made;
static char (*io_names)[16];

static inline void io_setup(void)
{
        strcpy(io_dir, "/tmp/lsr-test-io-XXXXXX");
        cr_assert(mkdtemp(io_dir));
        io_dirfd = open(io_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        cr_assert_geq(io_dirfd, 0);
        io_names = calloc(IO_NAMES_MAX, sizeof(*io_names));
}

static inline int io_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st, (void)type, (void)ftw;
        return remove(path);
}

static inline void io_teardown(void)
{
        close(io_dirfd);
        nftw(io_dir, io_remove, 16, FTW_DEPTH | FTW_PHYS);
        free(io_names);
}

static inline bool io_is_missing(size_t i)
{
        return i % 11 == 5;
}

/* Bring the directory to @n names. */
static inline void io_make(size_t n)
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
static inline void io_mark(struct lsr_meta *metas, size_t n)
{
        memset(metas, 0, n * sizeof(*metas));
        for (size_t i = 0; i < n; i++)
                metas[i] = (struct lsr_meta){ .known = LSR_FIELD_INODE, .inode = 4711, .size = 17, .error = 0 };
}

static inline void io_check_one(const char *name, int dirfd, const char *path, bool follow, const struct lsr_meta *m)
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
static inline void io_batch(struct lsr_io *io, size_t n, size_t lots, bool follow, size_t expected)
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

/* A file of its own in the directory; @text NULL: its path only. */
static inline char *io_file(const char *name, const char *text)
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
