/*
 * way-walk - the names of a tree, from a list of directories still to be read
 *
 * A reader that knows nothing of the tree: it opens each directory, takes the
 * names with getdents64, and opens files by name below it.  No stat is needed,
 * as directories tell what is a file, and a read tells where one ends.
 *
 * Directories are opened by their path from the root, so that only those of the
 * lot at hand are open, however deep the tree is.  A path that is longer than a
 * call takes is walked in pieces.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/path.h"
#include "compare/ways.h"
#include "entry.h"

#define WALK_DENTS ((size_t)128 << 10)
#define WALK_DIRS_MAX 128u /* open at a time */

struct walk {
        struct way *w;
        int (*read)(void *ctx, const struct way_item *items, size_t n);
        void *ctx;
        int rootfd;
        char **todo; /* paths of directories, owned */
        size_t n_todo;
        size_t cap_todo;
        struct lsr_arena texts; /* of the lot */
        struct way_item *items;
        size_t n;
        int dirs[WALK_DIRS_MAX];
        unsigned n_dirs;
        uint8_t *dents;
};

static void walk_todo(struct walk *k, const char *path)
{
        lsr_grow(&k->todo, k->n_todo, &k->cap_todo);
        k->todo[k->n_todo++] = lsr_xstrdup(path);
}

/* Read the lot; directories before the last @keep are finished. */
static int walk_flush(struct walk *k, unsigned keep)
{
        int r = k->n > 0 ? k->read(k->ctx, k->items, k->n) : 0;
        uint64_t began = way_clock();

        k->n = 0;
        lsr_arena_reset(&k->texts);
        for (unsigned i = 0; i + keep < k->n_dirs; i++)
                close(k->dirs[i]);
        if (keep > 0 && k->n_dirs > 0)
                k->dirs[0] = k->dirs[k->n_dirs - 1];
        k->n_dirs = k->n_dirs < keep ? k->n_dirs : keep;
        k->w->io_ns += way_clock() - began;
        return r;
}

static int walk_add(struct walk *k, int dirfd, const char *name, const char *path, size_t len, bool link)
{
        k->items[k->n++] = (struct way_item){ dirfd, name, path, (uint32_t)len, link };
        return k->n == WAY_LOT ? walk_flush(k, 1) : 0;
}

static unsigned char walk_type(struct walk *k, int fd, const struct dirent *d)
{
        unsigned char type = d->d_type;
        uint64_t began;
        struct stat st;

        if (type != DT_UNKNOWN)
                return type;
        began = way_clock();
        if (fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
                type = IFTODT(st.st_mode);
        k->w->io_ns += way_clock() - began;
        return type;
}

/* One name in directory @dir, which is open as @fd. */
static int walk_name(struct walk *k, int fd, const char *dir, const struct dirent *d)
{
        size_t dir_len = strlen(dir), len = strlen(d->d_name);
        unsigned char type;
        char *path;

        if (lsr_entry_is_dots(d->d_name))
                return 0;
        type = walk_type(k, fd, d);
        if (type != DT_DIR && ((dir_len == 0 && k->w->job->each) || (type != DT_REG && type != DT_LNK)))
                return 0;
        path = lsr_arena_text(&k->texts, dir_len + 1 + len + 1);
        dir_len = lsr_path_put(path, dir, dir_len, d->d_name, len);
        if (type != DT_DIR)
                return walk_add(k, fd, path + dir_len, path, dir_len + len, type == DT_LNK);
        walk_todo(k, path);
        return 0;
}

/* Files that this user may not read are in no way. */
static bool walk_forbidden(int error)
{
        return error == EACCES || error == EPERM;
}

/* The first @len bytes of @path, a directory below the root.  A descriptor, or a negative errno. */
static int walk_open(const struct walk *k, const char *path, size_t len)
{
        char piece[PATH_MAX];
        int at = k->rootfd, fd = -ENAMETOOLONG;

        while (len > 0) {
                size_t n = len < sizeof(piece) ? len : sizeof(piece) - 1;

                while (n < len && n > 0 && path[n] != '/')
                        n--;
                memcpy(piece, path, n);
                piece[n] = '\0';
                fd = openat(at, piece, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
                if (fd < 0)
                        fd = -errno;
                if (at != k->rootfd)
                        close(at);
                if (fd < 0)
                        break;
                at = fd;
                n += n < len;
                path += n;
                len -= n;
        }
        return fd;
}

/* The same, open until its lot is read. */
static int walk_enter(struct walk *k, const char *path, size_t len)
{
        uint64_t began;
        int fd, r = k->n_dirs == WALK_DIRS_MAX ? walk_flush(k, 0) : 0;

        if (r < 0)
                return r;
        began = way_clock();
        fd = len > 0 ? walk_open(k, path, len) : walk_open(k, ".", 1);
        k->w->io_ns += way_clock() - began;
        if (fd >= 0)
                k->dirs[k->n_dirs++] = fd;
        return fd;
}

static int walk_dir(struct walk *k, const char *dir)
{
        uint64_t began;
        ssize_t n;
        int fd = walk_enter(k, dir, strlen(dir)), r;

        if (fd < 0)
                return walk_forbidden(-fd) ? 0 : way_fail(k->w, fd, dir);
        for (;;) {
                began = way_clock();
                n = syscall(SYS_getdents64, fd, k->dents, WALK_DENTS);
                k->w->io_ns += way_clock() - began;
                if (n <= 0)
                        break;
                for (const uint8_t *p = k->dents; p < k->dents + n;) {
                        const struct dirent *d = (const struct dirent *)(const void *)p;

                        r = walk_name(k, fd, dir, d);
                        if (r < 0)
                                return r;
                        p += d->d_reclen;
                }
        }
        return n < 0 ? way_fail(k->w, -errno, dir) : 0;
}

static int walk_picks(struct walk *k)
{
        const struct lsr_way_job *job = k->w->job;
        int r = 0;

        for (size_t i = 0; i < job->n_picks && r >= 0; i++) {
                const char *path = job->picks[i].path, *name = path;
                size_t len = strlen(path);
                int fd = k->rootfd;

                if (len >= PATH_MAX) {
                        name = strrchr(path, '/') + 1;
                        fd = walk_enter(k, path, (size_t)(name - path) - 1);
                }
                r = fd < 0 ? way_fail(k->w, fd, path) : walk_add(k, fd, name, path, len, false);
        }
        k->w->report->picks = job->n_picks;
        return r;
}

int way_walk(struct way *w, int (*read)(void *ctx, const struct way_item *items, size_t n), void *ctx)
{
        struct walk k = { .w = w, .read = read, .ctx = ctx };
        uint64_t began = way_clock();
        int r = 0;

        k.rootfd = open(w->job->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        w->io_ns += way_clock() - began;
        if (k.rootfd < 0)
                return way_fail(w, -errno, w->job->dir);
        k.items = lsr_xmalloc(WAY_LOT * sizeof(*k.items));
        k.dents = lsr_xmalloc(WALK_DENTS);
        if (w->job->picks)
                r = walk_picks(&k);
        else
                walk_todo(&k, "");
        while (r >= 0 && k.n_todo > 0) {
                char *dir = k.todo[--k.n_todo];

                r = walk_dir(&k, dir);
                free(dir);
        }
        if (r >= 0)
                r = walk_flush(&k, 0);
        while (k.n_todo > 0)
                free(k.todo[--k.n_todo]);
        while (k.n_dirs > 0)
                close(k.dirs[--k.n_dirs]);
        free(k.todo);
        free(k.items);
        free(k.dents);
        lsr_arena_free(&k.texts);
        close(k.rootfd);
        return r;
}
