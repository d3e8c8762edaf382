/*
 * listing - one directory after the other, each with as few waits as possible: source.c reads it, ahead.c in threads
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

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "listing/filter.h"
#include "listing/read-ahead.h"
#include "listing/git.h"

struct listing {
        struct lsr_reader in;
        struct lsr_ahead ahead;
        bool heading;
};

static struct lsr_set listing_set(struct listing *l, const struct lsr_rows *r, const char *dir, unsigned depth)
{
        struct lsr_set set = { .dir = dir,
                               .rows = r->sorted,
                               .n = r->n,
                               .measured = r->rows,
                               .n_measured = r->n,
                               .depth = depth,
                               .heading = l->heading,
                               .noted = r->noted };

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

/* Have @dir read, and show it, perhaps in pieces.  LSR_READ_NONE: there is nothing to show. */
static int listing_dir(struct listing *l, struct lsr_node *dir)
{
        int got = lsr_ahead_take(&l->ahead, dir);
        struct lsr_rows *r = &dir->read->rows;
        struct lsr_set_bundle bundle;

        for (bool heading = l->heading; got == LSR_READ_ALL || got == LSR_READ_MORE; heading = false) {
                struct lsr_set set = listing_set(l, r, dir->read->path, dir->depth);
                int error;

                set.heading = heading;
                set.bundle = lsr_source_about(&l->in, dir, &bundle);
                /* Where few are looked for, directories without one are no news. */
                error = set.n == 0 && l->in.o->recursive && lsr_filter_is_choosy(l->in.o) ? 0 : listing_show(l, &set);
                if (error < 0 || got == LSR_READ_ALL)
                        return error;
                lsr_arena_reset(r->arena);
                *r = (struct lsr_rows){ .arena = r->arena };
                got = lsr_source_go_on(&l->in, dir);
        }
        return got;
}

static int listing_drain(struct listing *l)
{
        struct lsr_node *dir = &l->ahead.top;

        lsr_ahead_begin(&l->ahead);
        while ((dir = lsr_ahead_next(&l->ahead, dir))) {
                int error = listing_dir(l, dir);

                if (error < 0)
                        return error;
                /* The last directory's descriptor is left to the end of the process. */
                if (lsr_ahead_is_last(dir))
                        break;
                lsr_dir_close(&l->in.dir);
        }
        return 0;
}

/* A set of a tree: each row, and below it what it contains. */
static int listing_tree(struct listing *l, struct lsr_node *dir, const struct lsr_set *set)
{
        const struct lsr_node_read *read = dir->read;
        int error = listing_show(l, set);
        size_t next = 0;

        for (size_t i = 0; i < set->n && error >= 0; i++) {
                struct lsr_node *child;
                struct lsr_set below;

                error = l->in.sink->row(l->in.sink->ctx, set, i);
                if (error < 0 || next == read->n_children || read->children[next].row != i)
                        continue;
                child = &read->children[next++];
                error = lsr_ahead_take(&l->ahead, child);
                lsr_dir_close(&l->in.dir);
                if (error == LSR_READ_ALL) {
                        below = listing_set(l, &child->read->rows, child->read->path, child->depth);
                        error = listing_tree(l, child, &below);
                }
                if (!l->in.o->keep)
                        lsr_ahead_forget(&l->ahead, child);
                error = error < 0 ? error : 0;
        }
        return error;
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

static int listing_stat_operands(struct listing *l, struct lsr_rows *r, struct lsr_op *ops)
{
        const struct lsr_op lstat = lsr_op_stat(AT_FDCWD, l->in.o->want.fields, false);
        bool follow = l->in.o->follow != LSR_FOLLOW_NEVER;
        size_t again = 0;
        int error = lsr_io_add(l->in.io, ops, r->n);

        if (error < 0)
                return error;
        lsr_rows_wait(&l->in, r);
        lsr_source_find_members(&l->in, r);
        if (!follow)
                return 0;
        for (size_t i = 0; i < r->n; i++) {
                struct lsr_entry *e = r->rows[i];

                if (listing_wants_lstat(l->in.o, e)) {
                        e->meta = (struct lsr_meta){};
                        lsr_op_put(&ops[again++], &lstat, e->name, &e->meta);
                } else if (!(e->flags & LSR_ENTRY_MEMBER) || !S_ISLNK(lsr_entry_mode(e))) {
                        e->flags |= LSR_ENTRY_FOLLOWED;
                }
        }
        return lsr_io_run(l->in.io, ops, again);
}

/* Those operands that are directories, or those that are not, or all: what could be had of them, in their order. */
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

static int listing_operands(struct listing *l, const char *const *operands, size_t n)
{
        struct lsr_node *top = &l->ahead.top;
        struct lsr_rows *r = &top->read->rows, files, dirs = {};
        struct lsr_entry *entries = lsr_arena_new(r->arena, struct lsr_entry, n);
        struct lsr_op *ops = lsr_arena_new(r->arena, struct lsr_op, n);
        const struct lsr_op stat = lsr_op_stat(AT_FDCWD, l->in.o->want.fields, l->in.o->follow != LSR_FOLLOW_NEVER);
        bool as_files = l->in.o->dirs_as_files || l->in.o->tree;
        struct lsr_set set;
        int error;

        for (size_t i = 0; i < n; i++) {
                entries[i] = (struct lsr_entry){ .name = operands[i],
                                                 .name_len = (uint32_t)strlen(operands[i]),
                                                 .flags = LSR_ENTRY_STAT | LSR_ENTRY_OPERAND };
                lsr_op_put(&ops[i], &stat, operands[i], &entries[i].meta);
        }
        lsr_rows_add(r, entries, n);
        error = listing_stat_operands(l, r, ops);
        if (error < 0)
                return error;
        lsr_source_complete(&l->in, top);
        files = listing_pick(r, false, as_files);
        set = listing_set(l, &files, NULL, 0);
        set.measured = r->rows;
        set.n_measured = r->n;
        if (l->in.o->tree) {
                lsr_source_add_children(l->in.o, top, &files);
                lsr_ahead_begin(&l->ahead);
                return listing_tree(l, top, &set);
        }
        if (!as_files)
                dirs = listing_pick(r, true, false);
        l->heading = l->heading || n > 1;
        set.more = dirs.n > 0;
        set.heading = false;
        if (files.n > 0)
                error = listing_show(l, &set);
        lsr_source_add_children(l->in.o, top, &dirs);
        return error < 0 ? error : listing_drain(l);
}

/*
 * What is read ahead must not depend on what was shown: the git of a listing is one process, a width may tell of
 * quotes.
 */
static bool listing_may_read_ahead(const struct lsr_list_options *o)
{
        return !o->want.git && o->sort != LSR_SORT_WIDTH;
}

int lsr_list(struct lsr_io *io, const struct lsr_list_options *options, const char *const *operands, size_t n,
             const struct lsr_listing_sink *sink, struct lsr_listing_stats *ret_stats)
{
        struct lsr_entry only = { .name = operands[0], .type = DT_DIR, .flags = LSR_ENTRY_OPERAND };
        struct lsr_rows one = { .sorted = &(struct lsr_entry *){ &only }, .n = 1 };
        bool as_files = options->dirs_as_files || options->tree;
        struct listing l;
        int error;

        *ret_stats = (struct lsr_listing_stats){};
        l = (struct listing){ .in = { .io = io,
                                      .o = options,
                                      .sink = sink,
                                      .stats = ret_stats,
                                      .dir.fd = AT_FDCWD,
                                      .pieces = options->pieces },
                              .heading = options->recursive };
        if (options->want.fields & LSR_FIELD_ATTRIBUTES)
                lsr_io_prefer_calls(io);
        lsr_ahead_init(&l.ahead, &l.in, listing_may_read_ahead(options));
        /* Operands are at level 0, but those in a tree at 1. */
        l.ahead.top.depth = options->tree ? 0 : UINT32_MAX;
        /* One operand is a directory most of the time: opening it tells, and saves the stat. */
        if (n == 1 && !as_files && operands[0][0] &&
            lsr_dir_open(&l.in.dir, io, operands[0], options->follow != LSR_FOLLOW_NEVER) == 0) {
                only.name_len = (uint32_t)strlen(only.name);
                lsr_source_add_children(options, &l.ahead.top, &one);
                error = listing_drain(&l);
        } else {
                error = listing_operands(&l, operands, n);
        }
        if (error >= 0 && sink->end)
                error = sink->end(sink->ctx);
        lsr_ahead_free(&l.ahead);
        lsr_git_free(l.in.git);
        return error;
}
