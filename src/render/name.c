/*
 * name - a name with its quotes, colour, link and mark
 *
 * Most names need none of that: they are copied.  The order of the sequences
 * around the others is GNU's, so that the bytes are the same.
 */
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "render/view.h"

/* Position of the next byte as --dired counts. */
static uint64_t name_dired_pos(const struct lsr_view *v)
{
        return lsr_out_pos(v->out) - v->not_dired;
}

static void name_dired_add(struct lsr_view *v, struct lsr_dired *d, uint64_t begin, uint64_t end)
{
        if (!v->o.dired)
                return;
        lsr_grow(&d->at, d->n, &d->cap);
        d->at[d->n++] = (struct lsr_dired_place){ begin, end };
}

/* ---- colour ---- */

static void name_color_reset(struct lsr_view *v);

static void name_color_put(struct lsr_view *v, const struct lsr_color_text *text)
{
        /* The first sequence of all is a reset: who knows what was on the screen. */
        if (!v->used_color) {
                v->used_color = true;
                v->syscalls +=
                        lsr_restore_on_signal(&v->colors.kinds[LSR_COLOR_LEFT], &v->colors.kinds[LSR_COLOR_RIGHT]);
                name_color_reset(v);
        }
        lsr_out_put(v->out, text->text, text->len);
        v->not_dired += text->len;
}

static void name_color_around(struct lsr_view *v, const struct lsr_color_text *inner)
{
        name_color_put(v, &v->colors.kinds[LSR_COLOR_LEFT]);
        if (inner)
                name_color_put(v, inner);
        name_color_put(v, &v->colors.kinds[LSR_COLOR_RIGHT]);
}

static void name_color_reset(struct lsr_view *v)
{
        if (v->colors.kinds[LSR_COLOR_END].text)
                name_color_put(v, &v->colors.kinds[LSR_COLOR_END]);
        else
                name_color_around(v, &v->colors.kinds[LSR_COLOR_RESET]);
}

void lsr_color_sequence(struct lsr_view *v, const char *sequence)
{
        name_color_put(v, &(struct lsr_color_text){ .text = sequence, .len = strlen(sequence) });
}

void lsr_color_normal(struct lsr_view *v)
{
        if (v->o.color && lsr_colors_has(&v->colors, LSR_COLOR_NORMAL))
                name_color_around(v, &v->colors.kinds[LSR_COLOR_NORMAL]);
}

void lsr_color_off(struct lsr_view *v)
{
        const struct lsr_color_text *left = &v->colors.kinds[LSR_COLOR_LEFT];
        const struct lsr_color_text *right = &v->colors.kinds[LSR_COLOR_RIGHT];

        /* With the usual sequences this would do nothing. */
        if (v->used_color &&
            !(left->len == 2 && memcmp(left->text, "\033[", 2) == 0 && right->len == 1 && right->text[0] == 'm'))
                name_color_around(v, NULL);
}

static const struct lsr_color_text *name_pick_color(const struct lsr_view *v, const struct lsr_entry *e, bool target)
{
        bool link_ok = e->extra && e->extra->link_ok;
        struct lsr_color_subject s = {
                .name = e->name,
                .name_len = e->name_len,
                .mode = lsr_entry_mode(e),
                .nlink = e->meta.nlink,
                .stat_ok = lsr_entry_stat_ok(e),
                .has_cap = e->extra && e->extra->has_cap,
                .link_broken = !link_ok,
        };

        if (target) {
                s.name = e->extra->target;
                s.name_len = e->extra->target_len;
                s.mode = e->extra->target_mode;
                s.is_target = true;
                s.missing = !link_ok;
        } else if (v->colors.link_as_target && link_ok) {
                s.mode = e->extra->target_mode;
        }
        return lsr_colors_pick(&v->colors, &s);
}

/* ---- the name ---- */

/*
 * Quoted text with a hyperlink.  Where quotes are aligned they stay outside of
 * the link.
 */
static struct lsr_quoted name_put_linked(struct lsr_view *v, const struct lsr_quote_table *quote, const char *text,
                                         size_t len, const char *dir, const struct lsr_entry *e)
{
        lsr_auto(lsr_out_free) struct lsr_out tmp = LSR_OUT_MEMORY;
        struct lsr_quoted q;
        bool outside;

        q = lsr_quote_put(quote, &tmp, text, len);
        outside = v->some_quoted && q.quoted && tmp.len >= 2;
        if (outside)
                lsr_out_putc(v->out, tmp.buf[0]);
        lsr_hyperlink_begin(&v->links, v->out, dir, e);
        if (tmp.len)
                lsr_out_put(v->out, tmp.buf + outside, tmp.len - 2 * (size_t)outside);
        lsr_hyperlink_end(v->out);
        if (outside)
                lsr_out_putc(v->out, tmp.buf[tmp.len - 1]);
        return q;
}

static char name_indicator(const struct lsr_view *v, bool stat_ok, mode_t mode)
{
        if (S_ISREG(mode))
                return v->o.indicator == LSR_INDICATOR_CLASSIFY && stat_ok && (mode & 0111) ? '*' : 0;
        if (S_ISDIR(mode))
                return '/';
        if (v->o.indicator == LSR_INDICATOR_SLASH)
                return 0;
        if (S_ISLNK(mode))
                return '@';
        if (S_ISFIFO(mode))
                return '|';
        return S_ISSOCK(mode) ? '=' : 0;
}

bool lsr_name_is_bare(const struct lsr_view *v, const struct lsr_entry *e)
{
        return !v->frills && lsr_quote_plain(&v->quote, e->name, e->name_len);
}

char *lsr_name_put_bare(const struct lsr_view *v, const struct lsr_entry *e, char *p)
{
        char mark;

        if (v->some_quoted)
                *p++ = ' ';
        memcpy(p, e->name, e->name_len);
        p += e->name_len;
        if (v->o.indicator != LSR_INDICATOR_NONE) {
                mark = name_indicator(v, lsr_entry_stat_ok(e), lsr_entry_mode(e));
                if (mark)
                        *p++ = mark;
        }
        return p;
}

size_t lsr_name_put(struct lsr_view *v, const struct lsr_entry *e, bool target, size_t start_column)
{
        const char *text = target ? e->extra->target : e->name;
        size_t len = target ? e->extra->target_len : e->name_len;
        const struct lsr_color_text *color = v->o.color ? name_pick_color(v, e, target) : NULL;
        bool colored = v->o.color && (color || lsr_colors_has(&v->colors, LSR_COLOR_NORMAL));
        bool plain = lsr_quote_plain(&v->quote, text, len);
        struct lsr_quoted q = { len, len, false };
        bool pad;
        uint64_t begin;

        pad = v->some_quoted && (plain || !lsr_quote_measure(&v->quote, text, len).quoted);
        if (pad && !target)
                lsr_out_putc(v->out, ' ');
        if (color) {
                if (lsr_colors_has(&v->colors, LSR_COLOR_NORMAL))
                        name_color_around(v, NULL);
                name_color_around(v, color);
        }
        if (v->o.icons && !target)
                lsr_icon_put(v->out, e);
        begin = v->o.dired ? name_dired_pos(v) : 0;
        if (v->o.hyperlink)
                q = name_put_linked(v, &v->quote, text, len, v->dir, e);
        else if (plain)
                lsr_out_put(v->out, text, len);
        else
                q = lsr_quote_put(&v->quote, v->out, text, len);
        if (v->o.dired && !target)
                name_dired_add(v, &v->dired, begin, name_dired_pos(v));
        /* GNU ls counts the blank for a link's target as well, which has none. */
        q.len += pad;
        if (colored) {
                name_color_reset(v);
                /* A name that wraps would leave its background to the end of the line. */
                if (v->o.width && start_column / v->o.width != (start_column + q.len - 1) / v->o.width)
                        name_color_put(v, &v->colors.kinds[LSR_COLOR_CLEAR_TO_EOL]);
        }
        return q.len;
}

size_t lsr_name_width(struct lsr_view *v, const struct lsr_entry *e)
{
        struct lsr_quoted q = { e->name_len, e->name_len, false };

        if (!lsr_quote_plain(&v->quote, e->name, e->name_len))
                q = lsr_quote_measure(&v->quote, e->name, e->name_len);
        return q.width + (v->some_quoted && !q.quoted) + (v->o.icons ? LSR_ICON_WIDTH : 0);
}

void lsr_name_scan_quoting(struct lsr_view *v, struct lsr_entry *const *entries, size_t n)
{
        v->some_quoted = false;
        if (!v->align_quotes)
                return;
        for (size_t i = 0; i < n && !v->some_quoted; i++) {
                const struct lsr_entry *e = entries[i];

                if (!lsr_quote_plain(&v->quote, e->name, e->name_len))
                        v->some_quoted = lsr_quote_measure(&v->quote, e->name, e->name_len).quoted;
        }
}

void lsr_indicator_put(struct lsr_view *v, bool stat_ok, mode_t mode)
{
        char c = v->o.indicator != LSR_INDICATOR_NONE ? name_indicator(v, stat_ok, mode) : 0;

        if (c)
                lsr_out_putc(v->out, c);
}

void lsr_heading_put(struct lsr_view *v, const char *dir)
{
        uint64_t begin;

        if (v->any_set)
                lsr_out_putc(v->out, '\n');
        if (v->o.dired)
                lsr_out_puts(v->out, "  ");
        begin = name_dired_pos(v);
        v->some_quoted = false;
        if (v->o.hyperlink)
                name_put_linked(v, &v->dir_quote, dir, strlen(dir), dir, NULL);
        else
                lsr_quote_put(&v->dir_quote, v->out, dir, strlen(dir));
        name_dired_add(v, &v->subdired, begin, name_dired_pos(v));
        lsr_out_puts(v->out, ":\n");
}

/* ---- cells of grids ---- */

size_t lsr_name_cell_width(struct lsr_view *v, const struct lsr_entry *e)
{
        size_t width = lsr_cells_width(v, e) + lsr_name_width(v, e);

        if (v->o.indicator != LSR_INDICATOR_NONE)
                width += name_indicator(v, lsr_entry_stat_ok(e), lsr_entry_mode(e)) != 0;
        return width;
}

void lsr_name_cell(struct lsr_view *v, const struct lsr_entry *e, size_t start_column)
{
        char *p, *anew;

        lsr_color_normal(v);
        if (v->cells.paints && !v->used_color)
                lsr_color_sequence(v, "");
        p = lsr_out_reserve(v->out, v->cells.room + LSR_CELL_TEXT_MAX + v->prefix_len + e->name_len + 8);
        if (v->cells.room > 0)
                p = lsr_cells_put(v, e, p, &anew);
        p = lsr_name_put_prefix(v, p);
        if (lsr_name_is_bare(v, e)) {
                lsr_out_commit(v->out, lsr_name_put_bare(v, e, p));
                return;
        }
        lsr_out_commit(v->out, p);
        lsr_name_put(v, e, false, start_column);
        lsr_indicator_put(v, lsr_entry_stat_ok(e), lsr_entry_mode(e));
}
