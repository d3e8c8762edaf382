/*
 * sqlite-tables - a database as a tree
 *
 *      .schema.sql          what made it
 *      users/               a table or a view
 *      users/3/             a row, by its rowid or its key
 *      users/3/name         a value; its size is the value's length
 *
 * The length of a blob is in the header of its row: zeroblob(length(x)) asks for
 * nothing else, and keeps type and size in one column.  Text must be read, since
 * its length() counts characters.
 *
 * Where there is a rowid it is the position of a row.  A row of a view or of a
 * table without rowid is found again by its place in the order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "catalogue/way.h"
#include "formats/sqlite.h"

#define TABLES_LEVELS 3u /* table, row, column */

/* The path asked for, in components. */
struct tables_path {
        char *text;
        const char *parts[TABLES_LEVELS];
        unsigned n;
};

static void tables_path_split(struct tables_path *path, const char *text, size_t len)
{
        *path = (struct tables_path){ .text = lsr_xmalloc(len + 1) };
        memcpy(path->text, text, len);
        path->text[len] = '\0';
        for (char *save, *part = strtok_r(path->text, "/", &save); part && path->n < TABLES_LEVELS;
             part = strtok_r(NULL, "/", &save))
                path->parts[path->n++] = part;
}

/* --- scan ---------------------------------------------------------------------- */

static int tables_add_member(struct lsr_sqlite *s, const struct lsr_out *path, uint32_t mode, uint64_t position,
                             uint64_t data, const uint64_t *size)
{
        struct lsr_member m = {
                .path = path->buf,
                .path_len = path->len,
                .meta = { .known = LSR_FIELD_TYPE | LSR_FIELD_MODE, .mode = mode },
                .packed = UINT64_MAX,
                .position = position,
                .data = data,
        };
        int r;

        if (size) {
                m.meta.known |= LSR_FIELD_SIZE;
                m.meta.size = *size;
        }
        r = lsr_builder_add(s->scan->builder, &m);
        return r < 0 ? r : 0;
}

/* The order in which rows without rowid are counted. */
static void tables_put_order(sqlite3_str *sql, const struct lsr_sqlite_table *t)
{
        for (unsigned i = 0; !t->rowid && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : " ORDER BY ", t->columns[t->keys[i]].name);
}

/* Result columns: rowid or NULL, key values if @keys, value sizes if @values. */
static int tables_select(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, bool values, bool one,
                         sqlite3_stmt **ret_stmt)
{
        sqlite3_str *sql = sqlite3_str_new(s->db);
        char *text;
        int code;

        sqlite3_str_appendf(sql, "SELECT %s", t->rowid ? t->rowid : "NULL");
        for (unsigned i = 0; t->keyed && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, ",\"%w\"", t->columns[t->keys[i]].name);
        for (unsigned i = 0; values && i < t->n_columns; i++) {
                const char *c = t->columns[i].name;

                sqlite3_str_appendf(
                        sql, ",CASE typeof(\"%w\") WHEN 'blob' THEN zeroblob(length(\"%w\")) ELSE \"%w\" END", c, c, c);
        }
        sqlite3_str_appendf(sql, " FROM \"%w\"", t->name);
        if (one)
                sqlite3_str_appendf(sql, " WHERE %s=?1", t->rowid);
        tables_put_order(sql, t);
        text = sqlite3_str_finish(sql);
        if (!text)
                return SQLITE_NOMEM;
        code = lsr_sqlite_prepare(s, ret_stmt, "%s", text);
        sqlite3_free(text);
        return code;
}

static int tables_scan_values(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, int first,
                              struct lsr_out *path, uint64_t position)
{
        size_t row_len = path->len;
        int r = 0;

        for (unsigned i = 0; r == 0 && i < t->n_columns; i++) {
                int column = first + (int)i;
                /* Asking for the bytes of a number makes it text. */
                bool null = sqlite3_column_type(stmt, column) == SQLITE_NULL;
                uint64_t size = (uint64_t)sqlite3_column_bytes(stmt, column);

                lsr_out_putc(path, '/');
                lsr_out_puts(path, t->columns[i].shown);
                r = tables_add_member(s, path, S_IFREG | 0444, position, i, null ? NULL : &size);
                path->len = row_len;
        }
        return r;
}

/* A rowid as it is shown, and nothing else. */
static bool tables_parse_rowid(const char *text, int64_t *ret_rowid)
{
        char back[32], *end;
        long long n = strtoll(text, &end, 10);

        sqlite3_snprintf(sizeof(back), back, "%lld", n);
        *ret_rowid = n;
        return strcmp(text, back) == 0;
}

/* Rows of a table; those of one name if @only.  With their values if @values. */
static int tables_scan_rows(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, const char *only, bool values,
                            struct lsr_out *path)
{
        LSR_SQLITE_STMT stmt = NULL;
        size_t table_len = path->len;
        int64_t rowid = 0;
        bool one = only && t->rowid && !t->keyed;
        int first = 1 + (t->keyed ? (int)t->n_keys : 0);
        int r;

        if (one && !tables_parse_rowid(only, &rowid))
                return 0;
        r = tables_select(s, t, values, one, &stmt);
        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, t->shown);
        if (one)
                sqlite3_bind_int64(stmt, 1, rowid);
        for (uint64_t n = 0; (r = lsr_sqlite_step(s, stmt, t->shown)) > 0; n++) {
                uint64_t position = t->rowid ? (uint64_t)sqlite3_column_int64(stmt, 0) : n;

                path->len = table_len;
                lsr_out_putc(path, '/');
                lsr_sqlite_row_name(path, t, stmt, 1, position);
                if (only && (path->len - table_len - 1 != strlen(only) ||
                             memcmp(path->buf + table_len + 1, only, strlen(only)) != 0))
                        continue;
                r = tables_add_member(s, path, S_IFDIR | 0555, position, 0, NULL);
                if (r == 0 && values)
                        r = tables_scan_values(s, t, stmt, first, path, position);
                if (r < 0) {
                        lsr_scan_trouble(s->scan, r, "%s has too many rows", t->shown);
                        break;
                }
                if (only)
                        break;
        }
        path->len = table_len;
        return r < 0 ? r : 0;
}

static int tables_scan_schema(struct lsr_sqlite *s, struct lsr_sqlite_schema *schema, const struct tables_path *want,
                              unsigned levels)
{
        struct lsr_out path;
        int r;

        lsr_out_init(&path, -1);
        lsr_out_puts(&path, LSR_SQLITE_DUMP);
        r = tables_add_member(s, &path, S_IFREG | 0444, 0, 0, &schema->dump_size);
        for (size_t i = 0; r == 0 && i < schema->n; i++) {
                struct lsr_sqlite_table *t = &schema->tables[i];
                const char *text;

                path.len = 0;
                lsr_out_puts(&path, t->shown);
                r = tables_add_member(s, &path, S_IFDIR | 0555, 0, 0, NULL);
                if (r < 0 || levels < 2 || (want->n && strcmp(want->parts[0], t->shown) != 0))
                        continue;
                r = lsr_sqlite_table_enter(s, t);
                if (r == 0)
                        r = tables_scan_rows(s, t, want->n > 1 ? want->parts[1] : NULL, levels > 2, &path);
                lsr_sqlite_table_leave(t);
                /* A table that is damaged says nothing about the next one; a file that cannot be read does. */
                if (r < 0 && lsr_sqlite_vfs_error(s->vfs, &text) == 0 && s->scan->troubles < LSR_TROUBLES_MAX)
                        r = 0;
        }
        lsr_out_free(&path);
        return r;
}

int lsr_sqlite_tables_scan(struct lsr_sqlite *s)
{
        struct lsr_sqlite_schema schema = {};
        struct tables_path want;
        struct lsr_way way = {};
        unsigned levels = TABLES_LEVELS;
        const char *path;
        int r;

        s->scan->is_only = s->scan->only && lsr_way_begin(&way, s->scan->only);
        path = s->scan->is_only ? way.path : s->scan->prefix;
        tables_path_split(&want, path, strlen(path));
        if (s->scan->is_only)
                levels = want.n;
        else if (s->scan->depth && s->scan->depth < TABLES_LEVELS - want.n)
                levels = want.n + s->scan->depth;
        r = lsr_sqlite_schema_load(s, &schema);
        if (r == 0)
                r = tables_scan_schema(s, &schema, &want, levels);
        lsr_sqlite_schema_free(&schema);
        free(want.text);
        lsr_way_end(&way);
        return r;
}

/* --- read ---------------------------------------------------------------------- */

static int tables_read_dump(struct lsr_sqlite *s, const struct lsr_sink *sink)
{
        LSR_SQLITE_STMT stmt = NULL;
        int r = lsr_sqlite_prepare(s, &stmt, "SELECT sql FROM sqlite_schema WHERE typeof(sql)='text'");

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, NULL);
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

/* The row at @position, with the values of @column or of all (-1). */
static int tables_select_row(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, uint64_t position, int column,
                             sqlite3_stmt **ret_stmt)
{
        sqlite3_str *sql = sqlite3_str_new(s->db);
        char *text;
        int code;

        sqlite3_str_appendall(sql, "SELECT ");
        for (unsigned i = 0; i < t->n_columns; i++)
                if (column < 0 || (unsigned)column == i)
                        sqlite3_str_appendf(sql, "%s\"%w\"", i && column < 0 ? "," : "", t->columns[i].name);
        sqlite3_str_appendf(sql, " FROM \"%w\"", t->name);
        if (t->rowid)
                sqlite3_str_appendf(sql, " WHERE %s=?1", t->rowid);
        tables_put_order(sql, t);
        if (!t->rowid)
                sqlite3_str_appendall(sql, " LIMIT 1 OFFSET ?1");
        text = sqlite3_str_finish(sql);
        if (!text)
                return SQLITE_NOMEM;
        code = lsr_sqlite_prepare(s, ret_stmt, "%s", text);
        sqlite3_free(text);
        if (code == SQLITE_OK)
                sqlite3_bind_int64(*ret_stmt, 1, (sqlite3_int64)position);
        return code;
}

static int tables_read_row(const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, const struct lsr_sink *sink)
{
        struct lsr_out out;
        int r;

        lsr_out_init(&out, -1);
        lsr_out_putc(&out, '{');
        for (unsigned i = 0; i < t->n_columns; i++) {
                if (i)
                        lsr_out_putc(&out, ',');
                lsr_sqlite_json(&out, t->columns[i].name, stmt, (int)i);
        }
        lsr_out_puts(&out, "}\n");
        r = sink->write(sink->ctx, out.buf, out.len);
        lsr_out_free(&out);
        return r;
}

/* A value of any length, if it is one that is stored as it is shown: 0, 1: it is not, or a negative errno. */
static int tables_read_pieces(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, const struct lsr_member *m,
                              const struct lsr_sink *sink)
{
        struct lsr_input *in;
        int r;

        if (!t->rowid || t->computed || s->utf16)
                return 1;
        r = lsr_sqlite_blob(s, t->name, t->columns[m->data].name, (int64_t)m->position, &in);
        if (r != SQLITE_OK)
                return r == SQLITE_ERROR ? 1 : lsr_sqlite_fail(s, r, t->shown);
        r = lsr_sqlite_copy(in, in->size, sink);
        lsr_input_free(in);
        return r;
}

static int tables_read_inside(struct lsr_sqlite *s, struct lsr_sqlite_table *t, bool value, const struct lsr_member *m,
                              const struct lsr_sink *sink)
{
        LSR_SQLITE_STMT stmt = NULL;
        const void *data;
        int r = lsr_sqlite_table_enter(s, t);

        if (r < 0)
                return r;
        if (t->n_columns == 0 || (value && m->data >= t->n_columns))
                return -ENOENT;
        if (value) {
                r = tables_read_pieces(s, t, m, sink);
                if (r <= 0)
                        return r;
        }
        r = tables_select_row(s, t, m->position, value ? (int)m->data : -1, &stmt);
        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, t->shown);
        r = lsr_sqlite_step(s, stmt, t->shown);
        if (r <= 0)
                return r < 0 ? r : -ENOENT;
        if (!value)
                return tables_read_row(t, stmt, sink);
        data = sqlite3_column_type(stmt, 0) == SQLITE_BLOB ? sqlite3_column_blob(stmt, 0)
                                                           : sqlite3_column_text(stmt, 0);
        return data ? sink->write(sink->ctx, data, (size_t)sqlite3_column_bytes(stmt, 0)) : 0;
}

int lsr_sqlite_tables_read(struct lsr_sqlite *s, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct lsr_sqlite_schema schema = {};
        struct tables_path path;
        int r;

        tables_path_split(&path, m->path, m->path_len);
        if (path.n == 1 && strcmp(path.parts[0], LSR_SQLITE_DUMP) == 0) {
                r = tables_read_dump(s, sink);
        } else if (path.n < 2) {
                r = -EISDIR;
        } else {
                r = lsr_sqlite_schema_load(s, &schema);
                for (size_t i = 0; r == 0; i++) {
                        if (i == schema.n) {
                                r = -ENOENT;
                        } else if (strcmp(schema.tables[i].shown, path.parts[0]) == 0) {
                                r = tables_read_inside(s, &schema.tables[i], path.n > 2, m, sink);
                                break;
                        }
                }
        }
        lsr_sqlite_schema_free(&schema);
        free(path.text);
        return r;
}
