/*
 * schema - the tables, and the names of their rows
 *
 * Names that SQLite allows and a path does not are percent-encoded, so that two
 * names never become one.
 *
 * Of virtual tables those for text search have rows: SQLite's own code for them
 * takes these from an ordinary table, and decodes an index of its own only to search.
 * Others are listed without: their modules decode pages of their own, or cannot
 * be had without statements that write.  What they hold is in the tables that
 * they keep it in.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/sqlite/sqlite.h"

#define SCHEMA_KEYS_MAX 256 /* columns of a key: more could not be told apart within LSR_SQLITE_NAME_MAX */
#define SCHEMA_HIDDEN 1     /* table_xinfo's "hidden" of a column that SELECT * leaves out, */
#define SCHEMA_NOT_STORED 2 /* and of a generated column that is VIRTUAL */

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
        } else if ((len == strlen(LSR_SQLITE_DUMP) && memcmp(name, LSR_SQLITE_DUMP, len) == 0) ||
                   (len == strlen(LSR_SCHEMA_SHORT) && memcmp(name, LSR_SCHEMA_SHORT, len) == 0)) {
                out->len = start;
                lsr_out_puts(out, "%2E");
                lsr_out_puts(out, len == strlen(LSR_SQLITE_DUMP) ? &LSR_SQLITE_DUMP[1] : &LSR_SCHEMA_SHORT[1]);
        }
}

static char *name_shown(const char *name, const char *kind, uint64_t number)
{
        struct lsr_out out;
        char *shown;

        lsr_out_init(&out, -1);
        /* Of more than this nothing will be seen. */
        name_put(&out, name, strnlen(name, LSR_SQLITE_NAME_MAX + 1), false);
        name_finish(&out, 0, kind, number);
        lsr_out_putc(&out, '\0');
        shown = lsr_xstrdup(out.buf);
        lsr_out_free(&out);
        return shown;
}

/* One value of a key.  False: it has no name. */
static bool name_put_key(struct lsr_out *out, sqlite3_stmt *stmt, int i, const struct lsr_sqlite_column *c,
                         bool in_tuple)
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

/* A number of a row: there may be as many as rows. */
static void name_put_number(struct lsr_out *out, uint64_t n, bool negative)
{
        char text[24], *at = text + sizeof(text);

        do
                *--at = (char)('0' + n % 10);
        while (n /= 10);
        if (negative)
                *--at = '-';
        lsr_out_put(out, at, (size_t)(text + sizeof(text) - at));
}

/* Of the row at hand, whose keys begin at column @first. */
void lsr_sqlite_row_name(struct lsr_out *out, const struct lsr_sqlite_table *t, sqlite3_stmt *stmt, int first,
                         uint64_t position)
{
        size_t start = out->len;

        if (!t->keyed) {
                bool negative = t->rowid && (int64_t)position < 0;

                name_put_number(out, t->rowid ? negative ? -position : position : position + 1, negative);
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

void lsr_sqlite_put_order(sqlite3_str *sql, const struct lsr_sqlite_table *t)
{
        for (unsigned i = 0; !t->rowid && i < t->n_keys; i++)
                sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : " ORDER BY ", t->columns[t->keys[i]].name);
}

/* --- the schema ---------------------------------------------------------------- */

/* CREATE VIRTUAL TABLE name USING module(...): not parsed, as it is only shown. */
static void schema_find_module(struct lsr_sqlite_table *t, const char *sql)
{
        const char *using = sql ? strcasestr(sql, " using ") : NULL;
        size_t n = 0;

        if (using)
                for (using += strlen(" using "); *using == ' ';)
                        using ++;
        while (using && n + 1 < sizeof(t->module) && (isalnum((unsigned char)using[n]) || using[n] == '_'))
                n++;
        memcpy(t->module, n > 0 ? using : "?", n + (n == 0));
}

/* Are its rows made by a module for text search that this SQLite has? */
static bool schema_is_search(const struct lsr_sqlite_table *t)
{
        if (strcasecmp(t->module, "fts5") == 0)
                return sqlite3_compileoption_used("ENABLE_FTS5");
        return (strcasecmp(t->module, "fts3") == 0 || strcasecmp(t->module, "fts4") == 0) &&
               sqlite3_compileoption_used("ENABLE_FTS3");
}

static void schema_add(struct lsr_sqlite_schema *schema, const char *name, enum lsr_sqlite_kind kind, uint32_t root,
                       const char *sql)
{
        struct lsr_sqlite_table *t;

        lsr_grow(&schema->tables, schema->n, &schema->cap);
        t = &schema->tables[schema->n];
        *t = (struct lsr_sqlite_table){
                .name = lsr_xstrdup(name),
                .shown = name_shown(name, "table", schema->n),
                .kind = kind,
                .root = root,
        };
        if (kind == LSR_SQLITE_VIRTUAL)
                schema_find_module(t, sql);
        if (kind == LSR_SQLITE_VIRTUAL && schema_is_search(t))
                t->kind = LSR_SQLITE_SEARCH;
        schema->n++;
}

static void schema_add_part(struct lsr_sqlite_schema *schema, const char *table, uint32_t root, uint64_t dump_size)
{
        lsr_grow(&schema->parts, schema->n_parts, &schema->cap_parts);
        schema->parts[schema->n_parts++] = (struct lsr_sqlite_part){ lsr_xstrdup(table), root, dump_size };
}

static int schema_compare_parts(const void *a, const void *b)
{
        return sqlite3_stricmp(((const struct lsr_sqlite_part *)a)->table, ((const struct lsr_sqlite_part *)b)->table);
}

size_t lsr_sqlite_schema_parts(struct lsr_sqlite_schema *schema, const struct lsr_sqlite_table *t,
                               const struct lsr_sqlite_part **ret_parts)
{
        const struct lsr_sqlite_part key = { .table = t->name };
        const struct lsr_sqlite_part *found, *end = schema->parts + schema->n_parts;
        size_t n = 1;

        if (!schema->sorted && schema->n_parts > 0)
                qsort(schema->parts, schema->n_parts, sizeof(key), schema_compare_parts);
        schema->sorted = true;
        found = schema->n_parts ? bsearch(&key, schema->parts, schema->n_parts, sizeof(key), schema_compare_parts)
                                : NULL;
        if (!found)
                return 0;
        while (found > schema->parts && schema_compare_parts(found - 1, &key) == 0)
                found--;
        while (found + n < end && schema_compare_parts(found + n, &key) == 0)
                n++;
        *ret_parts = found;
        return n;
}

uint64_t lsr_sqlite_schema_dump_size(struct lsr_sqlite_schema *schema, const struct lsr_sqlite_table *t)
{
        const struct lsr_sqlite_part *parts;
        size_t n = lsr_sqlite_schema_parts(schema, t, &parts);
        uint64_t sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += parts[i].dump_size;
        return sum;
}

int lsr_sqlite_schema_load(struct lsr_sqlite *s, struct lsr_sqlite_schema *schema)
{
        LSR_SQLITE_STMT stmt = NULL;
        int r = lsr_sqlite_prepare(s, &stmt, "SELECT type,name,rootpage,sql,tbl_name FROM sqlite_schema");

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, NULL);
        while ((r = lsr_sqlite_step(s, stmt, "the schema")) > 0) {
                const char *type = (const char *)sqlite3_column_text(stmt, 0);
                const char *name = (const char *)sqlite3_column_text(stmt, 1);
                int64_t page = sqlite3_column_int64(stmt, 2);
                uint32_t root = page > 0 && page <= UINT32_MAX ? (uint32_t)page : 0;
                bool has_sql = sqlite3_column_type(stmt, 3) == SQLITE_TEXT;
                const char *sql = has_sql ? (const char *)sqlite3_column_text(stmt, 3) : NULL;
                uint64_t dump_size = has_sql ? (uint64_t)sqlite3_column_bytes(stmt, 3) + 2 : 0;
                const char *table = (const char *)sqlite3_column_text(stmt, 4);

                schema->dump_size += dump_size;
                if (table)
                        schema_add_part(schema, table, root, dump_size);
                if (!type || !name || sqlite3_strnicmp(name, "sqlite_", 7) == 0)
                        continue;
                if (strcmp(type, "view") == 0)
                        schema_add(schema, name, LSR_SQLITE_VIEW, 0, NULL);
                else if (strcmp(type, "table") == 0)
                        schema_add(schema, name, root ? LSR_SQLITE_TABLE : LSR_SQLITE_VIRTUAL, root, sql);
        }
        return r;
}

static bool schema_has_column(const struct lsr_sqlite_table *t, const char *name)
{
        for (unsigned i = 0; i < t->n_columns; i++)
                if (sqlite3_stricmp(t->columns[i].name, name) == 0)
                        return true;
        return false;
}

static void schema_find_keys(struct lsr_sqlite *s, struct lsr_sqlite_table *t)
{
        static const char *const names[] = { LSR_SQLITE_ROWID_NAMES };
        unsigned n = 0;

        t->rowid = NULL;
        for (size_t i = 0; t->kind != LSR_SQLITE_VIEW && !t->rowid && i < sizeof(names) / sizeof(names[0]); i++)
                if (!schema_has_column(t, names[i]) &&
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
        t->keyed = t->n_keys && t->n_keys <= SCHEMA_KEYS_MAX &&
                   (!t->rowid || (t->n_keys == 1 && t->columns[t->keys[0]].text));
}

static int schema_compare_shown(const void *a, const void *b, void *columns)
{
        const struct lsr_sqlite_column *c = columns;

        return strcmp(c[*(const unsigned *)a].shown, c[*(const unsigned *)b].shown);
}

static void schema_sort_columns(struct lsr_sqlite_table *t)
{
        t->by_shown = lsr_xmalloc((t->n_columns + 1) * sizeof(*t->by_shown));
        for (unsigned i = 0; i < t->n_columns; i++)
                t->by_shown[i] = i;
        qsort_r(t->by_shown, t->n_columns, sizeof(*t->by_shown), schema_compare_shown, t->columns);
}

const struct lsr_sqlite_column *lsr_sqlite_table_find(const struct lsr_sqlite_table *t, const char *shown)
{
        unsigned low = 0, high = t->n_columns;

        while (low < high) {
                unsigned middle = low + (high - low) / 2;
                const struct lsr_sqlite_column *c = &t->columns[t->by_shown[middle]];
                int r = strcmp(c->shown, shown);

                if (r == 0)
                        return c;
                if (r < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

/* Find out about columns and keys. */
int lsr_sqlite_table_enter(struct lsr_sqlite *s, struct lsr_sqlite_table *t)
{
        LSR_SQLITE_STMT stmt = NULL;
        unsigned cap = 0;
        int r = lsr_sqlite_prepare(s, &stmt, "PRAGMA table_xinfo(\"%w\")", t->name);

        if (r != SQLITE_OK)
                return lsr_sqlite_fail(s, r, t->shown);
        while ((r = lsr_sqlite_step(s, stmt, t->shown)) > 0) {
                const char *name = (const char *)sqlite3_column_text(stmt, 1);
                const char *type = (const char *)sqlite3_column_text(stmt, 2);

                /* What a virtual table hides is for its functions. */
                if (!name || sqlite3_column_int(stmt, 6) == SCHEMA_HIDDEN)
                        continue;
                if (t->n_columns == cap) {
                        cap = cap ? cap * 2 : 16;
                        t->columns = lsr_xrealloc(t->columns, cap * sizeof(*t->columns));
                }
                t->columns[t->n_columns] = (struct lsr_sqlite_column){
                        .name = lsr_xstrdup(name),
                        .shown = name_shown(name, "column", t->n_columns),
                        .key = (unsigned)sqlite3_column_int(stmt, 5),
                        /* The rules of affinity, sqlite.org/datatype3.html 3.1. */
                        .text = type && !strcasestr(type, "INT") &&
                                (strcasestr(type, "CHAR") || strcasestr(type, "CLOB") || strcasestr(type, "TEXT")),
                        .integer = type && sqlite3_stricmp(type, "INTEGER") == 0,
                };
                t->n_columns++;
                t->computed |= sqlite3_column_int(stmt, 6) == SCHEMA_NOT_STORED;
        }
        if (r < 0)
                return r;
        schema_find_keys(s, t);
        schema_sort_columns(t);
        return 0;
}

void lsr_sqlite_table_leave(struct lsr_sqlite_table *t)
{
        for (unsigned i = 0; i < t->n_columns; i++) {
                free(t->columns[i].name);
                free(t->columns[i].shown);
        }
        free(t->columns);
        free(t->by_shown);
        free(t->keys);
        t->columns = NULL;
        t->by_shown = NULL;
        t->keys = NULL;
        t->n_columns = t->n_keys = 0;
}

void lsr_sqlite_schema_free(struct lsr_sqlite_schema *schema)
{
        for (size_t i = 0; i < schema->n; i++) {
                lsr_sqlite_table_leave(&schema->tables[i]);
                free(schema->tables[i].name);
                free(schema->tables[i].shown);
        }
        for (size_t i = 0; i < schema->n_parts; i++)
                free(schema->parts[i].table);
        free(schema->parts);
        free(schema->tables);
}
