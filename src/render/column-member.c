/* column-member - what only bundles tell of a file; files elsewhere have a '?' there */
#include <string.h>

#include "base/width.h"
#include "render/column.h"

static const struct lsr_entry_member *member_of(const struct lsr_entry *e)
{
        return e->extra ? e->extra->member : NULL;
}

/* What @packed bytes are of the size, in hundredths. */
static uint64_t member_ratio(const struct lsr_entry *e, uint64_t packed)
{
        if (packed == UINT64_MAX || !S_ISREG(e->meta.mode) || !lsr_entry_knows(e, LSR_FIELD_SIZE) || e->meta.size == 0)
                return UINT64_MAX;
        return (uint64_t)((double)packed * 100 / (double)e->meta.size + 0.5);
}

/* UINT64_MAX: it is not known. */
static uint64_t member_number(const struct lsr_column *column, const struct lsr_entry *e)
{
        const struct lsr_entry_member *m = member_of(e);

        if (!m)
                return UINT64_MAX;
        switch (column->which) {
        case LSR_MEMBER_PACKED:
                return m->packed;
        case LSR_MEMBER_RATIO:
                return member_ratio(e, m->packed);
        default:
                return m->offset;
        }
}

static size_t member_text(struct lsr_view *v, const struct lsr_column *column, const struct lsr_entry *e,
                          char text[LSR_HUMAN_MAX])
{
        uint64_t n = member_number(column, e);
        size_t len;

        if (n == UINT64_MAX)
                return 0;
        if (column->which == LSR_MEMBER_PACKED)
                return lsr_size_format(&v->o.size_style, n, 1, text);
        len = (size_t)(lsr_text_number(text, n, 0) - text);
        if (column->which == LSR_MEMBER_RATIO)
                text[len++] = '%';
        return len;
}

void lsr_member_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        char text[LSR_HUMAN_MAX];

        for (size_t i = 0; i < n; i++) {
                size_t len = member_text(v, cell->column, entries[i], text);

                lsr_cell_widen(cell, len > 0 ? (int)lsr_text_width(text, len) : 1);
        }
}

char *lsr_member_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        char text[LSR_HUMAN_MAX];
        size_t len = member_text(v, cell->column, e, text);

        return len == 0 ? lsr_cell_unknown(cell, p) : lsr_cell_text(cell, p, text, len, (int)lsr_text_width(text, len));
}

void lsr_member_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        uint64_t n = member_number(cell->column, e);

        if (n != UINT64_MAX)
                lsr_out_commit(v->out,
                               lsr_json_put_number(lsr_out_reserve(v->out, LSR_JSON_ROOM), &cell->column->key, n));
}

/* ---- the method ---- */

static const char *method_of(const struct lsr_entry *e)
{
        const struct lsr_entry_member *m = member_of(e);

        return m && m->method && *m->method ? m->method : "?";
}

void lsr_method_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                size_t len = strlen(method_of(entries[i]));

                cell->bytes = len > cell->bytes ? len : cell->bytes;
                lsr_cell_widen(cell, (int)len);
        }
}

/* The bundle made the word: a terminal is not to obey it. */
char *lsr_method_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        const char *method = method_of(e);
        size_t len = strlen(method);
        char *end = lsr_cell_text(cell, p, method, len, (int)len);

        for (char *c = p; c < end; c++)
                if (*c < 0x20 || *c > 0x7e)
                        *c = '?';
        return end;
}

void lsr_method_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        const struct lsr_entry_member *m = member_of(e);

        if (m && m->method)
                lsr_json_string(v->out, "method", m->method, strlen(m->method));
}
