/*
 * inflate-meet - one deflate stream decoded by zlib in one piece and by lsr in many, and what makes such streams
 */
#pragma once

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats/filter/decode-ahead.h"
#include "formats/inflate/stream.h"

#define ROOM ((size_t)256 << 10) /* more is not decoded */

static uint64_t meet_state = 1;

static inline uint32_t meet_random(void)
{
        meet_state = meet_state * 6364136223846793005u + 1442695040888963407u;
        return (uint32_t)(meet_state >> 33);
}

static inline uint32_t meet_below(uint32_t n)
{
        return meet_random() % n;
}

enum meet_end { MEET_MORE, MEET_FULL, MEET_END, MEET_BAD };

struct meet {
        enum meet_end end;
        size_t used; /* of the input, at MEET_END */
        size_t made;
        uint8_t *out; /* room for ROOM */
};

static inline void meet_zlib(const uint8_t *data, size_t n, size_t room, struct meet *m)
{
        z_stream z = { .next_in = (uint8_t *)(uintptr_t)data, .avail_in = (unsigned)n };
        int r;

        z.next_out = m->out;
        z.avail_out = (unsigned)room;
        cr_assert_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
        r = inflate(&z, Z_NO_FLUSH);
        m->end = r == Z_STREAM_END ? MEET_END : r == Z_DATA_ERROR ? MEET_BAD : z.avail_out == 0 ? MEET_FULL : MEET_MORE;
        m->used = n - z.avail_in;
        m->made = room - z.avail_out;
        inflateEnd(&z);
}

/* Of pieces; 0 stands for random ones. */
static const size_t meet_sizes[] = { 1, 2, 3, 7, 0, 4096, ROOM };
#define MEET_SIZES (sizeof(meet_sizes) / sizeof(meet_sizes[0]))

/* The size of the next piece: @size, or of any size if that is 0. */
static inline size_t meet_piece(size_t size, size_t left)
{
        if (size == 0)
                size = meet_below(4) ? 1 + meet_below(8) : 1 + meet_below(5000);
        return size < left ? size : left;
}

/* In pieces that lie in memory of their own, so that a sanitizer sees what is read or written beside them. */
static inline void meet_lsr(struct lsr_inflate *z, const uint8_t *data, size_t n, size_t room, size_t in_size,
                            size_t out_size, struct meet *m)
{
        size_t at = 0, made = 0, idle = 0;
        int r = 0;

        lsr_inflate_reset(z);
        while (r == 0 && idle < 2) {
                size_t in_n = meet_piece(in_size, n - at), out_n = meet_piece(out_size, room - made), used, got;
                uint8_t *in, *out;
                struct lsr_flow flow;

                /* A little input makes little: no large buffer for each byte. */
                out_n = in_n < 16 && out_n > 600 ? 600 : out_n;
                in = malloc(in_n);
                out = malloc(out_n);
                flow = (struct lsr_flow){ .in = in, .in_left = in_n, .out = out, .out_left = out_n };
                if (in_n)
                        memcpy(in, data + at, in_n);
                r = lsr_inflate_step(z, &flow);
                used = in_n - flow.in_left;
                got = out_n - flow.out_left;
                cr_assert(flow.in == in + used && flow.out == out + got);
                /* Neither is left over for no reason. */
                cr_assert(r != 0 || flow.in_left == 0 || flow.out_left == 0);
                if (got)
                        memcpy(m->out + made, out, got);
                at += used;
                made += got;
                idle = used || got ? 0 : idle + 1;
                free(in);
                free(out);
        }
        m->end = r == 1 ? MEET_END : r < 0 ? MEET_BAD : made == room ? MEET_FULL : MEET_MORE;
        m->used = at;
        m->made = made;
}

/* Decoded by both: is it the same? */
static inline bool meet_same(struct lsr_inflate *z, const uint8_t *data, size_t n, size_t room, size_t in_size,
                             size_t out_size)
{
        static uint8_t outs[2][ROOM];
        struct meet a = { .out = outs[0] }, b = { .out = outs[1] };

        meet_zlib(data, n, room, &a);
        meet_lsr(z, data, n, room, in_size, out_size, &b);
        return a.end == b.end && a.made == b.made && memcmp(a.out, b.out, a.made) == 0 &&
               (a.end != MEET_END || a.used == b.used);
}

/* --- streams ---------------------------------------------------------------------- */

/* Kinds: text, noise, runs, few values, records of 24 bytes, and what is far apart. */
#define MEET_KINDS 6u

static inline void meet_fill(uint8_t *data, size_t n, unsigned kind)
{
        for (size_t i = 0; i < n; i++)
                switch (kind) {
                case 0:
                        data[i] = i > 100 && meet_below(20) ? data[i - 1 - meet_below(3) * 40]
                                                            : (uint8_t) "etaoin shrdlu,.\n"[meet_below(16)];
                        break;
                case 1:
                        data[i] = (uint8_t)meet_random();
                        break;
                case 2:
                        data[i] = i && meet_below(100) ? data[i - 1] : (uint8_t)meet_random();
                        break;
                case 3:
                        data[i] = (uint8_t)(1u << meet_below(3));
                        break;
                case 4:
                        data[i] = i % 24 < 20 && i > 24 ? data[i - 24] : (uint8_t)meet_random();
                        break;
                default:
                        data[i] = i >= 32768 && meet_below(200) ? data[i - 32768] : (uint8_t)meet_below(32);
                }
}

/* A stream of zlib; @flush every some bytes. */
static inline size_t meet_pack(const uint8_t *data, size_t n, int level, int strategy, int window, int flush,
                               uint8_t *out, size_t room)
{
        z_stream z = {};
        size_t at = 0, size;

        cr_assert_eq(deflateInit2(&z, level, Z_DEFLATED, -window, 1 + (int)meet_below(9), strategy), Z_OK);
        z.next_out = out;
        z.avail_out = (unsigned)room;
        do {
                size = flush == Z_NO_FLUSH ? n : 1 + meet_below(20000);
                size = size < n - at ? size : n - at;
                z.next_in = (uint8_t *)(uintptr_t)data + at;
                z.avail_in = (unsigned)size;
                at += size;
                cr_assert_neq(deflate(&z, at == n ? Z_FINISH : flush), Z_STREAM_ERROR);
                cr_assert_eq(z.avail_in, 0);
        } while (at < n);
        size = room - z.avail_out;
        deflateEnd(&z);
        return size;
}

/* Bits, the lowest first. */
struct meet_bits {
        uint8_t *data;
        size_t n; /* bits */
        size_t room;
};

static inline void meet_put(struct meet_bits *b, uint32_t value, unsigned n)
{
        for (unsigned i = 0; i < n && b->n < b->room * 8; i++, b->n++) {
                if (b->n % 8 == 0)
                        b->data[b->n / 8] = 0;
                b->data[b->n / 8] |= (uint8_t)((value >> i & 1) << b->n % 8);
        }
}

/* Lengths of a code of @n symbols: leaves of a tree that is split at random. */
static inline void meet_code(uint8_t *lengths, unsigned n, unsigned symbols)
{
        unsigned used = 1;

        memset(lengths, 0, symbols);
        lengths[0] = 0;
        while (used < n) {
                unsigned i = meet_below(3) ? used - 1 : meet_below(used);

                if (lengths[i] >= 15)
                        i = meet_below(used);
                if (lengths[i] >= 15)
                        continue;
                lengths[used] = ++lengths[i];
                used++;
        }
        if (n == 1)
                lengths[0] = 1;
        for (unsigned i = symbols; i-- > 1;) {
                unsigned k = meet_below(i + 1);
                uint8_t v = lengths[i];

                lengths[i] = lengths[k];
                lengths[k] = v;
        }
}

/* A block whose codes are valid, or nearly, and whose symbols are random: codes such as no compressor makes. */
static inline size_t meet_block(uint8_t *data, size_t room)
{
        struct meet_bits b = { .data = data, .room = room };
        unsigned litlens = 257 + meet_below(30), distances = 1 + meet_below(30);
        uint8_t lengths[286 + 30];

        meet_code(lengths, meet_below(8) ? 2 + meet_below(litlens - 1) : 1, litlens);
        if (lengths[256] == 0)
                for (unsigned i = 0; i < litlens; i++)
                        if (lengths[i]) {
                                lengths[256] = lengths[i];
                                lengths[i] = 0;
                                break;
                        }
        meet_code(lengths + litlens, meet_below(8) ? 1 + meet_below(distances) : 1, distances);
        if (meet_below(8) == 0)
                lengths[meet_below(litlens + distances)] = (uint8_t)meet_below(16);
        if (meet_below(20) == 0)
                memset(lengths + litlens, 0, distances);
        meet_put(&b, meet_below(2) | 2 << 1, 3);
        meet_put(&b, litlens - 257, 5);
        meet_put(&b, distances - 1, 5);
        meet_put(&b, 15, 4);
        /* 16, 17 and 18 are not used; all others have four bits. */
        for (unsigned i = 0; i < 19; i++)
                meet_put(&b, i < 3 ? 0 : 4, 3);
        for (unsigned i = 0; i < litlens + distances; i++) {
                unsigned v = lengths[i];

                meet_put(&b, (v & 1) << 3 | (v & 2) << 1 | (v & 4) >> 1 | v >> 3, 4);
        }
        for (unsigned n = meet_below(4) ? meet_below(20) : meet_below(2000); n > 0; n--)
                meet_put(&b, meet_random() & meet_random(), 8);
        return (b.n + 7) / 8;
}

/* Change @n bytes in place; what there is then. */
static inline size_t meet_mutate(uint8_t *data, size_t n)
{
        for (unsigned times = meet_below(4); n > 0 && times > 0; times--) {
                size_t at = meet_below(3) ? meet_below((uint32_t)n) : meet_below(n < 64 ? (uint32_t)n : 64);
                size_t size = 1 + meet_below(4);

                switch (meet_below(6)) {
                case 0:
                case 1:
                        data[at] ^= (uint8_t)(1u << meet_below(8));
                        break;
                case 2:
                        data[at] = (uint8_t)meet_random();
                        break;
                case 3:
                        size = size < n - at ? size : n - at;
                        memmove(data + at, data + at + size, n - at - size);
                        n -= size;
                        break;
                case 4:
                        data[at] = data[meet_below((uint32_t)n)];
                        break;
                default:
                        n = meet_below(3) ? n : at;
                }
        }
        return n;
}

/* One stream, of the many that @seed stands for: decoded by both, is it the same? */
static inline bool meet_hostile(struct lsr_inflate *z, unsigned long seed)
{
        static uint8_t data[40000], packed[100000];
        size_t n;

        meet_state = seed * 0x9e3779b97f4a7c15u;
        meet_random();
        switch (meet_below(4)) {
        case 0:
                n = meet_below(3) ? 1 + meet_below(400) : 1 + meet_below(sizeof(data));
                meet_fill(data, n, meet_below(MEET_KINDS));
                n = meet_pack(data, n, 1 + (int)meet_below(9), (int)meet_below(5), 9 + (int)meet_below(7),
                              meet_below(3) ? Z_NO_FLUSH : Z_SYNC_FLUSH, packed, sizeof(packed));
                break;
        case 1:
                n = meet_below(300);
                meet_fill(packed, n, 1);
                if (n)
                        packed[0] = (uint8_t)((packed[0] & ~6u) | (1 + meet_below(2)) << 1);
                break;
        default:
                n = meet_block(packed, sizeof(packed) / 2);
                n += meet_block(packed + n, sizeof(packed) / 2);
        }
        n = meet_mutate(packed, n);
        return meet_same(z, packed, n, meet_below(4) ? ROOM : meet_below(3000), meet_sizes[meet_below(MEET_SIZES)],
                         meet_sizes[meet_below(MEET_SIZES)]);
}
