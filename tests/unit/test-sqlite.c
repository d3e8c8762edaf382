/* Databases through the driver: archives, tables, and what is read of both. */
#include "sqlite-maker.h"

Test(sqlite, probe)
{
        struct bytes b = make(SQLAR);

        cr_expect(lsr_format_sqlite.probe(&(struct lsr_probe){ .head = b.data, .head_len = b.n }));
        cr_expect_not(lsr_format_sqlite.probe(&(struct lsr_probe){ .head = b.data, .head_len = 99 }));
        b.data[15] = ' ';
        cr_expect_not(lsr_format_sqlite.probe(&(struct lsr_probe){ .head = b.data, .head_len = b.n }));
        free(b.data);
}

Test(sqlite, good_sqlar)
{
        lists(GOOD_SQLAR, "", 0,
              "d/ 755 @1500000000 0\n"
              "d.x 644 @1 1 1 store\n"
              "d0/\n"
              "link 777 @1500000002 8 8 -> d/stored\n"
              "odd 1\n"
              "plain 644 @1 2 2 store\n"
              "unknown\n"
              "wrong 644 @1 2 3 suspect\n"
              "d/deflated 644 @-1 1000 40 deflate\n"
              "d/empty 600 @0 0 0 store\n"
              "d/stored 644 @1500000001 3 3 store\n"
              "d0/x 644 @1 1 1 store\n");
}

Test(sqlite, good_sqlar_prefix)
{
        lists(GOOD_SQLAR, "d", 1,
              "d/ 755 @1500000000 0\n"
              "d/deflated 644 @-1 1000 40 deflate\n"
              "d/empty 600 @0 0 0 store\n"
              "d/stored 644 @1500000001 3 3 store\n");
        lists(GOOD_SQLAR, "nothing", 1, "");
        /* Other spellings of the same directory. */
        lists(SQLAR "INSERT INTO sqlar VALUES('/a/1',33188,1,0,x''),('./a/2',33188,1,0,x''),('x/../a/3',33188,1,0,x''),"
                    "('a//4',33188,1,0,x''),('a',16877,1,0,NULL)",
              "a", 1,
              "a/ 755 @1 0\n"
              "a/1 644 @1 0 0 store\n"
              "a/2 644 @1 0 0 store\n"
              "a/3 644 @1 0 0 store\n"
              "a/4 644 @1 0 0 store\n");
}

/* --- any other database --------------------------------------------------------- */

Test(sqlite, good_tables)
{
        lists(GOOD_TABLES, "", 1, ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\n");
        lists(GOOD_TABLES, "", 2,
              ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\nusers/-7/ 555\nusers/3/ 555\nv/1/ 555\nv/2/ 555\n");
        lists(GOOD_TABLES, "", 0,
              ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\nusers/-7/ 555\nusers/3/ 555\nv/1/ 555\nv/2/ 555\n"
              "users/-7/id 444 2\nusers/-7/name 444 0\nusers/-7/photo%2Fx 444\nusers/-7/w 444 5\n"
              "users/3/id 444 1\nusers/3/name 444 4\nusers/3/photo%2Fx 444 5\nusers/3/w 444 3\n"
              "v/1/length(name) 444 1\nv/1/n 444 0\nv/1/n:1 444 0\n"
              "v/2/length(name) 444 1\nv/2/n 444 4\nv/2/n:1 444 4\n");
        lists(GOOD_TABLES, "users", 1,
              ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\nusers/-7/ 555\nusers/3/ 555\n");
        lists(GOOD_TABLES, "users/3", 1,
              ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\nusers/3/ 555\n"
              "users/3/id 444 1\nusers/3/name 444 4\nusers/3/photo%2Fx 444 5\nusers/3/w 444 3\n");
        lists(GOOD_TABLES, "users/03", 0, ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\n");
}

Test(sqlite, good_keys)
{
        lists("CREATE TABLE t(k TEXT PRIMARY KEY, v);"
              "INSERT INTO t VALUES('a/b%',1),('..',2),('',3),(NULL,4),('a'||char(0)||'b',5),(x'6162',6),('5',7),"
              "(printf('%.300c','x'),8),('a,b',9)",
              "", 2,
              ".schema.sql 444\nt/ 555\nt/%/ 555\nt/%2E./ 555\nt/%row-4/ 555\nt/%row-8/ 555\nt/%x6162/ 555\n"
              "t/5/ 555\nt/a%00b/ 555\nt/a%2Fb%25/ 555\nt/a,b/ 555\n");
        lists("CREATE TABLE t(a, b INT, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
              "INSERT INTO t VALUES('x,y',1,NULL),('1',1,NULL),(1,1,x'00'),(1.5,-2,'')",
              "", 0,
              ".schema.sql 444\nt/ 555\nt/-2,1.5/ 555\nt/1,%31/ 555\nt/1,1/ 555\nt/1,x%2Cy/ 555\n"
              "t/-2,1.5/a 444 3\nt/-2,1.5/b 444 2\nt/-2,1.5/c 444 0\n"
              "t/1,%31/a 444 1\nt/1,%31/b 444 1\nt/1,%31/c 444\n"
              "t/1,1/a 444 1\nt/1,1/b 444 1\nt/1,1/c 444 1\n"
              "t/1,x%2Cy/a 444 3\nt/1,x%2Cy/b 444 1\nt/1,x%2Cy/c 444\n");
        lists("CREATE TABLE t(a, b INT, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
              "INSERT INTO t VALUES('x,y',1,NULL),('1',1,NULL)",
              "t/1,x%2Cy", 1,
              ".schema.sql 444\nt/ 555\nt/1,x%2Cy/ 555\n"
              "t/1,x%2Cy/a 444 3\nt/1,x%2Cy/b 444 1\nt/1,x%2Cy/c 444\n");
}

Test(sqlite, good_odd_names)
{
        lists("CREATE TABLE \"a/\"\"b%\"(\"\" INT, \".\" INT, rowid INT, oid TEXT, g AS (oid||'!'), s AS (1) STORED);"
              "INSERT INTO \"a/\"\"b%\" VALUES(1,2,33,'x');"
              "CREATE TABLE \".schema.sql\"(x)",
              "", 0,
              "%2Eschema.sql/ 555\n.schema.sql 444\na%2F\"b%25/ 555\na%2F\"b%25/1/ 555\n"
              "a%2F\"b%25/1/% 444 1\na%2F\"b%25/1/%2E 444 1\na%2F\"b%25/1/g 444 2\na%2F\"b%25/1/oid 444 1\n"
              "a%2F\"b%25/1/rowid 444 2\na%2F\"b%25/1/s 444 1\n");
}

Test(sqlite, good_virtual_tables_are_left_out)
{
        struct bytes b;
        struct result result;

        if (!sqlite3_compileoption_used("ENABLE_FTS5") || !sqlite3_compileoption_used("ENABLE_RTREE"))
                cr_skip_test("SQLite has neither");
        b = make(
                "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('word');"
                "CREATE VIRTUAL TABLE r USING rtree(id,x0,x1);"
                "CREATE TABLE f_notes(x); CREATE TABLE g_data(x); CREATE TABLE a(x INTEGER PRIMARY KEY AUTOINCREMENT)");
        result = scan(&b, "", 1);
        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_str_eq(strchr(result.text.buf, '\n'), "\na/ 555\nf_notes/ 555\ng_data/ 555\n");
        free_result(&result);
        free(b.data);
}

/* No code of a module runs, not even for a view. */
Test(sqlite, hostile_virtual_table_in_a_view)
{
        struct bytes b;
        struct result result;

        if (!sqlite3_compileoption_used("ENABLE_FTS5"))
                cr_skip_test("SQLite has none");
        b = make(
                "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('word'); CREATE VIEW v AS SELECT * FROM f");
        result = scan(&b, "", 0);
        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "v: no such module: fts5\n");
        cr_expect_str_eq(result.text.buf, ".schema.sql 444\nv/ 555\n");
        free_result(&result);
        free(b.data);
}

Test(sqlite, good_view_with_json)
{
        lists("CREATE VIEW v AS SELECT value FROM json_each('[1,22]')", "v", 0,
              ".schema.sql 444\nv/ 555\nv/1/ 555\nv/2/ 555\nv/1/value 444 1\nv/2/value 444 2\n");
}

Test(sqlite, good_utf16)
{
        lists("PRAGMA encoding='UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES('Zoë')", "", 0,
              ".schema.sql 444\nt/ 555\nt/1/ 555\nt/1/a 444 4\n");
}

/* --- reading -------------------------------------------------------------------- */

Test(sqlite, good_read_values)
{
        reads(GOOD_TABLES, "users/3/name", "Zoë");
        reads_bytes(GOOD_TABLES, "users/3/photo%2Fx", "\0\1\2\3\4", 5);
        reads(GOOD_TABLES, "users/3/w", "1.5");
        reads(GOOD_TABLES, "users/-7/id", "-7");
        reads(GOOD_TABLES, "users/-7/photo%2Fx", "");
        reads(GOOD_TABLES, "v/2/n:1", "Zoë");
        reads(GOOD_TABLES, "users/3", "{\"id\":3,\"name\":\"Zoë\",\"photo/x_b64\":\"AAECAwQ=\",\"w\":1.5}\n");
        reads(GOOD_TABLES, "users/-7", "{\"id\":-7,\"name\":\"\",\"photo/x\":null,\"w\":-20.0}\n");
        reads("CREATE TABLE t(a,b); CREATE VIEW v AS SELECT 1", ".schema.sql",
              "CREATE TABLE t(a,b);\nCREATE VIEW v AS SELECT 1;\n");
        reads("CREATE TABLE t(a,b,PRIMARY KEY(a)) WITHOUT ROWID; INSERT INTO t VALUES(2,'two'),(1,'one'),(3,'three')",
              "t/2/b", "two");
        reads("CREATE TABLE t(a PRIMARY KEY,b) WITHOUT ROWID; CREATE INDEX i ON t(b);"
              "INSERT INTO t VALUES(1,'one'),(2,'five'),(3,'three')",
              "t/1/b", "one");
        reads("CREATE TABLE t(a,g AS (a||'!')); INSERT INTO t VALUES('x')", "t/1/g", "x!");
        reads("PRAGMA encoding='UTF-16be'; CREATE TABLE t(a); INSERT INTO t VALUES('Zoë')", "t/1/a", "Zoë");
        reads("CREATE TABLE t(a,b,c,d); INSERT INTO t VALUES(9e999,-9e999,CAST(x'61ff' AS TEXT),'\"\\'||char(9))",
              "t/1", "{\"a\":1e999,\"b\":-1e999,\"c_b64\":\"Yf8=\",\"d\":\"\\\"\\\\\\u0009\"}\n");
}

Test(sqlite, good_read_long_values)
{
        struct bytes b = make("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(700000))");
        struct result result = read_path(&b, "t/1/a");

        cr_expect_eq(result.r, 0);
        cr_expect_eq(result.text.len, 700001);
        free_result(&result);
        free(b.data);
}

/* Every size that a listing shows is that of the content. */
Test(sqlite, good_sizes)
{
        struct bytes b = make(GOOD_TABLES
                              "CREATE TABLE w(a, b, PRIMARY KEY(a)) WITHOUT ROWID;"
                              "INSERT INTO w VALUES('x',zeroblob(5)),(1.5,'Zoë'),(x'00',1e100);"
                              "CREATE TABLE k(n TEXT PRIMARY KEY, g AS (n||n)); INSERT INTO k VALUES('ab')");
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n), .builder = lsr_builder_new(), .prefix = "" };
        struct lsr_catalogue *c;
        unsigned files = 0;

        cr_assert_eq(lsr_format_sqlite.scan(&scan), 0);
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                struct result result;
                struct lsr_member m;
                char path[4096];

                lsr_catalogue_get(c, row, &m);
                if (S_ISDIR(m.meta.mode))
                        continue;
                m.path_len = lsr_catalogue_path(c, row, path, sizeof(path));
                m.path = path;
                result = read_member(&b, &m);
                cr_expect_eq(result.r, 0, "%s", path);
                if (m.meta.known & LSR_FIELD_SIZE)
                        cr_expect_eq(result.text.len - 1, m.meta.size, "%s", path);
                free_result(&result);
                files++;
        }
        cr_expect_eq(files, 1 + 8 + 6 + 6 + 2);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        free(b.data);
}

static void reads_archive(const char *values, int want, const char *text)
{
        char sql[1024];
        struct bytes b;
        struct result result;

        snprintf(sql, sizeof(sql), SQLAR "INSERT INTO sqlar VALUES('f',0x81a4,1,%s)", values);
        b = make(sql);
        result = read_path(&b, "f");
        cr_expect_eq(result.r, want, "%s: %d", values, result.r);
        if (want == 0)
                cr_expect_str_eq(result.text.buf, text);
        else
                cr_expect_eq(result.error, want);
        free_result(&result);
        free(b.data);
}

Test(sqlite, read_archives)
{
        /* Twenty times 'a'. */
        static const char deflated[] = "x'789c4b4cc404004fa60795'";
        char values[200];

        reads_archive("3,'abc'", 0, "abc");
        reads_archive("0,NULL", 0, "");
        snprintf(values, sizeof(values), "20,%s", deflated);
        reads_archive(values, 0, "aaaaaaaaaaaaaaaaaaaa");
        snprintf(values, sizeof(values), "21,%s", deflated);
        reads_archive(values, -EBADMSG, NULL);
        snprintf(values, sizeof(values), "19,%s", deflated);
        reads_archive(values, -EBADMSG, NULL);
        reads_archive("20,x'789c4b4cc404004fa60700'", -EBADMSG, NULL);
        reads_archive("2,'abc'", -EBADMSG, NULL);
        reads_archive("5,NULL", -EBADMSG, NULL);
        reads_archive("9000000000000,'abc'", -EBADMSG, NULL);
}

Test(sqlite, read_long_archive_member)
{
        static const char sql[] = SQLAR "INSERT INTO sqlar VALUES('f',0x81a4,1,%d,x'";
        size_t size = 20 << 20;
        uint8_t *data = lsr_xmalloc(size), *packed = lsr_xmalloc(size);
        unsigned long n = size;
        struct lsr_out text;

        for (size_t i = 0; i < size; i++)
                data[i] = (uint8_t)(i >> 10);
        cr_assert_eq(compress(packed, &n, data, size), 0);
        for (int more = -1; more <= 1; more++) {
                struct bytes b;
                struct result result;

                lsr_out_init(&text, -1);
                lsr_out_printf(&text, sql, (int)size + more);
                for (size_t i = 0; i < n; i++)
                        lsr_out_printf(&text, "%02x", packed[i]);
                lsr_out_put(&text, "')", 3);
                b = make(text.buf);
                result = read_path(&b, "f");
                cr_expect_eq(result.r, more ? -EBADMSG : 0);
                cr_expect_leq(result.text.len - 1, size + (size_t)more);
                if (!more)
                        cr_expect(result.text.len == size + 1 && memcmp(result.text.buf, data, size) == 0);
                free_result(&result);
                free(b.data);
                lsr_out_free(&text);
        }
        free(data);
        free(packed);
}

/* --- the limit of memory ---------------------------------------------------------- */

/* Threads that verify close their connections in any order. */
Test(sqlite, good_limit_of_memory_lasts_as_long_as_any_connection)
{
        struct bytes b = make("CREATE TABLE t(a)");
        struct lsr_scan one = { .input = lsr_input_memory(b.data, b.n) };
        struct lsr_scan two = { .input = lsr_input_memory(b.data, b.n) };
        struct lsr_sqlite first, second;
        int64_t before = sqlite3_hard_heap_limit64(-1);

        cr_assert_eq(lsr_sqlite_open(&first, &one), 0);
        cr_assert_eq(lsr_sqlite_open(&second, &two), 0);
        cr_expect_eq(sqlite3_hard_heap_limit64(-1), LSR_SQLITE_HEAP_MAX);
        lsr_sqlite_close(&first);
        cr_expect_eq(sqlite3_hard_heap_limit64(-1), LSR_SQLITE_HEAP_MAX);
        lsr_sqlite_close(&second);
        cr_expect_eq(sqlite3_hard_heap_limit64(-1), before);
        lsr_input_free(one.input);
        lsr_input_free(two.input);
        free(b.data);
}
