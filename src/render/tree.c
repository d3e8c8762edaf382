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
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/locale.h"
#include "render/view.h"

#define TREE_STEP 4 /* columns of a level */

struct tree_level {
        struct lsr_columns columns;
        size_t prefix_len; /* bytes of the branches of the levels above */
};

struct lsr_tree {
        struct tree_level *levels;
        size_t cap_levels;
        struct lsr_out prefix; /* in memory */
};

static const char *tree_piece(bool row, bool last)
{
        if (lsr_locale_multibyte())
                return row ? (last ? "└── " : "├── ") : (last ? "    " : "│   ");
        return row ? (last ? "`-- " : "|-- ") : (last ? "    " : "|   ");
}

void lsr_tree_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct lsr_tree *t = v->tree;

        if (!t) {
                t = v->tree = lsr_xmalloc(sizeof(*t));
                *t = (struct lsr_tree){};
                lsr_out_init(&t->prefix, -1);
        }
        if (set->depth >= t->cap_levels) {
                t->cap_levels = 2 * (size_t)set->depth + 16;
                t->levels = lsr_xrealloc(t->levels, t->cap_levels * sizeof(*t->levels));
        }
        lsr_columns_measure(v, set, &t->levels[set->depth].columns);
        t->levels[set->depth].prefix_len = t->prefix.len;
}

void lsr_tree_row(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        struct lsr_tree *t = v->tree;
        struct tree_level *level = &t->levels[set->depth];
        bool last = i + 1 == set->n;

        t->prefix.len = level->prefix_len;
        if (set->depth > 0)
                lsr_out_puts(&t->prefix, tree_piece(true, last));
        lsr_out_putc(&t->prefix, '\0');
        v->prefix = t->prefix.buf;
        v->prefix_width = (size_t)set->depth * TREE_STEP;
        v->dir = set->dir;
        if (v->o.format == LSR_FORMAT_LONG) {
                lsr_long_row(v, &level->columns, set->rows[i]);
        } else {
                lsr_name_cell(v, &level->columns, set->rows[i], 0);
                lsr_out_putc(v->out, v->o.end);
        }
        /* What is below this row continues it: a bar if the level goes on, else nothing. */
        t->prefix.len = level->prefix_len;
        if (set->depth > 0)
                lsr_out_puts(&t->prefix, tree_piece(false, last));
}
