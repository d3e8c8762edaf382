/* What long rows say of tables and rows: counts of pages against SQLite's own, notes, previews. */
#include "sqlite-maker.h"

/* A listing of @path with notes: "name size rows | note" of all that have one. */
static struct result describe(const struct bytes *b, const struct bytes *wal, const char *path)
{
        const struct lsr_wanted wanted = { .paths = &path, .n = 1, .depth = 1, .described = true };
        struct result result = new_result();
        struct lsr_catalogue *c;
        struct lsr_scan scan = {
                .input = lsr_input_memory(b->data, b->n),
                .builder = lsr_builder_new(),
                .ctx = &result,
                .trouble = trouble,
        };

        if (wal)
                scan.companions[LSR_COMPANION_WAL] = lsr_input_memory(wal->data, wal->n);
        result.r = lsr_format_sqlite.list(&scan, &wanted);
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                if (!(m.flags & LSR_MEMBER_NOTED))
                        continue;
                lsr_out_puts(&result.text, m.path);
                if (m.meta.known & LSR_FIELD_SIZE)
                        lsr_out_printf(&result.text, " %llu", (unsigned long long)m.meta.size);
                if (m.flags & LSR_MEMBER_COUNTED)
                        lsr_out_printf(&result.text, " #%llu", (unsigned long long)m.data);
                lsr_out_printf(&result.text, " | %.*s\n", (int)m.target_len, m.target);
        }
        end_result(&result);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        return result;
}

static void describes(const char *sql, const char *path, const char *want)
{
        struct bytes b = make(sql);
        struct result result = describe(&b, NULL, path);

        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_str_eq(result.text.buf, want, "%s:\n%s", path, result.text.buf);
        free_result(&result);
        free(b.data);
}

Test(sqlite_describe, good_tables)
{
        describes("CREATE TABLE one(a); INSERT INTO one VALUES(1); CREATE TABLE none(a);"
                  "CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO keyed VALUES('a',1),('b',2);"
                  "CREATE TABLE two(a, b UNIQUE); CREATE INDEX i ON two(a); INSERT INTO two VALUES(1,2),(3,4),(5,6);"
                  "CREATE VIEW v AS SELECT a FROM one",
                  "",
                  "keyed 4096 #2 | 2 rows\nnone 4096 #0 | 0 rows\none 4096 #1 | 1 row\ntwo 12288 #3 | 3 rows\n"
                  "v | view\n");
}

Test(sqlite_describe, good_virtual)
{
        if (!sqlite3_compileoption_used("ENABLE_RTREE"))
                cr_skip_test("SQLite has none");
        describes("CREATE VIRTUAL TABLE r USING   rtree_i32(id,x0,x1); DROP TABLE r;"
                  "CREATE VIRTUAL TABLE Q using rtree(id,x0,x1)",
                  "",
                  "Q | virtual table (rtree)\nQ_node 4096 #1 | 1 row\nQ_parent 4096 #0 | 0 rows\n"
                  "Q_rowid 4096 #0 | 0 rows\n");
}

Test(sqlite_describe, good_previews)
{
        describes(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d);"
                "INSERT INTO t VALUES(1,'text',2.5,NULL,zeroblob(1000)),(2,'one'||char(10)||'two'||char(127)||'x',-7,x'00',1e300),"
                "(3,'123456789012345678901234','1234567890123456789012345',CAST(x'ff' AS TEXT),''),"
                "(4,'ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ','ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ',2,3)",
                "t",
                "t 4096 #4 | 4 rows\n"
                "1 1008 | text, 2.5, NULL, <1,000 bytes>\n"
                "2 21 | one two x, -7, <1 byte>, 1.0e+300\n"
                "3 51 | 123456789012345678901234, 123456789012345678901234..., <no UTF-8>, ...\n"
                "4 101 | ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ, ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ..., ...\n");
        /* What a row is named by is not repeated. */
        describes("CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES('a','b')", "t",
                  "t 8192 #1 | 1 row\na 2 | b\n");
        describes("CREATE TABLE t(k REAL PRIMARY KEY, v); INSERT INTO t VALUES(1.5,'b')", "t",
                  "t 8192 #1 | 1 row\n1 4 | 1.5, b\n");
        describes("CREATE TABLE t(a,b,c,d,e,f,g,h,i,j); INSERT INTO t VALUES(1,2,3,4,5,6,7,8,9,10)", "t",
                  "t 4096 #1 | 1 row\n1 11 | 1, 2, 3, 4, 5, 6, 7, 8, ...\n");
}

/* Pages and rows of tables of many shapes, as SQLite itself counts them. */
static void counts(const char *sql, bool exact)
{
        sqlite3_stmt *stmt;
        struct lsr_sqlite s;
        struct bytes b = make(sql);
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n) };
        struct lsr_sqlite_extent extent = {};
        uint64_t rows, bytes;
        sqlite3 *db;
        int root;

        cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
        cr_assert_eq(sqlite3_deserialize(db, "main", b.data, (sqlite3_int64)b.n, (sqlite3_int64)b.n,
                                         SQLITE_DESERIALIZE_READONLY),
                     SQLITE_OK);
        cr_assert_eq(
                sqlite3_prepare_v2(db,
                                   "SELECT (SELECT count(*) FROM t), (SELECT pgsize FROM dbstat WHERE name='t' AND "
                                   "aggregate=TRUE), (SELECT rootpage FROM sqlite_schema WHERE name='t')",
                                   -1, &stmt, NULL),
                SQLITE_OK, "%s", sqlite3_errmsg(db));
        cr_assert_eq(sqlite3_step(stmt), SQLITE_ROW);
        rows = (uint64_t)sqlite3_column_int64(stmt, 0);
        bytes = (uint64_t)sqlite3_column_int64(stmt, 1);
        root = sqlite3_column_int(stmt, 2);
        cr_assert_eq(lsr_sqlite_open(&s, &scan, false), 0);
        cr_assert(lsr_sqlite_measure(&s, (uint32_t)root, &extent));
        cr_expect_eq(extent.exact, exact);
        if (exact) {
                cr_expect_eq(extent.rows, rows, "%.60s: %llu rows", sql, (unsigned long long)extent.rows);
                cr_expect_eq(extent.bytes, bytes, "%.60s: %llu bytes", sql, (unsigned long long)extent.bytes);
        } else {
                cr_expect(extent.rows > rows * 9 / 10 && extent.rows < rows * 11 / 10, "%llu of %llu rows",
                          (unsigned long long)extent.rows, (unsigned long long)rows);
                cr_expect(extent.bytes > bytes * 9 / 10 && extent.bytes < bytes * 11 / 10, "%llu of %llu bytes",
                          (unsigned long long)extent.bytes, (unsigned long long)bytes);
        }
        lsr_sqlite_close(&s);
        lsr_input_free(scan.input);
        sqlite3_finalize(stmt);
        sqlite3_close(db);
        free(b.data);
}

#define NUMBERS(n) "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<" n ")"

Test(sqlite_describe, good_counts)
{
        if (!sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB"))
                cr_skip_test("SQLite has nothing to compare with");
        counts("CREATE TABLE t(a)", true);
        counts("CREATE TABLE t(a); " NUMBERS("5000") "INSERT INTO t SELECT i FROM n", true);
        counts("PRAGMA page_size=512; CREATE TABLE t(a); " NUMBERS("3000") "INSERT INTO t SELECT i||'abc' FROM n",
               true);
        counts("PRAGMA page_size=65536; CREATE TABLE t(a); " NUMBERS(
                       "300") "INSERT INTO t SELECT zeroblob(i*500) FROM n",
               true);
        counts("CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID; " NUMBERS(
                       "5000") "INSERT INTO t SELECT 'k'||i, zeroblob(i%900) FROM n",
               true);
        /* Sizes around those at which values overflow. */
        counts("PRAGMA page_size=1024; CREATE TABLE t(a); " NUMBERS("1500") "INSERT INTO t SELECT zeroblob(i*2) FROM n",
               true);
        counts("PRAGMA page_size=1024; CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID; " NUMBERS(
                       "800") "INSERT INTO t SELECT printf('%05d%.*c', i, i*3, 'x') FROM n",
               true);
        counts("PRAGMA auto_vacuum=1; CREATE TABLE t(a); " NUMBERS("2000") "INSERT INTO t SELECT zeroblob(i) FROM n",
               true);
}

Test(sqlite_describe, good_estimates)
{
        if (!sqlite3_compileoption_used("ENABLE_DBSTAT_VTAB"))
                cr_skip_test("SQLite has nothing to compare with");
        counts("PRAGMA page_size=512; CREATE TABLE t(a); " NUMBERS(
                       "60000") "INSERT INTO t SELECT zeroblob(i%40) FROM n",
               false);
        counts("PRAGMA page_size=512; CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID; " NUMBERS(
                       "40000") "INSERT INTO t SELECT i, zeroblob(i%40) FROM n",
               false);
        /* Two digits of it. */
        describes("PRAGMA page_size=512; CREATE TABLE t(a); " NUMBERS("61234") "INSERT INTO t SELECT 1234567 FROM n;"
                                                                               "CREATE TABLE u(x)",
                  "u", "u 512 #0 | 0 rows\n");
}

/* However large a table is, some hundreds of pages tell how large. */
Test(sqlite_describe, good_little_is_read)
{
        struct bytes b = make("PRAGMA page_size=512; CREATE TABLE t(a); " NUMBERS(
                "100000") "INSERT INTO t SELECT zeroblob(100) FROM n");
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n) };
        struct lsr_sqlite_extent extent = {};
        struct lsr_sqlite s;

        cr_assert_eq(lsr_sqlite_open(&s, &scan, false), 0);
        cr_assert(lsr_sqlite_measure(&s, 2, &extent));
        cr_expect(!extent.exact);
        cr_expect_leq(extent.looked, 2000, "%llu of %zu pages", (unsigned long long)extent.looked, b.n / 512);
        lsr_sqlite_close(&s);
        lsr_input_free(scan.input);
        free(b.data);
}

/* A log has other pages than the file: SQLite counts, and sizes are not known. */
Test(sqlite_describe, good_log)
{
        char dir[] = "/tmp/lsr-test-XXXXXX", path[64], wal_path[64];
        struct bytes b = {}, wal = {};
        struct result result;
        sqlite3 *db;

        cr_assert_not_null(mkdtemp(dir));
        snprintf(path, sizeof(path), "%s/db", dir);
        snprintf(wal_path, sizeof(wal_path), "%s/db-wal", dir);
        cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
        run(db, "PRAGMA journal_mode=wal; CREATE TABLE t(a); INSERT INTO t VALUES(1); PRAGMA wal_checkpoint(truncate);"
                "INSERT INTO t VALUES(2),(3)");
        for (unsigned i = 0; i < 2; i++) {
                struct bytes *to = i ? &wal : &b;
                FILE *f = fopen(i ? wal_path : path, "r");

                cr_assert_not_null(f);
                to->data = lsr_xmalloc(1 << 20);
                to->n = fread(to->data, 1, 1 << 20, f);
                fclose(f);
        }
        sqlite3_close(db);
        unlink(path);
        rmdir(dir);
        result = describe(&b, &wal, "");
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_str_eq(result.text.buf, "t #3 | 3 rows\n");
        free_result(&result);
        free(b.data);
        free(wal.data);
}

/* Any byte of any page: it ends, and a table whose pages say nonsense has no numbers. */
Test(sqlite_describe, hostile_pages)
{
        struct bytes b = make("PRAGMA page_size=512; CREATE TABLE t(a PRIMARY KEY, b);" NUMBERS(
                "300") "INSERT INTO t SELECT i, zeroblob(i*3) FROM n");
        uint64_t state = 7;

        for (unsigned round = 0; round < 2000; round++) {
                struct bytes copy = { lsr_xmalloc(b.n), b.n };
                struct lsr_scan scan = { .input = lsr_input_memory(copy.data, copy.n) };
                struct lsr_sqlite_extent extent = {};
                struct lsr_sqlite s;

                memcpy(copy.data, b.data, b.n);
                for (unsigned i = 0; i < 8; i++)
                        copy.data[512 + fuzz_random(&state) % (b.n - 512)] = (uint8_t)fuzz_random(&state);
                cr_assert_eq(lsr_sqlite_open(&s, &scan, false), 0);
                for (uint32_t root = 2; root < 5; root++)
                        if (lsr_sqlite_measure(&s, root, &extent))
                                cr_assert_leq(s.looked, 2 * b.n / 512 + 1);
                lsr_sqlite_close(&s);
                lsr_input_free(scan.input);
                free(copy.data);
        }
        /* An interior page that is its own child. */
        memset(b.data + 512, 0, 512);
        b.data[512] = 5;
        b.data[512 + 11] = 2;
        {
                struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n) };
                struct lsr_sqlite_extent extent = {};
                struct lsr_sqlite s;

                cr_assert_eq(lsr_sqlite_open(&s, &scan, false), 0);
                cr_expect_not(lsr_sqlite_measure(&s, 2, &extent));
                lsr_sqlite_close(&s);
                lsr_input_free(scan.input);
        }
        free(b.data);
}

/* A cell whose content would fill more pages than there are: the number of its bytes is all ones. */
Test(sqlite_describe, hostile_overflow)
{
        struct bytes b =
                make("PRAGMA page_size=512; CREATE TABLE t(a); INSERT INTO t VALUES('some text, and more of it')");
        uint8_t *page = b.data + 512;
        struct lsr_sqlite_extent extent = {};
        struct lsr_scan scan;
        struct lsr_sqlite s;

        cr_assert_eq(page[0], 13);
        memset(page + (page[8] << 8 | page[9]), 0xff, 9);
        scan = (struct lsr_scan){ .input = lsr_input_memory(b.data, b.n) };
        cr_assert_eq(lsr_sqlite_open(&s, &scan, false), 0);
        cr_expect_not(lsr_sqlite_measure(&s, 2, &extent), "%llu bytes", (unsigned long long)extent.bytes);
        lsr_sqlite_close(&s);
        lsr_input_free(scan.input);
        free(b.data);
}

/* --- content --------------------------------------------------------------------- */

Test(sqlite_describe, good_tables_as_lines)
{
        static const char sql[] =
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX i ON t(a,b,id);"
                "INSERT INTO t VALUES(10,1,NULL),(-2,'x',x'00ff'),(3,0.5,'ü');"
                "CREATE TABLE k(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID; INSERT INTO k VALUES(1,2),(2,1);"
                "CREATE VIEW v AS SELECT a FROM k; CREATE TABLE none(x)";

        reads(sql, "t",
              "{\"id\":-2,\"a\":\"x\",\"b_b64\":\"AP8=\"}\n{\"id\":3,\"a\":0.5,\"b\":\"ü\"}\n"
              "{\"id\":10,\"a\":1,\"b\":null}\n");
        reads(sql, "k", "{\"a\":2,\"b\":1}\n{\"a\":1,\"b\":2}\n");
        reads(sql, "v", "{\"a\":2}\n{\"a\":1}\n");
        reads(sql, "none", "");
        reads(sql, "t/.schema.sql", "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);\nCREATE INDEX i ON t(a,b,id);\n");
        reads(sql, "v/.schema.sql", "CREATE VIEW v AS SELECT a FROM k;\n");
}

/* The statements of what is called alike in other letters are those of the table. */
Test(sqlite_describe, good_statements_of_triggers)
{
        reads("CREATE TABLE Tab(a); CREATE TABLE other(a);"
              "CREATE TRIGGER tr AFTER INSERT ON tAB BEGIN DELETE FROM other; END; CREATE INDEX ix ON TAB(a)",
              "Tab/.schema.sql",
              "CREATE TABLE Tab(a);\nCREATE TRIGGER tr AFTER INSERT ON tAB BEGIN DELETE FROM other; END;\n"
              "CREATE INDEX ix ON TAB(a);\n");
}
