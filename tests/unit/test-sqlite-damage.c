/* Databases with logs and journals beside them, inputs that fail, hostile and damaged ones. */
#include "failing.h"
#include "sqlite-maker.h"

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
        cr_expect_str_eq(with.text.buf,
                         ".schema.sql 444\na/ 555\nb/ 555\na/.schema.sql 444\nb/.schema.sql 444\nb/1/ 555\n");
        /* The mode alone does not make SQLite look for a log. */
        cr_expect_eq(without.r, 0);
        cr_expect_str_eq(without.troubles.buf, "");
        cr_expect_str_eq(without.text.buf, ".schema.sql 444\na/ 555\na/.schema.sql 444\n");
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
        struct lsr_scan scan = { .input = &c->in, .builder = lsr_builder_new(), .ctx = result, .trouble = trouble };
        int r = lsr_format_sqlite.scan(&scan);

        lsr_builder_free(scan.builder);
        scan.input = NULL; /* the caller's */
        lsr_scan_close(&scan, &lsr_format_sqlite);
        return r;
}

/* What is kept from request to request is not read again: schema, tables, the way down to a row. */
Test(sqlite, good_second_request_reads_no_more)
{
        struct bytes b = make(SQLAR "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000)"
                                    "INSERT INTO sqlar SELECT 'f'||i,33188,1,100,zeroblob(100) FROM n");
        struct counted *c = new_counted(&b, 1000);
        struct lsr_member m = { .path = "f7", .path_len = 2, .position = 7 };
        struct lsr_out out;
        struct lsr_scan scan = { .input = &c->in };
        unsigned reads;

        lsr_out_init(&out, -1);
        cr_assert_eq(lsr_format_sqlite.read(&scan, &m, &(struct lsr_sink){ &out, take }), 0);
        reads = c->reads;
        cr_expect_gt(reads, 0);
        cr_expect_not_null(scan.state);
        for (int i = 0; i < 100; i++)
                cr_assert_eq(lsr_format_sqlite.read(&scan, &m, &(struct lsr_sink){ &out, take }), 0);
        cr_expect_eq(c->reads, reads);
        cr_expect_eq(out.len, 10100);
        /* One that has failed is given up. */
        m.position = 2001;
        cr_expect_eq(lsr_format_sqlite.read(&scan, &m, &(struct lsr_sink){ &out, take }), -ENOENT);
        cr_expect_null(scan.state);
        m.position = 8;
        cr_expect_eq(lsr_format_sqlite.read(&scan, &m, &(struct lsr_sink){ &out, take }), 0);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        cr_expect_null(scan.state);
        lsr_out_free(&out);
        free(b.data);
}

/* A table is checked by one statement over it. */
Test(sqlite, good_check_counts_what_is_listed)
{
        struct bytes b = make(GOOD_TABLES "CREATE TABLE w(k, v, PRIMARY KEY(k)) WITHOUT ROWID;"
                                          "INSERT INTO w VALUES(1,x''),('Zoë',x'0001'),(1.5,NULL)");
        struct lsr_scan scan = { .input = lsr_input_memory(b.data, b.n), .builder = lsr_builder_new() };
        struct lsr_checked sum;
        struct lsr_catalogue *c;
        uint64_t bytes = 0, files = 0;

        cr_assert_eq(lsr_format_sqlite.scan(&scan), 0);
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        for (uint32_t row = 1; row < lsr_catalogue_rows(c); row++) {
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                bytes += S_ISREG(m.meta.mode) && m.meta.known & LSR_FIELD_SIZE ? m.meta.size : 0;
                files += S_ISREG(m.meta.mode) && m.meta.known & LSR_FIELD_SIZE && m.meta.size > 0;
        }
        cr_assert_eq(lsr_format_sqlite.check(&scan, &sum), 0);
        cr_expect_eq(sum.members, lsr_catalogue_rows(c) - 1);
        cr_expect_eq(sum.bytes, bytes);
        cr_expect_eq(sum.read, files);
        cr_expect_eq(sum.verified, 0);
        lsr_catalogue_free(c);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        free(b.data);
}

/* A page of a table that is damaged, while an index has all of it: members are read to tell what it is. */
Test(sqlite, damaged_check_says_nothing)
{
        struct bytes b = make("CREATE TABLE t(a); CREATE INDEX i ON t(a);"
                              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000)"
                              "INSERT INTO t SELECT i FROM n");
        struct result result = new_result();
        struct lsr_scan scan = { .ctx = &result, .trouble = trouble };
        struct lsr_checked sum;

        scan.input = lsr_input_memory(b.data, b.n);
        cr_assert_eq(lsr_format_sqlite.check(&scan, &sum), 0);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        /* The root of the table is the second page: the number of its cells. */
        b.data[4096 + 3] = 0xff;
        b.data[4096 + 4] = 0xff;
        scan.input = lsr_input_memory(b.data, b.n);
        cr_expect_eq(lsr_format_sqlite.check(&scan, &sum), 1);
        end_result(&result);
        cr_expect_str_eq(result.troubles.buf, "");
        lsr_scan_close(&scan, &lsr_format_sqlite);
        free_result(&result);
        free(b.data);
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

/* A log or a journal that cannot be read is not one that is not there. */
Test(sqlite, bad_companions)
{
        struct bytes b = make(GOOD_SQLAR), beside = { lsr_xmalloc(5000), 5000 };

        memcpy(beside.data, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
        for (enum lsr_companion which = 0; which < LSR_COMPANIONS; which++)
                for (unsigned after = 0; after < 3; after++) {
                        struct result result = new_result();
                        struct lsr_scan scan = {
                                .input = lsr_input_memory(b.data, b.n),
                                .builder = lsr_builder_new(),
                                .ctx = &result,
                                .trouble = trouble,
                        };
                        struct counted *c = new_counted(&beside, after);

                        scan.companions[which] = &c->in;
                        if (lsr_format_sqlite.scan(&scan) < 0 || c->reads > after) {
                                cr_expect_eq(result.error, -EIO, "%d, %u: %d", (int)which, after, result.error);
                                cr_expect_eq(lsr_builder_count(scan.builder), 0);
                        }
                        lsr_builder_free(scan.builder);
                        lsr_scan_close(&scan, &lsr_format_sqlite);
                        free_result(&result);
                }
        free(b.data);
        free(beside.data);
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

/* Small pages, so that there are many reads. */
#define FAILING_SQLAR                                                                                                 \
        "PRAGMA page_size=512;" GOOD_SQLAR "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<30)" \
        "INSERT INTO sqlar SELECT 'f'||i,33188,1,900,zeroblob(900) FROM n;"
#define FAILING_TABLES                      \
        "PRAGMA page_size=512;" GOOD_TABLES \
        "CREATE TABLE w(a PRIMARY KEY,b) WITHOUT ROWID; INSERT INTO w VALUES(1,2),(3,zeroblob(3000));"

Test(sqlite, failing_reads, .timeout = 200)
{
        struct bytes archive = make(FAILING_SQLAR), tables = make(FAILING_TABLES);

        failing_reads(archive.data, archive.n, false);
        failing_each((struct failing_bundle){ .data = tables.data, .n = tables.n, .error = -EIO, .dirs = true });
        free(archive.data);
        free(tables.data);
}

/* --- memory ----------------------------------------------------------------------- */

static sqlite3_mem_methods real_memory;

static void *starved_malloc(int n)
{
        return failing_now() ? NULL : real_memory.xMalloc(n);
}

static void *starved_realloc(void *p, int n)
{
        return failing_now() ? NULL : real_memory.xRealloc(p, n);
}

/* Each allocation of SQLite: what then is not listed or not read is said to lack memory, and is not called damaged. */
Test(sqlite, failing_allocations, .timeout = 600)
{
        struct bytes archive = make(GOOD_SQLAR), tables = make(GOOD_TABLES),
                     wide = make("PRAGMA encoding='UTF-16le';" GOOD_SQLAR);
        sqlite3_mem_methods memory;

        sqlite3_shutdown();
        cr_assert_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory), SQLITE_OK);
        memory = real_memory;
        memory.xMalloc = starved_malloc;
        memory.xRealloc = starved_realloc;
        cr_assert_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory), SQLITE_OK);
        cr_assert_eq(sqlite3_initialize(), SQLITE_OK);
        failing_each((struct failing_bundle){ .data = archive.data, .n = archive.n, .error = -ENOMEM });
        failing_each((struct failing_bundle){ .data = tables.data, .n = tables.n, .error = -ENOMEM, .dirs = true });
        failing_each((struct failing_bundle){ .data = wide.data, .n = wide.n, .error = -ENOMEM });
        free(archive.data);
        free(tables.data);
        free(wide.data);
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

/* What is not damaged is listed, before the damage and behind it, be it decoded in place or by SQLite. */
Test(sqlite, bad_in_the_middle)
{
#define ROWS                                                                        \
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200)" \
        "INSERT INTO sqlar(name,mode,mtime,sz,data) SELECT 'f'||i,33188,1,100,zeroblob(100) FROM n"
        static const char *const sql[] = {
                "PRAGMA page_size=512;" SQLAR ROWS,
                "PRAGMA page_size=512;" SQLAR "ALTER TABLE sqlar ADD more;" ROWS,
        };

        for (size_t t = 0; t < 2; t++) {
                struct bytes b = make(sql[t]);
                struct result result;
                unsigned listed = 0;

                memset(b.data + b.n / 2 / 512 * 512, 0xff, 512 * 4);
                result = scan(&b, "", 0);
                cr_expect_eq(result.r, 0);
                cr_expect_eq(result.error, -EBADMSG);
                cr_expect_not_null(strstr(result.troubles.buf, "table sqlar: database disk image is malformed"), "%s",
                                   result.troubles.buf);
                cr_expect_not_null(strstr(result.text.buf, "f1 644 @1 100 100 store\n"));
                cr_expect_not_null(strstr(result.text.buf, "f200 644 @1 100 100 store\n"));
                for (const char *at = result.text.buf; (at = strchr(at, '\n')); at++)
                        listed++;
                /* Three rows are in a leaf, and a page above leaves may be among those. */
                cr_expect_gt(listed, 120, "%u", listed);
                free_result(&result);
                free(b.data);
        }
}

/* A row of which a part is lost costs no other one, however far apart their numbers are. */
Test(sqlite, bad_row_behind_a_gap)
{
        struct bytes b = make("PRAGMA page_size=512;" SQLAR
                              "INSERT INTO sqlar(rowid,name,mode,mtime,sz,data) VALUES(1,'first',33188,1,0,''),"
                              "(1<<40,'long'||replace(hex(zeroblob(1500)),'0','x'),33188,1,0,''),"
                              "((1<<40)+1,'next',33188,1,0,''),(1<<50,'last',33188,1,0,'')");
        struct result result;
        char xs[508];
        unsigned damaged = 0;

        memset(xs, 'x', sizeof(xs));
        for (size_t page = 0; page < b.n; page += 512)
                if (memcmp(b.data + page + 4, xs, sizeof(xs)) == 0 && ++damaged)
                        memset(b.data + page, 0xff, 4); /* the number of the next page */
        cr_assert_gt(damaged, 2);
        result = scan(&b, "", 0);
        cr_expect_eq(result.r, 0);
        cr_expect_eq(result.error, -EBADMSG);
        cr_expect_not_null(strstr(result.text.buf, "first 644 @1"), "%s", result.text.buf);
        cr_expect_not_null(strstr(result.text.buf, "next 644 @1"), "%s", result.text.buf);
        cr_expect_not_null(strstr(result.text.buf, "last 644 @1"), "%s", result.text.buf);
        free_result(&result);
        free(b.data);
}

/* Row @bad of 10 to 40 cannot be read, and says that it is @number: all others are listed. */
static void damage_row(unsigned bad, unsigned number)
{
        struct bytes b = make("CREATE TABLE sqlar(name TEXT, mode INT, mtime INT, sz INT, data BLOB);"
                              "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM n WHERE i<40)"
                              "INSERT INTO sqlar(rowid,name,mode,mtime,sz,data) SELECT i,'f'||i,33188,1,0,'' FROM n");
        struct result result;
        uint8_t *header;
        char row[32];

        snprintf(row, sizeof(row), "f%u", bad);
        header = memmem(b.data, b.n, row, 3);
        cr_assert(header);
        header -= 6; /* it begins with its length, behind the rowid */
        cr_assert(header[0] == 6 && header[-1] == bad);
        header[0] = 0x7f;
        header[-1] = (uint8_t)number;
        result = scan(&b, "", 0);
        cr_expect_eq(result.error, -EBADMSG);
        for (unsigned i = 10; i <= 40; i++) {
                snprintf(row, sizeof(row), "f%u 644 @1", i);
                cr_expect(i == bad || strstr(result.text.buf, row), "%u as %u: %s", bad, number, row);
        }
        free_result(&result);
        free(b.data);
}

/* Nor does one whose number is damaged, too, and which is found in place of those behind it. */
Test(sqlite, bad_row_of_a_wrong_number)
{
        damage_row(38, 0x7f);
        damage_row(10, 13);
        damage_row(10, 0x7f);
        damage_row(11, 1);
}
