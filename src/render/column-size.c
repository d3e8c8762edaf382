/*
 * column-size - sizes of files, device numbers in their place, allocated blocks
 *
 *      |<--- cell->width ---->|
 *      |                123456|
 *      |    major,       minor|
 */
#include <string.h>

#include "base/width.h"
#include "render/column.h"

static bool size_is_device(const struct lsr_entry *e)
{
        return S_ISCHR(e->meta.mode) || S_ISBLK(e->meta.mode);
}

static bool size_plain(const struct lsr_size_style *s)
{
        return s->flags == 0 && s->unit == 1;
}

/* Both are apart, so that plain numbers, which need no room for a text, stay short. */
static __attribute__((noinline)) int size_styled_width(const struct lsr_size_style *s, uint64_t value, uint64_t from)
{
        char buf[LSR_HUMAN_MAX];

        return (int)lsr_text_width(buf, lsr_size_format(s, value, from, buf));
}

static __attribute__((noinline)) char *size_put_styled(const struct lsr_cell *cell, char *p,
                                                       const struct lsr_size_style *s, uint64_t value, uint64_t from)
{
        char buf[LSR_HUMAN_MAX];
        size_t len = lsr_size_format(s, value, from, buf);

        return lsr_cell_text(cell, p, buf, len, (int)lsr_text_width(buf, len));
}

void lsr_size_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        bool plain = size_plain(&v->o.size_style);
        uint64_t most = 0;

        for (size_t i = 0; i < n; i++) {
                const struct lsr_entry *e = entries[i];

                if (!lsr_entry_stat_ok(e))
                        continue;
                if (size_is_device(e)) {
                        int major = lsr_digits(lsr_dev_major(e->meta.rdev)),
                            minor = lsr_digits(lsr_dev_minor(e->meta.rdev));

                        cell->major = major > cell->major ? major : cell->major;
                        cell->minor = minor > cell->minor ? minor : cell->minor;
                        lsr_cell_widen(cell, cell->major + 2 + cell->minor);
                } else if (plain) {
                        /* At least 1, for its digit. */
                        most |= 1;
                        most = e->meta.size > most ? e->meta.size : most;
                } else {
                        lsr_cell_widen(cell, size_styled_width(&v->o.size_style, e->meta.size, 1));
                }
        }
        if (most)
                lsr_cell_widen(cell, lsr_digits(most));
}

static char *size_put_device(const struct lsr_cell *cell, uint32_t rdev, char *p)
{
        int blanks = cell->width - (cell->major + 2 + cell->minor);

        p = lsr_text_number(p, lsr_dev_major(rdev), cell->major + (blanks > 0 ? blanks : 0));
        *p++ = ',';
        *p++ = ' ';
        return lsr_text_number(p, lsr_dev_minor(rdev), cell->minor);
}

char *lsr_size_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        bool device = size_is_device(e);

        if (!lsr_entry_knows(e, device ? LSR_FIELD_TYPE : LSR_FIELD_SIZE))
                return lsr_cell_unknown(cell, p);
        if (device)
                return size_put_device(cell, e->meta.rdev, p);
        if (size_plain(&v->o.size_style))
                return lsr_text_number(p, e->meta.size, cell->width);
        return size_put_styled(cell, p, &v->o.size_style, e->meta.size, 1);
}

void lsr_blocks_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (lsr_entry_stat_ok(entries[i]))
                        lsr_cell_widen(cell, size_styled_width(&v->o.block_style, entries[i]->meta.blocks, 512));
}

char *lsr_blocks_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        return lsr_entry_knows(e, LSR_FIELD_BLOCKS) ? size_put_styled(cell, p, &v->o.block_style, e->meta.blocks, 512)
                                                    : lsr_cell_unknown(cell, p);
}

/* Of files, by the thousands in it. */
const char *lsr_size_paint(struct lsr_view *v, const struct lsr_cell *cell, const struct lsr_entry *e)
{
        static const char *const paints[] = { "\033[32m", "\033[1;32m", "\033[33m", "\033[1;33m", "\033[1;31m" };
        uint64_t size = e->meta.size;
        size_t i = 0;

        if (!lsr_entry_knows(e, LSR_FIELD_SIZE) || !S_ISREG(e->meta.mode))
                return NULL;
        for (; size >= 1024 && i + 1 < sizeof(paints) / sizeof(*paints); size /= 1024)
                i++;
        return paints[i];
}
