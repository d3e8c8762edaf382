/*
 * sqlite-maker - databases, made by SQLite itself and then given to the driver as bytes
 */
#pragma once

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
#include "formats/sqlite/sqlite.h"

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

static inline void run(sqlite3 *db, const char *sql)
{
        char *message = NULL;

        sqlite3_exec(db, sql, NULL, NULL, &message);
        cr_assert_null(message, "%s", message);
}

static inline struct bytes make(const char *sql)
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

static inline void trouble(void *ctx, int error, const char *text)
{
        struct result *result = ctx;

        result->error = error;
        lsr_out_puts(&result->troubles, text);
        lsr_out_putc(&result->troubles, '\n');
}

static inline void show(struct result *result, const struct lsr_catalogue *c)
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
                /* Those of statements are for good_sizes. */
                if (m.meta.known & LSR_FIELD_SIZE && strcmp(m.path, ".schema.sql") != 0)
                        lsr_out_printf(&result->text, " %llu", (unsigned long long)m.meta.size);
                if (m.packed != UINT64_MAX)
                        lsr_out_printf(&result->text, " %llu", (unsigned long long)m.packed);
                if (m.method)
                        lsr_out_printf(&result->text, " %s", m.method);
                if (m.target)
                        lsr_out_printf(&result->text, " -> %s", m.target);
                if (m.flags & LSR_MEMBER_SUSPECT)
                        lsr_out_puts(&result->text, " suspect");
                /* What is in it is not known, and so not how many directories. */
                if (m.flags & LSR_MEMBER_UNREAD)
                        lsr_out_puts(&result->text, m.meta.known & LSR_FIELD_NLINK ? " wrong" : " unread");
                lsr_out_putc(&result->text, '\n');
        }
}

static inline struct result new_result(void)
{
        struct result result = {};

        lsr_out_init(&result.text, -1);
        lsr_out_init(&result.troubles, -1);
        return result;
}

static inline void end_result(struct result *result)
{
        lsr_out_putc(&result->text, '\0');
        lsr_out_putc(&result->troubles, '\0');
}

static inline void free_result(struct result *result)
{
        lsr_out_free(&result->text);
        lsr_out_free(&result->troubles);
}

/* @input is freed; @wal and @journal may be NULL.  @path and @depth as in struct lsr_wanted; "" and 0: all. */
static inline struct result scan_input(struct lsr_input *input, const struct bytes *wal, const struct bytes *journal,
                                       const char *path, unsigned depth)
{
        const struct lsr_wanted wanted = { .paths = &path, .n = 1, .depth = depth };
        struct result result = new_result();
        struct lsr_catalogue *c;
        struct lsr_scan scan = {
                .input = input,
                .builder = lsr_builder_new(),
                .wanted = *path || depth ? &wanted : NULL,
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
        lsr_scan_close(&scan, &lsr_format_sqlite);
        return result;
}

static inline struct result scan_beside(const struct bytes *b, const struct bytes *wal, const struct bytes *journal,
                                        const char *path, unsigned depth)
{
        return scan_input(lsr_input_memory(b->data, b->n), wal, journal, path, depth);
}

static inline struct result scan(const struct bytes *b, const char *path, unsigned depth)
{
        return scan_beside(b, NULL, NULL, path, depth);
}

/* The listing of what @sql makes is @want. */
static inline void lists(const char *sql, const char *path, unsigned depth, const char *want)
{
        struct bytes b = make(sql);
        struct result result = scan(&b, path, depth);

        cr_expect_eq(result.r, 0);
        cr_expect_str_eq(result.troubles.buf, "");
        cr_expect_str_eq(result.text.buf, want, "path '%s', depth %u:\n%s\nand not\n%s", path, depth, result.text.buf,
                         want);
        free_result(&result);
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

#define GOOD_TABLES                                                                      \
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, 'photo/x' BLOB, w REAL);" \
        "INSERT INTO users VALUES(3,'Zoë',x'0001020304',1.5),(-7,'',NULL,-20);"         \
        "CREATE INDEX by_name ON users(name);"                                           \
        "CREATE TABLE empty(a);"                                                         \
        "CREATE VIEW v AS SELECT name AS n, name AS n, length(name) FROM users;"

static inline int take(void *ctx, const void *data, size_t n)
{
        lsr_out_put(ctx, data, n);
        return 0;
}

static inline struct result read_member(const struct bytes *b, const struct lsr_member *m)
{
        struct result result = new_result();
        struct lsr_scan scan = {
                .input = lsr_input_memory(b->data, b->n),
                .ctx = &result,
                .trouble = trouble,
        };

        result.r = lsr_format_sqlite.read(&scan, m, &(struct lsr_sink){ &result.text, take });
        lsr_scan_close(&scan, &lsr_format_sqlite);
        end_result(&result);
        return result;
}

/* Scan, find @path and read it. */
static inline struct result read_path(const struct bytes *b, const char *path)
{
        struct lsr_scan scan = { .input = lsr_input_memory(b->data, b->n), .builder = lsr_builder_new() };
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
        lsr_scan_close(&scan, &lsr_format_sqlite);
        return result;
}

static inline void reads_bytes(const char *sql, const char *path, const char *want, size_t n)
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

static inline void reads(const char *sql, const char *path, const char *want)
{
        reads_bytes(sql, path, want, strlen(want));
}

static inline uint64_t fuzz_random(uint64_t *state)
{
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        return *state;
}
