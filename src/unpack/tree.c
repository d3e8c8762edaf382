/*
 * tree - directories are opened by their path from the target
 *
 * A whole path in one openat2() costs a call for a directory.  A few stay open,
 * as members of one directory mostly come together.  Where a path is longer than
 * the kernel takes, they are also what a walk starts from.
 */
#include "unpack/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"

#define TREE_FLAGS (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

unsigned lsr_tree_depth(const struct lsr_tree *t, uint32_t row)
{
        unsigned depth = 0;

        for (; row != t->base; row = lsr_catalogue_parent(t->c, row))
                depth++;
        return depth;
}

int lsr_tree_open(struct lsr_tree *ret_tree, const char *path, const struct lsr_catalogue *c, uint32_t base,
                  unsigned strip)
{
        struct lsr_tree *t = ret_tree;
        int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0 && errno == ENOENT) {
                if (mkdir(path, 0777) < 0)
                        return -errno;
                fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        }
        if (fd < 0)
                return -errno;
        *t = (struct lsr_tree){ .c = c, .base = base, .strip = strip, .root = fd };
        for (unsigned i = 0; i < LSR_TREE_OPEN; i++)
                t->open[i].fd = -1;
        return 0;
}

void lsr_tree_close(struct lsr_tree *t)
{
        for (unsigned i = 0; i < LSR_TREE_OPEN; i++)
                if (t->open[i].fd >= 0)
                        close(t->open[i].fd);
        close(t->root);
}

char *lsr_tree_path(const struct lsr_tree *t, uint32_t row)
{
        size_t len = lsr_catalogue_path(t->c, row, NULL, 0), skip = lsr_catalogue_path(t->c, t->base, NULL, 0);
        char *path = lsr_xmalloc(len + 1);

        lsr_catalogue_path(t->c, row, path, len + 1);
        /* The '/' behind the base. */
        skip += skip > 0;
        if (skip > len)
                skip = len;
        for (unsigned i = 0; i < t->strip; i++) {
                const char *slash = strchr(path + skip, '/');

                skip = slash ? (size_t)(slash + 1 - path) : len;
        }
        memmove(path, path + skip, len - skip + 1);
        return path;
}

bool lsr_tree_name_valid(const char *name)
{
        return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int tree_openat2(struct lsr_tree *t, const char *path, int flags)
{
        struct open_how how = {
                .flags = (uint64_t)(flags | TREE_FLAGS),
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
        };
        long fd = syscall(SYS_openat2, t->root, path, &how, sizeof(how));

        if (fd >= 0)
                return (int)fd;
        /* Containers that do not know the call return EPERM. */
        if (errno == ENOSYS || errno == EPERM)
                t->no_openat2 = true;
        return -errno;
}

/* Parents and children of a regular tree are so many rows apart that they would share one by row % LSR_TREE_OPEN. */
static unsigned tree_slot(uint32_t row)
{
        return row * 0x9e3779b1u / (UINT32_MAX / LSR_TREE_OPEN + 1);
}

/* @fd is that of directory @row from now on. */
static void tree_keep(struct lsr_tree *t, uint32_t row, int fd)
{
        unsigned slot = tree_slot(row);

        if (t->open[slot].fd >= 0)
                close(t->open[slot].fd);
        t->open[slot].row = row;
        t->open[slot].fd = fd;
}

static int tree_kept(const struct lsr_tree *t, uint32_t row)
{
        unsigned slot = tree_slot(row);

        if (lsr_tree_is_root(t, row))
                return t->root;
        return t->open[slot].fd >= 0 && t->open[slot].row == row ? t->open[slot].fd : -1;
}

static int tree_step(const struct lsr_tree *t, int fd, uint32_t row, int flags)
{
        struct lsr_member m;

        lsr_catalogue_get(t->c, row, &m);
        if (!lsr_tree_name_valid(m.path))
                return -EINVAL;
        fd = openat(fd, m.path, flags | TREE_FLAGS);
        return fd < 0 ? -errno : fd;
}

/*
 * Component by component, from the nearest directory that is open.  They are kept, as those beside it will want them.
 */
static int tree_walk(struct lsr_tree *t, uint32_t row)
{
        uint32_t chain[LSR_CATALOGUE_DEPTH_MAX];
        size_t n = 0;
        int fd;

        while ((fd = tree_kept(t, row)) < 0) {
                if (n == LSR_CATALOGUE_DEPTH_MAX)
                        return -ENAMETOOLONG;
                chain[n++] = row;
                row = lsr_catalogue_parent(t->c, row);
        }
        while (n > 0) {
                fd = tree_step(t, fd, chain[--n], O_PATH);
                if (fd < 0)
                        return fd;
                tree_keep(t, chain[n], fd);
        }
        return fd;
}

/* 0: at once; 1: better or only component by component. */
static int tree_open_whole(struct lsr_tree *t, uint32_t row, int flags, int *ret_fd)
{
        bool near = tree_kept(t, lsr_catalogue_parent(t->c, row)) >= 0;
        lsr_autofree char *path = t->no_openat2 || near ? NULL : lsr_tree_path(t, row);
        int fd = path && strlen(path) < PATH_MAX ? tree_openat2(t, path, flags) : -ENOSYS;

        if (fd == -ENOSYS || (fd < 0 && t->no_openat2))
                return 1;
        *ret_fd = fd;
        return 0;
}

int lsr_tree_open_dir(struct lsr_tree *t, uint32_t row, int flags)
{
        int fd;

        if (lsr_tree_is_root(t, row)) {
                fd = openat(t->root, ".", flags | TREE_FLAGS);
                return fd < 0 ? -errno : fd;
        }
        if (tree_open_whole(t, row, flags, &fd) == 0)
                return fd;
        fd = tree_walk(t, lsr_catalogue_parent(t->c, row));
        return fd < 0 ? fd : tree_step(t, fd, row, flags);
}

int lsr_tree_dir(struct lsr_tree *t, uint32_t row)
{
        int fd = tree_kept(t, row);

        if (fd >= 0)
                return fd;
        if (tree_open_whole(t, row, O_PATH, &fd) != 0)
                return tree_walk(t, row);
        if (fd >= 0)
                tree_keep(t, row, fd);
        return fd;
}
