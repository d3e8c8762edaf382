/*
 * target - O_TMPFILE, linked when complete
 *
 * linkat(2) does not replace a name that exists, which is right unless the old
 * file is to be replaced; then the new one gets a name beside it first, and
 * rename(2) replaces the old one atomically.
 *
 * A signal may end the process at any time.  Only a name beside the target
 * could be left behind, so it is recorded for the handler; creating and
 * recording it is one step, with signals blocked.
 */
#include "pack/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "base/path.h"
#include "source/spool.h"

#define TARGET_TRIES_MAX 100
#define TARGET_DEPTH_MAX 10000 /* directories above it */
#define TARGET_COPY ((size_t)1 << 30)
#define TARGET_READ ((size_t)128 << 10)
#define TARGET_SYNC ((off_t)8 << 20)

/* The name that a handler removes; none: nothing. */
static struct {
        int dirfd;
        const char *name;
} target_left;

void lsr_target_abandon(void)
{
        if (target_left.name)
                unlinkat(target_left.dirfd, target_left.name, 0);
}

/* The target has the name @temporary beside its own, or NULL; signals are blocked. */
static void target_named(struct lsr_target *t, char *temporary)
{
        target_left.dirfd = t->dirfd;
        target_left.name = t->temporary = temporary;
}

static sigset_t target_block(void)
{
        sigset_t all, before;

        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        return before;
}

/* Keeps errno. */
static void target_unblock(const sigset_t *before)
{
        int error = errno;

        pthread_sigmask(SIG_SETMASK, before, NULL);
        errno = error;
}

/* An unused name beside the target. */
static char *target_temporary(const struct lsr_target *t)
{
        uint64_t random = 0;
        char *name;

        if (getrandom(&random, sizeof(random), 0) != sizeof(random) ||
            asprintf(&name, ".%.200s.%012llx", t->name, (unsigned long long)(random >> 16)) < 0)
                return NULL;
        return name;
}

/* Is directory @fd one of @roots, or below one? */
static int target_inside(int fd, const char *const *roots, unsigned n_roots)
{
        lsr_autofree struct stat *root = lsr_xmalloc(n_roots * sizeof(*root) + 1);
        struct stat at, above;
        unsigned n = 0;
        int dir, r = 0;

        for (unsigned i = 0; i < n_roots; i++)
                n += stat(roots[i], &root[n]) == 0 && S_ISDIR(root[n].st_mode);
        dir = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (dir < 0 || fstat(dir, &at) < 0)
                r = -errno;
        for (unsigned depth = 0; r == 0 && depth < TARGET_DEPTH_MAX; depth++) {
                int up;

                for (unsigned i = 0; i < n; i++)
                        if (root[i].st_dev == at.st_dev && root[i].st_ino == at.st_ino)
                                r = LSR_TARGET_INSIDE;
                up = r == 0 ? openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
                if (up < 0)
                        break;
                close(dir);
                dir = up;
                if (fstat(dir, &above) < 0 || (above.st_dev == at.st_dev && above.st_ino == at.st_ino))
                        break;
                at = above;
        }
        if (dir >= 0)
                close(dir);
        return r;
}

/* A file in the target's directory: without a name, or with an unused one. */
static int target_create(struct lsr_target *t)
{
        t->fd = openat(t->dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
        /* Errors of file systems and kernels without such files. */
        if (t->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
                return t->fd < 0 ? -errno : 0;
        for (unsigned tries = 0; tries < TARGET_TRIES_MAX; tries++) {
                char *name = target_temporary(t);
                sigset_t before;

                if (!name)
                        return -errno;
                before = target_block();
                t->fd = openat(t->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
                if (t->fd >= 0)
                        target_named(t, name);
                target_unblock(&before);
                if (t->fd >= 0)
                        return 0;
                free(name);
                if (errno != EEXIST)
                        break;
        }
        return -errno;
}

static int target_open_stream(struct lsr_target *t, int end, bool needs_file)
{
        t->spooled = t->is_file = needs_file;
        t->end = end;
        t->fd = needs_file ? lsr_spool_file() : end;
        return t->fd < 0 ? t->fd : 0;
}

int lsr_target_open_pipe(struct lsr_target *ret_target, int fd, bool needs_file)
{
        struct lsr_target t = { .dirfd = -1, .room = LSR_TARGET_UNBOUNDED };
        int r = target_open_stream(&t, fd, needs_file);

        if (r < 0)
                lsr_target_close(&t);
        *ret_target = t;
        return r;
}

/* Look at the existing file of that name, if any. 1: it is a device or the like, and open. */
static int target_open_old(struct lsr_target *t, const char *path)
{
        struct stat st;

        if (fstatat(t->dirfd, t->name, &st, 0) < 0)
                return fstatat(t->dirfd, t->name, &st, AT_SYMLINK_NOFOLLOW) < 0 || t->force ? 0 : LSR_TARGET_EXISTS;
        if (S_ISDIR(st.st_mode))
                return LSR_TARGET_IS_DIR;
        if (S_ISREG(st.st_mode))
                return t->force ? 0 : LSR_TARGET_EXISTS;
        /* To wait for a reader is to wait without a word. */
        t->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(st.st_mode) ? O_NONBLOCK : 0));
        if (t->fd < 0)
                return errno == ENXIO && S_ISFIFO(st.st_mode) ? LSR_TARGET_NO_READER : -errno;
        return S_ISFIFO(st.st_mode) && fcntl(t->fd, F_SETFL, 0) < 0 ? -errno : -EALREADY;
}

int lsr_target_open(struct lsr_target *ret_target, const char *path, bool force, bool needs_file,
                    const char *const *roots, unsigned n_roots)
{
        struct lsr_target t = { .fd = -1, .dirfd = -1, .force = force, .room = LSR_TARGET_UNBOUNDED };
        const char *name = lsr_path_name(path);
        lsr_autofree char *dir = NULL;
        struct statvfs fs;
        int r;

        if (strcmp(path, "-") == 0) {
                r = target_open_stream(&t, STDOUT_FILENO, needs_file);
                *ret_target = t;
                return r;
        }
        if (!*path)
                return -ENOENT;
        if (!*name)
                return LSR_TARGET_IS_DIR;
        dir = lsr_xprintf("%.*s.", (int)(name - path), path);
        t.name = lsr_xstrdup(name);
        t.dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        r = t.dirfd < 0 ? -errno : target_open_old(&t, path);
        if (r == -EALREADY) {
                *ret_target = t;
                return 0;
        }
        if (r == 0)
                r = target_inside(t.dirfd, roots, n_roots);
        if (r == 0 && fstatvfs(t.dirfd, &fs) == 0 && fs.f_blocks > 0) {
                if (__builtin_mul_overflow(fs.f_bavail, fs.f_frsize, &t.room))
                        t.room = LSR_TARGET_UNBOUNDED;
                if (fs.f_bavail == 0)
                        r = LSR_TARGET_NO_SPACE;
        }
        if (r == 0)
                r = target_create(&t);
        if (r != 0) {
                lsr_target_close(&t);
                return r;
        }
        t.is_file = true;
        *ret_target = t;
        return 0;
}

/* Wait for one piece of the file to reach the disk, while the next is being written. */
static int target_write_out(struct lsr_target *t, off_t at)
{
        sync_file_range(t->fd, at + TARGET_SYNC, TARGET_SYNC, SYNC_FILE_RANGE_WRITE);
        return sync_file_range(t->fd, at, TARGET_SYNC,
                               SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

void lsr_target_flow(struct lsr_target *t, uint64_t written)
{
        if (!t->is_file || t->spooled || written < t->flown + (uint64_t)TARGET_SYNC)
                return;
        sync_file_range(t->fd, (off_t)t->flown, (off_t)(written - t->flown), SYNC_FILE_RANGE_WRITE);
        t->flown = written;
}

int lsr_target_sync(struct lsr_target *t)
{
        struct stat st;

        if (!t->is_file || t->spooled)
                return 0;
        /* fsync(2) cannot be interrupted, so little must be left to do for it. */
        if (fstat(t->fd, &st) == 0 && st.st_size > TARGET_SYNC)
                for (off_t at = 0; at < st.st_size && target_write_out(t, at) == 0;)
                        at += TARGET_SYNC;
        return fsync(t->fd) < 0 ? -errno : 0;
}

/* Give the file the unused name @name. */
static int target_link(struct lsr_target *t, const char *name)
{
        char self[32];

        if (t->temporary)
                return linkat(t->dirfd, t->temporary, t->dirfd, name, 0) < 0 ? -errno : 0;
        snprintf(self, sizeof(self), "/proc/self/fd/%d", t->fd);
        if (linkat(AT_FDCWD, self, t->dirfd, name, AT_SYMLINK_FOLLOW) == 0)
                return 0;
        /* Without /proc; this way asks for a capability on kernels before 6.10. */
        if (errno == ENOENT && linkat(t->fd, "", t->dirfd, name, AT_EMPTY_PATH) == 0)
                return 0;
        return -errno;
}

static int target_replace(struct lsr_target *t)
{
        for (unsigned tries = 0; !t->temporary; tries++) {
                char *name = target_temporary(t);
                int r = name ? target_link(t, name) : -errno;

                if (r == 0) {
                        target_named(t, name);
                        break;
                }
                free(name);
                if (r != -EEXIST || tries == TARGET_TRIES_MAX)
                        return r;
        }
        if (renameat(t->dirfd, t->temporary, t->dirfd, t->name) < 0)
                return -errno;
        free(t->temporary);
        target_named(t, NULL);
        return 0;
}

/* Copy from @from on, through a buffer. */
static int target_copy_read(const struct lsr_target *t, off_t from)
{
        struct lsr_out out;
        int r = 0;

        lsr_out_init(&out, t->end);
        while (r == 0) {
                char *to = lsr_out_reserve(&out, TARGET_READ);
                ssize_t n = pread(t->fd, to, TARGET_READ, from);

                if (n == 0)
                        break;
                if (n > 0) {
                        lsr_out_commit(&out, to + n);
                        from += n;
                        r = lsr_out_flush(&out);
                } else if (errno != EINTR) {
                        r = -errno;
                }
        }
        lsr_out_free(&out);
        return r;
}

static int target_copy_out(const struct lsr_target *t)
{
        off_t from = 0;
        ssize_t n;

        do {
                n = sendfile(t->end, t->fd, &from, TARGET_COPY);
        } while (n > 0 || (n < 0 && errno == EINTR));
        /* The kernel sends nothing to what was opened with O_APPEND, as the shell does for ">>". */
        if (n < 0 && (errno == EINVAL || errno == ENOSYS))
                return target_copy_read(t, from);
        return n < 0 ? -errno : 0;
}

int lsr_target_commit(struct lsr_target *t)
{
        sigset_t before;
        int r;

        if (t->spooled)
                return target_copy_out(t);
        if (!t->is_file)
                return 0;
        before = target_block();
        r = t->force ? target_replace(t) : target_link(t, t->name);
        target_unblock(&before);
        if (r < 0)
                return r == -EEXIST ? LSR_TARGET_EXISTS : r;
        /* Write the directory to the disk, too; if this fails, the file is there all the same. */
        fsync(t->dirfd);
        return 0;
}

void lsr_target_close(struct lsr_target *t)
{
        if (t->temporary) {
                sigset_t before = target_block();

                unlinkat(t->dirfd, t->temporary, 0);
                free(t->temporary);
                target_named(t, NULL);
                target_unblock(&before);
        }
        if (t->fd > STDERR_FILENO)
                close(t->fd);
        if (t->spooled && t->end > STDERR_FILENO)
                close(t->end);
        if (t->dirfd >= 0)
                close(t->dirfd);
        free(t->name);
        *t = (struct lsr_target){ .fd = -1, .dirfd = -1 };
}
