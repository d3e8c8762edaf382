/*
 * inflate/stream - the states of a stream, and symbols at the edges of buffers
 *
 * Our own, because nothing packaged streams at what the hardware gives: zlib
 * takes 2.2 times as long, and libdeflate, which is as fast, wants all of the
 * input and room for all of the output.  (200 MB of /usr/lib by gzip -6, in
 * pieces of 256 KiB, processor time: 0.23 s; zlib 1.2.13 0.52 s; libdeflate
 * 1.14 in one piece 0.23 s.)
 *
 * Where there is much of both, fast.c decodes.  At the edges, here, nothing is
 * used before all of an item is there, a code with its extra bits.  When room
 * is missing, and at the end of the stream, whole bytes of the bit buffer are
 * given back, so that nothing is taken from behind the stream.  When input is
 * missing all stays: it is the beginning of an item that is not complete.
 *
 * A match may begin before the buffer of the call, so the last 32 KiB are kept.
 */
#include "formats/inflate/stream.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/filter/decode-ahead.h"
#include "formats/inflate/state.h"

struct lsr_inflate *lsr_inflate_new(void)
{
        struct lsr_inflate *z = lsr_xmalloc(sizeof(*z));

        lsr_inflate_reset(z);
        return z;
}

struct lsr_inflate *lsr_inflate_free(struct lsr_inflate *z)
{
        free(z);
        return NULL;
}

void lsr_inflate_reset(struct lsr_inflate *z)
{
        z->state = INFLATE_HEAD;
        z->last = z->fixed = false;
        z->bits = 0;
        z->n_bits = 0;
        z->taken = 0;
        z->block_begin = 0;
        z->halt = UINT64_MAX;
        z->n_history = 0;
}

/* --- bits ----------------------------------------------------------------------- */

/* Are there @n bits, 32 at most? */
static inline bool bits_need(struct lsr_inflate *z, unsigned n)
{
        if (z->n_bits < n && z->in_end - z->in >= 8) {
                z->bits |= lsr_le64(z->in) << z->n_bits;
                z->in += 7 - (z->n_bits >> 3);
                z->n_bits |= 56;
        }
        while (z->n_bits < n) {
                if (z->in == z->in_end)
                        return false;
                z->bits |= (uint64_t)*z->in++ << z->n_bits;
                z->n_bits += 8;
        }
        return true;
}

static inline unsigned bits_look(const struct lsr_inflate *z, unsigned n)
{
        return (unsigned)(z->bits & ((1ULL << n) - 1));
}

static inline void bits_take(struct lsr_inflate *z, unsigned n)
{
        z->bits >>= n;
        z->n_bits -= n;
}

void lsr_inflate_give_back(struct lsr_inflate *z)
{
        size_t n = z->n_bits / 8, taken = (size_t)(z->in - z->in_begin);

        n = n < taken ? n : taken;
        z->in -= n;
        z->n_bits -= 8 * (unsigned)n;
        z->bits &= (1ULL << z->n_bits) - 1;
}

/* In the input, from its beginning. */
static uint64_t bits_at(const struct lsr_inflate *z)
{
        return (z->taken + (uint64_t)(z->in - z->in_begin)) * 8 - z->n_bits;
}

/* --- heads of blocks -------------------------------------------------------------- */

static void make_fixed(struct lsr_inflate *z)
{
        z->state = INFLATE_SYMBOL;
        if (z->fixed)
                return;
        memset(z->lengths, 8, 144);
        memset(z->lengths + 144, 9, 112);
        memset(z->lengths + 256, 7, 24);
        memset(z->lengths + 280, 8, 8);
        lsr_inflate_table(z->litlen_table, z->lengths, INFLATE_LITLENS, INFLATE_KIND_LITLEN);
        memset(z->lengths, 5, INFLATE_DISTANCES);
        lsr_inflate_table(z->dist_table, z->lengths, INFLATE_DISTANCES, INFLATE_KIND_DISTANCE);
        z->fixed = true;
}

static int on_head(struct lsr_inflate *z)
{
        unsigned kind;

        if (!bits_need(z, 3))
                return INFLATE_HUNGRY;
        kind = bits_look(z, 3);
        z->block_begin = bits_at(z);
        /* The bits before the length of a stored block are zeros and say nothing of where among them it begins. */
        if (kind == 0)
                z->block_begin = ((z->block_begin + 3 + 7) & ~(uint64_t)7) - 3;
        if (z->block_begin >= z->halt)
                return INFLATE_HALT;
        bits_take(z, 3);
        z->last = kind & 1;
        switch (kind >> 1) {
        case 0:
                bits_take(z, z->n_bits & 7);
                z->state = INFLATE_STORED_HEAD;
                return INFLATE_ON;
        case 1:
                make_fixed(z);
                return INFLATE_ON;
        case 2:
                z->fixed = false;
                z->state = INFLATE_DYNAMIC_HEAD;
                return INFLATE_ON;
        default:
                return INFLATE_WRONG;
        }
}

static int on_stored_head(struct lsr_inflate *z)
{
        unsigned n;

        if (!bits_need(z, 32))
                return INFLATE_HUNGRY;
        n = bits_look(z, 32);
        if ((n & 0xffff) != (~n >> 16))
                return INFLATE_WRONG;
        bits_take(z, 32);
        lsr_inflate_give_back(z);
        assert(z->n_bits == 0);
        z->length = n & 0xffff;
        z->state = INFLATE_STORED;
        return INFLATE_ON;
}

static int on_stored(struct lsr_inflate *z)
{
        size_t n = z->length, in = (size_t)(z->in_end - z->in), room = (size_t)(z->out_end - z->out);

        n = n < in ? n : in;
        n = n < room ? n : room;
        if (n)
                memcpy(z->out, z->in, n);
        z->in += n;
        z->out += n;
        z->length -= (unsigned)n;
        if (z->length)
                return z->in == z->in_end ? INFLATE_HUNGRY : INFLATE_FULL;
        z->state = z->last ? INFLATE_TAIL : INFLATE_HEAD;
        return INFLATE_ON;
}

static int on_dynamic_head(struct lsr_inflate *z)
{
        unsigned v;

        if (!bits_need(z, 14))
                return INFLATE_HUNGRY;
        v = bits_look(z, 14);
        bits_take(z, 14);
        z->n_litlens = 257 + (v & 31);
        z->n_distances = 1 + (v >> 5 & 31);
        z->n_orders = 4 + (v >> 10);
        if (z->n_litlens > 286 || z->n_distances > 30)
                return INFLATE_WRONG;
        z->have = 0;
        memset(z->lengths, 0, INFLATE_ORDERS);
        z->state = INFLATE_DYNAMIC_ORDERS;
        return INFLATE_ON;
}

static int on_dynamic_orders(struct lsr_inflate *z)
{
        static const uint8_t order[INFLATE_ORDERS] = {
                16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
        };

        while (z->have < z->n_orders) {
                if (!bits_need(z, 3))
                        return INFLATE_HUNGRY;
                z->lengths[order[z->have++]] = (uint8_t)bits_look(z, 3);
                bits_take(z, 3);
        }
        if (!lsr_inflate_table(z->orders, z->lengths, INFLATE_ORDERS, INFLATE_KIND_ORDER))
                return INFLATE_WRONG;
        z->have = 0;
        z->state = INFLATE_DYNAMIC_LENGTHS;
        return INFLATE_ON;
}

/* 16: the length before, 3 to 6 times; 17: 0, 3 to 10 times; 18: 0, 11 to 138 times. */
static int dynamic_repeat(struct lsr_inflate *z, unsigned order, unsigned n_code)
{
        unsigned extra = order == 16 ? 2 : order == 17 ? 3 : 7, n;

        if (!bits_need(z, n_code + extra))
                return INFLATE_HUNGRY;
        n = (order == 18 ? 11 : 3) + (bits_look(z, n_code + extra) >> n_code);
        if ((order == 16 && z->have == 0) || n > z->n_litlens + z->n_distances - z->have)
                return INFLATE_WRONG;
        memset(z->lengths + z->have, order == 16 ? z->lengths[z->have - 1] : 0, n);
        z->have += n;
        bits_take(z, n_code + extra);
        return INFLATE_ON;
}

static int on_dynamic_lengths(struct lsr_inflate *z)
{
        while (z->have < z->n_litlens + z->n_distances) {
                uint32_t e;
                unsigned n, order;

                bits_need(z, INFLATE_ORDER_BITS); /* or what is left: a code may be shorter */
                e = z->orders[bits_look(z, INFLATE_ORDER_BITS)];
                n = e & INFLATE_ALL;
                order = e >> INFLATE_VALUE_SHIFT;
                if (n > z->n_bits)
                        return INFLATE_HUNGRY;
                if (order < 16) {
                        z->lengths[z->have++] = (uint8_t)order;
                        bits_take(z, n);
                } else {
                        int r = dynamic_repeat(z, order, n);

                        if (r != INFLATE_ON)
                                return r;
                }
        }
        if (z->lengths[INFLATE_END_OF_BLOCK] == 0 ||
            !lsr_inflate_table(z->litlen_table, z->lengths, z->n_litlens, INFLATE_KIND_LITLEN) ||
            !lsr_inflate_table(z->dist_table, z->lengths + z->n_litlens, z->n_distances, INFLATE_KIND_DISTANCE))
                return INFLATE_WRONG;
        z->state = INFLATE_SYMBOL;
        return INFLATE_ON;
}

/* --- symbols ---------------------------------------------------------------------- */

/* What comes next, with the bits of a link and extra bits, none of which are taken; it is no link. */
static int look_entry(struct lsr_inflate *z, const uint32_t *table, unsigned index_bits, uint32_t *ret_entry,
                      unsigned *ret_value, unsigned *ret_bits)
{
        unsigned link = 0, n, code;
        uint32_t e;

        bits_need(z, INFLATE_CODE_MAX); /* or what is left */
        e = table[bits_look(z, index_bits)];
        if ((e & INFLATE_KIND) == INFLATE_LINK) {
                link = index_bits;
                n = e >> INFLATE_CODE_SHIFT & INFLATE_CODE;
                e = table[(e >> INFLATE_VALUE_SHIFT) + (bits_look(z, index_bits + n) >> index_bits)];
        }
        code = link + (e >> INFLATE_CODE_SHIFT & INFLATE_CODE);
        n = link + (e & INFLATE_ALL);
        if (code > z->n_bits)
                return INFLATE_HUNGRY;
        /* What is invalid is so without its extra bits. */
        if ((e & INFLATE_KIND) == INFLATE_INVALID)
                return INFLATE_WRONG;
        if (!bits_need(z, n))
                return INFLATE_HUNGRY;
        *ret_entry = e;
        *ret_value = (e >> INFLATE_VALUE_SHIFT) + (bits_look(z, n) >> code);
        *ret_bits = n;
        return INFLATE_ON;
}

static int edge_symbol(struct lsr_inflate *z)
{
        unsigned value = 0, n = 0;
        uint32_t e = 0;
        int r = look_entry(z, z->litlen_table, INFLATE_LITLEN_BITS, &e, &value, &n);

        if (r != INFLATE_ON)
                return r;
        if (e & INFLATE_LITERAL) {
                if (z->out == z->out_end)
                        return INFLATE_FULL;
                *z->out++ = (uint8_t)value;
        } else if ((e & INFLATE_KIND) == INFLATE_END) {
                z->state = z->last ? INFLATE_TAIL : INFLATE_HEAD;
        } else {
                z->length = value;
                z->state = INFLATE_DISTANCE;
        }
        bits_take(z, n);
        return INFLATE_ON;
}

static int on_symbol(struct lsr_inflate *z)
{
        if (z->in_end - z->in >= (ptrdiff_t)INFLATE_FAST_IN && z->out_end - z->out >= (ptrdiff_t)INFLATE_FAST_OUT) {
                int r = lsr_inflate_fast(z);

                if (r > 0)
                        z->state = z->last ? INFLATE_TAIL : INFLATE_HEAD;
                return r < 0 ? INFLATE_WRONG : INFLATE_ON;
        }
        return edge_symbol(z);
}

static int on_distance(struct lsr_inflate *z)
{
        unsigned n = 0;
        uint32_t e;
        int r = look_entry(z, z->dist_table, INFLATE_DISTANCE_BITS, &e, &z->distance, &n);

        if (r != INFLATE_ON)
                return r;
        bits_take(z, n);
        z->state = INFLATE_MATCH;
        return INFLATE_ON;
}

unsigned lsr_inflate_from_history(struct lsr_inflate *z, uint8_t *out, unsigned length, size_t before)
{
        unsigned n = length < before ? length : (unsigned)before;

        memcpy(out, z->history + z->n_history - before, n);
        return n;
}

static int on_match(struct lsr_inflate *z)
{
        size_t room = (size_t)(z->out_end - z->out), made = (size_t)(z->out - z->out_begin);
        unsigned n = z->length < room ? z->length : (unsigned)room;

        if (n == 0)
                return INFLATE_FULL;
        if (z->distance > made + z->n_history)
                return INFLATE_WRONG;
        z->length -= n;
        if (z->distance > made) {
                unsigned old = lsr_inflate_from_history(z, z->out, n, z->distance - made);

                z->out += old;
                n -= old;
        }
        for (; n > 0; n--, z->out++)
                *z->out = z->out[-(ptrdiff_t)z->distance];
        if (z->length)
                return INFLATE_FULL;
        z->state = INFLATE_SYMBOL;
        return INFLATE_ON;
}

/* --- a call ------------------------------------------------------------------------- */

int lsr_inflate_state(struct lsr_inflate *z)
{
        switch (z->state) {
        case INFLATE_HEAD:
                return on_head(z);
        case INFLATE_STORED_HEAD:
                return on_stored_head(z);
        case INFLATE_STORED:
                return on_stored(z);
        case INFLATE_DYNAMIC_HEAD:
                return on_dynamic_head(z);
        case INFLATE_DYNAMIC_ORDERS:
                return on_dynamic_orders(z);
        case INFLATE_DYNAMIC_LENGTHS:
                return on_dynamic_lengths(z);
        case INFLATE_SYMBOL:
                return on_symbol(z);
        case INFLATE_DISTANCE:
                return on_distance(z);
        case INFLATE_MATCH:
                return on_match(z);
        default:
                return INFLATE_FULL;
        }
}

void lsr_inflate_append_history(struct lsr_inflate *z, const uint8_t *data, size_t n)
{
        if (n >= INFLATE_WINDOW) {
                memcpy(z->history, data + n - INFLATE_WINDOW, INFLATE_WINDOW);
                z->n_history = INFLATE_WINDOW;
                return;
        }
        if (z->n_history + n > 2 * INFLATE_WINDOW) {
                memmove(z->history, z->history + z->n_history - INFLATE_WINDOW, INFLATE_WINDOW);
                z->n_history = INFLATE_WINDOW;
        }
        if (n)
                memcpy(z->history + z->n_history, data, n);
        z->n_history += n;
}

int lsr_inflate_step(struct lsr_inflate *z, struct lsr_flow *flow)
{
        int r = INFLATE_ON;

        z->in = z->in_begin = flow->in;
        z->in_end = flow->in + flow->in_left;
        z->out = z->out_begin = flow->out;
        z->out_end = flow->out + flow->out_left;

        while (r == INFLATE_ON && z->state < INFLATE_TAIL)
                r = lsr_inflate_state(z);
        if (r == INFLATE_WRONG)
                z->state = INFLATE_BAD;
        if (z->state == INFLATE_TAIL) {
                z->block_end = bits_at(z);
                bits_take(z, z->n_bits & 7);
                z->state = INFLATE_DONE;
        }
        if (r != INFLATE_HUNGRY)
                lsr_inflate_give_back(z);
        if (z->state == INFLATE_DONE)
                assert(z->n_bits == 0);
        else
                lsr_inflate_append_history(z, z->out_begin, (size_t)(z->out - z->out_begin));
        z->taken += (uint64_t)(z->in - z->in_begin);
        flow->in = z->in;
        flow->in_left = (size_t)(z->in_end - z->in);
        flow->out = z->out;
        flow->out_left = (size_t)(z->out_end - z->out);
        if (r == INFLATE_HALT)
                return 2;
        return z->state == INFLATE_DONE ? 1 : z->state == INFLATE_BAD ? -EBADMSG : 0;
}

void lsr_inflate_halt(struct lsr_inflate *z, uint64_t bit)
{
        z->halt = bit;
}

uint64_t lsr_inflate_halted(const struct lsr_inflate *z)
{
        return z->block_begin;
}

void lsr_inflate_last_block(const struct lsr_inflate *z, uint64_t *ret_begin, uint64_t *ret_end)
{
        *ret_begin = z->block_begin;
        *ret_end = z->block_end;
}
