/*
 * describe - what long rows say of tables and of their rows
 *
 *      users    3 rows             8,192 bytes with its indexes
 *      events   ~3,000,000 rows    what a few of its pages say
 *      v        view
 *      docs     virtual table (fts5)
 *      users/7  bob, 2.5, NULL, <100 bytes>
 *
 * Nothing of this may cost as much as reading the tables: see pages.c.  With a write-ahead log the pages are not what
 * the file says, so that SQLite counts, if that is quick, and sizes are not known.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "formats/sqlite/sqlite.h"

#define DESCRIBE_COUNT_MAX ((uint64_t)64 << 20) /* bytes of a database whose rows SQLite may count */
#define PREVIEW_COLUMNS 8u
#define PREVIEW_CHARS 24           /* of a text */
#define PREVIEW_BYTES ((size_t)64) /* of all; the last value may go beyond */

/* Two digits are as much as it is good for. */
static uint64_t describe_round(uint64_t n)
{
        uint64_t unit = 1;

        while (n / unit >= 100)
                unit *= 10;
        return (n + unit / 2) / unit * unit;
}

static bool describe_count(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, uint64_t *ret_rows)
{
        LSR_SQLITE_STMT stmt = NULL;

        if (!lsr_sqlite_vfs_changing(s->vfs) || lsr_sqlite_vfs_size(s->vfs) > DESCRIBE_COUNT_MAX ||
            lsr_sqlite_prepare(s, &stmt, "SELECT count(*) FROM \"%w\"", t->name) != SQLITE_OK ||
            sqlite3_step(stmt) != SQLITE_ROW)
                return false;
        *ret_rows = (uint64_t)sqlite3_column_int64(stmt, 0);
        return true;
}

static void describe_rows(struct lsr_sqlite_about *about, uint64_t rows, bool exact)
{
        snprintf(about->note, sizeof(about->note), "%s%s row%s", exact ? "" : "~",
                 lsr_grouped(exact ? rows : describe_round(rows)), rows == 1 ? "" : "s");
        if (exact)
                about->rows = rows;
}

void lsr_sqlite_describe(struct lsr_sqlite *s, struct lsr_sqlite_schema *schema, const struct lsr_sqlite_table *t,
                         struct lsr_sqlite_about *ret_about)
{
        const struct lsr_sqlite_part *parts;
        struct lsr_sqlite_extent extent = {};
        size_t n = lsr_sqlite_schema_parts(schema, t, &parts);
        uint64_t bytes = 0, rows;

        *ret_about = (struct lsr_sqlite_about){ .rows = UINT64_MAX, .bytes = UINT64_MAX };
        if (t->kind != LSR_SQLITE_TABLE) {
                if (t->kind == LSR_SQLITE_VIEW)
                        strcpy(ret_about->note, "view");
                else
                        snprintf(ret_about->note, sizeof(ret_about->note), "virtual table (%s)", t->module);
                return;
        }
        strcpy(ret_about->note, "? rows");
        if (!lsr_sqlite_measure(s, t->root, &extent)) {
                if (describe_count(s, t, &rows))
                        describe_rows(ret_about, rows, true);
                return;
        }
        describe_rows(ret_about, extent.rows, extent.exact);
        bytes = extent.bytes;
        for (size_t i = 0; i < n; i++) {
                if (parts[i].root == 0 || parts[i].root == t->root)
                        continue;
                if (!lsr_sqlite_measure(s, parts[i].root, &extent))
                        return;
                bytes += extent.bytes;
        }
        ret_about->bytes = bytes;
}

/* --- rows ------------------------------------------------------------------------ */

/* Is it what a row is named by? */
static bool preview_is_name(const struct lsr_sqlite_table *t, const struct lsr_sqlite_column *c)
{
        return c->key && (t->keyed || (t->rowid && t->n_keys == 1 && c->integer));
}

unsigned lsr_sqlite_preview_select(sqlite3_str *sql, const struct lsr_sqlite_table *t)
{
        unsigned n = 0;

        for (unsigned i = 0; i < t->n_columns && n < PREVIEW_COLUMNS; i++) {
                const char *c = t->columns[i].name;

                if (preview_is_name(t, &t->columns[i]))
                        continue;
                sqlite3_str_appendf(
                        sql,
                        ",CASE typeof(\"%w\") WHEN 'blob' THEN zeroblob(length(\"%w\")) ELSE substr(\"%w\",1,%d) END",
                        c, c, c, PREVIEW_CHARS + 1);
                n++;
        }
        return n;
}

/* @n bytes of @text, or the first characters of it.  What is no text on one line is blank. */
static void preview_text(struct lsr_out *out, const char *text, size_t n)
{
        unsigned chars = 0;

        for (size_t i = 0; i < n; i++) {
                unsigned char c = (unsigned char)text[i];

                if ((c & 0xc0) != 0x80 && chars++ == PREVIEW_CHARS) {
                        lsr_out_puts(out, "...");
                        return;
                }
                lsr_out_putc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
        }
}

void lsr_sqlite_preview(struct lsr_out *out, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, int first,
                        unsigned n)
{
        size_t start = out->len;

        for (unsigned i = 0; i < n; i++) {
                int column = first + (int)i, type = sqlite3_column_type(stmt, column);
                const char *text = type == SQLITE_BLOB ? NULL : (const char *)sqlite3_column_text(stmt, column);
                size_t len = (size_t)sqlite3_column_bytes(stmt, column);

                if (i > 0)
                        lsr_out_puts(out, ", ");
                if (out->len - start > PREVIEW_BYTES) {
                        lsr_out_puts(out, "...");
                        return;
                }
                if (type == SQLITE_NULL)
                        lsr_out_puts(out, "NULL");
                else if (!text)
                        lsr_out_printf(out, "<%s byte%s>", lsr_grouped(len), len == 1 ? "" : "s");
                else if (!lsr_utf8_valid(text, len))
                        lsr_out_puts(out, "<no UTF-8>");
                else
                        preview_text(out, text, len);
        }
        if (t->n_columns > PREVIEW_COLUMNS + 1)
                lsr_out_puts(out, ", ...");
}
