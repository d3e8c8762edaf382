/*
 * tree - rows with branches in front
 *
 * Branches of the levels above are either a bar or nothing; the stack keeps
 * which, as text, so that a row's prefix is one string.  A level adds its piece
 * behind those of its ancestors:
 *
 *      dir
 *      ├── a
 *      │   └── b        prefix of this row: "│   " "└── "
 *      └── c
 *
 * Names alone are printed as they come.  Columns align over the whole tree, so
 * with columns the rows are kept in their order, and written when all are
 * there.  By then nothing else is left to do, so that long trees are written by
 * all cores: each turns a piece into text, and the pieces are put together.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"
#include "base/pool.h"
#include "base/thread.h"
#include "formats/format.h"
#include "render/view.h"

#define TREE_STEP 4 /* columns of a level */

#define TREE_PIECE 1024u   /* rows, and up to so many more */
#define TREE_PIECES_MIN 4u /* for which a thread is started */
#define TREE_CORES_MAX 8u

struct tree_level {
        const struct tree_set *kept;
        size_t prefix_len; /* bytes of the branches of those above */
        bool last;         /* the row shown last has none behind it */
};

/* With columns: the copy of a set. */
struct tree_set {
        struct lsr_set set;
        const char *prefix[2]; /* of a row; of the last one */
        size_t prefix_len;
};

/* Rows of a set that follow each other in the output. */
struct tree_run {
        const struct tree_set *in;
        uint32_t first, n; /* TREE_PIECE at most */
};

struct lsr_tree {
        struct tree_level *levels;
        size_t cap_levels;
        struct lsr_out prefix; /* in memory: of the set at hand, in which those above it have the first bytes */
        /* with columns */
        struct lsr_arena arena; /* sets and prefixes */
        struct lsr_span *spans; /* rows of sets */
        size_t n_spans, cap_spans;
        struct tree_run *runs;
        size_t n_runs, cap_runs;
        size_t n_rows;
};

/* Some of the runs, as text. */
struct tree_piece {
        struct lsr_job job;
        const struct tree_run *run, *end;
        struct lsr_out text;
};

static const char *tree_branch(bool row, bool last)
{
        if (lsr_locale_multibyte())
                return row ? (last ? "└── " : "├── ") : (last ? "    " : "│   ");
        return row ? (last ? "`-- " : "|-- ") : (last ? "    " : "|   ");
}

static struct lsr_tree *tree_of(struct lsr_view *v)
{
        if (!v->tree) {
                v->tree = lsr_xmalloc(sizeof(*v->tree));
                *v->tree = (struct lsr_tree){};
                lsr_out_init(&v->tree->prefix, -1);
                lsr_out_reserve(&v->tree->prefix, 1);
        }
        return v->tree;
}

static struct tree_level *tree_level(struct lsr_tree *t, unsigned depth)
{
        if (depth >= t->cap_levels) {
                t->cap_levels = 2 * (size_t)depth + 16;
                t->levels = lsr_xrealloc(t->levels, t->cap_levels * sizeof(*t->levels));
        }
        return &t->levels[depth];
}

/* The prefix of a row of @set, which is the one at hand at its depth. */
static void tree_make_prefix(struct lsr_tree *t, const struct lsr_set *set, bool last)
{
        t->prefix.len = t->levels[set->depth].prefix_len;
        if (set->depth > 0)
                lsr_out_puts(&t->prefix, tree_branch(true, last));
}

/* v->prefix is that of the row. */
static void tree_show(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        assert(i < set->n);
        v->prefix_width = (size_t)set->depth * TREE_STEP;
        v->dir = set->dir;
        if (lsr_view_kind(v)->rows) {
                lsr_long_row(v, set->rows[i]);
        } else {
                lsr_name_cell(v, set->rows[i], 0);
                lsr_out_putc(v->out, v->o.end);
        }
}

static void tree_keep_set(struct lsr_tree *t, const struct lsr_set *set)
{
        struct tree_set *kept = lsr_arena_new(&t->arena, struct tree_set, 1);

        *kept = (struct tree_set){ .set = *set };
        for (unsigned last = 0; last < 2; last++) {
                tree_make_prefix(t, set, last);
                kept->prefix[last] = lsr_arena_strndup(&t->arena, t->prefix.buf, t->prefix.len);
                kept->prefix_len = t->prefix.len;
        }
        lsr_grow(&t->spans, t->n_spans, &t->cap_spans);
        t->spans[t->n_spans++] = (struct lsr_span){ set->measured, set->n_measured };
        t->levels[set->depth].kept = kept;
}

static void tree_keep(struct lsr_tree *t, const struct tree_set *in, size_t i)
{
        struct tree_run *run = t->n_runs > 0 ? &t->runs[t->n_runs - 1] : NULL;

        assert(i < in->set.n);
        if (!run || run->in != in || run->first + run->n != i || run->n == TREE_PIECE) {
                lsr_grow(&t->runs, t->n_runs, &t->cap_runs);
                run = &t->runs[t->n_runs++];
                *run = (struct tree_run){ in, (uint32_t)i, 0 };
        }
        run->n++;
        t->n_rows++;
}

static void tree_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct lsr_tree *t = tree_of(v);
        struct tree_level *level = tree_level(t, set->depth);

        t->prefix.len = set->depth > 0 ? level[-1].prefix_len : 0;
        if (set->depth > 1)
                lsr_out_puts(&t->prefix, tree_branch(false, level[-1].last));
        level->prefix_len = t->prefix.len;
        if (v->cells.n > 0)
                tree_keep_set(t, set);
}

static void tree_row(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        struct tree_level *level = &v->tree->levels[set->depth];

        level->last = i + 1 == set->n;
        if (v->cells.n > 0) {
                tree_keep(v->tree, level->kept, i);
                return;
        }
        tree_make_prefix(v->tree, set, level->last);
        v->prefix = v->tree->prefix.buf;
        v->prefix_len = v->tree->prefix.len;
        tree_show(v, set, i);
}

/* ---- when all rows are there ---- */

static void tree_show_runs(struct lsr_view *v, const struct tree_run *run, const struct tree_run *end)
{
        for (; run < end; run++) {
                const struct lsr_set *set = &run->in->set;

                v->prefix_len = run->in->prefix_len;
                for (size_t i = run->first; i < run->first + run->n; i++) {
                        lsr_view_prefetch(set, i);
                        v->prefix = run->in->prefix[i + 1 == set->n];
                        tree_show(v, set, i);
                }
        }
}

/* The views of a pool are copies, as putting cells remembers what was put. */
static void tree_work(void *views, unsigned worker, struct lsr_job *job)
{
        struct tree_piece *piece = (struct tree_piece *)job;
        struct lsr_view *v = (struct lsr_view *)views + worker;

        v->out = &piece->text;
        tree_show_runs(v, piece->run, piece->end);
}

static struct lsr_view *tree_copies(const struct lsr_view *v, unsigned n)
{
        struct lsr_view *copies = lsr_xmalloc(n * sizeof(*copies));

        for (unsigned i = 0; i < n; i++) {
                copies[i] = *v;
                for (size_t c = 0; v->cells.shown[c]; c++)
                        copies[i].cells.shown[c] = copies[i].cells.all + (v->cells.shown[c] - v->cells.all);
        }
        return copies;
}

/* What @piece becomes next; false: there is nothing left. */
static bool tree_cut(struct tree_piece *piece, const struct tree_run **run, const struct tree_run *end)
{
        size_t n = 0;

        piece->run = *run;
        while (*run < end && n < TREE_PIECE)
                n += (*run)++->n;
        piece->end = *run;
        return n > 0;
}

static void tree_show_by(struct lsr_view *v, unsigned cores)
{
        const struct tree_run *run = v->tree->runs, *end = run + v->tree->n_runs;
        struct lsr_view *copies = tree_copies(v, cores);
        struct lsr_pool *pool = lsr_pool_new(&(struct lsr_pool_options){ tree_work, copies, cores, .helps = true });
        struct tree_piece pieces[2 * TREE_CORES_MAX], *piece;

        for (unsigned i = 0; i < 2 * cores; i++) {
                lsr_out_init(&pieces[i].text, -1);
                if (tree_cut(&pieces[i], &run, end))
                        lsr_pool_submit(pool, &pieces[i].job);
        }
        while ((piece = (struct tree_piece *)lsr_pool_next(pool))) {
                lsr_out_put(v->out, piece->text.buf, piece->text.len);
                piece->text.len = 0;
                if (tree_cut(piece, &run, end))
                        lsr_pool_submit(pool, &piece->job);
        }
        lsr_pool_free(pool);
        for (unsigned i = 0; i < 2 * cores; i++)
                lsr_out_free(&pieces[i].text);
        free(copies);
}

/* Colours and links go on from row to row, so that one core writes those. */
static unsigned tree_cores(const struct lsr_view *v)
{
        unsigned cores = v->frills || v->tree->n_rows < TREE_PIECES_MIN * TREE_PIECE ? 1 : lsr_thread_worth();

        return cores < TREE_CORES_MAX ? cores : TREE_CORES_MAX;
}

/* As tree(1) closes: what is below the operands. */
static void tree_total(struct lsr_view *v)
{
        uint64_t dirs = 0, files = 0, bytes = 0;
        bool sizes = false;

        for (const struct tree_run *run = v->tree->runs; run < v->tree->runs + v->tree->n_runs; run++) {
                for (size_t i = run->first; i < run->first + run->n; i++) {
                        const struct lsr_entry *e = run->in->set.rows[i];

                        if (lsr_entry_is_dir(e)) {
                                dirs += run->in->set.depth > 0;
                                continue;
                        }
                        files++;
                        if (lsr_entry_knows(e, LSR_FIELD_SIZE)) {
                                bytes += e->meta.size;
                                sizes = true;
                        }
                }
        }
        lsr_out_printf(v->out, "%c%s director%s, ", v->o.end, lsr_grouped(dirs), dirs == 1 ? "y" : "ies");
        lsr_out_printf(v->out, "%s file%s", lsr_grouped(files), files == 1 ? "" : "s");
        if (sizes)
                lsr_view_bytes(v, bytes);
        lsr_out_putc(v->out, v->o.end);
}

static void tree_end(struct lsr_view *v)
{
        struct lsr_tree *t = v->tree;
        unsigned cores;

        if (!t || v->cells.n == 0)
                return;
        lsr_cells_measure(v, t->spans, t->n_spans);
        v->some_quoted = false;
        for (size_t i = 0; i < t->n_spans && !v->some_quoted; i++)
                lsr_name_scan_quoting(v, t->spans[i].entries, t->spans[i].n);
        if (v->o.titles)
                lsr_cells_put_titles(v);
        cores = tree_cores(v);
        if (cores > 1)
                tree_show_by(v, cores);
        else
                tree_show_runs(v, t->runs, t->runs + t->n_runs);
        if (lsr_view_kind(v)->rows)
                tree_total(v);
}

const struct lsr_view_tree lsr_tree_view = { tree_set, tree_row, tree_end };
