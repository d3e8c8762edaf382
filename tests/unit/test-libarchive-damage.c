/* What libarchive reads, cut short, changed, encrypted, and what is none of it: said, and never a crash. */
#undef _TIME_BITS /* as in libarchive.c */

#include "failing.h"
#include "libarchive-maker.h"

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

static void fixture_mtree(void)
{
        la_file.n = 0;
        put_text("#mtree\n/set type=file uid=1000 mode=0644\n./d type=dir\n./d/a\\040b size=6 time=5.6\n"
                 "./d/dev type=char device=native,1,3\n./d/sym type=link link=a\\040b\n");
}

static void (*const la_fixtures[])(void) = {
        fixture_7z,  fixture_newc, fixture_bin, fixture_iso, fixture_ar,    fixture_warc,
        fixture_rar, put_rar5,     put_cab,     fixture_lha, fixture_mtree,
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

/*
 * A file of the first directory lies in sector 0; libarchive then lists both without end.  ECMA-119 8.4.18: the record
 * of that directory; 9.1: in a record, location at 2, flags at 25; the first byte is its own length.
 */
Test(libarchive, hostile_iso_in_itself, .timeout = 60)
{
        uint32_t at, rows;
        struct lsr_catalogue *c;

        la_write(archive_write_set_format_iso9660, la_flat, LA_COUNT(la_flat));
        at = lsr_le32(la_file.data + 16 * 2048 + 156 + 2) * 2048;
        while (la_file.data[at + 25] & 2)
                at += la_file.data[at];
        lsr_put_le32(la_file.data + at + 2, 0);
        c = la_list("iso9660");
        rows = lsr_catalogue_rows(c);
        cr_assert_gt(rows, 1);
        cr_assert_leq(rows, la_file.n / 34 + 2);
        cr_assert_eq(la_error, -EBADMSG);
        cr_assert_str_eq(la_said, "iso9660 is damaged: its directories contain themselves\n");
        lsr_catalogue_free(c);
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

/* Two files in one solid block, which a coder makes that nobody knows (7zFormat.txt). */
static void put_7z_codec(void)
{
        static const uint8_t header[] = {
                0x01, 0x04, 0x06, 0,    1, 0x09, 8,    0,          /* one stream of 8 bytes */
                0x07, 0x0b, 1,    0,    1, 1,    0x7f, 0x0c, 8, 0, /* a folder of one coder, 0x7f, that makes 8 bytes */
                0x08, 0x0d, 2,    0x09, 4, 0,    0,                /* two files, the first of 4 bytes */
                0x05, 2,    0x11, 9,    0, 'a',  0,    0,    0, 'b', 0, 0, 0, 0, 0,
        };
        uint8_t start[20];

        lsr_put_le64(start, 8);
        lsr_put_le64(start + 8, sizeof(header));
        lsr_put_le32(start + 16, la_crc32(header, sizeof(header)));
        la_file.n = 0;
        put("7z\xbc\xaf\x27\x1c\0\3", 8);
        put_le(la_crc32(start, sizeof(start)), 4);
        put(start, sizeof(start));
        put("aaaabbbb", 8);
        put(header, sizeof(header));
}

/* Nor is a codec that it does not know, and what comes of the rest of such a block. */
Test(libarchive, bad_7z_codec)
{
        struct lsr_catalogue *c;

        put_7z_codec();
        c = la_list("7z");
        cr_expect_eq(la_read(c, "a"), -EOPNOTSUPP);
        cr_expect_eq(la_read(c, "b"), -EOPNOTSUPP);
        cr_expect_not_null(strstr(la_said, "7z cannot be read beyond byte "), "%s", la_said);
        cr_expect_not_null(strstr(la_said, "codec ID: 7f\n"), "%s", la_said);
        cr_expect_null(strstr(la_said, "damaged"), "%s", la_said);
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

Test(libarchive, failing_reads, .timeout = 200)
{
        for (size_t i = 0; i < LA_COUNT(la_fixtures); i++) {
                la_file.n = 0;
                la_fixtures[i]();
                if (la_file.n > 200000)
                        continue;
                failing_reads(la_file.data, la_file.n, false);
        }
        la_file.n = 0;
        put_linked_cpio();
        failing_reads(la_file.data, la_file.n, true);
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
        struct lsr_scan scan = {};

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
        cr_assert_str_neq(nl_langinfo(CODESET), "UTF-8");
        c = la_list("7z");
        cr_assert_str_neq(nl_langinfo(CODESET), "UTF-8");
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

/* A header with damaged bytes begins a cpio all the same: other members are intact. */
Test(libarchive, probes_know_a_damaged_cpio)
{
        la_write(archive_write_set_format_cpio_newc, la_tree, LA_COUNT(la_tree));
        memset(la_file.data + 26, '\n', 16);
        cr_expect(la_probe(&lsr_format_cpio, la_file.data, la_file.n));
        la_write(archive_write_set_format_cpio_odc, la_tree, LA_COUNT(la_tree));
        memset(la_file.data + 10, 0, 16);
        cr_expect(la_probe(&lsr_format_cpio, la_file.data, la_file.n));
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
        cr_assert_not(
                la_probe(&lsr_format_cpio,
                         "070701 is how a cpio begins, and this text too, which is as long as a header has to be, "
                         "and a little longer than that",
                         116));
        cr_assert_not(la_probe(&lsr_format_lha, "- -lha- is a format, and this is some text about it", 51));
}

/* --- what libarchive loses its way in ----------------------------------------- */

static void put_warc(const char *type, const char *name, const char *text)
{
        char header[400];

        snprintf(header, sizeof(header),
                 "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: file://%s\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 type, name, strlen(text));
        put_text(header);
        put_text(text);
        put_text("\r\n\r\n");
}

/* Records that are no members are passed over: a cut in one was an end, as one in the first bytes of a header. */
Test(libarchive, bad_warc_cut)
{
        size_t ends[4];

        la_file.n = 0;
        for (size_t i = 0; i < 4; i++) {
                put_warc(i == 0 ? "warcinfo" : i == 2 ? "request" : "resource", i == 1 ? "one" : "two", "some content");
                ends[i] = la_file.n;
        }
        for (size_t cut = 6; cut < ends[3]; cut++) {
                bool whole = cut == ends[0] || cut == ends[1] || cut == ends[2];
                struct lsr_catalogue *c = NULL;

                la_file.n = cut;
                for (int pipe = 0; pipe < 2; pipe++) {
                        la_scan(pipe ? la_drip(1000, 0) : la_open(), &c);
                        cr_expect_eq(!*la_said, whole, "%zu: %s", cut, la_said);
                        lsr_catalogue_free(c);
                        c = NULL;
                }
        }
}

/* Said once, where it is listed, and only of what may be a member. */
Test(libarchive, bad_warc_record)
{
        static const struct {
                const char *type, *name, *from, *to, *want;
        } records[] = {
                { "resource", "one", "resource", "rezource",
                  "record at byte 120 is of a type that is not known, 'rezource', and is passed over\n" },
                { "response", "one", "WARC-Type", "WARC-Typo", "record at byte 120 has no type, and is passed over\n" },
                { "resource", "one", "WARC-Target", "WARC-Tirget",
                  "record at byte 120 has no address, and is passed over\n" },
                { "response", "one", "file://", "dns:///", "" },
                { "metadata", "one", "WARC-Target", "WARC-Tirget", "" },
                { "resource", "one", "Date", "date", NULL },
        };

        for (size_t i = 0; i < LA_COUNT(records); i++) {
                struct lsr_catalogue *c = NULL;
                uint8_t *at;

                la_file.n = 0;
                put_warc("resource", "zero", "0");
                cr_assert_eq(la_file.n, 120);
                put_warc(records[i].type, records[i].name, "WARC/1.0\r\n\r\n");
                put_warc("resource", "two", "2");
                at = memmem(la_file.data + 120, la_file.n - 120, records[i].from, strlen(records[i].from));
                memcpy(at, records[i].to, strlen(records[i].to));
                for (size_t step = 400; step > 0; step -= 200) {
                        la_scan(la_drip(step, 0), &c);
                        if (!records[i].want) {
                                cr_expect(strstr(la_said, "warc is damaged"), "%s", la_said);
                        } else {
                                cr_expect_str_eq(la_said, records[i].want);
                                cr_expect_eq(lsr_catalogue_rows(c), 3);
                                la_said[0] = '\0';
                                la_expect(c, "two", "2");
                                cr_assert_str_empty(la_said);
                        }
                        lsr_catalogue_free(c);
                        c = NULL;
                }
        }
}

/* Of a newc one byte of a header is damaged: it costs no member but that one, wherever it is. */
Test(libarchive, bad_newc_header, .timeout = 60)
{
        static const char *const names[] = { "zero", "one", "link", "three", "four" };
        size_t begin[6];

        la_file.n = 0;
        for (unsigned i = 0; i < 5; i++) {
                begin[i] = la_file.n;
                put_newc(names[i], i + 1, i == 2 ? S_IFLNK | 0777 : S_IFREG | 0644, 1, "content 070701");
        }
        begin[5] = la_file.n;
        put_newc("TRAILER!!!", 0, 0, 1, "");
        for (unsigned bad = 0; bad < 5; bad++) {
                for (size_t at = 0; at < 110; at++) {
                        uint8_t *byte = la_file.data + begin[bad] + at, before = *byte;
                        struct lsr_catalogue *c = NULL;

                        *byte = 'Z';
                        cr_expect_eq(la_scan(at % 2 ? la_drip(50 + at, 0) : la_open(), &c), 0, "%u, %zu", bad, at);
                        cr_expect_eq(lsr_catalogue_rows(c), 5, "%u, %zu: %s", bad, at, la_said);
                        for (unsigned i = 0; at % 16 == 0 && i < 5; i++)
                                if (i != bad && i != 2)
                                        la_expect(c, names[i], "content 070701");
                        cr_expect_eq(la_error, -EBADMSG);
                        cr_expect(strstr(la_said, "is damaged; the next one found is at byte "), "%s", la_said);
                        lsr_catalogue_free(c);
                        *byte = before;
                }
        }
        /* The last member's, and that of the end mark. */
        memset(la_file.data + begin[4] + 14, 'Z', 8);
        la_file.data[begin[5]] = 'Z';
        lsr_catalogue_free(la_list("cpio"));
        cr_expect(strstr(la_said, "is damaged, and no other one was found after it\n"), "%s", la_said);
        cr_expect_null(strchr(strchr(la_said, '\n') + 1, '\n'), "%s", la_said);
}
