/*
 * libarchive-maker - archives that libarchive writes, or that are put together field by field, and a way through the
 * driver
 *
 * Writers run in a UTF-8 locale, the driver in the C locale that a confined worker has.
 */
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "formats/drivers.h"

#define LA_BYTES_MAX ((size_t)4 << 20)
#define LA_MTIME 1577934245
#define LA_UNICODE "gr\xc3\xbcn-\xe6\x97\xa5"
#define LA_DECOMPOSED "e\xcc\x81"

/* --- archives ---------------------------------------------------------------- */

struct la_bytes {
        size_t n;
        uint8_t data[LA_BYTES_MAX];
};

static struct la_bytes la_file; /* the archive at hand */

static inline void put(const void *data, size_t n)
{
        cr_assert_leq(la_file.n + n, LA_BYTES_MAX);
        memcpy(la_file.data + la_file.n, data, n);
        la_file.n += n;
}

static inline void put_text(const char *text)
{
        put(text, strlen(text));
}

static inline void put_le(uint64_t v, unsigned bytes)
{
        uint8_t b[8];

        lsr_put_le64(b, v);
        put(b, bytes);
}

static inline void put_be32(uint32_t v)
{
        v = htobe32(v);
        put(&v, 4);
}

static inline uint32_t la_crc32(const uint8_t *p, size_t n)
{
        uint32_t crc = UINT32_MAX;

        while (n--) {
                crc ^= *p++;
                for (unsigned bit = 0; bit < 8; bit++)
                        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
        return ~crc;
}

static inline uint16_t la_crc16(const char *p)
{
        uint16_t crc = 0;

        for (; *p; p++) {
                crc ^= (uint8_t)*p;
                for (unsigned bit = 0; bit < 8; bit++)
                        crc = (uint16_t)(crc >> 1 ^ (crc & 1 ? 0xa001 : 0));
        }
        return crc;
}

struct la_entry {
        const char *path;
        unsigned mode;
        const char *text; /* content or target */
};

static const struct la_entry la_tree[] = {
        { "d", S_IFDIR | 0750, NULL },        { "d/a.txt", S_IFREG | 0640, "hello\n" },
        { "d/empty", S_IFREG | 0600, "" },    { "d/" LA_UNICODE, S_IFREG | 0644, "unicode" },
        { "d/sym", S_IFLNK | 0777, "a.txt" },
};
static const struct la_entry la_flat[] = {
        { "a.txt", S_IFREG | 0640, "hello\n" },
        { "empty", S_IFREG | 0600, "" },
        { "odd", S_IFREG | 0644, "odd" },
};

static inline void la_write(int (*format)(struct archive *), const struct la_entry *entries, size_t n)
{
        locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        locale_t before = uselocale(utf8);
        struct archive *a = archive_write_new();

        cr_assert(utf8, "these tests need the C.UTF-8 locale");
        cr_assert_eq(format(a), ARCHIVE_OK);
        archive_write_set_bytes_per_block(a, 1);
        cr_assert_eq(archive_write_open_memory(a, la_file.data, LA_BYTES_MAX, &la_file.n), ARCHIVE_OK);
        for (size_t i = 0; i < n; i++) {
                struct archive_entry *e = archive_entry_new();
                size_t len = S_ISREG(entries[i].mode) ? strlen(entries[i].text) : 0;

                archive_entry_set_pathname(e, entries[i].path);
                archive_entry_set_mode(e, entries[i].mode);
                archive_entry_set_uid(e, 1000);
                archive_entry_set_gid(e, 33);
                archive_entry_set_mtime(e, LA_MTIME, 123456700);
                archive_entry_set_ctime(e, LA_MTIME + 1, 0);
                archive_entry_set_ino(e, (la_int64_t)i + 1);
                archive_entry_set_nlink(e, 1);
                archive_entry_set_size(e, (la_int64_t)len);
                if (S_ISLNK(entries[i].mode))
                        archive_entry_set_symlink(e, entries[i].text);
                cr_assert_geq(archive_write_header(a, e), ARCHIVE_WARN, "%s", archive_error_string(a));
                if (len)
                        cr_assert_eq(archive_write_data(a, entries[i].text, len), (la_ssize_t)len);
                archive_entry_free(e);
        }
        cr_assert_eq(archive_write_close(a), ARCHIVE_OK);
        archive_write_free(a);
        uselocale(before);
        freelocale(utf8);
}

#define LA_COUNT(entries) (sizeof(entries) / sizeof((entries)[0]))

/* --- inputs that give little at a time --------------------------------------- */

struct la_drip {
        struct lsr_input in;
        size_t at, step;
        int error; /* instead of the end */
};

static inline ssize_t drip_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct la_drip *d = (struct la_drip *)in;
        size_t n = la_file.n - d->at < d->step ? la_file.n - d->at : d->step;

        *ret_data = la_file.data + d->at;
        d->at += n;
        return n ? (ssize_t)n : d->error;
}

static inline void drip_free(struct lsr_input *in)
{
        free(in);
}

static inline ssize_t drip_read_at(struct lsr_input *in, void *buf, size_t n, uint64_t offset)
{
        if (offset >= in->size)
                return 0;
        if (n > in->size - offset)
                n = (size_t)(in->size - offset);
        memcpy(buf, la_file.data + offset, n);
        return (ssize_t)n;
}

static inline int drip_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct la_drip *)in)->at = offset;
        return 0;
}

static const struct lsr_input_ops drip_ops = { .next = drip_next, .free = drip_free };
static const struct lsr_input_ops random_ops = {
        .next = drip_next,
        .read_at = drip_read_at,
        .seek = drip_seek,
        .free = drip_free,
};

/* A pipe. */
static inline struct lsr_input *la_drip(size_t step, int error)
{
        struct la_drip *d = lsr_input_alloc(sizeof(*d), &drip_ops);

        d->step = step;
        d->error = error;
        return &d->in;
}

/* A file: pieces small enough that libarchive skips and seeks. */
static inline struct lsr_input *la_open(void)
{
        struct la_drip *d = lsr_input_alloc(sizeof(*d), &random_ops);

        d->in.size = la_file.n;
        d->step = 37;
        return &d->in;
}

/* --- through the driver ------------------------------------------------------ */

static char la_said[4096]; /* all troubles */
static int la_error;       /* of the last */
static const char *la_name;

static inline void la_trouble(void *ctx, int error, const char *text)
{
        (void)ctx;
        la_error = error;
        snprintf(la_said + strlen(la_said), sizeof(la_said) - strlen(la_said), "%s\n", text);
}

static inline int la_scan(struct lsr_input *in, struct lsr_catalogue **ret_catalogue)
{
        struct lsr_identity id;
        struct lsr_scan scan = { .trouble = la_trouble };
        int r = lsr_identify(in, 1 << 20, &id, &scan.input);

        la_said[0] = '\0';
        la_error = 0;
        la_name = NULL;
        if (r)
                return r;
        la_name = id.format->name;
        scan.builder = lsr_builder_new();
        r = id.format->scan(&scan);
        if (r == 0)
                r = lsr_builder_finish(scan.builder, ret_catalogue);
        lsr_builder_free(scan.builder);
        lsr_input_free(scan.input);
        return r;
}

static inline struct lsr_catalogue *la_list(const char *name)
{
        struct lsr_catalogue *c = NULL;

        cr_assert_eq(la_scan(la_open(), &c), 0, "%s: %s", name, la_said);
        cr_assert_str_eq(la_name, name);
        return c;
}

static inline struct lsr_member la_get(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_member m;
        int64_t row = lsr_catalogue_find(c, 0, path, strlen(path));

        cr_assert_geq(row, 0, "%s is not listed", path);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        return m;
}

static char la_content[256];
static size_t la_content_n;

static inline int la_sink(void *ctx, const void *data, size_t n)
{
        (void)ctx;
        if (n > sizeof(la_content) - la_content_n)
                return -EFBIG;
        memcpy(la_content + la_content_n, data, n);
        la_content_n += n;
        return 0;
}

static inline int la_read_member(struct lsr_input *in, const struct lsr_member *m)
{
        struct lsr_identity id;
        struct lsr_scan scan = { .trouble = la_trouble };
        struct lsr_sink sink = { .write = la_sink };
        int r = lsr_identify(in, 1 << 20, &id, &scan.input);

        la_content_n = 0;
        if (r)
                return r;
        r = id.format->read(&scan, m, &sink);
        lsr_input_free(scan.input);
        return r;
}

static inline int la_read(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_member m = la_get(c, path);

        m.path = path;
        m.path_len = strlen(path);
        return la_read_member(la_open(), &m);
}

static inline void la_expect(const struct lsr_catalogue *c, const char *path, const char *content)
{
        struct lsr_member m = la_get(c, path);

        cr_assert(m.meta.known & LSR_FIELD_SIZE, "%s", path);
        cr_assert_eq(m.meta.size, strlen(content), "%s", path);
        cr_assert_eq(la_read(c, path), 0, "%s: %s", path, la_said);
        cr_assert_eq(la_content_n, strlen(content), "%s", path);
        cr_assert_arr_eq(la_content, content, la_content_n);
}

static inline void la_expect_unix(const struct lsr_member *m, unsigned mode)
{
        cr_assert(m->meta.known & LSR_FIELD_MODE);
        cr_assert(m->meta.known & LSR_FIELD_TYPE);
        cr_assert_eq(m->meta.mode, mode, "mode %o", m->meta.mode);
        cr_assert(m->meta.known & LSR_FIELD_MTIME);
        cr_assert_eq(m->meta.sec[LSR_MTIME], LA_MTIME);
}

static inline void la_expect_owner(const struct lsr_member *m)
{
        cr_assert(m->meta.known & LSR_FIELD_UID);
        cr_assert(m->meta.known & LSR_FIELD_GID);
        cr_assert_eq(m->meta.uid, 1000);
        cr_assert_eq(m->meta.gid, 33);
}

/* --- what libarchive cannot write -------------------------------------------- */

static inline void put_newc(const char *path, unsigned ino, unsigned mode, unsigned nlink, const char *text)
{
        char header[128];
        size_t name = strlen(path) + 1, size = strlen(text);

        snprintf(header, sizeof(header), "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", ino, mode,
                 1000u, 33u, nlink, (unsigned)LA_MTIME, size, 8u, 1u, 0u, 0u, name, 0u);
        put(header, 110);
        put(path, name);
        put("\0\0\0", (4 - (110 + name) % 4) % 4);
        put(text, size);
        put("\0\0\0", (4 - size % 4) % 4);
}

/* The first of the hard links has no content in newc: it must show that of the last all the same. */
static inline void put_linked_cpio(void)
{
        put_newc("./first", 5, S_IFREG | 0644, 3, "");
        put_newc("./second", 5, S_IFREG | 0644, 3, "");
        put_newc("./third", 5, S_IFREG | 0644, 3, "content");
        put_newc("./last", 6, S_IFREG | 0644, 1, "last");
        put_newc("TRAILER!!!", 0, 0, 1, "");
}

static inline void put_rar_block(unsigned type, unsigned flags, const void *body, size_t n)
{
        size_t start = la_file.n;

        put_le(0, 2);
        put_le(type, 1);
        put_le(flags, 2);
        put_le(7 + n, 2);
        put(body, n);
        put_le(0, 0);
        memcpy(la_file.data + start, (uint8_t[]){ 0, 0 }, 2);
        {
                uint32_t crc = la_crc32(la_file.data + start + 2, la_file.n - start - 2);

                la_file.data[start] = (uint8_t)crc;
                la_file.data[start + 1] = (uint8_t)(crc >> 8);
        }
}

static inline void put_rar_file(const char *path, unsigned mode, bool solid, const char *text)
{
        uint8_t body[128] = {};
        size_t n = strlen(text), name = strlen(path);

        lsr_put_le32(body, (uint32_t)n);
        lsr_put_le32(body + 4, (uint32_t)n);
        body[8] = 3; /* Unix */
        lsr_put_le32(body + 9, la_crc32((const uint8_t *)text, n));
        lsr_put_le32(body + 13, 0x50221883); /* 2020-01-02 03:04:06 */
        body[17] = 20;
        body[18] = 0x30; /* stored */
        lsr_put_le16(body + 19, (uint16_t)name);
        lsr_put_le32(body + 21, mode);
        memcpy(body + 25, path, name);
        put_rar_block(0x74, S_ISDIR(mode) ? 0x80e0 : solid ? 0x8010 : 0x8000, body, 25 + name);
        put_text(text);
}

static inline void put_rar(unsigned flags, bool solid)
{
        put("Rar!\x1a\x07\x00", 7);
        put_rar_block(0x73, flags, "\0\0\0\0\0\0", 6);
        put_rar_file("d", S_IFDIR | 0750, false, "");
        put_rar_file("d\\" LA_UNICODE, S_IFREG | 0640, solid, "rar4");
        put_rar_block(0x7b, 0x4000, "", 0);
}

static inline void put_rar5_block(const void *body, size_t n)
{
        size_t start = la_file.n;

        put_le(0, 4);
        put_le(n, 1);
        put(body, n);
        lsr_put_le32(la_file.data + start, la_crc32(la_file.data + start + 4, n + 1));
}

static inline void put_rar5_file(const char *path, unsigned mode, const char *text)
{
        uint8_t body[64] = { 2, 2 };
        size_t at = 2, n = strlen(text);

        body[at++] = (uint8_t)n;            /* packed */
        body[at++] = S_ISDIR(mode) ? 3 : 6; /* directory or checksum; time */
        body[at++] = (uint8_t)n;
        body[at++] = (uint8_t)(mode | 0x80); /* in groups of seven bits */
        body[at++] = (uint8_t)(mode >> 7 | 0x80);
        body[at++] = (uint8_t)(mode >> 14);
        lsr_put_le32(body + at, LA_MTIME);
        at += 4;
        if (!S_ISDIR(mode)) {
                lsr_put_le32(body + at, la_crc32((const uint8_t *)text, n));
                at += 4;
        }
        body[at++] = 0; /* stored */
        body[at++] = 1; /* Unix */
        body[at++] = (uint8_t)strlen(path);
        memcpy(body + at, path, strlen(path));
        put_rar5_block(body, at + strlen(path));
        put_text(text);
}

static inline void put_rar5(void)
{
        put("Rar!\x1a\x07\x01\x00", 8);
        put_rar5_block((uint8_t[]){ 1, 0, 0 }, 3);
        put_rar5_file("d", S_IFDIR | 0750, "");
        put_rar5_file("d/" LA_UNICODE, S_IFREG | 0640, "rar5");
        put_rar5_block((uint8_t[]){ 5, 0, 0 }, 3);
}

static inline void put_cab(void)
{
        put_text("MSCF");
        put_le(0, 4);
        put_le(36 + 8 + 22 + 8 + 6, 4); /* size */
        put_le(0, 4);
        put_le(44, 4); /* first file */
        put_le(0, 4);
        put_le(0x0103, 2);
        put_le(1, 2); /* folders */
        put_le(1, 2); /* files */
        put_le(0, 6);
        put_le(66, 4); /* the folder's data */
        put_le(1, 2);  /* its blocks */
        put_le(0, 2);  /* not compressed */
        put_le(6, 4);  /* the file's size */
        put_le(0, 4);
        put_le(0, 2);
        put_le(0x5022, 2); /* 2020-01-02 */
        put_le(0x1883, 2); /* 03:04:06 */
        put_le(0x20, 2);
        put("a.txt", 6);
        put_le(0, 4); /* no checksum */
        put_le(6, 2);
        put_le(6, 2);
        put_text("hello\n");
}

static inline void put_lha(const char *path, const char *text, unsigned mode)
{
        size_t start = la_file.n, name = strlen(path);
        uint8_t sum = 0;

        put_le(22 + name + (mode ? 12 : 0), 1);
        put_le(0, 1);
        put_text("-lh0-");
        put_le(strlen(text), 4);
        put_le(strlen(text), 4);
        put_le(0x50221883, 4);
        put_le(0x20, 1);
        put_le(0, 1);
        put_le(name, 1);
        put_text(path);
        put_le(la_crc16(text), 2);
        if (mode) {
                put_text("U");
                put_le(0, 1);
                put_le(LA_MTIME, 4);
                put_le(mode, 2);
                put_le(1000, 2);
                put_le(33, 2);
        }
        for (size_t i = start + 2; i < la_file.n; i++)
                sum = (uint8_t)(sum + la_file.data[i]);
        la_file.data[start + 1] = sum;
        put_text(text);
}
