/*
 * long - the rows of ls -l
 *
 * Two passes over a set: the first measures the columns, the second writes.  A
 * row is written straight into the output buffer, in which there is room for
 * all of it; only names that need quoting, colour or a link leave that path.
 */
#include <string.h>

#include "render/view.h"

/* The parts of a row besides columns and name: blanks, a mark, an end; columns may be copied in larger pieces. */
#define LONG_REST_MAX (LSR_CELL_TEXT_MAX + 64)

/* Sorted rows are scattered in memory, in the order of the directory: prefetch the next ones. */
void lsr_long_prefetch(const struct lsr_set *set, size_t i)
{
        if (i + 8 < set->n) {
                __builtin_prefetch(set->rows[i + 8]);
                __builtin_prefetch((const char *)set->rows[i + 8] + 64);
                __builtin_prefetch(set->rows[i + 4]->name);
        }
}

/* The name, what a link leads to, marks.  @width: columns before it, as GNU ls counts. */
static void long_name(struct lsr_view *v, const struct lsr_entry *e, size_t width)
{
        width += lsr_name_put(v, e, false, width);
        if (!S_ISLNK(lsr_entry_mode(e))) {
                lsr_indicator_put(v, lsr_entry_stat_ok(e), lsr_entry_mode(e));
        } else if (e->extra && e->extra->target) {
                lsr_out_puts(v->out, " -> ");
                lsr_name_put(v, e, true, width + 4);
                lsr_indicator_put(v, true, lsr_entry_target_mode(e));
        }
        lsr_out_putc(v->out, v->o.end);
}

void lsr_long_row(struct lsr_view *v, const struct lsr_entry *e)
{
        /* What unpacking would make of a directory is dimmed. */
        bool dim = v->o.color && (e->flags & LSR_ENTRY_IMPLIED);
        char *p, *anew;
        size_t width;

        lsr_color_normal(v);
        if (dim)
                lsr_color_sequence(v, "\033[2m");
        p = lsr_out_reserve(v->out, v->cells.room + v->prefix_len + e->name_len + LONG_REST_MAX);
        if (v->o.dired) {
                *p++ = ' ';
                *p++ = ' ';
        }
        p = lsr_cells_put(v, e, p, &anew);
        width = (size_t)(p - anew) + v->prefix_width;
        p = lsr_name_put_prefix(v, p);
        if (lsr_name_is_bare(v, e) && !S_ISLNK(lsr_entry_mode(e))) {
                p = lsr_name_put_bare(v, e, p);
                *p++ = v->o.end;
                lsr_out_commit(v->out, p);
                return;
        }
        lsr_out_commit(v->out, p);
        if (dim) {
                lsr_color_sequence(v, "\033[0m");
                lsr_color_normal(v);
        }
        long_name(v, e, width);
}

void lsr_long_set(struct lsr_view *v, const struct lsr_set *set)
{
        lsr_view_measure(v, set);
        if (v->o.titles && set->n > 0)
                lsr_cells_put_titles(v);
        for (size_t i = 0; i < set->n; i++) {
                lsr_long_prefetch(set, i);
                lsr_long_row(v, set->rows[i]);
        }
}
