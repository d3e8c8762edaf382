/*
 * write-kinds - tars, uncompressed or compressed as a whole
 *
 * All of them are one sequence of blocks that goes through a compressor; the
 * .tar.zst that lsr can list with one read is made by formats/lsr1/write.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "formats/filter/compress.h"
#include "formats/drivers.h"
#include "formats/tar/write.h"

struct tar_writer {
        struct lsr_writer w;
        struct lsr_compress *compress;
        struct tar_blocks blocks;
        uint64_t left; /* content of the member that is still to come */
};

static const uint8_t tar_zeros[2 * TAR_BLOCK];

static int tar_open(struct lsr_writer **ret_writer, struct lsr_output *out, const struct lsr_writer_options *options,
                    const struct lsr_writer_kind *kind, const struct lsr_codec *codec)
{
        struct tar_writer *t = lsr_xmalloc(sizeof(*t));
        int r;

        *t = (struct tar_writer){ .w = { .kind = kind, .out = out } };
        r = lsr_compress_new(&t->compress, codec, options->level, options->threads, out);
        if (r < 0) {
                free(t);
                return r;
        }
        *ret_writer = &t->w;
        return 0;
}

static int tar_member(struct lsr_writer *w, const struct lsr_member *m, const struct lsr_extent *extents, size_t n)
{
        struct tar_writer *t = (struct tar_writer *)w;
        int r = t->left ? -EINVAL : tar_blocks_make(&t->blocks, m, extents, n), error;

        if (r < 0 || r & LSR_LOSS_KIND)
                return r;
        t->left = t->blocks.data;
        error = lsr_compress_stream(t->compress, t->blocks.bytes.data, t->blocks.bytes.n);
        return error < 0 ? error : r;
}

static int tar_data(struct lsr_writer *w, const void *data, size_t n)
{
        struct tar_writer *t = (struct tar_writer *)w;
        int r = n > t->left ? -EINVAL : lsr_compress_stream(t->compress, data, n);

        if (r < 0)
                return r;
        t->left -= n;
        return n > 0 && t->left == 0 ? lsr_compress_stream(t->compress, tar_zeros, t->blocks.padding) : 0;
}

static int tar_finish(struct lsr_writer *w)
{
        struct tar_writer *t = (struct tar_writer *)w;
        int r = t->left ? -EINVAL : lsr_compress_stream(t->compress, tar_zeros, sizeof(tar_zeros));

        return r < 0 ? r : lsr_compress_finish(t->compress);
}

static void tar_free(struct lsr_writer *w)
{
        struct tar_writer *t = (struct tar_writer *)w;

        lsr_compress_free(t->compress);
        tar_blocks_free(&t->blocks);
        free(t);
}

/* A kind is a codec and its names. */
/* clang-format off */
#define TAR_KIND(id, title, codec, min, max, ...)                                                              \
        static int tar_open_##id(struct lsr_writer **ret_writer, struct lsr_output *out,                       \
                                 const struct lsr_writer_options *options)                                     \
        {                                                                                                      \
                return tar_open(ret_writer, out, options, &lsr_writer_##id, codec);                            \
        }                                                                                                      \
        const struct lsr_writer_kind lsr_writer_##id = {                                                       \
                .name = title,                                                                                 \
                .suffixes = (const char *const[]){ __VA_ARGS__, NULL },                                        \
                .level_min = min,                                                                              \
                .level_max = max,                                                                              \
                .hardlinks = true,                                                                             \
                .sparse = true,                                                                                \
                .appends = true,                                                                               \
                .open = tar_open_##id,                                                                         \
                .member = tar_member,                                                                          \
                .data = tar_data,                                                                              \
                .finish = tar_finish,                                                                          \
                .free = tar_free,                                                                              \
        }

/* clang-format on */
TAR_KIND(tar, "tar", NULL, 0, 0, ".tar");
TAR_KIND(tar_gzip, "tar.gz", &lsr_codec_gzip, 0, 12, ".tar.gz", ".tgz");
TAR_KIND(tar_xz, "tar.xz", &lsr_codec_xz, 0, 9, ".tar.xz", ".txz");
TAR_KIND(tar_bzip2, "tar.bz2", &lsr_codec_bzip2, 1, 9, ".tar.bz2", ".tbz2", ".tbz");
TAR_KIND(tar_lz4, "tar.lz4", &lsr_codec_lz4, 1, 12, ".tar.lz4", ".tlz4");
