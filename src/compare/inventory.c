/*
 * inventory - the walk of packing, without packing
 */
#include "compare/inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "pack/walk.h"

struct inventory {
        struct lsr_inventory *v;
        const struct lsr_inventory_options *o;
        struct lsr_walk *walk;
        size_t cap_packages;
        size_t cap_paths;
};

static void inventory_keep(char ***list, size_t *n, size_t *cap, const char *text)
{
        if (*n == *cap) {
                *cap = *cap ? 2 * *cap : 64;
                *list = lsr_xrealloc(*list, *cap * sizeof(**list));
        }
        (*list)[(*n)++] = lsr_xstrdup(text);
}

/* May this user read it?  The answer is the kernel's, for the user that we act as. */
static bool inventory_readable(struct inventory *k, const struct lsr_walk_item *item)
{
        int fd = item->meta.size > 0 ? lsr_walk_fd(k->walk, item) : -EBADF; /* nothing: every way has it */

        if ((fd < 0 && fd != AT_FDCWD) || faccessat(fd, item->name, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0)
                return true;
        k->o->unreadable(k->o->ctx, item->path, -errno);
        return false;
}

static void inventory_file(struct inventory *k, const struct lsr_walk_item *item)
{
        struct lsr_inventory *v = k->v;

        if (!inventory_readable(k, item))
                return;
        v->files++;
        v->bytes += item->meta.size;
        v->allocated += item->meta.blocks * 512;
        v->hard_links |= item->meta.nlink > 1;
        if (k->o->paths && item->meta.nlink == 1)
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
        while ((r = lsr_walk_next(k.walk, &lot)) > 0) {
                for (size_t i = 0; i < lot.n; i++)
                        inventory_item(&k, &lot.items[i]);
                r = options->progress(options->ctx);
                if (r < 0)
                        break;
        }
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
