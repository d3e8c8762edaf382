/*
 * cursor - content of a database that is no archive: values, rows as JSON, tables as lines of that, statements
 *
 * Members that are asked for in the order of their positions are read in one pass: the statement stays where the last
 * one was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "formats/sqlite/sqlite.h"

#define CURSOR_PARTS 3u                 /* of a path: table, row, column */
#define CURSOR_LINES ((size_t)64 << 10) /* bytes of rows that go out together */

/* The statements that made the database, or with @table what belongs to that. */
static int cursor_read_dump(struct lsr_sqlite *s, const char *table, const struct lsr_sink *sink)
{
        LSR_SQLITE_STMT stmt = NULL;
        int r = lsr_sqlite_prepare(s, &stmt, "SELECT sql FROM sqlite_schema WHERE typeof(sql)='text'%s",
                                   table ? " AND tbl_name=?1 COLLATE NOCASE" : "");

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, NULL);
        if (table)
                sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
        while ((r = lsr_sqlite_step(s, stmt, "the schema")) > 0) {
                const void *sql = sqlite3_column_text(stmt, 0);

                r = sink->write(sink->ctx, sql, (size_t)sqlite3_column_bytes(stmt, 0));
                if (r == 0)
                        r = sink->write(sink->ctx, ";\n", 2);
                if (r < 0)
                        return r;
        }
        return r;
}

static void cursor_leave(struct lsr_sqlite_cursor *c)
{
        sqlite3_finalize(c->stmt);
        c->stmt = NULL;
        if (c->table)
                lsr_sqlite_table_leave(c->table);
        c->table = NULL;
}

void lsr_sqlite_cursor_close(struct lsr_sqlite *s)
{
        cursor_leave(&s->cursor);
        lsr_sqlite_schema_free(&s->cursor.schema);
        s->cursor = (struct lsr_sqlite_cursor){};
}

/* The table that is shown as @shown. */
static int cursor_find(struct lsr_sqlite *s, const char *shown, struct lsr_sqlite_table **ret_table)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        int r = c->loaded ? 0 : lsr_sqlite_schema_load(s, &c->schema);

        if (r < 0)
                return r;
        c->loaded = true;
        if (c->table && strcmp(c->table->shown, shown) == 0) {
                *ret_table = c->table;
                return 0;
        }
        for (size_t i = 0; i < c->schema.n; i++)
                if (strcmp(c->schema.tables[i].shown, shown) == 0) {
                        *ret_table = &c->schema.tables[i];
                        return 0;
                }
        return -ENOENT;
}

/* Make @t the table at hand. */
static int cursor_enter(struct lsr_sqlite *s, struct lsr_sqlite_table *t)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        int r;

        if (c->table == t)
                return 0;
        cursor_leave(c);
        if (t->kind == LSR_SQLITE_VIRTUAL) {
                lsr_sqlite_virtual(s, t, -EOPNOTSUPP);
                return -EOPNOTSUPP;
        }
        c->table = t;
        r = lsr_sqlite_table_enter(s, t);
        if (r == 0 && c->table->n_columns == 0)
                r = -ENOENT;
        if (r < 0)
                cursor_leave(c);
        return r;
}

/* May large blobs be left out of a row, to be had by lsr_sqlite_blob()? */
static bool cursor_has_blobs(const struct lsr_sqlite_table *t)
{
        return t->kind == LSR_SQLITE_TABLE && t->rowid && !t->computed;
}

/*
 * A statement for rows of the table, with all columns, as that of the scan: which index SQLite takes, and so in which
 * order rows without rowid come, depends on what is asked for.
 */
static int cursor_prepare(struct lsr_sqlite *s, bool whole)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        const struct lsr_sqlite_table *t = c->table;
        sqlite3_str *sql;

        whole = whole || !cursor_has_blobs(t);
        if (c->stmt && c->whole == whole)
                return SQLITE_OK;
        sqlite3_finalize(c->stmt);
        c->stmt = NULL;
        c->whole = whole;
        c->on_row = false;
        sql = sqlite3_str_new(s->db);
        for (unsigned i = 0; i < t->n_columns; i++) {
                const char *name = t->columns[i].name;

                sqlite3_str_appendall(sql, i ? "," : "SELECT ");
                if (!whole)
                        sqlite3_str_appendf(sql,
                                            "CASE WHEN typeof(\"%w\")='blob' AND length(\"%w\")>%d THEN NULL ELSE ",
                                            name, name, LSR_SQLITE_ROW_MAX);
                sqlite3_str_appendf(sql, "\"%w\"", name);
                if (!whole)
                        sqlite3_str_appendall(sql, " END");
        }
        sqlite3_str_appendf(sql, " FROM \"%w\"", t->name);
        if (t->rowid)
                sqlite3_str_appendf(sql, " WHERE %s=?1", t->rowid);
        lsr_sqlite_put_order(sql, t);
        return lsr_sqlite_prepare_str(s, sql, &c->stmt);
}

/*
 * To the row of that rowid, or at that place: those without rowid are passed one by one.  SQLITE_ROW or another code.
 */
static int cursor_seek(struct lsr_sqlite_cursor *c, uint64_t place)
{
        int code = SQLITE_ROW;

        if (c->on_row && c->place == place)
                return SQLITE_ROW;
        if (c->table->rowid || !c->on_row || place < c->place) {
                sqlite3_reset(c->stmt);
                c->on_row = false;
        }
        if (c->table->rowid)
                sqlite3_bind_int64(c->stmt, 1, (sqlite3_int64)place);
        do {
                code = sqlite3_step(c->stmt);
                c->place = c->table->rowid ? place : c->on_row ? c->place + 1 : 0;
                c->on_row = code == SQLITE_ROW;
        } while (c->on_row && c->place < place);
        return code;
}

static int cursor_put_row(struct lsr_sqlite *s, struct lsr_out *out, sqlite3_stmt *stmt)
{
        const struct lsr_sqlite_table *t = s->cursor.table;

        lsr_out_putc(out, '{');
        for (unsigned i = 0; i < t->n_columns; i++) {
                if (i)
                        lsr_out_putc(out, ',');
                lsr_sqlite_json(out, t->columns[i].name, stmt, (int)i);
        }
        lsr_out_puts(out, "}\n");
        return lsr_sqlite_no_memory(s) ? lsr_sqlite_fail(s, SQLITE_NOMEM, t->shown) : 0;
}

static int cursor_read_row(struct lsr_sqlite *s, const struct lsr_sink *sink)
{
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_MEMORY;
        int r = cursor_put_row(s, &out, s->cursor.stmt);

        return r == 0 ? sink->write(sink->ctx, out.buf, out.len) : r;
}

/* All rows of the table at hand, a line each. */
static int cursor_read_table(struct lsr_sqlite *s, const struct lsr_sink *sink)
{
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_MEMORY;
        const struct lsr_sqlite_table *t = s->cursor.table;
        sqlite3_str *sql = sqlite3_str_new(s->db);
        LSR_SQLITE_STMT stmt = NULL;
        int r;

        for (unsigned i = 0; i < t->n_columns; i++)
                sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "SELECT ", t->columns[i].name);
        sqlite3_str_appendf(sql, " FROM \"%w\"", t->name);
        if (t->rowid)
                sqlite3_str_appendf(sql, " ORDER BY %s", t->rowid);
        lsr_sqlite_put_order(sql, t);
        lsr_sqlite_vfs_read_all(s->vfs);
        r = lsr_sqlite_prepare_str(s, sql, &stmt);
        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, t->shown);
        while ((r = lsr_sqlite_step(s, stmt, t->shown)) > 0) {
                r = cursor_put_row(s, &out, stmt);
                if (r == 0 && out.len < CURSOR_LINES)
                        continue;
                if (r == 0)
                        r = sink->write(sink->ctx, out.buf, out.len);
                out.len = 0;
                if (r < 0)
                        return r;
        }
        return r == 0 && out.len > 0 ? sink->write(sink->ctx, out.buf, out.len) : r;
}

/* A value of any length, if it is one that is stored as it is shown: 0, 1: it is not, or a negative errno. */
static int cursor_read_pieces(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, const char *column,
                              const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct lsr_input *in;
        int r = lsr_sqlite_blob(s, t->name, column, (int64_t)m->data, &in);

        if (r != SQLITE_OK)
                return r == SQLITE_ERROR ? 1 : lsr_sqlite_fail(s, r, t->shown);
        r = lsr_sqlite_copy(in, in->size, sink);
        lsr_input_free(in);
        return r;
}

static int cursor_read_value(struct lsr_sqlite *s, const struct lsr_sqlite_column *column, const struct lsr_member *m,
                             const struct lsr_sink *sink)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        int i = (int)(column - c->table->columns);
        const void *data;
        int code = cursor_seek(c, m->data), type;

        /* Too much of it, which a piece of is not. */
        if ((code == SQLITE_NOMEM || code == SQLITE_TOOBIG) && cursor_has_blobs(c->table) && !s->utf16) {
                int r = cursor_read_pieces(s, c->table, column->name, m, sink);

                if (r <= 0)
                        return r;
        }
        if (code != SQLITE_ROW)
                return code == SQLITE_DONE ? -ENOENT : lsr_sqlite_fail(s, code, c->table->shown);
        type = sqlite3_column_type(c->stmt, i);
        if (lsr_sqlite_no_memory(s))
                return lsr_sqlite_fail(s, SQLITE_NOMEM, c->table->shown);
        if (type == SQLITE_NULL) {
                int r = c->whole ? 1 : cursor_read_pieces(s, c->table, column->name, m, sink);

                return r == 1 ? 0 : r;
        }
        data = type == SQLITE_BLOB ? sqlite3_column_blob(c->stmt, i) : sqlite3_column_text(c->stmt, i);
        if (lsr_sqlite_no_memory(s))
                return lsr_sqlite_fail(s, SQLITE_NOMEM, c->table->shown);
        return data ? sink->write(sink->ctx, data, (size_t)sqlite3_column_bytes(c->stmt, i)) : 0;
}

static int cursor_read_inside(struct lsr_sqlite *s, const char *value, const struct lsr_member *m,
                              const struct lsr_sink *sink)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        const struct lsr_sqlite_column *column = value ? lsr_sqlite_table_find(c->table, value) : NULL;
        int r;

        if (value && !column)
                return -ENOENT;
        r = cursor_prepare(s, !value);
        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, c->table->shown);
        if (column)
                return cursor_read_value(s, column, m, sink);
        r = cursor_seek(c, m->data);
        if (r != SQLITE_ROW)
                return r == SQLITE_DONE ? -ENOENT : lsr_sqlite_fail(s, r, c->table->shown);
        return cursor_read_row(s, sink);
}

/* @parts of a path, @n of them and one at least. */
static int cursor_read(struct lsr_sqlite *s, const char *const *parts, unsigned n, const struct lsr_member *m,
                       const struct lsr_sink *sink)
{
        struct lsr_sqlite_table *t;
        int r;

        if (n == 1 && strcmp(parts[0], LSR_SQLITE_DUMP) == 0)
                return cursor_read_dump(s, NULL, sink);
        r = cursor_find(s, parts[0], &t);
        if (r == 0 && n == 2 && strcmp(parts[1], LSR_SQLITE_DUMP) == 0)
                return cursor_read_dump(s, t->name, sink);
        if (r == 0)
                r = cursor_enter(s, t);
        if (r < 0)
                return r;
        return n == 1 ? cursor_read_table(s, sink) : cursor_read_inside(s, n > 2 ? parts[2] : NULL, m, sink);
}

int lsr_sqlite_tables_read(struct lsr_sqlite *s, const struct lsr_member *m, const struct lsr_sink *sink)
{
        const char *parts[CURSOR_PARTS];
        char *path = lsr_xmalloc(m->path_len + 1);
        unsigned n = 0;
        int r;

        memcpy(path, m->path, m->path_len);
        path[m->path_len] = '\0';
        for (char *save, *part = strtok_r(path, "/", &save); part && n < CURSOR_PARTS;
             part = strtok_r(NULL, "/", &save))
                parts[n++] = part;
        r = n > 0 ? cursor_read(s, parts, n, m, sink) : -EISDIR;
        free(path);
        return r;
}
