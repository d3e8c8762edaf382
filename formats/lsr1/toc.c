/*
 * toc - the table of contents, decoded as far as needed
 *
 *      T    8 bytes | frame | frame | frame | ...       decoded where they belong,
 *                       └──────────────┐                 when they are asked for
 *      data         |       |      |       | ...
 *
 * It is one frame, or many: then listing one directory of a large bundle need
 * not decode all columns.  Memory for the whole table costs nothing where it
 * is not written to.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/lsr1/lsr1.h"
#include "formats/filter/zstd.h"

#define TOC_ROWS 8u    /* where a catalogue says how many rows it has */
#define TOC_BLOCK 512u /* of the tar: a member takes one at least */

static bool toc_bounded(const struct lsr1 *l)
{
        return lsr1_toc_bounded(l->toc_rlen, l->toc_clen) && l->rows <= l->tar_length / TOC_BLOCK + 1;
}

/* Where the frames are.  They fill T, and decoded all of the catalogue. */
static bool toc_frames(struct lsr1_toc *t, const struct lsr1 *l)
{
        uint64_t at = 0, raw = 0;
        size_t cap = 0;

        for (;;) {
                uint64_t size;
                size_t packed;

                if (t->n == cap) {
                        cap = cap ? 2 * cap : 1;
                        t->frames = lsr_xrealloc(t->frames, (cap + 1) * sizeof(*t->frames));
                }
                t->frames[t->n] = (struct lsr1_toc_frame){ at, raw, false };
                if (at == l->toc_clen)
                        return t->n > 0 && raw == l->toc_rlen;
                if (lsr_zstd_frame_size(t->packed + at, (size_t)(l->toc_clen - at), &packed, &size) < 0 ||
                    size > l->toc_rlen - raw)
                        return false;
                at += packed;
                raw += size;
                t->n++;
        }
}

bool lsr1_toc_need(void *ctx, uint64_t offset, uint64_t n)
{
        struct lsr1_toc *t = ctx;
        size_t low = 0, high = t->n - 1;

        /* The last frame that begins at @offset or before. */
        while (low < high) {
                size_t middle = low + (high - low + 1) / 2;

                if (t->frames[middle].raw <= offset)
                        low = middle;
                else
                        high = middle - 1;
        }
        for (; low < t->n && t->frames[low].raw < offset + n; low++) {
                struct lsr1_toc_frame *f = &t->frames[low];

                if (f->decoded)
                        continue;
                if (lsr_zstd_frame(&t->zstd, t->packed + f->at, (size_t)(f[1].at - f->at), t->data + f->raw,
                                   (size_t)(f[1].raw - f->raw)) < 0)
                        return false;
                f->decoded = true;
        }
        return true;
}

/* Is it that of this tar?  One of the first draft does not say. */
static bool toc_belongs(struct lsr1_toc *t, const struct lsr1 *l)
{
        const struct lsr_catalogue_source source = { t->data, t->size, t, lsr1_toc_need };
        const uint8_t *crc;
        uint64_t n;
        int r = lsr_catalogue_extra(&source, LSR1_COLUMN_TAR, &crc, &n);

        return r == 1 || (r == 0 && n == 4 && lsr_le32(crc) == l->crc);
}

static const char *toc_open(struct lsr1_toc *t, const struct lsr1 *l, struct lsr_input *in)
{
        uint64_t end = in->size - (l->toc_at - LSR1_SKIPPABLE);
        const uint8_t *toc;

        if (!toc_bounded(l))
                return "it would be too large";
        if (lsr_input_keep_end(in, (size_t)end, &toc) != (ssize_t)end)
                return "it cannot be read";
        t->packed = toc + LSR1_SKIPPABLE;
        t->size = (size_t)l->toc_rlen;
        if (lsr_le32(toc) != LSR1_MAGIC || lsr_le32(toc + 4) != l->toc_clen || t->size < TOC_ROWS + 8 ||
            !toc_frames(t, l))
                return "it is damaged";
        t->data = lsr_xmalloc(t->size + 1);
        if (!lsr1_toc_need(t, TOC_ROWS, 8) || lsr_le64(t->data + TOC_ROWS) != l->rows)
                return "it is damaged";
        return toc_belongs(t, l) ? NULL : "it is that of another tar";
}

const char *lsr1_toc_open(struct lsr1_toc *ret, const struct lsr1 *l, struct lsr_input *in)
{
        struct lsr1_toc t = {};
        const char *why = toc_open(&t, l, in);

        if (why)
                lsr1_toc_close(&t);
        *ret = t;
        return why;
}

void lsr1_toc_close(struct lsr1_toc *t)
{
        lsr_zstd_free(t->zstd);
        free(t->frames);
        free(t->data);
        *t = (struct lsr1_toc){};
}

const char *lsr1_toc(const struct lsr1 *l, struct lsr_input *in, uint8_t **ret_data, size_t *ret_size)
{
        struct lsr1_toc t;
        const char *why = lsr1_toc_open(&t, l, in);

        if (!why && !lsr1_toc_need(&t, 0, t.size))
                why = "it is damaged";
        if (!why) {
                *ret_data = t.data;
                *ret_size = t.size;
                t.data = NULL;
        }
        lsr1_toc_close(&t);
        lsr_input_drop_end(in);
        return why;
}
