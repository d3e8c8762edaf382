/* Output in pieces: levels, contexts that are not to be had, pieces that fail, and outputs that are full. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/filter/compress.h"
#include "formats/writer.h"

/* --- a codec that copies, and fails over a '!' ------------------------------------- */

static int fake_contexts; /* that there are still */
static int fake_freed;

static void *fake_new(int level)
{
        return fake_contexts-- > 0 ? malloc(1) : NULL;
}

static void fake_free(void *context)
{
        fake_freed++;
        free(context);
}

static size_t fake_bound(void *context, size_t n)
{
        return n + 1;
}

static size_t fake_compress(void *context, const void *data, size_t n, void *out, size_t out_size)
{
        cr_assert_lt(n, out_size);
        if (memchr(data, '!', n))
                return 0;
        memcpy(out, data, n);
        return n;
}

#define FAKE_PIECE ((size_t)1000)

static const struct lsr_codec fake = {
        .level_max = 1,
        .piece = FAKE_PIECE,
        .new = fake_new,
        .free = fake_free,
        .bound = fake_bound,
        .compress = fake_compress,
};

static int output_file(struct lsr_output *out)
{
        int fd = memfd_create("compressed", MFD_CLOEXEC);

        cr_assert_geq(fd, 0);
        lsr_output_init(out, fd);
        return fd;
}

/* What is in it is @want, and it is closed. */
static void output_expect(struct lsr_output *out, const char *want, size_t n)
{
        char *got = malloc(n + 2);

        cr_expect_eq(pread(out->fd, got, n + 1, 0), (ssize_t)n);
        cr_expect(memcmp(got, want, n) == 0);
        free(got);
        lsr_output_free(out);
        close(out->fd);
}

/* --- opening ------------------------------------------------------------------------ */

Test(compress, bad_levels)
{
        static const struct lsr_codec *const codecs[] = { &lsr_codec_zstd, &lsr_codec_gzip, &lsr_codec_xz,
                                                          &lsr_codec_bzip2, &lsr_codec_lz4 };
        struct lsr_compress *c;
        struct lsr_output out;
        uint8_t *data;
        size_t n;

        lsr_output_init(&out, -1);
        for (size_t i = 0; i < sizeof(codecs) / sizeof(*codecs); i++) {
                int below = codecs[i]->level_min - 1, above = codecs[i]->level_max + 1;

                cr_expect_eq(lsr_compress_new(&c, codecs[i], below, 2, &out), -EINVAL);
                cr_expect_eq(lsr_compress_new(&c, codecs[i], above, 2, &out), -EINVAL);
                cr_expect_eq(lsr_codec_buffer(codecs[i], below, "x", 1, &data, &n), -EINVAL);
                cr_expect_eq(lsr_codec_buffer(codecs[i], above, "x", 1, &data, &n), -EINVAL);
        }
}

/* Those that were made before are freed. */
Test(compress, contexts_run_out)
{
        struct lsr_compress *c;
        struct lsr_output out;
        uint8_t *data;
        size_t n;

        lsr_output_init(&out, -1);
        for (int have = 0; have < 3; have++) {
                fake_contexts = have;
                fake_freed = 0;
                cr_expect_eq(lsr_compress_new(&c, &fake, 1, 3, &out), -ENOMEM);
                cr_expect_eq(fake_freed, have);
        }
        fake_contexts = 0;
        cr_expect_eq(lsr_codec_buffer(&fake, 1, "x", 1, &data, &n), -ENOMEM);
        cr_assert_null(lsr_compress_free(NULL));
}

/* --- pieces ------------------------------------------------------------------------- */

struct told {
        size_t n, pieces;
        char text[8000];
};

static void tell(void *ctx, size_t n, const uint8_t *packed, size_t packed_n)
{
        struct told *t = ctx;

        cr_assert_eq(n, packed_n);
        cr_assert_leq(t->n + n, sizeof(t->text));
        memcpy(t->text + t->n, packed, n);
        t->n += n;
        t->pieces++;
}

/* Whatever the number of threads, and however it is handed in: one after another, and told so. */
Test(compress, pieces_in_order)
{
        char text[7500];

        for (size_t i = 0; i < sizeof(text); i++)
                text[i] = (char)('a' + i * 7 % 23);
        for (unsigned threads = 0; threads < 5; threads++)
                for (size_t step = 1; step < 9000; step *= 7) {
                        struct told told = {};
                        struct lsr_compress *c;
                        struct lsr_output out;

                        fake_contexts = 10;
                        output_file(&out);
                        cr_assert_eq(lsr_compress_new(&c, &fake, LSR_LEVEL_DEFAULT, threads, &out), 0);
                        lsr_compress_tell(c, tell, &told);
                        for (size_t at = 0; at < sizeof(text); at += step)
                                cr_assert_eq(lsr_compress_stream(c, text + at,
                                                                 sizeof(text) - at < step ? sizeof(text) - at : step),
                                             0);
                        cr_expect_eq(lsr_compress_held(c), 500);
                        cr_assert_eq(lsr_compress_finish(c), 0);
                        lsr_compress_free(c);
                        cr_expect_eq(told.pieces, 8);
                        cr_expect(told.n == sizeof(text) && memcmp(told.text, text, told.n) == 0);
                        output_expect(&out, text, sizeof(text));
                }
}

/* Those before it are written, nothing behind it is, and whoever goes on hears of it again. */
Test(compress, bad_piece)
{
        char text[5000];

        memset(text, 'x', sizeof(text));
        text[2500] = '!';
        for (unsigned threads = 1; threads < 4; threads++) {
                struct told told = {};
                struct lsr_compress *c;
                struct lsr_output out;

                fake_contexts = 10;
                output_file(&out);
                cr_assert_eq(lsr_compress_new(&c, &fake, 0, threads, &out), 0);
                lsr_compress_tell(c, tell, &told);
                lsr_compress_stream(c, text, sizeof(text));
                cr_expect_eq(lsr_compress_finish(c), -ENOMEM);
                cr_expect_eq(lsr_compress_stream(c, "more", 4), -ENOMEM);
                cr_expect_eq(lsr_compress_cut(c), -ENOMEM);
                cr_expect_eq(lsr_compress_finish(c), -ENOMEM);
                cr_expect_eq(told.n, 2000);
                lsr_compress_free(c);
                output_expect(&out, text, 2000);
        }
        {
                uint8_t *data;
                size_t n;

                fake_contexts = 1;
                cr_expect_eq(lsr_codec_buffer(&fake, 0, "!", 1, &data, &n), -ENOMEM);
        }
}

/* A disk that is full: the reason stays what it was, and nobody is told of what is not written. */
Test(compress, full_output)
{
        static char text[4 << 20];
        struct told told = {};
        struct lsr_compress *c;
        struct lsr_output out;

        memset(text, 'x', sizeof(text));
        fake_contexts = 10;
        lsr_output_init(&out, open("/dev/full", O_WRONLY | O_CLOEXEC));
        cr_assert_eq(lsr_compress_new(&c, &fake, 0, 2, &out), 0);
        cr_expect_eq(lsr_compress_stream(c, text, sizeof(text)), -ENOSPC);
        lsr_compress_tell(c, tell, &told);
        cr_expect_eq(lsr_compress_stream(c, text, 3000), -ENOSPC);
        cr_expect_eq(lsr_compress_finish(c), -ENOSPC);
        cr_expect_eq(told.pieces, 0);
        lsr_compress_free(c);
        lsr_output_free(&out);
        close(out.fd);
}

Test(compress, nothing_compressed)
{
        struct lsr_compress *c;
        struct lsr_output out;

        output_file(&out);
        cr_assert_eq(lsr_compress_new(&c, NULL, LSR_LEVEL_DEFAULT, 3, &out), 0);
        cr_expect_eq(lsr_compress_stream(c, "as it ", 6), 0);
        cr_expect_eq(lsr_compress_stream(c, "is", 2), 0);
        cr_expect_eq(lsr_compress_finish(c), 0);
        lsr_compress_free(c);
        output_expect(&out, "as it is", 8);
}

/* --- codecs that cut nothing --------------------------------------------------------- */

static int streamed; /* calls */

static void *stream_none(int level, unsigned threads)
{
        return NULL;
}

static void *stream_new(int level, unsigned threads)
{
        return malloc(1);
}

static int stream_fails(void *context, const void *data, size_t n, struct lsr_output *out)
{
        return ++streamed == 2 ? -EIO : 0;
}

Test(compress, bad_stream)
{
        struct lsr_codec codec = { .level_max = 1, .free = free, .stream_new = stream_none, .stream = stream_fails };
        struct lsr_compress *c;
        struct lsr_output out;

        lsr_output_init(&out, -1);
        cr_expect_eq(lsr_compress_new(&c, &codec, 0, 2, &out), -ENOMEM);
        codec.stream_new = stream_new;
        cr_assert_eq(lsr_compress_new(&c, &codec, 0, 2, &out), 0);
        cr_expect_eq(lsr_compress_stream(c, "", 0), 0);
        cr_expect_eq(streamed, 0);
        cr_expect_eq(lsr_compress_stream(c, "one", 3), 0);
        cr_expect_eq(lsr_compress_stream(c, "two", 3), -EIO);
        /* Where it failed it is not asked again. */
        cr_expect_eq(lsr_compress_stream(c, "three", 5), -EIO);
        cr_expect_eq(lsr_compress_finish(c), -EIO);
        cr_expect_eq(streamed, 2);
        lsr_compress_free(c);
}

/* An .xz is told how long threads take, and its output may be full. */
static void waited(void *ctx, uint64_t held)
{
        ++*(unsigned *)ctx;
}

Test(compress, xz_tells_of_waiting)
{
        static char text[100000];
        unsigned told = 0;
        struct lsr_compress *c;
        struct lsr_output out;

        output_file(&out);
        out.waiting = waited;
        out.ctx = &told;
        cr_assert_eq(lsr_compress_new(&c, &lsr_codec_xz, 0, 2, &out), 0);
        cr_expect_eq(lsr_compress_stream(c, text, sizeof(text)), 0);
        cr_expect_eq(lsr_compress_finish(c), 0);
        cr_expect_gt(told, 1);
        lsr_compress_free(c);
        lsr_output_free(&out);
        close(out.fd);
}

Test(compress, xz_on_a_full_disk)
{
        static uint8_t noise[5 << 20];
        uint32_t state = 1;
        struct lsr_compress *c;
        struct lsr_output out;

        for (size_t i = 0; i < sizeof(noise); i++)
                noise[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
        lsr_output_init(&out, open("/dev/full", O_WRONLY | O_CLOEXEC));
        cr_assert_eq(lsr_compress_new(&c, &lsr_codec_xz, 0, 2, &out), 0);
        lsr_compress_stream(c, noise, sizeof(noise));
        cr_expect_eq(lsr_compress_finish(c), -ENOSPC);
        lsr_compress_free(c);
        lsr_output_free(&out);
        close(out.fd);
}
