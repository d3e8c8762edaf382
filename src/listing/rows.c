/*
 * rows - metadata is asked for while names are still being read
 *
 * A directory is read in lots; what the filter keeps of a lot is asked for at
 * once, and the order by name is made while the answers come in.
 */
#include "listing/rows.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "listing/extra.h"
#include "listing/filter.h"
#include "listing/git.h"
#include "listing/sort.h"
#include "listing/total.h"

#define ROWS_EARLY_MAX 2048 /* entries; from here up the engine of the listing does it better */

void lsr_rows_add(struct lsr_rows *r, struct lsr_entry *entries, size_t n)
{
        if (r->cap - r->n < n) {
                size_t cap = r->cap ? 2 * r->cap : n;
                struct lsr_entry **rows;

                while (cap - r->n < n)
                        cap *= 2;
                rows = lsr_arena_new(r->arena, struct lsr_entry *, cap);
                memcpy(rows, r->rows ? (void *)r->rows : (void *)rows, r->n * sizeof(*rows));
                r->rows = rows;
                r->cap = cap;
        }
        for (size_t i = 0; i < n; i++)
                r->rows[r->n++] = &entries[i];
}

static void rows_report(struct lsr_reader *in, struct lsr_arena *arena, enum lsr_trouble what, const char *dir,
                        const char *name, int error, bool serious)
{
        in->sink->trouble(in->sink->ctx, what, lsr_path_join(arena, dir, name), error, serious);
}

void lsr_rows_report(struct lsr_reader *in, const struct lsr_rows *r, const char *dir)
{
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                bool operand = e->flags & LSR_ENTRY_OPERAND;

                if ((e->flags & LSR_ENTRY_STAT) && e->meta.error && !(e->flags & LSR_ENTRY_REPORTED)) {
                        /* The directory's word on the inode is not that of a mount or a link's target. */
                        e->meta.inode = 0;
                        rows_report(in, r->arena, LSR_TROUBLE_ACCESS, dir, e->name, e->meta.error, operand);
                }
                if (e->extra && e->extra->xattr_error)
                        rows_report(in, r->arena, LSR_TROUBLE_XATTR, dir, e->name, e->extra->xattr_error, false);
                if (e->extra && e->extra->link_error)
                        rows_report(in, r->arena, LSR_TROUBLE_READ_LINK, dir, e->name, e->extra->link_error, operand);
        }
}

int lsr_rows_begin(struct lsr_reader *in, int dirfd, bool follow, size_t expected)
{
        return lsr_io_stat_begin(in->io, &(struct lsr_stat_batch){ .dirfd = dirfd,
                                                                   .follow = follow,
                                                                   .fields = in->o->want.fields,
                                                                   .expected = expected });
}

/* Keep what the filter lets through, at the front of the lot, and ask for metadata where it is needed. */
static int rows_take_lot(struct lsr_reader *in, struct lsr_rows *r, const char *path, struct lsr_dir_lot *lot,
                         bool *begun)
{
        size_t path_len = strlen(path);
        bool follow = in->o->follow == LSR_FOLLOW_ALWAYS;
        struct lsr_stat_op *ops;
        size_t kept = 0, n_ops = 0;

        for (size_t i = 0; i < lot->n; i++) {
                if (!lsr_filter_keeps(in->o, lot->entries[i].name))
                        continue;
                if (kept != i)
                        lot->entries[kept] = lot->entries[i];
                kept++;
        }
        ops = lsr_arena_new(r->arena, struct lsr_stat_op, kept);
        for (size_t i = 0; i < kept; i++) {
                struct lsr_entry *e = &lot->entries[i];

                if (!lsr_want_stat(&in->o->want, e->type))
                        continue;
                e->flags |= LSR_ENTRY_STAT | (follow ? LSR_ENTRY_FOLLOWED : 0);
                /* Through the directory it could be had, but not by its path: GNU ls stops here, and so do we. */
                if (path_len + e->name_len + 2 > PATH_MAX) {
                        e->meta.error = -ENAMETOOLONG;
                        continue;
                }
                ops[n_ops++] = (struct lsr_stat_op){ e->name, &e->meta };
        }
        lsr_rows_add(r, lot->entries, kept);
        if (n_ops == 0)
                return 0;
        if (!*begun) {
                int error = lsr_rows_begin(in, in->dir.fd, follow, lot->likely_last ? n_ops : 0);

                if (error < 0)
                        return error;
                *begun = true;
        }
        return lsr_io_stat_add(in->io, ops, n_ops);
}

void lsr_rows_sort(struct lsr_reader *in, struct lsr_rows *r, bool all)
{
        uint64_t at = lsr_clock();

        if (r->sorted || !(all || lsr_sort_by_name_only(in->o)))
                return;
        r->sorted = lsr_arena_new(r->arena, struct lsr_entry *, r->n);
        if (r->n)
                memcpy(r->sorted, r->rows, r->n * sizeof(*r->rows));
        lsr_sort(in->o, r->sorted, r->n, r->arena);
        lsr_lap(&in->stats->sort_ns, &at);
}

int lsr_rows_wait(struct lsr_reader *in, struct lsr_rows *r)
{
        uint64_t at;
        int error;

        if (in->sink->before_wait)
                in->sink->before_wait(in->sink->ctx);
        error = lsr_io_stat_go(in->io);
        if (error < 0)
                return error;
        lsr_rows_sort(in, r, false);
        at = lsr_clock();
        error = lsr_io_stat_wait(in->io);
        lsr_lap(&in->stats->wait_ns, &at);
        return error;
}

int lsr_rows_read(struct lsr_reader *in, struct lsr_rows *r, const char *path, bool operand)
{
        uint64_t at = lsr_clock();
        struct lsr_dir_lot lot;
        bool begun = false;
        int error;

        in->dir.steady = in->piece;
        for (;;) {
                error = lsr_dir_next(&in->dir, r->arena, &lot);
                if (error < 0)
                        in->sink->trouble(in->sink->ctx, LSR_TROUBLE_READ_DIR, path, error, operand);
                if (error < 0 || lot.n == 0)
                        break;
                if (in->early && r->n + lot.n > ROWS_EARLY_MAX)
                        return LSR_READER_LEAVE;
                error = rows_take_lot(in, r, path, &lot, &begun);
                if (error >= 0 && in->piece && r->n > 0) {
                        lsr_lap(&in->stats->read_ns, &at);
                        error = in->piece(in, r, path);
                        at = lsr_clock();
                }
                if (error < 0)
                        return error;
        }
        lsr_lap(&in->stats->read_ns, &at);
        return begun ? lsr_rows_wait(in, r) : 0;
}

static void rows_totals(struct lsr_reader *in, struct lsr_rows *r, int dirfd)
{
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];

                if (!lsr_entry_is_dir(e) || !lsr_entry_stat_ok(e) || strcmp(e->name, "..") == 0)
                        continue;
                e->meta.size = lsr_total_size(in->io, dirfd, e->name, e->flags & LSR_ENTRY_FOLLOWED);
        }
}

static void rows_git(struct lsr_reader *in, struct lsr_rows *r, const char *dir)
{
        int error;

        if (!in->git)
                in->git = lsr_git_new();
        error = lsr_git_fill(in->git, dir, r->rows, r->n);
        if (error)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_GIT, dir ? dir : ".", error < 0 ? error : 0, false);
}

void lsr_rows_complete(struct lsr_reader *in, struct lsr_rows *r, int dirfd, const char *dir)
{
        const struct lsr_want *w = &in->o->want;

        if (w->link_target || w->acl || w->context || w->cap)
                lsr_extra_fill(&(struct lsr_extra_job){ in->io, r->arena, w, dirfd, dir }, r->rows, r->n);
        lsr_rows_report(in, r, dir);
        if (in->o->total_size)
                rows_totals(in, r, dirfd);
        if (w->git)
                rows_git(in, r, dir);
}
