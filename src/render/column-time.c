/* column-time - the four times of a file, as dates and as ages */
#include <string.h>

#include "render/column.h"

/* A time that cannot be shown as a date is a number; an unknown one is aligned with dates. */
void lsr_time_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        char text[LSR_WHEN_MAX];

        if (v->when.kind != LSR_WHEN_RELATIVE) {
                lsr_cell_widen(cell, n ? lsr_when_width(&v->when) : 0);
                return;
        }
        for (size_t i = 0; i < n; i++)
                if (lsr_entry_knows(entries[i], cell->column->fields))
                        lsr_cell_widen(cell, (int)lsr_when_format(&v->when, entries[i]->meta.sec[cell->column->which],
                                                                  entries[i]->meta.nsec[cell->column->which], text));
}

/* Move text of @len bytes to the right.  This and the next one are apart, as they are rare. */
static __attribute__((noinline)) char *time_put_right(const struct lsr_cell *cell, char *p, size_t len)
{
        size_t blanks = (size_t)cell->width > len ? (size_t)cell->width - len : 0;

        memmove(p + blanks, p, len);
        memset(p, ' ', blanks);
        return p + blanks + len;
}

static __attribute__((noinline)) char *time_put_seconds(const struct lsr_cell *cell, char *p, int64_t sec)
{
        char *end = p;

        if (sec < 0)
                *end++ = '-';
        end = lsr_text_number(end, sec < 0 ? 0 - (uint64_t)sec : (uint64_t)sec, 0);
        return time_put_right(cell, p, (size_t)(end - p));
}

char *lsr_time_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        const unsigned time = cell->column->which;
        int64_t sec = e->meta.sec[time];
        size_t len;

        if (!lsr_entry_knows(e, cell->column->fields))
                return lsr_cell_unknown(cell, p);
        len = lsr_when_format(&v->when, sec, e->meta.nsec[time], p);
        if (v->when.kind == LSR_WHEN_RELATIVE)
                return time_put_right(cell, p, len);
        if (len == 0 && lsr_when_out_of_range(&v->when, sec))
                return time_put_seconds(cell, p, sec);
        return p + len;
}

void lsr_time_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e)
{
        const struct lsr_column *column = cell->column;
        size_t len;
        char *p;

        if (!(e->meta.known & column->fields))
                return;
        p = lsr_json_put_key(lsr_out_reserve(v->out, LSR_JSON_ROOM), &column->key);
        len = lsr_when_utc(&v->when, e->meta.sec[column->which], e->meta.nsec[column->which], p + 1);
        if (len == 0)
                return;
        p[0] = p[len + 1] = '"';
        lsr_out_commit(v->out, p + len + 2);
}

/* The age in the largest unit that is not 0: "59s", "3m", "23h", "364d", "12y"; "-3m" is in the future. */
static size_t age_text(int64_t now, int64_t sec, char text[24])
{
        static const struct {
                uint64_t seconds;
                char letter;
        } units[] = { { 31556952, 'y' }, { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
        uint64_t age = sec > now ? (uint64_t)sec - (uint64_t)now : (uint64_t)now - (uint64_t)sec;
        char *p = text;
        size_t i = 0;

        while (units[i].seconds > 1 && age < units[i].seconds)
                i++;
        if (sec > now)
                *p++ = '-';
        p = lsr_text_number(p, age / units[i].seconds, 0);
        *p++ = units[i].letter;
        return (size_t)(p - text);
}

void lsr_age_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n)
{
        char text[24];

        for (size_t i = 0; i < n; i++)
                if (lsr_entry_knows(entries[i], LSR_FIELD_MTIME))
                        lsr_cell_widen(cell, (int)age_text(v->when.now_sec, entries[i]->meta.sec[LSR_MTIME], text));
}

char *lsr_age_put(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e, char *p)
{
        char text[24];
        size_t len;

        if (!lsr_entry_knows(e, LSR_FIELD_MTIME))
                return lsr_cell_unknown(cell, p);
        len = age_text(v->when.now_sec, e->meta.sec[LSR_MTIME], text);
        return lsr_cell_text(cell, p, text, len, (int)len);
}

/* What is new is bright, what is old is grey. */
const char *lsr_time_paint(struct lsr_view *v, const struct lsr_cell *cell, const struct lsr_entry *e)
{
        static const struct {
                int64_t younger; /* than so many seconds */
                const char *paint;
        } steps[] = { { 3600, "\033[1;32m" }, { 86400, "\033[32m" }, { 30 * 86400, "\033[36m" } };
        int64_t sec = e->meta.sec[cell->column->which], age;

        if (!lsr_entry_knows(e, cell->column->fields))
                return NULL;
        if (__builtin_sub_overflow(v->when.now_sec, sec, &age))
                age = sec < 0 ? INT64_MAX : 0;
        for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
                if (age < steps[i].younger)
                        return steps[i].paint;
        return "\033[90m";
}
