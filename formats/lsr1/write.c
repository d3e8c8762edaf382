/*
 * write - a .tar.zst that lists in one read
 *
 * docs/bundle-format.md is the format.  The number of blocks of a member is known at once, so it is added to the
 * catalogue with its position in the tar, while frames are compressed on all cores; the compressed lengths are
 * needed only at the end, for the seek table.  If the index would exceed the limits of readers, the bundle has
 * none, and this is reported.
 *
 * Small members share frames, since zstd compresses few bytes badly.  Content of 1 MiB and more has frames of its
 * own, so that a division finds the frame of a byte.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/compress.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/lsr1/lsr1.h"
#include "formats/tar/write.h"

#define LSR1_TOC_PIECE ((size_t)32 << 10)     /* bytes of the catalogue in one frame: 6 % more than in one of 3 MB */
#define LSR1_GROUP ((size_t)1 << 20)          /* bytes at which a frame of small members ends */
#define LSR1_LARGE ((uint64_t)1 << 20)        /* content that has frames of its own */
#define LSR1_CUT ((size_t)4 << 20)            /* bytes of large content in a frame */
#define LSR1_SEEKABLE_MAX (UINT32_C(1) << 27) /* frames of the seekable format */

struct write_entry {
        uint32_t packed;
        uint32_t size;
        uint32_t sum;
};

struct lsr1_writer {
        struct lsr_writer w;
        struct lsr_compress *compress;
        struct lsr_builder *builder; /* NULL: there are more members than a catalogue can have */
        size_t frames_max;           /* of the seek table, T and L among them */
        uint64_t toc_max;
        int level;
        struct tar_blocks blocks;
        uint64_t at;    /* in the tar */
        uint64_t left;  /* content of the member that is still to come */
        bool large;     /* that is in frames of its own */
        uint64_t start; /* of the output */
        struct write_entry *frames;
        size_t n_frames, frames_cap;
};

static const uint8_t write_zeros[2 * TAR_BLOCK];

/* A frame ends in the checksum of its content. */
static void write_frame(void *ctx, size_t n, const uint8_t *packed, size_t packed_n)
{
        struct lsr1_writer *l = ctx;

        lsr_grow(&l->frames, l->n_frames, &l->frames_cap);
        l->frames[l->n_frames++] = (struct write_entry){ (uint32_t)packed_n, (uint32_t)n,
                                                         n ? lsr_le32(packed + packed_n - 4) : LSR1_NOTHING };
}

static int write_open(struct lsr_writer **ret_writer, struct lsr_output *out, const struct lsr_writer_options *options)
{
        struct lsr1_writer *l = lsr_xmalloc(sizeof(*l));
        int r;

        *l = (struct lsr1_writer){
                .w = { .kind = &lsr_writer_lsr1, .out = out },
                .frames_max = LSR1_FRAMES_MAX,
                .toc_max = LSR1_TOC_MAX,
                .level = options->level,
                .start = out->at,
        };
        r = lsr_compress_new(&l->compress, &lsr_codec_zstd, options->level, options->threads, out);
        if (r < 0) {
                free(l);
                return r;
        }
        lsr_compress_tell(l->compress, write_frame, l);
        l->builder = lsr_builder_new();
        *ret_writer = &l->w;
        return 0;
}

void lsr1_writer_limit(struct lsr_writer *w, size_t frames, uint64_t toc)
{
        struct lsr1_writer *l = (struct lsr1_writer *)w;

        l->frames_max = frames;
        l->toc_max = toc;
}

/* --- the tar ------------------------------------------------------------------- */

static void write_add(struct lsr1_writer *l, const void *data, size_t n)
{
        lsr_compress_add(l->compress, data, n);
        l->at += n;
}

/* Large content, cut where a frame is full. */
static int write_add_large(struct lsr1_writer *l, const uint8_t *data, size_t n)
{
        int r = 0;

        while (n > 0 && r == 0) {
                size_t held = lsr_compress_held(l->compress), room = LSR1_CUT - held, part = n < room ? n : room;

                write_add(l, data, part);
                data += part;
                n -= part;
                if (part == room)
                        r = lsr_compress_cut(l->compress);
        }
        return r;
}

/* Content is all there: the end of a frame, if it is to end here. */
static int write_end_member(struct lsr1_writer *l)
{
        write_add(l, write_zeros, l->blocks.padding);
        if (!l->large && lsr_compress_held(l->compress) < LSR1_GROUP)
                return 0;
        l->large = false;
        return lsr_compress_cut(l->compress);
}

static int write_member(struct lsr_writer *w, const struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        struct lsr1_writer *l = (struct lsr1_writer *)w;
        struct tar_blocks *b = &l->blocks;
        int r = l->left ? -EINVAL : tar_blocks_make(b, m, extents, n), error;

        if (r < 0 || r & LSR_LOSS_KIND)
                return r;
        b->member.position = l->at;
        b->member.data = l->at + b->headers;
        error = l->builder ? lsr_builder_add(l->builder, &b->member) : 0;
        if (error == -E2BIG)
                l->builder = lsr_builder_free(l->builder);
        else if (error < 0)
                return error;
        l->left = b->data;
        l->large = b->stored >= LSR1_LARGE;
        write_add(l, b->bytes.data, b->headers);
        error = l->large ? lsr_compress_cut(l->compress) : 0;
        if (error == 0)
                error = write_add_large(l, b->bytes.data + b->headers, b->bytes.n - b->headers);
        if (error == 0 && l->left == 0)
                error = write_end_member(l);
        return error < 0 ? error : r;
}

static int write_data(struct lsr_writer *w, const void *data, size_t n)
{
        struct lsr1_writer *l = (struct lsr1_writer *)w;
        int r = 0;

        if (n > l->left)
                return -EINVAL;
        if (n == 0)
                return 0;
        if (l->large)
                r = write_add_large(l, data, n);
        else
                write_add(l, data, n);
        l->left -= n;
        return r == 0 && l->left == 0 ? write_end_member(l) : r;
}

/* --- the end ------------------------------------------------------------------- */

static int write_skippable(struct lsr_output *out, uint32_t magic, size_t n)
{
        uint8_t header[LSR1_SKIPPABLE];

        if (n > UINT32_MAX - LSR1_SKIPPABLE)
                return -EFBIG;
        lsr_put_le32(header, magic);
        lsr_put_le32(header + 4, (uint32_t)n);
        return lsr_output_write(out, header, sizeof(header));
}

/* What the locator says of T. */
struct write_toc {
        uint64_t packed;
        uint64_t size;
        uint32_t rows;
};

/* The frames of T, to be freed: readers decode those that they need. */
static int write_pack(const struct lsr1_writer *l, const uint8_t *data, size_t size, uint8_t **ret_frames,
                      uint64_t *ret_packed)
{
        uint8_t *frames = NULL;
        size_t n = 0, packed;
        int r = 0;

        for (size_t at = 0, piece; at < size && r == 0; at += piece) {
                uint8_t *frame;

                piece = size - at < LSR1_TOC_PIECE ? size - at : LSR1_TOC_PIECE;
                r = lsr_codec_buffer(&lsr_codec_zstd, l->level, data + at, piece, &frame, &packed);
                if (r < 0)
                        break;
                frames = lsr_xrealloc(frames, n + packed);
                memcpy(frames + n, frame, packed);
                n += packed;
                free(frame);
        }
        if (r < 0) {
                free(frames);
                return r;
        }
        *ret_frames = frames;
        *ret_packed = n;
        return 0;
}

static void write_entry_put(uint8_t *to, const struct write_entry *e)
{
        lsr_put_le32(to, e->packed);
        lsr_put_le32(to + 4, e->size);
        lsr_put_le32(to + 8, e->sum);
}

/* The catalogue, encoded and compressed: frames to be freed.  LSR_FINISH_NO_INDEX: it is too large. */
static int write_encode(struct lsr1_writer *l, uint8_t **ret_frames, struct write_toc *ret_toc)
{
        uint8_t entry[LSR1_SUMMED], binding[4], *data;
        const struct lsr_catalogue_extra extra = { LSR1_COLUMN_TAR, binding, sizeof(binding) };
        struct lsr_catalogue *c;
        uint64_t packed;
        uint32_t crc = 0;
        size_t size;
        int r;

        if (!l->builder || l->n_frames + 2 > l->frames_max)
                return LSR_FINISH_NO_INDEX;
        r = lsr_builder_finish(l->builder, &c);
        if (r < 0)
                return r == -E2BIG ? LSR_FINISH_NO_INDEX : r;
        for (size_t i = 0; i < l->n_frames; i++) {
                write_entry_put(entry, &l->frames[i]);
                crc = lsr_crc32(crc, entry, sizeof(entry));
        }
        lsr_put_le32(binding, crc);
        r = lsr_catalogue_encode_with(c, &extra, &data, &size);
        if (r == 0) {
                r = size > l->toc_max ? LSR_FINISH_NO_INDEX : write_pack(l, data, size, ret_frames, &packed);
                free(data);
        }
        if (r == 0 && !lsr1_toc_bounded(size, packed)) {
                free(*ret_frames);
                r = LSR_FINISH_NO_INDEX;
        }
        if (r == 0)
                *ret_toc = (struct write_toc){ packed, size, lsr_catalogue_rows(c) };
        lsr_catalogue_free(c);
        return r;
}

static int write_locator(struct lsr1_writer *l, uint64_t toc_at, const struct write_toc *toc)
{
        uint8_t b[LSR1_LOCATOR] = {};

        lsr_put_le32(b, LSR1_MAGIC);
        lsr_put_le32(b + 4, sizeof(b) - LSR1_SKIPPABLE);
        memcpy(b + 8, "LSRTOC\r\n", 8);
        lsr_put_le16(b + 16, LSR1_MAJOR);
        lsr_put_le64(b + 24, toc_at);
        lsr_put_le64(b + 32, toc->packed);
        lsr_put_le64(b + 40, toc->size);
        lsr_put_le64(b + 48, l->at);
        lsr_put_le32(b + 56, toc->rows);
        lsr_put_le32(b + 60, lsr_crc32(0, b, 60));
        return lsr_output_write(l->w.out, b, sizeof(b));
}

static int write_seek_table(struct lsr1_writer *l)
{
        struct lsr_output *out = l->w.out;
        uint8_t entry[LSR1_SUMMED], footer[LSR1_FOOTER] = {};
        int r = write_skippable(out, LSR1_TABLE_MAGIC, l->n_frames * LSR1_SUMMED + LSR1_FOOTER);

        for (size_t i = 0; i < l->n_frames && r == 0; i++) {
                write_entry_put(entry, &l->frames[i]);
                r = lsr_output_write(out, entry, sizeof(entry));
        }
        lsr_put_le32(footer, (uint32_t)l->n_frames);
        footer[4] = LSR1_SUMS;
        lsr_put_le32(footer + 5, LSR1_FOOTER_MAGIC);
        return r < 0 ? r : lsr_output_write(out, footer, sizeof(footer));
}

/* T and L; LSR_FINISH_NO_INDEX: neither. */
static int write_index(struct lsr1_writer *l)
{
        uint64_t toc_at = l->w.out->at - l->start;
        struct write_toc toc;
        uint8_t *frames;
        int r = write_encode(l, &frames, &toc);

        if (r != 0)
                return r;
        r = write_skippable(l->w.out, LSR1_MAGIC, toc.packed);
        if (r == 0)
                r = lsr_output_write(l->w.out, frames, toc.packed);
        free(frames);
        if (r == 0)
                r = write_locator(l, toc_at, &toc);
        write_frame(l, 0, NULL, toc.packed + LSR1_SKIPPABLE);
        write_frame(l, 0, NULL, LSR1_LOCATOR);
        return r;
}

static int write_finish(struct lsr_writer *w)
{
        struct lsr1_writer *l = (struct lsr1_writer *)w;
        int r = l->left ? -EINVAL : lsr_compress_cut(l->compress), indexed = 0;

        if (r < 0)
                return r;
        write_add(l, write_zeros, sizeof(write_zeros));
        r = lsr_compress_finish(l->compress);
        if (r == 0)
                r = indexed = write_index(l);
        /* Without an index the seek table is for others. */
        if (r >= 0 && l->n_frames <= LSR1_SEEKABLE_MAX)
                r = write_seek_table(l);
        if (r >= 0)
                r = lsr_output_flush(w->out);
        return r < 0 ? r : indexed;
}

static void write_free(struct lsr_writer *w)
{
        struct lsr1_writer *l = (struct lsr1_writer *)w;

        lsr_compress_free(l->compress);
        lsr_builder_free(l->builder);
        tar_blocks_free(&l->blocks);
        free(l->frames);
        free(l);
}

const struct lsr_writer_kind lsr_writer_lsr1 = {
        .name = "lsr1",
        .suffixes = (const char *const[]){ ".tar.zst", ".tzst", NULL },
        .level_min = 1,
        .level_max = 22,
        .hardlinks = true,
        .sparse = true,
        .appends = true,
        .open = write_open,
        .member = write_member,
        .data = write_data,
        .finish = write_finish,
        .free = write_free,
};
