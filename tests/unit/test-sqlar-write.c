/* Archives in SQLite that are written, looked at as a database and through the driver that reads them. */
#include <sqlite3.h>
#include <zlib.h>

#include "writing.h"

#include "formats/sqlite/write.h"

#define KEPT (LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_SIZE | LSR_FIELD_MTIME)
/* No archive of this kind knows owners. */
#define STORED .losses = LSR_LOSS_OWNER

/* --- the database as SQLite sees it -------------------------------------------------------- */

static sqlite3 *database_of(const struct made *made)
{
        sqlite3 *db;

        cr_assert_eq(made->r, 0, "%s", strerror(-made->r));
        cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
        cr_assert_eq(sqlite3_deserialize(db, "main", made->data, (sqlite3_int64)made->n, (sqlite3_int64)made->n,
                                         SQLITE_DESERIALIZE_READONLY),
                     SQLITE_OK);
        return db;
}

/* The rows of a query, columns between '|', are @want. */
static void says(sqlite3 *db, const char *sql, const char *want)
{
        char got[5000] = "";
        size_t n = 0;
        sqlite3_stmt *stmt;

        cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
        while (sqlite3_step(stmt) == SQLITE_ROW)
                for (int i = 0; i < sqlite3_column_count(stmt); i++) {
                        const unsigned char *text = sqlite3_column_text(stmt, i);

                        n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", text ? (const char *)text : "NULL",
                                              i == sqlite3_column_count(stmt) - 1 ? "\n" : "|");
                }
        cr_expect_str_eq(got, want, "%s: %s", sql, got);
        sqlite3_finalize(stmt);
}

/* The content of every file, in the zlib format where that is smaller and only there. */
static void check_blobs(sqlite3 *db, const struct item *items, size_t n)
{
        sqlite3_stmt *stmt;

        cr_assert_eq(sqlite3_prepare_v2(db, "SELECT sz,data FROM sqlar WHERE name=?", -1, &stmt, NULL), SQLITE_OK);
        for (size_t i = 0; i < n; i++) {
                uLongf size = item_n(&items[i]);
                uint8_t *content = lsr_xmalloc(size + 1);
                const void *data;
                size_t stored;

                sqlite3_reset(stmt);
                sqlite3_bind_text(stmt, 1, items[i].path, -1, SQLITE_STATIC);
                cr_assert_eq(sqlite3_step(stmt), SQLITE_ROW, "no '%s'", items[i].path);
                cr_expect_eq(sqlite3_column_int64(stmt, 0), (sqlite3_int64)size);
                data = sqlite3_column_blob(stmt, 1);
                stored = (size_t)sqlite3_column_bytes(stmt, 1);
                cr_assert_leq(stored, size);
                if (stored < size) {
                        cr_expect_eq(uncompress(content, &size, data, stored), Z_OK, "'%s'", items[i].path);
                        cr_expect_eq(size, item_n(&items[i]));
                        data = content;
                }
                cr_expect(size == 0 || memcmp(data, items[i].data, size) == 0, "'%s'", items[i].path);
                free(content);
        }
        sqlite3_finalize(stmt);
}

/* --- what is written ----------------------------------------------------------------------- */

#define BETAS "beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta"

Test(sqlar_write, tree)
{
        static const struct item items[] = {
                { .path = "", .mode = S_IFDIR | 0755, .sec = 1700000001, STORED },
                { .path = "a", .data = "alpha", .sec = 1, STORED },
                { .path = "a-b", .mode = S_IFREG | 04711, .sec = -1, STORED },
                { .path = "caf\xe9", .sec = INT64_MAX, STORED },
                { .path = "d", .mode = S_IFDIR | 01777, .sec = INT64_C(1) << 33, STORED },
                { .path = "d/link", .mode = S_IFLNK | 0777, .data = "../a", .sec = 1234567890, STORED },
                { .path = "d/sub", .mode = S_IFDIR | 0700, .sec = INT64_MIN, STORED },
                { .path = "d/sub/file", .mode = S_IFREG | 0600, .data = BETAS, STORED },
        };
        const size_t n = sizeof(items) / sizeof(items[0]);
        struct made made = make_bundle(&lsr_writer_sqlar, items, n, NULL);
        sqlite3 *db = database_of(&made);

        check_items(&lsr_format_sqlite, &made, items, n, KEPT);
        says(db, "PRAGMA integrity_check", "ok\n");
        says(db, "PRAGMA encoding", "UTF-8\n");
        says(db, "PRAGMA journal_mode", "memory\n");
        says(db, "SELECT name,type,pk FROM pragma_table_info('sqlar')",
             "name|TEXT|1\nmode|INT|0\nmtime|INT|0\nsz|INT|0\ndata|BLOB|0\n");
        /* As sqlite3 -A has them. */
        says(db, "SELECT rowid,hex(name),typeof(name),mode,mtime,sz,typeof(data),length(data) FROM sqlar",
             "1|2E|text|16877|1700000001|0|null|NULL\n"
             "2|61|text|33188|1|5|blob|5\n"
             "3|612D62|text|35273|-1|0|blob|0\n"
             "4|636166E9|text|33188|9223372036854775807|0|blob|0\n"
             "5|64|text|17407|8589934592|0|null|NULL\n"
             "6|642F6C696E6B|text|41471|1234567890|-1|text|4\n"
             "7|642F737562|text|16832|-9223372036854775808|0|null|NULL\n"
             "8|642F7375622F66696C65|text|33152|0|104|blob|16\n");
        sqlite3_close(db);
        made_free(&made);
}

Test(sqlar_write, empty)
{
        struct made made = make_bundle(&lsr_writer_sqlar, NULL, 0, NULL);
        sqlite3 *db = database_of(&made);

        says(db, "PRAGMA integrity_check", "ok\n");
        says(db, "SELECT count(*) FROM sqlar", "0\n");
        check_items(&lsr_format_sqlite, &made, NULL, 0, 0);
        sqlite3_close(db);
        made_free(&made);
}

Test(sqlar_write, sizes, .timeout = 100)
{
        struct item items[SIZED];
        struct made made, other;
        sqlite3 *db;
        struct back b;

        sized(items);
        for (unsigned i = 0; i < SIZED; i++)
                items[i].losses = LSR_LOSS_OWNER;
        made = make_bundle(&lsr_writer_sqlar, items, SIZED, &(struct options){ .threads = 3 });
        check_items(&lsr_format_sqlite, &made, items, SIZED, KEPT);
        db = database_of(&made);
        says(db, "PRAGMA integrity_check", "ok\n");
        check_blobs(db, items, SIZED);
        sqlite3_close(db);
        b = back_open(&lsr_format_sqlite, &made);
        for (unsigned i = 0; i < SIZED; i++) {
                struct lsr_member m = back_find(&b, items[i].path);
                bool noise = i == 16 || i == 17;

                /* Noise with text in it is worth while. */
                cr_expect_str_eq(m.method, !noise && items[i].n > 10 ? "deflate" : "store", "%u", i);
                if (i < 16 && items[i].n > 100)
                        cr_expect_lt(m.packed, items[i].n / 2, "%u", i);
        }
        back_close(&b);
        other = make_bundle(&lsr_writer_sqlar, items, SIZED, &(struct options){ .threads = 1, .step = 12345 });
        cr_expect(same_bytes(&made, &other));
        made_free(&other);
        made_free(&made);
        sized_free(items);
}

/* Of a member that is stored whatever its pieces are, nothing is added. */
Test(sqlar_write, noise)
{
        uint8_t *noise = noise_of(WHOLE + PIECE, 5);
        const struct item items[] = {
                { .path = "a", .data = noise, .n = WHOLE + PIECE, STORED },
                { .path = "b", .data = noise + 1, .n = 3 * PIECE, STORED },
        };
        struct made made = make_bundle(&lsr_writer_sqlar, items, 2, NULL);
        sqlite3 *db = database_of(&made);

        says(db, "SELECT name FROM sqlar WHERE sz=length(data)", "a\nb\n");
        check_blobs(db, items, 2);
        sqlite3_close(db);
        made_free(&made);
        free(noise);
}

/* Pieces that save too little for the whole to be smaller are stored, however many there are. */
Test(sqlar_write, nearly_noise)
{
        for (size_t run = 200; run <= 1000; run += 200)
                for (size_t pieces = 4; pieces <= 12; pieces += 8) {
                        uint8_t *noise = nearly_noise_of(pieces * PIECE, run);
                        const struct item item = { .path = "f", .data = noise, .n = pieces * PIECE, STORED };
                        struct made made = make_bundle(&lsr_writer_sqlar, &item, 1, NULL);
                        sqlite3 *db = database_of(&made);

                        check_blobs(db, &item, 1);
                        sqlite3_close(db);
                        made_free(&made);
                        free(noise);
                }
}

/* The same for small ones, where head and checksum of the format count. */
Test(sqlar_write, nearly_small)
{
        static char names[100][8];
        struct item items[100];
        struct made made;
        sqlite3 *db;

        for (size_t i = 0; i < 100; i++) {
                snprintf(names[i], sizeof(names[i]), "%02zu", i);
                items[i] = (struct item){ .path = names[i], .data = nearly_noise_of(250, i), .n = 250, STORED };
        }
        made = make_bundle(&lsr_writer_sqlar, items, 100, NULL);
        db = database_of(&made);
        check_blobs(db, items, 100);
        says(db, "SELECT min(length(data))<200,max(length(data)) FROM sqlar", "1|250\n");
        sqlite3_close(db);
        made_free(&made);
        for (size_t i = 0; i < 100; i++)
                free((void *)(uintptr_t)items[i].data);
}

/* So many that pages are written and read again before the end. */
Test(sqlar_write, counts, .timeout = 100)
{
        const unsigned n = 70000;
        struct item *items = calloc(n, sizeof(*items));
        char(*names)[64] = calloc(n, sizeof(*names));
        struct made made;
        struct back b;
        sqlite3 *db;

        for (unsigned i = 0; i < n; i++) {
                snprintf(names[i], sizeof(names[i]), "%05u %.50s", i, BETAS);
                items[i] = (struct item){ .path = names[i], .sec = i, .data = names[i] + 50 - i % 50, STORED };
        }
        made = make_bundle(&lsr_writer_sqlar, items, n, NULL);
        b = back_open(&lsr_format_sqlite, &made);
        cr_expect_eq(lsr_catalogue_rows(b.c), n + 1);
        for (unsigned i = 0; i < n; i += 7777)
                back_check(&b, &items[i], KEPT);
        back_close(&b);
        db = database_of(&made);
        says(db, "PRAGMA integrity_check", "ok\n");
        says(db, "SELECT count(*),sum(mtime) FROM sqlar", "70000|2449965000\n");
        sqlite3_close(db);
        made_free(&made);
        free(names);
        free(items);
}

Test(sqlar_write, losses)
{
        static char longest[500001];
        const struct item items[] = {
                { .path = "acl",
                  .xattrs = "system.posix_acl_default\0\0\0\0\0",
                  .xattrs_len = 29,
                  .losses = LSR_LOSS_ACL | LSR_LOSS_OWNER },
                { .path = "device", .mode = S_IFBLK | 0600, .losses = LSR_LOSS_KIND },
                { .path = "fifo", .mode = S_IFIFO | 0600, .losses = LSR_LOSS_KIND },
                { .path = "huge", .data = "", .n = 999000001, .losses = LSR_LOSS_KIND | LSR_LOSS_SIZE },
                { .path = "link",
                  .flags = LSR_MEMBER_HARDLINK,
                  .data = "same",
                  .losses = LSR_LOSS_HARDLINK | LSR_LOSS_OWNER },
                { .path = "long", .path_len = 500001, .losses = LSR_LOSS_KIND | LSR_LOSS_NAME },
                { .path = "socket", .mode = S_IFSOCK | 0600, .losses = LSR_LOSS_KIND },
                { .path = "xattr",
                  .xattrs = "user.a\0\1\0\0\0x",
                  .xattrs_len = 12,
                  .losses = LSR_LOSS_XATTRS | LSR_LOSS_OWNER },
        };
        const size_t n = sizeof(items) / sizeof(items[0]);
        struct made made = make_bundle(&lsr_writer_sqlar, items, n, NULL);

        check_items(&lsr_format_sqlite, &made, items, n, KEPT);
        made_free(&made);
        memset(longest, 'x', 500000);
        made = make_bundle(&lsr_writer_sqlar, &(struct item){ .path = longest, STORED }, 1, NULL);
        cr_expect_eq(made.r, 0);
        made_free(&made);
}

/* The file system beneath, with so few pages in memory that all are written and read again and again. */
Test(sqlar_write, output)
{
        struct lsr_sqlite_output *fs;
        struct lsr_output out;
        struct made made;
        sqlite3 *db;
        int fd = made_file();

        lsr_output_init(&out, fd);
        cr_assert_eq(lsr_sqlite_output_new(&fs, &out), 0);
        cr_assert_eq(sqlite3_open_v2("x", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, lsr_sqlite_output_name(fs)),
                     SQLITE_OK);
        cr_assert_eq(sqlite3_exec(db,
                                  "PRAGMA page_size=512; PRAGMA journal_mode=OFF; PRAGMA cache_size=1;"
                                  "PRAGMA temp_store=MEMORY; BEGIN; CREATE TABLE t(k PRIMARY KEY,v);"
                                  "WITH n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<3000)"
                                  "INSERT INTO t SELECT i*7919%10007,zeroblob(i%900) FROM n;"
                                  "UPDATE t SET v=k||v WHERE k%3; DELETE FROM t WHERE k%5=0; COMMIT; VACUUM;",
                                  NULL, NULL, NULL),
                     SQLITE_OK, "%s", sqlite3_errmsg(db));
        says(db, "PRAGMA integrity_check", "ok\n");
        cr_assert_eq(sqlite3_close(db), SQLITE_OK);
        cr_assert_eq(lsr_sqlite_output_flush(fs), 0);
        made = made_of(fd);
        cr_expect_eq(out.at, made.n);
        db = database_of(&made);
        says(db, "PRAGMA integrity_check", "ok\n");
        says(db, "SELECT count(*),sum(k%3>0),count(DISTINCT k) FROM t WHERE k%3=0 OR v LIKE k||'%'",
             "2401|1602|2401\n");
        sqlite3_close(db);
        lsr_sqlite_output_free(fs);
        lsr_output_free(&out);
        made_free(&made);
        close(fd);
}

/* --- what goes wrong ------------------------------------------------------------------------ */

Test(sqlar_write, bad_output)
{
        struct item items[SIZED];
        struct lsr_output out;
        int fds[2], fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

        cr_assert_eq(pipe(fds), 0);
        lsr_output_init(&out, fds[1]);
        cr_expect_eq(write_items(&lsr_writer_sqlar, &out, NULL, 0, NULL), -ESPIPE);
        lsr_output_free(&out);
        /* A file that cannot be written to: at the end, and on the way. */
        sized(items);
        for (unsigned i = 0; i < SIZED; i++)
                items[i].losses = LSR_LOSS_OWNER;
        lsr_output_init(&out, fd);
        cr_expect_eq(write_items(&lsr_writer_sqlar, &out, items, 1, NULL), -EBADF);
        lsr_output_free(&out);
        lsr_output_init(&out, fd);
        cr_expect_eq(write_items(&lsr_writer_sqlar, &out, items, SIZED, NULL), -EBADF);
        lsr_output_free(&out);
        sized_free(items);
        close(fd);
        close(fds[0]);
        close(fds[1]);
}

Test(sqlar_write, bad_twice)
{
        static const struct item items[] = {
                { .path = "a", STORED },
                { .path = "a", .data = "x", STORED },
                { .path = "b", .data = "x", STORED },
        };
        struct made made = make_bundle(&lsr_writer_sqlar, items, 3, NULL);

        cr_expect_eq(made.r, -EEXIST);
        made_free(&made);
}

/* Given up on the way, with a member in pieces under way. */
Test(sqlar_write, given_up)
{
        static const struct lsr_writer_options options = { .level = 1, .threads = 2 };
        uint8_t *text = text_of(20 * PIECE, 1);
        struct lsr_member m = item_member(&(struct item){ .path = "f", .data = text, .n = 21 * PIECE });
        int fd = made_file();
        struct lsr_output out;
        struct lsr_writer *w;

        lsr_output_init(&out, fd);
        cr_assert_eq(lsr_writer_sqlar.open(&w, &out, &options), 0);
        cr_assert_eq(lsr_writer_sqlar.member(w, &m, NULL, 0), LSR_LOSS_OWNER);
        cr_assert_eq(lsr_writer_sqlar.data(w, text, 20 * PIECE), 0);
        lsr_writer_sqlar.free(w);
        lsr_output_free(&out);
        close(fd);
        free(text);
}
