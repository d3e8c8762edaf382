/*
 * The formats that libarchive reads, through the driver.
 *
 * Archives that libarchive can write are written by it; rar, lha, cab, rpm and
 * the odd ones are put together here, field by field.  Writers run in a UTF-8
 * locale, the driver in the C locale that a confined worker has.
 *
 * One long file: the tests of damage go through the archives of all others.
 */
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

static void put(const void *data, size_t n)
{
        cr_assert_leq(la_file.n + n, LA_BYTES_MAX);
        memcpy(la_file.data + la_file.n, data, n);
        la_file.n += n;
}

static void put_text(const char *text)
{
        put(text, strlen(text));
}

static void put_le(uint64_t v, unsigned bytes)
{
        uint8_t b[8];

        lsr_put_le64(b, v);
        put(b, bytes);
}

static void put_be32(uint32_t v)
{
        v = htobe32(v);
        put(&v, 4);
}

static uint32_t la_crc32(const uint8_t *p, size_t n)
{
        uint32_t crc = UINT32_MAX;

        while (n--) {
                crc ^= *p++;
                for (unsigned bit = 0; bit < 8; bit++)
                        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
        return ~crc;
}

static uint16_t la_crc16(const char *p)
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

static void la_write(int (*format)(struct archive *), const struct la_entry *entries, size_t n)
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

static ssize_t drip_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct la_drip *d = (struct la_drip *)in;
        size_t n = la_file.n - d->at < d->step ? la_file.n - d->at : d->step;

        *ret_data = la_file.data + d->at;
        d->at += n;
        return n ? (ssize_t)n : d->error;
}

static void drip_free(struct lsr_input *in)
{
        free(in);
}

static ssize_t drip_read_at(struct lsr_input *in, void *buf, size_t n, uint64_t offset)
{
        if (offset >= in->size)
                return 0;
        if (n > in->size - offset)
                n = (size_t)(in->size - offset);
        memcpy(buf, la_file.data + offset, n);
        return (ssize_t)n;
}

static int drip_seek(struct lsr_input *in, uint64_t offset)
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
static struct lsr_input *la_drip(size_t step, int error)
{
        struct la_drip *d = lsr_input_alloc(sizeof(*d), &drip_ops);

        d->step = step;
        d->error = error;
        return &d->in;
}

/* A file: pieces small enough that libarchive skips and seeks. */
static struct lsr_input *la_open(void)
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

static void la_trouble(void *ctx, int error, const char *text)
{
        (void)ctx;
        la_error = error;
        snprintf(la_said + strlen(la_said), sizeof(la_said) - strlen(la_said), "%s\n", text);
}

static int la_scan(struct lsr_input *in, struct lsr_catalogue **ret_catalogue)
{
        struct lsr_identity id;
        struct lsr_scan scan = { .prefix = "", .trouble = la_trouble };
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

static struct lsr_catalogue *la_list(const char *name)
{
        struct lsr_catalogue *c = NULL;

        cr_assert_eq(la_scan(la_open(), &c), 0, "%s: %s", name, la_said);
        cr_assert_str_eq(la_name, name);
        return c;
}

static struct lsr_member la_get(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_member m;
        int64_t row = lsr_catalogue_find(c, 0, path, strlen(path));

        cr_assert_geq(row, 0, "%s is not listed", path);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        return m;
}

static char la_content[256];
static size_t la_content_n;

static int la_sink(void *ctx, const void *data, size_t n)
{
        (void)ctx;
        if (n > sizeof(la_content) - la_content_n)
                return -EFBIG;
        memcpy(la_content + la_content_n, data, n);
        la_content_n += n;
        return 0;
}

static int la_read_member(struct lsr_input *in, const struct lsr_member *m)
{
        struct lsr_identity id;
        struct lsr_scan scan = { .prefix = "", .trouble = la_trouble };
        struct lsr_sink sink = { .write = la_sink };
        int r = lsr_identify(in, 1 << 20, &id, &scan.input);

        la_content_n = 0;
        if (r)
                return r;
        r = id.format->read(&scan, m, &sink);
        lsr_input_free(scan.input);
        return r;
}

static int la_read(const struct lsr_catalogue *c, const char *path)
{
        struct lsr_member m = la_get(c, path);

        m.path = path;
        m.path_len = strlen(path);
        return la_read_member(la_open(), &m);
}

static void la_expect(const struct lsr_catalogue *c, const char *path, const char *content)
{
        struct lsr_member m = la_get(c, path);

        cr_assert(m.meta.known & LSR_FIELD_SIZE, "%s", path);
        cr_assert_eq(m.meta.size, strlen(content), "%s", path);
        cr_assert_eq(la_read(c, path), 0, "%s: %s", path, la_said);
        cr_assert_eq(la_content_n, strlen(content), "%s", path);
        cr_assert_arr_eq(la_content, content, la_content_n);
}

static void la_expect_unix(const struct lsr_member *m, unsigned mode)
{
        cr_assert(m->meta.known & LSR_FIELD_MODE);
        cr_assert(m->meta.known & LSR_FIELD_TYPE);
        cr_assert_eq(m->meta.mode, mode, "mode %o", m->meta.mode);
        cr_assert(m->meta.known & LSR_FIELD_MTIME);
        cr_assert_eq(m->meta.sec[LSR_MTIME], LA_MTIME);
}

static void la_expect_owner(const struct lsr_member *m)
{
        cr_assert(m->meta.known & LSR_FIELD_UID);
        cr_assert(m->meta.known & LSR_FIELD_GID);
        cr_assert_eq(m->meta.uid, 1000);
        cr_assert_eq(m->meta.gid, 33);
}

/* --- what libarchive writes -------------------------------------------------- */

static void la_expect_tree(const struct lsr_catalogue *c, bool owner)
{
        static const char *const paths[] = { "d", "d/a.txt", "d/empty", ("d/" LA_UNICODE), "d/sym" };
        struct lsr_member m;

        cr_assert_eq(lsr_catalogue_rows(c), 6);
        for (size_t i = 0; i < 5; i++) {
                m = la_get(c, paths[i]);
                la_expect_unix(&m, la_tree[i].mode);
                if (owner)
                        la_expect_owner(&m);
                else
                        cr_assert_not(m.meta.known & (LSR_FIELD_UID | LSR_FIELD_GID));
                cr_assert_eq(m.packed, UINT64_MAX);
        }
        m = la_get(c, "d/sym");
        cr_assert_eq(m.target_len, 5);
        cr_assert_arr_eq(m.target, "a.txt", 5);
        la_expect(c, "d/a.txt", "hello\n");
        la_expect(c, "d/empty", "");
        la_expect(c, "d/" LA_UNICODE, "unicode");
        cr_assert_eq(la_read(c, "d/sym"), -EOPNOTSUPP);
}

Test(libarchive, good_7z)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_write(archive_write_set_format_7zip, la_tree, LA_COUNT(la_tree));
        c = la_list("7z");
        la_expect_tree(c, false);
        m = la_get(c, "d/a.txt");
        cr_assert_eq(m.meta.nsec[LSR_MTIME], 123456700);
        /* What a 7z calls ctime is the time of creation. */
        cr_assert_not(m.meta.known & LSR_FIELD_CTIME);
        cr_assert(m.meta.known & LSR_FIELD_BTIME);
        cr_assert_eq(m.meta.sec[LSR_BTIME], LA_MTIME + 1);
        cr_assert_str_empty(la_said);
        lsr_catalogue_free(c);
}

Test(libarchive, good_cpio)
{
        static int (*const formats[])(struct archive *) = {
                archive_write_set_format_cpio_newc,
                archive_write_set_format_cpio_odc,
                archive_write_set_format_cpio_bin,
        };

        for (size_t i = 0; i < 3; i++) {
                struct lsr_catalogue *c;

                la_write(formats[i], la_tree, LA_COUNT(la_tree));
                c = la_list("cpio");
                la_expect_tree(c, true);
                cr_assert_str_empty(la_said);
                lsr_catalogue_free(c);
        }
}

/* Names are bytes there: nothing is composed, and what is no UTF-8 stays. */
Test(libarchive, good_cpio_raw_names)
{
        static const struct la_entry entries[] = {
                { LA_DECOMPOSED, S_IFREG | 0644, "1" },
                { "latin-\xfc", S_IFREG | 0644, "2" },
        };
        struct lsr_catalogue *c;

        la_write(archive_write_set_format_cpio_newc, entries, 2);
        c = la_list("cpio");
        la_expect(c, LA_DECOMPOSED, "1");
        la_expect(c, "latin-\xfc", "2");
        lsr_catalogue_free(c);
}

Test(libarchive, good_iso)
{
        static const struct la_entry entries[] = {
                { "d", S_IFDIR | 0555, NULL },
                { "d/a.txt", S_IFREG | 0444, "hello\n" },
                { "d/sym", S_IFLNK | 0555, "a.txt" },
        };
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_write(archive_write_set_format_iso9660, entries, 3);
        c = la_list("iso9660");
        la_expect(c, "d/a.txt", "hello\n");
        m = la_get(c, "d/a.txt");
        la_expect_unix(&m, S_IFREG | 0444);
        la_expect_owner(&m);
        m = la_get(c, "d/sym");
        cr_assert_eq(m.target_len, 5);
        cr_assert_arr_eq(m.target, "a.txt", 5);
        lsr_catalogue_free(c);
        /* Sectors of directories may lie anywhere. */
        cr_assert_eq(la_scan(la_drip(100000, 0), &c), -ESPIPE);
}

static int la_joliet(struct archive *a)
{
        archive_write_set_format_iso9660(a);
        return archive_write_set_options(a, "!rockridge,joliet");
}

/* Neither modes nor owners are stored there. */
Test(libarchive, good_iso_joliet)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_write(la_joliet, la_tree, LA_COUNT(la_tree) - 1);
        c = la_list("iso9660");
        la_expect(c, "d/" LA_UNICODE, "unicode");
        m = la_get(c, "d/a.txt");
        cr_assert_eq(m.meta.known & (LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_ATIME), 0);
        cr_assert_eq(m.meta.mode, S_IFREG);
        cr_assert_eq(m.meta.sec[LSR_MTIME], LA_MTIME);
        lsr_catalogue_free(c);
}

Test(libarchive, good_ar)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_write(archive_write_set_format_ar_svr4, la_flat, LA_COUNT(la_flat));
        c = la_list("ar");
        cr_assert_eq(lsr_catalogue_rows(c), 4);
        m = la_get(c, "a.txt");
        la_expect_unix(&m, S_IFREG | 0640);
        la_expect_owner(&m);
        la_expect(c, "a.txt", "hello\n");
        la_expect(c, "odd", "odd");
        lsr_catalogue_free(c);
}

/* As ar(1) and dpkg write it: symbols first, permissions without a type, a long name in a table. */
Test(libarchive, good_ar_of_binutils)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_file.n = 0;
        put_text("!<arch>\n");
        put_text("/SYM64/         0           0     0     0       4         `\n");
        put_be32(0);
        put_text("//                                              22        `\n");
        put_text("a-name-of-many-bytes/\n");
        put_text("/0              7           8     9     644     3         `\nodd\n");
        put_text("debian-binary/  7           8     9     644     4         `\n2.0\n");
        c = la_list("ar");
        cr_assert_eq(lsr_catalogue_rows(c), 3);
        la_expect(c, "a-name-of-many-bytes", "odd");
        la_expect(c, "debian-binary", "2.0\n");
        m = la_get(c, "debian-binary");
        cr_assert_eq(m.meta.mode, S_IFREG | 0644);
        cr_assert(m.meta.known & LSR_FIELD_TYPE);
        lsr_catalogue_free(c);
}

Test(libarchive, good_warc)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_write(archive_write_set_format_warc, la_flat, LA_COUNT(la_flat));
        c = la_list("warc");
        la_expect(c, "a.txt", "hello\n");
        m = la_get(c, "a.txt");
        cr_assert_eq(m.meta.known & (LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID), 0);
        cr_assert_eq(m.meta.sec[LSR_MTIME], LA_MTIME);
        lsr_catalogue_free(c);
}

/* What streams must give the same from a pipe, whatever the sizes of its pieces. */
Test(libarchive, good_sequential)
{
        static int (*const formats[])(struct archive *) = {
                archive_write_set_format_cpio_newc,
                archive_write_set_format_ar_svr4,
                archive_write_set_format_warc,
        };

        for (size_t i = 0; i < 3; i++) {
                for (size_t step = 1; step < 2000; step = step * 3 + 1) {
                        struct lsr_catalogue *c = NULL;
                        struct lsr_member m;

                        la_write(formats[i], la_flat, LA_COUNT(la_flat));
                        cr_assert_eq(la_scan(la_drip(step, 0), &c), 0, "%s", la_said);
                        cr_assert_str_empty(la_said);
                        cr_assert_eq(lsr_catalogue_rows(c), 4);
                        m = la_get(c, "odd");
                        m.path = "odd";
                        m.path_len = 3;
                        cr_assert_eq(la_read_member(la_drip(step, 0), &m), 0, "%s", la_said);
                        cr_assert_eq(la_content_n, 3);
                        lsr_catalogue_free(c);
                }
        }
}

/* --- what is put together here ----------------------------------------------- */

static void put_newc(const char *path, unsigned ino, unsigned mode, unsigned nlink, const char *text)
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
static void put_linked_cpio(void)
{
        put_newc("./first", 5, S_IFREG | 0644, 3, "");
        put_newc("./second", 5, S_IFREG | 0644, 3, "");
        put_newc("./third", 5, S_IFREG | 0644, 3, "content");
        put_newc("./last", 6, S_IFREG | 0644, 1, "last");
        put_newc("TRAILER!!!", 0, 0, 1, "");
}

static void la_expect_links(const char *format)
{
        struct lsr_catalogue *c = la_list(format);

        cr_assert_eq(lsr_catalogue_rows(c), 5);
        la_expect(c, "first", "content");
        cr_assert_eq(la_get(c, "third").flags & LSR_MEMBER_HARDLINK, LSR_MEMBER_HARDLINK);
        cr_assert_eq(la_get(c, "second").meta.size, 7);
        cr_assert_eq(la_get(c, "first").meta.nlink, 3);
        la_expect(c, "last", "last");
        cr_assert_str_empty(la_said);
        lsr_catalogue_free(c);
}

Test(libarchive, good_cpio_hardlinks)
{
        la_file.n = 0;
        put_linked_cpio();
        la_expect_links("cpio");
}

/* A lead of 96 bytes, a signature and a header without entries, then a cpio. */
Test(libarchive, good_rpm)
{
        static const uint8_t lead[96] = { 0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0, 0, 1, 'x', [77] = 1, [79] = 5 };
        static const uint8_t header[16] = { 0x8e, 0xad, 0xe8, 1 };

        la_file.n = 0;
        put(lead, sizeof(lead));
        put(header, sizeof(header));
        put(header, sizeof(header));
        put_linked_cpio();
        la_expect_links("rpm");
}

static void put_rar_block(unsigned type, unsigned flags, const void *body, size_t n)
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

static void put_rar_file(const char *path, unsigned mode, bool solid, const char *text)
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

static void put_rar(unsigned flags, bool solid)
{
        put("Rar!\x1a\x07\x00", 7);
        put_rar_block(0x73, flags, "\0\0\0\0\0\0", 6);
        put_rar_file("d", S_IFDIR | 0750, false, "");
        put_rar_file("d\\" LA_UNICODE, S_IFREG | 0640, solid, "rar4");
        put_rar_block(0x7b, 0x4000, "", 0);
}

Test(libarchive, good_rar)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_file.n = 0;
        put_rar(0, false);
        c = la_list("rar");
        la_expect(c, "d/" LA_UNICODE, "rar4");
        m = la_get(c, "d/" LA_UNICODE);
        cr_assert_eq(m.meta.mode, S_IFREG | 0640);
        cr_assert_not(m.meta.known & LSR_FIELD_UID);
        cr_assert(m.flags & LSR_MEMBER_LOCALTIME);
        cr_assert(S_ISDIR(la_get(c, "d").meta.mode));
        lsr_catalogue_free(c);
}

static void put_rar5_block(const void *body, size_t n)
{
        size_t start = la_file.n;

        put_le(0, 4);
        put_le(n, 1);
        put(body, n);
        lsr_put_le32(la_file.data + start, la_crc32(la_file.data + start + 4, n + 1));
}

static void put_rar5_file(const char *path, unsigned mode, const char *text)
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

static void put_rar5(void)
{
        put("Rar!\x1a\x07\x01\x00", 8);
        put_rar5_block((uint8_t[]){ 1, 0, 0 }, 3);
        put_rar5_file("d", S_IFDIR | 0750, "");
        put_rar5_file("d/" LA_UNICODE, S_IFREG | 0640, "rar5");
        put_rar5_block((uint8_t[]){ 5, 0, 0 }, 3);
}

Test(libarchive, good_rar5)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_file.n = 0;
        put_rar5();
        c = la_list("rar5");
        la_expect(c, "d/" LA_UNICODE, "rar5");
        m = la_get(c, "d/" LA_UNICODE);
        la_expect_unix(&m, S_IFREG | 0640);
        cr_assert_not(m.meta.known & LSR_FIELD_UID);
        lsr_catalogue_free(c);
}

static void put_cab(void)
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

Test(libarchive, good_cab)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_file.n = 0;
        put_cab();
        c = la_list("cab");
        la_expect(c, "a.txt", "hello\n");
        m = la_get(c, "a.txt");
        cr_assert(m.meta.known & LSR_FIELD_MTIME);
        cr_assert(m.flags & LSR_MEMBER_LOCALTIME);
        cr_assert_eq(m.meta.known & (LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID), 0);
        lsr_catalogue_free(c);
}

/* Level 0, stored; with the extension that Unix programs append, or none. */
static void put_lha(const char *path, const char *text, unsigned mode)
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

Test(libarchive, good_lha)
{
        struct lsr_catalogue *c;
        struct lsr_member m;

        la_file.n = 0;
        put_lha("unix", "hello\n", S_IFREG | 0640);
        put_lha("dos", "dos", 0);
        put_le(0, 1);
        c = la_list("lha");
        la_expect(c, "unix", "hello\n");
        m = la_get(c, "unix");
        la_expect_unix(&m, S_IFREG | 0640);
        la_expect_owner(&m);
        cr_assert_not(m.flags & LSR_MEMBER_LOCALTIME);
        m = la_get(c, "dos");
        cr_assert_eq(m.meta.known & (LSR_FIELD_MODE | LSR_FIELD_UID | LSR_FIELD_GID), 0);
        lsr_catalogue_free(c);
        la_file.n = 0;
        put_lha("dos", "dos", 0);
        put_le(0, 1);
        c = la_list("lha");
        cr_assert(la_get(c, "dos").flags & LSR_MEMBER_LOCALTIME);
        lsr_catalogue_free(c);
}

/* --- damage ------------------------------------------------------------------ */

static void fixture_7z(void)
{
        la_write(archive_write_set_format_7zip, la_tree, LA_COUNT(la_tree));
}

static void fixture_newc(void)
{
        la_write(archive_write_set_format_cpio_newc, la_tree, LA_COUNT(la_tree));
}

static void fixture_bin(void)
{
        la_write(archive_write_set_format_cpio_bin, la_tree, LA_COUNT(la_tree));
}

static void fixture_iso(void)
{
        la_write(archive_write_set_format_iso9660, la_tree, LA_COUNT(la_tree) - 1);
}

static void fixture_ar(void)
{
        la_write(archive_write_set_format_ar_svr4, la_flat, LA_COUNT(la_flat));
}

static void fixture_warc(void)
{
        la_write(archive_write_set_format_warc, la_flat, LA_COUNT(la_flat));
}

static void fixture_rar(void)
{
        put_rar(0, false);
}

static void fixture_lha(void)
{
        put_lha("unix", "hello\n", S_IFREG | 0640);
        put_lha("dos", "dos", 0);
        put_le(0, 1);
}

static void (*const la_fixtures[])(void) = {
        fixture_7z,   fixture_newc, fixture_bin, fixture_iso, fixture_ar,
        fixture_warc, fixture_rar,  put_rar5,    put_cab,     fixture_lha,
};

/* List it, and read all that is listed: any result will do, but there must be one.  Returns the rows. */
static uint32_t la_exercise(void)
{
        struct lsr_catalogue *c = NULL;
        uint32_t rows = 0;

        if (la_scan(la_open(), &c) == 0) {
                rows = lsr_catalogue_rows(c);
                for (uint32_t row = 1; row < rows; row++) {
                        char path[8192];
                        struct lsr_member m;

                        lsr_catalogue_get(c, row, &m);
                        m.path_len = lsr_catalogue_path(c, row, path, sizeof(path));
                        m.path = path;
                        if (m.path_len < sizeof(path) && !(m.flags & LSR_MEMBER_IMPLIED))
                                la_read_member(la_open(), &m);
                }
        }
        lsr_catalogue_free(c);
        return rows;
}

Test(libarchive, bad_cut_anywhere, .timeout = 120)
{
        for (size_t i = 0; i < LA_COUNT(la_fixtures); i++) {
                size_t whole, step;
                uint32_t rows;

                la_file.n = 0;
                la_fixtures[i]();
                whole = la_file.n;
                rows = la_exercise();
                cr_assert_gt(rows, 1);
                step = whole > 20000 ? 1021 : 1;
                for (size_t cut = 0; cut < whole; cut += step) {
                        la_file.n = cut;
                        cr_assert_leq(la_exercise(), rows);
                }
        }
}

/* What lies before the cut is listed, and the cut is said. */
Test(libarchive, bad_cut_is_reported)
{
        struct lsr_catalogue *c;

        la_file.n = 0;
        put_newc("one", 1, S_IFREG | 0644, 1, "1111");
        put_newc("two", 2, S_IFREG | 0644, 1, "22222222");
        la_file.n -= 4;
        c = la_list("cpio");
        cr_assert_eq(lsr_catalogue_rows(c), 3);
        cr_assert_eq(la_error, -EBADMSG);
        cr_assert(strstr(la_said, "cpio is damaged: "), "%s", la_said);
        cr_assert(strstr(la_said, "at byte 240"), "%s", la_said);
        la_expect(c, "one", "1111");
        cr_assert_eq(la_read(c, "two"), -EBADMSG);
        lsr_catalogue_free(c);
}

/* Content is skipped unread, but not beyond the end: an ar just ends there.  More than the head that probes want. */
Test(libarchive, bad_cut_in_skipped_content)
{
        static char large[200001];
        static const struct la_entry entries[] = {
                { "one", S_IFREG | 0644, large },
                { "two", S_IFREG | 0644, "222" },
                { "three", S_IFREG | 0644, large },
        };
        struct lsr_catalogue *c;

        memset(large, 'x', sizeof(large) - 1);
        la_write(archive_write_set_format_ar_svr4, entries, 3);
        c = la_list("ar");
        cr_assert_eq(lsr_catalogue_rows(c), 4);
        cr_assert_str_empty(la_said);
        la_expect(c, "two", "222");
        lsr_catalogue_free(c);
        la_file.n -= 4;
        c = la_list("ar");
        cr_assert_eq(lsr_catalogue_rows(c), 4);
        cr_assert_eq(la_error, -EBADMSG);
        cr_assert(strstr(la_said, "ar is damaged: "), "%s", la_said);
        lsr_catalogue_free(c);
}

/* Our probe says yes, no format of libarchive does. */
Test(libarchive, bad_not_recognised)
{
        struct lsr_catalogue *c;

        la_file.n = 0;
        put_rar5();
        memset(la_file.data + 8, 0xff, la_file.n - 8);
        la_scan(la_open(), &c);
        la_file.n = 0;
        put_lha("x", "", 0);
        la_file.data[5] = '\n';
        cr_assert_eq(la_scan(la_open(), &c), -EBADMSG, "%s", la_said);
        cr_assert(strstr(la_said, "lha is damaged: "), "%s", la_said);
}

/* Nothing can be listed: an error, and one that says more than its number. */
Test(libarchive, bad_at_once)
{
        struct lsr_catalogue *c;

        fixture_7z();
        la_file.n -= 10;
        cr_assert_eq(la_scan(la_open(), &c), -EBADMSG);
        cr_assert(strstr(la_said, "7z is damaged: "), "%s", la_said);
}

Test(libarchive, hostile_noise, .timeout = 240)
{
        uint64_t seed = 88172645463325252;

        for (size_t i = 0; i < LA_COUNT(la_fixtures); i++) {
                static struct la_bytes good;

                la_file.n = 0;
                la_fixtures[i]();
                memcpy(good.data, la_file.data, la_file.n);
                good.n = la_file.n;
                for (unsigned round = 0; round < 300; round++) {
                        /* What matters of an iso begins behind its 16 empty sectors. */
                        size_t from = good.n > 60000 ? 32768 : 0, range = good.n > 60000 ? 40000 : good.n;

                        memcpy(la_file.data, good.data, good.n);
                        la_file.n = good.n;
                        for (unsigned flips = 0; flips <= round % 8; flips++) {
                                seed ^= seed << 13;
                                seed ^= seed >> 7;
                                seed ^= seed << 17;
                                la_file.data[from + seed % range] = (uint8_t)(seed >> 32);
                        }
                        la_exercise();
                }
        }
}

/* --- errors ------------------------------------------------------------------ */

/* A 7z whose header is packed by AES: its only folder has the coder 06F10701. */
Test(libarchive, bad_7z_encrypted_header)
{
        static const uint8_t header[] = {
                0x17,                               /* the header is packed itself */
                0x06, 0,    1,    0x09, 16,   0,    /* one stream of 16 bytes, at 0 */
                0x07, 0x0b, 1,    0,                /* one folder, */
                1,    0x24, 0x06, 0xf1, 0x07, 0x01, /* one coder, with an id of four bytes and properties */
                2,    0,    0,                      /* these */
                0x0c, 16,   0,                      /* unpacks to 16 bytes */
                0,
        };
        uint8_t start[20];
        struct lsr_catalogue *c;

        lsr_put_le64(start, 16);
        lsr_put_le64(start + 8, sizeof(header));
        lsr_put_le32(start + 16, la_crc32(header, sizeof(header)));
        la_file.n = 0;
        put("7z\xbc\xaf\x27\x1c\0\4", 8);
        put_le(la_crc32(start, sizeof(start)), 4);
        put(start, sizeof(start));
        put("sixteen bytes...", 16);
        put(header, sizeof(header));
        cr_assert_eq(la_scan(la_open(), &c), -EACCES, "%s", la_said);
        cr_assert_str_eq(la_said, "its directory is encrypted\n");
}

/* The main header of a rar says that all others are encrypted. */
Test(libarchive, bad_rar_encrypted_header)
{
        struct lsr_catalogue *c;

        la_file.n = 0;
        put_rar(0x80, false);
        cr_assert_eq(la_scan(la_open(), &c), -EACCES, "%s", la_said);
        cr_assert_str_eq(la_said, "its directory is encrypted\n");
}

/* What libarchive cannot do is not the archive's fault. */
Test(libarchive, bad_rar_solid)
{
        struct lsr_catalogue *c = NULL;

        la_file.n = 0;
        put_rar(8, true);
        cr_assert_eq(la_scan(la_open(), &c), 0);
        cr_assert_eq(la_error, -EOPNOTSUPP);
        cr_assert_str_eq(la_said, "rar cannot be read beyond byte 60: RAR solid archive support unavailable.\n");
        lsr_catalogue_free(c);
}

/* An error of the file is not taken for damage of the archive. */
Test(libarchive, bad_input)
{
        struct lsr_catalogue *c = NULL;

        fixture_newc();
        la_file.n = 400;
        cr_assert_eq(la_scan(la_drip(400, -EIO), &c), 0);
        cr_assert_eq(la_error, -EIO, "%s", la_said);
        cr_assert_gt(lsr_catalogue_rows(c), 1);
        lsr_catalogue_free(c);
}

/* The archive has changed since it was listed. */
Test(libarchive, bad_other_member)
{
        struct lsr_member m = { .path = "d/a.txt", .path_len = 7, .position = 2 };

        fixture_newc();
        cr_assert_eq(la_read_member(la_open(), &m), -EBADMSG);
        m.position = 99;
        cr_assert_eq(la_read_member(la_open(), &m), -EBADMSG);
        m.position = 1;
        cr_assert_eq(la_read_member(la_open(), &m), 0);
        /* A stored path that was cleaned is compared as it was stored. */
        la_file.n = 0;
        put_newc("../x", 1, S_IFREG | 0644, 1, "x");
        m = (struct lsr_member){ .path = "x", .path_len = 1, .raw = "../x", .raw_len = 4 };
        cr_assert_eq(la_read_member(la_open(), &m), 0);
}

static int la_full(void *ctx, const void *data, size_t n)
{
        (void)ctx, (void)data, (void)n;
        return -ENOSPC;
}

Test(libarchive, read_ends_with_the_sink)
{
        struct lsr_member m = { .path = "d/a.txt", .path_len = 7, .position = 1 };
        struct lsr_sink sink = { .write = la_full };
        struct lsr_scan scan = { .prefix = "" };

        fixture_newc();
        scan.input = la_open();
        cr_assert_eq(lsr_format_cpio.read(&scan, &m, &sink), -ENOSPC);
        lsr_input_free(scan.input);
}

/* The stand-in for libc's function holds while an archive is open and no longer. */
Test(libarchive, charset_is_lent)
{
        struct lsr_catalogue *c;

        fixture_7z();
        cr_assert_str_eq(nl_langinfo(CODESET), "ANSI_X3.4-1968");
        c = la_list("7z");
        cr_assert_str_eq(nl_langinfo(CODESET), "ANSI_X3.4-1968");
        cr_assert_str_eq(nl_langinfo(RADIXCHAR), ".");
        lsr_catalogue_free(c);
}

/* --- probes ------------------------------------------------------------------ */

static bool la_probe(const struct lsr_format *format, const void *head, size_t n)
{
        struct lsr_probe p = { .head = head, .head_len = n, .size = n };

        return format->probe(&p);
}

Test(libarchive, probes_want_whole_magic)
{
        for (size_t i = 0; i < LA_COUNT(la_fixtures); i++) {
                const struct lsr_format *mine = NULL;

                la_file.n = 0;
                la_fixtures[i]();
                for (size_t k = 0; lsr_formats[k]; k++) {
                        if (!la_probe(lsr_formats[k], la_file.data, la_file.n < 65536 ? la_file.n : 65536))
                                continue;
                        cr_assert_null(mine, "%s and %s", mine->name, lsr_formats[k]->name);
                        mine = lsr_formats[k];
                }
                cr_assert(mine);
                /* Heads of every length, in memory of just that size: the sanitizer sees a read beyond. */
                for (size_t n = 0; n < 200; n++) {
                        uint8_t *head = malloc(n + 1);

                        memcpy(head + 1, la_file.data, n);
                        la_probe(mine, head + 1, n);
                        if (n < 4)
                                cr_assert_not(la_probe(mine, head + 1, n));
                        free(head);
                }
        }
}

Test(libarchive, probes_doubt_a_binary_cpio)
{
        fixture_bin();
        cr_assert(la_probe(&lsr_format_cpio, la_file.data, la_file.n));
        for (size_t i = 0; i + 1 < la_file.n; i += 2) {
                uint8_t byte = la_file.data[i];

                la_file.data[i] = la_file.data[i + 1];
                la_file.data[i + 1] = byte;
        }
        /* The other byte order; a name has none. */
        la_file.data[26] = 'd';
        la_file.data[27] = '\0';
        cr_assert(la_probe(&lsr_format_cpio, la_file.data, la_file.n));
        la_file.data[27] = 'x';
        cr_assert_not(la_probe(&lsr_format_cpio, la_file.data, la_file.n));
        cr_assert_not(la_probe(&lsr_format_cpio, "\xc7\x71 text that begins with these two bytes, and goes on", 54));
        cr_assert_not(la_probe(&lsr_format_cpio, "070707 is how a cpio begins, and this text too", 46));
        cr_assert_not(la_probe(&lsr_format_lha, "- -lha- is a format, and this is some text about it", 51));
}
