/*
 * total - a walk that keeps only the directories above it
 *
 *      top/        names of directories still to visit
 *        sub/      the same
 *          ...     the last TOTAL_OPEN of them are open
 *
 * Each directory is opened by its name in the one above, so that a path may be longer than the kernel takes.  One that
 * was closed because the walk went far below it is opened again as the ".." of the one below.
 */
#include "listing/total.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "source/dir.h"

#define TOTAL_OPEN 16u

struct total_level {
        int fd; /* -1: closed for a while */
        dev_t dev;
        ino_t ino;
        char *names; /* of directories in it, each with a NUL behind it; owned */
        size_t len, cap;
        size_t at;   /* that of the directory of the level below */
        size_t next; /* to visit */
};

struct total_walk {
        const struct lsr_total *of;
        struct lsr_io *io;
        struct lsr_arena arena; /* of the directory at hand */
        struct total_level *levels;
        size_t n, cap;
        uint64_t sum;
};

/* @name is in the directory at hand; NULL: it is that itself. */
static void total_trouble(const struct total_walk *w, enum lsr_trouble what, const char *name, int error)
{
        lsr_auto(lsr_out_free) struct lsr_out path = LSR_OUT_MEMORY;

        if (!w->of->path)
                return;
        lsr_out_puts(&path, w->of->path);
        for (size_t i = 0; i < w->n; i++) {
                lsr_out_putc(&path, '/');
                lsr_out_puts(&path, w->levels[i].names + w->levels[i].at);
        }
        if (name) {
                lsr_out_putc(&path, '/');
                lsr_out_puts(&path, name);
        }
        lsr_out_putc(&path, '\0');
        w->of->sink->trouble(w->of->sink->ctx, what, path.buf, error, false);
}

static void total_remember(struct total_level *l, const char *name, size_t len)
{
        if (l->cap - l->len <= len) {
                l->cap = 2 * (l->cap + len + 1);
                l->names = lsr_xrealloc(l->names, l->cap);
        }
        memcpy(l->names + l->len, name, len + 1);
        l->len += len + 1;
}

static void total_lot(struct total_walk *w, struct total_level *l, struct lsr_dir_lot *lot)
{
        const struct lsr_op stat = lsr_op_stat(l->fd, LSR_FIELD_TYPE | LSR_FIELD_SIZE, false);
        struct lsr_op *ops = lsr_arena_new(&w->arena, struct lsr_op, lot->n);
        int error;

        for (size_t i = 0; i < lot->n; i++)
                lsr_op_put(&ops[i], &stat, lot->entries[i].name, &lot->entries[i].meta);
        error = lsr_io_run(w->io, ops, lot->n);
        if (error < 0) {
                total_trouble(w, LSR_TROUBLE_READ_DIR, NULL, error);
                return;
        }
        for (size_t i = 0; i < lot->n; i++) {
                struct lsr_entry *e = &lot->entries[i];

                if (lsr_entry_is_dots(e->name))
                        continue;
                if (e->meta.error)
                        total_trouble(w, LSR_TROUBLE_ACCESS, e->name, e->meta.error);
                else if (S_ISDIR(e->meta.mode))
                        total_remember(l, e->name, e->name_len);
                else
                        w->sum += e->meta.size;
        }
}

static void total_close(struct total_walk *w, struct total_level *l)
{
        if (l->fd < 0)
                return;
        close(l->fd);
        lsr_io_count(w->io, 1);
        l->fd = -1;
}

/* Close the directory far above, but not forget which it is. */
static void total_close_above(struct total_walk *w)
{
        struct total_level *l = w->n > TOTAL_OPEN ? &w->levels[w->n - 1 - TOTAL_OPEN] : NULL;
        struct stat st;

        if (!l || l->fd < 0)
                return;
        lsr_io_count(w->io, 1);
        if (fstat(l->fd, &st) < 0)
                return;
        l->dev = st.st_dev;
        l->ino = st.st_ino;
        total_close(w, l);
}

/* Add the files of directory @fd, and continue with its subdirectories.  It is a negative errno if there is none. */
static void total_enter(struct total_walk *w, int fd)
{
        struct lsr_dir dir = { .io = w->io, .fd = fd };
        struct total_level l = { .fd = fd };
        struct lsr_dir_lot lot;
        int error;

        if (fd < 0) {
                total_trouble(w, LSR_TROUBLE_OPEN_DIR, NULL, fd);
                return;
        }
        while ((error = lsr_dir_next(&dir, &w->arena, &lot)) == 0 && lot.n > 0)
                total_lot(w, &l, &lot);
        if (error < 0)
                total_trouble(w, LSR_TROUBLE_READ_DIR, NULL, error);
        lsr_arena_reset(&w->arena);
        if (l.len == 0) {
                total_close(w, &l);
                return;
        }
        if (w->n == w->cap) {
                w->cap = w->cap ? 2 * w->cap : TOTAL_OPEN;
                w->levels = lsr_xrealloc(w->levels, w->cap * sizeof(*w->levels));
        }
        w->levels[w->n++] = l;
        total_close_above(w);
}

/*
 * The last level is done.  The one above is opened again if need be; if it is elsewhere now, the rest of it is left
 * out.
 */
static void total_leave(struct total_walk *w)
{
        struct total_level *l = &w->levels[--w->n], *above = w->n > 0 ? l - 1 : NULL;
        struct stat st;

        if (above && above->fd < 0 && l->fd >= 0) {
                above->fd = lsr_io_open_dir(w->io, l->fd, "..", false);
                lsr_io_count(w->io, 1);
                if (above->fd >= 0 && (fstat(above->fd, &st) < 0 || st.st_dev != above->dev || st.st_ino != above->ino))
                        total_close(w, above);
        }
        total_close(w, l);
        free(l->names);
}

uint64_t lsr_total_size(const struct lsr_total *total)
{
        struct total_walk w = { .of = total, .io = total->io };

        total_enter(&w, lsr_io_open_dir(total->io, total->dirfd, total->name, total->follow));
        while (w.n > 0) {
                struct total_level *l = &w.levels[w.n - 1];
                const char *next = l->names + l->next;

                if (l->next == l->len) {
                        total_leave(&w);
                        continue;
                }
                l->at = l->next;
                l->next += strlen(next) + 1;
                total_enter(&w, lsr_io_open_dir(w.io, l->fd, next, false));
        }
        free(w.levels);
        lsr_arena_free(&w.arena);
        return w.sum;
}
