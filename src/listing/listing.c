/*
 * listing - one directory after the other, each with as few waits as possible; listing/ahead.c has them in threads
 *
 *      read a lot of names ──► ask for their metadata ──┐ (runs in the engine)
 *           ▲        │                                   │
 *           └────────┘ until the directory ends          │
 *      sort by name, read passwd and group ◄── meanwhile ┘
 *      wait ──► links and attributes ──► sort by metadata ──► show
 *
 * Order of output, of headings and of messages is that of GNU ls, which lists
 * file operands first and goes through the directories depth first.
 */
#include "listing/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "listing/ahead.h"
#include "listing/extra.h"
#include "listing/git.h"
#include "listing/members.h"
#include "listing/rows.h"

struct listing {
        struct lsr_reader in; /* first: listing_piece() goes from it to the listing */
        struct lsr_ahead ahead;
        bool heading;
        bool continued; /* some of the directory at hand was shown */
};

/* Where an entry of a directory in @bundle is; NULL: a real directory. */
static struct lsr_place listing_place(struct lsr_bundle *bundle, const struct lsr_entry *e)
{
        if (e->extra && e->extra->place)
                return *e->extra->place;
        return (struct lsr_place){ bundle, bundle ? (uint32_t)e->meta.inode : 0 };
}

/* --total-size of the directories in a bundle. */
static void listing_member_totals(struct lsr_rows *r, struct lsr_bundle *bundle)
{
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                struct lsr_place place = listing_place(bundle, e);

                if (!lsr_entry_is_dir(e) || e->meta.error || strcmp(e->name, "..") == 0)
                        continue;
                e->meta.size = lsr_members_total(&place);
                e->meta.known |= LSR_FIELD_SIZE;
        }
}

static struct lsr_set listing_set(struct listing *l, const struct lsr_rows *r, const char *dir, unsigned depth)
{
        struct lsr_set set = { .dir = dir,
                               .rows = r->sorted,
                               .n = r->n,
                               .measured = r->rows,
                               .n_measured = r->n,
                               .depth = depth,
                               .heading = l->heading && !l->continued };

        for (size_t i = 0; i < r->n; i++)
                if (lsr_entry_stat_ok(r->rows[i]))
                        set.blocks += r->rows[i]->meta.blocks;
        l->in.stats->entries += r->n;
        return set;
}

static int listing_show(struct listing *l, const struct lsr_set *set)
{
        uint64_t at = lsr_clock();
        int error = l->in.sink->set(l->in.sink->ctx, set);

        lsr_lap(&l->in.stats->show_ns, &at);
        return error;
}

static bool listing_descends(const struct lsr_list_options *o, const struct lsr_entry *e, unsigned depth)
{
        bool dots = lsr_entry_is_dots(e->name) && !(e->flags & LSR_ENTRY_OPERAND);

        return lsr_entry_is_dir(e) && !dots && (!o->max_depth || depth < o->max_depth);
}

/* A file that recursion looks into if it is a bundle. */
static bool listing_may_enter(const struct lsr_list_options *o, const struct lsr_entry *e, unsigned depth)
{
        return o->enter == LSR_ENTER_ALWAYS && S_ISREG(lsr_entry_mode(e)) && !e->meta.error &&
               (!o->max_depth || depth < o->max_depth);
}

static bool listing_goes_below(const struct lsr_list_options *o, const struct lsr_entry *e, unsigned depth)
{
        return listing_may_enter(o, e, depth) || listing_descends(o, e, depth);
}

/*
 * Make those of the sorted rows that are to be listed next the children of @dir.  A tree counts its levels from the
 * operands, where -R counts from what is below them.
 */
static void listing_add_children(const struct lsr_list_options *o, struct lsr_ahead_dir *dir, const struct lsr_rows *r)
{
        unsigned depth = o->tree ? dir->depth : dir->depth + 1;
        struct lsr_ahead_dir *child;
        size_t n = 0, text_size = 0;
        char *text;

        for (size_t i = 0; i < r->n; i++) {
                if (listing_goes_below(o, r->sorted[i], depth)) {
                        text_size += (size_t)r->sorted[i]->name_len + 1;
                        n++;
                }
        }
        if (n == 0)
                return;
        child = lsr_ahead_children(dir, n, text_size);
        text = (char *)(child + n);
        for (size_t i = 0; i < r->n; i++) {
                const struct lsr_entry *e = r->sorted[i];

                if (!listing_goes_below(o, e, depth))
                        continue;
                memcpy(text, e->name, (size_t)e->name_len + 1);
                child->name = text;
                text += (size_t)e->name_len + 1;
                child->place = listing_place(dir->place.bundle, e);
                child->row = (uint32_t)i;
                child->depth = dir->depth + 1;
                child->operand = e->flags & LSR_ENTRY_OPERAND;
                child->perhaps = listing_may_enter(o, e, depth);
                child++;
        }
}

/* Is a directory above it this one?  That is reported. */
static bool listing_is_loop(struct lsr_reader *in, const struct lsr_ahead_dir *dir)
{
        const struct lsr_ahead_read *is = dir->read;

        for (const struct lsr_ahead_dir *p = dir->parent; p && p->parent; p = p->parent) {
                if (p->read->bundle == is->bundle && p->read->dev == is->dev && p->read->ino == is->ino) {
                        in->sink->trouble(in->sink->ctx, LSR_TROUBLE_LOOP, is->path, 0, true);
                        return true;
                }
        }
        return false;
}

/* May the open directory be listed?  If not, that is reported. */
static bool listing_enter(struct lsr_reader *in, struct lsr_ahead_dir *dir)
{
        struct stat st;

        lsr_io_count(in->io, 1);
        if (fstat(in->dir.fd, &st) < 0) {
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_STAT_DIR, dir->read->path, -errno, dir->operand);
                return false;
        }
        dir->read->dev = st.st_dev;
        dir->read->ino = st.st_ino;
        return !listing_is_loop(in, dir);
}

/* A file below that is listed only if it is a bundle.  0: it is, and dir->place its root; 1: it is not, or was reported. */
static int listing_look_into(struct lsr_reader *in, struct lsr_ahead_dir *dir)
{
        const char *path = dir->read->path;
        int error;

        if (dir->place.bundle)
                error = lsr_place_enter(&dir->place, false);
        else
                error = lsr_place_find(in->o->bundles, path, LSR_PLACE_ENTER, &dir->place);
        if (error < 0)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_ACCESS, path, error, false);
        else if (error == LSR_PLACE_UNREADABLE)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_BUNDLE, path, 0, false);
        return error ? 1 : 0;
}

/* Bring the sorted entries of a bundle's directory into its rows.  0, or 1 if it is a loop or there is no memory. */
static int listing_load_members(struct lsr_reader *in, struct lsr_ahead_dir *dir)
{
        struct lsr_rows *r = &dir->read->rows;
        const struct lsr_members_job job = { .io = in->io, .arena = r->arena, .o = in->o, .dir = dir->place };
        struct lsr_entry *entries;
        uint64_t at;
        size_t n;

        dir->read->bundle = dir->place.bundle;
        dir->read->ino = dir->place.row;
        if (in->o->recursive && listing_is_loop(in, dir))
                return 1;
        if (in->sink->before_wait)
                in->sink->before_wait(in->sink->ctx);
        at = lsr_clock();
        if (lsr_members_read(&job, &entries, &n) < 0) {
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_READ_DIR, dir->read->path, -ENOMEM, false);
                return 1;
        }
        lsr_rows_add(r, entries, n);
        lsr_lap(&in->stats->read_ns, &at);
        lsr_rows_report(in, r, dir->read->path);
        if (in->o->total_size)
                listing_member_totals(r, dir->place.bundle);
        lsr_rows_sort(in, r, true);
        return 0;
}

/* Open @dir.  The owner of threads has their descriptors if there are no others. */
static int listing_open(struct lsr_reader *in, const char *path)
{
        int error = lsr_dir_open(&in->dir, in->io, path, true);

        if (error != -EMFILE && error != -ENFILE)
                return error;
        if (in->early)
                return LSR_READER_LEAVE;
        return lsr_ahead_stop(in->ahead) ? lsr_dir_open(&in->dir, in->io, path, true) : error;
}

/* The sorted entries of a real directory. */
static int listing_load_real(struct lsr_reader *in, struct lsr_ahead_dir *dir)
{
        struct lsr_rows *r = &dir->read->rows;
        const char *path = dir->read->path;
        int error = in->dir.fd < 0 ? listing_open(in, path) : 0;

        if (error < 0)
                in->sink->trouble(in->sink->ctx, LSR_TROUBLE_OPEN_DIR, path, error, dir->operand);
        if (error)
                return error < 0 ? 1 : error;
        if (in->o->recursive && !listing_enter(in, dir)) {
                lsr_dir_close(&in->dir);
                return 1;
        }
        error = lsr_rows_read(in, r, path, dir->operand);
        if (error)
                return error;
        lsr_rows_complete(in, r, in->dir.fd, path);
        lsr_rows_sort(in, r, true);
        return 0;
}

/* What lsr_ahead calls, in threads too. */
static int listing_load(struct lsr_reader *in, struct lsr_ahead_dir *dir)
{
        int error;

        if (dir->perhaps && listing_look_into(in, dir) != 0)
                return 1;
        error = dir->place.bundle ? listing_load_members(in, dir) : listing_load_real(in, dir);
        if (error == 0 && in->o->recursive)
                listing_add_children(in->o, dir, &dir->read->rows);
        return error;
}

/* Some rows of an operand: they are shown as they are. */
static int listing_piece(struct lsr_reader *in, struct lsr_rows *r, const char *path)
{
        struct listing *l = (struct listing *)in;
        struct lsr_set set;
        int error;

        r->sorted = r->rows;
        set = listing_set(l, r, path, 0);
        error = listing_show(l, &set);
        l->continued = true;
        lsr_arena_reset(r->arena);
        *r = (struct lsr_rows){ .arena = r->arena };
        return error;
}

/* Have @dir read.  0, and it is in @ret_set; 1 if it was skipped, or reported; negative errno. */
static int listing_take(struct listing *l, struct lsr_ahead_dir *dir, struct lsr_set *ret_set)
{
        int error = lsr_ahead_take(&l->ahead, dir);

        if (error)
                return error;
        l->in.stats->directories++;
        *ret_set = listing_set(l, &dir->read->rows, dir->read->path, dir->depth);
        ret_set->bundle = dir->place.bundle;
        l->continued = false;
        return 0;
}

static int listing_drain(struct listing *l)
{
        struct lsr_ahead_dir *dir = lsr_ahead_next(&l->ahead, &l->ahead.top);
        struct lsr_set set;
        int error = 0;

        while (dir && error >= 0) {
                error = listing_take(l, dir, &set);
                if (error == 0)
                        error = listing_show(l, &set);
                /* The last directory's descriptor is left to the end of the process. */
                if (error < 0 || lsr_ahead_is_last(dir))
                        break;
                lsr_dir_close(&l->in.dir);
                lsr_ahead_release(&l->ahead, dir);
                dir = lsr_ahead_next(&l->ahead, dir);
        }
        return error < 0 ? error : 0;
}

/* A set of a tree: each row, and below it what it contains. */
static int listing_tree(struct listing *l, struct lsr_ahead_dir *dir, const struct lsr_set *set)
{
        const struct lsr_ahead_read *read = dir->read;
        int error = listing_show(l, set);
        size_t next = 0;

        for (size_t i = 0; i < set->n && error >= 0; i++) {
                struct lsr_ahead_dir *child;
                struct lsr_set below;

                error = l->in.sink->row(l->in.sink->ctx, set, i);
                if (error < 0 || next == read->n_children || read->children[next].row != i)
                        continue;
                child = &read->children[next++];
                error = listing_take(l, child, &below);
                if (error == 0) {
                        lsr_dir_close(&l->in.dir);
                        error = listing_tree(l, child, &below);
                }
                if (!l->in.o->keep)
                        lsr_ahead_forget(&l->ahead, child);
                error = error < 0 ? error : 0;
        }
        return error;
}

/* Is operand @e, of which the kernel has told what it knows, to be looked at as a bundle? */
static bool listing_asks_bundles(const struct listing *l, const struct lsr_entry *e, size_t n)
{
        const struct lsr_list_options *o = l->in.o;

        if (o->enter == LSR_ENTER_NEVER)
                return false;
        if (e->meta.error == -ENOTDIR)
                return true;
        if (o->enter == LSR_ENTER_SLASH)
                return false;
        if (strcmp(e->name, "-") == 0)
                return true;
        return !e->meta.error && S_ISREG(e->meta.mode) && !o->dirs_as_files && (n == 1 || o->enter == LSR_ENTER_ALWAYS);
}

/* The member that operand @path means.  As lsr_place_find(). */
static int listing_find_member(const struct lsr_list_options *o, const char *path, struct lsr_place *ret_place)
{
        unsigned flags = (o->dirs_as_files ? 0 : LSR_PLACE_ENTER) |
                         (o->follow != LSR_FOLLOW_NEVER ? LSR_PLACE_FOLLOW : 0) | LSR_PLACE_PART;
        int error = lsr_place_find(o->bundles, path, flags, ret_place);

        if (o->follow == LSR_FOLLOW_OPERAND_DIR && (error == -ENOENT || (error == 0 && !lsr_place_is_dir(ret_place)))) {
                /* As in listing_wants_lstat(). */
                flags &= ~(unsigned)(LSR_PLACE_FOLLOW | LSR_PLACE_ENTER);
                error = lsr_place_find(o->bundles, path, flags, ret_place);
        }
        return error;
}

/* Operands that are, or lie in, bundles: put the members that they mean in their place. */
static void listing_find_members(struct listing *l, struct lsr_rows *r)
{
        struct lsr_place *places = lsr_arena_new(r->arena, struct lsr_place, r->n);
        int *errors = lsr_arena_new(r->arena, int, r->n);
        unsigned renumbered;

        /* A path that leads where another one did not can change the rows of that one. */
        do {
                renumbered = l->in.o->bundles ? lsr_bundles_renumbered(l->in.o->bundles) : 0;
                for (size_t i = 0; i < r->n; i++)
                        errors[i] = listing_asks_bundles(l, r->rows[i], r->n)
                                            ? listing_find_member(l->in.o, r->rows[i]->name, &places[i])
                                            : 1;
        } while (l->in.o->bundles && renumbered != lsr_bundles_renumbered(l->in.o->bundles));
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                struct lsr_members_job job = { .io = l->in.io, .arena = r->arena, .o = l->in.o, .dir = places[i] };
                int error = errors[i];

                if (error == 1)
                        continue;
                if (error == 0) {
                        lsr_members_operand(&job, e->name, e);
                } else if (error == LSR_PLACE_UNREADABLE) {
                        l->in.sink->trouble(l->in.sink->ctx, LSR_TROUBLE_BUNDLE, e->name, 0, true);
                        e->flags |= LSR_ENTRY_REPORTED;
                        e->meta.error = -EBADMSG;
                } else {
                        e->meta.error = error;
                }
                e->flags |= LSR_ENTRY_MEMBER;
        }
}

/*
 * A link that was followed and leads to no directory is listed itself, unless -H or -L say otherwise.  One in
 * a loop is an error, as for GNU ls 9.1.
 */
static bool listing_wants_lstat(const struct lsr_list_options *o, const struct lsr_entry *e)
{
        if (o->follow != LSR_FOLLOW_OPERAND_DIR || (e->flags & LSR_ENTRY_MEMBER))
                return false;
        return e->meta.error ? e->meta.error == -ENOENT : !S_ISDIR(e->meta.mode);
}

static int listing_stat_operands(struct listing *l, struct lsr_rows *r, struct lsr_stat_op *ops)
{
        bool follow = l->in.o->follow != LSR_FOLLOW_NEVER;
        size_t again = 0;
        int error = lsr_rows_begin(&l->in, AT_FDCWD, follow, r->n);

        if (error < 0)
                return error;
        lsr_io_stat_add(l->in.io, ops, r->n);
        error = lsr_rows_wait(&l->in, r);
        if (error >= 0)
                listing_find_members(l, r);
        if (error < 0 || !follow)
                return error;
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];

                if (listing_wants_lstat(l->in.o, e)) {
                        e->meta = (struct lsr_meta){};
                        ops[again++] = (struct lsr_stat_op){ e->name, &e->meta };
                } else if (!(e->flags & LSR_ENTRY_MEMBER) || !S_ISLNK(lsr_entry_mode(e))) {
                        e->flags |= LSR_ENTRY_FOLLOWED;
                }
        }
        if (again == 0)
                return 0;
        return lsr_io_stat(
                l->in.io,
                &(struct lsr_stat_batch){ .dirfd = AT_FDCWD, .fields = l->in.o->want.fields, .expected = again },
                ops, again);
}

/* The directories of the command line: the paths are the caller's, and there is no set around them. */
static void listing_add_operands(struct listing *l, struct lsr_entry *const *dirs, size_t n)
{
        struct lsr_ahead_dir *children = lsr_ahead_children(&l->ahead.top, n, 0);

        for (size_t i = 0; i < n; i++) {
                children[i].name = dirs[i]->name;
                children[i].place = listing_place(NULL, dirs[i]);
                children[i].operand = true;
        }
        lsr_ahead_begin(&l->ahead);
}

/* Take the rows that keep() wants out of r->sorted into a new set of rows. */
static struct lsr_rows listing_pick(const struct lsr_rows *r, bool dirs, bool dirs_too)
{
        struct lsr_rows picked = { .arena = r->arena, .rows = r->rows };

        picked.sorted = lsr_arena_new(r->arena, struct lsr_entry *, r->n);
        for (size_t i = 0; i < r->n; i++) {
                const struct lsr_entry *e = r->sorted[i];

                /* An operand that could not be had has been reported, and is not shown. */
                if (e->meta.error || (!dirs_too && lsr_entry_is_dir(e) != dirs))
                        continue;
                picked.sorted[picked.n++] = r->sorted[i];
        }
        picked.rows = picked.sorted;
        return picked;
}

static int listing_operands(struct listing *l, struct lsr_arena *arena, const char *const *operands, size_t n)
{
        struct lsr_rows r = { .arena = arena }, files, dirs;
        struct lsr_entry *entries = lsr_arena_new(arena, struct lsr_entry, n);
        struct lsr_stat_op *ops = lsr_arena_new(arena, struct lsr_stat_op, n);
        bool as_files = l->in.o->dirs_as_files || l->in.o->tree;
        struct lsr_set set;
        int error;

        for (size_t i = 0; i < n; i++) {
                entries[i] = (struct lsr_entry){ .name = operands[i],
                                                 .name_len = (uint32_t)strlen(operands[i]),
                                                 .flags = LSR_ENTRY_STAT | LSR_ENTRY_OPERAND };
                ops[i] = (struct lsr_stat_op){ operands[i], &entries[i].meta };
        }
        lsr_rows_add(&r, entries, n);
        error = listing_stat_operands(l, &r, ops);
        if (error < 0)
                return error;
        lsr_rows_complete(&l->in, &r, AT_FDCWD, NULL);
        lsr_rows_sort(&l->in, &r, true);
        files = listing_pick(&r, false, as_files);
        set = listing_set(l, &files, NULL, 0);
        set.measured = r.rows;
        set.n_measured = r.n;
        if (l->in.o->tree) {
                listing_add_children(l->in.o, &l->ahead.top, &files);
                lsr_ahead_begin(&l->ahead);
                return listing_tree(l, &l->ahead.top, &set);
        }
        dirs = listing_pick(&r, true, false);
        if (as_files)
                dirs.n = 0;
        l->heading = l->heading || n > 1;
        set.more = dirs.n > 0;
        set.heading = false;
        if (files.n > 0)
                error = listing_show(l, &set);
        listing_add_operands(l, dirs.sorted, dirs.n);
        return error;
}

/* What is read ahead must not depend on what was shown: the git of a listing is one process, a width may tell of quotes. */
static bool listing_may_read_ahead(const struct lsr_list_options *o)
{
        return !o->want.git && o->sort != LSR_SORT_WIDTH;
}

int lsr_list(struct lsr_io *io, const struct lsr_list_options *options, const char *const *operands, size_t n,
             const struct lsr_listing_sink *sink, struct lsr_listing_stats *ret_stats)
{
        struct listing l;
        struct lsr_entry only = { .name = operands[0] };
        struct lsr_arena arena = {};
        bool as_files = options->dirs_as_files || options->tree;
        int error = 0;

        *ret_stats = (struct lsr_listing_stats){};
        l = (struct listing){ .in = { .io = io, .o = options, .sink = sink, .stats = ret_stats, .dir.fd = -1 } };
        l.in.ahead = &l.ahead;
        l.in.piece = options->pieces ? listing_piece : NULL;
        lsr_ahead_init(&l.ahead, &l.in, listing_load, listing_may_read_ahead(options));
        l.heading = options->recursive;
        /* One operand is a directory most of the time: opening it tells, and saves the stat. */
        if (n == 1 && !as_files && operands[0][0] &&
            lsr_dir_open(&l.in.dir, io, operands[0], options->follow != LSR_FOLLOW_NEVER) == 0) {
                listing_add_operands(&l, &(struct lsr_entry *){ &only }, 1);
        } else {
                l.in.dir.fd = -1;
                error = listing_operands(&l, &arena, operands, n);
        }
        if (error >= 0 && !options->tree)
                error = listing_drain(&l);
        if (error >= 0 && sink->end)
                error = sink->end(sink->ctx);
        lsr_ahead_free(&l.ahead);
        lsr_git_free(l.in.git);
        lsr_arena_free(&arena);
        return error;
}
