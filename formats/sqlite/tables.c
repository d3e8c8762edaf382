/*
 * tables - a database as a tree
 *
 *      .schema.sql          what made it
 *      users/               a table or a view
 *      users/3/             a row, by its rowid or its key
 *      users/3/name         a value; its size is the value's length, of text in UTF-8
 *
 * Only what the questions need is read: for the root only the schema, and for a table that was not entered neither
 * rows nor columns.  Several rows of a table whose names tell no rowid are found in one pass.
 *
 * The length of a blob is in the header of its row: zeroblob(length(x)) asks for
 * nothing else, and keeps type and size in one column.  Text must be read, since
 * its length() counts characters.  The sizes of many columns come as one value,
 * as a table may have as many columns as SQLite allows in a result.
 *
 * position is the place in this order, so that members of one table are read one
 * after the other; data is the rowid, or the place of a row that has none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "formats/sqlite/sqlite.h"

#define TABLES_LEVELS 3u  /* table, row, column */
#define TABLES_SIZES 100u /* columns whose sizes are one value: SQLite takes 127 arguments */

/* A question: the levels that the answer has, and those on the way. */
struct tables_want {
        const char *parts[TABLES_LEVELS];
        unsigned n;      /* parts that there are */
        unsigned levels; /* the last one wanted */
};

struct tables_scan {
        struct lsr_sqlite *s;
        struct lsr_sqlite_schema schema;
        struct tables_want *wants;
        size_t n_wants;
        size_t cap_wants;
        struct lsr_out path; /* of the member at hand */
        uint64_t position;   /* of the last one */
        /* Of the table at hand: */
        bool rows;          /* all of them are wanted, */
        bool values;        /* and what is in them */
        const char **names; /* else, or besides, these rows with their values; sorted */
        size_t n_names;
        size_t skipped; /* views for which no steps were left */
};

/* --- questions ------------------------------------------------------------------- */

static void tables_want(struct tables_scan *x, const char *const *parts, unsigned n, unsigned depth)
{
        struct tables_want *w;

        lsr_grow(&x->wants, x->n_wants, &x->cap_wants);
        w = &x->wants[x->n_wants++];
        *w = (struct tables_want){ .n = n < TABLES_LEVELS ? n : TABLES_LEVELS };
        w->levels = n < TABLES_LEVELS && depth < TABLES_LEVELS - n ? n + depth : TABLES_LEVELS;
        for (unsigned i = 0; i < w->n; i++)
                w->parts[i] = parts[i];
}

/* @path is cut into its components.  There are no links here, so that ".." is where the path was before. */
static void tables_ask(struct tables_scan *x, char *path, unsigned depth)
{
        const char *parts[TABLES_LEVELS];
        unsigned n = 0;

        for (char *save, *part = strtok_r(path, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
                if (strcmp(part, "..") == 0) {
                        tables_want(x, parts, n, 0);
                        n -= n > 0;
                } else if (strcmp(part, ".") != 0) {
                        if (n < TABLES_LEVELS)
                                parts[n] = part;
                        n++;
                }
        }
        tables_want(x, parts, n, depth);
}

static int tables_compare_names(const void *a, const void *b)
{
        return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What is wanted of @t. */
static void tables_plan(struct tables_scan *x, const struct lsr_sqlite_table *t)
{
        size_t kept = 0;

        x->rows = x->values = false;
        x->n_names = 0;
        for (size_t i = 0; i < x->n_wants; i++) {
                const struct tables_want *w = &x->wants[i];

                if (w->n > 0 && strcmp(w->parts[0], t->shown) != 0)
                        continue;
                if (w->n >= 2) {
                        x->names[x->n_names++] = w->parts[1];
                } else {
                        x->rows |= w->levels >= 2;
                        x->values |= w->levels >= 3;
                }
        }
        qsort(x->names, x->n_names, sizeof(*x->names), tables_compare_names);
        for (size_t i = 0; i < x->n_names; i++)
                if (i == 0 || strcmp(x->names[i], x->names[kept - 1]) != 0)
                        x->names[kept++] = x->names[i];
        x->n_names = x->values ? 0 : kept;
}

/* --- scan ---------------------------------------------------------------------- */

static int tables_add(struct tables_scan *x, uint32_t mode, uint64_t data, const uint64_t *size, unsigned flags)
{
        struct lsr_member m = {
                .path = x->path.buf,
                .path_len = x->path.len,
                .meta = { .known = LSR_FIELD_TYPE | LSR_FIELD_MODE, .mode = mode },
                .packed = UINT64_MAX,
                .position = ++x->position,
                .data = data,
                .flags = flags,
        };
        int r;

        if (size) {
                m.meta.known |= LSR_FIELD_SIZE;
                m.meta.size = *size;
        }
        r = lsr_builder_add(x->s->scan->builder, &m);
        return r < 0 ? r : 0;
}

/* Bytes of each argument, as a value; those of NULL are UINT64_MAX. */
static void tables_sizes(sqlite3_context *context, int n, sqlite3_value **values)
{
        uint64_t sizes[TABLES_SIZES];

        if (n > (int)TABLES_SIZES) {
                sqlite3_result_error_toobig(context);
                return;
        }
        for (int i = 0; i < n; i++) {
                /* Asking for the bytes of a number makes it text. */
                bool null = sqlite3_value_type(values[i]) == SQLITE_NULL;

                sizes[i] = null ? UINT64_MAX : (uint64_t)sqlite3_value_bytes(values[i]);
        }
        sqlite3_result_blob(context, sizes, n * (int)sizeof(*sizes), SQLITE_TRANSIENT);
}

/* The order in which rows without rowid are counted. */
static void tables_put_order(sqlite3_str *sql, const struct lsr_sqlite_table *t)
{
        for (unsigned i = 0; !t->rowid && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : " ORDER BY ", t->columns[t->keys[i]].name);
}

/* Takes @sql over.  SQLITE_OK or what SQLite says. */
static int tables_prepare(struct lsr_sqlite *s, sqlite3_str *sql, sqlite3_stmt **ret_stmt)
{
        char *text = sqlite3_str_finish(sql);
        int code = text ? lsr_sqlite_prepare(s, ret_stmt, "%s", text) : SQLITE_NOMEM;

        sqlite3_free(text);
        return code;
}

/* Result columns: rowid or NULL, key values, value sizes if @values. */
static int tables_select(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, bool values, bool one,
                         sqlite3_stmt **ret_stmt)
{
        sqlite3_str *sql = sqlite3_str_new(s->db);

        sqlite3_str_appendf(sql, "SELECT %s", t->rowid ? t->rowid : "NULL");
        for (unsigned i = 0; t->keyed && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, ",\"%w\"", t->columns[t->keys[i]].name);
        for (unsigned i = 0; values && i < t->n_columns; i++) {
                const char *c = t->columns[i].name;

                sqlite3_str_appendf(sql,
                                    "%sCASE typeof(\"%w\") WHEN 'blob' THEN zeroblob(length(\"%w\")) ELSE \"%w\" END",
                                    i % TABLES_SIZES ? "," : "," LSR_SQLITE_SIZES "(", c, c, c);
                if (i % TABLES_SIZES == TABLES_SIZES - 1 || i + 1 == t->n_columns)
                        sqlite3_str_appendchar(sql, 1, ')');
        }
        sqlite3_str_appendf(sql, " FROM \"%w\"", t->name);
        if (one)
                sqlite3_str_appendf(sql, " WHERE %s=?1", t->rowid);
        tables_put_order(sql, t);
        return tables_prepare(s, sql, ret_stmt);
}

/* Values of the row at hand, whose sizes begin at result column @first. */
static int tables_scan_values(struct tables_scan *x, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, int first,
                              uint64_t data)
{
        const uint8_t *sizes = NULL;
        size_t row_len = x->path.len, n = 0;
        int r = 0;

        for (unsigned i = 0; r == 0 && i < t->n_columns; i++) {
                uint64_t size;

                if (i % TABLES_SIZES == 0) {
                        sizes = sqlite3_column_blob(stmt, first + (int)(i / TABLES_SIZES));
                        n = (size_t)sqlite3_column_bytes(stmt, first + (int)(i / TABLES_SIZES));
                }
                if (!sizes || n < (i % TABLES_SIZES + 1) * sizeof(size))
                        return -ENOMEM;
                memcpy(&size, sizes + i % TABLES_SIZES * sizeof(size), sizeof(size));
                lsr_out_putc(&x->path, '/');
                lsr_out_puts(&x->path, t->columns[i].shown);
                r = tables_add(x, S_IFREG | 0444, data, size == UINT64_MAX ? NULL : &size, 0);
                x->path.len = row_len;
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

/* The rows of @stmt; with @names set those of these names alone. */
static int tables_scan_stmt(struct tables_scan *x, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, bool values,
                            bool names)
{
        int first = 1 + (t->keyed ? (int)t->n_keys : 0);
        size_t table_len = x->path.len, found = 0;
        int r;

        for (uint64_t n = 0; (r = lsr_sqlite_step(x->s, stmt, t->shown)) > 0; n++) {
                uint64_t data = t->rowid ? (uint64_t)sqlite3_column_int64(stmt, 0) : n;
                const char *name;

                x->path.len = table_len;
                lsr_out_putc(&x->path, '/');
                lsr_sqlite_row_name(&x->path, t, stmt, 1, data);
                lsr_out_putc(&x->path, '\0');
                x->path.len--;
                name = x->path.buf + table_len + 1;
                if (names && !bsearch(&name, x->names, x->n_names, sizeof(*x->names), tables_compare_names))
                        continue;
                /* In a row there are no directories, be it read or not. */
                r = tables_add(x, S_IFDIR | 0555, data, NULL, 0);
                if (r == 0 && values)
                        r = tables_scan_values(x, t, stmt, first, data);
                if (r < 0) {
                        lsr_scan_trouble(x->s->scan, r, "%s has too many rows", t->shown);
                        break;
                }
                if (names && ++found == x->n_names)
                        break;
        }
        x->path.len = table_len;
        return r < 0 ? r : 0;
}

/* Rows of the names that are wanted, with their values. */
static int tables_scan_names(struct tables_scan *x, const struct lsr_sqlite_table *t)
{
        LSR_SQLITE_STMT stmt = NULL;
        bool one = t->rowid && !t->keyed;
        int r = tables_select(x->s, t, true, one, &stmt);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(x->s, r, t->shown);
        if (!one)
                return tables_scan_stmt(x, t, stmt, true, true);
        for (size_t i = 0; r == 0 && i < x->n_names; i++) {
                int64_t rowid;

                if (!tables_parse_rowid(x->names[i], &rowid))
                        continue;
                sqlite3_reset(stmt);
                sqlite3_bind_int64(stmt, 1, rowid);
                r = tables_scan_stmt(x, t, stmt, true, false);
        }
        return r;
}

static int tables_scan_rows(struct tables_scan *x, const struct lsr_sqlite_table *t)
{
        LSR_SQLITE_STMT stmt = NULL;
        int r = 0;

        if (x->rows) {
                lsr_sqlite_vfs_read_all(x->s->vfs);
                r = tables_select(x->s, t, x->values, false, &stmt);
                r = r == SQLITE_OK ? tables_scan_stmt(x, t, stmt, x->values, false)
                                   : lsr_sqlite_fail(x->s, r, t->shown);
        }
        return r == 0 && x->n_names > 0 ? tables_scan_names(x, t) : r;
}

void lsr_sqlite_virtual(struct lsr_sqlite *s, const struct lsr_sqlite_table *t)
{
        lsr_scan_trouble(s->scan, 0,
                         "%s is a virtual table: the code that makes its rows is not run; tables that hold "
                         "them have names that begin with %s_",
                         t->shown, t->shown);
}

static int tables_scan_table(struct tables_scan *x, struct lsr_sqlite_table *t)
{
        struct lsr_sqlite *s = x->s;
        const char *text;
        int r;

        tables_plan(x, t);
        x->path.len = 0;
        lsr_out_puts(&x->path, t->shown);
        r = tables_add(x, S_IFDIR | 0555, 0, NULL, x->rows ? 0 : LSR_MEMBER_UNREAD);
        if (r < 0 || (!x->rows && x->n_names == 0))
                return r;
        if (s->steps > s->steps_max) {
                x->skipped++;
                return 0;
        }
        if (t->kind == LSR_SQLITE_VIRTUAL) {
                lsr_sqlite_virtual(s, t);
                return 0;
        }
        r = lsr_sqlite_table_enter(s, t);
        if (r == 0)
                r = tables_scan_rows(x, t);
        lsr_sqlite_table_leave(t);
        /* A table that is damaged says nothing about the next one; a file that cannot be read does. */
        if (r < 0 && lsr_sqlite_vfs_error(s->vfs, &text) == 0 && s->scan->troubles < LSR_TROUBLES_MAX)
                r = 0;
        return r;
}

static int tables_scan_schema(struct tables_scan *x)
{
        int r;

        lsr_out_puts(&x->path, LSR_SQLITE_DUMP);
        r = tables_add(x, S_IFREG | 0444, 0, &x->schema.dump_size, 0);
        /* The author of a view decides how many steps it takes, so all views together get no more than one. */
        for (unsigned views = 0; views < 2; views++)
                for (size_t i = 0; r == 0 && i < x->schema.n; i++) {
                        struct lsr_sqlite_table *t = &x->schema.tables[i];

                        if ((t->kind == LSR_SQLITE_VIEW) == views)
                                r = tables_scan_table(x, t);
                }
        if (r == 0 && x->skipped > 0)
                lsr_scan_trouble(x->s->scan, -E2BIG, "%s more of its views are not read", lsr_grouped(x->skipped));
        return r;
}

int lsr_sqlite_tables_scan(struct lsr_sqlite *s, const struct lsr_wanted *wanted)
{
        size_t n = wanted ? wanted->n : 0;
        struct tables_scan x = { .s = s };
        char **texts = lsr_xmalloc(n * sizeof(*texts) + 1);
        int r;

        for (size_t i = 0; i < n; i++) {
                texts[i] = lsr_xstrdup(wanted->paths[i]);
                tables_ask(&x, texts[i], wanted->depth);
        }
        if (!wanted)
                tables_want(&x, NULL, 0, LSR_DEPTH_ALL);
        s->scan->some = wanted;
        for (size_t i = 0; i < x.n_wants; i++)
                if (x.wants[i].n == 0 && x.wants[i].levels == TABLES_LEVELS)
                        s->scan->some = false;
        x.names = lsr_xmalloc(x.n_wants * sizeof(*x.names));
        lsr_out_init(&x.path, -1);
        r = sqlite3_create_function_v2(s->db, LSR_SQLITE_SIZES, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, tables_sizes,
                                       NULL, NULL, NULL);
        r = r == SQLITE_OK ? lsr_sqlite_schema_load(s, &x.schema) : lsr_sqlite_fail(s, r, NULL);
        if (r == 0)
                r = tables_scan_schema(&x);
        lsr_sqlite_schema_free(&x.schema);
        lsr_out_free(&x.path);
        for (size_t i = 0; i < n; i++)
                free(texts[i]);
        free(texts);
        free(x.names);
        free(x.wants);
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

/* Enter the table that is shown as @shown. */
static int cursor_enter(struct lsr_sqlite *s, const char *shown)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        int r = c->loaded ? 0 : lsr_sqlite_schema_load(s, &c->schema);

        if (r < 0)
                return r;
        c->loaded = true;
        if (c->table && strcmp(c->table->shown, shown) == 0)
                return 0;
        cursor_leave(c);
        for (size_t i = 0; i < c->schema.n && !c->table; i++)
                if (strcmp(c->schema.tables[i].shown, shown) == 0)
                        c->table = &c->schema.tables[i];
        if (!c->table || c->table->kind == LSR_SQLITE_VIRTUAL) {
                c->table = NULL;
                return -ENOENT;
        }
        r = lsr_sqlite_table_enter(s, c->table);
        if (r == 0 && c->table->n_columns == 0)
                r = -ENOENT;
        if (r < 0)
                cursor_leave(c);
        return r;
}

/* May large blobs be left out of a row, to be had by lsr_sqlite_blob()? */
static bool cursor_has_blobs(const struct lsr_sqlite_table *t)
{
        return t->rowid && !t->computed;
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
        tables_put_order(sql, t);
        return tables_prepare(s, sql, &c->stmt);
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
static int tables_read_pieces(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, const char *column,
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

static int tables_read_value(struct lsr_sqlite *s, const struct lsr_sqlite_column *column, const struct lsr_member *m,
                             const struct lsr_sink *sink)
{
        struct lsr_sqlite_cursor *c = &s->cursor;
        int i = (int)(column - c->table->columns);
        const void *data;
        int code = cursor_seek(c, m->data);

        /* Too much of it, which a piece of is not. */
        if ((code == SQLITE_NOMEM || code == SQLITE_TOOBIG) && cursor_has_blobs(c->table) && !s->utf16) {
                int r = tables_read_pieces(s, c->table, column->name, m, sink);

                if (r <= 0)
                        return r;
        }
        if (code != SQLITE_ROW)
                return code == SQLITE_DONE ? -ENOENT : lsr_sqlite_fail(s, code, c->table->shown);
        if (sqlite3_column_type(c->stmt, i) == SQLITE_NULL) {
                int r = c->whole ? 1 : tables_read_pieces(s, c->table, column->name, m, sink);

                return r == 1 ? 0 : r;
        }
        data = sqlite3_column_type(c->stmt, i) == SQLITE_BLOB ? sqlite3_column_blob(c->stmt, i)
                                                              : sqlite3_column_text(c->stmt, i);
        return data ? sink->write(sink->ctx, data, (size_t)sqlite3_column_bytes(c->stmt, i)) : 0;
}

static int tables_read_inside(struct lsr_sqlite *s, const char *value, const struct lsr_member *m,
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
                return tables_read_value(s, column, m, sink);
        r = cursor_seek(c, m->data);
        if (r != SQLITE_ROW)
                return r == SQLITE_DONE ? -ENOENT : lsr_sqlite_fail(s, r, c->table->shown);
        return tables_read_row(c->table, c->stmt, sink);
}

int lsr_sqlite_tables_read(struct lsr_sqlite *s, const struct lsr_member *m, const struct lsr_sink *sink)
{
        const char *parts[TABLES_LEVELS];
        char *path = lsr_xmalloc(m->path_len + 1);
        unsigned n = 0;
        int r;

        memcpy(path, m->path, m->path_len);
        path[m->path_len] = '\0';
        for (char *save, *part = strtok_r(path, "/", &save); part && n < TABLES_LEVELS;
             part = strtok_r(NULL, "/", &save))
                parts[n++] = part;
        if (n == 1 && strcmp(parts[0], LSR_SQLITE_DUMP) == 0) {
                r = tables_read_dump(s, sink);
        } else if (n < 2) {
                r = -EISDIR;
        } else {
                r = cursor_enter(s, parts[0]);
                if (r == 0)
                        r = tables_read_inside(s, n > 2 ? parts[2] : NULL, m, sink);
        }
        free(path);
        return r;
}
