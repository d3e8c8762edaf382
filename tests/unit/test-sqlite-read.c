/* Content of a database that is no longer what was listed, or too much of it, and sinks that are full. */
#include "sqlite-maker.h"

/* Read @path of what @sql makes, as if row @data had been listed there: @want, and nothing comes. */
static void refuses_path(const char *sql, const char *path, uint64_t data, int want)
{
        struct bytes b = make(sql);
        struct lsr_member m = { .path = path, .path_len = strlen(path), .data = data };
        struct result result = read_member(&b, &m);

        cr_expect_eq(result.r, want, "%s: %d", path, result.r);
        cr_expect_eq(result.text.len, 1, "%s: %s", path, result.text.buf);
        free_result(&result);
        free(b.data);
}

#define READ_WITHOUT "CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w VALUES(1,'one'),(2,'two');"

Test(sqlite_read, what_is_not_there)
{
        refuses_path(GOOD_TABLES, "", 0, -EISDIR);
        refuses_path(GOOD_TABLES, "none", 0, -ENOENT);
        refuses_path(GOOD_TABLES, "none/.schema.sql", 0, -ENOENT);
        refuses_path(GOOD_TABLES, "users/4", 4, -ENOENT);
        refuses_path(GOOD_TABLES, "users/4/name", 4, -ENOENT);
        refuses_path(GOOD_TABLES, "users/3/none", 3, -ENOENT);
        refuses_path(GOOD_TABLES, "empty/1/a", 1, -ENOENT);
        refuses_path(GOOD_TABLES, "v/9/n", 9, -ENOENT);
        refuses_path(READ_WITHOUT, "w/9", 9, -ENOENT);
        refuses_path(READ_WITHOUT, "w/9/v", 9, -ENOENT);
        refuses_path(SQLAR, "f", 1, -ENOENT);
}

/* The statements of one table, of one without any, and of all. */
Test(sqlite_read, statements)
{
        reads("CREATE TABLE A(x); CREATE INDEX i ON a(x); CREATE TABLE b(y)", "A/.schema.sql",
              "CREATE TABLE A(x);\nCREATE INDEX i ON a(x);\n");
        reads("CREATE TABLE t(x PRIMARY KEY)", "t/.schema.sql", "CREATE TABLE t(x PRIMARY KEY);\n");
}

#define READ_VIRTUAL "CREATE VIRTUAL TABLE f USING rtree(i, a, b); INSERT INTO f VALUES(1, 2, 3);"

Test(sqlite_read, virtual_table)
{
        if (!sqlite3_compileoption_used("ENABLE_RTREE"))
                cr_skip_test("SQLite has none");
        refuses_path(READ_VIRTUAL, "f/1", 1, -EOPNOTSUPP);
        refuses_path(READ_VIRTUAL, "f/1/a", 1, -EOPNOTSUPP);
}

/* One connection: back and forth in a table whose rows are passed one by one, and from table to table. */
Test(sqlite_read, back_and_forth)
{
        static const struct {
                const char *path;
                uint64_t data;
                const char *want;
        } reads[] = {
                { "w/2/v", 1, "two" }, { "w/1/v", 0, "one" },        { "w/1/k", 0, "1" },
                { "w/2/k", 1, "2" },   { "w/2/v", 1, "two" },        { "users/3/id", 3, "3" },
                { "w/1/v", 0, "one" }, { "users/3/name", 3, "Zoë" }, { "users/-7/id", (uint64_t)-7, "-7" },
        };
        struct bytes b = make(GOOD_TABLES READ_WITHOUT);
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n) };
        struct lsr_out out;

        lsr_out_init(&out, -1);
        for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
                struct lsr_member m = { .path = reads[i].path,
                                        .path_len = strlen(reads[i].path),
                                        .data = reads[i].data };

                out.len = 0;
                cr_assert_eq(lsr_format_sqlite.read(&scan, &m, &(struct lsr_sink){ &out, take }), 0, "%s", m.path);
                lsr_out_putc(&out, '\0');
                cr_expect_str_eq(out.buf, reads[i].want, "%zu: %s", i, m.path);
        }
        lsr_out_free(&out);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        free(b.data);
}

/* --- much ----------------------------------------------------------------------------- */

static void reads_zeros(const char *sql, const char *path, size_t n)
{
        char *zeros = calloc(1, n + 1);

        reads_bytes(sql, path, zeros, n);
        free(zeros);
}

/* Values that do not come along with their row. */
Test(sqlite_read, long_values)
{
        reads_zeros("CREATE TABLE t(a,b); INSERT INTO t VALUES(zeroblob(3000000),1)", "t/1/a", 3000000);
        reads("CREATE TABLE t(a,b); INSERT INTO t VALUES(zeroblob(3000000),1)", "t/1/b", "1");
        /* Computed ones, and rows without a number, are had only as a whole. */
        reads_zeros("CREATE TABLE t(a,g AS (a)); INSERT INTO t(a) VALUES(zeroblob(2000000))", "t/1/a", 2000000);
        reads_zeros("CREATE TABLE t(k PRIMARY KEY,a) WITHOUT ROWID; INSERT INTO t VALUES(1,zeroblob(2000000))", "t/1/a",
                    2000000);
        reads_zeros("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(2000000)); CREATE VIEW v AS SELECT a FROM t",
                    "v/1/a", 2000000);
        /* NULL is no long value. */
        reads("CREATE TABLE t(a,b); INSERT INTO t VALUES(NULL,zeroblob(3000000))", "t/1/a", "");
}

/* Text in UTF-16 is as long as it is in UTF-8, and blobs stay what they are. */
Test(sqlite_read, utf16)
{
        static const char sql[] = "PRAGMA encoding='UTF-16le';" SQLAR "INSERT INTO sqlar VALUES('f',0x81a4,1,4,'Zoë'),"
                                  "('g',0x81a4,1,2,x'00ff'),('s',0xa1ff,1,-1,'zoë'),('n',0x81a4,1,0,NULL);";

        reads(sql, "f", "Zoë");
        reads_bytes(sql, "g", "\0\xff", 2);
        reads(sql, "n", "");
        lists(sql, "", 0, "f 644 @1 4 4 store\ng 644 @1 2 2 store\nn 644 @1 0\ns 777 @1 4 4 -> zoë\n");
}

/* --- sinks that are full --------------------------------------------------------------- */

struct full {
        size_t room;
};

static int full_write(void *ctx, const void *data, size_t n)
{
        struct full *f = ctx;

        if (n > f->room)
                return -ENOSPC;
        f->room -= n;
        return 0;
}

/* What cannot be written ends the reading, with the reason, wherever that is. */
Test(sqlite_read, full_sink)
{
        static const char tables[] =
                "CREATE TABLE t(a,b);"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000)"
                "INSERT INTO t SELECT i,zeroblob(40) FROM n; UPDATE t SET b=zeroblob(3000000) WHERE rowid=7;";
        static const struct {
                const char *path;
                size_t room;
        } cases[] = { { ".schema.sql", 0 }, { ".schema.sql", 20 }, { "t/.schema.sql", 0 },
                      { "t", 0 },           { "t", 100000 },       { "t/3", 5 },
                      { "t/3/a", 0 },       { "t/3/b", 39 },       { "t/7/b", 100000 } };
        struct bytes b = make(tables);

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n) };
                struct lsr_member m = { .path = cases[i].path, .path_len = strlen(cases[i].path) };
                struct full full = { cases[i].room };
                struct lsr_sink sink = { &full, full_write };

                m.data = strncmp(m.path, "t/7", 3) == 0 ? 7 : 3;
                cr_expect_eq(lsr_format_sqlite.read(&scan, &m, &sink), -ENOSPC, "%s", m.path);
                lsr_scan_close(&scan, &lsr_format_sqlite);
        }
        free(b.data);
}
