/*
 * sqlite-tables - a database as a tree
 *
 *      .schema.sql          what made it
 *      users/               a table or a view
 *      users/3/             a row, by its rowid or its key
 *      users/3/name         a value; its size is the value's length
 *
 * Names that SQLite allows and a path does not are percent-encoded, so that two
 * names never become one.  Virtual tables and the shadow tables that they keep
 * their data in are left out: the former would run code of their modules on
 * hostile data, and the latter mean nothing without them.
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
#include "base/out.h"
#include "formats/sqlite.h"

#define TABLES_SCHEMA ".schema.sql"
#define TABLES_LEVELS 3u /* table, row, column */

struct tables_column {
        char *name;
        char *shown;
        unsigned key; /* place in the primary key, from 1; 0: it has none */
        bool text;    /* of TEXT affinity: any text here is text */
};

struct tables_table {
        char *name;
        char *shown;
        bool view;
        /* The rest is known once it is entered. */
        const char *rowid; /* a name for it that no column has, or NULL: there is none */
        bool keyed;        /* rows are named by the primary key */
        struct tables_column *columns;
        unsigned n_columns;
        unsigned *keys; /* columns of the primary key, in its order */
        unsigned n_keys;
};

/* What sqlite_schema says. */
struct tables_schema {
        struct tables_table *tables;
        size_t n;
        size_t cap;
        char **virtuals; /* names of virtual tables, sorted */
        size_t n_virtuals;
        size_t cap_virtuals;
        uint64_t dump_size;
};

/* The path asked for, in components. */
struct tables_path {
        char *text;
        const char *parts[TABLES_LEVELS];
        unsigned n;
};

static void tables_forget(struct tables_table *t)
{
        for (unsigned i = 0; i < t->n_columns; i++) {
                free(t->columns[i].name);
                free(t->columns[i].shown);
        }
        free(t->columns);
        free(t->keys);
        t->columns = NULL;
        t->keys = NULL;
        t->n_columns = t->n_keys = 0;
}

static void tables_schema_free(struct tables_schema *schema)
{
        for (size_t i = 0; i < schema->n; i++) {
                tables_forget(&schema->tables[i]);
                free(schema->tables[i].name);
                free(schema->tables[i].shown);
        }
        for (size_t i = 0; i < schema->n_virtuals; i++)
                free(schema->virtuals[i]);
        free(schema->tables);
        free(schema->virtuals);
}

static void tables_path_split(struct tables_path *path, const char *text, size_t len)
{
        *path = (struct tables_path){ .text = lsr_xmalloc(len + 1) };
        memcpy(path->text, text, len);
        path->text[len] = '\0';
        for (char *save, *part = strtok_r(path->text, "/", &save); part && path->n < TABLES_LEVELS;
             part = strtok_r(NULL, "/", &save))
                path->parts[path->n++] = part;
}

/* --- names --------------------------------------------------------------------- */

static void name_escape(struct lsr_out *out, uint8_t c)
{
        lsr_out_printf(out, "%%%02X", c);
}

/* Bytes that cannot be in a name, or that mean something here, as %XX. */
static void name_put(struct lsr_out *out, const void *data, size_t n, bool in_tuple)
{
        const uint8_t *bytes = data;

        for (size_t i = 0; i < n; i++)
                if (bytes[i] == '/' || bytes[i] == '%' || bytes[i] == '\0' || (in_tuple && bytes[i] == ','))
                        name_escape(out, bytes[i]);
                else
                        lsr_out_putc(out, (char)bytes[i]);
}

/* What a name must not be as a whole.  @start is where it begins in @out. */
static void name_finish(struct lsr_out *out, size_t start, const char *kind, uint64_t number)
{
        size_t len = out->len - start;
        const char *name = out->buf + start;

        if (len > LSR_SQLITE_NAME_MAX) {
                /* No escape begins with such a letter. */
                out->len = start;
                lsr_out_printf(out, "%%%s-%llu", kind, (unsigned long long)number);
        } else if (len == 0) {
                lsr_out_putc(out, '%');
        } else if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.'))) {
                out->len = start;
                lsr_out_puts(out, len == 1 ? "%2E" : "%2E.");
        }
}

static char *name_shown(const char *name, const char *kind, uint64_t number)
{
        struct lsr_out out;
        char *shown;

        lsr_out_init(&out, -1);
        if (strcmp(kind, "table") == 0 && strcmp(name, TABLES_SCHEMA) == 0) {
                lsr_out_puts(&out, "%2E"
                                   "schema.sql");
        } else {
                /* Of more than this nothing will be seen. */
                name_put(&out, name, strnlen(name, LSR_SQLITE_NAME_MAX + 1), false);
                name_finish(&out, 0, kind, number);
        }
        lsr_out_putc(&out, '\0');
        shown = lsr_xstrdup(out.buf);
        lsr_out_free(&out);
        return shown;
}

/* One value of a key.  False: it has no name. */
static bool name_put_key(struct lsr_out *out, sqlite3_stmt *stmt, int i, const struct tables_column *c, bool in_tuple)
{
        const uint8_t *data = (sqlite3_column_type(stmt, i) == SQLITE_BLOB) ? sqlite3_column_blob(stmt, i)
                                                                            : sqlite3_column_text(stmt, i);
        size_t n = (size_t)sqlite3_column_bytes(stmt, i);

        if (n > LSR_SQLITE_NAME_MAX)
                return false;
        switch (sqlite3_column_type(stmt, i)) {
        case SQLITE_NULL:
                return false;
        case SQLITE_BLOB:
                lsr_out_puts(out, "%x");
                for (size_t j = 0; j < n; j++)
                        lsr_out_printf(out, "%02x", data[j]);
                return true;
        case SQLITE_TEXT:
                /* Where numbers may stand too, a text that looks like one begins with an escape. */
                if (!c->text && n && (data[0] == '-' || (data[0] >= '0' && data[0] <= '9'))) {
                        name_escape(out, data[0]);
                        data++;
                        n--;
                }
                name_put(out, data, n, in_tuple);
                return true;
        default:
                name_put(out, data, n, in_tuple);
                return true;
        }
}

/* Of the row at hand, whose keys begin at column @first. */
static void name_put_row(struct lsr_out *out, const struct tables_table *t, sqlite3_stmt *stmt, int first,
                         uint64_t position)
{
        size_t start = out->len;

        if (!t->keyed) {
                if (t->rowid)
                        lsr_out_printf(out, "%lld", (long long)position);
                else
                        lsr_out_printf(out, "%llu", (unsigned long long)position + 1);
                return;
        }
        for (unsigned i = 0; i < t->n_keys; i++) {
                if (i)
                        lsr_out_putc(out, ',');
                if (!name_put_key(out, stmt, first + (int)i, &t->columns[t->keys[i]], t->n_keys > 1)) {
                        out->len = start;
                        lsr_out_printf(out, "%%row-%lld", (long long)position);
                        return;
                }
        }
        name_finish(out, start, "row", position);
}

/* --- the schema ---------------------------------------------------------------- */

static int tables_compare_names(const void *a, const void *b)
{
        return sqlite3_stricmp(*(char *const *)a, *(char *const *)b);
}

/* Tables in which the modules that come with SQLite keep the data of their virtual tables. */
static bool tables_is_shadow(const struct tables_schema *schema, const char *name)
{
        static const char *const suffixes[] = { "config", "content", "data",   "docsize",  "idx", "node",
                                                "parent", "rowid",   "segdir", "segments", "stat" };
        const char *suffix = strrchr(name, '_');
        bool is = false;

        for (size_t i = 0; suffix && !is && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
                is = sqlite3_stricmp(suffix + 1, suffixes[i]) == 0;
        if (is) {
                char *base = strndup(name, (size_t)(suffix - name));

                is = base && schema->n_virtuals &&
                     bsearch(&base, schema->virtuals, schema->n_virtuals, sizeof(base), tables_compare_names);
                free(base);
        }
        return is;
}

static void tables_add_virtual(struct tables_schema *schema, const char *name)
{
        if (schema->n_virtuals == schema->cap_virtuals) {
                schema->cap_virtuals = schema->cap_virtuals ? schema->cap_virtuals * 2 : 8;
                schema->virtuals = lsr_xrealloc(schema->virtuals, schema->cap_virtuals * sizeof(*schema->virtuals));
        }
        schema->virtuals[schema->n_virtuals++] = lsr_xstrdup(name);
}

static void tables_add(struct tables_schema *schema, const char *name, bool view)
{
        if (schema->n == schema->cap) {
                schema->cap = schema->cap ? schema->cap * 2 : 16;
                schema->tables = lsr_xrealloc(schema->tables, schema->cap * sizeof(*schema->tables));
        }
        schema->tables[schema->n] = (struct tables_table){
                .name = lsr_xstrdup(name),
                .shown = name_shown(name, "table", schema->n),
                .view = view,
        };
        schema->n++;
}

static int tables_load(struct lsr_sqlite *s, struct tables_schema *schema)
{
        LSR_SQLITE_STMT stmt = NULL;
        size_t kept = 0;
        int r = lsr_sqlite_prepare(s, &stmt, "SELECT type,name,rootpage,sql FROM sqlite_schema");

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, NULL);
        while ((r = lsr_sqlite_step(s, stmt, "the schema")) > 0) {
                const char *type = (const char *)sqlite3_column_text(stmt, 0);
                const char *name = (const char *)sqlite3_column_text(stmt, 1);
                bool rooted = sqlite3_column_int64(stmt, 2) > 0;

                if (sqlite3_column_type(stmt, 3) == SQLITE_TEXT)
                        schema->dump_size += (uint64_t)sqlite3_column_bytes(stmt, 3) + 2;
                if (!type || !name || sqlite3_strnicmp(name, "sqlite_", 7) == 0)
                        continue;
                if (strcmp(type, "view") == 0 || (strcmp(type, "table") == 0 && rooted))
                        tables_add(schema, name, *type == 'v');
                else if (strcmp(type, "table") == 0)
                        tables_add_virtual(schema, name);
        }
        if (r < 0)
                return r;
        if (schema->n_virtuals)
                qsort(schema->virtuals, schema->n_virtuals, sizeof(*schema->virtuals), tables_compare_names);
        for (size_t i = 0; i < schema->n; i++) {
                struct tables_table *t = &schema->tables[i];

                if (tables_is_shadow(schema, t->name)) {
                        free(t->name);
                        free(t->shown);
                } else {
                        schema->tables[kept++] = *t;
                }
        }
        schema->n = kept;
        return 0;
}

static bool tables_has_column(const struct tables_table *t, const char *name)
{
        for (unsigned i = 0; i < t->n_columns; i++)
                if (sqlite3_stricmp(t->columns[i].name, name) == 0)
                        return true;
        return false;
}

static void tables_find_keys(struct lsr_sqlite *s, struct tables_table *t)
{
        static const char *const names[] = { "rowid", "_rowid_", "oid" };
        unsigned n = 0;

        t->rowid = NULL;
        for (size_t i = 0; !t->view && !t->rowid && i < sizeof(names) / sizeof(names[0]); i++)
                if (!tables_has_column(t, names[i]) &&
                    sqlite3_table_column_metadata(s->db, "main", t->name, names[i], NULL, NULL, NULL, NULL, NULL) ==
                            SQLITE_OK)
                        t->rowid = names[i];
        for (unsigned i = 0; i < t->n_columns; i++)
                n += t->columns[i].key > 0;
        t->keys = lsr_xmalloc((n + 1) * sizeof(*t->keys));
        for (unsigned place = 1; place <= n; place++)
                for (unsigned i = 0; i < t->n_columns; i++)
                        if (t->columns[i].key == place)
                                t->keys[t->n_keys++] = i;
        t->keyed = t->n_keys && (!t->rowid || (t->n_keys == 1 && t->columns[t->keys[0]].text));
}

/* Find out about columns and keys. */
static int tables_enter(struct lsr_sqlite *s, struct tables_table *t)
{
        LSR_SQLITE_STMT stmt = NULL;
        unsigned cap = 0;
        int r = lsr_sqlite_prepare(s, &stmt, "PRAGMA table_xinfo(\"%w\")", t->name);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, t->shown);
        while ((r = lsr_sqlite_step(s, stmt, t->shown)) > 0) {
                const char *name = (const char *)sqlite3_column_text(stmt, 1);
                const char *type = (const char *)sqlite3_column_text(stmt, 2);

                if (!name)
                        continue;
                if (t->n_columns == cap) {
                        cap = cap ? cap * 2 : 16;
                        t->columns = lsr_xrealloc(t->columns, cap * sizeof(*t->columns));
                }
                t->columns[t->n_columns] = (struct tables_column){
                        .name = lsr_xstrdup(name),
                        .shown = name_shown(name, "column", t->n_columns),
                        .key = (unsigned)sqlite3_column_int(stmt, 5),
                        /* The rules of affinity, sqlite.org/datatype3.html 3.1. */
                        .text = type && !strcasestr(type, "INT") &&
                                (strcasestr(type, "CHAR") || strcasestr(type, "CLOB") || strcasestr(type, "TEXT")),
                };
                t->n_columns++;
        }
        if (r == 0)
                tables_find_keys(s, t);
        return r;
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

/* Result columns: rowid or NULL, key values if @keys, value sizes if @values. */
static int tables_select(struct lsr_sqlite *s, const struct tables_table *t, bool values, bool one,
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
        for (unsigned i = 0; !t->rowid && t->keyed && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : " ORDER BY ", t->columns[t->keys[i]].name);
        text = sqlite3_str_finish(sql);
        if (!text)
                return SQLITE_NOMEM;
        code = lsr_sqlite_prepare(s, ret_stmt, "%s", text);
        sqlite3_free(text);
        return code;
}

static int tables_scan_values(struct lsr_sqlite *s, const struct tables_table *t, sqlite3_stmt *stmt, int first,
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
static int tables_scan_rows(struct lsr_sqlite *s, const struct tables_table *t, const char *only, bool values,
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
                name_put_row(path, t, stmt, 1, position);
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

static int tables_scan_schema(struct lsr_sqlite *s, struct tables_schema *schema, const struct tables_path *want,
                              unsigned levels)
{
        struct lsr_out path;
        int r;

        lsr_out_init(&path, -1);
        lsr_out_puts(&path, TABLES_SCHEMA);
        r = tables_add_member(s, &path, S_IFREG | 0444, 0, 0, &schema->dump_size);
        for (size_t i = 0; r == 0 && i < schema->n; i++) {
                struct tables_table *t = &schema->tables[i];
                const char *text;

                path.len = 0;
                lsr_out_puts(&path, t->shown);
                r = tables_add_member(s, &path, S_IFDIR | 0555, 0, 0, NULL);
                if (r < 0 || levels < 2 || (want->n && strcmp(want->parts[0], t->shown) != 0))
                        continue;
                r = tables_enter(s, t);
                if (r == 0)
                        r = tables_scan_rows(s, t, want->n > 1 ? want->parts[1] : NULL, levels > 2, &path);
                tables_forget(t);
                /* A table that is damaged says nothing about the next one; a file that cannot be read does. */
                if (r < 0 && lsr_sqlite_vfs_error(s->vfs, &text) == 0 && s->scan->troubles < LSR_TROUBLES_MAX)
                        r = 0;
        }
        lsr_out_free(&path);
        return r;
}

int lsr_sqlite_tables_scan(struct lsr_sqlite *s)
{
        struct tables_schema schema = {};
        struct tables_path want;
        unsigned levels = TABLES_LEVELS;
        int r;

        tables_path_split(&want, s->scan->prefix, strlen(s->scan->prefix));
        if (s->scan->depth && s->scan->depth < TABLES_LEVELS - want.n)
                levels = want.n + s->scan->depth;
        r = tables_load(s, &schema);
        if (r == 0) {
                tables_scan_schema(s, &schema, &want, levels);
                r = 0;
        }
        tables_schema_free(&schema);
        free(want.text);
        return r;
}
