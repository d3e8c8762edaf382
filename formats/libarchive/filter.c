/*
 * filter - .Z files, made by compress(1)
 *
 * libarchive's decoder, with its raw format, which has all data as one member.
 * There is no checksum and no length, so only the reader of the data can
 * notice truncation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/filter/decode-ahead.h"
#include "formats/drivers.h"
#include "formats/libarchive/libarchive.h"

#define UNPACK_BITS_MIN 9u
#define UNPACK_BITS_MAX 16u

struct unpack {
        struct lsr_decoder d;
        struct archive *a;
        bool open;
        int error;        /* of the input; 0: none */
        const void *data; /* decoded, in memory of the archive */
        size_t n;
};

/* A code and more behind the header. */
static bool unpack_probe(const uint8_t *head, size_t n)
{
        unsigned bits = n > 4 ? head[2] & 0x7fu : 0;

        return bits >= UNPACK_BITS_MIN && bits <= UNPACK_BITS_MAX && head[0] == 0x1f && head[1] == 0x9d;
}

static la_ssize_t unpack_on_read(struct archive *a, void *ctx, const void **ret_data)
{
        struct unpack *u = ctx;
        const uint8_t *data;
        ssize_t got = lsr_decoder_peek(&u->d, 1, &data);

        if (got < 0) {
                u->error = (int)got;
                return ARCHIVE_FATAL;
        }
        lsr_input_take(u->d.inner, (size_t)got);
        *ret_data = data;
        return got;
}

static int unpack_next(struct unpack *u)
{
        struct archive_entry *e;
        la_int64_t offset;

        if (!u->open && (archive_read_open1(u->a) != ARCHIVE_OK || archive_read_next_header(u->a, &e) != ARCHIVE_OK))
                return ARCHIVE_FATAL;
        u->open = true;
        return archive_read_data_block(u->a, &u->data, &u->n, &offset);
}

static int unpack_decode(struct lsr_decoder *d, uint8_t *buf, size_t size, size_t *ret_n)
{
        struct unpack *u = (struct unpack *)d;
        int r = u->n ? ARCHIVE_OK : unpack_next(u);

        *ret_n = 0;
        if (r == ARCHIVE_EOF)
                return 1;
        if (r != ARCHIVE_OK)
                return u->error ? u->error : lsr_decoder_damaged(d);
        if (size > u->n)
                size = u->n;
        memcpy(buf, u->data, size);
        u->data = (const uint8_t *)u->data + size;
        u->n -= size;
        *ret_n = size;
        return 0;
}

static void unpack_free(struct lsr_decoder *d)
{
        archive_read_free(((struct unpack *)d)->a);
        lsr_input_free(d->inner);
        free(d);
}

static const struct lsr_decoder_ops unpack_ops = {
        .decode = unpack_decode,
        .free = unpack_free,
};

static int unpack_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max)
{
        struct archive *a = archive_read_new();
        struct unpack *u;

        if (!a)
                return -ENOMEM;
        u = lsr_xmalloc(sizeof(*u));
        *u = (struct unpack){ .d = { .ops = &unpack_ops, .name = "compress", .inner = inner }, .a = a };
        archive_read_support_filter_compress(a);
        archive_read_support_format_raw(a);
        archive_read_set_read_callback(a, unpack_on_read);
        archive_read_set_callback_data(a, u);
        *ret_input = lsr_ahead_new(&u->d);
        return 0;
}

const struct lsr_filter lsr_filter_compress = {
        .name = "compress",
        .suffixes = (const char *const[]){ ".Z", ".taZ", NULL },
        .probe = unpack_probe,
        .verifies = lsr_verifies_nothing,
        .open = unpack_open,
};
