/* The formats that libarchive reads, through the driver: what there is comes out. */
#undef _TIME_BITS /* as in libarchive.c */

#include "libarchive-maker.h"

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

/* Of many pieces: no header is a bad one because it goes on in the next, nor is an empty line in content an end. */
Test(libarchive, good_warc_in_pieces)
{
        for (size_t step = 90; step < 100000; step = step * 3 + 7) {
                struct lsr_catalogue *c = NULL;

                la_file.n = 0;
                for (unsigned i = 0; i < 1500; i++) {
                        char record[1200];
                        int n = (int)(i * 37 % 400);

                        snprintf(
                                record, sizeof(record),
                                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: file:///f%u\r\n"
                                "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:%032u>\r\n"
                                "Content-Length: %d\r\n\r\n%.*s\r\n\r\n",
                                i, i, n, n,
                                i % 3 ? "a line\r\n\r\nanother" /* and to its length: */
                                        "................................................................................"
                                        "................................................................................"
                                        "................................................................................"
                                        "................................................................................"
                                        "................................................................................"
                                      : "--------------------------------------------------------------------------------"
                                        "--------------------------------------------------------------------------------"
                                        "--------------------------------------------------------------------------------"
                                        "--------------------------------------------------------------------------------"
                                        "--------------------------------------------------------------------------------");
                        put_text(record);
                }
                for (unsigned pipe = 0; pipe < 2; pipe++) {
                        struct lsr_input *in = pipe ? la_drip(step, 0) : la_open();

                        ((struct la_drip *)in)->step = step;
                        cr_assert_eq(la_scan(in, &c), 0, "%s", la_said);
                        cr_assert_str_empty(la_said);
                        cr_assert_eq(lsr_catalogue_rows(c), 1501, "%zu: %u", step, lsr_catalogue_rows(c));
                        lsr_catalogue_free(c);
                }
        }
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
