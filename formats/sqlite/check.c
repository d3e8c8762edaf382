/*
 * check - every value of a database that is no archive, read in one pass
 *
 * To verify 40,000 rows member by member, each of them has to be listed, named,
 * asked for and sent.  Here a statement goes over each table, and what a listing
 * would show is counted.  It is an answer for databases that are well: as soon
 * as anything is wrong, or a value is large, the members are read one by one, as
 * they are for every other format, and that tells what it is.
 */
#include <errno.h>

#include "formats/sqlite/sqlite.h"

#define CHECK_VALUE_MAX (16 << 20) /* bytes of a row: larger ones are read in pieces */

static void check_count(struct lsr_checked *c, uint64_t bytes)
{
        c->members++;
        c->bytes += bytes;
        c->read += bytes > 0;
}

/* No index in place of a table: it may be whole where the table is not. */
static int check_prepare(struct lsr_sqlite *s, const struct lsr_sqlite_table *t, sqlite3_stmt **ret_stmt)
{
        sqlite3_str *sql = sqlite3_str_new(s->db);

        for (unsigned i = 0; i < t->n_columns; i++)
                sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "SELECT ", t->columns[i].name);
        sqlite3_str_appendf(sql, " FROM \"%w\"%s", t->name, t->kind == LSR_SQLITE_TABLE ? " NOT INDEXED" : "");
        return lsr_sqlite_prepare_str(s, sql, ret_stmt);
}

/* Values as lsr_sqlite_tables_read() gives them. */
static void check_row(struct lsr_checked *c, sqlite3_stmt *stmt, unsigned n_columns)
{
        c->members++;
        for (int i = 0; i < (int)n_columns; i++) {
                int type = sqlite3_column_type(stmt, i);

                if (type != SQLITE_NULL && type != SQLITE_BLOB)
                        sqlite3_column_text(stmt, i);
                check_count(c, type == SQLITE_NULL ? 0 : (uint64_t)sqlite3_column_bytes(stmt, i));
        }
}

/* Of a table that was entered. */
static int check_rows(struct lsr_sqlite *s, struct lsr_checked *c, const struct lsr_sqlite_table *t)
{
        LSR_SQLITE_STMT stmt = NULL;
        int r;

        if (check_prepare(s, t, &stmt) != SQLITE_OK)
                return -EBADMSG;
        while ((r = lsr_sqlite_step(s, stmt, t->shown)) > 0)
                check_row(c, stmt, t->n_columns);
        return r;
}

static int check_table(struct lsr_sqlite *s, struct lsr_checked *c, struct lsr_sqlite_schema *schema,
                       struct lsr_sqlite_table *t)
{
        int r;

        c->members++;
        check_count(c, lsr_sqlite_schema_dump_size(schema, t));
        if (t->kind == LSR_SQLITE_VIRTUAL)
                return 0;
        r = lsr_sqlite_table_enter(s, t);
        if (r == 0)
                r = check_rows(s, c, t);
        lsr_sqlite_table_leave(t);
        return r;
}

static int check_schema(struct lsr_sqlite *s, struct lsr_checked *c, struct lsr_sqlite_schema *schema)
{
        int r = lsr_sqlite_schema_load(s, schema);

        check_count(c, schema->dump_size);
        for (size_t i = 0; r == 0 && i < schema->n; i++)
                r = check_table(s, c, schema, &schema->tables[i]);
        return r;
}

int lsr_sqlite_tables_check(struct lsr_sqlite *s, struct lsr_checked *ret_checked)
{
        void (*trouble)(void *ctx, int error, const char *text) = s->scan->trouble;
        int length = sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1);
        struct lsr_sqlite_schema schema = {};
        struct lsr_checked c = {};
        int r;

        if (length > CHECK_VALUE_MAX)
                sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, CHECK_VALUE_MAX);
        s->scan->trouble = NULL;
        r = check_schema(s, &c, &schema);
        s->scan->trouble = trouble;
        s->scan->troubles = 0;
        sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, length);
        for (size_t i = 0; r == 0 && i < schema.n; i++)
                if (schema.tables[i].kind == LSR_SQLITE_VIRTUAL)
                        lsr_sqlite_virtual(s, &schema.tables[i], 0);
        lsr_sqlite_schema_free(&schema);
        if (r == 0)
                *ret_checked = c;
        return r == 0 ? 0 : 1;
}
