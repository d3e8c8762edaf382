/*
 * listing - one directory after the other, each with as few waits as possible
 *
 *      read a lot of names ──► ask for their metadata ──┐ (runs in the engine)
 *           ▲        │                                   │
 *           └────────┘ until the directory ends          │
 *      sort by name, read passwd and group ◄── meanwhile ┘
 *      wait ──► links and attributes ──► sort by metadata ──► show
 *
 * Order of output, of headings and of messages is that of GNU ls, which lists
 * file operands first and keeps the directories still to do on a stack.
 */
#include "listing/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "listing/extra.h"
#include "listing/git.h"
#include "listing/members.h"
#include "listing/rows.h"

/* A directory still to list; path NULL marks that its parent's subdirectories are done. */
struct listing_pending {
        char *path;
        struct lsr_place place; /* in a bundle */
        unsigned depth;
        bool operand;
        bool perhaps; /* a file, to be listed only if it is a bundle */
};

struct listing_active {
        const struct lsr_bundle *bundle; /* ino is a row then */
        dev_t dev;
        ino_t ino;
};

struct listing {
        struct lsr_reader in;
        struct listing_pending *pending;
        size_t n_pending;
        size_t cap_pending;
        struct listing_active *active; /* directories above and at the one being listed */
        size_t n_active;
        size_t cap_active;
        bool heading;
};

static void listing_push(struct listing *l, const char *path, const struct listing_pending *what)
{
        if (l->n_pending == l->cap_pending) {
                l->cap_pending = l->cap_pending ? 2 * l->cap_pending : 64;
                l->pending = lsr_xrealloc(l->pending, l->cap_pending * sizeof(*l->pending));
        }
        l->pending[l->n_pending] = *what;
        l->pending[l->n_pending++].path = path ? lsr_xstrdup(path) : NULL;
}

/* Where a row of @set is, if that is in a bundle. */
static struct lsr_place listing_place(const struct lsr_set *set, const struct lsr_entry *e)
{
        if (e->extra && e->extra->place)
                return *e->extra->place;
        return (struct lsr_place){ set->bundle, set->bundle ? (uint32_t)e->meta.inode : 0 };
}

/* --total-size of the directories in a bundle. */
static void listing_member_totals(struct lsr_rows *r, const struct lsr_set *set)
{
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                struct lsr_place place = listing_place(set, e);

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
                               .measured = r->sorted,
                               .n_measured = r->n,
                               .depth = depth,
                               .heading = l->heading };

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

static char *listing_subdir(struct lsr_arena *arena, const char *dir, const struct lsr_entry *e)
{
        size_t len = strlen(dir);
        char *path = lsr_arena_text(arena, len + 1 + e->name_len + 1);

        /* Unlike lsr_path_join() this keeps ".": GNU ls heads a subdirectory of it with "./sub:". */
        memcpy(path, dir, len);
        if (len && path[len - 1] != '/')
                path[len++] = '/';
        memcpy(path + len, e->name, e->name_len + 1);
        return path;
}

static bool listing_descends(const struct listing *l, const struct lsr_entry *e, unsigned depth)
{
        bool dots = lsr_entry_is_dots(e->name) && !(e->flags & LSR_ENTRY_OPERAND);

        return lsr_entry_is_dir(e) && !dots && (!l->in.o->max_depth || depth < l->in.o->max_depth);
}

/* A file that recursion looks into if it is a bundle. */
static bool listing_may_enter(const struct listing *l, const struct lsr_entry *e, unsigned depth)
{
        return l->in.o->enter == LSR_ENTER_ALWAYS && S_ISREG(lsr_entry_mode(e)) && !e->meta.error &&
               (!l->in.o->max_depth || depth < l->in.o->max_depth);
}

static void listing_push_subdirs(struct listing *l, const struct lsr_set *set, struct lsr_arena *arena)
{
        listing_push(l, NULL, &(struct listing_pending){});
        for (size_t i = set->n; i-- > 0;) {
                const struct lsr_entry *e = set->rows[i];
                struct listing_pending p = { .depth = set->depth + 1 };

                p.perhaps = listing_may_enter(l, e, p.depth);
                if (!p.perhaps && !listing_descends(l, e, p.depth))
                        continue;
                p.place = listing_place(set, e);
                listing_push(l, listing_subdir(arena, set->dir, e), &p);
        }
}

/*
 * Note that a directory is being listed.  Returns false, with trouble
 * reported, if it is already: a loop.
 */
static bool listing_activate(struct listing *l, const char *path, const struct listing_active *dir)
{
        for (size_t i = 0; i < l->n_active; i++) {
                if (l->active[i].bundle == dir->bundle && l->active[i].dev == dir->dev &&
                    l->active[i].ino == dir->ino) {
                        l->in.sink->trouble(l->in.sink->ctx, LSR_TROUBLE_LOOP, path, 0, true);
                        return false;
                }
        }
        if (l->n_active == l->cap_active) {
                l->cap_active = l->cap_active ? 2 * l->cap_active : 64;
                l->active = lsr_xrealloc(l->active, l->cap_active * sizeof(*l->active));
        }
        l->active[l->n_active++] = *dir;
        return true;
}

/* The same for the open directory. */
static bool listing_enter(struct listing *l, const char *path, bool operand)
{
        struct stat st;

        lsr_io_count(l->in.io, 1);
        if (fstat(l->in.dir.fd, &st) < 0) {
                l->in.sink->trouble(l->in.sink->ctx, LSR_TROUBLE_STAT_DIR, path, -errno, operand);
                return false;
        }
        return listing_activate(l, path, &(struct listing_active){ .dev = st.st_dev, .ino = st.st_ino });
}

/* A file below that is listed only if it is a bundle.  0: it is, and p->place its root; 1: it is not, or was reported. */
static int listing_look_into(struct listing *l, struct listing_pending *p)
{
        int error;

        if (p->place.bundle)
                error = lsr_place_enter(&p->place);
        else
                error = lsr_place_find(l->in.o->bundles, p->path, LSR_PLACE_ENTER, &p->place);
        if (error < 0)
                l->in.sink->trouble(l->in.sink->ctx, LSR_TROUBLE_ACCESS, p->path, error, false);
        else if (error == LSR_PLACE_UNREADABLE)
                l->in.sink->trouble(l->in.sink->ctx, LSR_TROUBLE_BUNDLE, p->path, 0, false);
        return error ? 1 : 0;
}

/* Bring the sorted entries of a bundle's directory into @r.  Returns as listing_load(). */
static int listing_load_members(struct listing *l, struct lsr_rows *r, const struct listing_pending *p)
{
        const struct lsr_members_job job = { .io = l->in.io, .arena = r->arena, .o = l->in.o, .dir = p->place };
        struct lsr_entry *entries;
        uint64_t at;
        size_t n;

        if (l->in.o->recursive &&
            !listing_activate(l, p->path, &(struct listing_active){ .bundle = p->place.bundle, .ino = p->place.row }))
                return 1;
        if (l->in.sink->before_wait)
                l->in.sink->before_wait(l->in.sink->ctx);
        at = lsr_clock();
        l->in.stats->directories++;
        n = lsr_members_read(&job, &entries);
        lsr_rows_add(r, entries, n);
        lsr_lap(&l->in.stats->read_ns, &at);
        lsr_rows_report(&l->in, r, p->path);
        if (l->in.o->total_size)
                listing_member_totals(r, &(struct lsr_set){ .bundle = p->place.bundle });
        lsr_rows_sort(&l->in, r, true);
        return 0;
}

/* Open what is pending and bring its sorted entries into @r.  0; 1 if it was skipped, or reported; negative errno. */
static int listing_load(struct listing *l, struct lsr_rows *r, struct listing_pending *p)
{
        const char *path = p->path;
        const bool operand = p->operand;
        int error;

        if (p->perhaps && listing_look_into(l, p) != 0)
                return 1;
        if (p->place.bundle)
                return listing_load_members(l, r, p);
        if (l->in.dir.fd < 0) {
                error = lsr_dir_open(&l->in.dir, l->in.io, path, true);
                if (error < 0) {
                        l->in.sink->trouble(l->in.sink->ctx, LSR_TROUBLE_OPEN_DIR, path, error, operand);
                        return 1;
                }
        }
        if (l->in.o->recursive && !listing_enter(l, path, operand)) {
                lsr_dir_close(&l->in.dir);
                return 1;
        }
        l->in.stats->directories++;
        error = lsr_rows_read(&l->in, r, path, operand);
        if (error < 0)
                return error;
        lsr_rows_complete(&l->in, r, l->in.dir.fd, path);
        lsr_rows_sort(&l->in, r, true);
        return 0;
}

static int listing_dir(struct listing *l, struct lsr_arena *arena, struct listing_pending *p)
{
        struct lsr_rows r = { .arena = arena };
        struct lsr_set set;
        int error = listing_load(l, &r, p);

        if (error)
                return error < 0 ? error : 0;
        set = listing_set(l, &r, p->path, p->depth);
        set.bundle = p->place.bundle;
        error = listing_show(l, &set);
        if (l->in.o->recursive)
                listing_push_subdirs(l, &set, arena);
        return error;
}

static int listing_drain(struct listing *l, struct lsr_arena *arena)
{
        int error = 0;

        while (l->n_pending > 0 && error >= 0) {
                struct listing_pending p = l->pending[--l->n_pending];

                if (!p.path) {
                        l->n_active--;
                        continue;
                }
                error = listing_dir(l, arena, &p);
                free(p.path);
                /* The last directory's memory and descriptor are left to the end of the process. */
                if (l->n_pending > 0) {
                        lsr_dir_close(&l->in.dir);
                        lsr_arena_reset(arena);
                }
        }
        return error;
}

/* A set of a tree: each row, and below it what it contains. */
static int listing_tree(struct listing *l, const struct lsr_set *set)
{
        int error = listing_show(l, set);

        for (size_t i = 0; i < set->n && error >= 0; i++) {
                const struct lsr_entry *e = set->rows[i];
                struct lsr_arena arena = {};
                struct lsr_rows r = { .arena = &arena };
                struct listing_pending p = { .operand = e->flags & LSR_ENTRY_OPERAND };
                struct lsr_set below;

                error = l->in.sink->row(l->in.sink->ctx, set, i);
                p.perhaps = listing_may_enter(l, e, set->depth);
                if (error < 0 || !(p.perhaps || listing_descends(l, e, set->depth)))
                        continue;
                p.place = listing_place(set, e);
                p.path = set->dir ? listing_subdir(&arena, set->dir, e) : (char *)(uintptr_t)e->name;
                error = listing_load(l, &r, &p);
                if (error == 0) {
                        lsr_dir_close(&l->in.dir);
                        below = listing_set(l, &r, p.path, set->depth + 1);
                        below.bundle = p.place.bundle;
                        error = listing_tree(l, &below);
                        l->n_active--;
                }
                error = error < 0 ? error : 0;
                lsr_arena_free(&arena);
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

/* Operands that are, or lie in, bundles: put the members that they mean in their place. */
static void listing_find_members(struct listing *l, struct lsr_rows *r)
{
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];
                struct lsr_members_job job = { .io = l->in.io, .arena = r->arena, .o = l->in.o };
                unsigned flags = (l->in.o->dirs_as_files ? 0 : LSR_PLACE_ENTER) |
                                 (l->in.o->follow != LSR_FOLLOW_NEVER ? LSR_PLACE_FOLLOW : 0) |
                                 (l->in.o->recursive || l->in.o->tree || l->in.o->total_size ? 0 : LSR_PLACE_PART);
                int error;

                if (!listing_asks_bundles(l, e, r->n))
                        continue;
                error = lsr_place_find(l->in.o->bundles, e->name, flags, &job.dir);
                if (l->in.o->follow == LSR_FOLLOW_OPERAND_DIR &&
                    (error == -ENOENT || (error == 0 && !lsr_place_is_dir(&job.dir)))) {
                        /* As in listing_wants_lstat(). */
                        flags &= ~(LSR_PLACE_FOLLOW | LSR_PLACE_ENTER);
                        error = lsr_place_find(l->in.o->bundles, e->name, flags, &job.dir);
                }
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
                &(struct lsr_stat_batch){ .dirfd = AT_FDCWD, .fields = lsr_rows_fields(l->in.o), .expected = again },
                ops, again);
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
        if (l->in.o->tree)
                return listing_tree(l, &set);
        dirs = listing_pick(&r, true, false);
        if (as_files)
                dirs.n = 0;
        l->heading = l->heading || n > 1;
        set.more = dirs.n > 0;
        set.heading = false;
        if (files.n > 0)
                error = listing_show(l, &set);
        for (size_t i = dirs.n; i-- > 0;)
                listing_push(
                        l, dirs.sorted[i]->name,
                        &(struct listing_pending){ .place = listing_place(&set, dirs.sorted[i]), .operand = true });
        return error;
}

int lsr_list(struct lsr_io *io, const struct lsr_list_options *options, const char *const *operands, size_t n,
             const struct lsr_listing_sink *sink, struct lsr_listing_stats *ret_stats)
{
        struct listing l = { .in = { .io = io, .o = options, .sink = sink, .stats = ret_stats, .dir.fd = -1 } };
        struct lsr_arena arena = {};
        bool as_files = options->dirs_as_files || options->tree;
        int error = 0;

        *ret_stats = (struct lsr_listing_stats){};
        l.heading = options->recursive;
        /* One operand is a directory most of the time: opening it tells, and saves the stat. */
        if (n == 1 && !as_files && operands[0][0] &&
            lsr_dir_open(&l.in.dir, io, operands[0], options->follow != LSR_FOLLOW_NEVER) == 0) {
                listing_push(&l, operands[0], &(struct listing_pending){ .operand = true });
        } else {
                l.in.dir.fd = -1;
                error = listing_operands(&l, &arena, operands, n);
        }
        if (error >= 0)
                error = listing_drain(&l, &arena);
        free(l.pending);
        free(l.active);
        lsr_git_free(l.in.git);
        lsr_arena_free(&arena);
        return error;
}
