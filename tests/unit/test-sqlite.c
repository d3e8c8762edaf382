/* Databases, made here by SQLite itself and then given to the driver as bytes. */
#include <criterion/criterion.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/out.h"
#include "formats/drivers.h"
#include "formats/sqlite.h"

#define SQLAR "CREATE TABLE sqlar(name TEXT PRIMARY KEY,mode INT,mtime INT,sz INT,data BLOB);"

struct bytes {
        uint8_t *data;
        size_t n;
};

/* What a scan or a read gave. */
struct result {
        int r;
        int error; /* of the last trouble */
        struct lsr_out text;
        struct lsr_out troubles;
};

static void run(sqlite3 *db, const char *sql)
{
        char *message = NULL;

        sqlite3_exec(db, sql, NULL, NULL, &message);
        cr_assert_null(message, "%s", message);
}

static struct bytes make(const char *sql)
{
        struct bytes b;
        sqlite3_int64 n;
        sqlite3 *db;
        unsigned char *data;

        cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
        run(db, sql);
        data = sqlite3_serialize(db, "main", &n, 0);
        cr_assert_not_null(data);
        b.n = (size_t)n;
        b.data = lsr_xmalloc(b.n);
        memcpy(b.data, data, b.n);
        sqlite3_free(data);
        sqlite3_close(db);
        return b;
}

static void trouble(void *ctx, int error, const char *text)
{
        struct result *result = ctx;

        result->error = error;
        lsr_out_puts(&result->troubles, text);
        lsr_out_putc(&result->troubles, '\n');
}

static void show(struct result *result, const struct lsr_catalogue *c)
{
        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                struct lsr_member m;
                char path[4096];

                lsr_catalogue_get(c, row, &m);
                lsr_catalogue_path(c, row, path, sizeof(path));
                lsr_out_puts(&result->text, path);
                if (m.meta.known & LSR_FIELD_TYPE && S_ISDIR(m.meta.mode))
                        lsr_out_putc(&result->text, '/');
                if (m.meta.known & LSR_FIELD_MODE && !(m.flags & LSR_MEMBER_IMPLIED))
                        lsr_out_printf(&result->text, " %o", m.meta.mode & 07777);
                if (m.meta.known & LSR_FIELD_MTIME)
                        lsr_out_printf(&result->text, " @%lld", (long long)m.meta.sec[LSR_MTIME]);
                /* That of the schema is for good_sizes. */
                if (m.meta.known & LSR_FIELD_SIZE && strcmp(path, ".schema.sql") != 0)
                        lsr_out_printf(&result->text, " %llu", (unsigned long long)m.meta.size);
                if (m.packed != UINT64_MAX)
                        lsr_out_printf(&result->text, " %llu", (unsigned long long)m.packed);
                if (m.method)
                        lsr_out_printf(&result->text, " %s", m.method);
                if (m.target)
                        lsr_out_printf(&result->text, " -> %s", m.target);
                if (m.flags & LSR_MEMBER_SUSPECT)
                        lsr_out_puts(&result->text, " suspect");
                lsr_out_putc(&result->text, '\n');
        }
}

static struct result new_result(void)
{
        struct result result = {};

        lsr_out_init(&result.text, -1);
        lsr_out_init(&result.troubles, -1);
        return result;
}

static void end_result(struct result *result)
{
        lsr_out_putc(&result->text, '\0');
        lsr_out_putc(&result->troubles, '\0');
}

static void free_result(struct result *result)
{
        lsr_out_free(&result->text);
        lsr_out_free(&result->troubles);
}

/* @wal and @journal may be NULL. */
static struct result scan_beside(const struct bytes *b, const struct bytes *wal, const struct bytes *journal,
                                 const char *prefix, unsigned depth)
{
        struct result result = new_result();
        struct lsr_catalogue *c;
        struct lsr_scan scan = {
                .input = lsr_input_memory(b->data, b->n),
                .builder = lsr_builder_new(),
                .prefix = prefix,
                .depth = depth,
                .ctx = &result,
                .trouble = trouble,
        };

        if (wal)
                scan.companions[LSR_COMPANION_WAL] = lsr_input_memory(wal->data, wal->n);
        if (journal)
                scan.companions[LSR_COMPANION_JOURNAL] = lsr_input_memory(journal->data, journal->n);
        result.r = lsr_format_sqlite.scan(&scan);
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        show(&result, c);
        end_result(&result);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        for (unsigned i = 0; i < LSR_COMPANIONS; i++)
                lsr_input_free(scan.companions[i]);
        lsr_input_free(scan.input);
        return result;
}

static struct result scan(const struct bytes *b, const char *prefix, unsigned depth)
{
        return scan_beside(b, NULL, NULL, prefix, depth);
}

/* The listing of what @sql makes is @want. */
static void lists(const char *sql, const char *prefix, unsigned depth, const char *want)
{
        struct bytes b = make(sql);
        struct result result = scan(&b, prefix, depth);

        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_str_eq(result.text.buf, want, "prefix '%s', depth %u:\n%s\nand not\n%s", prefix, depth,
                         result.text.buf, want);
        free_result(&result);
        free(b.data);
}

Test(sqlite, probe)
{
        struct bytes b = make(SQLAR);

        cr_expect(lsr_format_sqlite.probe(&(struct lsr_probe){ .head = b.data, .head_len = b.n }));
        cr_expect_not(lsr_format_sqlite.probe(&(struct lsr_probe){ .head = b.data, .head_len = 99 }));
        b.data[15] = ' ';
        cr_expect_not(lsr_format_sqlite.probe(&(struct lsr_probe){ .head = b.data, .head_len = b.n }));
        free(b.data);
}

#define GOOD_SQLAR                                                      \
        SQLAR "INSERT INTO sqlar VALUES('d',0x41ed,1500000000,0,NULL)," \
              "('d/stored',0x81a4,1500000001,3,x'616263'),"             \
              "('d/deflated',0x81a4,-1,1000,zeroblob(40)),"             \
              "('d/empty',0x8180,0,0,x''),"                             \
              "('link',0xa1ff,1500000002,-1,'d/stored'),"               \
              "('plain',420,1,2,x'6162'),"                              \
              "('unknown',NULL,NULL,NULL,NULL),('odd','x',1.5,'',5),"   \
              "('wrong',0x81a4,1,2,x'616263'),"                         \
              "('d0/x',0x81a4,1,1,x'61'),('d.x',0x81a4,1,1,x'61');"

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

#define GOOD_TABLES                                                                      \
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, 'photo/x' BLOB, w REAL);" \
        "INSERT INTO users VALUES(3,'Zoë',x'0001020304',1.5),(-7,'',NULL,-20);"         \
        "CREATE INDEX by_name ON users(name);"                                           \
        "CREATE TABLE empty(a);"                                                         \
        "CREATE VIEW v AS SELECT name AS n, name AS n, length(name) FROM users;"

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

static int take(void *ctx, const void *data, size_t n)
{
        lsr_out_put(ctx, data, n);
        return 0;
}

static struct result read_member(const struct bytes *b, const struct lsr_member *m)
{
        struct result result = new_result();
        struct lsr_scan scan = {
                .input = lsr_input_memory(b->data, b->n),
                .prefix = "",
                .ctx = &result,
                .trouble = trouble,
        };

        result.r = lsr_format_sqlite.read(&scan, m, &(struct lsr_sink){ &result.text, take });
        lsr_input_free(scan.input);
        end_result(&result);
        return result;
}

/* Scan, find @path and read it. */
static struct result read_path(const struct bytes *b, const char *path)
{
        struct lsr_scan scan = { .input = lsr_input_memory(b->data, b->n), .builder = lsr_builder_new(), .prefix = "" };
        struct lsr_catalogue *c;
        struct lsr_member m;
        struct result result;
        int64_t row;

        cr_assert_eq(lsr_format_sqlite.scan(&scan), 0);
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        row = lsr_catalogue_find(c, 0, path, strlen(path));
        cr_assert_geq(row, 0, "%s", path);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        m.path = path;
        m.path_len = strlen(path);
        result = read_member(b, &m);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        return result;
}

static void reads_bytes(const char *sql, const char *path, const char *want, size_t n)
{
        struct bytes b = make(sql);
        struct result result = read_path(&b, path);

        cr_expect_eq(result.r, 0, "%s: %d", path, result.r);
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_eq(result.text.len - 1, n, "%s: %zu bytes", path, result.text.len - 1);
        cr_expect(result.text.len - 1 == n && memcmp(result.text.buf, want, n) == 0, "%s: %s", path, result.text.buf);
        free_result(&result);
        free(b.data);
}

static void reads(const char *sql, const char *path, const char *want)
{
        reads_bytes(sql, path, want, strlen(want));
}

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

static uint64_t fuzz_random(uint64_t *state)
{
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        return *state;
}

/* --- logs and journals ---------------------------------------------------------- */

static struct bytes load(const char *folder, const char *name)
{
        struct bytes b = {};
        char path[256];
        FILE *f;

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        f = fopen(path, "rb");
        cr_assert_not_null(f, "%s", path);
        b.data = lsr_xmalloc(1 << 22);
        b.n = fread(b.data, 1, 1 << 22, f);
        fclose(f);
        return b;
}

/* With damage to what lies beside it a database is listed in some way or refused. */
static void damage_beside(const struct bytes *b, const struct bytes *beside, bool wal)
{
        struct bytes bad = { lsr_xmalloc(beside->n), 0 };
        uint64_t state = 88172645463325252u;

        for (unsigned i = 0; i < 100; i++) {
                struct result result;

                memcpy(bad.data, beside->data, beside->n);
                bad.n = i % 4 ? beside->n : 1 + fuzz_random(&state) % beside->n;
                for (unsigned j = 0; j < 3; j++)
                        bad.data[fuzz_random(&state) % (j ? beside->n : 32)] = (uint8_t)fuzz_random(&state);
                result = scan_beside(b, wal ? &bad : NULL, wal ? NULL : &bad, "", 0);
                cr_expect(result.r == 0 || result.troubles.len > 1);
                free_result(&result);
        }
        free(bad.data);
}

static sqlite3 *begin(char *folder, const char *sql)
{
        char path[256];
        sqlite3 *db;

        cr_assert_not_null(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/db", folder);
        cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
        run(db, sql);
        return db;
}

static void end(const char *folder, sqlite3 *db)
{
        static const char *const names[] = { "db", "db-wal", "db-shm", "db-journal" };
        char path[256];

        sqlite3_close(db);
        for (size_t i = 0; i < 4; i++) {
                snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
                unlink(path);
        }
        rmdir(folder);
}

Test(sqlite, good_log)
{
        char folder[] = "/tmp/lsr-test-sqlite-XXXXXX";
        sqlite3 *db = begin(folder, "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE a(x);"
                                    "PRAGMA wal_checkpoint; CREATE TABLE b(x); INSERT INTO b VALUES(1)");
        struct bytes b = load(folder, "db"), wal = load(folder, "db-wal");
        struct result with = scan_beside(&b, &wal, NULL, "", 2), without = scan(&b, "", 2);

        cr_expect_eq(with.r, 0);
        cr_expect_str_eq(with.troubles.buf, "");
        cr_expect_str_eq(with.text.buf, ".schema.sql 444\na/ 555\nb/ 555\nb/1/ 555\n");
        /* The mode alone does not make SQLite look for a log. */
        cr_expect_eq(without.r, 0);
        cr_expect_str_eq(without.troubles.buf, "");
        cr_expect_str_eq(without.text.buf, ".schema.sql 444\na/ 555\n");
        free_result(&with);
        damage_beside(&b, &wal, true);
        /* Frames that are cut short were never committed. */
        wal.n = 100;
        with = scan_beside(&b, &wal, NULL, "", 2);
        cr_expect_str_eq(with.text.buf, without.text.buf);
        free_result(&with);
        free_result(&without);
        free(b.data);
        free(wal.data);
        end(folder, db);
}

Test(sqlite, good_hot_journal)
{
        char folder[] = "/tmp/lsr-test-sqlite-XXXXXX";
        sqlite3 *db = begin(folder, "PRAGMA journal_mode=DELETE; CREATE TABLE t(a, b);"
                                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200)"
                                    "INSERT INTO t SELECT i, zeroblob(100) FROM n");
        struct bytes before = load(folder, "db"), during, journal;
        struct result want = scan(&before, "", 0), got;

        run(db, "PRAGMA cache_size=2; BEGIN; UPDATE t SET b=zeroblob(3000); CREATE TABLE other(x)");
        during = load(folder, "db");
        journal = load(folder, "db-journal");
        cr_assert(during.n != before.n || memcmp(during.data, before.data, before.n) != 0);
        got = scan_beside(&during, NULL, &journal, "", 0);
        cr_expect_eq(got.r, 0, "%d: %s", got.r, got.troubles.buf);
        cr_expect_str_eq(got.troubles.buf, "");
        cr_expect_str_eq(got.text.buf, want.text.buf);
        free_result(&got);
        damage_beside(&during, &journal, false);
        /* Whether a transaction over several databases was committed cannot be known: nothing is shown. */
        memcpy(journal.data + journal.n, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
        journal.n += 8;
        got = scan_beside(&during, NULL, &journal, "", 0);
        cr_expect_eq(got.r, -EBUSY);
        cr_expect_eq(got.error, -EBUSY);
        cr_expect_str_eq(got.text.buf, "");
        free_result(&got);
        /* A journal that is over. */
        memset(journal.data, 0, 28);
        got = scan_beside(&before, NULL, &journal, "", 0);
        cr_expect_eq(got.r, 0);
        cr_expect_str_eq(got.text.buf, want.text.buf);
        free_result(&got);
        free_result(&want);
        free(before.data);
        free(during.data);
        free(journal.data);
        end(folder, db);
}

/* --- inputs --------------------------------------------------------------------- */

/* Memory that counts how often it is read, and fails from some time on. */
struct counted {
        struct lsr_input in;
        const struct bytes *bytes;
        unsigned reads;
        unsigned fails_after;
        uint64_t read_bytes;
};

static ssize_t counted_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct counted *c = (struct counted *)in;

        if (c->reads++ >= c->fails_after)
                return -EIO;
        cr_assert_lt(offset, c->bytes->n);
        if (size > c->bytes->n - offset)
                size = c->bytes->n - (size_t)offset;
        memcpy(buf, c->bytes->data + offset, size);
        c->read_bytes += size;
        return (ssize_t)size;
}

static void counted_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops counted_ops = { .read_at = counted_read_at, .free = counted_free };

static struct counted *new_counted(const struct bytes *b, unsigned fails_after)
{
        struct counted *c = lsr_input_alloc(sizeof(*c), &counted_ops);

        c->in.size = b->n;
        c->bytes = b;
        c->fails_after = fails_after;
        return c;
}

static int scan_counted(struct counted *c, struct result *result)
{
        struct lsr_scan scan = {
                .input = &c->in, .builder = lsr_builder_new(), .prefix = "", .ctx = result, .trouble = trouble
        };
        int r = lsr_format_sqlite.scan(&scan);

        lsr_builder_free(scan.builder);
        return r;
}

#define MANY_SQLAR                                                                        \
        SQLAR "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300)" \
              "INSERT INTO sqlar SELECT 'f'||i,33188,1,100000,zeroblob(100000) FROM n"

Test(sqlite, good_reads_are_few)
{
        struct bytes b = make(GOOD_SQLAR), many = make(MANY_SQLAR);
        struct bytes rows = make("CREATE TABLE t(a);"
                                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"
                                 "INSERT INTO t SELECT zeroblob(100) FROM n");
        struct counted *c = new_counted(&b, 1000), *far = new_counted(&many, 100000), *dense = new_counted(&rows, 1000);

        cr_expect_eq(scan_counted(c, NULL), 0);
        cr_expect_eq(c->reads, 1);
        /* Content is passed over: 30 MB, and one small read for a page of rows. */
        cr_expect_eq(scan_counted(far, NULL), 0);
        cr_expect_leq(far->reads, 160, "%u", far->reads);
        cr_expect_leq(far->read_bytes, 160 * 16384 + 262144);
        /* What is read to the end is read in large pieces: 2.2 MB. */
        cr_expect_eq(scan_counted(dense, NULL), 0);
        cr_expect_leq(dense->reads, 16);
        lsr_input_free(&c->in);
        lsr_input_free(&far->in);
        lsr_input_free(&dense->in);
        free(b.data);
        free(many.data);
        free(rows.data);
}

Test(sqlite, bad_input)
{
        struct bytes b = make(MANY_SQLAR);

        for (unsigned after = 0; after < 30; after += 5) {
                struct result result = new_result();
                struct counted *c = new_counted(&b, after);

                cr_expect_eq(scan_counted(c, &result), after ? 0 : -EIO);
                cr_expect_eq(result.error, -EIO);
                free_result(&result);
                lsr_input_free(&c->in);
        }
        free(b.data);
}

/* --- hostile -------------------------------------------------------------------- */

/* The view is refused, and the table beside it is listed. */
static void refuses(const char *view, int error)
{
        char sql[1024];
        struct bytes b;
        struct result result;

        snprintf(sql, sizeof(sql), "CREATE VIEW v AS %s; CREATE TABLE z(a); INSERT INTO z VALUES(1)", view);
        b = make(sql);
        result = scan(&b, "", 0);
        cr_expect_eq(result.r, 0);
        cr_expect_eq(result.error, error, "%s: %d %s", view, result.error, result.troubles.buf);
        cr_expect_not_null(strstr(result.text.buf, "\nz/1/a 444 1\n"));
        free_result(&result);
        free(b.data);
}

Test(sqlite, hostile_views)
{
        refuses("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n", -E2BIG);
        refuses("SELECT load_extension('x')", -EBADMSG);
        refuses("SELECT readfile('/etc/passwd')", -EBADMSG);
        refuses("SELECT writefile('/tmp/x','y')", -EBADMSG);
        refuses("SELECT edit('x')", -EBADMSG);
        refuses("SELECT random()", -EBADMSG);
        refuses("SELECT * FROM dbstat", -EBADMSG);
        refuses("SELECT fts3_tokenizer('simple')", -EBADMSG);
        refuses("SELECT file FROM pragma_database_list", -EBADMSG);
        refuses("SELECT * FROM absent", -EBADMSG);
        refuses("SELECT * FROM v", -EBADMSG);
        refuses("SELECT hex(zeroblob(900000000))", -E2BIG);
        refuses("WITH RECURSIVE n(i,s) AS (SELECT 1,'x' UNION ALL SELECT i+1,s||s FROM n) SELECT max(s) FROM n",
                -E2BIG);
}

static void damage(const char *sql, unsigned times)
{
        struct bytes good = make(sql), bad = { lsr_xmalloc(good.n), 0 };
        uint64_t state = 88172645463325252u;

        for (unsigned i = 0; i < times; i++) {
                struct result result;
                unsigned flips = 1 + (unsigned)(fuzz_random(&state) % 8);

                memcpy(bad.data, good.data, good.n);
                bad.n = i % 4 ? good.n : 100 + fuzz_random(&state) % (good.n - 100);
                for (unsigned j = 0; j < flips; j++) {
                        /* Headers of pages and cells are where it hurts. */
                        size_t page = fuzz_random(&state) % (good.n / 4096) * 4096;
                        size_t at = page + fuzz_random(&state) % (j % 2 ? 4096 : 120);

                        if (at < bad.n)
                                bad.data[at] = (uint8_t)fuzz_random(&state);
                }
                result = scan(&bad, "", 0);
                cr_expect(result.r <= 0);
                cr_expect(result.r == 0 || result.troubles.len > 1);
                free_result(&result);
        }
        free(good.data);
        free(bad.data);
}

Test(sqlite, bad_at_random_places, .timeout = 100)
{
        damage(GOOD_SQLAR, 200);
        damage(GOOD_TABLES
               "CREATE TABLE w(a PRIMARY KEY,b) WITHOUT ROWID; INSERT INTO w VALUES(1,2),(3,zeroblob(9000))",
               200);
}

/* What was listed before the damage stays. */
Test(sqlite, bad_in_the_middle)
{
        struct bytes b = make("PRAGMA page_size=512;" SQLAR
                              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200)"
                              "INSERT INTO sqlar SELECT 'f'||i,33188,1,100,zeroblob(100) FROM n");
        struct result result;

        memset(b.data + b.n / 2 / 512 * 512, 0xff, 512 * 4);
        result = scan(&b, "", 0);
        cr_expect_eq(result.r, 0);
        cr_expect_eq(result.error, -EBADMSG);
        cr_expect_not_null(strstr(result.troubles.buf, "table sqlar: database disk image is malformed"), "%s",
                           result.troubles.buf);
        cr_expect_not_null(strstr(result.text.buf, "f1 644 @1 100 100 store\n"));
        free_result(&result);
        free(b.data);
}
