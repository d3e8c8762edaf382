/*
 * inventory - the walk of packing, without packing
 *
 * Files with several names are sorted by inode after the walk: each is on the
 * disk once, and in a bundle its first name has the content.
 */
#include "compare/inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "pack/walk.h"

struct inventory_name {
        uint64_t inode, dev;
        size_t order; /* in the walk */
        uint64_t allocated;
        char *path; /* owned */
};

struct inventory {
        struct lsr_inventory *v;
        const struct lsr_inventory_options *o;
        struct lsr_walk *walk;
        size_t cap_packages;
        size_t cap_paths;
        struct inventory_name *names; /* of files that have several */
        size_t n_names;
        size_t cap_names;
};

static void inventory_keep(char ***list, size_t *n, size_t *cap, const char *text)
{
        lsr_grow(list, *n, cap);
        (*list)[(*n)++] = lsr_xstrdup(text);
}

/* May this user read it?  Asks the kernel, for the effective user. */
static bool inventory_readable(struct inventory *k, const struct lsr_walk_item *item)
{
        int fd = item->meta.size > 0 ? lsr_walk_fd(k->walk, item) : -EBADF; /* nothing: every way has it */

        if ((fd < 0 && fd != AT_FDCWD) || faccessat(fd, item->name, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0)
                return true;
        /* EPERM is what a container says that does not know faccessat2, all that libc tries; the older has no flags. */
        if (errno == EPERM && syscall(SYS_faccessat, fd, item->name, R_OK) == 0)
                return true;
        k->o->unreadable(k->o->ctx, item->path, -errno);
        return false;
}

static void inventory_name(struct inventory *k, const struct lsr_walk_item *item)
{
        lsr_grow(&k->names, k->n_names, &k->cap_names);
        k->names[k->n_names] = (struct inventory_name){ item->meta.inode, item->meta.dev, k->n_names,
                                                        item->meta.blocks * 512, lsr_xstrdup(item->path) };
        k->n_names++;
}

static int inventory_by_inode(const void *a, const void *b)
{
        const struct inventory_name *x = a, *y = b;

        if (x->inode != y->inode)
                return x->inode < y->inode ? -1 : 1;
        if (x->dev != y->dev)
                return x->dev < y->dev ? -1 : 1;
        return x->order < y->order ? -1 : 1;
}

static bool inventory_same_package(const char *a, const char *b)
{
        size_t len = strcspn(a, "/") + 1;

        return strncmp(a, b, len) == 0;
}

static void inventory_names(struct inventory *k)
{
        struct lsr_inventory *v = k->v;

        if (k->n_names == 0)
                return;
        qsort(k->names, k->n_names, sizeof(*k->names), inventory_by_inode);
        for (size_t i = 0; i < k->n_names; i++) {
                const struct inventory_name *name = &k->names[i], *before = i > 0 ? name - 1 : NULL;
                bool again = before && before->inode == name->inode && before->dev == name->dev;

                v->allocated += again ? 0 : name->allocated;
                if (k->o->paths && !(again && (!k->o->each || inventory_same_package(before->path, name->path))))
                        inventory_keep(&v->paths, &v->n_paths, &k->cap_paths, name->path);
        }
        for (size_t i = 0; i < k->n_names; i++)
                free(k->names[i].path);
        free(k->names);
}

/* The walk has '/' behind each of them: "lib-dev" comes before "lib". */
static int inventory_by_package(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static void inventory_file(struct inventory *k, const struct lsr_walk_item *item)
{
        struct lsr_inventory *v = k->v;

        if (!inventory_readable(k, item))
                return;
        v->files++;
        v->bytes += item->meta.size;
        if (item->meta.nlink > 1) {
                v->hard_links = true;
                inventory_name(k, item);
                return;
        }
        v->allocated += item->meta.blocks * 512;
        if (k->o->paths)
                inventory_keep(&v->paths, &v->n_paths, &k->cap_paths, item->path);
}

static void inventory_item(struct inventory *k, const struct lsr_walk_item *item)
{
        struct lsr_inventory *v = k->v;
        const struct lsr_meta *meta = &item->meta;
        bool top = !memchr(item->path, '/', item->path_len);

        if (meta->error || item->dir_error)
                k->o->unreadable(k->o->ctx, item->path_len > 0 ? item->path : ".",
                                 meta->error ? meta->error : item->dir_error);
        if (meta->error || item->path_len == 0) {
                v->allocated += meta->error ? 0 : meta->blocks * 512;
                return;
        }
        if (k->o->each && top && !S_ISDIR(meta->mode)) {
                v->loose++;
                return;
        }
        v->members++;
        if (S_ISREG(meta->mode)) {
                inventory_file(k, item);
        } else if (S_ISLNK(meta->mode)) {
                v->links++;
                v->hard_links |= meta->nlink > 1;
        } else if (S_ISDIR(meta->mode)) {
                v->allocated += meta->blocks * 512;
                if (top && !item->dir_error)
                        inventory_keep(&v->packages, &v->n_packages, &k->cap_packages, item->path);
        } else {
                v->special++;
        }
}

int lsr_inventory_take(struct lsr_inventory *ret_inventory, const struct lsr_inventory_options *options)
{
        const struct lsr_walk_root root = { .path = options->dir, .prefix = "", .is_dir = true };
        struct inventory k = { .v = ret_inventory, .o = options };
        struct lsr_walk_lot lot = {};
        struct lsr_io *io;
        int r = lsr_io_new(&io, "sync");

        *ret_inventory = (struct lsr_inventory){};
        if (r < 0)
                return r;
        k.walk = lsr_walk_new(&(struct lsr_walk_options){ .io = io, .roots = &root, .n_roots = 1 });
        while ((r = lsr_walk_next(k.walk, &lot)) > 0)
                for (size_t i = 0; i < lot.n; i++)
                        inventory_item(&k, &lot.items[i]);
        inventory_names(&k);
        if (ret_inventory->n_packages > 0)
                qsort(ret_inventory->packages, ret_inventory->n_packages, sizeof(*ret_inventory->packages),
                      inventory_by_package);
        lsr_walk_lot_free(&lot);
        lsr_walk_free(k.walk);
        lsr_io_free(io);
        return r;
}

void lsr_inventory_free(struct lsr_inventory *v)
{
        for (size_t i = 0; i < v->n_packages; i++)
                free(v->packages[i]);
        for (size_t i = 0; i < v->n_paths; i++)
                free(v->paths[i]);
        free(v->packages);
        free(v->paths);
        *v = (struct lsr_inventory){};
}
