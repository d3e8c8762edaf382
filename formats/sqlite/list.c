/*
 * list - archives that have an index of what is listed
 *
 * The index has rows by name, and they are added by rowid.  We number rows from 1
 * on.  Where one of them is missing, somebody has taken it out, or the index is
 * damaged; then rows are listed from the table.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/sqlite/archive.h"

#define LIST_BYTES_PER_ROW UINT64_C(64) /* rowids are not above what that makes of the size */

/*
 * Is there the index of lists?  Rows without a name it has too, but by no question that SQLite would answer from it
 * alone.
 */
static bool list_is_there(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;

        return !s->utf16 &&
               lsr_sqlite_prepare(s, &stmt,
                                  "SELECT 1 FROM sqlite_schema WHERE type='index' AND rootpage>0 AND sql=%Q"
                                  " AND NOT EXISTS (SELECT 1 FROM sqlar WHERE name IS NULL)",
                                  LSR_SQLITE_LIST_SQL) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW;
}

static bool list_is_clean(struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;

        return lsr_sqlite_prepare(
                       s, &stmt,
                       "SELECT 1 FROM sqlite_schema WHERE type='index' AND rootpage>0 AND sql=%Q AND NOT EXISTS"
                       " (SELECT 1 FROM sqlar INDEXED BY " LSR_SQLITE_ODD " WHERE " LSR_SQLITE_ODD_NAMES ")",
                       LSR_SQLITE_ODD_SQL) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW;
}

void archive_find_indexes(struct lsr_sqlite *s)
{
        s->listed = list_is_there(s);
        s->clean = s->listed && list_is_clean(s);
}

bool archive_keep(struct archive_kept *k, const struct archive_row *row, size_t max)
{
        size_t n = sizeof(*row) + row->name_len + row->target_len;
        uint8_t *at;

        if (k->cap - k->len < n) {
                if (k->len + n > max)
                        return false;
                k->cap = 2 * (k->len + n);
                k->data = lsr_xrealloc(k->data, k->cap);
        }
        at = mempcpy(k->data + k->len, row, sizeof(*row));
        if (row->name)
                at = mempcpy(at, row->name, row->name_len);
        if (row->target)
                memcpy(at, row->target, row->target_len);
        k->len += n;
        return true;
}

int archive_add_kept(const struct archive_kept *k, size_t *inout_at, struct lsr_scan *scan)
{
        const char *text = (const char *)k->data + *inout_at + sizeof(struct archive_row);
        struct archive_row row;

        memcpy(&row, k->data + *inout_at, sizeof(row));
        *inout_at += sizeof(row) + row.name_len + row.target_len;
        row.target = row.target ? text + row.name_len : NULL;
        row.name = row.name ? text : NULL;
        return archive_add(scan, &row);
}

struct list {
        struct archive_kept rows;
        size_t *places; /* by rowid less 1: in rows, counted from 1; 0: there is none */
        uint64_t max;   /* rowids that are taken, */
        uint64_t end;   /* and seen, */
        uint64_t n;     /* so many times */
        size_t cap;
};

static int list_keep(void *ctx, const struct archive_row *row)
{
        struct list *l = ctx;
        uint64_t place = (uint64_t)row->numbers[ARCHIVE_ROWID] - 1;

        if (!archive_has(row, ARCHIVE_ROWID) || place >= l->max)
                return 1;
        if (place >= l->cap) {
                size_t cap = 2 * (size_t)place + 1024;

                l->places = lsr_xrealloc(l->places, cap * sizeof(*l->places));
                memset(l->places + l->cap, 0, (cap - l->cap) * sizeof(*l->places));
                l->cap = cap;
        }
        if (l->end <= place)
                l->end = place + 1;
        l->n++;
        l->places[place] = l->rows.len + 1;
        return archive_keep(&l->rows, row, SIZE_MAX / 4) ? 0 : 1;
}

/* Has it each of the rows that the table has? */
static bool list_is_whole(const struct list *l, struct lsr_sqlite *s)
{
        LSR_SQLITE_STMT stmt = NULL;

        if (l->n != l->end)
                return false;
        for (uint64_t i = 0; i < l->end; i++)
                if (l->places[i] == 0)
                        return false;
        return lsr_sqlite_prepare(s, &stmt, "SELECT max(%s) FROM sqlar", s->rowid) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW && (uint64_t)sqlite3_column_int64(stmt, 0) == l->end;
}

static int list_add(const struct list *l, struct lsr_scan *scan)
{
        int r = 0;

        for (uint64_t i = 0; i < l->end && r == 0; i++) {
                size_t at = l->places[i] - 1;

                r = archive_add_kept(&l->rows, &at, scan);
        }
        return r;
}

int archive_scan_list(struct lsr_sqlite *s, const struct lsr_wanted *wanted)
{
        struct list l = { .max = lsr_sqlite_vfs_size(s->vfs) / LIST_BYTES_PER_ROW };
        struct archive_sink sink = { .s = s, .ctx = &l, .take = list_keep };
        LSR_SQLITE_STMT stmt = NULL;
        int r = 1;

        /* Like any index it is believed for lists alone. */
        if (s->listed && wanted && !wanted->numbers &&
            archive_prepare(s, &sink, ARCHIVE_LISTED, NULL, &stmt) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW &&
            sink.result == 0 && list_is_whole(&l, s))
                r = list_add(&l, s->scan);
        free(l.rows.data);
        free(l.places);
        return r;
}
