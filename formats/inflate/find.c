/*
 * inflate/find - where in the middle of a stream a block begins
 *
 * Nothing marks a block, and it may begin at any bit.  But the head of a dynamic
 * block is hard to meet by chance:
 *
 *      bits           of all places there are left
 *      13             one in nine: not the last block, dynamic, counts of codes that are valid; 48 places at a time
 *      up to 74       one in two thousand: the lengths of the first code make it complete
 *      all of it      one in some thousand millions: so do those of the other two, and the block has an end
 *
 * A stored block has its length twice, once inverted, behind a byte whose upper
 * bits are zeros: one byte in half a million.  Fixed blocks have nothing to be
 * told by, and are not looked for; nor are last ones, behind which little comes.
 *
 * Data may be made of what looks like the beginning of a head, so there is a limit
 * to how many are decoded.
 *
 * What was met by chance costs time and nothing else: what is decoded from there
 * counts only if the block before it is known to end there.
 */
#include "formats/inflate/guess.h"

#include "base/bytes.h"
#include "formats/inflate/state.h"

#define FIND_STEP 6u /* bytes whose bits are looked at together */

/* Of three lengths, three bits each: their shares of all codes, in parts of 128. */
#define SHARE(length) ((length) ? 128 >> (length) : 0)
#define SHARES(i) (uint8_t)(SHARE((i)&7) + SHARE((i) >> 3 & 7) + SHARE((i) >> 6))
#define SHARES_8(i)                                                                                          \
        SHARES(i), SHARES(i + 1), SHARES(i + 2), SHARES(i + 3), SHARES(i + 4), SHARES(i + 5), SHARES(i + 6), \
                SHARES(i + 7)
#define SHARES_64(i)                                                                                          \
        SHARES_8(i), SHARES_8(i + 8), SHARES_8(i + 16), SHARES_8(i + 24), SHARES_8(i + 32), SHARES_8(i + 40), \
                SHARES_8(i + 48), SHARES_8(i + 56)

static const uint8_t find_shares[512] = {
        SHARES_64(0),   SHARES_64(64),  SHARES_64(128), SHARES_64(192),
        SHARES_64(256), SHARES_64(320), SHARES_64(384), SHARES_64(448),
};

/* Of the first 48 bits of @w those where a dynamic block may begin, by what is in one word. */
static uint64_t find_dynamic(uint64_t w)
{
        uint64_t kind = ~w & ~(w >> 1) & w >> 2;
        uint64_t litlens = w >> 4 & w >> 5 & w >> 6 & w >> 7;      /* more than 286 */
        uint64_t distances = w >> 9 & w >> 10 & w >> 11 & w >> 12; /* more than 30 */

        return kind & ~litlens & ~distances & ((1ULL << 8 * FIND_STEP) - 1);
}

/* Those where a stored block may begin: three bits before a byte. */
static uint64_t find_stored(const uint8_t *p)
{
        uint64_t found = 0;

        for (unsigned i = 1; i <= FIND_STEP; i++) {
                uint32_t v = lsr_le32(p + i);

                if (((v ^ v >> 16) & 0xffff) == 0xffff && p[i - 1] < 1u << 5)
                        found |= 1ULL << (8 * i - 3);
        }
        return found;
}

/* Is the first code of the dynamic block at @bit complete? */
static bool find_orders(const uint8_t *data, uint64_t bit)
{
        unsigned n = 4 + (unsigned)(lsr_le32(data + (bit + 13) / 8) >> (bit + 13) % 8 & 15), share = 0;
        uint64_t v = lsr_le64(data + (bit + 17) / 8) >> (bit + 17) % 8 & ((1ULL << 3 * n) - 1);

        for (; v; v >>= 9)
                share += find_shares[v & 511];
        return share == 128;
}

/* Decode the head at @bit. */
static bool find_try(struct lsr_inflate *z, const uint8_t *data, size_t n, uint64_t bit)
{
        int r = INFLATE_ON;

        lsr_inflate_reset(z);
        z->in_begin = data;
        z->in = data + bit / 8 + 1;
        z->in_end = data + n;
        z->bits = data[bit / 8] >> bit % 8;
        z->n_bits = 8 - bit % 8;
        while (r == INFLATE_ON && z->state != INFLATE_SYMBOL && z->state != INFLATE_STORED)
                r = lsr_inflate_state(z);
        return r == INFLATE_ON;
}

uint64_t lsr_inflate_find(struct lsr_inflate *z, const uint8_t *data, size_t n, uint64_t from, const atomic_bool *stop,
                          unsigned *inout_heads)
{
        uint64_t skipped = (1ULL << from % 8) - 1;

        for (size_t at = (size_t)(from / 8); at + 32 <= n && !atomic_load_explicit(stop, memory_order_relaxed);
             at += FIND_STEP, skipped = 0) {
                uint64_t dynamic = find_dynamic(lsr_le64(data + at));
                uint64_t found = (dynamic | find_stored(data + at)) & ~skipped;

                for (; found; found &= found - 1) {
                        unsigned i = (unsigned)__builtin_ctzll(found);
                        uint64_t bit = 8 * (uint64_t)at + i;

                        if (dynamic >> i & 1 && !find_orders(data, bit))
                                continue;
                        if (*inout_heads == 0)
                                return LSR_GUESS_NONE;
                        --*inout_heads;
                        if (find_try(z, data, n, bit))
                                return bit;
                }
        }
        return LSR_GUESS_NONE;
}
