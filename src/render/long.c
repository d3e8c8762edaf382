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

#define LONG_NOTE_COLUMN_MAX 32 /* columns of a name that notes wait for */

/* What a bundle says of @e, behind its name. */
static void long_note(struct lsr_view *v, const struct lsr_entry *e)
{
        struct lsr_quote quote = v->quote.quote;
        struct lsr_quote_table table;
        size_t width;

        if (!e->extra || !e->extra->note)
                return;
        quote.style = LSR_QUOTE_LITERAL;
        lsr_quote_compile(&table, &quote);
        width = lsr_name_width(v, e);
        lsr_out_fill(v->out, ' ', width < v->note_column ? v->note_column - width + 2 : 2);
        if (v->o.color)
                lsr_color_sequence(v, "\033[2m");
        lsr_quote_put(&table, v->out, e->extra->note, e->extra->note_len);
        if (v->o.color)
                lsr_color_sequence(v, "\033[0m");
}

/* Where notes begin: behind most names. */
static void long_measure_notes(struct lsr_view *v, const struct lsr_set *set)
{
        v->note_column = 0;
        for (size_t i = 0; set->noted && i < set->n; i++) {
                size_t width = set->rows[i]->extra && set->rows[i]->extra->note ? lsr_name_width(v, set->rows[i]) : 0;

                if (width > v->note_column && width <= LONG_NOTE_COLUMN_MAX)
                        v->note_column = width;
        }
}

/* The name, what a link leads to, marks.  @width: columns before it, as GNU ls counts. */
static void long_name(struct lsr_view *v, const struct lsr_entry *e, size_t width)
{
        width += lsr_name_put(v, e, false, width);
        if (!S_ISLNK(lsr_entry_mode(e))) {
                lsr_indicator_put(v, lsr_entry_stat_ok(e), lsr_entry_mode(e));
                long_note(v, e);
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
        if (dim || v->cells.paints)
                lsr_color_sequence(v, dim ? "\033[2m" : "");
        p = lsr_out_reserve(v->out, v->cells.room + v->prefix_len + e->name_len + LONG_REST_MAX);
        if (v->o.dired) {
                *p++ = ' ';
                *p++ = ' ';
        }
        p = lsr_cells_put(v, e, p, &anew);
        width = (size_t)(p - anew) + v->prefix_width - v->cells.painted;
        p = lsr_name_put_prefix(v, p);
        if (lsr_name_is_bare(v, e) && !S_ISLNK(lsr_entry_mode(e)) && !(e->extra && e->extra->note)) {
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
        long_measure_notes(v, set);
        if (v->o.titles && set->n > 0)
                lsr_cells_put_titles(v);
        for (size_t i = 0; i < set->n; i++) {
                lsr_view_prefetch(set, i);
                lsr_long_row(v, set->rows[i]);
        }
}
