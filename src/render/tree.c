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
 * with columns the rows are recorded in their order, and printed when all are
 * there.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"
#include "formats/format.h"
#include "render/view.h"

#define TREE_STEP 4 /* columns of a level */

struct tree_level {
        const struct lsr_set *kept; /* the copy of its set */
        size_t prefix_len;          /* bytes of the branches of those above */
};

/* A row, in the order of the output; or that a set begins. */
struct tree_row {
        const struct lsr_set *set;
        size_t i; /* TREE_BEGIN: it begins */
};

#define TREE_BEGIN SIZE_MAX

struct lsr_tree {
        struct tree_level *levels;
        size_t cap_levels;
        struct lsr_out prefix; /* in memory */
        /* with columns */
        struct lsr_arena arena; /* copies of sets */
        struct lsr_span *spans; /* their rows */
        size_t n_spans, cap_spans;
        struct tree_row *rows;
        size_t n_rows, cap_rows;
};

static const char *tree_piece(bool row, bool last)
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

static void tree_show(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        struct lsr_tree *t = v->tree;
        size_t prefix_len = t->levels[set->depth].prefix_len;
        bool last = i + 1 == set->n;

        assert(i < set->n && set->depth < t->cap_levels);
        t->prefix.len = prefix_len;
        if (set->depth > 0)
                lsr_out_puts(&t->prefix, tree_piece(true, last));
        v->prefix = t->prefix.buf;
        v->prefix_len = t->prefix.len;
        v->prefix_width = (size_t)set->depth * TREE_STEP;
        v->dir = set->dir;
        if (v->o.format == LSR_FORMAT_LONG) {
                lsr_long_row(v, set->rows[i]);
        } else {
                lsr_name_cell(v, set->rows[i], 0);
                lsr_out_putc(v->out, v->o.end);
        }
        /* Rows below this one show a bar in this place if the level continues, else nothing. */
        t->prefix.len = prefix_len;
        if (set->depth > 0)
                lsr_out_puts(&t->prefix, tree_piece(false, last));
}

static void tree_keep(struct lsr_tree *t, const struct lsr_set *set, size_t i)
{
        assert(i < set->n || i == TREE_BEGIN);
        lsr_grow(&t->rows, t->n_rows, &t->cap_rows);
        t->rows[t->n_rows++] = (struct tree_row){ set, i };
}

static void tree_keep_set(struct lsr_tree *t, const struct lsr_set *set)
{
        struct lsr_set *copy = lsr_arena_new(&t->arena, struct lsr_set, 1);

        *copy = *set;
        lsr_grow(&t->spans, t->n_spans, &t->cap_spans);
        t->spans[t->n_spans++] = (struct lsr_span){ copy->measured, copy->n_measured };
        tree_level(t, set->depth)->kept = copy;
        tree_keep(t, copy, TREE_BEGIN);
}

void lsr_tree_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct lsr_tree *t = tree_of(v);

        if (v->cells.n > 0)
                tree_keep_set(t, set);
        else
                tree_level(t, set->depth)->prefix_len = t->prefix.len;
}

void lsr_tree_row(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        if (v->o.format == LSR_FORMAT_JSON)
                lsr_json_tree_row(v, set, i);
        else if (v->cells.n > 0)
                tree_keep(v->tree, v->tree->levels[set->depth].kept, i);
        else
                tree_show(v, set, i);
}

/* As tree(1) closes: what is below the operands. */
static void tree_total(struct lsr_view *v)
{
        uint64_t dirs = 0, files = 0, bytes = 0;
        bool sizes = false;

        for (const struct tree_row *row = v->tree->rows; row < v->tree->rows + v->tree->n_rows; row++) {
                const struct lsr_entry *e = row->i == TREE_BEGIN ? NULL : row->set->rows[row->i];
                bool dir = e && lsr_entry_is_dir(e);

                dirs += dir && row->set->depth > 0;
                files += e && !dir;
                if (e && !dir && lsr_entry_knows(e, LSR_FIELD_SIZE)) {
                        bytes += e->meta.size;
                        sizes = true;
                }
        }
        lsr_out_printf(v->out, "%c%s director%s, ", v->o.end, lsr_grouped(dirs), dirs == 1 ? "y" : "ies");
        lsr_out_printf(v->out, "%s file%s", lsr_grouped(files), files == 1 ? "" : "s");
        if (sizes)
                lsr_view_bytes(v, bytes);
        lsr_out_putc(v->out, v->o.end);
}

void lsr_tree_end(struct lsr_view *v)
{
        struct lsr_tree *t = v->tree;

        if (v->cells.n == 0)
                return;
        lsr_cells_measure(v, t->spans, t->n_spans, v->o.titles && v->o.format == LSR_FORMAT_LONG);
        v->some_quoted = false;
        for (size_t i = 0; i < t->n_spans && !v->some_quoted; i++)
                lsr_name_scan_quoting(v, t->spans[i].entries, t->spans[i].n);
        if (v->o.titles && v->o.format == LSR_FORMAT_LONG)
                lsr_cells_put_titles(v);
        for (size_t i = 0; i < t->n_rows; i++) {
                const struct tree_row *row = &t->rows[i];

                if (row->i == TREE_BEGIN)
                        tree_level(t, row->set->depth)->prefix_len = t->prefix.len;
                else
                        tree_show(v, row->set, row->i);
        }
        if (v->o.format == LSR_FORMAT_LONG)
                tree_total(v);
}
