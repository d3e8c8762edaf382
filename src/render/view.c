/* view - from a set to the format that shows it */
#include "render/view.h"

#include <assert.h>
#include <string.h>

#include "catalogue/member.h"
#include "formats/format.h"

/* The columns of names alone, in front of them. */
#define VIEW_PREFIXES (LSR_SHOW_INODE | LSR_SHOW_BLOCKS | LSR_SHOW_CONTEXT | LSR_SHOW_GIT)

/* Words are in GNU's order. */
/* clang-format off */
const struct lsr_view_kind lsr_view_kinds[] = {
        [LSR_FORMAT_LONG] = { { "verbose", "long" }, .shown = LSR_SHOW_LONG,
          .optional = VIEW_PREFIXES | LSR_SHOW_USER | LSR_SHOW_GROUP | LSR_SHOW_AUTHOR,
          .rows = true, .aligned = true, .set = lsr_long_set, .tree = &lsr_tree_view },
        [LSR_FORMAT_COMMAS] = { { "commas" }, .optional = VIEW_PREFIXES, .fills = true, .set = lsr_commas_set },
        [LSR_FORMAT_ACROSS] = { { "horizontal", "across" }, .optional = VIEW_PREFIXES,
          .fills = true, .aligned = true, .set = lsr_grid_set },
        [LSR_FORMAT_GRID] = { { "vertical" }, .optional = VIEW_PREFIXES,
          .fills = true, .aligned = true, .set = lsr_grid_set },
        [LSR_FORMAT_ONE] = { { "single-column" }, .optional = VIEW_PREFIXES,
          .set = lsr_lines_set, .tree = &lsr_tree_view },
        [LSR_FORMAT_JSON] = { .shown = LSR_SHOW_JSON, .optional = LSR_SHOW_GIT,
          .plain = true, .utc = true, .set = lsr_json_set, .tree = &lsr_json_tree_view },
};
/* clang-format on */
const size_t lsr_n_view_kinds = sizeof(lsr_view_kinds) / sizeof(*lsr_view_kinds);
_Static_assert(sizeof(lsr_view_kinds) / sizeof(*lsr_view_kinds) <= LSR_VIEW_KINDS_MAX, "room for their words");

void lsr_view_bytes(struct lsr_view *v, uint64_t bytes)
{
        bool plain = v->o.size_style.flags == 0 && v->o.size_style.unit == 1;
        char text[LSR_HUMAN_MAX];

        text[lsr_size_format(&v->o.size_style, bytes, 1, text)] = '\0';
        lsr_out_printf(v->out, ", %s%s", plain ? lsr_grouped(bytes) : text, plain ? " bytes" : "");
}

/* "  (tar in gzip, 1,204 members, 45K packed)" */
static void view_bundle(struct lsr_view *v, const struct lsr_set_bundle *b)
{
        /* Databases and descriptions are as large as they are. */
        bool packed = strcmp(b->format, "sqlite") != 0 && strcmp(b->format, "mtree") != 0;

        lsr_out_printf(v->out, "  (%s%s%s", b->format, b->filters[0] ? " in " : "", b->filters);
        if (b->members != UINT64_MAX)
                lsr_out_printf(v->out, ", %s member%s", lsr_grouped(b->members), b->members == 1 ? "" : "s");
        if (b->bytes != UINT64_MAX)
                lsr_view_bytes(v, b->bytes);
        if (b->bytes != UINT64_MAX && packed)
                lsr_out_puts(v->out, " packed");
        lsr_out_putc(v->out, ')');
}

static void view_total(struct lsr_view *v, uint64_t blocks, const struct lsr_set_bundle *bundle)
{
        char text[LSR_HUMAN_MAX];

        if (v->o.dired)
                lsr_out_puts(v->out, "  ");
        lsr_out_puts(v->out, "total ");
        lsr_out_put(v->out, text, lsr_size_format(&v->o.block_style, blocks, 512, text));
        if (bundle)
                view_bundle(v, bundle);
        lsr_out_putc(v->out, v->o.end);
}

void lsr_view_measure(struct lsr_view *v, const struct lsr_set *set)
{
        const struct lsr_span span = { set->measured, set->n_measured };

        lsr_cells_measure(v, &span, 1);
}

void lsr_view_set(struct lsr_view *v, const struct lsr_set *set)
{
        const struct lsr_view_kind *kind = lsr_view_kind(v);

        assert(set->n == 0 || set->rows);
        v->dir = set->dir;
        if (v->o.tree || kind->plain) {
                (v->o.tree ? kind->tree->set : kind->set)(v, set);
                return;
        }
        if (set->dir && set->heading)
                lsr_heading_put(v, set->dir);
        if (set->dir && (kind->rows || (v->cells.called & LSR_SHOW_BLOCKS)))
                view_total(v, set->blocks, set->bundle);
        v->any_set = true;
        lsr_name_scan_quoting(v, set->measured, set->n_measured);
        kind->set(v, set);
}

void lsr_view_row(struct lsr_view *v, const struct lsr_set *set, size_t i)
{
        lsr_view_kind(v)->tree->row(v, set, i);
}

/* What the marks behind the modes mean, of those that were shown. */
static void view_legend(struct lsr_view *v)
{
        const char *before = "marks: ";

        if (v->o.dired)
                lsr_out_puts(v->out, "  ");
        for (unsigned i = 0; i < LSR_MARKS; i++) {
                if (!(v->marks >> i & 1))
                        continue;
                lsr_out_printf(v->out, "%s%c %s", before, lsr_marks[i].sign, lsr_marks[i].meaning);
                before = "; ";
        }
        lsr_out_putc(v->out, v->o.end);
}

void lsr_view_end(struct lsr_view *v)
{
        if (v->o.tree)
                lsr_view_kind(v)->tree->end(v);
        if (v->marks)
                view_legend(v);
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
