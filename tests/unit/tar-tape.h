/*
 * tar-tape - tars made field by field, and what the driver makes of them, for its tests
 *
 * The builder hands on to a recorder: a scan becomes a text with a line a member and a
 * line a message, made twice (from an input that can seek, and from a stream in
 * odd pieces) and compared.
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/drivers.h"

#define BLOCK 512

/* --- what the builder is given --------------------------------------------------- */

struct notes {
        struct lsr_builder *relay; /* what the driver adds to */
        char *text;
        size_t len;
        size_t cap;
        uint64_t n;
        struct lsr_member members[64]; /* the first of them, with paths of their own */
        uint64_t room;                 /* members until it is full; 0: never */
        bool quiet;
};

__attribute__((format(printf, 2, 3))) static void note(struct notes *b, const char *format, ...)
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

static void note_time(struct notes *b, const char *label, const struct lsr_meta *t, unsigned bit, int which)
{
        if (!(t->known & bit))
                note(b, "%s", which == LSR_MTIME ? " ?" : "");
        else if (t->nsec[which])
                note(b, " %s%lld.%09u", label, (long long)t->sec[which], t->nsec[which]);
        else
                note(b, " %s%lld", label, (long long)t->sec[which]);
}

static void note_bytes(struct notes *b, const char *s, size_t n)
{
        for (; n > 0; n--)
                note(b, "%c", *s++);
}

static void note_xattrs(struct notes *b, const struct lsr_member *m)
{
        const char *at = (const char *)m->xattrs;
        size_t left = m->xattrs_len;

        while (left) {
                size_t name_len = strlen(at), n;

                cr_assert_leq(name_len + 5, left);
                n = lsr_le32(at + name_len + 1);
                cr_assert_leq(name_len + 5 + n, left);
                note(b, " {");
                note_bytes(b, at, name_len);
                note(b, "=");
                note_bytes(b, at + name_len + 5, n);
                note(b, "}");
                at += name_len + 5 + n;
                left -= name_len + 5 + n;
        }
}

/* Letters of flags, then type, mode, ids, names, size, times, path, target, device, attributes, where and how much. */
static void note_member(struct notes *b, const struct lsr_member *m)
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
        note_xattrs(b, m);
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

static int notes_put(void *ctx, const struct lsr_member *m)
{
        struct notes *b = ctx;

        cr_assert_not_null(m);
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

static struct notes *notes_new(void)
{
        struct notes *b = lsr_xmalloc(sizeof(*b));

        *b = (struct notes){ .cap = 8192, .relay = lsr_builder_new_relay(notes_put, b) };
        b->text = lsr_xmalloc(b->cap);
        b->text[0] = '\0';
        return b;
}

static void notes_free(struct notes *b)
{
        for (uint64_t i = 0; i < b->n && i < 64; i++)
                free((char *)b->members[i].path);
        lsr_builder_free(b->relay);
        free(b->text);
        free(b);
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

static inline void tape_end(struct tape *t)
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

static inline void tape_file(struct tape *t, enum magic magic, const char *name, const char *content)
{
        tape_raw(t, magic, magic == V7 ? '\0' : '0', name, strlen(content));
        tape_add(t, content, strlen(content));
}

static inline void put(uint8_t *h, size_t at, const char *text)
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
static inline void tape_pax(struct tape *t, int type, ...)
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
        tape_extension(t, (char)type, body, n);
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

static struct notes *scan_input(struct lsr_input *in, bool quiet)
{
        struct notes *b = notes_new();
        struct lsr_scan s = { .input = in, .builder = b->relay, .ctx = b, .trouble = trouble };
        int r;

        b->quiet = quiet;
        r = lsr_format_tar.scan(&s);
        if (r < 0)
                note(b, "failed\n");
        lsr_input_free(in);
        return b;
}

static struct notes *scan_bytes(const void *data, size_t n)
{
        struct notes *a = scan_input(lsr_input_memory(data, n), false);
        struct notes *b = scan_input(odd_input(data, n, 0), false);

        cr_assert_str_eq(a->text, b->text);
        notes_free(b);
        return a;
}

/* The tape is used up, as it is. */
static void check_cut(struct tape *t, const char *want)
{
        struct notes *b = scan_bytes(t->data, t->n);

        cr_expect_str_eq(b->text, want, "listed:\n%s\nwanted:\n%s", b->text, want);
        notes_free(b);
        free(t->data);
        *t = (struct tape){};
}

/* The same of a tape that is given its end. */
static void check(struct tape *t, const char *want)
{
        tape_end(t);
        check_cut(t, want);
}
