/*
 * column - shared by the files of the columns: helpers for cells and for JSON, and the functions that the table names
 *
 * Included by src/render/column*.c and json.c only.
 */
#pragma once

#include "base/json.h"
#include "render/view.h"

typedef void lsr_column_measure(struct lsr_view *v, struct lsr_cell *cell, struct lsr_entry *const *entries, size_t n);
typedef void lsr_column_json(struct lsr_view *v, struct lsr_cell *cell, const struct lsr_entry *e);

lsr_column_measure lsr_user_measure, lsr_size_measure, lsr_blocks_measure, lsr_time_measure, lsr_age_measure,
        lsr_member_measure, lsr_method_measure;
lsr_column_put lsr_user_put, lsr_size_put, lsr_blocks_put, lsr_time_put, lsr_age_put, lsr_member_put, lsr_method_put;
lsr_column_json lsr_user_json, lsr_time_json, lsr_member_json, lsr_method_json;
lsr_column_paint lsr_size_paint, lsr_time_paint;

/* The columns of numbers of members differ in which of them they show. */
enum { LSR_MEMBER_PACKED, LSR_MEMBER_RATIO, LSR_MEMBER_OFFSET };

/* The columns of times differ in which of them they show. */
#define LSR_TIME_COLUMN(name_, title_, key_, time_, field_)                                                 \
        {                                                                                                   \
                name_, title_, .shown = LSR_SHOW_TIME << (time_) | LSR_SHOW_JSON, .fields = field_,         \
                               .needs = LSR_NEED_ZONE, .which = time_, .room = LSR_WHEN_MAX,                \
                               .key = LSR_JSON_KEY(key_), .measure = lsr_time_measure, .put = lsr_time_put, \
                               .json = lsr_time_json, .paint = lsr_time_paint                               \
        }

/* ---- json.c: members of an object ---- */

/* Write ,"key":"text".  Returns true if all of it was valid UTF-8. */
bool lsr_json_string(struct lsr_out *out, const char *key, const char *text, size_t len);

/* The same, and if it was not valid, ,"key_b64":"..." with the bytes. */
void lsr_json_bytes(struct lsr_out *out, const char *key, const char *text, size_t len);

/* ,"key":value */
void lsr_json_number(struct lsr_out *out, const char *key, uint64_t value);

/* The same straight to @p, with LSR_JSON_ROOM bytes of room, as columns have it; and the key alone.  The end. */
#define LSR_JSON_ROOM 96

static inline char *lsr_json_put_key(char *p, const struct lsr_json_key *key)
{
        memcpy(p, key, sizeof(*key));
        return p + key->len;
}

static inline char *lsr_json_put_number(char *p, const struct lsr_json_key *key, uint64_t value)
{
        p = lsr_json_put_key(p, key);
        if (value >= 10)
                return lsr_text_number(p, value, 0);
        *p++ = (char)('0' + value);
        return p;
}

/* Text that a cell has kept of the row before.  Copying all of its room takes less than counting. */
static inline void lsr_json_put_last(struct lsr_out *out, const struct lsr_cell_last *last)
{
        memcpy(lsr_out_reserve(out, sizeof(last->text)), last->text, sizeof(last->text));
        out->len += last->len;
}

/* ---- cells ---- */

static inline void lsr_cell_widen(struct lsr_cell *cell, int width)
{
        cell->width = width > cell->width ? width : cell->width;
}

/* Put text of the width @columns, aligned as the cell. */
static inline char *lsr_cell_text(const struct lsr_cell *cell, char *p, const char *text, size_t len, int columns)
{
        int blanks = cell->width - columns;

        for (; cell->align == LSR_RIGHT && blanks > 0; blanks--)
                *p++ = ' ';
        memcpy(p, text, len);
        p += len;
        for (; blanks > 0; blanks--)
                *p++ = ' ';
        return p;
}

/* Put the mark of an unknown value, always to the right. */
static inline char *lsr_cell_unknown(const struct lsr_cell *cell, char *p)
{
        for (int blanks = cell->width - 1; blanks > 0; blanks--)
                *p++ = ' ';
        *p++ = '?';
        return p;
}
