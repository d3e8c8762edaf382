/*
 * inflate - our inflater beside zlib: the same decision, after the same bytes, wherever input and output are cut
 *
 * The first two bytes say into which pieces.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "formats/filter/decode-ahead.h"
#include "formats/filter/inflate.h"
#include "formats/inflate/stream.h"
#include "fuzz.h"

#define ROOM ((size_t)1 << 18)

static int inflate_zlib(const uint8_t *data, size_t n, uint8_t *out, size_t *ret_used, size_t *ret_made)
{
        z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (unsigned)n };
        int r;

        z.next_out = out;
        z.avail_out = (unsigned)ROOM;
        fuzz_check(inflateInit2(&z, -MAX_WBITS) == Z_OK);
        r = inflate(&z, Z_NO_FLUSH);
        *ret_used = n - z.avail_in;
        *ret_made = ROOM - z.avail_out;
        inflateEnd(&z);
        return r == Z_STREAM_END ? 1 : r == Z_DATA_ERROR ? -EBADMSG : 0;
}

static int inflate_ours(const uint8_t *data, size_t n, size_t in_piece, size_t out_piece, uint8_t *out,
                        size_t *ret_used, size_t *ret_made)
{
        struct lsr_inflate *z = lsr_inflate_new();
        size_t at = 0, made = 0;
        unsigned idle = 0;
        int r = 0;

        while (r == 0 && idle < 2) {
                size_t in_n = in_piece < n - at ? in_piece : n - at,
                       out_n = out_piece < ROOM - made ? out_piece : ROOM - made;
                /* In memory of their own, so that a sanitizer sees what is read or written beside them. */
                uint8_t *in = lsr_xmalloc(in_n + 1), *part = lsr_xmalloc(out_n + 1);
                struct lsr_flow flow = { in + 1, in_n, part + 1, out_n, at + in_n == n };

                memcpy(in + 1, data + at, in_n);
                r = lsr_inflate_step(z, &flow);
                fuzz_check(r == 0 || r == 1 || r == -EBADMSG);
                fuzz_check(flow.in_left <= in_n && flow.out_left <= out_n);
                memcpy(out + made, part + 1, out_n - flow.out_left);
                idle = flow.in_left == in_n && flow.out_left == out_n ? idle + 1 : 0;
                at += in_n - flow.in_left;
                made += out_n - flow.out_left;
                free(in);
                free(part);
        }
        lsr_inflate_free(z);
        *ret_used = at;
        *ret_made = made;
        return r;
}

int fuzz_inflate(const uint8_t *data, size_t n)
{
        static uint8_t theirs[ROOM], ours[ROOM];
        size_t used[2], made[2], in_piece, out_piece;
        int r;

        if (n < 2)
                return 0;
        in_piece = data[0] % 64 == 0 ? n : (size_t)data[0] * data[0];
        out_piece = data[1] % 64 == 0 ? ROOM : (size_t)data[1] * data[1] * 4;
        /* A byte at a time of what makes a quarter of a million takes too long to be worth it. */
        if (n > 4096)
                in_piece += 1000;
        if (made[0] = 0, out_piece < 64)
                out_piece = 64 + out_piece;
        data += 2;
        n -= 2;
        r = inflate_zlib(data, n, theirs, &used[0], &made[0]);
        fuzz_check(inflate_ours(data, n, in_piece, out_piece, ours, &used[1], &made[1]) == r);
        fuzz_check(made[0] == made[1] && memcmp(theirs, ours, made[0]) == 0);
        fuzz_check(r != 1 || used[0] == used[1]);
        if (r == 1) {
                uint8_t *whole = lsr_xmalloc(made[0] + 1);

                fuzz_check(lsr_inflate_buffer(LSR_DEFLATE_RAW, data, n, whole, made[0], &used[1], &made[1]) == 0);
                fuzz_check(used[0] == used[1] && made[0] == made[1] && memcmp(whole, theirs, made[0]) == 0);
                free(whole);
        }
        return 0;
}
