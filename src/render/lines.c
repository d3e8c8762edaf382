/* lines - one name a line (-1), and names with commas between them (-m) */
#include <stdint.h>

#include "render/view.h"

void lsr_lines_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct lsr_columns c = {};
        bool bare = !v->o.color && !v->o.inode && !v->o.blocks && !v->o.context && !v->o.git;

        if (!bare && !(v->o.unaligned && set->dir))
                lsr_columns_measure(v, set, &c);
        for (size_t i = 0; i < set->n; i++) {
                const struct lsr_entry *e = set->rows[i];

                if (bare) {
                        lsr_name_put(v, e, false, 0);
                        lsr_indicator_put(v, lsr_entry_stat_ok(e), lsr_entry_mode(e));
                } else {
                        lsr_name_cell(v, &c, e, 0);
                }
                lsr_out_putc(v->out, v->o.end);
        }
}

void lsr_commas_set(struct lsr_view *v, const struct lsr_set *set)
{
        struct lsr_columns c = {};
        size_t at = 0;

        if (set->n == 0)
                return;
        lsr_columns_measure(v, set, &c);
        for (size_t i = 0; i < set->n; i++) {
                size_t width = v->o.width ? lsr_name_cell_width(v, &c, set->rows[i]) : 0;

                if (i > 0) {
                        bool fits = !v->o.width || at + width + 2 < v->o.width;

                        lsr_out_putc(v->out, ',');
                        lsr_out_putc(v->out, fits ? ' ' : v->o.end);
                        at = fits ? at + 2 : 0;
                }
                lsr_name_cell(v, &c, set->rows[i], at);
                at += width;
        }
        lsr_out_putc(v->out, v->o.end);
}
