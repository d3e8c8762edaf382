/*
 * tables - a database as a tree
 *
 *      .schema.sql          what made it
 *      users/               a table or a view
 *      users/.schema.sql    what made that, its indexes and triggers
 *      users/3/             a row, by its rowid or its key
 *      users/3/name         a value; its size is the value's length, of text in UTF-8
 *
 * Only what the questions need is read: for the root only the schema, and for a table that was not entered neither
 * rows nor columns, unless they are to be described (describe.c).  Several rows of a table whose names tell no rowid
 * are found in one pass.
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
        bool describes;      /* lsr_wanted.described */
        struct lsr_out path; /* of the member at hand */
        uint64_t position;   /* of the last one */
        /* Of the table at hand: */
        bool rows;          /* all of them are wanted, */
        bool values;        /* and what is in them */
        bool dump;          /* the statements are, */
        bool described;     /* and long rows */
        const char **names; /* else, or besides, these rows with their values; sorted */
        size_t n_names;
        size_t skipped;       /* views for which no steps were left */
        struct lsr_out about; /* of the row at hand: a preview */
};

/* The result columns of a statement for rows. */
struct tables_columns {
        int keys, sizes, preview; /* the first of each */
        unsigned n_preview;
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
                                parts[n] = strcmp(part, LSR_SCHEMA_SHORT) == 0 ? LSR_SQLITE_DUMP : part;
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
        const char *const dump = LSR_SQLITE_DUMP;
        size_t kept = 0;

        x->rows = x->values = x->described = false;
        x->n_names = 0;
        for (size_t i = 0; i < x->n_wants; i++) {
                const struct tables_want *w = &x->wants[i];

                if (w->n > 0 && strcmp(w->parts[0], t->shown) != 0)
                        continue;
                x->described |= x->describes;
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
        x->dump = x->rows || bsearch(&dump, x->names, kept, sizeof(dump), tables_compare_names);
        x->n_names = x->values ? 0 : kept;
}

/* --- scan ---------------------------------------------------------------------- */

/* What is set of @like; a @size of UINT64_MAX is none. */
static int tables_add(struct tables_scan *x, uint32_t mode, uint64_t size, const struct lsr_member *like)
{
        struct lsr_member m = *like;
        int r;

        m.path = x->path.buf;
        m.path_len = x->path.len;
        m.meta = (struct lsr_meta){ .known = LSR_FIELD_TYPE | LSR_FIELD_MODE, .mode = mode };
        m.packed = UINT64_MAX;
        m.position = ++x->position;
        if (size != UINT64_MAX) {
                m.meta.known |= LSR_FIELD_SIZE;
                m.meta.size = size;
        }
        r = lsr_builder_add(x->s->scan->builder, &m);
        return r < 0 ? r : 0;
}

static int tables_add_table(struct tables_scan *x, const struct lsr_sqlite_table *t)
{
        struct lsr_member m = { .flags = LSR_MEMBER_TABLE | (x->rows ? 0 : LSR_MEMBER_UNREAD) };
        struct lsr_sqlite_about about = { .bytes = UINT64_MAX };

        if (x->described) {
                lsr_sqlite_describe(x->s, &x->schema, t, &about);
                m.flags |= LSR_MEMBER_NOTED | (about.rows == UINT64_MAX ? 0 : LSR_MEMBER_COUNTED);
                m.data = about.rows == UINT64_MAX ? 0 : about.rows;
                m.target = about.note;
                m.target_len = strlen(about.note);
        }
        return tables_add(x, S_IFDIR | 0555, about.bytes, &m);
}

static int tables_add_dump(struct tables_scan *x, const struct lsr_sqlite_table *t)
{
        size_t len = x->path.len;
        int r;

        lsr_out_puts(&x->path, "/" LSR_SQLITE_DUMP);
        r = tables_add(x, S_IFREG | 0444, lsr_sqlite_schema_dump_size(&x->schema, t), &(struct lsr_member){});
        x->path.len = len;
        return r;
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

/* Result columns: rowid or NULL, key values, value sizes and a preview where they are wanted. */
static int tables_select(struct tables_scan *x, const struct lsr_sqlite_table *t, bool values, bool one,
                         struct tables_columns *ret_columns, sqlite3_stmt **ret_stmt)
{
        struct tables_columns columns = { .keys = 1, .sizes = 1 + (t->keyed ? (int)t->n_keys : 0) };
        sqlite3_str *sql = sqlite3_str_new(x->s->db);
        unsigned n = values || x->described ? t->n_columns : 0;

        sqlite3_str_appendf(sql, "SELECT %s", t->rowid ? t->rowid : "NULL");
        for (unsigned i = 0; t->keyed && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, ",\"%w\"", t->columns[t->keys[i]].name);
        for (unsigned i = 0; i < n; i++) {
                const char *c = t->columns[i].name;

                sqlite3_str_appendf(sql,
                                    "%sCASE typeof(\"%w\") WHEN 'blob' THEN zeroblob(length(\"%w\")) ELSE \"%w\" END",
                                    i % TABLES_SIZES ? "," : "," LSR_SQLITE_SIZES "(", c, c, c);
                if (i % TABLES_SIZES == TABLES_SIZES - 1 || i + 1 == n)
                        sqlite3_str_appendchar(sql, 1, ')');
        }
        columns.preview = columns.sizes + (int)((n + TABLES_SIZES - 1) / TABLES_SIZES);
        columns.n_preview = x->described ? lsr_sqlite_preview_select(sql, t) : 0;
        sqlite3_str_appendf(sql, " FROM \"%w\"", t->name);
        if (one)
                sqlite3_str_appendf(sql, " WHERE %s=?1", t->rowid);
        lsr_sqlite_put_order(sql, t);
        *ret_columns = columns;
        return lsr_sqlite_prepare_str(x->s, sql, ret_stmt);
}

/* The size of value @i of the row at hand, whose sizes begin at result column @first; UINT64_MAX: it is NULL. */
static int tables_size(sqlite3_stmt *stmt, int first, unsigned i, uint64_t *ret_size)
{
        int column = first + (int)(i / TABLES_SIZES);
        const uint8_t *sizes = sqlite3_column_blob(stmt, column);

        if (!sizes || (size_t)sqlite3_column_bytes(stmt, column) < (i % TABLES_SIZES + 1) * sizeof(*ret_size))
                return -ENOMEM;
        memcpy(ret_size, sizes + i % TABLES_SIZES * sizeof(*ret_size), sizeof(*ret_size));
        return 0;
}

/* The row at hand itself.  In one there are no directories, be it read or not. */
static int tables_add_row(struct tables_scan *x, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt,
                          const struct tables_columns *columns, uint64_t data)
{
        struct lsr_member m = { .data = data };
        uint64_t sum = x->described ? 0 : UINT64_MAX;

        for (unsigned i = 0; x->described && i < t->n_columns; i++) {
                uint64_t size;
                int r = tables_size(stmt, columns->sizes, i, &size);

                if (r < 0)
                        return r;
                sum += size == UINT64_MAX ? 0 : size;
        }
        if (x->described) {
                x->about.len = 0;
                lsr_sqlite_preview(&x->about, t, stmt, columns->preview, columns->n_preview);
                m.target = x->about.len > 0 ? x->about.buf : NULL;
                m.target_len = x->about.len;
                m.flags = m.target ? LSR_MEMBER_NOTED : 0;
        }
        return tables_add(x, S_IFDIR | 0555, sum, &m);
}

static int tables_add_values(struct tables_scan *x, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt,
                             const struct tables_columns *columns, uint64_t data)
{
        size_t row_len = x->path.len;
        int r = 0;

        for (unsigned i = 0; r == 0 && i < t->n_columns; i++) {
                uint64_t size = UINT64_MAX;

                r = tables_size(stmt, columns->sizes, i, &size);
                if (r < 0)
                        return r;
                lsr_out_putc(&x->path, '/');
                lsr_out_puts(&x->path, t->columns[i].shown);
                r = tables_add(x, S_IFREG | 0444, size, &(struct lsr_member){ .data = data });
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
static int tables_scan_stmt(struct tables_scan *x, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt,
                            const struct tables_columns *columns, bool values, bool names)
{
        size_t table_len = x->path.len, found = 0;
        int r;

        for (uint64_t n = 0; (r = lsr_sqlite_step(x->s, stmt, t->shown)) > 0; n++) {
                uint64_t data = t->rowid ? (uint64_t)sqlite3_column_int64(stmt, 0) : n;
                const char *name;

                x->path.len = table_len;
                lsr_out_putc(&x->path, '/');
                lsr_sqlite_row_name(&x->path, t, stmt, columns->keys, data);
                lsr_out_putc(&x->path, '\0');
                x->path.len--;
                name = x->path.buf + table_len + 1;
                if (names && !bsearch(&name, x->names, x->n_names, sizeof(*x->names), tables_compare_names))
                        continue;
                r = tables_add_row(x, t, stmt, columns, data);
                if (r == 0 && values)
                        r = tables_add_values(x, t, stmt, columns, data);
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
        struct tables_columns columns;
        bool one = t->rowid && !t->keyed;
        int r = tables_select(x, t, true, one, &columns, &stmt);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(x->s, r, t->shown);
        if (!one)
                return tables_scan_stmt(x, t, stmt, &columns, true, true);
        for (size_t i = 0; r == 0 && i < x->n_names; i++) {
                int64_t rowid;

                if (!tables_parse_rowid(x->names[i], &rowid))
                        continue;
                sqlite3_reset(stmt);
                sqlite3_bind_int64(stmt, 1, rowid);
                r = tables_scan_stmt(x, t, stmt, &columns, true, false);
        }
        return r;
}

static int tables_scan_rows(struct tables_scan *x, const struct lsr_sqlite_table *t)
{
        LSR_SQLITE_STMT stmt = NULL;
        struct tables_columns columns;
        int r = 0;

        if (x->rows) {
                lsr_sqlite_vfs_read_all(x->s->vfs);
                r = tables_select(x, t, x->values, false, &columns, &stmt);
                r = r == SQLITE_OK ? tables_scan_stmt(x, t, stmt, &columns, x->values, false)
                                   : lsr_sqlite_fail(x->s, r, t->shown);
        }
        return r == 0 && x->n_names > 0 ? tables_scan_names(x, t) : r;
}

void lsr_sqlite_virtual(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, int error)
{
        lsr_scan_trouble(s->scan, error,
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
        r = tables_add_table(x, t);
        if (r == 0 && x->dump)
                r = tables_add_dump(x, t);
        if (r < 0 || (!x->rows && x->n_names == x->dump))
                return r;
        if (s->steps > s->steps_max) {
                x->skipped++;
                return 0;
        }
        if (t->kind == LSR_SQLITE_VIRTUAL) {
                lsr_sqlite_virtual(s, t, 0);
                return 0;
        }
        r = lsr_sqlite_table_enter(s, t);
        if (r == 0)
                r = tables_scan_rows(x, t);
        lsr_sqlite_table_leave(t);
        /* A table that is damaged says nothing about the next one; a file that cannot be read does. */
        if (r < 0 && lsr_sqlite_vfs_error(s->vfs, &text) == 0 && s->scan->troubles < lsr_limit(LSR_LIMIT_TROUBLES))
                r = 0;
        return r;
}

static int tables_scan_schema(struct tables_scan *x)
{
        int r;

        lsr_out_puts(&x->path, LSR_SQLITE_DUMP);
        r = tables_add(x, S_IFREG | 0444, x->schema.dump_size, &(struct lsr_member){});
        /*
         * The author of a view decides how many steps it takes, and that of a table for text search which view it
         * searches, so all of these together get no more than one.
         */
        for (unsigned views = 0; views < 2; views++)
                for (size_t i = 0; r == 0 && i < x->schema.n; i++) {
                        struct lsr_sqlite_table *t = &x->schema.tables[i];

                        if ((t->kind == LSR_SQLITE_VIEW || t->kind == LSR_SQLITE_SEARCH) == views)
                                r = tables_scan_table(x, t);
                }
        if (r == 0 && x->skipped > 0)
                lsr_scan_trouble(x->s->scan, -E2BIG, "%s more of its views are not read%s", lsr_grouped(x->skipped),
                                 lsr_limit_raised(LSR_LIMIT_SQL_STEPS));
        return r;
}

int lsr_sqlite_tables_scan(struct lsr_sqlite *s, const struct lsr_wanted *wanted)
{
        size_t n = wanted ? wanted->n : 0;
        struct tables_scan x = { .s = s, .describes = wanted && wanted->described };
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
        lsr_out_init(&x.about, -1);
        r = sqlite3_create_function_v2(s->db, LSR_SQLITE_SIZES, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, tables_sizes,
                                       NULL, NULL, NULL);
        r = r == SQLITE_OK ? lsr_sqlite_schema_load(s, &x.schema) : lsr_sqlite_fail(s, r, NULL);
        if (r == 0)
                r = tables_scan_schema(&x);
        lsr_sqlite_schema_free(&x.schema);
        lsr_out_free(&x.path);
        lsr_out_free(&x.about);
        for (size_t i = 0; i < n; i++)
                free(texts[i]);
        free(texts);
        free(x.names);
        free(x.wants);
        return r;
}
