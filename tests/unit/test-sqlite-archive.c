/*
 * Archives that are large enough for several connections: the listing is that of one connection, which is what
 * memory gets, as it is no file that could be mapped.
 */
#include <sched.h>
#include <sys/mman.h>

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

static struct result scan_file(const struct bytes *b, const char *engine)
{
        int fd = memfd_create("sqlar", MFD_CLOEXEC);
        struct result result;
        struct lsr_input *in;
        struct lsr_io *io;

        cr_assert_geq(fd, 0);
        cr_assert_eq(write(fd, b->data, b->n), (ssize_t)b->n);
        cr_assert_eq(lsr_io_new(&io, engine), 0);
        cr_assert_eq(lsr_input_file(&in, io, fd, 0, b->n), 0);
        result = scan_input(in, NULL, NULL, "", 0);
        lsr_io_free(io);
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
Test(sqlite_archive, bad_pages)
{
        struct bytes b = make(LARGE_SQLAR);
        uint64_t state = 4711;
        char what[32];

        for (unsigned i = 0; i < 12; i++) {
                size_t at = 4096 + fuzz_random(&state) % (b.n - 8192) / 4096 * 4096;
                uint8_t old[512];

                memcpy(old, b.data + at, sizeof(old));
                memset(b.data + at, 0xff, sizeof(old));
                snprintf(what, sizeof(what), "byte %zu", at);
                expect_same(&b, what);
                memcpy(b.data + at, old, sizeof(old));
        }
        free(b.data);
}
