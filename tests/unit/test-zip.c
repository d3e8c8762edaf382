/* The zip driver: finding the directory, zip64, members that share bytes, very many members. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "zip-maker.h"

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

/* The size is wrong by just the first entry: what is where it leads is an entry, but of a zip without its first one. */
Test(zip, bad_directory_size)
{
        struct bytes b = {};
        uint64_t directory;

        put(&b, "#!/bin/sh\n", 10);
        for (size_t i = 0; i < 4; i++)
                put_local(&b, &plain[i]);
        directory = b.n;
        for (size_t i = 0; i < 4; i++)
                put_central(&b, &plain[i], 0);
        put_end(&b, 0, 4, b.n - directory - 50, directory, NULL, 0);
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
        ONE(m.meta.size == 7 && m.packed == 1 && !(m.flags & LSR_MEMBER_SUSPECT), .data = "x", .method = 8,
            .huge_size = true, .extra = "\1\0\10\0\7\0\0\0\0\0\0\0", .extra_len = 12);
        ONE(m.meta.size == 1 && m.packed == 1 && m.position == 0, .data = "x", .huge_packed = true,
            .extra = "\1\0\10\0\1\0\0\0\0\0\0\0", .extra_len = 12);
        ONE(m.meta.size == 1 && m.packed == 1 && m.position == 0, .data = "x", .huge_offset = true,
            .extra = "\1\0\10\0\0\0\0\0\0\0\0\0", .extra_len = 12);
        ONE(m.meta.size == 9 && m.packed == 1 && m.position == 0, .data = "x", .method = 8, .huge_offset = true,
            .huge_packed = true, .huge_size = true, .disk = 0xffff,
            .extra = "\1\0\34\0\11\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", .extra_len = 32);
        /* Nothing is all ones: the field is not looked at. */
        ONE(m.meta.size == 1 && m.packed == 1, .data = "x", .extra = "\1\0\10\0\7\0\0\0\0\0\0\0", .extra_len = 12);
}

Test(zip, bad_zip64_field_missing)
{
        for (unsigned i = 0; i < 3; i++) {
                struct entry e = { .name = "f", .data = "x", .huge_packed = i == 0, .huge_offset = i != 0 };
                struct result *res;
                struct lsr_member m;

                /* A field that has the size alone. */
                if (i == 2) {
                        e.huge_size = true;
                        e.extra = "\1\0\10\0\7\0\0\0\0\0\0\0";
                        e.extra_len = 12;
                }
                m = one(e, &res);
                if (i == 0) { /* of a packed size the local header has one */
                        cr_assert_eq(m.packed, 1);
                        cr_assert_not(m.flags & LSR_MEMBER_SUSPECT);
                        cr_assert(res->bad);
                } else {
                        cr_assert(m.flags & LSR_MEMBER_SUSPECT);
                        cr_assert_str_eq(res->troubles, "EBADMSG: the entry at byte 32 lacks its 64-bit sizes\n");
                }
                result_free(res);
        }
}

/* Info-ZIP writes no zip64 field for a file of 4 GiB less a byte that packs well. */
Test(zip, good_largest_size)
{
        ONE(m.meta.size == UINT32_MAX && m.packed == 1, .data = "x", .method = 8, .huge_size = true);
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

/* The locator or the record is damaged: what is all ones in the end record makes no part of a split zip of it. */
Test(zip, bad_zip64_end)
{
        for (unsigned i = 0; i < 2; i++) {
                struct bytes b = {};
                struct result *res;

                put_zip64(&b, 0, true, 45);
                b.data[b.n - 22 - 20 - (i ? 56 : 0)] ^= 1;
                res = scan(&b);
                cr_assert_eq(res->r, 0);
                cr_assert_eq(lsr_catalogue_rows(res->c), 5, "%s", res->troubles);
                cr_assert_eq(get(res, "b").meta.mode, S_IFREG | 04755);
                cr_assert_eq(get(res, "link").target_len, 9);
                cr_assert(res->bad);
                result_free(res);
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
        cr_assert_str_eq(res->troubles, "EOPNOTSUPP: this is one part of a split zip; 'zip -s 0' joins them\n");
        result_free(res);

        b.n = 0;
        put(&b, "PK\7\10", 4);
        put_local(&b, &plain[1]);
        res = scan(&b);
        cr_assert_eq(res->r, -EOPNOTSUPP);
        cr_assert_str_eq(res->troubles, "EOPNOTSUPP: this is the first part of a split zip; 'zip -s 0' joins them\n");
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
        cr_assert_not(get(res, "a").flags & LSR_MEMBER_SUSPECT); /* so its local header says */
        cr_assert(get(res, "other").flags & LSR_MEMBER_SUSPECT);
        cr_assert_not(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert_str_eq(res->troubles, "remark: some members share bytes with others\n");
        cr_assert_eq(read_path(&b, res, "a", &content, &said), 0);
        cr_assert_eq(read_path(&b, res, "other", &content, &said), -EBADMSG);
        cr_assert_str_eq(said.troubles, "EBADMSG: 'other' shares bytes with other members, or is not complete\n");
        cr_assert_eq(read_path(&b, res, "b", &content, &said), 0);
        result_free(res);
        free(content.data);
        free(b.data);
}

/* Of many that end together one can be read: what is read is never more than the file. */
Test(zip, hostile_kernel)
{
        struct entry entries[] = {
                { .name = "a", .packed_add = 70, .descriptor = 12 },
                { .name = "b", .packed_add = 35, .descriptor = 12 },
                { .name = "c", .data = "same" },
                { .name = "d", .data = "dddd" },
        };
        struct bytes b = {};
        struct result *res;

        put_zip(&b, entries, 4, NULL, 0);
        res = scan(&b);
        cr_assert(get(res, "a").flags & LSR_MEMBER_SUSPECT);
        cr_assert(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert_not(get(res, "c").flags & LSR_MEMBER_SUSPECT);
        cr_assert_not(get(res, "d").flags & LSR_MEMBER_SUSPECT);
        result_free(res);
        free(b.data);
}

/* The same member twice in the directory: the last one counts, and is good. */
Test(zip, hostile_twice)
{
        struct entry entries[] = { { .name = "a", .data = "aaaa" },
                                   { .name = "a", .data = "aaaa", .same = &entries[0] } };
        struct bytes b = {};
        struct result *res;

        put_zip(&b, entries, 2, NULL, 0);
        res = scan(&b);
        cr_assert_not(get(res, "a").flags & LSR_MEMBER_SUSPECT);
        result_free(res);
        free(b.data);
}

/* One that reaches over the next two; one that reaches into the directory. */
Test(zip, hostile_spans)
{
        struct entry entries[] = {
                { .name = "a", .data = "aaaa", .packed_add = 40, .descriptor = 12 },
                { .name = "b", .data = "bbbb" },
                { .name = "c", .data = "cccc" },
                { .name = "d", .data = "dddd", .packed_add = 40, .descriptor = 12 },
        };
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, entries, 4, NULL, 0);
        res = scan(&b);
        cr_assert_str_eq(res->troubles, "remark: some members share bytes with others\n");
        cr_assert(get(res, "a").flags & LSR_MEMBER_SUSPECT);
        cr_assert_not(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert_not(get(res, "c").flags & LSR_MEMBER_SUSPECT);
        cr_assert(get(res, "d").flags & LSR_MEMBER_SUSPECT);
        result_free(res);
        b.n = 0;

        /* Where local headers know better, these count. */
        entries[0].descriptor = entries[3].descriptor = 0;
        put_zip(&b, entries, 4, NULL, 0);
        res = scan(&b);
        cr_assert(strstr(res->troubles, "members have other sizes in their local headers\n"), "%s", res->troubles);
        for (size_t i = 0; i < 4; i++)
                cr_assert_eq(read_path(&b, res, entries[i].name, &content, &said), 0);
        result_free(res);
        free(content.data);
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
