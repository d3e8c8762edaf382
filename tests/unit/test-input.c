/* Inputs: what a peek gives at seams, at the end, at an error and after a seek. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/input.h"
#include "io/io.h"

#define INPUT_BYTES ((size_t)5 << 20)

/* Pieces of given sizes, in memory of their own each, then an end or an error. */
struct pieces {
        struct lsr_input in;
        const size_t *sizes; /* the last is 0, and the last but one is repeated */
        size_t turn;
        size_t made;
        size_t total;
        int error;
        unsigned errors; /* how often it was said */
        uint8_t *piece;
};

static uint8_t input_byte(size_t i)
{
        return (uint8_t)(i * 7 + i / 256 * 3 + i / 65536);
}

static ssize_t pieces_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct pieces *p = (struct pieces *)in;
        size_t n = p->sizes[p->turn];

        free(p->piece);
        p->piece = NULL;
        if (n > p->total - p->made)
                n = p->total - p->made;
        if (n == 0) {
                p->errors++;
                return p->error;
        }
        if (p->sizes[p->turn + 1])
                p->turn++;
        p->piece = malloc(n);
        for (size_t i = 0; i < n; i++)
                p->piece[i] = input_byte(p->made + i);
        p->made += n;
        *ret_data = p->piece;
        return (ssize_t)n;
}

static void pieces_free(struct lsr_input *in)
{
        free(((struct pieces *)in)->piece);
        free(in);
}

static const struct lsr_input_ops pieces_ops = { .next = pieces_next, .free = pieces_free };

static struct pieces *pieces_new(const size_t *sizes, size_t total, int error)
{
        struct pieces *p = lsr_input_alloc(sizeof(*p), &pieces_ops);

        p->sizes = sizes;
        p->total = total;
        p->error = error;
        return p;
}

static void input_check(const uint8_t *data, size_t n, size_t at)
{
        for (size_t i = 0; i < n; i++)
                cr_assert_eq(data[i], input_byte(at + i), "byte %zu is %u, not %u", at + i, data[i],
                             input_byte(at + i));
}

static uint8_t *input_bytes(size_t n)
{
        uint8_t *bytes = malloc(n);

        for (size_t i = 0; i < n; i++)
                bytes[i] = input_byte(i);
        return bytes;
}

static int input_temp(size_t n)
{
        char path[] = "/tmp/lsr-test-input-XXXXXX";
        int fd = mkstemp(path);
        uint8_t *bytes = input_bytes(n);

        unlink(path);
        cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
        free(bytes);
        return fd;
}

static const size_t input_ones[] = { 1, 0 };
static const size_t input_odd[] = { 3, 700, 1, 5000, 13, 0 };
static const size_t input_blocks[] = { 262144, 0 };

/* Whatever the pieces, peeks of all sizes give the same bytes. */
Test(input, seams)
{
        static const size_t *const shapes[] = { input_ones, input_odd, input_blocks };
        static const size_t peeks[] = { 1, 2, 512, 4095, 4096, 4097, 10000 };

        for (size_t s = 0; s < 3; s++)
                for (size_t k = 0; k < sizeof(peeks) / sizeof(*peeks); k++) {
                        size_t total = 600011, at = 0;
                        struct lsr_input *in = &pieces_new(shapes[s], total, 0)->in;

                        for (size_t turn = 0; at < total; turn++) {
                                const uint8_t *data;
                                size_t want = peeks[(k + turn) % (sizeof(peeks) / sizeof(*peeks))];
                                ssize_t got = lsr_input_peek(in, want, &data);
                                size_t take;

                                cr_assert_gt(got, 0);
                                cr_assert((size_t)got >= want || at + (size_t)got == total);
                                input_check(data, (size_t)got, at);
                                take = turn % 3 == 0 ? 1 : turn % 3 == 1 ? (size_t)got / 2 : (size_t)got;
                                lsr_input_take(in, take);
                                at += take;
                                cr_assert_eq(in->at, at);
                        }
                        cr_assert_eq(lsr_input_peek(in, 1, &(const uint8_t *){ NULL }), 0);
                        lsr_input_free(in);
                }
}

Test(input, peek_limits)
{
        struct lsr_input *in = &pieces_new(input_odd, INPUT_BYTES, 0)->in;
        const uint8_t *data;

        cr_assert_eq(lsr_input_peek(in, LSR_INPUT_PEEK_MAX + 1, &data), -EINVAL);
        cr_assert_eq(lsr_input_peek(in, LSR_INPUT_PEEK_MAX, &data), (ssize_t)LSR_INPUT_PEEK_MAX);
        input_check(data, LSR_INPUT_PEEK_MAX, 0);
        lsr_input_free(in);
        in = lsr_input_memory(NULL, 0);
        cr_assert_eq(lsr_input_peek(in, 0, &data), 0);
        cr_assert_eq(lsr_input_peek(in, 100, &data), 0);
        lsr_input_free(in);
}

/* Where the end is known, a peek for more than is left copies nothing and asks for nothing. */
Test(input, end_stays)
{
        static const size_t halves[] = { 5000, 0 };
        struct pieces *p = pieces_new(halves, 10000, 0);
        const uint8_t *data;

        p->in.size = 10000;
        cr_assert_eq(lsr_input_peek(&p->in, 1, &data), 5000);
        lsr_input_take(&p->in, 5000);
        cr_assert_eq(lsr_input_peek(&p->in, LSR_INPUT_PEEK_MAX, &data), 5000);
        cr_assert_eq(data, p->piece);
        cr_assert_eq(p->errors, 0);
        input_check(data, 5000, 5000);
        lsr_input_free(&p->in);
}

/* The bytes before an error can be had, whichever peek met it first. */
Test(input, error)
{
        for (size_t want = 1; want < 40; want++) {
                static const size_t sizes[] = { 5, 7, 3, 0 };
                struct pieces *p = pieces_new(sizes, 15, -EIO);
                const uint8_t *data;
                uint8_t buf[20];
                ssize_t got = lsr_input_peek(&p->in, want, &data);

                cr_assert_eq(got, want > 15 ? -EIO : want <= 5 ? 5 : (ssize_t)want, "%zd for %zu", got, want);
                cr_assert_eq(lsr_input_peek(&p->in, 16, &data), -EIO);
                cr_assert_eq(lsr_input_read(&p->in, buf, 15), 15);
                input_check(buf, 15, 0);
                cr_assert_eq(lsr_input_peek(&p->in, 1, &data), -EIO);
                cr_assert_eq(lsr_input_skip(&p->in, 1), -EIO);
                cr_assert_eq(lsr_input_read(&p->in, buf, 1), -EIO);
                cr_assert_eq(p->errors, 1);
                lsr_input_free(&p->in);
        }
}

Test(input, unread)
{
        for (size_t before = 0; before < 30; before++)
                for (size_t ahead = 1; ahead < 30; ahead++)
                        for (size_t back = 0; back <= before; back++) {
                                static const size_t sizes[] = { 5, 9, 0 };
                                struct lsr_input *in = &pieces_new(sizes, 60, 0)->in;
                                const uint8_t *data;
                                uint8_t buf[64];

                                cr_assert_eq(lsr_input_read(in, buf, before), (ssize_t)before);
                                cr_assert_geq(lsr_input_peek(in, ahead, &data), (ssize_t)ahead);
                                lsr_input_unread(in, buf + before - back, back);
                                cr_assert_eq(in->at, before - back);
                                lsr_input_unread(in, buf, before - back);
                                cr_assert_eq(in->at, 0);
                                cr_assert_eq(lsr_input_read(in, buf, 64), 60);
                                input_check(buf, 60, 0);
                                lsr_input_free(in);
                        }
}

Test(input, skip_pieces)
{
        for (size_t n = 0; n < 70; n++) {
                struct lsr_input *in = &pieces_new(input_odd, 60, 0)->in;
                const uint8_t *data;
                int r;

                cr_assert_eq(lsr_input_peek(in, 5, &data), 5);
                r = lsr_input_skip(in, n);
                cr_assert_eq(r, n > 60 ? -ENODATA : 0);
                cr_assert_eq(in->at, n > 60 ? 60 : n);
                if (n < 60) {
                        cr_assert_geq(lsr_input_peek(in, 1, &data), 1);
                        input_check(data, 1, n);
                }
                cr_assert_eq(lsr_input_seek(in, 0), -ESPIPE);
                cr_assert_eq(lsr_input_read_at(in, &(uint8_t){ 0 }, 1, 0), -ESPIPE);
                lsr_input_free(in);
        }
}

/* A random input, at @start already, is asked for everything. */
static void input_check_random(struct lsr_input *in, uint64_t total, size_t skew)
{
        static const int64_t steps[] = {
                0, 1, 511, -1, 300000, 2000000, -1999999, 5, 1500000, -2, 3, 1100000, -600000
        };
        uint64_t at = 0;
        const uint8_t *data;
        uint8_t buf[100];

        cr_assert(lsr_input_random(in));
        cr_assert_eq(in->size, total);
        for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
                ssize_t got;

                at = (uint64_t)((int64_t)at + steps[i]);
                /* Back and far by seek, forth by both. */
                if (steps[i] < 0 || i % 2)
                        cr_assert_eq(lsr_input_seek(in, at), 0);
                else
                        cr_assert_eq(lsr_input_skip(in, (uint64_t)steps[i]), 0);
                cr_assert_eq(in->at, at);
                cr_assert_eq(in->source_at, at);
                got = lsr_input_peek(in, i % 3 ? 1000 : 400000, &data);
                cr_assert_geq(got, 1000);
                input_check(data, (size_t)got, skew + at);
                cr_assert_eq(lsr_input_read_at(in, buf, 100, 77), 100);
                input_check(buf, 100, skew + 77);
                cr_assert_eq(in->at, at);
        }
        cr_assert_eq(lsr_input_read_at(in, buf, 100, total - 30), 30);
        cr_assert_eq(lsr_input_read_at(in, buf, 100, total), 0);
        cr_assert_eq(lsr_input_read_at(in, buf, 100, UINT64_MAX - 5), 0);
        /* The end, and beyond. */
        cr_assert_eq(lsr_input_seek(in, total), 0);
        cr_assert_eq(lsr_input_peek(in, 1, &data), 0);
        cr_assert_eq(lsr_input_seek(in, total - 3), 0);
        cr_assert_eq(lsr_input_peek(in, 10, &data), 3);
        cr_assert_eq(lsr_input_seek(in, total + 1), -ENODATA);
        cr_assert_eq(in->at, total);
        cr_assert_eq(lsr_input_peek(in, 1, &data), 0);
        cr_assert_eq(lsr_input_skip(in, UINT64_MAX), -ENODATA);
        cr_assert_eq(lsr_input_seek(in, UINT64_MAX), -ENODATA);
        cr_assert_eq(lsr_input_seek(in, 0), 0);
        cr_assert_eq(lsr_input_skip(in, total + 5), -ENODATA);
        cr_assert_eq(in->at, total);
        cr_assert_eq(lsr_input_seek(in, 10), 0);
        cr_assert_eq(lsr_input_skip(in, UINT64_MAX - 5), -ENODATA);
        cr_assert_eq(in->at, total);
        cr_assert_eq(lsr_input_seek(in, 0), 0);
        cr_assert_gt(lsr_input_peek(in, 1, &data), 0);
        input_check(data, 1, skew);
}

Test(input, memory)
{
        uint8_t *bytes = input_bytes(INPUT_BYTES);
        struct lsr_input *in = lsr_input_memory(bytes, INPUT_BYTES);

        input_check_random(in, INPUT_BYTES, 0);
        lsr_input_free(in);
        free(bytes);
}

/* One engine for the process of a test. */
static struct lsr_io *input_engine;

static struct lsr_io *input_io(void)
{
        if (!input_engine)
                cr_assert_eq(lsr_io_new(&input_engine, "sync"), 0);
        return input_engine;
}

static void input_io_free(void)
{
        input_engine = lsr_io_free(input_engine);
}

TestSuite(input, .fini = input_io_free);

Test(input, file)
{
        int fd = input_temp(INPUT_BYTES);
        struct lsr_input *in;

        cr_assert_eq(lsr_input_file(&in, input_io(), fd, 0, INPUT_BYTES), 0);
        input_check_random(in, INPUT_BYTES, 0);
        lsr_input_free(in);
        cr_assert_eq(lsr_input_file(&in, input_io(), fd, 1003, INPUT_BYTES - 2000), 0);
        input_check_random(in, INPUT_BYTES - 2000, 1003);
        lsr_input_free(in);
        cr_assert_eq(lsr_input_file(&in, input_io(), fd, 2, UINT64_MAX - 2), -EOVERFLOW);
        close(fd);
}

/* A file that is shorter than was said. */
Test(input, file_shrunk)
{
        int fd = input_temp(1000);
        struct lsr_input *in;
        const uint8_t *data;

        cr_assert_eq(lsr_input_file(&in, input_io(), fd, 0, 3000), 0);
        cr_assert_eq(lsr_input_peek(in, 2000, &data), 1000);
        cr_assert_eq(lsr_input_skip(in, 2000), -ENODATA);
        cr_assert_eq(in->at, 1000);
        lsr_input_free(in);
        close(fd);
}

Test(input, pipe)
{
        int fds[2];
        struct lsr_input *in;
        const uint8_t *data;
        uint8_t *bytes = input_bytes(3000);

        cr_assert_eq(pipe(fds), 0);
        cr_assert_eq(write(fds[1], bytes, 3000), 3000);
        close(fds[1]);
        cr_assert_eq(lsr_input_file(&in, input_io(), fds[0], 0, LSR_INPUT_UNKNOWN), 0);
        cr_assert_not(lsr_input_random(in));
        cr_assert_eq(in->size, LSR_INPUT_UNKNOWN);
        cr_assert_eq(lsr_input_skip(in, 100), 0);
        cr_assert_eq(lsr_input_peek(in, 5000, &data), 2900);
        input_check(data, 2900, 100);
        cr_assert_eq(lsr_input_seek(in, 0), -ESPIPE);
        cr_assert_eq(lsr_input_skip(in, 5000), -ENODATA);
        lsr_input_free(in);
        close(fds[0]);
        free(bytes);
}
