/*
 * source-dir - directories on disk: metadata is asked for while names are still being read
 *
 * A directory is read in lots; what the filter keeps of a lot is asked for at once.  Symbolic links and whatever else
 * there is no bulk of come when all metadata is there.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "listing/extra.h"
#include "listing/filter.h"
#include "listing/git.h"
#include "listing/source.h"
#include "listing/total.h"

#define DIR_EARLY_MAX 2048             /* entries; from here up the engine of the listing does it better */
#define DIR_OPS_MAX ((size_t)64 << 10) /* under way at most, several times what a lot can have */

static int dir_follow(struct lsr_reader *in, struct lsr_node *dir)
{
        return lsr_place_find(in->o->bundles, dir->read->path, LSR_PLACE_ENTER, &dir->place);
}

static int dir_open(struct lsr_reader *in, struct lsr_node *dir)
{
        const char *path = dir->read->path;
        int error = in->dir.fd < 0 ? lsr_dir_open(&in->dir, in->io, path, true) : 0;
        struct stat st;

        /* Threads have them, or another thread. */
        if ((error == -EMFILE || error == -ENFILE) && (in->early || in->helped))
                return LSR_READ_LEFT;
        if (error < 0) {
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_OPEN_DIR, path, error, dir->operand);
                return LSR_READ_NONE;
        }
        in->dir.steady = in->pieces;
        in->asked = false;
        in->ops = (struct lsr_op_room){};
        if (!in->o->recursive)
                return 0;
        lsr_io_count(in->io, 1);
        if (fstat(in->dir.fd, &st) < 0) {
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_STAT_DIR, path, -errno, dir->operand);
                return LSR_READ_NONE;
        }
        dir->read->dev = st.st_dev;
        dir->read->ino = st.st_ino;
        return 0;
}

/*
 * Room for operations on the @n entries of a lot.  They stay in place until they have been waited for, and those of a
 * million files would be as large as their names: so a large directory is waited for several times.
 */
static struct lsr_op *dir_ops(struct lsr_reader *in, struct lsr_rows *r, size_t n)
{
        assert(n <= DIR_OPS_MAX);
        if (r->n == 0)
                return lsr_arena_new(r->arena, struct lsr_op, n);
        if (!in->ops.ops)
                in->ops.ops = lsr_arena_new(r->arena, struct lsr_op, DIR_OPS_MAX);
        if (DIR_OPS_MAX - in->ops.n < n) {
                uint64_t at = lsr_clock();

                lsr_io_wait(in->io);
                lsr_io_expect(in->io, LSR_IO_MANY);
                lsr_lap(&in->stats->wait_ns, &at);
                in->ops.n = 0;
        }
        return in->ops.ops + in->ops.n;
}

/* Make rows of what the filter lets through, and ask for metadata where it is needed. */
static int dir_take_lot(struct lsr_reader *in, struct lsr_rows *r, const char *path, struct lsr_dir_lot *lot)
{
        size_t path_len = strlen(path), n_ops = 0;
        bool follow = in->o->follow == LSR_FOLLOW_ALWAYS;
        const struct lsr_op stat = lsr_op_stat(in->dir.fd, in->o->want.fields, follow);
        const struct lsr_entry *end = lot->entries + lot->n;
        struct lsr_op *ops = dir_ops(in, r, lot->n);

        lsr_rows_reserve(r, lot->n);
        for (struct lsr_entry *e = lot->entries; e < end; e++) {
                if (!lsr_filter_keeps(in->o, e->name, e->type))
                        continue;
                r->rows[r->n++] = e;
                if (!lsr_want_stat(&in->o->want, e->type))
                        continue;
                e->flags |= LSR_ENTRY_STAT | (follow ? LSR_ENTRY_FOLLOWED : 0);
                /* Through the directory it could be had, but not by its path: GNU ls stops here, and so do we. */
                if (path_len + e->name_len + 2 > PATH_MAX) {
                        e->meta.error = -ENAMETOOLONG;
                        continue;
                }
                lsr_op_put(&ops[n_ops++], &stat, e->name, &e->meta);
        }
        in->ops.n += in->ops.ops ? n_ops : 0;
        if (n_ops == 0)
                return 0;
        if (!in->asked && !lot->likely_last)
                lsr_io_expect(in->io, LSR_IO_MANY);
        in->asked = true;
        return lsr_io_add(in->io, ops, n_ops);
}

void lsr_rows_wait(struct lsr_reader *in, struct lsr_rows *r)
{
        uint64_t at;

        if (in->sink->before_wait)
                in->sink->before_wait(in->sink->ctx);
        lsr_io_go(in->io);
        lsr_rows_sort(in, r, false);
        at = lsr_clock();
        lsr_io_wait(in->io);
        lsr_lap(&in->stats->wait_ns, &at);
}

static int dir_next(struct lsr_reader *in, struct lsr_node *dir)
{
        struct lsr_rows *r = &dir->read->rows;
        uint64_t at = lsr_clock();
        struct lsr_dir_lot lot = {};
        int error = lsr_dir_next(&in->dir, r->arena, &lot);

        if (error < 0)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_READ_DIR, dir->read->path, error, dir->operand);
        if (in->early && r->n + lot.n > DIR_EARLY_MAX)
                return LSR_READ_LEFT;
        error = lot.n > 0 ? dir_take_lot(in, r, dir->read->path, &lot) : 0;
        lsr_lap(&in->stats->read_ns, &at);
        if (error < 0)
                return error;
        if (lot.n > 0)
                return LSR_READ_MORE;
        if (in->asked)
                lsr_rows_wait(in, r);
        return LSR_READ_ALL;
}

static void dir_git(struct lsr_reader *in, const struct lsr_rows *r, const char *path)
{
        int error;

        if (!in->git)
                in->git = lsr_git_new();
        error = lsr_git_fill(in->git, path, r->rows, r->n);
        if (in->o->git_ignore && path && !lsr_git_ignores(in->git, path))
                for (size_t i = 0; i < r->n; i++)
                        if (r->rows[i]->git == LSR_GIT_IGNORED)
                                r->rows[i]->flags |= LSR_ENTRY_IGNORED;
        if (error)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_GIT, path ? path : ".", error < 0 ? error : 0, false);
}

static void dir_complete(struct lsr_reader *in, const struct lsr_rows *r, const char *path)
{
        const struct lsr_want *w = &in->o->want;

        if (w->link_target || w->acl || w->context || w->cap)
                lsr_extra_fill(&(struct lsr_extra_job){ in->io, r->arena, w, in->dir.fd, path }, r->rows, r->n);
        lsr_rows_report(in, r, path);
        if (w->git)
                dir_git(in, r, path);
}

static uint64_t dir_total(struct lsr_reader *in, const struct lsr_place *place, const struct lsr_entry *e,
                          const char *path)
{
        return lsr_total_size(&(struct lsr_total){ .io = in->io,
                                                   .dirfd = in->dir.fd,
                                                   .name = e->name,
                                                   .follow = e->flags & LSR_ENTRY_FOLLOWED,
                                                   .path = path,
                                                   .sink = in->sink });
}

const struct lsr_source lsr_source_dir = {
        .early = true,
        .follow = dir_follow,
        .open = dir_open,
        .next = dir_next,
        .complete = dir_complete,
        .total = dir_total,
};
