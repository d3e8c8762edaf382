/*
 * inflate/fast - the loop in which nearly all of a stream is decoded
 *
 * It runs as long as no single round can use up the input or the room, so that
 * nothing is checked within a round.  The bit buffer is filled by loads of
 * eight bytes, whose upper ones may be loaded again: `bits` counts what is valid
 * for sure, in its lowest byte, and there are 56 or more after each filling.
 *
 *      a round        takes at most
 *      literals       11 bits each; after three of them the buffer is filled
 *      a length       20 bits, after two literals; the first bits of the
 *                     distance are left, with which its entry is looked up
 *      a distance     28 bits, and the first bits of the next code are left
 *
 * So each lookup comes before the filling that stands behind it, and does not
 * wait for it: what takes the time is one entry waiting for the one before.
 * Instructions of BMI2 for the shifts were worth 2 %, and are not used.
 *
 * Symbols of two bytes are for guess.c: twice the distances and lengths, and
 * copies of bytes do the rest.
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/inflate/state.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static_assert(3 * INFLATE_LITLEN_BITS + INFLATE_LITLEN_BITS <= 56, "three literals, and the next one is looked up");
static_assert(2 * INFLATE_LITLEN_BITS + 20 + INFLATE_DISTANCE_BITS <= 56, "two literals, a length, and a distance is");
static_assert(28 + INFLATE_LITLEN_BITS <= 56, "a distance, and the next literal or length is looked up");

static ALWAYS_INLINE void copy_8(uint8_t *to, const uint8_t *from)
{
        uint64_t v;

        memcpy(&v, from, sizeof(v));
        memcpy(to, &v, sizeof(v));
}

static ALWAYS_INLINE void copy_16(uint8_t *to, const uint8_t *from)
{
        typedef uint64_t pair __attribute__((vector_size(16), may_alias, aligned(1)));

        *(pair *)to = *(const pair *)from;
}

/* The last @distance bytes, 1 to 7, as often as there is room for in eight, and how many bytes those are. */
static const struct {
        uint64_t factor;
        unsigned step;
} fast_patterns[8] = {
        { 0, 0 },
        { 0x0101010101010101, 8 },
        { 0x0001000100010001, 8 },
        { 0x0001000001000001, 6 },
        { 0x0000000100000001, 8 },
        { 0x0000010000000001, 5 },
        { 0x0001000000000001, 6 },
        { 0x0100000000000001, 7 },
};

/* May write INFLATE_COPY_BEYOND bytes more. */
static ALWAYS_INLINE void copy_match(uint8_t *out, unsigned distance, unsigned length)
{
        const uint8_t *from = out - distance;
        uint8_t *end = out + length;

        if (__builtin_expect(distance >= 16, 1)) {
                copy_16(out, from);
                copy_16(out + 16, from + 16);
                while (UNLIKELY(length > 32)) {
                        out += 32;
                        from += 32;
                        length -= 32;
                        copy_16(out, from);
                        copy_16(out + 16, from + 16);
                }
        } else if (distance >= 8) {
                do {
                        copy_8(out, from);
                        copy_8(out + 8, from + 8);
                        out += 16;
                        from += 16;
                } while (out < end);
        } else {
                uint64_t v = lsr_le64(from) & ((1ULL << 8 * distance) - 1);

                v *= fast_patterns[distance].factor;
                do {
                        lsr_put_le64(out, v);
                        out += fast_patterns[distance].step;
                } while (out < end);
        }
}

#define LOW(value, n) ((value) & ((1ULL << (n)) - 1))

#define FILL()                                      \
        do {                                        \
                buf |= lsr_le64(in) << (bits & 63); \
                in += 7 - (bits >> 3 & 7);          \
                bits |= 56;                         \
        } while (0)

#define TAKE(entry)                 \
        do {                        \
                buf >>= (entry)&63; \
                bits -= (entry);    \
        } while (0)

#define LITLEN() (litlen_table[LOW(buf, INFLATE_LITLEN_BITS)])
#define VALUE(entry) ((entry) >> INFLATE_VALUE_SHIFT)
#define CODE(entry) ((entry) >> INFLATE_CODE_SHIFT & INFLATE_CODE)
/* Value and extra bits of an entry, of which @saved are the bits. */
#define SUM(entry, saved) (VALUE(entry) + (unsigned)(LOW(saved, (entry)&63) >> CODE(entry)))

#define PUT(entry)                                     \
        do {                                           \
                uint16_t put = (uint16_t)VALUE(entry); \
                                                       \
                memcpy(out, &put, size);               \
                out += size;                           \
        } while (0)

/* @size of a symbol in bytes, 1 or 2; pointers into the output are those of bytes. */
static ALWAYS_INLINE int fast_run(struct lsr_inflate *z, const unsigned size)
{
        const uint32_t *const litlen_table = z->litlen_table, *const dist_table = z->dist_table;
        const uint8_t *in = z->in, *const in_end = z->in_end - INFLATE_FAST_IN;
        uint8_t *out = z->out, *const out_begin = z->out_begin, *const out_end = z->out_end - size * INFLATE_FAST_OUT;
        uint64_t buf = z->bits, saved;
        unsigned bits = z->n_bits, length, distance;
        uint32_t e, d;
        int r = 0;

        FILL();
        e = LITLEN();
        do {
                if (e & INFLATE_LITERAL) {
                        TAKE(e);
                        PUT(e);
                        e = LITLEN();
                        if (e & INFLATE_LITERAL) {
                                TAKE(e);
                                PUT(e);
                                e = LITLEN();
                                if (e & INFLATE_LITERAL) {
                                        TAKE(e);
                                        PUT(e);
                                        e = LITLEN();
                                        FILL();
                                        continue;
                                }
                        }
                }
                if (UNLIKELY(e & INFLATE_OTHER)) {
                        if ((e & INFLATE_KIND) == INFLATE_LINK) {
                                TAKE(e);
                                e = litlen_table[VALUE(e) + LOW(buf, CODE(e))];
                        }
                        if (e & INFLATE_LITERAL) {
                                TAKE(e);
                                PUT(e);
                                e = LITLEN();
                                FILL();
                                continue;
                        }
                        if (e & INFLATE_OTHER) {
                                TAKE(e);
                                r = (e & INFLATE_KIND) == INFLATE_END ? 1 : -1;
                                break;
                        }
                }
                saved = buf;
                TAKE(e);
                length = SUM(e, saved);
                d = dist_table[LOW(buf, INFLATE_DISTANCE_BITS)];
                FILL();
                if (UNLIKELY(d & INFLATE_OTHER)) {
                        if ((d & INFLATE_KIND) == INFLATE_LINK) {
                                TAKE(d);
                                d = dist_table[VALUE(d) + LOW(buf, CODE(d))];
                        }
                        if (d & INFLATE_OTHER) {
                                r = -1;
                                break;
                        }
                }
                saved = buf;
                TAKE(d);
                distance = SUM(d, saved);
                e = LITLEN();
                FILL();
                if (size == 1 && UNLIKELY(distance > (size_t)(out - out_begin))) {
                        size_t before = distance - (size_t)(out - out_begin);
                        unsigned n;

                        if (before > z->n_history) {
                                r = -1;
                                break;
                        }
                        n = lsr_inflate_from_history(z, out, length, before);
                        out += n;
                        length -= n;
                        if (length == 0)
                                continue;
                }
                copy_match(out, distance * size, length * size);
                out += length * size;
        } while (in < in_end && out < out_end);

        bits &= 0xff;
        in -= bits >> 3;
        bits &= 7;
        z->in = in;
        z->out = out;
        z->bits = LOW(buf, bits);
        z->n_bits = bits;
        return r;
}

int lsr_inflate_fast(struct lsr_inflate *z)
{
        return fast_run(z, 1);
}

int lsr_inflate_fast_wide(struct lsr_inflate *z)
{
        return fast_run(z, 2);
}
