/* What the zip driver makes of one entry: names in any character set, times, owners, modes, links. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "zip-maker.h"

/* --- names ---------------------------------------------------------------------------------------- */

#define NAMED(want, stored, ...) ONE(!strcmp(m.path, want), .name = stored, __VA_ARGS__)

Test(zip_member, names)
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
Test(zip_member, unicode_field)
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

Test(zip_member, hostile_names)
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
Test(zip_member, names_differ)
{
        struct entry entries[] = { { .name = "central", .data = "x", .local_name = "local" },
                                   { .name = "dir/../same", .data = "x" },
                                   { .name = "win\\same", .data = "x", .host = 1 },
                                   { .name = "./dot/same", .data = "x" } };
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, entries, 4, NULL, 0);
        res = scan(&b);
        cr_assert(has(res, "central") && !has(res, "local"));
        cr_assert_eq(read_path(&b, res, "central", &content, &said), 0);
        cr_assert_str_eq(said.troubles, "remark: 'central' is named 'local' in its local header\n");
        cr_assert_eq(read_path(&b, res, "win/same", &content, &said), 0);
        cr_assert_str_eq(said.troubles, "");
        cr_assert_eq(read_path(&b, res, "dot/same", &content, &said), 0);
        cr_assert_str_eq(said.troubles, "");
        result_free(res);
        free(content.data);
        free(b.data);
}

/* --- metadata -------------------------------------------------------------------------------------- */


static bool mtime_is(const struct lsr_member *m, int64_t sec)
{
        return m->meta.known & LSR_FIELD_MTIME && m->meta.sec[LSR_MTIME] == sec && !(m->flags & LSR_MEMBER_LOCALTIME);
}

static bool dos_is(const struct lsr_member *m, int64_t sec)
{
        return m->meta.known & LSR_FIELD_MTIME && m->meta.sec[LSR_MTIME] == sec && m->flags & LSR_MEMBER_LOCALTIME;
}

Test(zip_member, times)
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
        /* From 2038 on, as the DOS time says, what looks negative has wrapped. */
        ONE(mtime_is(&m, UINT32_MAX), EXTRA("UT\5\0\1\377\377\377\377"),
            .time = (2106u - 1980) << 25 | 1 << 21 | 1 << 16);
        ONE(mtime_is(&m, INT64_C(1) << 31), EXTRA("UX\10\0\0\0\0\0\0\0\0\200"), .time = (2038u - 1980) << 25);
        ONE(mtime_is(&m, INT32_MIN), EXTRA("UT\5\0\1\0\0\0\200"), .time = ((2038u - 1980) << 25) - 1);
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
Test(zip_member, dos_times)
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

Test(zip_member, owners)
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

Test(zip_member, modes)
{
        ONE(m.meta.mode == (S_IFREG | 0644), );
        ONE(m.meta.mode == (S_IFDIR | 0755), .name = "d/");
        ONE(m.meta.mode == (S_IFDIR | 0755), .dos = 0x10);
        ONE(m.meta.mode == (S_IFDIR | 0700), .mode = S_IFDIR | 0700);
        ONE(m.meta.mode == (S_IFDIR | 0700), .name = "d/", .mode = S_IFREG | 0700);
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = 0600);
        ONE(m.meta.mode == S_IFREG, .mode = S_IFREG);
        ONE(m.meta.mode == (S_IFIFO | 0600), .mode = S_IFIFO | 0600);
        /* What came through a pipe or from a device is content all the same. */
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = S_IFIFO | 0600, .data = "x");
        ONE(m.meta.mode == (S_IFREG | 0620), .mode = S_IFCHR | 0620, .data = "x");
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = 0xf000 | 0600); /* no such type */
        ONE(m.meta.mode == (S_IFREG | 07777), .mode = 0xffff, .dos = 0x10, .data = "x");
        ONE(m.meta.mode == (S_IFDIR | 0755), .mode = S_IFDIR | 0755);
        ONE(m.meta.mode == (S_IFREG | 0755), .mode = S_IFDIR | 0755, .data = "x");
        ONE(m.meta.mode == (S_IFREG | 06755), .mode = S_IFREG | 06755, .host = 1 + 19);
        /* FAT: no modes, but for those of PKZIP for Unix and 7-Zip. */
        ONE(m.meta.mode == (S_IFREG | 0644), .mode = 0600, .host = 1);
        ONE(m.meta.mode == (S_IFREG | 0600), .mode = S_IFREG | 0600, .host = 1);
        ONE(m.meta.mode == (S_IFDIR | 0755), .mode = S_IFREG | 0600, .host = 1, .dos = 0x10);
        ONE(m.meta.mode == (S_IFREG | 0444), .host = 1, .dos = 1);
        ONE(m.meta.mode == (S_IFREG | 0644), .mode = S_IFREG | 0600, .host = 1 + 10);
}

Test(zip_member, methods)
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

Test(zip_member, encrypted)
{
        ONE(m.flags & LSR_MEMBER_ENCRYPTED && !strcmp(m.method, "deflate"), .flags = 1, .method = 8);
        ONE(m.flags & LSR_MEMBER_ENCRYPTED && !strcmp(m.method, "deflate"), .flags = 1, .method = 99,
            EXTRA("\1\x99\7\0\2\0AE\3\10\0"));
        ONE(m.flags & LSR_MEMBER_ENCRYPTED && !strcmp(m.method, "aes"), .flags = 1, .method = 99);
        ONE(!(m.flags & LSR_MEMBER_ENCRYPTED) && !strcmp(m.method, "store"), EXTRA("\1\x99\7\0\2\0AE\3\10\0"));
}

Test(zip_member, links)
{
        ONE(m.target_len == 2 && !strcmp(m.target, "to") && m.meta.size == 2, .data = "to", .mode = S_IFLNK | 0777);
        ONE(m.target_len == 2 && !strcmp(m.target, "to"), .data = "\1\2\0\375\377to", .n = 7, .content = "to",
            .method = 8, .mode = S_IFLNK | 0777);
        ONE(m.target_len == 2, .data = "to", .mode = S_IFLNK | 0777, .host = 1, .dos = 0x10);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .crc_wrong = true);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .flags = 1);
        ONE(S_ISLNK(m.meta.mode) && !m.target, .data = "to", .mode = S_IFLNK | 0777, .method = 42);
        /* The local header has another packed size, and the checksum is right with that. */
        ONE(m.target_len == 2, .data = "to", .mode = S_IFLNK | 0777, .packed_add = 1);
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
