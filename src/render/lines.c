/* lines - one name per line (-1), and names separated by commas (-m) */
#include <stdint.h>

#include "render/view.h"

void lsr_lines_set(struct lsr_view *v, const struct lsr_set *set)
{
        v->cells.ragged = v->o.unaligned && set->dir;
        lsr_view_measure(v, set);
        for (size_t i = 0; i < set->n; i++) {
                lsr_view_prefetch(set, i);
                lsr_name_cell(v, set->rows[i], 0);
                lsr_out_putc(v->out, v->o.end);
        }
}

void lsr_commas_set(struct lsr_view *v, const struct lsr_set *set)
{
        size_t at = 0;

        if (set->n == 0)
                return;
        v->cells.ragged = true;
        lsr_view_measure(v, set);
        for (size_t i = 0; i < set->n; i++) {
                size_t width = v->o.width ? lsr_name_cell_width(v, set->rows[i]) : 0;

                if (i > 0) {
                        bool fits = !v->o.width || at + width + 2 < v->o.width;

                        lsr_out_putc(v->out, ',');
                        lsr_out_putc(v->out, fits ? ' ' : v->o.end);
                        at = fits ? at + 2 : 0;
                }
                lsr_name_cell(v, set->rows[i], at);
                at += width;
        }
        lsr_out_putc(v->out, v->o.end);
}
