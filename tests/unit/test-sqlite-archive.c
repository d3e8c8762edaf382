/*
 * Archives whose rows are decoded where they lie: the listing is that of SQLite, which is what memory gets, as it is no
 * file that could be mapped.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "io/io.h"
#include "sqlite-maker.h"

/* 20,000 rows, of which some are links, duplicates by another spelling, or have no name. */
#define LARGE_SQLAR                                                                                                  \
        SQLAR "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"                          \
              "INSERT INTO sqlar SELECT "                                                                            \
              "CASE WHEN i%5000=77 THEN NULL WHEN i%100=9 AND i>2001 THEN './d'||((i-2001)%50)||'//f'||(i-2001) "    \
              "ELSE 'd'||(i%50)||'/f'||i END,"                                                                       \
              "CASE i%10 WHEN 3 THEN 0xa1ff WHEN 4 THEN NULL ELSE 0x81a4 END,i,CASE i%10 WHEN 3 THEN -1 ELSE i END," \
              "CASE i%10 WHEN 3 THEN 'f'||(i/2) ELSE zeroblob(i%300) END FROM n;"

static struct result scan_fd(int fd, size_t n, const char *engine)
{
        struct result result;
        struct lsr_input *in;
        struct lsr_io *io;

        cr_assert_eq(lsr_io_new(&io, engine), 0);
        cr_assert_eq(lsr_input_file(&in, io, fd, 0, n), 0);
        result = scan_input(in, NULL, NULL, "", 0);
        lsr_io_free(io);
        return result;
}

static struct result scan_file(const struct bytes *b, const char *engine)
{
        int fd = memfd_create("sqlar", MFD_CLOEXEC);
        struct result result;

        cr_assert_geq(fd, 0);
        cr_assert_eq(write(fd, b->data, b->n), (ssize_t)b->n);
        result = scan_fd(fd, b->n, engine);
        close(fd);
        return result;
}

/* Returns how many lines the listing has. */
static size_t expect_same(const struct bytes *b, const char *what)
{
        struct result one = scan(b, "", 0), many = scan_file(b, "auto");
        size_t lines = 0;

        cr_expect_eq(many.r, one.r, "%s: %d and not %d", what, many.r, one.r);
        cr_expect_str_eq(many.troubles.buf, one.troubles.buf, "%s", what);
        cr_expect(strcmp(many.text.buf, one.text.buf) == 0, "%s: the listings differ", what);
        for (const char *p = many.text.buf; *p; p++)
                lines += *p == '\n';
        free_result(&one);
        free_result(&many);
        return lines;
}

static void expect_same_of(const char *sql)
{
        struct bytes b = make(sql);

        expect_same(&b, sql);
        free(b.data);
}

Test(sqlite_archive, good_large)
{
        struct bytes b = make(LARGE_SQLAR);

        /* Names that are there twice, those that are not there, and directories. */
        cr_expect_eq(expect_same(&b, "large"), 20000 - 180 - 4 + 50);
        free(b.data);
}

/* So that the above is worth something. */
Test(sqlite_archive, good_large_is_mapped)
{
        struct bytes b = make(LARGE_SQLAR);
        int fd = memfd_create("sqlar", MFD_CLOEXEC);
        struct lsr_input *in;
        struct lsr_io *io;
        cpu_set_t set;

        cr_assert_eq(write(fd, b.data, b.n), (ssize_t)b.n);
        cr_assert_eq(lsr_io_new(&io, "auto"), 0);
        cr_assert_eq(lsr_input_file(&in, io, fd, 0, b.n), 0);
        if (!lsr_input_map(in) || sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) < 2)
                cr_skip_test("one core, or a kernel that does not tell what is cached");
        lsr_input_free(in);
        lsr_io_free(io);
        close(fd);
        free(b.data);
}

Test(sqlite_archive, good_rowids)
{
        /* Far apart, up to the ends; few behind a gap. */
        expect_same_of(LARGE_SQLAR "UPDATE sqlar SET rowid=-(rowid-10000)*900000000000000 WHERE 1;");
        expect_same_of(LARGE_SQLAR "UPDATE sqlar SET rowid=0x7fffffffffffffff WHERE rowid=20000;"
                                   "UPDATE sqlar SET rowid=-0x7fffffffffffffff-1 WHERE rowid=1;");
        /* All in one piece. */
        expect_same_of(LARGE_SQLAR "UPDATE sqlar SET rowid=0x3fffffffffffffff WHERE rowid=20000;");
}

/* As `sqlite3 -A` makes them: of small pages names overflow, into one page or several. */
#define SMALL_PAGES "PRAGMA page_size=512;"
#define LONG_NAMES "UPDATE sqlar SET name=printf('%%.*c',rowid%%7*%d,'x')||name WHERE rowid%%3=0;"

Test(sqlite_archive, good_small_pages)
{
        char *sql;

        for (unsigned n = 5; n < 1000; n *= 3) {
                cr_assert_gt(asprintf(&sql, "%s" LONG_NAMES, SMALL_PAGES LARGE_SQLAR, (int)n), 0);
                expect_same_of(sql);
                free(sql);
        }
}

/* What `sqlite3 -A` does not write, in the midst of what it does. */
Test(sqlite_archive, good_odd_values)
{
        static const char *const values[] = {
                "mode=1.5",
                "mode='x'",
                "mtime=1e300",
                "sz=-1,data=x'6162'",
                "sz=-1,data=zeroblob(5000)",
                "sz='text'",
                "data='text'",
                "data=4711",
                "data=2.5",
                "name=x'612f62'",
                "name=x''",
                "name=''",
                "name='a'||char(0)||'b'",
                "sz=NULL",
                "mtime=-5000000000",
                "mode=0,sz=1",
                "sz=-1.0,data='t'",
                "data=NULL",
                "sz=0x7fffffffffffffff",
        };
        char *sql = lsr_xstrdup(LARGE_SQLAR), *more;

        for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
                cr_assert_gt(
                        asprintf(&more, "%sUPDATE OR IGNORE sqlar SET %s WHERE rowid%%1999=%zu;", sql, values[i], i),
                        0);
                free(sql);
                sql = more;
        }
        expect_same_of(sql);
        cr_assert_gt(asprintf(&more, SMALL_PAGES "%s", sql), 0);
        expect_same_of(more);
        free(more);
        free(sql);
}

/* Of a file that is not cached only the pages are read that have rows, and those close by, where files are mapped. */
Test(sqlite_archive, good_cold)
{
        if (sizeof(void *) < 8)
                cr_skip_test("no file is mapped here");
        struct bytes b = make(SMALL_PAGES SQLAR
                              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000)"
                              "INSERT INTO sqlar SELECT 'f'||i,0x81a4,i,99999,randomblob(iif(i%10,200,60000)) FROM n;");
        char path[] = "/var/tmp/lsr-cold-XXXXXX";
        int fd = mkstemp(path);
        struct map_cachestat {
                uint64_t cached, others[4];
        } cached = {};
        struct result one, cold;

        cr_assert_geq(fd, 0);
        unlink(path);
        cr_assert_eq(write(fd, b.data, b.n), (ssize_t)b.n);
        fsync(fd);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (syscall(451, fd, &(struct { uint64_t at, n; }){ 0, b.n }, &cached, 0) < 0 || cached.cached > 100)
                cr_skip_test("what is cached cannot be told, or stays so");
        one = scan(&b, "", 0);
        cold = scan_fd(fd, b.n, "auto");
        cr_expect_str_eq(cold.text.buf, one.text.buf);
        syscall(451, fd, &(struct { uint64_t at, n; }){ 0, b.n }, &cached, 0);
        cr_expect_lt(cached.cached * 4096, b.n / 3, "%llu of %zu pages", (unsigned long long)cached.cached, b.n / 4096);
        close(fd);
        free_result(&one);
        free_result(&cold);
        free(b.data);
}

/* What is called rowid need not be one. */
Test(sqlite_archive, hostile_rowid)
{
        expect_same_of("CREATE TABLE sqlar(RowID, name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB);"
                       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"
                       "INSERT INTO sqlar SELECT iif(i%2,i,NULL),'f'||i,0x81a4,i,i,zeroblob(i%300) FROM n;");
}

/* More than a piece may take up: the texts of four links fill one. */
Test(sqlite_archive, hostile_names)
{
        expect_same_of(LARGE_SQLAR "UPDATE sqlar SET name=printf('%.*c',500000,'x')||rowid WHERE rowid%700=1;");
}

/* Damaged anywhere: what comes before is there, and the message is the same. */
static void damage(const char *sql, size_t page, unsigned times)
{
        struct bytes b = make(sql);
        uint64_t state = 4711;
        char what[32];

        for (unsigned i = 0; i < times; i++) {
                size_t at = page + fuzz_random(&state) % (b.n - 2 * page) / page * page;
                uint8_t old[512];

                memcpy(old, b.data + at, sizeof(old));
                memset(b.data + at, 0xff, sizeof(old));
                snprintf(what, sizeof(what), "byte %zu", at);
                expect_same(&b, what);
                memcpy(b.data + at, old, sizeof(old));
        }
        free(b.data);
}

Test(sqlite_archive, bad_pages)
{
        damage(LARGE_SQLAR, 4096, 12);
        damage(SMALL_PAGES LARGE_SQLAR, 512, 12);
}

/* An archive with that many rows on small pages; @more are columns of its own. */
static struct bytes make_rows(const char *more, unsigned rows)
{
        struct bytes b;
        char *sql;

        cr_assert_gt(asprintf(&sql,
                              SMALL_PAGES "CREATE TABLE sqlar(name TEXT, mode INT, mtime INT, sz INT, data BLOB%s);"
                                          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%u)"
                                          "INSERT INTO sqlar(rowid,name,mode,mtime,sz,data)"
                                          " SELECT i*1000000,'f'||i,33188,1,0,x'' FROM n;",
                              more, rows),
                     0);
        b = make(sql);
        free(sql);
        return b;
}

/* That many rows, or @rows_at_best, and an error. */
static void expect_rows(const struct bytes *b, const char *engine, unsigned rows, unsigned rows_at_best)
{
        struct result result = scan_file(b, engine);
        unsigned found = 0;

        for (const char *p = result.text.buf; (p = strstr(p, " 644 @1")); p++)
                found++;
        cr_expect(found == rows || found == rows_at_best, "%s: %u of %u", engine, found, rows);
        cr_expect_eq(result.error, -EBADMSG, "%s", engine);
        free_result(&result);
}

/* Each of many damaged leaves costs the rows that are in it, also where SQLite has to read the others. */
static void damage_leaves(const char *more, unsigned rows_all, unsigned first)
{
        struct bytes b = make_rows(more, rows_all);
        unsigned leaves = 0, rows = 0;

        for (size_t at = 512; at < b.n; at += 512) {
                if (b.data[at] != 13)
                        continue;
                if (leaves++ % 2 == first)
                        b.data[at] = 0;
                else
                        rows += (unsigned)b.data[at + 3] * 256 + b.data[at + 4];
        }
        cr_assert_gt(leaves, rows_all / 30);
        /* A file that is read is not mapped. */
        expect_rows(&b, "auto", rows, 0);
        expect_rows(&b, "sync", rows, 0);
        free(b.data);
}

Test(sqlite_archive, bad_every_second_leaf)
{
        for (unsigned first = 0; first < 2; first++) {
                damage_leaves("", 30000, first);
                damage_leaves(", more INT", 30000, first);
                damage_leaves("", 200, first);
                damage_leaves(", more INT", 200, first);
        }
}

/* Every second leaf is damaged, and above them the number of a page, or a rowid. */
static struct bytes make_rows_behind(bool rowid, unsigned *ret_rows)
{
        struct bytes b = make_rows("", 30000);
        unsigned leaves = 0, rows = 0;
        bool lost = false;

        for (size_t at = 512; at < b.n; at += 512) {
                uint8_t *page = b.data + at;
                uint8_t *child = page + lsr_be16(page + 14);

                if (*page == 5 && !lost && b.data[(size_t)lsr_be32(child) * 512 - 512] == 13) {
                        b.data[(size_t)lsr_be32(child) * 512 - 512] = 0;
                        memset(child + (rowid ? 4 : 0), rowid ? 0 : 0xff, 4);
                        lost = true;
                } else if (*page == 13 && leaves++ % 2) {
                        *page = 0;
                }
        }
        for (size_t at = 512; at < b.n; at += 512)
                rows += b.data[at] == 13 ? lsr_be16(b.data + at + 3) : 0;
        cr_assert(lost && rows > 10000 && rows < 20000);
        *ret_rows = rows;
        return b;
}

Test(sqlite_archive, bad_number_above)
{
        unsigned rows;
        struct bytes b = make_rows_behind(false, &rows);

        expect_rows(&b, "auto", rows, 0);
        expect_rows(&b, "sync", rows, 0);
        free(b.data);
}

static unsigned count_rows(const struct bytes *b, bool limited)
{
        struct result result = scan_file(b, "auto");
        unsigned found = 0;

        for (const char *p = result.text.buf; (p = strstr(p, " 644 @1")); p++)
                found++;
        cr_expect_eq(strstr(result.troubles.buf, "\ntable sqlar: takes more than ") != NULL, limited, "%s",
                     result.troubles.buf);
        free_result(&result);
        return found;
}

/* Rows that have to be searched for are found, but for a leaf that steps went past, within a budget, which is told. */
Test(sqlite_archive, bad_rowid_above)
{
        unsigned rows, found;
        struct bytes b = make_rows_behind(true, &rows);
        enum lsr_limit limit;

        found = count_rows(&b, false);
        cr_expect(found <= rows && found > rows - rows / 100, "%u of %u", found, rows);
        cr_assert_eq(lsr_limit_set("sql-steps=1000000", &limit), 0);
        cr_assert_eq(lsr_limit_set("sql-steps-per-byte=0", &limit), 0);
        rows = found;
        found = count_rows(&b, true);
        cr_expect(found > 100 && found < rows, "%u of %u", found, rows);
        free(b.data);
}

/* How many rows are below page @number, which is above leaves. */
static unsigned rows_below(const struct bytes *b, uint32_t number)
{
        const uint8_t *page = b->data + (size_t)number * 512 - 512;
        unsigned cells = lsr_be16(page + 3), rows = 0;

        for (unsigned i = 0; i <= cells; i++) {
                uint32_t child = lsr_be32(page + (i < cells ? lsr_be16(page + 12 + 2 * (size_t)i) : 8));

                cr_assert_eq(b->data[(size_t)child * 512 - 512], 13);
                rows += lsr_be16(b->data + (size_t)child * 512 - 512 + 3);
        }
        return rows;
}

/* Damaged pages above leaves cost the rows below them, and none behind, however few those are. */
Test(sqlite_archive, bad_above)
{
        struct bytes b = make_rows("", 7000);
        uint32_t pages[20] = {};
        unsigned n = 0, lost = 0;

        for (size_t at = 512; at < b.n; at += 512)
                if (b.data[at] == 5 && n < 20)
                        pages[n++] = (uint32_t)(at / 512 + 1);
        /* The first of them is the root, the last is behind the others. */
        cr_assert(n > 4 && n < 20);
        for (unsigned i = n - 1; --i > 0;) {
                lost += rows_below(&b, pages[i]);
                b.data[(size_t)pages[i] * 512 - 512] = 0;
                expect_rows(&b, "auto", 7000 - lost, 0);
                expect_rows(&b, "sync", 7000 - lost, 0);
        }
        free(b.data);
}

/* A row that claims a number beyond its leaf, or before it, is lost where it lies, and none of the others. */
Test(sqlite_archive, bad_number)
{
        struct bytes b = make_rows("", 12000);
        uint8_t *at = NULL;

        /* One at the end of its page, where its size can lead out. */
        for (unsigned i = 5000; !at || (at - b.data) % 512 < 450; i++) {
                char row[32];
                int n = sprintf(row, "f%u", i);

                memcpy(row + n, (char[]){ 0, (char)0x81, (char)0xa4 }, 3);
                at = memmem(b.data, b.n, row, (size_t)n + 3);
                cr_assert(at);
        }
        /* Before it are its payload's size, its number, and the header, which begins with its length. */
        at -= 6 + 5;
        cr_assert(at[5] == 6 && (at[0] & 0x80), "%02x %02x", at[0], at[5]);
        for (unsigned i = 0; i < 3; i++) {
                at[0] = i == 1 ? 0x80 : 0xff;
                at[-1] = i == 2 ? 0x7f : at[-1];
                /* Where all is read in one go, it may have been listed before that is seen. */
                expect_rows(&b, "auto", 11999, 12000);
                expect_rows(&b, "sync", 11999, 12000);
        }
        free(b.data);
}

/* --- the lookup of one path ------------------------------------------------------- */

static struct lsr_catalogue *scan_only(const struct bytes *b, const char *only, bool *ret_is_only)
{
        const struct lsr_wanted wanted = { .paths = &only, .n = 1, .content = true };
        struct lsr_scan scan = { .input = lsr_input_memory(b->data, b->n), .builder = lsr_builder_new() };
        struct lsr_catalogue *c;

        cr_assert_eq(only ? lsr_format_sqlite.list(&scan, &wanted) : lsr_format_sqlite.scan(&scan), 0, "%s",
                     only ? only : "all");
        cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        lsr_builder_free(scan.builder);
        lsr_scan_close(&scan, &lsr_format_sqlite);
        *ret_is_only = scan.some;
        return c;
}

/* What is looked up is the same member in all there is and in what was listed for it. */
static void expect_same_path(const struct bytes *b, const struct lsr_catalogue *all, const char *path, bool want_only,
                             bool archive)
{
        bool is_only;
        struct lsr_catalogue *some = scan_only(b, path, &is_only);
        int64_t x = lsr_catalogue_find(all, 0, path, strlen(path)), y = lsr_catalogue_find(some, 0, path, strlen(path));
        struct lsr_member m, n;

        cr_expect_eq(is_only, want_only, "'%s'", path);
        cr_expect_eq(x < 0 ? x : 0, y < 0 ? y : 0, "'%s': %lld and not %lld", path, (long long)y, (long long)x);
        if (x >= 0 && y >= 0) {
                lsr_catalogue_get(all, (uint32_t)x, &m);
                lsr_catalogue_get(some, (uint32_t)y, &n);
                cr_expect_eq(m.meta.known & ~LSR_FIELD_NLINK, n.meta.known & ~LSR_FIELD_NLINK, "'%s'", path);
                cr_expect_eq(m.meta.mode, n.meta.mode, "'%s'", path);
                cr_expect_eq(m.meta.size, n.meta.size, "'%s'", path);
                /* In a database that is no archive it is the order in which members came. */
                if (archive)
                        cr_expect_eq(m.position, n.position, "'%s': row %llu and not %llu", path,
                                     (unsigned long long)n.position, (unsigned long long)m.position);
                cr_expect_eq(m.data, n.data, "'%s'", path);
                cr_expect_eq(m.flags, n.flags & ~(unsigned)LSR_MEMBER_UNREAD, "'%s'", path);
                cr_expect_eq(m.target_len, n.target_len, "'%s'", path);
        }
        if (want_only)
                cr_expect_leq(lsr_catalogue_rows(some), lsr_catalogue_rows(all), "'%s'", path);
        lsr_catalogue_free(some);
}

static void expect_same_paths(const char *sql, const char *const *paths, bool want_only)
{
        struct bytes b = make(sql);
        bool is_only;
        struct lsr_catalogue *all = scan_only(&b, NULL, &is_only);

        cr_expect_not(is_only);
        for (; *paths; paths++)
                expect_same_path(&b, all, *paths, want_only, strstr(sql, SQLAR));
        lsr_catalogue_free(all);
        free(b.data);
}

#define HOSTILE_SQLAR                                                                                 \
        SQLAR "INSERT INTO sqlar VALUES('a/b',33188,1,1,x'61'),('./a/b',33188,1,2,x'6161'),"          \
              "('c',41471,1,-1,'a'),('c/d',33188,1,3,x'616161'),('a//b',33188,1,4,x'61616161'),"      \
              "('/e',33188,1,1,x'61'),('zz/../e',33188,1,5,x'6161616161'),('f/g/h',33188,1,1,x'61')," \
              "('f',33188,1,1,x'61'),('f/g',33188,1,2,x'6161'),('i',33188,1,1,x'61'),"                \
              "('i/',16877,1,0,NULL),('j'||char(0)||'x',33188,1,1,x'61'),('j',33188,1,2,x'6161'),"    \
              "('k.x',33188,1,1,x'61'),('k',41471,1,-1,'a/b'),('k0',33188,1,1,x'61'),"                \
              "('..',33188,1,1,x'61'),('',33188,1,1,x'61'),('./',16832,7,0,NULL),"                    \
              "('l/../l/./m',33188,1,1,x'61'),(7,33188,1,1,x'61');"

Test(sqlite_archive, hostile_paths)
{
        static const char *const paths[] = { "a", "a/b",  "a//b",   "./a/b",  "/a/b/", "a/b/x", "c",  "c/d",
                                             "e", "zz",   "f",      "f/g",    "f/g/h", "i",     "i/", "j",
                                             "k", "k.x",  "k/x",    "k0",     "",      ".",     "l",  "l/m",
                                             "7", "none", "a/none", "c/none", "x/y/z", "a/b.",  "aa", NULL };

        expect_same_paths(HOSTILE_SQLAR, paths, true);
        /* Where the names have no index. */
        expect_same_paths(HOSTILE_SQLAR
                          "CREATE TABLE t AS SELECT * FROM sqlar; DROP TABLE sqlar; ALTER TABLE t RENAME TO sqlar;",
                          paths, true);
}

Test(sqlite_archive, hostile_paths_up)
{
        static const char *const paths[] = { "a/../a/b", "..", "../e", NULL };

        expect_same_paths(HOSTILE_SQLAR, paths, false);
}

/* Few members go to whoever looks one up. */
Test(sqlite_archive, good_path_in_large)
{
        struct bytes b = make(LARGE_SQLAR);
        bool is_only;
        struct lsr_catalogue *c = scan_only(&b, "d1/f1", &is_only);

        cr_expect(is_only);
        /* Those without a name are wanted too, to be complained about; they are no rows. */
        cr_expect_leq(lsr_catalogue_rows(c), 5);
        lsr_catalogue_free(c);
        free(b.data);
}

/* An index that names rows which are not there: all is listed, and says what is wrong if anything is. */
Test(sqlite_archive, bad_index)
{
        struct bytes b = make(SQLAR "INSERT INTO sqlar VALUES('a',33188,1,1,x'61'),('b',33188,1,1,x'62');");
        uint8_t *entry = NULL;
        struct lsr_catalogue *c;
        bool is_only;

        /* The entry of "b": 3 bytes of header, the name, and the row's number 2, which becomes 9. */
        for (size_t i = 0; i + 5 < b.n; i++)
                if (memcmp(b.data + i,
                           "\x03\x0f\x01"
                           "b\x02",
                           5) == 0)
                        entry = b.data + i;
        cr_assert_not_null(entry);
        entry[4] = 9;
        c = scan_only(&b, "b", &is_only);
        cr_expect_not(is_only);
        cr_expect_eq(lsr_catalogue_rows(c), 3);
        lsr_catalogue_free(c);
        free(b.data);
}

Test(sqlite_archive, good_tables_paths)
{
        static const char *const paths[] = { "users",
                                             "users/3",
                                             "users//3/name",
                                             "users/3/name",
                                             "users/03",
                                             "users/-7/w",
                                             "users/4",
                                             "empty",
                                             "empty/1",
                                             "v",
                                             "v/1/n",
                                             "v/1/n:1",
                                             "./v/2",
                                             "",
                                             ".schema.sql",
                                             "users/3/none",
                                             "users/3/id/x",
                                             "none/1",
                                             "users/../v/1/n",
                                             "users/3/../-7/name",
                                             "users/4/../3",
                                             "../users/3",
                                             NULL };

        expect_same_paths(GOOD_TABLES, paths, true);
}
