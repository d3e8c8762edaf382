/*
 * The zip driver against zips made byte by byte: each trap that other programs
 * fall into, truncation and damage at every byte, and very many members.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/bytes.h"
#include "formats/crc.h"
#include "formats/drivers.h"
#include "formats/format.h"

/* --- making zips ----------------------------------------------------------------- */

struct bytes {
        uint8_t *data;
        size_t n;
        size_t cap;
};

static void put(struct bytes *b, const void *data, size_t n)
{
        if (b->cap - b->n < n) {
                b->cap = (b->cap + n) * 2;
                b->data = realloc(b->data, b->cap);
        }
        if (n)
                memcpy(b->data + b->n, data, n);
        b->n += n;
}

static void put16(struct bytes *b, unsigned v)
{
        uint8_t p[2];

        lsr_put_le16(p, (uint16_t)v);
        put(b, p, 2);
}

static void put32(struct bytes *b, uint64_t v)
{
        uint8_t p[4];

        lsr_put_le32(p, (uint32_t)v);
        put(b, p, 4);
}

static void put64(struct bytes *b, uint64_t v)
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

/* 2001-02-03 04:05:06 */
#define DOS_TIME ((21u << 9 | 2 << 5 | 3) << 16 | 4 << 11 | 5 << 5 | 3)
#define DOS_SECONDS 981173106

static size_t entry_name_len(const struct entry *e)
{
        return e->name_len ? e->name_len : strlen(e->name);
}

static size_t entry_n(const struct entry *e)
{
        return e->n ? e->n : e->data ? strlen(e->data) : 0;
}

static const char *entry_content(const struct entry *e)
{
        return e->content ? e->content : e->data ? e->data : "";
}

static size_t entry_size(const struct entry *e)
{
        return e->content ? strlen(e->content) : entry_n(e);
}

static uint32_t entry_crc(const struct entry *e)
{
        return lsr_crc32(0, entry_content(e), entry_size(e)) ^ e->crc_wrong;
}

static uint32_t entry_time(const struct entry *e)
{
        return e->time == 1 ? 0 : e->time ? e->time : DOS_TIME;
}

/* APPNOTE 4.3.7 to 4.3.9 */
static void put_local(struct bytes *b, struct entry *e)
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
static void put_central(struct bytes *b, const struct entry *e, uint64_t base)
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
static void put_end(struct bytes *b, unsigned disk, unsigned entries, uint64_t size, uint64_t offset,
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
static void put_end64(struct bytes *b, uint64_t entries, uint64_t size, uint64_t offset, uint64_t prefix,
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
static void put_zip(struct bytes *b, struct entry *entries, size_t n, const void *comment, size_t comment_len)
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
static uint64_t directory_of(const struct bytes *b)
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

static void result_trouble(void *ctx, int error, const char *text)
{
        struct result *res = ctx;
        size_t n = strlen(res->troubles);

        snprintf(res->troubles + n, sizeof(res->troubles) - n, "%s: %s\n", error ? strerrorname_np(-error) : "remark",
                 text);
        res->bad |= error != 0;
}

/* An input that gives few bytes at a time. */
struct crumbs {
        struct lsr_input in;
        struct lsr_input *whole;
        uint8_t crumb[7];
        uint64_t at;
};

static ssize_t crumbs_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct crumbs *c = (struct crumbs *)in;
        ssize_t got = lsr_input_read_at(c->whole, c->crumb, sizeof(c->crumb), c->at);

        *ret_data = c->crumb;
        c->at += got > 0 ? (uint64_t)got : 0;
        return got;
}

static ssize_t crumbs_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        return lsr_input_read_at(((struct crumbs *)in)->whole, buf, size, offset);
}

static int crumbs_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct crumbs *)in)->at = offset;
        return 0;
}

static void crumbs_free(struct lsr_input *in)
{
        lsr_input_free(((struct crumbs *)in)->whole);
        free(in);
}

static struct lsr_input *input_of(const struct bytes *b, bool crumbs)
{
        static const struct lsr_input_ops ops = { crumbs_next, crumbs_read_at, crumbs_seek, crumbs_free };
        struct lsr_input *whole = lsr_input_memory(b->data, b->n);
        struct crumbs *c;

        if (!crumbs)
                return whole;
        c = lsr_input_alloc(sizeof(*c), &ops);
        c->in.size = b->n;
        c->whole = whole;
        return &c->in;
}

static struct result *scan_from(const struct bytes *b, bool crumbs)
{
        struct result *res = calloc(1, sizeof(*res));
        struct lsr_scan scan = { .prefix = "", .window_max = 1 << 27, .ctx = res, .trouble = result_trouble };

        scan.input = input_of(b, crumbs);
        scan.builder = lsr_builder_new();
        res->r = lsr_format_zip.scan(&scan);
        cr_assert_eq(lsr_builder_finish(scan.builder, &res->c), 0);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        return res;
}

static struct result *scan(const struct bytes *b)
{
        return scan_from(b, false);
}

static void result_free(struct result *res)
{
        lsr_catalogue_free(res->c);
        free(res);
}

static bool has(const struct result *res, const char *path)
{
        return lsr_catalogue_find(res->c, 0, path, strlen(path)) > 0;
}

static struct lsr_member get(const struct result *res, const char *path)
{
        struct lsr_member m;
        int64_t row = lsr_catalogue_find(res->c, 0, path, strlen(path));

        cr_assert(row > 0, "no '%s' (%s)", path, res->troubles);
        lsr_catalogue_get(res->c, (uint32_t)row, &m);
        return m;
}

/* One member in a zip of its own. */
static struct lsr_member one(struct entry e, struct result **ret_res)
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
static int take(void *ctx, const void *data, size_t n)
{
        put(ctx, data, n);
        return 0;
}

static int read_path(const struct bytes *b, const struct result *listed, const char *path, struct bytes *content,
                     struct result *said)
{
        struct lsr_scan s = { .prefix = "", .window_max = 1 << 27, .ctx = said, .trouble = result_trouble };
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

/* --- plain ---------------------------------------------------------------------------- */

static struct entry plain[] = {
        { .name = "dir/", .mode = S_IFDIR | 0750 },
        { .name = "dir/a.txt", .data = "alpha", .mode = S_IFREG | 0640 },
        { .name = "b", .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8, .mode = S_IFREG | 04755 },
        { .name = "link", .data = "dir/a.txt", .mode = S_IFLNK | 0777 },
};

static void check_plain(const struct result *res)
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

static void check_plain_quiet(const struct bytes *b)
{
        struct result *res = scan(b);

        check_plain(res);
        cr_assert_str_eq(res->troubles, "");
        result_free(res);
}

Test(zip, plain)
{
        struct bytes b = {};
        struct result *res;

        put_zip(&b, plain, 4, NULL, 0);
        check_plain_quiet(&b);
        res = scan_from(&b, true);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "");
        result_free(res);
        free(b.data);
}

Test(zip, empty)
{
        struct bytes b = {};
        struct result *res;

        put_end(&b, 0, 0, 0, 0, TEXT("nothing"));
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_eq(lsr_catalogue_rows(res->c), 1);
        cr_assert_str_eq(res->troubles, "");
        result_free(res);
        free(b.data);
}

Test(zip, longest_comment)
{
        struct bytes b = {};
        char *comment = calloc(1, 65535);

        put_zip(&b, plain, 4, comment, 65535);
        check_plain_quiet(&b);
        free(comment);
        free(b.data);
}

/* Bytes appended: the end record is not where it should be, but it is the only one. */
Test(zip, appended)
{
        struct bytes b = {};
        struct result *res;

        put_zip(&b, plain, 4, NULL, 0);
        put(&b, "junk", 4);
        res = scan(&b);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "remark: the last 4 bytes do not belong to the zip\n");
        result_free(res);
        /* bsdtar fills up a block. */
        memset(b.data + b.n - 4, 0, 4);
        check_plain_quiet(&b);
        free(b.data);
}

/* The comment is an end record itself, of an empty zip: unzip, bsdtar, Python and Go list nothing. */
Test(zip, hostile_end_in_comment)
{
        static struct entry inner[] = { { .name = "fake", .data = "fake" } };
        struct bytes b = {}, comment = {};
        struct result *res;
        uint64_t at;

        put_end(&comment, 0, 0, 0, 0, NULL, 0);
        put_zip(&b, plain, 4, comment.data, comment.n);
        res = scan(&b);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "remark: there are 2 end records, one within the comment of the other\n");
        result_free(res);

        /* With an offset that needs no base: both make sense, the first is meant. */
        at = b.n - comment.n;
        comment.n = b.n = 0;
        put_end(&comment, 0, 0, 0, at, NULL, 0);
        put_zip(&b, plain, 4, comment.data, comment.n);
        res = scan(&b);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "remark: there are 2 end records, one within the comment of the other\n");
        result_free(res);

        /* A whole zip. */
        comment.n = b.n = 0;
        put_zip(&comment, inner, 1, NULL, 0);
        put_zip(&b, plain, 4, comment.data, comment.n);
        res = scan(&b);
        check_plain(res);
        result_free(res);
        free(comment.data);
        free(b.data);
}

Test(zip, prefix)
{
        struct bytes b = {};
        struct lsr_member m;
        struct result *res;
        char *program = calloc(1, 100000);

        memcpy(program, "\177ELF", 4);
        put(&b, program, 100000);
        put_zip(&b, plain, 4, NULL, 0);
        res = scan(&b);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "");
        m = get(res, "dir/a.txt");
        cr_assert_eq(m.position, plain[1].at);
        result_free(res);
        free(program);
        free(b.data);
}

/* Offsets have been corrected already, and something lies between directory and end. */
Test(zip, prefix_corrected)
{
        struct bytes b = {};
        uint64_t directory;

        put(&b, "#!/bin/sh\n", 10);
        for (size_t i = 0; i < 4; i++)
                put_local(&b, &plain[i]);
        directory = b.n;
        for (size_t i = 0; i < 4; i++)
                put_central(&b, &plain[i], 0);
        put(&b, "PK\5\5\2\0..", 8);
        put_end(&b, 0, 4, b.n - directory - 8, directory, NULL, 0);
        check_plain_quiet(&b);
        free(b.data);
}

/* Two zips one behind the other: the last counts.  One cut short right behind a stored zip: the outer one does. */
Test(zip, zip_behind_zip)
{
        static struct entry first[] = { { .name = "first", .data = "1" } };
        struct entry nest[] = { { .name = "before", .data = "1" }, { .name = "inner.zip" } };
        struct bytes b = {}, inner = {};
        struct result *res;

        put_zip(&b, first, 1, NULL, 0);
        put_zip(&b, plain, 4, NULL, 0);
        check_plain_quiet(&b);

        b.n = 0;
        put_zip(&inner, plain, 4, NULL, 0);
        nest[1].data = (const char *)inner.data;
        nest[1].n = inner.n;
        put_local(&b, &nest[0]);
        put_local(&b, &nest[1]);
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_eq(lsr_catalogue_rows(res->c), 3);
        cr_assert(has(res, "before") && has(res, "inner.zip"));
        cr_assert(res->bad);
        result_free(res);
        free(inner.data);
        free(b.data);
}

/* --- zip64 -------------------------------------------------------------------------------- */

/* 4.5.3: the field has those values whose place in the header is all ones, and no others. */
Test(zip, zip64_fields)
{
        ONE(m.meta.size == 7 && m.packed == 1 && !(m.flags & LSR_MEMBER_SUSPECT), .data = "x", .huge_size = true,
            .extra = "\1\0\10\0\7\0\0\0\0\0\0\0", .extra_len = 12);
        ONE(m.meta.size == 1 && m.packed == 1 && m.position == 0, .data = "x", .huge_packed = true,
            .extra = "\1\0\10\0\1\0\0\0\0\0\0\0", .extra_len = 12);
        ONE(m.meta.size == 1 && m.packed == 1 && m.position == 0, .data = "x", .huge_offset = true,
            .extra = "\1\0\10\0\0\0\0\0\0\0\0\0", .extra_len = 12);
        ONE(m.meta.size == 9 && m.packed == 1 && m.position == 0, .data = "x", .huge_offset = true, .huge_packed = true,
            .huge_size = true, .disk = 0xffff,
            .extra = "\1\0\34\0\11\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", .extra_len = 32);
        /* Nothing is all ones: the field is not looked at. */
        ONE(m.meta.size == 1 && m.packed == 1, .data = "x", .extra = "\1\0\10\0\7\0\0\0\0\0\0\0", .extra_len = 12);
}

Test(zip, bad_zip64_field_missing)
{
        struct result *res;
        struct lsr_member m = one((struct entry){ .name = "f", .data = "x", .huge_size = true }, &res);

        cr_assert_not(m.meta.known & LSR_FIELD_SIZE);
        cr_assert(m.flags & LSR_MEMBER_SUSPECT);
        cr_assert_str_eq(res->troubles, "EBADMSG: the entry at byte 32 lacks its 64-bit sizes\n");
        result_free(res);
}

static void put_zip64(struct bytes *b, uint64_t base, bool ones, unsigned version)
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

Test(zip, zip64_end)
{
        for (unsigned ones = 0; ones < 2; ones++) {
                struct bytes b = {};

                put_zip64(&b, 0, ones, 45);
                check_plain_quiet(&b);
                b.n = 0;
                put(&b, "prefix", 6);
                put_zip64(&b, 6, ones, 45);
                check_plain_quiet(&b);
                free(b.data);
        }
}

/* 7.3.4: the directory of such a zip is not readable, and nothing is recovered past that. */
Test(zip, encrypted_directory)
{
        struct bytes b = {};
        struct result *res;

        put_zip64(&b, 0, true, 62);
        res = scan(&b);
        cr_assert_eq(res->r, -EACCES);
        cr_assert_str_eq(res->troubles, "EACCES: the central directory is encrypted\n");
        result_free(res);
        free(b.data);
}

Test(zip, split)
{
        struct bytes b = {};
        struct result *res;

        for (size_t i = 0; i < 4; i++)
                put_central(&b, &plain[i], 0);
        put_end(&b, 2, 4, b.n, 1000, NULL, 0);
        res = scan(&b);
        cr_assert_eq(res->r, -EOPNOTSUPP);
        cr_assert_str_eq(res->troubles, "EOPNOTSUPP: this is one of the several parts of a split zip\n");
        result_free(res);

        b.n = 0;
        put(&b, "PK\7\10", 4);
        put_local(&b, &plain[1]);
        res = scan(&b);
        cr_assert_eq(res->r, -EOPNOTSUPP);
        cr_assert_str_eq(res->troubles, "EOPNOTSUPP: this is the first of the several parts of a split zip\n");
        result_free(res);

        /* It was to be split and fits in one part: 8.5.4. */
        b.n = 0;
        put(&b, "PK00", 4);
        for (size_t i = 0; i < 4; i++)
                put_local(&b, &plain[i]);
        {
                uint64_t directory = b.n;

                for (size_t i = 0; i < 4; i++)
                        put_central(&b, &plain[i], 0);
                put_end(&b, 0, 4, b.n - directory, directory, NULL, 0);
        }
        check_plain_quiet(&b);
        free(b.data);
}

/* --- members that share bytes ---------------------------------------------------------------- */

Test(zip, hostile_shared_header)
{
        struct entry entries[] = {
                { .name = "a", .data = "aaaa" },
                { .name = "other", .data = "aaaa", .same = &entries[0] },
                { .name = "b", .data = "bbbb" },
        };
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, entries, 3, NULL, 0);
        res = scan(&b);
        cr_assert_eq(lsr_catalogue_rows(res->c), 4);
        cr_assert(get(res, "a").flags & LSR_MEMBER_SUSPECT);
        cr_assert(get(res, "other").flags & LSR_MEMBER_SUSPECT);
        cr_assert_not(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert_str_eq(res->troubles, "remark: some members share bytes with others\n");
        cr_assert_eq(read_path(&b, res, "a", &content, &said), -EBADMSG);
        cr_assert_str_eq(said.troubles, "EBADMSG: 'a' shares bytes with other members, or is not complete\n");
        cr_assert_eq(read_path(&b, res, "b", &content, &said), 0);
        result_free(res);
        free(content.data);
        free(b.data);
}

/* One that reaches over the next two; one that reaches into the directory. */
Test(zip, hostile_spans)
{
        struct entry entries[] = {
                { .name = "a", .data = "aaaa", .packed_add = 40 },
                { .name = "b", .data = "bbbb" },
                { .name = "c", .data = "cccc" },
                { .name = "d", .data = "dddd", .packed_add = 5 },
        };
        struct bytes b = {};
        struct result *res;

        put_zip(&b, entries, 4, NULL, 0);
        res = scan(&b);
        cr_assert(get(res, "a").flags & LSR_MEMBER_SUSPECT);
        cr_assert(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert(get(res, "c").flags & LSR_MEMBER_SUSPECT);
        cr_assert(get(res, "d").flags & LSR_MEMBER_SUSPECT);
        result_free(res);
        free(b.data);
}

/* Entries in another order than members: nothing wrong with that. */
Test(zip, order)
{
        struct bytes b = {};
        uint64_t directory;

        for (size_t i = 0; i < 4; i++)
                put_local(&b, &plain[i]);
        directory = b.n;
        for (size_t i = 4; i-- > 0;)
                put_central(&b, &plain[i], 0);
        put_end(&b, 0, 4, b.n - directory, directory, NULL, 0);
        check_plain_quiet(&b);
        free(b.data);
}

Test(zip, duplicates)
{
        struct entry entries[] = { { .name = "a", .data = "1" }, { .name = "a", .data = "22" } };
        struct bytes b = {};
        struct result *res;

        put_zip(&b, entries, 2, NULL, 0);
        res = scan(&b);
        cr_assert_eq(lsr_catalogue_rows(res->c), 2);
        cr_assert_eq(get(res, "a").meta.size, 2);
        result_free(res);
        free(b.data);
}

/* --- names ---------------------------------------------------------------------------------------- */

#define NAMED(want, stored, ...) ONE(!strcmp(m.path, want), .name = stored, __VA_ARGS__)

Test(zip, names)
{
        /* "\x81" is ü in code page 437, and no valid UTF-8. */
        NAMED("\xc3\xbc", "\xc3\xbc", .flags = 1 << 11);
        NAMED("\x81", "\x81", .flags = 1 << 11);
        NAMED("\xc3\xbc", "\xc3\xbc", );
        NAMED("\xc3\xbc", "\x81", );
        NAMED("x\xe2\x88\x9ey", "x\xecy", ); /* infinity */
        NAMED("\xc2\xa0", "\xff", );
        /* Overlong, surrogate, beyond the end: not UTF-8. */
        NAMED("\xe2\x94\x94\xc3\x87", "\xc0\x80", );
        NAMED("\xce\xb1\xc3\x87\xc3\x87", "\xe0\x80\x80", );
        NAMED("\xcf\x86\xc3\xa1\xc3\x87", "\xed\xa0\x80", );
        NAMED("\xe2\x8c\xa0\xc3\x89\xc3\x87\xc3\x87", "\xf4\x90\x80\x80", );
        NAMED("\xe2\x8c\xa0", "\xf4", );
}

/* 4.6.9: it counts when the checksum is that of the name as stored, and not beside bit 11. */
Test(zip, unicode_field)
{
        char extra[] = "up\7\0\1....\xc3\xbc";
        uint32_t crc = lsr_crc32(0, "\x81", 1);

        lsr_put_le32(extra + 5, crc);
        NAMED("\xc3\xbc", "\x81", .extra = extra, .extra_len = 11);
        NAMED("?", "?", .extra = extra, .extra_len = 11);
        NAMED("\x81", "\x81", .extra = extra, .extra_len = 11, .flags = 1 << 11);
        lsr_put_le32(extra + 5, crc + 1);
        NAMED("\xc3\xbc", "\x81", .extra = extra, .extra_len = 11); /* by way of code page 437 */
        extra[9] = '\xc3', extra[10] = '\xa4';
        NAMED("\xc3\xbc", "\x81", .extra = extra, .extra_len = 11);
        lsr_put_le32(extra + 5, crc);
        NAMED("\xc3\xa4", "\x81", .extra = extra, .extra_len = 11);
        extra[4] = 2;
        NAMED("\xc3\xbc", "\x81", .extra = extra, .extra_len = 11);
}

Test(zip, hostile_names)
{
        struct entry entries[] = {
                { .name = "../../etc/passwd" },
                { .name = "/abs" },
                { .name = "a//b" },
                { .name = "nul\0evil", .name_len = 8 },
                { .name = "win\\file", .host = 1 },
                { .name = "unix\\file" },
                { .name = "w\\dir\\", .host = 1 + 11 },
                { .name = "w\x81\\f", .host = 1 },
        };
        struct bytes b = {};
        struct result *res;
        struct lsr_member m;

        put_zip(&b, entries, 8, NULL, 0);
        res = scan(&b);
        m = get(res, "etc/passwd");
        cr_assert_str_eq(m.raw, "../../etc/passwd");
        cr_assert(has(res, "abs") && has(res, "a/b") && has(res, "nul"));
        cr_assert(has(res, "win/file") && has(res, "unix\\file"));
        cr_assert(S_ISDIR(get(res, "w/dir").meta.mode));
        cr_assert(has(res, "w\xc3\xbc/f"));
        result_free(res);
        free(b.data);
}

/* The central directory counts; the other name is worth a remark to who reads. */
Test(zip, names_differ)
{
        struct entry entries[] = { { .name = "central", .data = "x", .local_name = "local" },
                                   { .name = "dir/../same", .data = "x" },
                                   { .name = "win\\same", .data = "x", .host = 1 } };
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, entries, 3, NULL, 0);
        res = scan(&b);
        cr_assert(has(res, "central") && !has(res, "local"));
        cr_assert_eq(read_path(&b, res, "central", &content, &said), 0);
        cr_assert_str_eq(said.troubles, "remark: 'central' is named 'local' in its local header\n");
        cr_assert_eq(read_path(&b, res, "win/same", &content, &said), 0);
        cr_assert_str_eq(said.troubles, "");
        result_free(res);
        free(content.data);
        free(b.data);
}

/* --- metadata -------------------------------------------------------------------------------------- */

/* Seconds 1..4; NTFS 1 s after 1970 is 116444736010000000 of 100 ns: 0x019db1ded5d4d680. */
#define UT "UT\5\0\1\1\0\0\0"
#define NTFS "\12\0\40\0\0\0\0\0\1\0\30\0\x80\x16\xcd\xd6\xde\xb1\x9d\1\x80\x16\xcd\xd6\xde\xb1\x9d\1\0\0\0\0\0\0\0\0"
#define UX "UX\10\0\5\0\0\0\3\0\0\0"
#define PKUX "\15\0\14\0\5\0\0\0\4\0\0\0\350\3\351\3"
#define EXTRA(s) .extra = (s), .extra_len = sizeof(s) - 1

static bool mtime_is(const struct lsr_member *m, int64_t sec)
{
        return m->meta.known & LSR_FIELD_MTIME && m->meta.sec[LSR_MTIME] == sec && !(m->flags & LSR_MEMBER_LOCALTIME);
}

static bool dos_is(const struct lsr_member *m, int64_t sec)
{
        return m->meta.known & LSR_FIELD_MTIME && m->meta.sec[LSR_MTIME] == sec && m->flags & LSR_MEMBER_LOCALTIME;
}

Test(zip, times)
{
        ONE(mtime_is(&m, 1), EXTRA(UT));
        ONE(mtime_is(&m, 2), EXTRA(NTFS));
        ONE(mtime_is(&m, 3), EXTRA(UX));
        ONE(mtime_is(&m, 4), EXTRA(PKUX));
        /* In whatever order they come. */
        ONE(mtime_is(&m, 1), EXTRA(UX NTFS UT));
        ONE(mtime_is(&m, 1), EXTRA(UT NTFS UX));
        ONE(mtime_is(&m, 2), EXTRA(UX NTFS));
        ONE(mtime_is(&m, 2), EXTRA(NTFS PKUX));
        /* The flags tell of the local copy, here there is one time whatever they say; or none. */
        ONE(mtime_is(&m, 1) && !(m.meta.known & LSR_FIELD_ATIME), EXTRA("UT\5\0\7\1\0\0\0"));
        ONE(mtime_is(&m, 1) && !(m.meta.known & LSR_FIELD_ATIME), EXTRA("UT\11\0\3\1\0\0\0\2\0\0\0"));
        ONE(dos_is(&m, DOS_SECONDS), EXTRA("UT\5\0\2\1\0\0\0"));
        ONE(dos_is(&m, DOS_SECONDS), EXTRA("UT\1\0\1"));
        ONE(mtime_is(&m, -1), EXTRA("UT\5\0\1\377\377\377\377"));
        ONE(m.meta.known & LSR_FIELD_ATIME && m.meta.sec[LSR_ATIME] == 2 && !(m.meta.known & LSR_FIELD_BTIME),
            EXTRA(NTFS));
        ONE(m.meta.sec[LSR_ATIME] == 5, EXTRA(UX));
        /* A field that runs over the end ends the walk. */
        ONE(dos_is(&m, DOS_SECONDS), EXTRA("UT\6\0\1\1\0\0\0"));
        ONE(dos_is(&m, DOS_SECONDS), EXTRA("\0\0\377\377" UT));
        ONE(mtime_is(&m, 1), EXTRA("\0\0\1\0x" UT "UT"));
}

static int64_t utc(int year, int month, int day, int h, int m, int s)
{
        struct tm tm = {
                .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = h, .tm_min = m, .tm_sec = s
        };

        return timegm(&tm);
}

/* 4.4.6, with everything that can be written into the fields. */
Test(zip, dos_times)
{
        ONE(dos_is(&m, utc(1980, 0, 0, 0, 0, 0)), .time = 1); /* 1979-11-30, as timegm has it */
        for (int year = 0; year < 128; year++)
                for (int month = 0; month < 16; month++)
                        ONE(dos_is(&m, utc(1980 + year, month, 28 + month % 4, 31, 63, 62)),
                            .time = (uint32_t)year << 25 | (uint32_t)month << 21 | (28u + (unsigned)month % 4) << 16 |
                                    31 << 11 | 63 << 5 | 31);
}

static bool owner_is(const struct lsr_member *m, uint32_t uid, uint32_t gid)
{
        return m->meta.known & LSR_FIELD_UID && m->meta.known & LSR_FIELD_GID && m->meta.uid == uid &&
               m->meta.gid == gid;
}

Test(zip, owners)
{
        ONE(!(m.meta.known & (LSR_FIELD_UID | LSR_FIELD_GID)), );
        ONE(owner_is(&m, 1000, 0x10203), EXTRA("ux\10\0\1\2\350\3\3\3\2\1"));
        ONE(owner_is(&m, 1000, 1001), EXTRA("ux\13\0\1\4\350\3\0\0\4\351\3\0\0"));
        ONE(owner_is(&m, 1, 2), EXTRA("ux\23\0\1\10\1\0\0\0\0\0\0\0\10\2\0\0\0\0\0\0\0"));
        ONE(!(m.meta.known & LSR_FIELD_UID), EXTRA("ux\23\0\1\10\1\0\0\0\1\0\0\0\10\2\0\0\0\0\0\0\0"));
        ONE(!(m.meta.known & LSR_FIELD_UID), EXTRA("ux\5\0\2\1\1\1\1"));
        ONE(!(m.meta.known & LSR_FIELD_UID), EXTRA("ux\5\0\1\1\1\2\1"));
        ONE(!(m.meta.known & LSR_FIELD_UID), EXTRA("ux\5\0\1\377\1\1\1"));
        ONE(!(m.meta.known & LSR_FIELD_UID), EXTRA("ux\3\0\1\0\0"));
        ONE(owner_is(&m, 1000, 1001), EXTRA(PKUX));
        ONE(owner_is(&m, 1, 1), EXTRA(PKUX "ux\5\0\1\1\1\1\1"));
        ONE(owner_is(&m, 1, 1), EXTRA("ux\5\0\1\1\1\1\1" PKUX));
        ONE(owner_is(&m, 1000, 1001), EXTRA("Ux\4\0\350\3\351\3"));
        ONE(!(m.meta.known & LSR_FIELD_UID), EXTRA("Ux\0\0"));
}

Test(zip, modes)
{
        ONE(m.meta.mode == (S_IFREG | 0644), );
        ONE(m.meta.mode == (S_IFDIR | 0755), .name = "d/");
        ONE(m.meta.mode == (S_IFDIR | 0755), .dos = 0x10);
        ONE(m.meta.mode == (S_IFDIR | 0700), .mode = S_IFDIR | 0700);
        ONE(m.meta.mode == (S_IFDIR | 0700), .name = "d/", .mode = S_IFREG | 0700);
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = 0600);
        ONE(m.meta.mode == S_IFREG, .mode = S_IFREG);
        ONE(m.meta.mode == (S_IFIFO | 0600), .mode = S_IFIFO | 0600);
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = 0xf000 | 0600); /* no such type */
        ONE(m.meta.mode == (S_IFREG | 06755), .mode = S_IFREG | 06755, .host = 1 + 19);
        /* FAT: no modes, but for those of PKZIP for Unix and 7-Zip. */
        ONE(m.meta.mode == (S_IFREG | 0644), .mode = 0600, .host = 1);
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = S_IFREG | 0600, .host = 1);
        ONE(m.meta.mode == (S_IFDIR | 0755), .mode = S_IFREG | 0600, .host = 1, .dos = 0x10);
        ONE(m.meta.mode == (S_IFREG | 0444), .host = 1, .dos = 1);
        ONE(m.meta.mode == (S_IFREG | 0644), .mode = S_IFREG | 0600, .host = 1 + 10);
}

Test(zip, methods)
{
        static const struct {
                unsigned method;
                const char *name;
        } table[] = { { 0, "store" },     { 1, "shrink" }, { 6, "implode" },    { 8, "deflate" },
                      { 9, "deflate64" }, { 12, "bzip2" }, { 14, "lzma" },      { 93, "zstd" },
                      { 95, "xz" },       { 98, "ppmd" },  { 42, "method 42" }, { 65535, "method 65535" } };

        for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
                ONE(!strcmp(m.method, table[i].name), .method = table[i].method, .data = "x");
}

Test(zip, encrypted)
{
        ONE(m.flags & LSR_MEMBER_ENCRYPTED && !strcmp(m.method, "deflate"), .flags = 1, .method = 8);
        ONE(m.flags & LSR_MEMBER_ENCRYPTED && !strcmp(m.method, "deflate"), .flags = 1, .method = 99,
            EXTRA("\1\x99\7\0\2\0AE\3\10\0"));
        ONE(m.flags & LSR_MEMBER_ENCRYPTED && !strcmp(m.method, "aes"), .flags = 1, .method = 99);
        ONE(!(m.flags & LSR_MEMBER_ENCRYPTED) && !strcmp(m.method, "store"), EXTRA("\1\x99\7\0\2\0AE\3\10\0"));
}

Test(zip, links)
{
        ONE(m.target_len == 2 && !strcmp(m.target, "to") && m.meta.size == 2, .data = "to", .mode = S_IFLNK | 0777);
        ONE(m.target_len == 2 && !strcmp(m.target, "to"), .data = "\1\2\0\375\377to", .n = 7, .content = "to",
            .method = 8, .mode = S_IFLNK | 0777);
        ONE(m.target_len == 2, .data = "to", .mode = S_IFLNK | 0777, .host = 1, .dos = 0x10);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .crc_wrong = true);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .flags = 1);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .method = 42);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .packed_add = 1);
        {
                char *path = malloc(4098);

                memset(path, 'x', 4097);
                path[4097] = '\0';
                ONE(S_ISLNK(m.meta.mode) && !m.target && m.meta.size == 4097, .data = path, .mode = S_IFLNK | 0777);
                path[4096] = '\0';
                ONE(m.target_len == 4096, .data = path, .mode = S_IFLNK | 0777);
                free(path);
        }
}

/* --- damage -------------------------------------------------------------------------------------------- */

/* Members with descriptors of all four kinds, one of them a zip with descriptors itself; and one without. */
static void put_streamed(struct bytes *b)
{
        struct entry inner[] = { { .name = "within", .data = "PK\3\4 or so", .descriptor = 12 } };
        struct entry entries[] = {
                { .name = "a", .data = "alpha", .descriptor = 12 },
                { .name = "b", .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8, .descriptor = 16 },
                { .name = "d/", .flags = 8 },
                { .name = "c", .data = "gamma PK\1\2 PK\7\10", .descriptor = 20 },
                { .name = "zip", .descriptor = 24 },
                { .name = "e", .data = "epsilon" },
        };
        struct bytes z = {};

        put_zip(&z, inner, 1, NULL, 0);
        entries[4].data = (const char *)z.data;
        entries[4].n = z.n;
        put_zip(b, entries, 6, NULL, 0);
        free(z.data);
}

Test(zip, recover_streamed)
{
        static const char *const names[] = { "a", "b", "d", "c", "zip", "e" };
        struct bytes b = {};
        struct result *res, *cut;
        uint64_t directory;

        put_streamed(&b);
        res = scan(&b);
        cr_assert_str_eq(res->troubles, "");
        directory = directory_of(&b);
        /* The directory is gone altogether: sizes, checksums and places are those that it had. */
        b.n = directory;
        for (int crumbs = 0; crumbs < 2; crumbs++) {
                cut = scan_from(&b, crumbs);
                cr_assert_eq(cut->r, 0);
                cr_assert_eq(lsr_catalogue_rows(cut->c), 7, "%s", cut->troubles);
                cr_assert(cut->bad);
                for (size_t i = 0; i < 6; i++) {
                        struct lsr_member m = get(cut, names[i]), want = get(res, names[i]);

                        cr_assert_eq(m.meta.size, want.meta.size, "%s", names[i]);
                        cr_assert_eq(m.packed, want.packed);
                        cr_assert_eq(m.position, want.position);
                        cr_assert_eq((uint32_t)m.data, (uint32_t)want.data);
                        cr_assert_eq(m.flags & LSR_MEMBER_SUSPECT, 0);
                }
                result_free(cut);
        }
        result_free(res);
        free(b.data);
}

static uint64_t entry_length(const uint8_t *p)
{
        return 46 + (uint64_t)lsr_le16(p + 28) + lsr_le16(p + 30) + lsr_le16(p + 32);
}

/*
 * Cut anywhere, what lies before is listed: a member as soon as its local header is whole, and as good as new when
 * its directory entry is.
 */
static void check_cuts(const struct bytes *b, const uint64_t *headers, const char *const *names, size_t n)
{
        uint64_t entry = directory_of(b);
        size_t entries = 0;

        for (uint64_t size = 1; size < b->n; size++) {
                struct bytes cut = { .data = malloc(size), .n = size };
                struct result *res;
                size_t whole = 0;

                memcpy(cut.data, b->data, size);
                if (entries < n && entry + entry_length(b->data + entry) <= size)
                        entry += entry_length(b->data + entry), entries++;
                while (whole < n && headers[whole] <= size)
                        whole++;
                res = scan_from(&cut, size % 2);
                cr_assert_eq(res->r, whole ? 0 : -EBADMSG, "cut to %lu: %s", (unsigned long)size,
                             strerrorname_np(-res->r));
                cr_assert(res->bad, "cut to %lu", (unsigned long)size);
                for (size_t i = 0; i < n; i++) {
                        cr_assert_eq(has(res, names[i]), i < whole, "cut to %lu: '%s'", (unsigned long)size, names[i]);
                        if (i < entries)
                                cr_assert_eq(get(res, names[i]).meta.mode & 07777, 0600, "cut to %lu",
                                             (unsigned long)size);
                }
                result_free(res);
                free(cut.data);
        }
}

Test(zip, bad_cut_anywhere)
{
        static const char *const names[] = { "a", "b", "c" };

        for (unsigned streamed = 0; streamed < 2; streamed++) {
                struct entry entries[] = {
                        { .name = "a", .data = "alpha", .mode = S_IFREG | 0600 },
                        { .name = "b", .data = "beta", .mode = S_IFREG | 0600, EXTRA(UT) },
                        { .name = "c", .mode = S_IFREG | 0600 },
                };
                struct bytes b = {};
                uint64_t headers[3];

                for (size_t i = 0; streamed && i < 3; i++)
                        entries[i].descriptor = 12 + 4 * (unsigned)i;
                put_zip(&b, entries, 3, NULL, 0);
                for (size_t i = 0; i < 3; i++)
                        headers[i] = entries[i].at + 31;
                check_cuts(&b, headers, names, 3);
                free(b.data);
        }
}

/* What is cut itself says so; the others can be read. */
Test(zip, bad_cut_read)
{
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, plain, 4, NULL, 0);
        b.n = plain[2].at + 35;
        res = scan(&b);
        cr_assert_eq(read_path(&b, res, "dir/a.txt", &content, &said), 0);
        cr_assert(content.n == 5 && !memcmp(content.data, "alpha", 5));
        cr_assert(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert_eq(read_path(&b, res, "b", &content, &said), -EBADMSG);
        result_free(res);
        free(content.data);
        free(b.data);
}

Test(zip, bad_directory)
{
        struct bytes b = {};
        struct result *res;
        uint64_t directory;

        put_zip(&b, plain, 4, NULL, 0);
        directory = directory_of(&b);
        b.data[directory + 46 + 4]++; /* the signature of the second entry */
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_eq(lsr_catalogue_rows(res->c), 2);
        cr_assert_str_eq(res->troubles, "EBADMSG: the central directory is damaged at byte 211\n");
        cr_assert_eq(directory + 50, 211);
        result_free(res);
        b.data[directory + 46 + 4]--;

        /* The first: recovered, the others from what is left of the directory. */
        b.data[directory]++;
        res = scan(&b);
        cr_assert_eq(lsr_catalogue_rows(res->c), 5);
        cr_assert_eq(get(res, "dir").meta.mode, S_IFDIR | 0755);
        cr_assert_eq(get(res, "link").meta.mode, S_IFLNK | 0777);
        cr_assert(res->bad);
        result_free(res);
        b.data[directory]--;

        /* A wrong number of entries. */
        b.data[b.n - 12]++;
        res = scan(&b);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "EBADMSG: the end record tells of 5 members, the central directory has 4\n");
        result_free(res);
        free(b.data);
}

/* Reads everything that is listed, for the sanitizers. */
static void exercise(const struct bytes *b)
{
        struct result *res = scan(b), said;
        struct bytes content = {};
        char path[4096];

        for (uint32_t row = 1; row < lsr_catalogue_rows(res->c); row++) {
                lsr_catalogue_path(res->c, row, path, sizeof(path));
                read_path(b, res, path, &content, &said);
        }
        free(content.data);
        result_free(res);
}

Test(zip, hostile_any_byte)
{
        struct bytes b = {}, copy = {};

        put_streamed(&b);
        put_zip64(&b, b.n, true, 45);
        put(&copy, b.data, b.n);
        for (size_t i = 0; i < b.n; i++) {
                static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

                for (size_t k = 0; k < sizeof(values) + 1; k++) {
                        b.data[i] = k < sizeof(values) ? values[k] : (uint8_t)(copy.data[i] ^ 1 << i % 8);
                        exercise(&b);
                }
                b.data[i] = copy.data[i];
        }
        free(copy.data);
        free(b.data);
}

Test(zip, hostile_random)
{
        struct bytes b = {}, copy = {};

        srand(1);
        put_streamed(&b);
        put_zip(&b, plain, 4, NULL, 0);
        put(&copy, b.data, b.n);
        for (unsigned i = 0; i < 5000; i++) {
                size_t n = b.n;

                for (int k = rand() % 20; k >= 0; k--)
                        b.data[(size_t)rand() % n] = (uint8_t)rand();
                if (rand() % 4 == 0)
                        memmove(b.data + (size_t)rand() % (n / 2), b.data + (size_t)rand() % (n / 2),
                                (size_t)rand() % (n / 2));
                b.n = n - (rand() % 2 ? 0 : (size_t)rand() % n);
                exercise(&b);
                b.n = n;
                memcpy(b.data, copy.data, n);
        }
        free(copy.data);
        free(b.data);
}

/* Each header without a size has the whole file searched, if there were no budget. */
Test(zip, hostile_quadratic, .timeout = 60)
{
        struct entry e = { .name = "x", .flags = 8 };
        struct bytes b = {};
        struct result *res;

        for (unsigned i = 0; i < 300000; i++)
                put_local(&b, &e);
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        result_free(res);
        free(b.data);
}

/* --- content ----------------------------------------------------------------------------------------------- */

static int read_one(struct entry e, struct bytes *content, struct result *said)
{
        struct bytes b = {};
        struct result *res;
        int r;

        e.name = e.name ? e.name : "f";
        put_zip(&b, &e, 1, NULL, 0);
        res = scan(&b);
        r = read_path(&b, res, e.name, content, said);
        result_free(res);
        free(b.data);
        return r;
}

#define READ(want_r, want_text, ...)                                                               \
        do {                                                                                       \
                struct bytes content_ = {};                                                        \
                struct result said_;                                                               \
                int r_ = read_one((struct entry){ __VA_ARGS__ }, &content_, &said_);               \
                cr_expect_eq(r_, want_r);                                                          \
                if (want_r == 0)                                                                   \
                        cr_expect(content_.n == strlen(want_text) &&                               \
                                  (!content_.n || !memcmp(content_.data, want_text, content_.n))); \
                else                                                                               \
                        cr_expect_str_eq(said_.troubles, want_text);                               \
                free(content_.data);                                                               \
        } while (0)

#define BETA .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8

Test(zip, read)
{
        READ(0, "", .mode = S_IFREG | 0644);
        READ(0, "stored", .data = "stored");
        READ(0, "stored", .data = "stored", .descriptor = 16, .local_extra = UT, .local_extra_len = 9);
        READ(0, "beta", BETA);
        READ(0, "target", .data = "target", .mode = S_IFLNK | 0777);
        READ(-EISDIR, "", .name = "f/");
        READ(-EOPNOTSUPP, "", .mode = S_IFIFO | 0644);
        READ(-EACCES, "EACCES: 'f' is encrypted\n", .data = "x", .flags = 1);
        READ(-EOPNOTSUPP, "EOPNOTSUPP: 'f' is compressed with ppmd, which cannot be read\n", .data = "x", .method = 98);
        READ(-EBADMSG, "EBADMSG: 'f' is damaged: its checksum is wrong\n", .data = "x", .crc_wrong = true);
        READ(-EBADMSG, "EBADMSG: 'f' is damaged: its checksum is wrong\n", BETA, .crc_wrong = true);
        /* More than it is said to have, less, and a stream that makes no sense. */
        READ(-EBADMSG, "EBADMSG: 'f' is larger than the 3 bytes it is said to have\n", .data = "\1\4\0\373\377beta",
             .n = 9, .content = "bet", .method = 8);
        READ(-EBADMSG, "EBADMSG: 'f' has 4 bytes instead of 5\n", .data = "\1\4\0\373\377beta", .n = 9,
             .content = "betax", .method = 8);
        READ(-EBADMSG, "EBADMSG: 'f' is larger than the 1 bytes it is said to have\n", .data = "xx", .content = "x");
}

Test(zip, bad_local_header)
{
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, plain, 4, NULL, 0);
        b.data[plain[1].at] = 'p';
        res = scan(&b);
        check_plain(res);
        cr_assert_eq(read_path(&b, res, "dir/a.txt", &content, &said), -EBADMSG);
        cr_assert_str_eq(said.troubles, "EBADMSG: there is no local header of 'dir/a.txt' at byte 34\n");
        result_free(res);
        free(content.data);
        free(b.data);
}

Test(zip, extent)
{
        struct bytes b = {};
        struct lsr_scan s = {};
        struct result *res;
        struct lsr_member m;
        uint64_t offset = 1, size = 1;

        put(&b, "#!", 2);
        put_zip(&b, plain, 4, NULL, 0);
        res = scan(&b);
        s.input = input_of(&b, false);
        m = get(res, "dir/a.txt");
        cr_assert_eq(lsr_format_zip.extent(&s, &m, &offset, &size), 0);
        cr_assert(size == 5 && !memcmp(b.data + offset, "alpha", 5));
        m.flags |= LSR_MEMBER_ENCRYPTED;
        cr_assert_eq(lsr_format_zip.extent(&s, &m, &offset, &size), 1);
        m = get(res, "b");
        cr_assert_eq(lsr_format_zip.extent(&s, &m, &offset, &size), 1);
        m = get(res, "link");
        cr_assert_eq(lsr_format_zip.extent(&s, &m, &offset, &size), 1);
        lsr_input_free(s.input);
        result_free(res);
        free(b.data);
}

/* --- what is a zip -------------------------------------------------------------------------------------------- */

static bool probe(const struct bytes *b, size_t tail)
{
        struct lsr_probe p = { b->data, b->n < LSR_PROBE_BYTES ? b->n : LSR_PROBE_BYTES, NULL, 0, b->n };

        if (tail) {
                p.tail_len = b->n < tail ? b->n : tail;
                p.tail = b->data + b->n - p.tail_len;
        }
        return lsr_format_zip.probe(&p);
}

Test(zip, probe)
{
        struct bytes b = {};

        put_zip(&b, plain, 4, NULL, 0);
        cr_assert(probe(&b, 0) && probe(&b, 66000));
        b.n = 0;
        put_end(&b, 0, 0, 0, 0, NULL, 0);
        cr_assert(probe(&b, 0));
        b.n = 0;
        put(&b, "PK\7\10PK\3\4", 8);
        cr_assert(probe(&b, 0));
        b.n = 0;
        put(&b, "PK00PK\3\4", 8);
        cr_assert(probe(&b, 0));
        b.n = 0;
        put(&b, "PK00PK\3", 7);
        cr_assert_not(probe(&b, 0));
        b.n = 0;
        put(&b, "MZ", 2);
        put_zip(&b, plain, 4, NULL, 0);
        cr_assert(probe(&b, 66000));
        cr_assert(probe(&b, 100)); /* the directory out of sight */
        cr_assert_not(probe(&b, 0));
        put(&b, "x", 1);
        cr_assert_not(probe(&b, 66000));
        b.n = 0;
        put(&b, "MZ", 2);
        put_zip64(&b, 2, true, 45);
        cr_assert(probe(&b, 66000));
        /* Text that ends in an empty end record. */
        b.n = 0;
        put(&b, "text", 4);
        put_end(&b, 0, 0, 0, 0, NULL, 0);
        cr_assert_not(probe(&b, 66000));
        free(b.data);
}

/* --- many -------------------------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__
#define MANY 100000
#else
#define MANY 1000000
#endif

static void put_many(struct bytes *b, unsigned n, bool zip64)
{
        uint64_t directory;
        char name[40];

        for (unsigned i = 0; i < n; i++) {
                struct entry e = { .name = name };

                snprintf(name, sizeof(name), "dir%u/file%u", i / 1000, i);
                put_local(b, &e);
        }
        directory = b->n;
        for (unsigned i = 0, at = 0; i < n; i++) {
                struct entry e = { .name = name, .at = at, EXTRA(UT "ux\13\0\1\4\350\3\0\0\4\350\3\0\0") };

                snprintf(name, sizeof(name), "dir%u/file%u", i / 1000, i);
                put_central(b, &e, 0);
                at += 30 + (unsigned)strlen(name);
        }
        if (zip64)
                put_end64(b, n, b->n - directory, directory, 0, 45);
        put_end(b, 0, zip64 ? 0xffff : n & 0xffff, b->n - directory - (zip64 ? 76 : 0), directory, NULL, 0);
}

Test(zip, many, .timeout = 120)
{
        struct bytes b = {};
        struct result *res;

        put_many(&b, MANY, true);
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_str_eq(res->troubles, "");
        cr_assert_eq(lsr_catalogue_rows(res->c), 1 + MANY / 1000 + MANY);
        cr_assert(has(res, "dir99/file99999"));
        result_free(res);
        free(b.data);
}

/* Without zip64 the number of entries is modulo 65,536. */
Test(zip, more_than_counted)
{
        struct bytes b = {};
        struct result *res;

        put_many(&b, 70000, false);
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_str_eq(res->troubles, "");
        cr_assert_eq(lsr_catalogue_rows(res->c), 70071);
        result_free(res);

        /* Just so many that the number is all ones, and no zip64. */
        b.n = 0;
        put_many(&b, 65535, false);
        res = scan(&b);
        cr_assert_str_eq(res->troubles, "");
        cr_assert_eq(lsr_catalogue_rows(res->c), 1 + 66 + 65535);
        result_free(res);
        free(b.data);
}
