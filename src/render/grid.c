/*
 * grid - names in columns, down (-C) or across (-x)
 *
 * All numbers of columns are tried at once: for each, the widths of its columns
 * are kept and a layout that grows too wide drops out.  The widest one that is
 * left wins.  A layout cannot have more columns than fit with names of one
 * character, which bounds the work.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "render/view.h"

#define GRID_CELL_MIN 3 /* a character and the gap of two blanks */
#define GRID_GAP 2

struct grid_layout {
        size_t *widths; /* of its columns */
        size_t line;    /* their sum */
        bool fits;
};

struct grid {
        struct lsr_view *v;
        const struct lsr_set *set;
        size_t *cells; /* widths of the cells */
        size_t n_columns;
        size_t *widths; /* of the chosen layout */
};

static size_t grid_column(const struct grid *g, size_t i, size_t n_columns)
{
        if (g->v->o.format == LSR_FORMAT_ACROSS)
                return i % n_columns;
        return i / ((g->set->n + n_columns - 1) / n_columns);
}

static void grid_choose(struct grid *g, struct lsr_arena *arena)
{
        size_t limit = g->v->o.width;
        size_t most = limit / GRID_CELL_MIN + (limit % GRID_CELL_MIN != 0);
        struct grid_layout *layouts;

        most = most < 1 ? 1 : most < g->set->n ? most : g->set->n;
        layouts = lsr_arena_new(arena, struct grid_layout, most);
        for (size_t k = 0; k < most; k++) {
                layouts[k] = (struct grid_layout){ lsr_arena_new(arena, size_t, k + 1), (k + 1) * GRID_CELL_MIN, true };
                for (size_t j = 0; j <= k; j++)
                        layouts[k].widths[j] = GRID_CELL_MIN;
        }
        for (size_t i = 0; i < g->set->n; i++) {
                for (size_t k = 0; k < most; k++) {
                        struct grid_layout *layout = &layouts[k];
                        size_t column, width;

                        if (!layout->fits)
                                continue;
                        column = grid_column(g, i, k + 1);
                        width = g->cells[i] + (column == k ? 0 : GRID_GAP);
                        if (width > layout->widths[column]) {
                                layout->line += width - layout->widths[column];
                                layout->widths[column] = width;
                                layout->fits = layout->line < limit;
                        }
                }
        }
        g->n_columns = most;
        while (g->n_columns > 1 && !layouts[g->n_columns - 1].fits)
                g->n_columns--;
        g->widths = layouts[g->n_columns - 1].widths;
}

/* From column @from to column @to, by tabs where one saves a blank. */
static void grid_indent(struct lsr_view *v, size_t from, size_t to)
{
        size_t tab = v->o.tabsize;

        while (from < to) {
                if (tab != 0 && to / tab > (from + 1) / tab) {
                        lsr_out_putc(v->out, '\t');
                        from += tab - from % tab;
                } else {
                        lsr_out_putc(v->out, ' ');
                        from++;
                }
        }
}

/* Row by row: the next cell to the right is @right entries further, the row below @down entries. */
static void grid_rows(struct grid *g)
{
        bool across = g->v->o.format == LSR_FORMAT_ACROSS;
        size_t n_rows = (g->set->n + g->n_columns - 1) / g->n_columns;
        size_t right = across ? 1 : n_rows, down = across ? g->n_columns : 1;

        for (size_t row = 0; row < n_rows; row++) {
                size_t at = 0, i = row * down;

                for (size_t column = 0; column < g->n_columns && i < g->set->n; column++, i += right) {
                        if (column > 0) {
                                grid_indent(g->v, at + g->cells[i - right], at + g->widths[column - 1]);
                                at += g->widths[column - 1];
                        }
                        lsr_name_cell(g->v, g->set->rows[i], at);
                }
                lsr_out_putc(g->v->out, g->v->o.end);
        }
}

/* Without a limit of width everything goes onto one line. */
static void grid_one_line(struct grid *g)
{
        for (size_t i = 0; i < g->set->n; i++) {
                if (i > 0)
                        lsr_out_put(g->v->out, "  ", 2);
                lsr_name_cell(g->v, g->set->rows[i], 0);
        }
        lsr_out_putc(g->v->out, g->v->o.end);
}

void lsr_grid_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct grid g = { .v = v, .set = set };
        struct lsr_arena arena = {};

        if (set->n == 0)
                return;
        lsr_view_measure(v, set);
        if (v->o.width == 0) {
                grid_one_line(&g);
                return;
        }
        g.cells = lsr_arena_new(&arena, size_t, set->n);
        for (size_t i = 0; i < set->n; i++)
                g.cells[i] = lsr_name_cell_width(v, set->rows[i]);
        grid_choose(&g, &arena);
        grid_rows(&g);
        lsr_arena_free(&arena);
}
