/* The tar driver: what it lists. */
#include "tar-tape.h"

static bool probe(const void *data, size_t n)
{
        struct lsr_probe p = { .head = data, .head_len = n < LSR_PROBE_BYTES ? n : LSR_PROBE_BYTES, .size = n };

        return lsr_format_tar.probe(&p);
}

/* --- dialects ------------------------------------------------------------------- */

Test(tar, good_v7)
{
        struct tape t = {};
        uint8_t *h;

        tape_file(&t, V7, "file", "content");
        tape_raw(&t, V7, '\0', "dir/", 0);
        h = tape_raw(&t, V7, '2', "link", 0);
        put(h, 157, "target");
        tape_end(&t);
        cr_expect(probe(t.data, t.n));
        check(&t, "- 644 1000/100 / 7 1000000000 'file' 7@0+512\n"
                  "d 644 1000/100 / 0 1000000000 'dir/' 0@1024+512\n"
                  "l 644 1000/100 / 6 1000000000 'link'->'target' 0@1536+512\n");
}

/* Names and prefixes that fill their fields have no NUL behind them. */
Test(tar, good_ustar_prefix)
{
        struct tape t = {};
        uint8_t *h;
        char want[1024], name[101], prefix[156], user[33];

        memset(name, 'n', 100);
        memset(prefix, 'p', 155);
        memset(user, 'u', 32);
        name[100] = prefix[155] = user[32] = '\0';
        h = tape_raw(&t, USTAR, '0', name, 0);
        put(h, 345, prefix);
        put(h, 265, user);
        put(h, 297, user);
        h = tape_raw(&t, USTAR, '0', "short", 0);
        put(h, 345, "pre/fix");
        tape_end(&t);
        sprintf(want,
                "- 644 1000/100 %s/%s 0 1000000000 '%s/%s' 0@0+512\n"
                "- 644 1000/100 ann/users 0 1000000000 'pre/fix/short' 0@512+512\n",
                user, user, prefix, name);
        check(&t, want);
}

/* What lies where others have the prefix are times: not to be put before the name. */
Test(tar, good_gnu_times)
{
        struct tape t = {};
        uint8_t *h;

        h = tape_raw(&t, GNU, '0', "times", 0);
        put(h, 345, "07346545001");
        put(h, 357, "07346545002");
        h = tape_raw(&t, GNU, '0', "zero", 0);
        put(h, 345, "00000000000");
        put(h, 357, "00000000000");
        h = tape_raw(&t, GNU, '0', "other", 0);
        put(h, 345, "some/prefix");
        tape_end(&t);
        check(&t, "- 644 1000/100 ann/users 0 1000000000 a1000000001 c1000000002 'times' 0@0+512\n"
                  "- 644 1000/100 ann/users 0 1000000000 'zero' 0@512+512\n"
                  "- 644 1000/100 ann/users 0 1000000000 'other' 0@1024+512\n");
}

Test(tar, good_gnu_long)
{
        struct tape t = {};
        char name[701], want[4096];

        memset(name, 'x', 700);
        name[700] = '\0';
        tape_extension(&t, 'K', name, 701);
        tape_extension(&t, 'L', "long\0rest", 10);
        tape_raw(&t, GNU, '2', "cut off", 0);
        tape_file(&t, GNU, "next", "");
        /* pax prevails, also when it comes first. */
        tape_pax(&t, 'x', "path=pax", NULL);
        tape_extension(&t, 'L', "gnu", 4);
        tape_file(&t, GNU, "header", "");
        tape_end(&t);
        sprintf(want,
                "l 644 1000/100 ann/users 700 1000000000 'long'->'%s' 0@0+3072\n"
                "- 644 1000/100 ann/users 0 1000000000 'next' 0@3072+512\n"
                "- 644 1000/100 ann/users 0 1000000000 'pax' 0@3584+2560\n",
                name);
        check(&t, want);
}

Test(tar, good_types)
{
        struct tape t = {};
        uint8_t *h;

        h = tape_raw(&t, USTAR, '3', "char", 9);
        put(h, 329, "0000005");
        put(h, 337, "0000001");
        h = tape_raw(&t, USTAR, '4', "block", 0);
        put(h, 329, "0000403");
        put(h, 337, "3777777");
        h = tape_raw(&t, USTAR, '4', "too-large", 0);
        put(h, 329, "0010000");
        put(h, 337, "0000001");
        tape_raw(&t, USTAR, '5', "directory", 700);
        tape_raw(&t, USTAR, '6', "fifo", 5);
        tape_raw(&t, USTAR, '7', "contiguous", 3);
        tape_add(&t, "abc", 3);
        tape_raw(&t, GNU, 'D', "dumped", 5);
        tape_add(&t, "Ya\0\0", 5);
        tape_raw(&t, GNU, 'V', "volume", 0);
        tape_raw(&t, GNU, 'N', "renames", 3);
        tape_add(&t, "abc", 3);
        tape_raw(&t, GNU, 'M', "rest", 3);
        tape_add(&t, "abc", 3);
        tape_raw(&t, USTAR, 'Q', "unknown", 3);
        tape_add(&t, "abc", 3);
        tape_raw(&t, USTAR, 'A', "acl", 3);
        tape_add(&t, "abc", 3);
        tape_file(&t, USTAR, "solaris", "");
        tape_pax(&t, 'X', "path=sun", NULL);
        tape_file(&t, USTAR, "solaris", "");
        tape_end(&t);
        check(&t, "c 644 1000/100 ann/users 0 1000000000 'char' dev 5,1 0@0+512\n"
                  "b 644 1000/100 ann/users 0 1000000000 'block' dev 259,1048575 0@512+512\n"
                  "b 644 1000/100 ann/users 0 1000000000 'too-large' 0@1024+512\n"
                  "d 644 1000/100 ann/users 0 1000000000 'directory' 0@1536+512\n"
                  "p 644 1000/100 ann/users 0 1000000000 'fifo' 0@2048+512\n"
                  "- 644 1000/100 ann/users 3 1000000000 'contiguous' 3@2560+512\n"
                  "d 644 1000/100 ann/users 0 1000000000 'dumped' 5@3584+512\n"
                  "! -1 'rest' at byte 4,608 continues from another volume, and is not whole\n"
                  "!- 644 1000/100 ann/users 3 1000000000 'rest' 3@4608+2048\n"
                  "- 644 1000/100 ann/users 3 1000000000 'unknown' 3@7168+512\n"
                  "A- 644 1000/100 ann/users 0 1000000000 'solaris' 0@8192+1536\n"
                  "- 644 1000/100 ann/users 0 1000000000 'sun' 0@9728+1536\n");
}

/* --- numbers -------------------------------------------------------------------- */

Test(tar, good_numbers)
{
        static const uint8_t minus_1000[12] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 252, 24 };
        static const uint8_t large_id[8] = { 0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xfe };
        static const uint8_t too_large_id[8] = { 0x80, 0, 0, 1, 0, 0, 0, 0 };
        static const uint8_t year_3000[12] = { 0x80, 0, 0, 0, 0, 0, 0, 7, 0x91, 0x8e, 0x8f, 0x80 };
        static const uint8_t endless[12] = { 0x80, 1 };
        struct tape t = {};
        uint8_t *h;

        h = tape_raw(&t, GNU, '0', "binary", 0);
        memcpy(h + 108, large_id, 8);
        memcpy(h + 116, too_large_id, 8);
        memcpy(h + 136, minus_1000, 12);
        seal(h);
        h = tape_raw(&t, GNU, '0', "later", 0);
        memcpy(h + 136, year_3000, 12);
        seal(h);
        h = tape_raw(&t, GNU, '0', "endless", 0);
        memcpy(h + 136, endless, 12);
        seal(h);
        h = tape_raw(&t, V7, '0', "blanks", 0);
        memcpy(h + 100, "  644 \0", 8);
        memcpy(h + 108, "       1", 8);
        memset(h + 116, ' ', 8);
        memcpy(h + 124, "          3 ", 12);
        memset(h + 136, 0, 12);
        seal(h);
        tape_add(&t, "abc", 3);
        h = tape_raw(&t, V7, '0', "nonsense", 0);
        memcpy(h + 100, "rw-r--r-", 8);
        memcpy(h + 108, "00089\0\0", 8);
        seal(h);
        tape_end(&t);
        check(&t, "- 644 4294967294/? ann/users 0 -1000 'binary' 0@0+512\n"
                  "- 644 1000/100 ann/users 0 32506810240 'later' 0@512+512\n"
                  "- 644 1000/100 ann/users 0 ? 'endless' 0@1024+512\n"
                  "- 644 1/? / 3 ? 'blanks' 3@1536+512\n"
                  "- ? ?/100 / 0 1000000000 'nonsense' 0@2560+512\n");
}

/* A size that is no number leaves nothing to go by. */
Test(tar, bad_sizes)
{
        static const char *const sizes[] = { "1234567x901", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
                                             "-0000000001" };

        for (size_t i = 0; i < 3; i++) {
                struct tape t = {};
                uint8_t *h;

                tape_file(&t, USTAR, "a", "");
                h = tape_raw(&t, USTAR, '0', "b", 0);
                put(h, 124, sizes[i]);
                tape_file(&t, USTAR, "c", "");
                check(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                          "! -1 header at byte 512 is damaged; the next one found is at byte 1,024\n"
                          "- 644 1000/100 ann/users 0 1000000000 'c' 0@1024+512\n");
        }
}

Test(tar, good_checksums)
{
        struct tape t = {};
        uint8_t *h;
        int sum = 0;

        h = tape_raw(&t, USTAR, '0', "\xe4\xf6\xfc", 0);
        memset(h + 148, ' ', 8);
        for (int i = 0; i < BLOCK; i++)
                sum += (signed char)h[i];
        sprintf((char *)h + 148, "%06o", (unsigned)sum);
        h = tape_raw(&t, USTAR, '0', "\xe4\xf6\xfc", 0);
        memcpy(h + 148, "  ", 2);
        sum = 8 * ' ';
        for (int i = 0; i < BLOCK; i++)
                sum += i < 148 || i >= 156 ? h[i] : 0;
        snprintf((char *)h + 148, 8, "%7o", (unsigned)sum & 07777777);
        check(&t, "- 644 1000/100 ann/users 0 1000000000 '\xe4\xf6\xfc' 0@0+512\n"
                  "- 644 1000/100 ann/users 0 1000000000 '\xe4\xf6\xfc' 0@512+512\n");
}

/* --- pax ------------------------------------------------------------------------ */

Test(tar, good_pax)
{
        struct tape t = {};
        uint8_t *h;

        tape_pax(&t, 'x', "path=a/new\nline", "size=5", "uid=3000000000", "gid=70000", "uname=long-user",
                 "gname=g\xc3\xa9", "mtime=1700000000.123456789987", "atime=-1.25", "ctime=-0.0000000001",
                 "LIBARCHIVE.creationtime=7", "comment=ignored", "VENDOR.key=x=y", NULL);
        tape_raw(&t, USTAR, '0', "fake", 0);
        tape_add(&t, "12345", 5);
        tape_pax(&t, 'x', "linkpath=there", "mtime=-5", "size=x", "uid=-1", "gid=", "mtime=1.2.3", NULL);
        h = tape_raw(&t, USTAR, '2', "link", 0);
        put(h, 157, "cut");
        tape_pax(&t, 'x', "SCHILY.devmajor=300", "SCHILY.devminor=70000", NULL);
        tape_raw(&t, USTAR, '3', "device", 0);
        tape_file(&t, USTAR, "plain", "");
        check(&t, "- 644 3000000000/70000 long-user/g\xc3\xa9 5 1700000000.123456789 a-2.750000000 c-1.999999999 b7 "
                  "'a/new\nline' 5@0+1536\n"
                  "! -1 a value of the header at byte 2,048 cannot be read, and is passed over\n"
                  "l 644 ?/100 ann/users 5 -5 'link'->'there' 0@2048+1536\n"
                  "c 644 1000/100 ann/users 0 1000000000 'device' dev 300,70000 0@3584+1536\n"
                  "- 644 1000/100 ann/users 0 1000000000 'plain' 0@5120+512\n");
}

Test(tar, good_pax_attributes)
{
        struct tape t = {};

        tape_pax(&t, 'x', "SCHILY.xattr.user.k%3D%251=raw=value", "LIBARCHIVE.xattr.user.k%3D%251=cmF3PXZhbHVl",
                 "LIBARCHIVE.xattr.user.%c3%a9=aGVsbG8", "RHT.security.selinux=label", "SCHILY.xattr.=none",
                 "SCHILY.acl.default=", "SCHILY.xattr.user.%zz=", NULL);
        tape_file(&t, USTAR, "a", "");
        tape_pax(&t, 'x', "SCHILY.acl.access=user::rw-", NULL);
        tape_file(&t, USTAR, "b", "");
        tape_file(&t, USTAR, "c", "");
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'a' {user.k=%1=raw=value} {user.\xc3\xa9=hello} "
                  "{security.selinux=label} {SCHILY.acl.default=} {user.%zz=} 0@0+1536\n"
                  "A- 644 1000/100 ann/users 0 1000000000 'b' {SCHILY.acl.access=user::rw-} 0@1536+1536\n"
                  "- 644 1000/100 ann/users 0 1000000000 'c' 0@3072+512\n");
}

Test(tar, bad_pax_records)
{
        static const struct {
                const char *body, *place;
        } bad[] = {
                { "9 path=a\n99 path=b\n", "521" },   /* longer than the body */
                { "9 path=a\n1 path=bc\n", "521" },   /* shorter than itself */
                { "9 path=a\n11 path=bb!\n", "521" }, /* no newline at its end */
                { "9 path=a\n8 pathb\n", "521" },     /* no '=' */
                { "9 path=a\npath=b\n", "521" },      /* no length */
                { "9 path=a\n9\tpath=b\n", "521" },   /* no blank */
                { "9 path=a\n99999999999999999999 path=b\n", "521" },
                { "9 path=a\n-9 path=b\n", "521" },
                { "9 path=a\n", NULL },
        };

        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
                struct tape t = {};
                char want[500] = "";

                tape_extension(&t, 'x', bad[i].body, strlen(bad[i].body));
                tape_file(&t, USTAR, "fake", "");
                if (bad[i].place)
                        sprintf(want, "! -1 pax record at byte %s is damaged\n", bad[i].place);
                strcat(want, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+1536\n");
                check(&t, want);
        }
}

/* What lies behind the body looks as if the record went on there. */
Test(tar, bad_pax_beyond)
{
        struct tape t = {};
        char lines[300];

        memset(lines, '\n', sizeof(lines));
        tape_extension(&t, 'A', lines, 1);
        tape_extension(&t, 'x', lines, sizeof(lines));
        tape_file(&t, USTAR, "before", "");
        tape_extension(&t, 'x', "99 path=b\n", 10);
        tape_file(&t, USTAR, "a", "");
        check(&t, "! -1 pax record at byte 1,536 is damaged\n"
                  "A- 644 1000/100 ann/users 0 1000000000 'before' 0@0+2560\n"
                  "! -1 pax record at byte 3,072 is damaged\n"
                  "- 644 1000/100 ann/users 0 1000000000 'a' 0@2560+1536\n");
}

Test(tar, good_pax_global)
{
        struct tape t = {};

        tape_pax(&t, 'g', "uname=all", "mtime=1.5", "SCHILY.xattr.user.a=1", NULL);
        tape_file(&t, USTAR, "one", "");
        tape_pax(&t, 'x', "uname=own", "mtime=", "SCHILY.xattr.user.b=2", NULL);
        tape_file(&t, USTAR, "two", "");
        tape_file(&t, USTAR, "three", "");
        /* Replaced while the member at hand still has the old one. */
        tape_pax(&t, 'x', "gname=x", NULL);
        tape_pax(&t, 'g', "uname=new", "gname=g", NULL);
        tape_file(&t, USTAR, "four", "");
        tape_pax(&t, 'g', "uname=", NULL);
        tape_file(&t, USTAR, "five", "");
        check(&t, "- 644 1000/100 all/users 0 1.500000000 'one' {user.a=1} 0@0+1536\n"
                  "- 644 1000/100 own/users 0 1000000000 'two' {user.a=1} {user.b=2} 0@1536+1536\n"
                  "- 644 1000/100 all/users 0 1.500000000 'three' {user.a=1} 0@3072+512\n"
                  "- 644 1000/100 new/x 0 1.500000000 'four' {user.a=1} 0@3584+2560\n"
                  "- 644 1000/100 ann/g 0 1.500000000 'five' {user.a=1} 0@6144+1536\n");
}

/* 40,000 attributes in each of 16 headers: a search for each among those before it takes minutes. */
Test(tar, hostile_pax_many_attributes, .timeout = 60)
{
        const size_t most = 40000;
        char *body = lsr_xmalloc(most * 32);
        struct tape t = {};
        struct notes *b;
        size_t n = 0;

        for (size_t i = 0; i < most; i++)
                n += (size_t)sprintf(body + n, "23 SCHILY.xattr.%05zx=\n", i * 7919 % most);
        for (unsigned i = 0; i < 16; i++) {
                tape_extension(&t, 'x', body, n);
                tape_file(&t, USTAR, "a", "");
        }
        tape_end(&t);
        b = scan_input(lsr_input_memory(t.data, t.n), true);
        cr_expect_eq(b->n, 16);
        notes_free(b);
        free(body);
        free(t.data);
}

/*
 * The first of one name counts, wherever the others are; an attribute that is too large is left out, not those behind.
 */
Test(tar, good_pax_same_attributes)
{
        const size_t large = LSR_LIMIT_MIB - 600;
        char *body = lsr_xmalloc(large + 64);
        struct tape t = {};
        int n;

        tape_pax(&t, 'x', "SCHILY.xattr.user.b=1", "SCHILY.xattr.user.a=1", "SCHILY.xattr.user.b=2",
                 "SCHILY.xattr.user.c=", "SCHILY.xattr.user.a=2", "SCHILY.xattr.user.b=3", NULL);
        tape_file(&t, USTAR, "same", "");
        tape_pax(&t, 'x', "SCHILY.xattr.user.a=1", NULL);
        n = sprintf(body, "%zu SCHILY.xattr.user.l=", large);
        memset(body + n, 'v', large - (size_t)n);
        body[large - 1] = '\n';
        tape_extension(&t, 'g', body, large);
        tape_pax(&t, 'g', "SCHILY.xattr.user.g=1", NULL);
        tape_file(&t, USTAR, "global", "");
        tape_file(&t, USTAR, "next", "");
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'same' {user.b=1} {user.a=1} {user.c=} 0@0+1536\n"
                  "! -7 extended attributes of the header at byte 2,560 are too large\n"
                  "- 644 1000/100 ann/users 0 1000000000 'global' {user.a=1} 0@1536+1051136\n"
                  "- 644 1000/100 ann/users 0 1000000000 'next' {user.g=1} 0@1052672+512\n");
        free(body);
}

/* --- hard links and directories -------------------------------------------------- */

Test(tar, good_hard_links)
{
        struct tape t = {};
        uint8_t *h;

        tape_file(&t, USTAR, "file", "abc");
        h = tape_raw(&t, USTAR, '1', "no body, a header behind", 3);
        put(h, 157, "file");
        h = tape_raw(&t, USTAR, '1', "body", 3);
        put(h, 157, "file");
        tape_add(&t, "abc", 3);
        tape_pax(&t, 'x', "size=600", NULL);
        h = tape_raw(&t, USTAR, '1', "pax has what it says", 0);
        put(h, 157, "file");
        tape_raw(&t, USTAR, '0', "looks like a header", 0);
        tape_add(&t, "abc", 3);
        tape_raw(&t, V7, '\0', "dir/", 600);
        tape_raw(&t, V7, '\0', "body/", 3);
        tape_add(&t, "abc", 3);
        h = tape_raw(&t, GNU, '1', "no body, the end behind", 3);
        put(h, 157, "file");
        tape_end(&t);
        check(&t, "- 644 1000/100 ann/users 3 1000000000 'file' 3@0+512\n"
                  "H- 644 1000/100 ann/users 0 1000000000 'no body, a header behind'->'file' 0@1024+512\n"
                  "H- 644 1000/100 ann/users 3 1000000000 'body'->'file' 3@1536+512\n"
                  "H- 644 1000/100 ann/users 600 1000000000 'pax has what it says'->'file' 600@2560+1536\n"
                  "d 644 1000/100 / 0 1000000000 'dir/' 0@5120+512\n"
                  "d 644 1000/100 / 0 1000000000 'body/' 3@5632+512\n"
                  "H- 644 1000/100 ann/users 0 1000000000 'no body, the end behind'->'file' 0@6656+512\n");
}

/* --- where it ends ---------------------------------------------------------------- */

Test(tar, good_ends)
{
        struct tape t = {};
        uint8_t zeros[BLOCK] = {};

        /* Two zero blocks end it, whatever follows; one that stands alone was a header. */
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, zeros, BLOCK);
        tape_add(&t, zeros, BLOCK);
        tape_file(&t, USTAR, "b", "");
        check_cut(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n");
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, zeros, BLOCK);
        tape_file(&t, USTAR, "b", "");
        tape_add(&t, zeros, BLOCK);
        check_cut(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                      "! -1 header at byte 512 is damaged; the next one found is at byte 1,024\n"
                      "- 644 1000/100 ann/users 0 1000000000 'b' 0@1024+512\n");
        /* So do a few zero bytes, but nothing at all may be a cut. */
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, zeros, BLOCK);
        t.n -= 100;
        check_cut(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n");
        tape_file(&t, USTAR, "a", "");
        check_cut(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                      "! -1 tar has no end mark: it may be cut short at byte 512\n");
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, "rest", 4);
        t.n -= 500;
        check_cut(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                      "! -1 tar ends too early: the header at byte 512 is cut short\n");
        tape_file(&t, USTAR, "a", "");
        tape_pax(&t, 'x', "path=b", NULL);
        check_cut(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                      "! -1 extension header at byte 512 belongs to no member\n");
        tape_end(&t);
        check_cut(&t, "");
}

/* Cut at every byte: what is whole is listed, and a message says what is not. */
Test(tar, bad_truncated)
{
        static const size_t header_ends[] = { 1536, 2560, 3072 }, lengths[] = { 12, 0, 88 };
        struct tape t = {};

        tape_pax(&t, 'x', "path=first", NULL);
        tape_file(&t, USTAR, "fake", "hello, world");
        tape_file(&t, USTAR, "empty", "");
        tape_raw(&t, USTAR, '0', "third", 88);
        tape_add(&t, header_ends, 24);
        cr_assert_eq(t.n, 3584);
        for (size_t n = 1; n <= t.n; n++) {
                uint8_t *cut = lsr_xmalloc(n); /* what lies behind is out of bounds */
                struct notes *b;
                size_t listed = 0;

                memcpy(cut, t.data, n);
                b = scan_bytes(cut, n);
                for (size_t i = 0; i < 3; i++)
                        listed += n >= header_ends[i];
                cr_expect_eq(b->n, listed, "%zu bytes: %s", n, b->text);
                for (size_t i = 0; i < listed; i++) {
                        bool whole = n >= header_ends[i] + lengths[i];

                        cr_expect_eq(!(b->members[i].flags & LSR_MEMBER_SUSPECT), whole, "%zu bytes: %s", n, b->text);
                }
                cr_expect(strstr(b->text, "! -1 "), "%zu bytes: %s", n, b->text);
                notes_free(b);
                free(cut);
        }
        free(t.data);
}

Test(tar, bad_truncated_messages)
{
        struct tape t = {};

        tape_raw(&t, USTAR, '0', "big", 3000000000);
        tape_add(&t, "some", 4);
        check_cut(&t, "! -1 tar ends too early: 2,999,999,488 bytes of 'big' are missing at byte 1,024\n"
                      "!- 644 1000/100 ann/users 3000000000 1000000000 'big' 3000000000@0+512\n");
        tape_file(&t, USTAR, "pad", "1234");
        t.n -= 500;
        check_cut(&t, "! -1 tar ends too early: the padding behind 'pad' is cut short at byte 524\n"
                      "- 644 1000/100 ann/users 4 1000000000 'pad' 4@0+512\n");
        tape_raw(&t, GNU, 'L', "ext", 600);
        tape_add(&t, "some", 4);
        check_cut(&t, "! -1 tar ends too early: 88 bytes of 'an extension header' are missing at byte 1,024\nfailed\n");
}

/* The largest size a header can say must not turn around when it is padded or added to. */
Test(tar, hostile_sizes)
{
        static const uint8_t largest[12] = { 0x80, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255 };
        static const char types[] = { '0', 'D', 'L', 'x', 'g', 'A', '1', 'S' };

        for (size_t i = 0; i < sizeof(types); i++) {
                struct tape t = {};
                struct notes *b;
                uint8_t *h = tape_raw(&t, GNU, types[i], "x", 0);

                memcpy(h + 124, largest, 12);
                put(h, 483, "00000001000");
                tape_add(&t, "body", 4);
                b = scan_bytes(t.data, t.n);
                cr_expect(strstr(b->text, "! -1 tar ends too early"), "%c: %s", types[i], b->text);
                notes_free(b);
                free(t.data);
        }
}

/* --- damage ----------------------------------------------------------------------- */

Test(tar, bad_header_between)
{
        struct tape t = {};

        tape_file(&t, USTAR, "a", "1");
        tape_pax(&t, 'x', "path=lost", NULL);
        tape_file(&t, USTAR, "b", "some content");
        tape_file(&t, USTAR, "c", "");
        t.data[2048] ^= 1;
        check(&t, "- 644 1000/100 ann/users 1 1000000000 'a' 1@0+512\n"
                  "! -1 header at byte 2,048 is damaged; the next one found is at byte 3,072\n"
                  "- 644 1000/100 ann/users 0 1000000000 'c' 0@3072+512\n");
        tape_file(&t, USTAR, "a", "1");
        tape_file(&t, USTAR, "b", "some content");
        t.data[1024] ^= 1;
        check(&t, "- 644 1000/100 ann/users 1 1000000000 'a' 1@0+512\n"
                  "! -1 header at byte 1,024 is damaged, and no other one was found after it\n");
}

Test(tar, bad_filter)
{
        struct tape t = {};
        struct notes *b;

        tape_file(&t, USTAR, "a", "1");
        tape_raw(&t, USTAR, '0', "b", 5000);
        for (int i = 0; i < 20; i++)
                tape_add(&t, "x", 1);
        b = scan_input(odd_input(t.data, t.n, 2000), false);
        cr_expect(strncmp(b->text,
                          "- 644 1000/100 ann/users 1 1000000000 'a' 1@0+512\n"
                          "! -1 deflate stream is damaged at byte 77; the tar is read up to byte 2,",
                          120) == 0,
                  "%s", b->text);
        cr_expect(strstr(b->text, "!- 644 1000/100 ann/users 5000 1000000000 'b'"), "%s", b->text);
        notes_free(b);
        b = scan_input(odd_input(t.data, t.n, 1), false);
        cr_expect(strstr(b->text, "! -1 deflate") && strstr(b->text, "failed"), "%s", b->text);
        notes_free(b);
        free(t.data);
}

/* --- limits ----------------------------------------------------------------------- */

Test(tar, hostile_chain)
{
        struct tape t = {};

        for (int i = 0; i < 32; i++)
                tape_pax(&t, 'x', "path=longest", NULL);
        tape_file(&t, USTAR, "a", "");
        for (int i = 0; i < 33; i++)
                tape_pax(&t, 'x', "path=too-long", NULL);
        tape_file(&t, USTAR, "b", "");
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'longest' 0@0+33280\n"
                  "! -7 more than 32 extension headers in a row at byte 66,048 (--limit=header-chain=... raises it)\n"
                  "- 644 1000/100 ann/users 0 1000000000 'b' 0@67072+512\n");
}

Test(tar, hostile_extension)
{
        struct tape t = {};
        char *body = lsr_xmalloc(LSR_LIMIT_MIB + 1);

        memset(body, 'n', LSR_LIMIT_MIB + 1);
        tape_extension(&t, 'L', body, LSR_LIMIT_MIB + 1);
        tape_file(&t, GNU, "a", "");
        check(&t, "! -7 extension header at byte 0 is larger than 1,048,576 bytes (--limit=header=... raises it)\n"
                  "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+1050112\n");
        free(body);
}

Test(tar, full_builder)
{
        struct tape t = {};
        struct notes *b = notes_new();
        struct lsr_input *in;
        struct lsr_scan s = { .builder = b->relay, .ctx = b, .trouble = trouble };

        tape_file(&t, USTAR, "a", "");
        tape_file(&t, USTAR, "b", "");
        s.input = in = lsr_input_memory(t.data, t.n);
        b->room = 1;
        cr_expect_eq(lsr_format_tar.scan(&s), 0);
        cr_expect(strstr(b->text, "! -7 more than can be listed: the tar is listed up to byte 512"), "%s", b->text);
        lsr_input_free(in);
        notes_free(b);
        free(t.data);
}

/* --- what is a tar ------------------------------------------------------------------ */

Test(tar, probe)
{
        static uint8_t zeros[200000];
        struct tape t = {};
        struct lsr_probe filtered = { .head = zeros, .head_len = 10240, .size = LSR_INPUT_UNKNOWN };
        uint8_t *h;

        cr_expect(probe(zeros, 1024));
        cr_expect(probe(zeros, 10240));
        cr_expect_not(probe(zeros, 0));
        cr_expect_not(probe(zeros, 512));
        cr_expect_not(probe(zeros, 2048));
        cr_expect_not(probe(zeros, 65536));
        cr_expect_not(probe(zeros, 200000));
        cr_expect(lsr_format_tar.probe(&filtered));
        filtered.head_len = LSR_PROBE_BYTES;
        cr_expect_not(lsr_format_tar.probe(&filtered));
        zeros[1023] = 1;
        cr_expect_not(probe(zeros, 1024));
        cr_expect_not(probe(zeros, 10240));

        tape_file(&t, USTAR, "a", "");
        cr_expect(probe(t.data, 512));
        cr_expect_not(probe(t.data, 511));
        t.data[0] ^= 1;
        cr_expect_not(probe(t.data, 512));
        free(t.data);

        /* Without a magic number all must fit. */
        for (int i = 0; i < 8; i++) {
                t = (struct tape){};
                h = tape_raw(&t, V7, '0', "name", 0);
                if (i == 1)
                        memset(h, 0, 4);
                if (i == 2)
                        h[1] = '\t';
                if (i == 3)
                        h[156] = 'z';
                if (i == 4)
                        memset(h + 108, 0, 8);
                if (i == 5)
                        h[136] = 0x80;
                if (i == 6)
                        h[116] = '9';
                if (i == 7)
                        h[156] = '\0';
                seal(h);
                cr_expect_eq(probe(t.data, 512), i == 0 || i == 7, "%d", i);
                free(t.data);
        }
        /* A volume label of GNU tar has next to nothing. */
        t = (struct tape){};
        h = tape_raw(&t, V7, 'V', "label", 0);
        memset(h + 100, 0, 36);
        seal(h);
        cr_expect(probe(t.data, 512));
        free(t.data);
}

static bool probe_damaged(const void *data, size_t n)
{
        struct lsr_probe p = { .head = data, .head_len = n < LSR_PROBE_BYTES ? n : LSR_PROBE_BYTES, .size = n };

        return lsr_format_tar.probe_damaged(&p);
}

/* Of a first header any byte may be damaged: where it has its magic number nothing need follow. */
Test(tar, probe_damaged)
{
        static const enum magic dialects[] = { V7, USTAR, GNU };

        for (size_t d = 0; d < 3; d++) {
                struct tape t = {};
                bool fields;

                tape_file(&t, dialects[d], "a", "content");
                tape_file(&t, dialects[d], "b", "content");
                for (size_t i = 0; i < BLOCK; i++) {
                        t.data[i] ^= 0x55;
                        /* The blank behind the checksum means nothing. */
                        cr_expect_eq(probe(t.data, t.n), i == 155, "%zu of %zu", i, d);
                        cr_expect(probe_damaged(t.data, t.n), "%zu of %zu", i, d);
                        fields = (i >= 148 && i < 156) || (i >= 257 && i < 263);
                        cr_expect(fields || d == 0 || probe_damaged(t.data, BLOCK), "%zu of %zu", i, d);
                        cr_expect_not(probe_damaged(t.data, BLOCK - 1));
                        t.data[i] ^= 0x55;
                }
                /* Of most of a header nothing is left, and then not even what follows. */
                memset(t.data, 0x55, 257);
                cr_expect_eq(probe_damaged(t.data, t.n), d != 0);
                t.data[2 * BLOCK] ^= 1;
                cr_expect_not(probe_damaged(t.data, t.n));
                free(t.data);
        }
}

/* A text with the word in its place, and one in front of a tar that begins where no block does. */
Test(tar, probe_damaged_is_none)
{
        struct tape t = {};
        char text[3 * BLOCK + 1];

        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        put((uint8_t *)text, 257, "ustar");
        cr_expect_not(probe_damaged(text, sizeof(text) - 1));
        tape_add(&t, text, BLOCK);
        tape_file(&t, USTAR, "a", "content");
        cr_expect(probe_damaged(t.data, t.n));
        cr_expect_not(probe_damaged(t.data + 1, t.n - 1));
        /* Without it, even where another follows. */
        t.data[257] = 'x';
        cr_expect_not(probe_damaged(t.data, t.n));
        memset(t.data, 0, BLOCK);
        cr_expect_not(probe_damaged(t.data, t.n));
        free(t.data);
}
