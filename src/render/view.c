/* view - from a set to the format that shows it */
#include "render/view.h"

#include <assert.h>

static void view_total(struct lsr_view *v, uint64_t blocks)
{
        char text[LSR_HUMAN_MAX];

        if (v->o.dired)
                lsr_out_puts(v->out, "  ");
        lsr_out_puts(v->out, "total ");
        lsr_out_put(v->out, text, lsr_size_format(&v->o.block_style, blocks, 512, text));
        lsr_out_putc(v->out, v->o.end);
}

void lsr_view_measure(struct lsr_view *v, const struct lsr_set *set)
{
        const struct lsr_span span = { set->measured, set->n_measured };

        lsr_cells_measure(v, &span, 1, v->o.titles && v->o.format == LSR_FORMAT_LONG);
}

void lsr_view_set(struct lsr_view *v, const struct lsr_set *set)
{
        static void (*const formats[])(struct lsr_view * v, const struct lsr_set *set) = {
                [LSR_FORMAT_GRID] = lsr_grid_set, [LSR_FORMAT_ACROSS] = lsr_grid_set,
                [LSR_FORMAT_ONE] = lsr_lines_set, [LSR_FORMAT_COMMAS] = lsr_commas_set,
                [LSR_FORMAT_LONG] = lsr_long_set,
        };

        assert(set->n == 0 || set->rows);
        v->dir = set->dir;
        if (v->o.format == LSR_FORMAT_JSON) {
                lsr_json_set(v, set);
                return;
        }
        if (v->o.tree) {
                lsr_tree_set(v, set);
                return;
        }
        if (set->dir && set->heading)
                lsr_heading_put(v, set->dir);
        if (set->dir && (v->o.format == LSR_FORMAT_LONG || lsr_cells_have(&v->cells, LSR_SHOW_BLOCKS)))
                view_total(v, set->blocks);
        v->any_set = true;
        lsr_name_scan_quoting(v, set->measured, set->n_measured);
        formats[v->o.format](v, set);
}

void lsr_view_end(struct lsr_view *v)
{
        if (v->tree)
                lsr_tree_end(v);
}

static void view_dired(struct lsr_view *v, const char *label, const struct lsr_dired *d)
{
        if (d->n == 0)
                return;
        lsr_out_puts(v->out, label);
        for (size_t i = 0; i < d->n; i++)
                lsr_out_printf(v->out, " %llu %llu", (unsigned long long)d->at[i].begin,
                               (unsigned long long)d->at[i].end);
        lsr_out_putc(v->out, '\n');
}

void lsr_view_finish(struct lsr_view *v)
{
        lsr_color_off(v);
        if (!v->o.dired)
                return;
        view_dired(v, "//DIRED//", &v->dired);
        view_dired(v, "//SUBDIRED//", &v->subdired);
        lsr_out_printf(v->out, "//DIRED-OPTIONS// --quoting-style=%s\n", lsr_quoting_words[v->quote.quote.style].word);
}
