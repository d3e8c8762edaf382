/*
 * tree - directories found again by their path from the target
 *
 * A whole path in one openat2() costs a call for a directory, however deep.  A
 * few stay open, as members of one directory mostly come together.
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

#define TREE_FLAGS (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int lsr_tree_open(struct lsr_tree *ret_tree, const char *path, const struct lsr_catalogue *c, uint32_t base)
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
        *t = (struct lsr_tree){ .c = c, .base = base, .root = fd };
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
        /* EPERM is what a container says that does not know the call. */
        if (errno == ENOSYS || errno == EPERM)
                t->no_openat2 = true;
        return -errno;
}

/* Component by component; @path is written to. */
static int tree_walk(const struct lsr_tree *t, char *path, int flags)
{
        int fd = t->root;

        while (*path) {
                size_t n = strcspn(path, "/");
                bool last = path[n] == '\0';
                int next = -EINVAL;

                path[n] = '\0';
                if (lsr_tree_name_valid(path)) {
                        next = openat(fd, path, (last ? flags : O_PATH) | TREE_FLAGS);
                        if (next < 0)
                                next = -errno;
                }
                if (fd != t->root)
                        close(fd);
                if (next < 0)
                        return next;
                fd = next;
                path += last ? n : n + 1;
        }
        return fd;
}

int lsr_tree_open_dir(struct lsr_tree *t, uint32_t row, int flags)
{
        char *path;
        int fd = -ENOSYS;

        if (row == t->base) {
                fd = openat(t->root, ".", flags | TREE_FLAGS);
                return fd < 0 ? -errno : fd;
        }
        path = lsr_tree_path(t, row);
        if (!t->no_openat2 && strlen(path) < PATH_MAX)
                fd = tree_openat2(t, path, flags);
        if (t->no_openat2 || strlen(path) >= PATH_MAX)
                fd = tree_walk(t, path, flags);
        free(path);
        return fd;
}

int lsr_tree_dir(struct lsr_tree *t, uint32_t row)
{
        unsigned slot = row % LSR_TREE_OPEN;
        int fd;

        if (row == t->base)
                return t->root;
        if (t->open[slot].fd >= 0 && t->open[slot].row == row)
                return t->open[slot].fd;
        fd = lsr_tree_open_dir(t, row, O_PATH);
        if (fd < 0)
                return fd;
        if (t->open[slot].fd >= 0)
                close(t->open[slot].fd);
        t->open[slot].row = row;
        t->open[slot].fd = fd;
        return fd;
}
