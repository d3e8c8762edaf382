/*
 * lsr1-maker - LSR1 bundles made by hand, part by part, for the tests of their reader
 *
 * A tar is written block by block; pack() makes frames of it, and the table of
 * contents from what the tar driver lists of it, or of another tar: then it lies.
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "catalogue/builder.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"

#define WINDOW_MAX ((uint64_t)1 << 30)
#define FRAMES_MAX 20000

struct blob {
        uint8_t *data;
        size_t n;
        size_t cap;
};

static inline void blob_add(struct blob *b, const void *data, size_t n)
{
        cr_assert_lt(n, PTRDIFF_MAX - b->n);
        if (b->cap < b->n + n + 1) {
                b->cap = 2 * (b->n + n + 1);
                b->data = lsr_xrealloc(b->data, b->cap);
        }
        if (n)
                memcpy(b->data + b->n, data, n);
        b->n += n;
}

static inline struct blob blob_copy(const struct blob *b, size_t n)
{
        struct blob c = {};

        blob_add(&c, b->data, n);
        return c;
}

/* --- a tar ----------------------------------------------------------------------- */

struct tape {
        struct blob tar;
        size_t cuts[FRAMES_MAX]; /* where frames begin besides 0 */
        size_t n_cuts;
};

static inline void tape_seal(uint8_t *h)
{
        unsigned sum = 0;

        memset(h + 148, ' ', 8);
        for (int i = 0; i < 512; i++)
                sum += h[i];
        sprintf((char *)h + 148, "%06o", sum);
}

/* A header of mode 0644, owner 1000/100, time 1000000000; the offset of it. */
static inline size_t tape_header(struct tape *t, char type, const char *name, uint64_t size)
{
        uint8_t h[512] = {};

        cr_assert_leq(strlen(name), 100);
        memcpy(h, name, strlen(name));
        memcpy(h + 100, "0000644", 7);
        memcpy(h + 108, "0001750", 7);
        memcpy(h + 116, "0000144", 7);
        sprintf((char *)h + 124, "%011llo", (unsigned long long)size);
        memcpy(h + 136, "07346545000", 11);
        h[156] = (uint8_t)type;
        memcpy(h + 257, "ustar\00000", 8);
        memcpy(h + 265, "ann", 3);
        memcpy(h + 297, "users", 5);
        tape_seal(h);
        blob_add(&t->tar, h, 512);
        return t->tar.n - 512;
}

static inline void tape_put(struct tape *t, size_t header, size_t at, const void *data, size_t n)
{
        memcpy(t->tar.data + header + at, data, n);
        tape_seal(t->tar.data + header);
}

static inline void tape_cut(struct tape *t)
{
        cr_assert_lt(t->n_cuts, FRAMES_MAX);
        t->cuts[t->n_cuts++] = t->tar.n;
}

static inline void tape_pad(struct tape *t)
{
        static const uint8_t zeros[512];

        blob_add(&t->tar, zeros, -t->tar.n % 512);
}

static inline void tape_link(struct tape *t, char type, const char *name, const char *target)
{
        size_t h = tape_header(t, type, name, 0);

        tape_put(t, h, 157, target, strlen(target));
}

/* One record "key=value". */
static inline void tape_pax(struct tape *t, const char *record)
{
        char body[512];
        int len = (int)strlen(record) + 3;

        while (snprintf(NULL, 0, "%d %s\n", len, record) > len)
                len++;
        snprintf(body, sizeof(body), "%d %s\n", len, record);
        tape_header(t, 'x', "pax", strlen(body));
        blob_add(&t->tar, body, strlen(body));
        tape_pad(t);
}

static inline uint8_t tape_byte(unsigned seed, size_t i)
{
        return (uint8_t)((i * 2654435761u ^ seed * 40503u) >> 9 & ((i >> 6 & 1) ? 0xff : 0x07)) + 'a';
}

/* Content of @n bytes that compresses a little, cut every @every bytes if that is not 0. */
static inline void tape_content(struct tape *t, unsigned seed, size_t n, size_t every)
{
        if (every)
                tape_cut(t);
        for (size_t i = 0; i < n; i++) {
                uint8_t byte = tape_byte(seed, i);

                if (every && i && i % every == 0)
                        tape_cut(t);
                blob_add(&t->tar, &byte, 1);
        }
        tape_pad(t);
        if (every)
                tape_cut(t);
}

static inline void tape_file(struct tape *t, const char *name, unsigned seed, size_t n)
{
        tape_header(t, '0', name, n);
        tape_content(t, seed, n, 0);
}

static inline void tape_free(struct tape *t)
{
        free(t->tar.data);
        free(t);
}

static inline struct tape *tape_new(void)
{
        struct tape *t = lsr_xmalloc(sizeof(*t));

        memset(t, 0, sizeof(*t));
        return t;
}

/* --- scans ------------------------------------------------------------------------- */

struct said {
        unsigned errors;
        unsigned remarks;
        char text[4096]; /* all of it, a line each */
};

static inline void said_trouble(void *ctx, int error, const char *text)
{
        struct said *s = ctx;
        size_t len = strlen(s->text);

        *(error < 0 ? &s->errors : &s->remarks) += 1;
        snprintf(s->text + len, sizeof(s->text) - len, "%s\n", text);
}

/* What @format lists of @in; NULL if it fails. */
static inline struct lsr_catalogue *catalogue_of(const struct lsr_format *format, struct lsr_input *in,
                                                 struct said *said)
{
        struct lsr_scan scan = { .input = in,
                                 .builder = lsr_builder_new(),
                                 .window_max = WINDOW_MAX,
                                 .ctx = said,
                                 .trouble = said_trouble };
        struct lsr_catalogue *c = NULL;
        int r = format->scan(&scan);

        if (r == 0 && scan.catalogue && lsr_catalogue_decode(&c, scan.catalogue, scan.catalogue_size) < 0) {
                free(scan.catalogue);
                scan.catalogue = NULL;
                scan.distrusted = true;
                r = format->scan(&scan);
                cr_assert_null(scan.catalogue);
        }
        if (r == 0 && !scan.catalogue)
                cr_assert_eq(lsr_builder_finish(scan.builder, &c), 0);
        free(scan.catalogue);
        lsr_builder_free(scan.builder);
        scan.input = NULL; /* the caller's */
        lsr_scan_close(&scan, format);
        return c;
}

/* --- a bundle ---------------------------------------------------------------------- */

/* Where its parts begin. */
struct bundle {
        struct blob file;
        size_t end, toc, locator, table;
        size_t frames[FRAMES_MAX + 2]; /* D and E, and T */
        size_t n_frames;
};

static inline void put_frame(struct blob *to, const void *data, size_t n)
{
        ZSTD_CCtx *ctx = ZSTD_createCCtx();
        size_t room = ZSTD_compressBound(n), got;
        uint8_t *buf = lsr_xmalloc(room);

        ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
        got = ZSTD_compress2(ctx, buf, room, data, n);
        cr_assert(!ZSTD_isError(got));
        blob_add(to, buf, got);
        free(buf);
        ZSTD_freeCCtx(ctx);
}

static inline void put_entry(struct blob *table, size_t packed, size_t raw)
{
        uint8_t entry[8];

        lsr_put_le32(entry, (uint32_t)packed);
        lsr_put_le32(entry + 4, (uint32_t)raw);
        blob_add(table, entry, 8);
}

static inline void put_skippable(struct blob *to, uint32_t magic, const struct blob *body)
{
        uint8_t head[8];

        lsr_put_le32(head, magic);
        lsr_put_le32(head + 4, (uint32_t)body->n);
        blob_add(to, head, 8);
        blob_add(to, body->data, body->n);
}

/* The CRC of the locator, after it was changed. */
static inline void seal_locator(struct bundle *b)
{
        uint8_t *l = b->file.data + b->locator;

        lsr_put_le32(l + 60, lsr_crc32(0, l, 60));
}

/* The seek table has checksums, and the table of contents says which tar it describes; false: as in the first draft. */
static bool pack_bound;

static inline struct blob toc_of(const struct blob *tar, uint32_t *ret_rows)
{
        static const uint8_t zeros[1024];
        struct blob whole = blob_copy(tar, tar->n);
        struct lsr_input *in = (blob_add(&whole, zeros, sizeof(zeros)), lsr_input_memory(whole.data, whole.n));
        struct said said = {};
        struct lsr_catalogue *c = catalogue_of(&lsr_format_tar, in, &said);
        struct blob toc = {};

        cr_assert(c && said.errors == 0, "%s", said.text);
        cr_assert_eq(lsr_catalogue_encode_with(c, pack_bound ? &(struct lsr_catalogue_extra){ 64, zeros, 4 } : NULL,
                                               &toc.data, &toc.n),
                     0);
        *ret_rows = lsr_catalogue_rows(c);
        lsr_catalogue_free(c);
        lsr_input_free(in);
        free(whole.data);
        return toc;
}

static inline void pack_frames(struct bundle *b, const struct tape *t, struct blob *table)
{
        static const uint8_t zeros[1024];
        size_t at = 0;

        for (size_t i = 0; i <= t->n_cuts; i++) {
                size_t end = i < t->n_cuts ? t->cuts[i] : t->tar.n;

                if (end == at)
                        continue;
                b->frames[b->n_frames++] = b->file.n;
                put_frame(&b->file, t->tar.data + at, end - at);
                put_entry(table, b->file.n - b->frames[b->n_frames - 1], end - at);
                at = end;
        }
        b->end = b->frames[b->n_frames++] = b->file.n;
        put_frame(&b->file, zeros, sizeof(zeros));
        put_entry(table, b->file.n - b->end, sizeof(zeros));
        b->toc = b->frames[b->n_frames] = b->file.n;
}

/* Bytes of the table of contents in each frame; 0: it is one. */
static size_t pack_piece;

/* Entries with a checksum of those without; and that of those of D and E is put into @toc. */
static inline void pack_bind(const struct bundle *b, struct blob *table, const struct blob *toc)
{
        struct blob wide = {};
        const uint8_t *crc;
        uint64_t n;

        for (size_t i = 0; i * 8 < table->n; i++) {
                uint8_t sum[4] = { 0x99, 0xe9, 0xd8, 0x51 };

                blob_add(&wide, table->data + i * 8, 8);
                blob_add(&wide, i < b->n_frames ? b->file.data + b->frames[i + 1] - 4 : sum, 4);
        }
        free(table->data);
        *table = wide;
        cr_assert_eq(lsr_catalogue_extra(&(struct lsr_catalogue_source){ toc->data, toc->n }, 64, &crc, &n), 0);
        cr_assert_eq(n, 4);
        lsr_put_le32(toc->data + (crc - toc->data), lsr_crc32(0, wide.data, b->n_frames * 12));
}

static inline void put_toc(struct blob *to, const struct blob *toc)
{
        size_t piece = pack_piece ? pack_piece : toc->n;

        for (size_t at = 0; at < toc->n || at == 0; at += piece)
                put_frame(to, toc->data + at, toc->n - at < piece ? toc->n - at : piece);
}

static inline struct bundle *pack_toc(const struct tape *t, const struct blob *toc, uint32_t rows)
{
        struct bundle *b = memset(lsr_xmalloc(sizeof(*b)), 0, sizeof(*b));
        struct blob table = {}, packed = {}, locator = {};
        uint8_t l[56] = "LSRTOC\r\n", footer[9] = {};

        pack_frames(b, t, &table);
        put_entry(&table, 0, 0);
        put_entry(&table, 64, 0);
        if (pack_bound)
                pack_bind(b, &table, toc);
        put_toc(&packed, toc);
        lsr_put_le32(table.data + table.n / (b->n_frames + 2) * b->n_frames, (uint32_t)packed.n + 8);
        put_skippable(&b->file, 0x184d2a5b, &packed);
        lsr_put_le16(l + 8, 1);
        lsr_put_le64(l + 16, b->toc);
        lsr_put_le64(l + 24, packed.n);
        lsr_put_le64(l + 32, toc->n);
        lsr_put_le64(l + 40, t->tar.n + 1024);
        lsr_put_le32(l + 48, rows);
        blob_add(&locator, l, sizeof(l));
        b->locator = b->file.n;
        put_skippable(&b->file, 0x184d2a5b, &locator);
        seal_locator(b);
        lsr_put_le32(footer, (uint32_t)b->n_frames + 2);
        footer[4] = pack_bound ? 0x80 : 0;
        lsr_put_le32(footer + 5, 0x8f92eab1);
        blob_add(&table, footer, sizeof(footer));
        b->table = b->file.n;
        put_skippable(&b->file, 0x184d2a5e, &table);
        free(table.data);
        free(packed.data);
        free(locator.data);
        return b;
}

/* @toc_tape is what the table of contents is made of. */
static inline struct bundle *pack_lying(const struct tape *t, const struct tape *toc_tape)
{
        uint32_t rows;
        struct blob toc = toc_of(&toc_tape->tar, &rows);
        struct bundle *b = pack_toc(t, &toc, rows);

        free(toc.data);
        return b;
}

static inline struct bundle *pack(const struct tape *t)
{
        return pack_lying(t, t);
}

static inline void bundle_free(struct bundle *b)
{
        free(b->file.data);
        free(b);
}
