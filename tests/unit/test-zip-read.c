/* Content of members, and what a zip is known by. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "zip-maker.h"

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

Test(zip_read, read)
{
        READ(0, "", .mode = S_IFREG | 0644);
        READ(0, "stored", .data = "stored");
        READ(0, "stored", .data = "stored", .descriptor = 16, .local_extra = UT, .local_extra_len = 9);
        READ(0, "beta", BETA);
        /* What Python's bz2 and lzma make of "beta", the last with an end marker. */
        READ(0, "beta", .method = 12, .content = "beta", .n = 42,
             .data = "\102\132\150\071\061\101\131\046\123\131\150\153\110\262\000\000\000\201\200\062\000\004\000\040\000\041\232\150\063\115\023\074\135\311\024\341\102\101\241\255\042\310");
        READ(0, "beta", .method = 95, .content = "beta", .n = 56,
             .data = "\375\067\172\130\132\000\000\001\151\042\336\066\002\000\041\001\026\000\000\000\164\057\345\243\001\000\003\142\145\164\141\000\143\004\221\217\000\001\030\004\153\351\360\245\220\102\231\015\001\000\000\000\000\001\131\132");
        READ(0, "beta", .method = 14, .flags = 2, .content = "beta", .n = 23,
             .data = "\011\024\005\000\135\000\000\200\000\000\061\031\112\356\236\045\327\237\377\373\026\000\000");
        READ(-EBADMSG, "", .method = 14, .content = "beta", .n = 4, .data = "\11\24\6\0");
        READ(0, "target", .data = "target", .mode = S_IFLNK | 0777);
        READ(-EISDIR, "", .name = "f/");
        READ(-EOPNOTSUPP, "", .mode = S_IFIFO | 0644);
        READ(-EACCES, "EACCES: 'f' is encrypted (--password-file, LSR_PASSWORD)\n", .data = "x", .flags = 1);
        READ(-EOPNOTSUPP, "EOPNOTSUPP: 'f' is compressed with ppmd, which cannot be read\n", .data = "x", .method = 98);
        READ(-EBADMSG, "EBADMSG: 'f' is damaged: its checksum is wrong\n", .data = "x", .crc_wrong = true);
        READ(-EBADMSG, "EBADMSG: 'f' is damaged: its checksum is wrong\n", BETA, .crc_wrong = true);
        /* More than it is said to have, less, and a stream that makes no sense. */
        READ(-EBADMSG, "EBADMSG: 'f' is larger than the 3 bytes that are stated\n", .data = "\1\4\0\373\377beta",
             .n = 9, .content = "bet", .method = 8);
        READ(-EBADMSG, "EBADMSG: 'f' has 4 bytes instead of 5\n", .data = "\1\4\0\373\377beta", .n = 9,
             .content = "betax", .method = 8);
        READ(-EBADMSG, "EBADMSG: 'f' is larger than the 1 bytes that are stated\n", .data = "xx", .content = "x");
}

Test(zip_read, bad_local_header)
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

Test(zip_read, extent)
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

Test(zip_read, probe)
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
        /* With something behind it, too, the directory has to be in sight. */
        put(&b, "x", 1);
        cr_assert(probe(&b, 66000));
        cr_assert_not(probe(&b, 100));
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
