/*
 * The tar driver, on tars made here field by field.  The builder is a recorder: a scan becomes a text with a line a
 * member and a line a message, made twice (from an input that can seek, and from a stream in odd pieces) and compared.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/drivers.h"

#define BLOCK 512

/* --- a recorder for a builder --------------------------------------------------- */

struct lsr_builder {
        char *text;
        size_t len;
        size_t cap;
        uint64_t n;
        struct lsr_member members[64]; /* the first of them, with paths of their own */
        uint64_t room;                 /* members until it is full; 0: never */
        bool quiet;
};

__attribute__((format(printf, 2, 3))) static void note(struct lsr_builder *b, const char *format, ...)
{
        va_list args;
        int n;

        if (b->cap - b->len < 4096) {
                b->cap *= 2;
                b->text = lsr_xrealloc(b->text, b->cap);
        }
        va_start(args, format);
        n = vsnprintf(b->text + b->len, b->cap - b->len, format, args);
        va_end(args);
        b->len += (size_t)n < b->cap - b->len ? (size_t)n : b->cap - b->len - 1;
}

static void note_time(struct lsr_builder *b, const char *label, const struct lsr_meta *t, unsigned bit, int which)
{
        if (!(t->known & bit))
                note(b, "%s", which == LSR_MTIME ? " ?" : "");
        else if (t->nsec[which])
                note(b, " %s%lld.%09u", label, (long long)t->sec[which], t->nsec[which]);
        else
                note(b, " %s%lld", label, (long long)t->sec[which]);
}

/* Letters of flags, then type, mode, ids, names, size, times, path, target, device, attributes, where and how much. */
static void note_member(struct lsr_builder *b, const struct lsr_member *m)
{
        static const char types[] = "?pc?d?b?-?l?s???";
        const struct lsr_meta *t = &m->meta;

        cr_assert(t->known & LSR_FIELD_TYPE);
        for (unsigned i = 0; i < 5; i++)
                if (m->flags & 1u << i)
                        note(b, "%c", "HESA!"[i]);
        note(b, "%c", types[t->mode >> 12]);
        note(b, t->known & LSR_FIELD_MODE ? " %03o" : " ?", t->mode & 07777);
        note(b, t->known & LSR_FIELD_UID ? " %u" : " ?", t->uid);
        note(b, t->known & LSR_FIELD_GID ? "/%u" : "/?", t->gid);
        note(b, " %s/%s", m->user ? m->user : "", m->group ? m->group : "");
        note(b, t->known & LSR_FIELD_SIZE ? " %llu" : " ?", (unsigned long long)t->size);
        note_time(b, "", t, LSR_FIELD_MTIME, LSR_MTIME);
        note_time(b, "a", t, LSR_FIELD_ATIME, LSR_ATIME);
        note_time(b, "c", t, LSR_FIELD_CTIME, LSR_CTIME);
        note_time(b, "b", t, LSR_FIELD_BTIME, LSR_BTIME);
        note(b, " '%.*s'", (int)m->path_len, m->path);
        if (m->target)
                note(b, "->'%.*s'", (int)m->target_len, m->target);
        if (t->known & LSR_FIELD_DEV)
                note(b, " dev %u,%u", lsr_dev_major(t->rdev), lsr_dev_minor(t->rdev));
        for (size_t at = 0; m->xattrs && at < m->xattrs_len;) {
                const char *name = (const char *)m->xattrs + at;
                const uint8_t *value = m->xattrs + at + strlen(name) + 5;
                uint32_t n = lsr_le32(value - 4);

                note(b, " {%s=%.*s}", name, (int)n, (const char *)value);
                at += strlen(name) + 5 + n;
                cr_assert_leq(at, m->xattrs_len);
        }
        note(b, " %llu@%llu+%llu\n", (unsigned long long)m->packed, (unsigned long long)m->position,
             (unsigned long long)(m->data - m->position));
        cr_assert_null(m->method);
}

static char *copy(const char *s, size_t n)
{
        char *c = lsr_xmalloc(n + 1);

        if (n)
                memcpy(c, s, n);
        c[n] = '\0';
        return c;
}

int lsr_builder_add(struct lsr_builder *b, const struct lsr_member *m)
{
        if (b->room && b->n == b->room)
                return -E2BIG;
        if (!b->quiet)
                note_member(b, m);
        if (b->n < 64) {
                b->members[b->n] = *m;
                b->members[b->n].path = copy(m->path, m->path_len);
        }
        b->n++;
        return 0;
}

uint64_t lsr_builder_count(const struct lsr_builder *b)
{
        return b->n;
}

struct lsr_builder *lsr_builder_new(void)
{
        struct lsr_builder *b = lsr_xmalloc(sizeof(*b));

        *b = (struct lsr_builder){ .cap = 8192 };
        b->text = lsr_xmalloc(b->cap);
        b->text[0] = '\0';
        return b;
}

struct lsr_builder *lsr_builder_free(struct lsr_builder *b)
{
        for (uint64_t i = 0; i < b->n && i < 64; i++)
                free((char *)b->members[i].path);
        free(b->text);
        free(b);
        return NULL;
}

int lsr_builder_finish(struct lsr_builder *b, struct lsr_catalogue **ret_catalogue)
{
        (void)b;
        (void)ret_catalogue;
        cr_assert_fail("a driver does not finish");
        return -EINVAL;
}

static void trouble(void *ctx, int error, const char *text)
{
        note(ctx, "! %d %s\n", error == -EBADMSG ? -1 : error, text);
}

/* --- a tar ---------------------------------------------------------------------- */

struct tape {
        uint8_t *data;
        size_t n;
};

static void tape_add(struct tape *t, const void *data, size_t n)
{
        size_t padded = (n + BLOCK - 1) / BLOCK * BLOCK;

        t->data = lsr_xrealloc(t->data, t->n + padded + 1);
        memcpy(t->data + t->n, data, n);
        memset(t->data + t->n + n, 0, padded - n);
        t->n += padded;
}

static void tape_end(struct tape *t)
{
        static const uint8_t zeros[2 * BLOCK];

        tape_add(t, zeros, sizeof(zeros));
}

static void seal(uint8_t *h)
{
        unsigned sum = 0;

        memset(h + 148, ' ', 8);
        for (int i = 0; i < BLOCK; i++)
                sum += h[i];
        sprintf((char *)h + 148, "%06o", sum);
}

enum magic { V7, USTAR, GNU };

/* A header of mode 0644, owner 1000/100, time 1000000000. */
static uint8_t *tape_raw(struct tape *t, enum magic magic, char type, const char *name, uint64_t size)
{
        uint8_t h[BLOCK] = {};

        memcpy(h, name, strnlen(name, 100));
        memcpy(h + 100, "0000644", 7);
        memcpy(h + 108, "0001750", 7);
        memcpy(h + 116, "0000144", 7);
        sprintf((char *)h + 124, "%011llo", (unsigned long long)size & 077777777777);
        memcpy(h + 136, "07346545000", 11);
        h[156] = (uint8_t)type;
        if (magic != V7) {
                memcpy(h + 257, magic == GNU ? "ustar  " : "ustar\00000", 8);
                memcpy(h + 265, "ann", 3);
                memcpy(h + 297, "users", 5);
        }
        seal(h);
        tape_add(t, h, BLOCK);
        return t->data + t->n - BLOCK;
}

static void tape_file(struct tape *t, enum magic magic, const char *name, const char *content)
{
        tape_raw(t, magic, magic == V7 ? '\0' : '0', name, strlen(content));
        tape_add(t, content, strlen(content));
}

static void put(uint8_t *h, size_t at, const char *text)
{
        memcpy(h + at, text, strlen(text));
        seal(h);
}

/* An extension with a body. */
static void tape_extension(struct tape *t, char type, const void *body, size_t n)
{
        tape_raw(t, type == 'L' || type == 'K' ? GNU : USTAR, type, "extension", n);
        tape_add(t, body, n);
}

/* "key=value" strings become records of one pax header; a NULL ends them. */
static void tape_pax(struct tape *t, char type, ...)
{
        char body[8192];
        size_t n = 0;
        const char *s;
        va_list args;

        va_start(args, type);
        while ((s = va_arg(args, const char *))) {
                size_t len = strlen(s) + 3;

                while ((size_t)snprintf(NULL, 0, "%zu %s\n", len, s) > len)
                        len++;
                n += (size_t)sprintf(body + n, "%zu %s\n", len, s);
        }
        va_end(args);
        tape_extension(t, type, body, n);
}

/* --- inputs and scans ----------------------------------------------------------- */

/* Pieces of odd sizes, no way back; fails at @fail if that is not 0. */
struct odd {
        struct lsr_input in;
        const uint8_t *data;
        size_t n;
        size_t at;
        size_t fail;
        size_t step;
};

static ssize_t odd_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct odd *o = (struct odd *)in;
        size_t part = o->n - o->at < o->step ? o->n - o->at : o->step;

        if (o->fail && o->at >= o->fail) {
                in->what = "deflate stream is damaged at byte 77";
                return -EBADMSG;
        }
        *ret_data = o->data + o->at;
        o->at += part;
        o->step = o->step * 7 % 1009 + 1;
        return (ssize_t)part;
}

static void odd_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops odd_ops = { .next = odd_next, .free = odd_free };

static struct lsr_input *odd_input(const uint8_t *data, size_t n, size_t fail)
{
        struct odd *o = lsr_input_alloc(sizeof(*o), &odd_ops);

        o->data = data;
        o->n = n;
        o->fail = fail;
        o->step = fail && fail < 700 ? 100 : 700;
        return &o->in;
}

static struct lsr_builder *scan_input(struct lsr_input *in, bool quiet)
{
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_scan s = { .input = in, .builder = b, .ctx = b, .trouble = trouble };
        int r;

        b->quiet = quiet;
        r = lsr_format_tar.scan(&s);
        if (r < 0)
                note(b, "failed\n");
        lsr_input_free(in);
        return b;
}

static struct lsr_builder *scan_bytes(const void *data, size_t n)
{
        struct lsr_builder *a = scan_input(lsr_input_memory(data, n), false);
        struct lsr_builder *b = scan_input(odd_input(data, n, 0), false);

        cr_assert_str_eq(a->text, b->text);
        lsr_builder_free(b);
        return a;
}

/* The tape is used up. */
static void check(struct tape *t, const char *want)
{
        struct lsr_builder *b = scan_bytes(t->data, t->n);

        cr_expect_str_eq(b->text, want, "listed:\n%s\nwanted:\n%s", b->text, want);
        lsr_builder_free(b);
        free(t->data);
        *t = (struct tape){};
}

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
                  "! 0 'rest' at byte 4,608 continues from another volume\n"
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
        snprintf((char *)h + 148, 8, "%7o", (unsigned)sum);
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

        /* One zero block ends it, whatever follows. */
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, zeros, BLOCK);
        tape_file(&t, USTAR, "b", "");
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n");
        /* So does the end, and a few zero bytes before it. */
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, zeros, BLOCK);
        t.n -= 100;
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n");
        tape_file(&t, USTAR, "a", "");
        tape_add(&t, "rest", 4);
        t.n -= 500;
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                  "! -1 tar ends too early: the header at byte 512 is cut short\n");
        tape_file(&t, USTAR, "a", "");
        tape_pax(&t, 'x', "path=b", NULL);
        check(&t, "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+512\n"
                  "! -1 extension header at byte 512 belongs to no member\n");
        tape_end(&t);
        check(&t, "");
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
                struct lsr_builder *b;
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
                if (n == 2048 || n == 2560 || n == 3584)
                        cr_expect_null(strchr(b->text, '!'), "%zu bytes: %s", n, b->text);
                else
                        cr_expect(strstr(b->text, "! -1 "), "%zu bytes: %s", n, b->text);
                lsr_builder_free(b);
                free(cut);
        }
        free(t.data);
}

Test(tar, bad_truncated_messages)
{
        struct tape t = {};

        tape_raw(&t, USTAR, '0', "big", 3000000000);
        tape_add(&t, "some", 4);
        check(&t, "! -1 tar ends too early: 2,999,999,488 bytes of 'big' are missing at byte 1,024\n"
                  "!- 644 1000/100 ann/users 3000000000 1000000000 'big' 3000000000@0+512\n");
        tape_file(&t, USTAR, "pad", "1234");
        t.n -= 500;
        check(&t, "! -1 tar ends too early: the padding behind 'pad' is cut short at byte 524\n"
                  "- 644 1000/100 ann/users 4 1000000000 'pad' 4@0+512\n");
        tape_raw(&t, GNU, 'L', "ext", 600);
        tape_add(&t, "some", 4);
        check(&t, "! -1 tar ends too early: 88 bytes of 'an extension header' are missing at byte 1,024\nfailed\n");
}

/* The largest size a header can say must not turn around when it is padded or added to. */
Test(tar, hostile_sizes)
{
        static const uint8_t largest[12] = { 0x80, 0, 0, 0, 0x7f, 255, 255, 255, 255, 255, 255, 255 };
        static const char types[] = { '0', 'D', 'L', 'x', 'g', 'A', '1', 'S' };

        for (size_t i = 0; i < sizeof(types); i++) {
                struct tape t = {};
                struct lsr_builder *b;
                uint8_t *h = tape_raw(&t, GNU, types[i], "x", 0);

                memcpy(h + 124, largest, 12);
                put(h, 483, "00000001000");
                tape_add(&t, "body", 4);
                b = scan_bytes(t.data, t.n);
                cr_expect(strstr(b->text, "! -1 tar ends too early"), "%c: %s", types[i], b->text);
                lsr_builder_free(b);
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
                  "! -1 header at byte 1,024 is damaged, and none was found behind it\n");
}

Test(tar, bad_filter)
{
        struct tape t = {};
        struct lsr_builder *b;

        tape_file(&t, USTAR, "a", "1");
        tape_raw(&t, USTAR, '0', "b", 5000);
        for (int i = 0; i < 20; i++)
                tape_add(&t, "x", 1);
        b = scan_input(odd_input(t.data, t.n, 2000), false);
        cr_expect(strncmp(b->text,
                          "- 644 1000/100 ann/users 1 1000000000 'a' 1@0+512\n"
                          "! -1 deflate stream is damaged at byte 77; the tar is listed up to byte 2,",
                          120) == 0,
                  "%s", b->text);
        cr_expect(strstr(b->text, "!- 644 1000/100 ann/users 5000 1000000000 'b'"), "%s", b->text);
        lsr_builder_free(b);
        b = scan_input(odd_input(t.data, t.n, 1), false);
        cr_expect(strstr(b->text, "! -1 deflate") && strstr(b->text, "failed"), "%s", b->text);
        lsr_builder_free(b);
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
                  "! -7 more than 32 extension headers in a row at byte 66,048\n"
                  "- 644 1000/100 ann/users 0 1000000000 'b' 0@67072+512\n");
}

Test(tar, hostile_extension)
{
        struct tape t = {};
        char *body = lsr_xmalloc(LSR_EXTENSION_MAX + 1);

        memset(body, 'n', LSR_EXTENSION_MAX + 1);
        tape_extension(&t, 'L', body, LSR_EXTENSION_MAX + 1);
        tape_file(&t, GNU, "a", "");
        check(&t, "! -7 extension header at byte 0 is larger than 1,048,576 bytes\n"
                  "- 644 1000/100 ann/users 0 1000000000 'a' 0@0+1050112\n");
        free(body);
}

Test(tar, full_builder)
{
        struct tape t = {};
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_input *in;
        struct lsr_scan s = { .builder = b, .ctx = b, .trouble = trouble };

        tape_file(&t, USTAR, "a", "");
        tape_file(&t, USTAR, "b", "");
        s.input = in = lsr_input_memory(t.data, t.n);
        b->room = 1;
        cr_expect_eq(lsr_format_tar.scan(&s), 0);
        cr_expect(strstr(b->text, "! -7 more than can be listed: the tar is listed up to byte 512"), "%s", b->text);
        lsr_input_free(in);
        lsr_builder_free(b);
        free(t.data);
}

/* --- sparse ----------------------------------------------------------------------- */

static int collect(void *ctx, const void *data, size_t n)
{
        struct tape *t = ctx;

        t->data = lsr_xrealloc(t->data, t->n + n + 1);
        memcpy(t->data + t->n, data, n);
        t->n += n;
        return t->n > 10000000 ? -EFBIG : 0;
}

/* Content of the member number @i, from both kinds of input.  Returns what read() did. */
static int content(const struct tape *t, size_t i, struct tape *ret_content)
{
        struct lsr_builder *b = scan_bytes(t->data, t->n);
        struct tape got[2] = {};
        int r[2];

        cr_assert_lt(i, b->n);
        for (int k = 0; k < 2; k++) {
                struct lsr_input *in = k ? lsr_input_memory(t->data, t->n) : odd_input(t->data, t->n, 0);
                struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };
                struct lsr_sink sink = { .ctx = &got[k], .write = collect };

                r[k] = lsr_format_tar.read(&s, &b->members[i], &sink);
                lsr_input_free(in);
        }
        cr_assert_eq(r[0], r[1]);
        cr_assert_eq(got[0].n, got[1].n);
        cr_assert(got[0].n == 0 || memcmp(got[0].data, got[1].data, got[0].n) == 0);
        lsr_builder_free(b);
        free(got[0].data);
        *ret_content = got[1];
        return r[0];
}

/* Sparse content is "ABCDE" at 1000, "FG" at 2000, and ends at 3000. */
static void check_sparse(struct tape *t, const char *want)
{
        struct tape got;
        uint8_t expected[3000] = {};

        memcpy(expected + 1000, "ABCDE", 5);
        memcpy(expected + 2000, "FG", 2);
        tape_file(t, USTAR, "next", "");
        cr_expect_eq(content(t, 0, &got), 0);
        cr_expect_eq(got.n, 3000);
        cr_expect(got.n == 3000 && memcmp(got.data, expected, 3000) == 0);
        free(got.data);
        check(t, want);
}

static void put_piece(uint8_t *at, unsigned offset, unsigned size)
{
        sprintf((char *)at, "%011o", offset);
        sprintf((char *)at + 12, "%011o", size);
}

Test(tar, good_sparse_gnu)
{
        struct tape t = {};
        uint8_t *h = tape_raw(&t, GNU, 'S', "sparse", 7);

        put_piece(h + 386, 1000, 5);
        put_piece(h + 410, 2000, 2);
        put_piece(h + 434, 3000, 0);
        put(h, 483, "00000005670");
        tape_add(&t, "ABCDEFG", 7);
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'sparse' 7@0+512\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@1024+512\n");
}

/* Single bytes, so that two more blocks are needed for the map. */
Test(tar, good_sparse_gnu_blocks)
{
        struct tape t = {};
        uint8_t blocks[2][BLOCK] = {};
        uint8_t *h = tape_raw(&t, GNU, 'S', "sparse", 7);

        put_piece(h + 386, 1000, 1);
        put_piece(h + 410, 1001, 1);
        put_piece(h + 434, 1002, 1);
        put_piece(h + 458, 1003, 1);
        h[482] = 1;
        put(h, 483, "00000005670");
        for (unsigned i = 0; i < 21; i++)
                put_piece(blocks[0] + i * 24, 1004, i == 20);
        blocks[0][504] = 1;
        put_piece(blocks[1], 2000, 2);
        put_piece(blocks[1] + 24, 3000, 0);
        tape_add(&t, blocks, sizeof(blocks));
        tape_add(&t, "ABCDEFG", 7);
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'sparse' 7@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2048+512\n");
}

Test(tar, good_sparse_pax)
{
        struct tape t = {};

        tape_pax(&t, 'x', "GNU.sparse.size=3000", "GNU.sparse.numblocks=2", "GNU.sparse.offset=1000",
                 "GNU.sparse.numbytes=5", "GNU.sparse.offset=2000", "GNU.sparse.numbytes=2", NULL);
        tape_file(&t, USTAR, "sparse", "ABCDEFG");
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'sparse' 7@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2048+512\n");
        tape_pax(&t, 'x', "GNU.sparse.size=3000", "GNU.sparse.name=dir/sparse", "GNU.sparse.map=1000,5,2000,2", NULL);
        tape_file(&t, USTAR, "dir/GNUSparseFile.7/sparse", "ABCDEFG");
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'dir/sparse' 7@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2048+512\n");
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=dir/sparse",
                 "GNU.sparse.realsize=3000", NULL);
        tape_raw(&t, USTAR, '0', "dir/GNUSparseFile.7/sparse", 519);
        tape_add(&t, "3\n1000\n5\n2000\n2\n3000\n0\n", 23);
        tape_add(&t, "ABCDEFG", 7);
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'dir/sparse' 519@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2560+512\n");
}

/* A map of 1.0 whose lines go over the edge of a block. */
Test(tar, good_sparse_long_map)
{
        struct tape t = {}, got;
        char map[4096];
        size_t n = (size_t)sprintf(map, "200\n");

        for (int i = 0; i < 200; i++)
                n += (size_t)sprintf(map + n, "%d\n1\n", i * 100);
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=20000", NULL);
        tape_raw(&t, USTAR, '0', "sparse", (n + 511) / 512 * 512 + 200);
        tape_add(&t, map, n);
        memset(map, 'x', 200);
        tape_add(&t, map, 200);
        cr_expect_eq(content(&t, 0, &got), 0);
        cr_expect_eq(got.n, 20000);
        for (size_t i = 0; i < got.n; i++)
                cr_assert_eq(got.data[i], i % 100 ? 0 : 'x');
        free(got.data);
        free(t.data);
}

Test(tar, hostile_sparse)
{
        static const struct {
                const char *map;
                int result;
        } maps[] = {
                { "1000,5,1002,2", -EBADMSG },         /* overlap */
                { "2000,5,1000,2", -EBADMSG },         /* out of order */
                { "2998,5", -EBADMSG },                /* beyond the end */
                { "9223372036854775807,5", -EBADMSG }, /* far beyond */
                { "0,8", -EBADMSG },                   /* more than is stored */
                { "0,9223372036854775807", -EBADMSG }, /* much more */
                { "0", -EBADMSG },                     /* half a piece */
                { "0,x", -EBADMSG },
                { "0,1;2,3", -EBADMSG },
                { "99999999999999999999,1", -EBADMSG },
                { "", 0 },
        };

        for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
                struct tape t = {}, got;
                char text[100];

                sprintf(text, "GNU.sparse.map=%s", maps[i].map);
                tape_pax(&t, 'x', "GNU.sparse.size=3000", text, NULL);
                tape_file(&t, USTAR, "sparse", "ABCDEFG");
                cr_expect_eq(content(&t, 0, &got), maps[i].result, "%s", maps[i].map);
                cr_expect_eq(got.n, maps[i].result ? 0 : 3000, "%s: %zu", maps[i].map, got.n);
                free(got.data);
                free(t.data);
        }
}

Test(tar, hostile_sparse_lines)
{
        static const char *const maps[] = { "2000000\n0\n1\n",           "2\n0\n1\n", "x\n", "\n", "1\n0\n1",
                                            "111111111111111111111111\n" };
        struct tape t = {}, got;

        for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
                tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
                tape_raw(&t, USTAR, '0', "sparse", BLOCK);
                tape_add(&t, maps[i], strlen(maps[i]));
                cr_expect_eq(content(&t, 0, &got), i ? -EBADMSG : -E2BIG, "%s", maps[i]);
                free(t.data);
                t = (struct tape){};
        }
        tape_pax(&t, 'x', "GNU.sparse.major=2", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
        tape_file(&t, USTAR, "sparse", "?");
        cr_expect_eq(content(&t, 0, &got), -EOPNOTSUPP);
        free(t.data);
        t = (struct tape){};
        tape_pax(&t, 'x', "GNU.sparse.size=3000", "GNU.sparse.offset=0", NULL);
        tape_file(&t, USTAR, "sparse", "?");
        cr_expect_eq(content(&t, 0, &got), -EBADMSG);
        free(t.data);
        /* The sink ends what nobody has room for. */
        t = (struct tape){};
        tape_pax(&t, 'x', "GNU.sparse.size=9000000000000000000", NULL);
        tape_file(&t, USTAR, "sparse", "?");
        cr_expect_eq(content(&t, 0, &got), -EFBIG);
        free(got.data);
        free(t.data);
}

/* --- content ---------------------------------------------------------------------- */

Test(tar, good_read)
{
        struct tape t = {}, got;
        struct lsr_builder *b;
        uint64_t offset = 0, size = 0;
        char big[5000];

        for (size_t i = 0; i < sizeof(big); i++)
                big[i] = (char)(i % 251);
        tape_file(&t, USTAR, "./a/../b//first", "hello");
        tape_extension(&t, 'L', "long", 5);
        tape_raw(&t, GNU, '0', "big", sizeof(big));
        tape_add(&t, big, sizeof(big));
        tape_raw(&t, USTAR, '2', "link", 0);
        cr_expect_eq(content(&t, 0, &got), 0);
        cr_expect(got.n == 5 && memcmp(got.data, "hello", 5) == 0);
        free(got.data);
        cr_expect_eq(content(&t, 1, &got), 0);
        cr_expect(got.n == sizeof(big) && memcmp(got.data, big, sizeof(big)) == 0);
        free(got.data);
        cr_expect_eq(content(&t, 2, &got), -EOPNOTSUPP);

        b = scan_bytes(t.data, t.n);
        for (size_t i = 0; i < 3; i++) {
                struct lsr_input *in = lsr_input_memory(t.data, t.n);
                struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };

                if (i == 0) {
                        /* As a catalogue has it. */
                        free((char *)b->members[0].path);
                        b->members[0].path = copy("a/b/first", 9);
                        b->members[0].path_len = 9;
                }
                cr_expect_eq(lsr_format_tar.extent(&s, &b->members[i], &offset, &size), i == 2);
                cr_expect_eq(offset, i ? b->members[1].data : 512);
                cr_expect_eq(size, i ? 5000 : 5);
                lsr_input_free(in);
        }
        lsr_builder_free(b);
        free(t.data);
}

/* Whether what the catalogue says is still there. */
Test(tar, bad_read)
{
        struct tape t = {};
        struct lsr_builder *b;

        tape_file(&t, USTAR, "a", "hello");
        b = scan_bytes(t.data, t.n);
        for (int i = 0; i < 6; i++) {
                struct lsr_member m = b->members[0];
                struct tape got = {};
                uint64_t offset, size;
                struct lsr_sink sink = { .ctx = &got, .write = collect };
                struct lsr_input *in = lsr_input_memory(t.data, i == 5 ? t.n - 510 : t.n);
                struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };

                if (i == 1)
                        m.path = "b";
                if (i == 2)
                        m.meta.size = 6;
                if (i == 3)
                        m.position = 512;
                if (i == 4)
                        m.position = UINT64_MAX;
                b->len = 0;
                cr_expect_eq(lsr_format_tar.read(&s, &m, &sink), i ? -EBADMSG : 0, "%d", i);
                cr_expect_eq(strncmp(b->text, "! -1 ", 5) == 0, i > 0, "%d: %s", i, b->text);
                lsr_input_seek(in, 0);
                cr_expect_eq(lsr_format_tar.extent(&s, &m, &offset, &size), i ? -EBADMSG : 0, "%d", i);
                lsr_input_free(in);
                free(got.data);
        }
        lsr_builder_free(b);
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

/* --- any bytes ---------------------------------------------------------------------- */

static uint64_t prng_state = 88172645463325252u;

static uint64_t prng(void)
{
        prng_state ^= prng_state << 13;
        prng_state ^= prng_state >> 7;
        prng_state ^= prng_state << 17;
        return prng_state;
}

static void reseal(uint8_t *data, size_t n)
{
        for (size_t at = 0; at + BLOCK <= n; at += BLOCK)
                if (data[at + 257] == 'u')
                        seal(data + at);
}

/* Bytes changed at random, the checksums made right again in half of the rounds. */
Test(tar, hostile_bytes)
{
        struct tape t = {};
        uint8_t *h;

        tape_pax(&t, 'g', "uname=all", "comment=x", NULL);
        tape_pax(&t, 'x', "path=a", "mtime=1.5", "SCHILY.xattr.user.a=1", "LIBARCHIVE.xattr.user.b=YQ", NULL);
        tape_file(&t, USTAR, "a", "content");
        tape_extension(&t, 'L', "name", 5);
        h = tape_raw(&t, GNU, 'S', "sparse", 7);
        put_piece(h + 386, 1000, 5);
        put_piece(h + 410, 2000, 2);
        put(h, 483, "00000005670");
        tape_add(&t, "ABCDEFG", 7);
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
        tape_raw(&t, USTAR, '0', "s", 519);
        tape_add(&t, "2\n1000\n5\n2000\n2\n", 16);
        tape_add(&t, "ABCDEFG", 7);
        tape_pax(&t, 'x', "GNU.sparse.size=30", "GNU.sparse.map=10,5,20,2", NULL);
        tape_file(&t, USTAR, "s", "ABCDEFG");
        h = tape_raw(&t, USTAR, '1', "hard", 7);
        put(h, 157, "a");
        tape_end(&t);
        for (int round = 0; round < 4000; round++) {
                size_t n = round % 8 ? t.n : prng() % t.n + 1;
                uint8_t *data = lsr_xmalloc(n);
                struct lsr_builder *b;

                memcpy(data, t.data, n);
                for (uint64_t k = prng() % 8 + 1; k > 0; k--)
                        data[prng() % n] = (uint8_t)(prng() % 3 ? prng() : (uint64_t) "0179 \xff\x80\n=,"[prng() % 10]);
                if (round % 2)
                        reseal(data, n);
                b = scan_bytes(data, n);
                for (uint64_t i = 0; i < b->n && i < 64; i++) {
                        struct lsr_input *in = lsr_input_memory(data, n);
                        struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };
                        struct tape got = {};
                        struct lsr_sink sink = { .ctx = &got, .write = collect };
                        int r = lsr_format_tar.read(&s, &b->members[i], &sink);

                        if (r == 0 && !(b->members[i].flags & LSR_MEMBER_HARDLINK))
                                cr_expect_eq(got.n, b->members[i].meta.size);
                        free(got.data);
                        lsr_input_free(in);
                }
                lsr_builder_free(b);
                free(data);
        }
        free(t.data);
}

/* --- many, and the way over the content ------------------------------------------------- */

/* Members of @size bytes that are not there: only headers are made, at every multiple of the pitch. */
struct made {
        struct lsr_input in;
        uint64_t pitch;
        uint64_t reads;
        uint64_t bytes;
        uint64_t at;
        bool slow;
        uint8_t header[BLOCK];
        uint8_t piece[256 << 10];
};

static ssize_t made_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct made *m = (struct made *)in;
        size_t n = offset >= in->size ? 0 : size < in->size - offset ? size : (size_t)(in->size - offset);

        m->reads++;
        m->bytes += n;
        memset(buf, 'x', n);
        for (uint64_t at = (offset + m->pitch - 1) / m->pitch * m->pitch; at + BLOCK <= offset + n; at += m->pitch)
                memcpy((uint8_t *)buf + (at - offset), m->header, BLOCK);
        if (m->slow)
                nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
        return (ssize_t)n;
}

static ssize_t made_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct made *m = (struct made *)in;
        ssize_t got = made_read_at(in, m->piece, sizeof(m->piece), m->at);

        m->at += (uint64_t)got;
        *ret_data = m->piece;
        return got;
}

static int made_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct made *)in)->at = offset;
        return 0;
}

static const struct lsr_input_ops made_ops = {
        .next = made_next,
        .read_at = made_read_at,
        .seek = made_seek,
        .free = odd_free,
};

static void scan_made(uint64_t members, uint64_t size, bool slow, uint64_t *ret_reads, uint64_t *ret_bytes)
{
        struct made *m = lsr_input_alloc(sizeof(*m), &made_ops);
        struct tape t = {};
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_scan s = { .input = &m->in, .builder = b, .ctx = b, .trouble = trouble };

        memcpy(m->header, tape_raw(&t, USTAR, '0', "name", size), BLOCK);
        m->pitch = BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
        m->in.size = m->pitch * members;
        m->slow = slow;
        b->quiet = true;
        cr_expect_eq(lsr_format_tar.scan(&s), 0);
        cr_expect_eq(b->n, members);
        cr_expect_str_empty(b->text);
        *ret_reads = m->reads;
        *ret_bytes = m->bytes;
        lsr_input_free(&m->in);
        lsr_builder_free(b);
        free(t.data);
}

Test(tar, many_members)
{
        uint64_t reads, bytes;

        scan_made(100000, 0, false, &reads, &bytes);
        cr_expect_leq(reads, 100000 * BLOCK / (256 << 10) + 2);
}

Test(tar, content_is_passed_over)
{
        uint64_t reads, bytes;

        /* Some look slow when the machine is busy. */
        scan_made(2000, 100000, false, &reads, &bytes);
        cr_expect_lt(bytes, 100000000, "%llu bytes", (unsigned long long)bytes);
        scan_made(200, 100000000, true, &reads, &bytes);
        cr_expect_lt(bytes, 2000000, "%llu bytes", (unsigned long long)bytes);
}

Test(tar, slow_content_is_read_through)
{
        uint64_t reads, bytes;

        scan_made(2000, 20000, true, &reads, &bytes);
        cr_expect_lt(reads, 400, "%llu reads", (unsigned long long)reads);
}
