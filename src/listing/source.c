/*
 * source - what is the same for all directories
 *
 *      follow ──► open ──► a loop? ──► next, next, ... ──► complete ──► totals ──► order ──► children
 */
#include "listing/source.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "listing/filter.h"
#include "listing/sort.h"

void lsr_rows_reserve(struct lsr_rows *r, size_t n)
{
        size_t cap = r->cap ? 2 * r->cap : n;
        struct lsr_entry **rows;

        if (r->cap - r->n >= n)
                return;
        while (cap - r->n < n)
                cap *= 2;
        rows = lsr_arena_new(r->arena, struct lsr_entry *, cap);
        memcpy(rows, r->rows ? (void *)r->rows : (void *)rows, r->n * sizeof(*rows));
        lsr_arena_forget(r->rows, r->n * sizeof(*rows));
        r->rows = rows;
        r->cap = cap;
}

void lsr_rows_add(struct lsr_rows *r, struct lsr_entry *entries, size_t n)
{
        lsr_rows_reserve(r, n);
        for (size_t i = 0; i < n; i++)
                r->rows[r->n++] = &entries[i];
}

void lsr_rows_report(struct lsr_reader *in, const struct lsr_rows *r, const char *dir)
{
        const struct lsr_listing_sink *sink = in->sink;

        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                bool operand = e->flags & LSR_ENTRY_OPERAND, failed = (e->flags & LSR_ENTRY_STAT) && e->meta.error;
                const char *path;

                if (!failed && !(e->extra && (e->extra->xattr_error || e->extra->link_error)))
                        continue;
                path = lsr_path_shown(r->arena, dir, e->name);
                if (failed && !(e->flags & LSR_ENTRY_REPORTED)) {
                        /* The directory's word on the inode is not that of a mount or a link's target. */
                        e->meta.inode = 0;
                        sink->trouble(sink->ctx, LSR_TROUBLE_ACCESS, path, e->meta.error, operand);
                }
                if (e->extra && e->extra->xattr_error)
                        sink->trouble(sink->ctx, LSR_TROUBLE_XATTR, path, e->extra->xattr_error, false);
                if (e->extra && e->extra->link_error)
                        sink->trouble(sink->ctx, LSR_TROUBLE_READ_LINK, path, e->extra->link_error, operand);
        }
}

void lsr_rows_sort(struct lsr_reader *in, struct lsr_rows *r, bool all)
{
        struct lsr_list_options numbers;
        const struct lsr_list_options *o = in->o;
        uint64_t at = lsr_clock();

        if (r->sorted || !(all || lsr_sort_by_name_only(in->o)))
                return;
        if (r->numbers && o->sort == LSR_SORT_NAME) {
                numbers = *o;
                numbers.sort = LSR_SORT_NUMBER;
                o = &numbers;
        }
        r->sorted = lsr_arena_new(r->arena, struct lsr_entry *, r->n);
        lsr_sort(o, r->rows, r->sorted, r->n, r->arena);
        lsr_lap(&in->stats->sort_ns, &at);
}

static struct lsr_entry_extra *source_keep_extra(const struct lsr_entry_extra *extra, struct lsr_arena *to)
{
        struct lsr_entry_extra *kept = lsr_arena_new(to, struct lsr_entry_extra, 1);

        assert(!extra->user && !extra->group && !extra->member && !extra->place);
        *kept = *extra;
        if (extra->target)
                kept->target = lsr_arena_strndup(to, extra->target, extra->target_len);
        if (extra->context)
                kept->context = lsr_arena_strndup(to, extra->context, strlen(extra->context));
        return kept;
}

void lsr_rows_keep(struct lsr_rows *r, struct lsr_arena *to)
{
        struct lsr_entry *entries = lsr_arena_new(to, struct lsr_entry, r->n);
        struct lsr_entry **rows = lsr_arena_new(to, struct lsr_entry *, r->n);
        size_t names_size = 0;
        char *name;

        for (size_t i = 0; i < r->n; i++)
                names_size += (size_t)r->rows[i]->name_len + 1;
        name = lsr_arena_text(to, names_size);
        for (size_t i = 0; i < r->n; i++) {
                entries[i] = *r->sorted[i];
                entries[i].name = memcpy(name, entries[i].name, (size_t)entries[i].name_len + 1);
                name += entries[i].name_len + 1;
                if (entries[i].extra)
                        entries[i].extra = source_keep_extra(entries[i].extra, to);
                rows[i] = &entries[i];
        }
        *r = (struct lsr_rows){ .rows = rows, .n = r->n, .cap = r->n, .sorted = rows };
}

static const struct lsr_source *source_of(const struct lsr_place *place)
{
        return place->bundle ? &lsr_source_bundle : &lsr_source_dir;
}

/* Where entry @e of directory @dir is. */
static struct lsr_place source_place(const struct lsr_place *dir, const struct lsr_entry *e)
{
        struct lsr_place place = *dir;
        int64_t row;

        if (e->extra && e->extra->place)
                return *e->extra->place;
        if (!dir->bundle)
                return place;
        row = lsr_catalogue_find(dir->catalogue, dir->row, e->name, e->name_len);
        assert(row >= 0);
        place.row = lsr_catalogue_link(dir->catalogue, (uint32_t)row);
        return place;
}

/* Is what @e is listed next?  @ret_perhaps: it is a file, and is if it is a bundle. */
static bool source_goes_below(const struct lsr_list_options *o, const struct lsr_entry *e, bool *ret_perhaps)
{
        *ret_perhaps = o->enter == LSR_ENTER_ALWAYS && S_ISREG(lsr_entry_mode(e)) && !e->meta.error;
        return *ret_perhaps || (lsr_entry_is_dir(e) && ((e->flags & LSR_ENTRY_OPERAND) || !lsr_entry_is_dots(e->name)));
}

void lsr_source_add_children(const struct lsr_list_options *o, struct lsr_node *dir, const struct lsr_rows *r)
{
        /* A tree counts its levels from the operands, where -R counts from what is below them. */
        unsigned depth = o->tree ? dir->depth : dir->depth + 1;
        struct lsr_node *child;
        size_t n = 0, text_size = 0;
        bool perhaps;
        char *text;

        if (o->max_depth && depth >= o->max_depth)
                return;
        for (size_t i = 0; i < r->n; i++) {
                if (source_goes_below(o, r->sorted[i], &perhaps)) {
                        text_size += (size_t)r->sorted[i]->name_len + 1;
                        n++;
                }
        }
        if (n == 0)
                return;
        child = lsr_xmalloc(n * sizeof(*child) + text_size);
        text = (char *)(child + n);
        dir->read->children = child;
        dir->read->n_children = n;
        for (size_t i = 0; i < r->n; i++) {
                const struct lsr_entry *e = r->sorted[i];

                if (!source_goes_below(o, e, &perhaps))
                        continue;
                *child = (struct lsr_node){ .name = memcpy(text, e->name, (size_t)e->name_len + 1),
                                            .place = source_place(&dir->place, e),
                                            .parent = dir,
                                            .row = (uint32_t)i,
                                            .depth = dir->depth + 1,
                                            .operand = e->flags & LSR_ENTRY_OPERAND,
                                            .perhaps = perhaps };
                child->early = !perhaps && source_of(&child->place)->early;
                text += (size_t)e->name_len + 1;
                child++;
        }
}

/* --total-size.  What cannot be read is in the total of each directory above it: the highest one tells. */
static void source_totals(struct lsr_reader *in, const struct lsr_node *dir, const struct lsr_rows *r)
{
        bool tells = dir->parent ? dir->operand && !in->o->tree : in->o->dirs_as_files || in->o->tree;
        const char *path = dir->parent ? dir->read->path : NULL;

        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                struct lsr_place place;

                if (!lsr_entry_is_dir(e) || !lsr_entry_stat_ok(e) || strcmp(e->name, "..") == 0)
                        continue;
                place = source_place(&dir->place, e);
                e->meta.size = source_of(&place)->total(in, &place, e,
                                                        tells && !(path && lsr_entry_is_dots(e->name))
                                                                ? lsr_path_shown(r->arena, path, e->name)
                                                                : NULL);
                e->meta.known |= LSR_FIELD_SIZE;
        }
}

void lsr_source_complete(struct lsr_reader *in, struct lsr_node *dir)
{
        struct lsr_rows *r = &dir->read->rows;

        source_of(&dir->place)->complete(in, r, dir->parent ? dir->read->path : NULL);
        if (in->o->total_size)
                source_totals(in, dir, r);
        lsr_rows_sort(in, r, true);
}

const struct lsr_set_bundle *lsr_source_about(const struct lsr_reader *in, const struct lsr_node *dir,
                                              struct lsr_set_bundle *buf)
{
        const struct lsr_source *source = source_of(&dir->place);

        return dir->operand && in->o->want.remarks && source->about && source->about(&dir->place, buf) ? buf : NULL;
}

/* Leave out rows that git ignores, or those that are not shown. */
static void source_leave_out(const struct lsr_list_options *o, struct lsr_rows *r, bool ignored)
{
        struct lsr_entry **lists[] = { r->rows, r->sorted };
        size_t kept = 0;

        for (size_t k = 0; k < 2; k++) {
                kept = 0;
                for (size_t i = 0; i < r->n; i++) {
                        struct lsr_entry *e = lists[k][i];

                        if (ignored ? !(e->flags & LSR_ENTRY_IGNORED) : lsr_filter_shows(o, e))
                                lists[k][kept++] = e;
                }
        }
        r->n = kept;
}

int lsr_source_go_on(struct lsr_reader *in, struct lsr_node *dir)
{
        struct lsr_rows *r = &dir->read->rows;
        int got;

        do
                got = source_of(&dir->place)->next(in, dir);
        while (got == LSR_READ_MORE && !(in->pieces && r->n > 0));
        if (got == LSR_READ_MORE)
                r->sorted = r->rows;
        if (got != LSR_READ_ALL)
                return got;
        lsr_source_complete(in, dir);
        if (in->o->git_ignore)
                source_leave_out(in->o, r, true);
        if (in->o->recursive && !in->o->tree)
                lsr_source_add_children(in->o, dir, r);
        if (lsr_filter_is_choosy(in->o))
                source_leave_out(in->o, r, false);
        if (in->o->tree)
                lsr_source_add_children(in->o, dir, r);
        return LSR_READ_ALL;
}

/* A file below that is listed only if it is a bundle. */
static int source_follow(struct lsr_reader *in, struct lsr_node *dir)
{
        int error = source_of(&dir->place)->follow(in, dir);

        if (error < 0)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_ACCESS, dir->read->path, error, false);
        else if (error == LSR_PLACE_UNREADABLE)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_BUNDLE, dir->read->path, 0, false);
        return error ? LSR_READ_NONE : 0;
}

/* Is a directory above it this one? */
static bool source_is_loop(const struct lsr_node *dir)
{
        for (const struct lsr_node *p = dir->parent; p && p->parent; p = p->parent)
                if (p->place.bundle == dir->place.bundle && p->read->dev == dir->read->dev &&
                    p->read->ino == dir->read->ino)
                        return true;
        return false;
}

int lsr_source_load(struct lsr_reader *in, struct lsr_node *dir)
{
        int got = dir->perhaps ? source_follow(in, dir) : 0;

        if (got == 0)
                got = source_of(&dir->place)->open(in, dir);
        if (got != 0)
                return got;
        if (in->o->recursive && source_is_loop(dir)) {
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_LOOP, dir->read->path, 0, true);
                return LSR_READ_NONE;
        }
        return lsr_source_go_on(in, dir);
}
