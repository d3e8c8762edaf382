/*
 * zip-maker - zips made byte by byte, and what the driver says of them
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/bytes.h"
#include "errors.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/format.h"

/* --- making zips ----------------------------------------------------------------- */

struct bytes {
        uint8_t *data;
        size_t n;
        size_t cap;
};

static inline void put(struct bytes *b, const void *data, size_t n)
{
        if (b->cap - b->n < n) {
                b->cap = (b->cap + n) * 2;
                b->data = realloc(b->data, b->cap);
        }
        if (n)
                memcpy(b->data + b->n, data, n);
        b->n += n;
}

static inline void put16(struct bytes *b, unsigned v)
{
        uint8_t p[2];

        lsr_put_le16(p, (uint16_t)v);
        put(b, p, 2);
}

static inline void put32(struct bytes *b, uint64_t v)
{
        uint8_t p[4];

        lsr_put_le32(p, (uint32_t)v);
        put(b, p, 4);
}

static inline void put64(struct bytes *b, uint64_t v)
{
        uint8_t p[8];

        lsr_put_le64(p, v);
        put(b, p, 8);
}

#define TEXT(s) (s), sizeof(s) - 1

/* What is zero is as a writer on Unix would have it: stored, 0644 unless mode says otherwise. */
struct entry {
        const char *name;
        size_t name_len; /* 0: strlen */
        const char *data;
        size_t n;            /* bytes in the zip; 0: strlen(data) */
        const char *content; /* what @data decode to, if not themselves */
        unsigned method;
        unsigned flags;
        unsigned host;     /* plus 1; 0: Unix */
        uint32_t mode;     /* upper half of the external attributes */
        uint32_t dos;      /* lower half */
        uint32_t time;     /* DOS date and time; 0: DOS_TIME, 1: 0 */
        const char *extra; /* of the central header */
        size_t extra_len;
        const char *local_extra;
        size_t local_extra_len;
        const char *local_name;
        unsigned disk;
        unsigned descriptor; /* 12, 16, 20, 24: bytes of one */
        bool crc_wrong;
        bool huge_size, huge_packed, huge_offset; /* all ones in the central header */
        uint64_t packed_add;                      /* lie by so much */
        const struct entry *same;                 /* the local header of that one */
        uint64_t at;                              /* where the local header went */
};

/* "beta" as a stored block of deflate */
#define BETA .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8

/* 2001-02-03 04:05:06 */
#define DOS_TIME ((21u << 9 | 2 << 5 | 3) << 16 | 4 << 11 | 5 << 5 | 3)
#define DOS_SECONDS 981173106

static inline size_t entry_name_len(const struct entry *e)
{
        return e->name_len ? e->name_len : strlen(e->name);
}

static inline size_t entry_n(const struct entry *e)
{
        return e->n ? e->n : e->data ? strlen(e->data) : 0;
}

static const char *entry_content(const struct entry *e)
{
        return e->content ? e->content : e->data ? e->data : "";
}

static inline size_t entry_size(const struct entry *e)
{
        return e->content ? strlen(e->content) : entry_n(e);
}

static inline uint32_t entry_crc(const struct entry *e)
{
        return lsr_crc32(0, entry_content(e), entry_size(e)) ^ e->crc_wrong;
}

static inline uint32_t entry_time(const struct entry *e)
{
        return e->time == 1 ? 0 : e->time ? e->time : DOS_TIME;
}

/* APPNOTE 4.3.7 to 4.3.9 */
static inline void put_local(struct bytes *b, struct entry *e)
{
        const char *name = e->local_name ? e->local_name : e->name;
        size_t len = e->local_name ? strlen(name) : entry_name_len(e);
        bool later = e->descriptor;

        e->at = b->n;
        put(b, "PK\3\4", 4);
        put16(b, 20);
        put16(b, e->flags | (later ? 8 : 0));
        put16(b, e->method);
        put32(b, entry_time(e));
        put32(b, later ? 0 : entry_crc(e));
        put32(b, later ? 0 : entry_n(e));
        put32(b, later ? 0 : entry_size(e));
        put16(b, (unsigned)len);
        put16(b, (unsigned)e->local_extra_len);
        put(b, name, len);
        put(b, e->local_extra, e->local_extra_len);
        put(b, e->data, entry_n(e));
        if (!later)
                return;
        if (e->descriptor % 8 == 0) /* 16 and 24 have a signature */
                put(b, "PK\7\10", 4);
        put32(b, entry_crc(e));
        if (e->descriptor < 20) {
                put32(b, entry_n(e));
                put32(b, entry_size(e));
        } else {
                put64(b, entry_n(e));
                put64(b, entry_size(e));
        }
}

/* 4.3.12 */
static inline void put_central(struct bytes *b, const struct entry *e, uint64_t base)
{
        put(b, "PK\1\2", 4);
        put16(b, (e->host ? e->host - 1 : 3) << 8 | 30);
        put16(b, 20);
        put16(b, e->flags | (e->descriptor ? 8 : 0));
        put16(b, e->method);
        put32(b, entry_time(e));
        put32(b, entry_crc(e));
        put32(b, e->huge_packed ? UINT32_MAX : entry_n(e) + e->packed_add);
        put32(b, e->huge_size ? UINT32_MAX : entry_size(e));
        put16(b, (unsigned)entry_name_len(e));
        put16(b, (unsigned)e->extra_len);
        put16(b, 0);
        put16(b, e->disk);
        put16(b, 0);
        put32(b, (uint64_t)e->mode << 16 | e->dos);
        put32(b, e->huge_offset ? UINT32_MAX : (e->same ? e->same->at : e->at) - base);
        put(b, e->name, entry_name_len(e));
        put(b, e->extra, e->extra_len);
}

/* 4.3.16 */
static inline void put_end(struct bytes *b, unsigned disk, unsigned entries, uint64_t size, uint64_t offset,
                           const void *comment, size_t comment_len)
{
        put(b, "PK\5\6", 4);
        put16(b, disk);
        put16(b, disk);
        put16(b, entries);
        put16(b, entries);
        put32(b, size);
        put32(b, offset);
        put16(b, (unsigned)comment_len);
        put(b, comment, comment_len);
}

/* 4.3.14 and 4.3.15; @prefix: bytes before the zip */
static inline void put_end64(struct bytes *b, uint64_t entries, uint64_t size, uint64_t offset, uint64_t prefix,
                             unsigned version)
{
        uint64_t at = b->n - prefix;

        put(b, "PK\6\6", 4);
        put64(b, version >= 62 ? 44 + 28 : 44);
        put16(b, version);
        put16(b, version);
        put32(b, 0);
        put32(b, 0);
        put64(b, entries);
        put64(b, entries);
        put64(b, size);
        put64(b, offset);
        if (version >= 62)
                put(b, "\0\0................\x0e\x66\0\1\1\0\0\0\0\0", 28);
        put(b, "PK\6\7", 4);
        put32(b, 0);
        put64(b, at);
        put32(b, 1);
}

/* A whole zip behind @b->n bytes of anything, offsets counted from there. */
static inline void put_zip(struct bytes *b, struct entry *entries, size_t n, const void *comment, size_t comment_len)
{
        uint64_t base = b->n, directory;

        for (size_t i = 0; i < n; i++)
                if (!entries[i].same)
                        put_local(b, &entries[i]);
        directory = b->n;
        for (size_t i = 0; i < n; i++)
                put_central(b, &entries[i], base);
        put_end(b, 0, (unsigned)(n & 0xffff), b->n - directory, directory - base, comment, comment_len);
}

/* Where the directory of a zip without a comment begins. */
static inline uint64_t directory_of(const struct bytes *b)
{
        return lsr_le32(b->data + b->n - 22 + 16);
}

/* --- what comes of them ------------------------------------------------------------ */

struct result {
        int r;
        struct lsr_catalogue *c;
        char troubles[20000]; /* "error: text\n" each */
        bool bad;             /* one of them an error */
};

static inline void result_trouble(void *ctx, int error, const char *text)
{
        struct result *res = ctx;
        size_t n = strlen(res->troubles);

        snprintf(res->troubles + n, sizeof(res->troubles) - n, "%s: %s\n", error ? error_name(-error) : "remark", text);
        res->bad |= error != 0;
}

/* An input that gives few bytes at a time. */
struct crumbs {
        struct lsr_input in;
        struct lsr_input *whole;
        uint8_t crumb[7];
        uint64_t at;
};

static inline ssize_t crumbs_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct crumbs *c = (struct crumbs *)in;
        ssize_t got = lsr_input_read_at(c->whole, c->crumb, sizeof(c->crumb), c->at);

        *ret_data = c->crumb;
        c->at += got > 0 ? (uint64_t)got : 0;
        return got;
}

static inline ssize_t crumbs_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        return lsr_input_read_at(((struct crumbs *)in)->whole, buf, size, offset);
}

static inline int crumbs_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct crumbs *)in)->at = offset;
        return 0;
}

static inline void crumbs_free(struct lsr_input *in)
{
        lsr_input_free(((struct crumbs *)in)->whole);
        free(in);
}

static inline struct lsr_input *input_of(const struct bytes *b, bool crumbs)
{
        static const struct lsr_input_ops ops = {
                .next = crumbs_next, .read_at = crumbs_read_at, .seek = crumbs_seek, .free = crumbs_free
        };
        struct lsr_input *whole = lsr_input_memory(b->data, b->n);
        struct crumbs *c;

        if (!crumbs)
                return whole;
        c = lsr_input_alloc(sizeof(*c), &ops);
        c->in.size = b->n;
        c->whole = whole;
        return &c->in;
}

static inline struct result *scan_from(const struct bytes *b, bool crumbs)
{
        struct result *res = calloc(1, sizeof(*res));
        struct lsr_scan scan = { .window_max = 1 << 27, .ctx = res, .trouble = result_trouble };

        scan.input = input_of(b, crumbs);
        scan.builder = lsr_builder_new();
        res->r = lsr_format_zip.scan(&scan);
        cr_assert_eq(lsr_builder_finish(scan.builder, &res->c), 0);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        return res;
}

static inline struct result *scan(const struct bytes *b)
{
        return scan_from(b, false);
}

static inline void result_free(struct result *res)
{
        lsr_catalogue_free(res->c);
        free(res);
}

static inline bool has(const struct result *res, const char *path)
{
        return lsr_catalogue_find(res->c, 0, path, strlen(path)) > 0;
}

static inline struct lsr_member get(const struct result *res, const char *path)
{
        struct lsr_member m;
        int64_t row = lsr_catalogue_find(res->c, 0, path, strlen(path));

        cr_assert(row > 0, "no '%s' (%s)", path, res->troubles);
        lsr_catalogue_get(res->c, (uint32_t)row, &m);
        return m;
}

/* One member in a zip of its own. */
static inline struct lsr_member one(struct entry e, struct result **ret_res)
{
        struct bytes b = {};
        struct lsr_member m;
        struct result *res;

        e.name = e.name ? e.name : "f";
        put_zip(&b, &e, 1, NULL, 0);
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_eq(lsr_catalogue_rows(res->c), 2, "%s", res->troubles);
        lsr_catalogue_get(res->c, 1, &m);
        *ret_res = res;
        free(b.data);
        return m;
}

#define ONE(check, ...)                                                          \
        do {                                                                     \
                struct result *res_;                                             \
                struct lsr_member m = one((struct entry){ __VA_ARGS__ }, &res_); \
                cr_expect(check);                                                \
                result_free(res_);                                               \
        } while (0)

/* Content through read(), or its error. */
static inline int take(void *ctx, const void *data, size_t n)
{
        put(ctx, data, n);
        return 0;
}

static inline int read_path(const struct bytes *b, const struct result *listed, const char *path, struct bytes *content,
                            struct result *said)
{
        struct lsr_scan s = { .window_max = 1 << 27, .ctx = said, .trouble = result_trouble };
        struct lsr_member m = get(listed, path);
        struct lsr_sink sink = { content, take };
        int r;

        m.path = path;
        m.path_len = strlen(path);
        s.input = input_of(b, false);
        *said = (struct result){};
        content->n = 0;
        r = lsr_format_zip.read(&s, &m, &sink);
        lsr_input_free(s.input);
        return r;
}

/* Seconds 1..4; NTFS 1 s after 1970 is 116444736010000000 of 100 ns: 0x019db1ded5d4d680. */
#define UT "UT\5\0\1\1\0\0\0"
#define NTFS "\12\0\40\0\0\0\0\0\1\0\30\0\x80\x16\xcd\xd6\xde\xb1\x9d\1\x80\x16\xcd\xd6\xde\xb1\x9d\1\0\0\0\0\0\0\0\0"
#define UX "UX\10\0\5\0\0\0\3\0\0\0"
#define PKUX "\15\0\14\0\5\0\0\0\4\0\0\0\350\3\351\3"
#define EXTRA(s) .extra = (s), .extra_len = sizeof(s) - 1

/* --- a zip of a directory, two files and a link ----------------------------------------- */

static __attribute__((unused)) struct entry plain[] = {
        { .name = "dir/", .mode = S_IFDIR | 0750 },
        { .name = "dir/a.txt", .data = "alpha", .mode = S_IFREG | 0640 },
        { .name = "b", .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8, .mode = S_IFREG | 04755 },
        { .name = "link", .data = "dir/a.txt", .mode = S_IFLNK | 0777 },
};

static inline void check_plain(const struct result *res)
{
        struct lsr_member m;

        cr_assert_eq(res->r, 0);
        cr_assert_eq(lsr_catalogue_rows(res->c), 5, "%s", res->troubles);
        m = get(res, "dir");
        cr_assert_eq(m.meta.mode, S_IFDIR | 0750);
        cr_assert_null(m.method);
        m = get(res, "dir/a.txt");
        cr_assert_eq(m.meta.mode, S_IFREG | 0640);
        cr_assert_eq(m.meta.size, 5);
        cr_assert_eq(m.packed, 5);
        cr_assert_str_eq(m.method, "store");
        cr_assert_eq(m.meta.sec[LSR_MTIME], DOS_SECONDS);
        cr_assert_eq(m.flags, LSR_MEMBER_LOCALTIME);
        m = get(res, "b");
        cr_assert_eq(m.meta.mode, S_IFREG | 04755);
        cr_assert_eq(m.meta.size, 4);
        cr_assert_eq(m.packed, 9);
        cr_assert_str_eq(m.method, "deflate");
        m = get(res, "link");
        cr_assert_eq(m.meta.mode, S_IFLNK | 0777);
        cr_assert_eq(m.meta.size, 9);
        cr_assert_eq(m.target_len, 9);
        cr_assert_str_eq(m.target, "dir/a.txt");
}

static inline void check_plain_quiet(const struct bytes *b)
{
        struct result *res = scan(b);

        check_plain(res);
        cr_assert_str_eq(res->troubles, "");
        result_free(res);
}

static inline void put_zip64(struct bytes *b, uint64_t base, bool ones, unsigned version)
{
        uint64_t directory;

        for (size_t i = 0; i < 4; i++)
                put_local(b, &plain[i]);
        directory = b->n;
        for (size_t i = 0; i < 4; i++)
                put_central(b, &plain[i], base);
        put_end64(b, 4, b->n - directory, directory - base, base, version);
        if (ones)
                put_end(b, 0xffff, 0xffff, UINT32_MAX, UINT32_MAX, NULL, 0);
        else
                put_end(b, 0, 4, b->n - directory - 76, directory - base, NULL, 0);
}
