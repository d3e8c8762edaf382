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

/* --- any other database --------------------------------------------------------- */

/* Nothing is read but what was asked for. */
Test(sqlite, good_tables)
{
        lists(GOOD_TABLES, "", 1, ".schema.sql 444\nempty/ 555 unread\nusers/ 555 unread\nv/ 555 unread\n");
        lists(GOOD_TABLES, "", 2,
              ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\nempty/.schema.sql 444\n"
              "users/-7/ 555\nusers/.schema.sql 444\nusers/3/ 555\n"
              "v/.schema.sql 444\nv/1/ 555\nv/2/ 555\n");
        lists(GOOD_TABLES, "", 0,
              ".schema.sql 444\nempty/ 555\nusers/ 555\nv/ 555\nempty/.schema.sql 444\n"
              "users/-7/ 555\nusers/.schema.sql 444\nusers/3/ 555\nv/.schema.sql 444\nv/1/ 555\nv/2/ 555\n"
              "users/-7/id 444 2\nusers/-7/name 444 0\nusers/-7/photo%2Fx 444\nusers/-7/w 444 5\n"
              "users/3/id 444 1\nusers/3/name 444 4\nusers/3/photo%2Fx 444 5\nusers/3/w 444 3\n"
              "v/1/length(name) 444 1\nv/1/n 444 0\nv/1/n:1 444 0\n"
              "v/2/length(name) 444 1\nv/2/n 444 4\nv/2/n:1 444 4\n");
        lists(GOOD_TABLES, "users", 1,
              ".schema.sql 444\nempty/ 555 unread\nusers/ 555\nv/ 555 unread\n"
              "users/-7/ 555\nusers/.schema.sql 444\nusers/3/ 555\n");
        lists(GOOD_TABLES, "users", 0, ".schema.sql 444\nempty/ 555 unread\nusers/ 555 unread\nv/ 555 unread\n");
        lists(GOOD_TABLES, "users/3", 1,
              ".schema.sql 444\nempty/ 555 unread\nusers/ 555 unread\nv/ 555 unread\nusers/3/ 555\n"
              "users/3/id 444 1\nusers/3/name 444 4\nusers/3/photo%2Fx 444 5\nusers/3/w 444 3\n");
        /* The short name of the statements. */
        lists(GOOD_TABLES, "users/.schema", 0,
              ".schema.sql 444\nempty/ 555 unread\nusers/ 555 unread\nv/ 555 unread\nusers/.schema.sql 444\n");
        lists(GOOD_TABLES, "users/03", 1, ".schema.sql 444\nempty/ 555 unread\nusers/ 555 unread\nv/ 555 unread\n");
}

Test(sqlite, good_keys)
{
        lists("CREATE TABLE t(k TEXT PRIMARY KEY, v);"
              "INSERT INTO t VALUES('a/b%',1),('..',2),('',3),(NULL,4),('a'||char(0)||'b',5),(x'6162',6),('5',7),"
              "(printf('%.300c','x'),8),('a,b',9),('.schema.sql',10),('.schema',11)",
              "t", 1,
              ".schema.sql 444\nt/ 555\nt/%/ 555\nt/%2E./ 555\nt/%2Eschema/ 555\nt/%2Eschema.sql/ 555\nt/%row-4/ 555\n"
              "t/%row-8/ 555\nt/%x6162/ 555\nt/.schema.sql 444\nt/5/ 555\nt/a%00b/ 555\n"
              "t/a%2Fb%25/ 555\nt/a,b/ 555\n");
        lists("CREATE TABLE t(a, b INT, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
              "INSERT INTO t VALUES('x,y',1,NULL),('1',1,NULL),(1,1,x'00'),(1.5,-2,'')",
              "", 0,
              ".schema.sql 444\nt/ 555\nt/-2,1.5/ 555\nt/.schema.sql 444\nt/1,%31/ 555\nt/1,1/ 555\nt/1,x%2Cy/ 555\n"
              "t/-2,1.5/a 444 3\nt/-2,1.5/b 444 2\nt/-2,1.5/c 444 0\n"
              "t/1,%31/a 444 1\nt/1,%31/b 444 1\nt/1,%31/c 444\n"
              "t/1,1/a 444 1\nt/1,1/b 444 1\nt/1,1/c 444 1\n"
              "t/1,x%2Cy/a 444 3\nt/1,x%2Cy/b 444 1\nt/1,x%2Cy/c 444\n");
        lists("CREATE TABLE t(a, b INT, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
              "INSERT INTO t VALUES('x,y',1,NULL),('1',1,NULL)",
              "t/1,x%2Cy", 1,
              ".schema.sql 444\nt/ 555 unread\nt/1,x%2Cy/ 555\n"
              "t/1,x%2Cy/a 444 3\nt/1,x%2Cy/b 444 1\nt/1,x%2Cy/c 444\n");
}

Test(sqlite, good_odd_names)
{
        lists("CREATE TABLE \"a/\"\"b%\"(\"\" INT, \".\" INT, rowid INT, oid TEXT, g AS (oid||'!'), s AS (1) STORED);"
              "INSERT INTO \"a/\"\"b%\" VALUES(1,2,33,'x');"
              "CREATE TABLE \".schema.sql\"(x)",
              "", 0,
              "%2Eschema.sql/ 555\n.schema.sql 444\na%2F\"b%25/ 555\n%2Eschema.sql/.schema.sql 444\n"
              "a%2F\"b%25/.schema.sql 444\na%2F\"b%25/1/ 555\n"
              "a%2F\"b%25/1/% 444 1\na%2F\"b%25/1/%2E 444 1\na%2F\"b%25/1/g 444 2\na%2F\"b%25/1/oid 444 1\n"
              "a%2F\"b%25/1/rowid 444 2\na%2F\"b%25/1/s 444 1\n");
}

/* A user learns that others exist, and finds what they hold in the tables that they keep it in. */
Test(sqlite, good_virtual_tables)
{
        struct bytes b;
        struct result result;

        if (!sqlite3_compileoption_used("ENABLE_FTS5") || !sqlite3_compileoption_used("ENABLE_RTREE"))
                cr_skip_test("SQLite has neither");
        b = make("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('word');"
                 "CREATE VIRTUAL TABLE r USING rtree(id,x0,x1); CREATE TABLE r_notes(x)");
        result = scan(&b, "", 1);
        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_str_eq(strchr(result.text.buf, '\n'),
                         "\nf/ 555 unread\nf_config/ 555 unread\nf_content/ 555 unread\nf_data/ 555 unread\n"
                         "f_docsize/ 555 unread\nf_idx/ 555 unread\nr/ 555 unread\nr_node/ 555 unread\n"
                         "r_notes/ 555 unread\nr_parent/ 555 unread\nr_rowid/ 555 unread\n");
        free_result(&result);
        result = scan(&b, "r", 1);
        cr_expect_eq(result.r, 0);
        cr_expect_eq(result.error, 0);
        cr_expect_not_null(strstr(result.troubles.buf, "r is a virtual table"), "%s", result.troubles.buf);
        free_result(&result);
        free(b.data);
        reads("CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('word')", "f_content/1/c0", "word");
}

/* Listing @path to @depth has the lines @has; the troubles begin with @troubles, "": there are none. */
static void search(const char *sql, const char *path, unsigned depth, const char *has, const char *troubles)
{
        struct bytes b = make(sql);
        struct result result = scan(&b, path, depth);

        cr_expect_eq(result.r, 0);
        cr_expect(*troubles ? strncmp(result.troubles.buf, troubles, strlen(troubles)) == 0 : !*result.troubles.buf,
                  "%s", result.troubles.buf);
        cr_expect_not_null(strstr(result.text.buf, has), "%s", result.text.buf);
        free_result(&result);
        free(b.data);
}

/* As SELECT * has them: without the columns that are there to search by. */
Test(sqlite, good_text_search)
{
        const char *const own = "CREATE VIRTUAL TABLE f USING FTS5(title, body UNINDEXED, tokenize='porter ascii');"
                                "INSERT INTO f(rowid,title,body) VALUES(3,'one','two words'),(-1,NULL,x'00ff')";
        const char *const other = "CREATE TABLE t(a,b,c); INSERT INTO t VALUES(1,'x','yy');"
                                  "CREATE VIRTUAL TABLE f USING fts5(b, c, content='t')";

        if (!sqlite3_compileoption_used("ENABLE_FTS5"))
                cr_skip_test("SQLite has none");
        search(own, "f", 2,
               "\nf/-1/ 555\nf/.schema.sql 444\nf/3/ 555\nf/-1/body 444 2\nf/-1/title 444\n"
               "f/3/body 444 9\nf/3/title 444 3\n",
               "");
        search(own, "f/3", 1, "\nf/3/ 555\nf/3/body 444 9\nf/3/title 444 3\n", "");
        reads(own, "f/3/body", "two words");
        reads(own, "f/3", "{\"title\":\"one\",\"body\":\"two words\"}\n");
        reads(own, "f", "{\"title\":null,\"body_b64\":\"AP8=\"}\n{\"title\":\"one\",\"body\":\"two words\"}\n");
        search(other, "f", 2, "\nf/1/b 444 1\nf/1/c 444 2\n", "");
        search("CREATE VIRTUAL TABLE f USING fts5(a, content=''); INSERT INTO f(rowid,a) VALUES(5,'gone')", "f", 2,
               "\nf/5/ 555\nf/5/a 444\n", "");
}

/* The connection of fts3 and fts4 asks for the size of pages, and does without. */
Test(sqlite, good_text_search_of_old)
{
        if (!sqlite3_compileoption_used("ENABLE_FTS3"))
                cr_skip_test("SQLite has none");
        search("CREATE VIRTUAL TABLE f USING fts4(a, b); INSERT INTO f VALUES('one','two')", "f", 2,
               "\nf/1/a 444 3\nf/1/b 444 3\n", "");
        search("CREATE VIRTUAL TABLE f USING fts3(a); INSERT INTO f VALUES('one')", "f", 2, "\nf/1/a 444 3\n", "");
}

/* What is wrong with one says nothing of the others, and what a schema names is not run. */
Test(sqlite, hostile_text_search)
{
        if (!sqlite3_compileoption_used("ENABLE_FTS5"))
                cr_skip_test("SQLite has none");
        search("CREATE TABLE gone(a); CREATE VIRTUAL TABLE f USING fts5(a, content='gone'); DROP TABLE gone;"
               "CREATE TABLE t(a); INSERT INTO t VALUES(1)",
               "", 0, "\nt/1/a 444 1\n", "f: no such table");
        search("CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES('word');"
               "CREATE VIEW v AS SELECT * FROM f WHERE f MATCH 'word'",
               "v", 2, "\nv/ 555\n", "v: ");
}

/* No code of other modules runs, not even for a view. */
Test(sqlite, hostile_virtual_table_in_a_view)
{
        struct bytes b;
        struct result result;

        if (!sqlite3_compileoption_used("ENABLE_RTREE"))
                cr_skip_test("SQLite has none");
        b = make("CREATE VIRTUAL TABLE r USING rtree(id,x0,x1); INSERT INTO r VALUES(1,0,1);"
                 "CREATE VIEW v AS SELECT * FROM r");
        result = scan(&b, "v", 2);
        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "v: no such module: rtree\n");
        cr_expect_not_null(strstr(result.text.buf, "\nv/ 555\n"));
        cr_expect_null(strstr(result.text.buf, "v/1"));
        free_result(&result);
        free(b.data);
}

Test(sqlite, good_view_with_json)
{
        lists("CREATE VIEW v AS SELECT value FROM json_each('[1,22]')", "v", 2,
              ".schema.sql 444\nv/ 555\nv/.schema.sql 444\nv/1/ 555\nv/2/ 555\nv/1/value 444 1\nv/2/value 444 2\n");
}

Test(sqlite, good_utf16)
{
        lists("PRAGMA encoding='UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES('Zoë')", "", 0,
              ".schema.sql 444\nt/ 555\nt/.schema.sql 444\nt/1/ 555\nt/1/a 444 4\n");
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

/* The name of a column that is not UTF-8 is no reason for JSON that is none. */
Test(sqlite, good_row_of_a_column_without_utf8)
{
        reads("CREATE TABLE t(a INTEGER PRIMARY KEY, \"b\xff\" INT); INSERT INTO t VALUES(1, 2)", "t/1",
              "{\"a\":1,\"b\xef\xbf\xbd\":2}\n");
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
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n), .builder = lsr_builder_new() };
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
        /* And the statements of five tables and views. */
        cr_expect_eq(files, 1 + 8 + 6 + 6 + 2 + 5);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, &lsr_format_sqlite);
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

        cr_assert_eq(lsr_sqlite_open(&first, &one, true), 0);
        cr_assert_eq(lsr_sqlite_open(&second, &two, true), 0);
        cr_expect_eq(sqlite3_hard_heap_limit64(-1), (int64_t)lsr_limit(LSR_LIMIT_SQL_MEMORY));
        lsr_sqlite_close(&first);
        cr_expect_eq(sqlite3_hard_heap_limit64(-1), (int64_t)lsr_limit(LSR_LIMIT_SQL_MEMORY));
        lsr_sqlite_close(&second);
        cr_expect_eq(sqlite3_hard_heap_limit64(-1), before);
        lsr_input_free(one.input);
        lsr_input_free(two.input);
        free(b.data);
}

/* --- what it costs ---------------------------------------------------------------- */

#define NUMBERS(most) "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<" most ") "

/* A member, by its position. */
struct placed {
        uint64_t position;
        uint32_t row;
};

static int compare_placed(const void *a, const void *b)
{
        const struct placed *x = a, *y = b;

        return (x->position > y->position) - (x->position < y->position);
}

/* All members of @sql, read by position, are as many steps as there are values, and not as many as pairs of them. */
static void steps_of_all(const char *sql, uint64_t members, uint64_t most)
{
        struct bytes b = make(sql);
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n), .builder = lsr_builder_new() };
        struct lsr_scan read = { .input = lsr_input_memory(b.data, b.n) };
        struct lsr_catalogue *c;
        struct lsr_sqlite s;
        struct placed *placed;
        struct lsr_out out;
        uint32_t n;

        lsr_out_init(&out, -1);
        cr_assert_eq(lsr_format_sqlite.scan(&scan), 0);
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        cr_assert_eq(lsr_sqlite_open(&s, &read, true), 0);
        n = lsr_catalogue_rows(c);
        placed = lsr_xmalloc(n * sizeof(*placed));
        for (uint32_t row = 0; row < n; row++) {
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                placed[row] = (struct placed){ m.position, row };
        }
        qsort(placed, n, sizeof(*placed), compare_placed);
        for (uint32_t i = 0; i < n; i++) {
                struct lsr_member m;
                char path[512];

                lsr_catalogue_get(c, placed[i].row, &m);
                m.path_len = lsr_catalogue_path(c, placed[i].row, path, sizeof(path));
                m.path = path;
                if (S_ISDIR(m.meta.mode))
                        continue;
                out.len = 0;
                cr_assert_eq(lsr_sqlite_tables_read(&s, &m, &(struct lsr_sink){ &out, take }), 0, "%s", path);
                cr_assert(!(m.meta.known & LSR_FIELD_SIZE) || out.len == m.meta.size, "%s: %zu", path, out.len);
                members--;
        }
        cr_expect_eq(members, 0);
        cr_expect_leq(s.steps, most, "%llu steps", (unsigned long long)s.steps);
        lsr_sqlite_close(&s);
        lsr_out_free(&out);
        free(placed);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        lsr_input_free(read.input);
        free(b.data);
}

Test(sqlite, good_steps_of_reading)
{
        steps_of_all("CREATE TABLE w(k INTEGER PRIMARY KEY, v) WITHOUT ROWID;" NUMBERS(
                             "3000") "INSERT INTO w SELECT i, 'v'||i FROM n",
                     6002, 400000);
        steps_of_all("CREATE VIEW sqlar AS " NUMBERS("3000") "SELECT i AS a, i*2 AS b FROM n", 6002, 400000);
        steps_of_all("CREATE TABLE t(a, b);" NUMBERS("3000") "INSERT INTO t SELECT i, 'v'||i FROM n", 6002, 400000);
}

/* Which index answers a question depends on the columns in it: a value must come out of the row that was listed. */
Test(sqlite, good_rows_of_a_view_keep_their_order)
{
        static const char sql[] = "CREATE TABLE t(a, b); CREATE INDEX i ON t(b);"
                                  "INSERT INTO t VALUES('first', 3), ('second', 2), ('third', 1);"
                                  "CREATE VIEW v AS SELECT a, b FROM t";

        reads(sql, "v/1/a", "first");
        reads(sql, "v/1/b", "3");
        reads(sql, "v/3/b", "1");
}

/* Views share what a scan may take, and tables come before them. */
Test(sqlite, hostile_many_views)
{
        struct lsr_out sql;
        struct lsr_sqlite s;
        struct bytes b;
        struct result result = new_result();
        struct lsr_scan scan = { .builder = lsr_builder_new(), .ctx = &result, .trouble = trouble };

        lsr_out_init(&sql, -1);
        for (int i = 0; i < 10; i++)
                lsr_out_printf(&sql,
                               "CREATE VIEW v%d AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
                               "SELECT count(*) FROM n;",
                               i);
        lsr_out_puts(&sql, "CREATE TABLE t(a); INSERT INTO t VALUES(1);");
        lsr_out_putc(&sql, '\0');
        b = make(sql.buf);
        scan.input = lsr_input_memory(b.data, b.n);
        cr_assert_eq(lsr_sqlite_open(&s, &scan, true), 0);
        cr_expect_eq(lsr_sqlite_tables_scan(&s, NULL), 0);
        cr_expect_leq(s.steps, s.steps_max + 11000, "%llu steps", (unsigned long long)s.steps);
        cr_expect_eq(result.error, -E2BIG);
        end_result(&result);
        cr_expect_not_null(
                strstr(result.troubles.buf, "\n9 more of its views are not read (--limit=sql-steps=... raises it)\n"));
        /* Each table and view with its statements, the row of the table, and its value. */
        cr_expect_eq(lsr_builder_count(scan.builder), 1 + 2 * 11 + 2);
        lsr_sqlite_close(&s);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        free_result(&result);
        lsr_out_free(&sql);
        free(b.data);
}

/* --- many columns ------------------------------------------------------------------ */

/* As many as SQLite allows in a table are as many as it allows in a result. */
Test(sqlite, good_many_columns)
{
        static const char *const kinds[] = { "", "WITHOUT ROWID" };

        for (unsigned kind = 0; kind < 2; kind++) {
                struct lsr_out sql;
                struct bytes b;
                struct result result;

                lsr_out_init(&sql, -1);
                lsr_out_puts(&sql, "CREATE TABLE t(c0 PRIMARY KEY");
                for (int i = 1; i < 2000; i++)
                        lsr_out_printf(&sql, ",c%d DEFAULT 'value %d'", i, i);
                lsr_out_printf(&sql, ") %s; INSERT INTO t(c0) VALUES('a'),('b'); CREATE VIEW v AS SELECT * FROM t",
                               kinds[kind]);
                lsr_out_putc(&sql, '\0');
                b = make(sql.buf);
                result = scan(&b, "", 0);
                cr_expect_eq(result.r, 0);
                cr_expect_str_eq(result.troubles.buf, "");
                cr_expect_not_null(strstr(result.text.buf, kind ? "\nt/a/c1999 444 10\n" : "\nt/1/c1999 444 10\n"));
                cr_expect_not_null(strstr(result.text.buf, "\nv/2/c1999 444 10\n"));
                free_result(&result);
                free(b.data);
                reads(sql.buf, "v/2/c1234", "value 1234");
                reads(sql.buf, kind ? "t/b/c0" : "t/2/c0", "b");
                lsr_out_free(&sql);
        }
}
