/* Deflate streams of every kind in pieces of every size: the same decision, bytes and end as zlib's. */
#include <stdio.h>

#include "formats/filter/deflate.h"
#include "inflate-meet.h"

#define CONTENT ((size_t)40000)

/* Whole, cut short, and with less room, in some pairs of sizes. */
static void meet_all(struct lsr_inflate *z, const uint8_t *packed, size_t n, size_t made, const char *what, int level)
{
        unsigned i = meet_below(MEET_SIZES), k = meet_below(MEET_SIZES);

        cr_assert(meet_same(z, packed, n, ROOM, ROOM, ROOM), "%s %d", what, level);
        cr_assert(meet_same(z, packed, n, ROOM, meet_sizes[i], meet_sizes[k]), "%s %d in pieces %zu %zu", what, level,
                  meet_sizes[i], meet_sizes[k]);
        cr_assert(meet_same(z, packed, meet_below((uint32_t)n), ROOM, ROOM, meet_sizes[k]), "%s %d cut", what, level);
        cr_assert(meet_same(z, packed, n, made, meet_sizes[i], ROOM), "%s %d, just room", what, level);
        cr_assert(meet_same(z, packed, n, meet_below((uint32_t)made + 1), ROOM, 0), "%s %d, less room", what, level);
}

Test(inflate, zlib)
{
        static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
        static const int flushes[] = { Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK };
        static uint8_t data[CONTENT], packed[2 * CONTENT];
        struct lsr_inflate *z = lsr_inflate_new();

        for (unsigned kind = 0; kind < MEET_KINDS; kind++) {
                meet_fill(data, CONTENT, kind);
                for (int level = 0; level <= 9; level++)
                        for (unsigned s = 0; s < 5; s++) {
                                int window = 9 + (int)meet_below(7);
                                size_t n = meet_pack(data, CONTENT, level, strategies[s], window,
                                                     flushes[meet_below(5)], packed, sizeof(packed));

                                packed[n] = 0xff; /* what follows is not looked at */
                                meet_all(z, packed, n + 1, CONTENT, "zlib", level);
                        }
        }
        lsr_inflate_free(z);
}

Test(inflate, libdeflate)
{
        static uint8_t data[CONTENT], packed[2 * CONTENT];
        struct lsr_inflate *z = lsr_inflate_new();

        for (int level = 1; level <= LSR_DEFLATE_LEVEL_MAX; level++) {
                struct lsr_deflater *d = lsr_deflater_new(level);

                for (unsigned kind = 0; kind < MEET_KINDS; kind++) {
                        size_t n = meet_below(CONTENT) + 1;

                        meet_fill(data, n, kind);
                        meet_all(z, packed, lsr_deflate_last(d, data, n, packed, sizeof(packed)), n, "libdeflate",
                                 level);
                }
                lsr_deflater_free(d);
        }
        lsr_inflate_free(z);
}

/* All sizes of pieces with each other. */
Test(inflate, pieces)
{
        static uint8_t data[3000], packed[2 * sizeof(data)];
        struct lsr_inflate *z = lsr_inflate_new();
        size_t n;

        for (unsigned kind = 0; kind < MEET_KINDS; kind++) {
                meet_fill(data, sizeof(data), kind);
                n = meet_pack(data, sizeof(data), 6, Z_DEFAULT_STRATEGY, 15, Z_SYNC_FLUSH, packed, sizeof(packed));
                for (unsigned i = 0; i < MEET_SIZES; i++)
                        for (unsigned k = 0; k < MEET_SIZES; k++)
                                cr_assert(meet_same(z, packed, n, ROOM, meet_sizes[i], meet_sizes[k]));
                /* And cut at every byte. */
                for (size_t end = 0; end < n; end++)
                        cr_assert(meet_same(z, packed, end, ROOM, end % 3 + 1, ROOM), "kind %u cut at %zu", kind, end);
        }
        lsr_inflate_free(z);
}

/* Where the last block is: from there on a stream of its own, if nothing in it is from before. */
Test(inflate, last_block)
{
        static uint8_t data[CONTENT], packed[2 * CONTENT], out[CONTENT];
        struct lsr_inflate *z = lsr_inflate_new();
        struct lsr_flow flow;
        uint64_t begin, end;
        size_t n;

        meet_fill(data, CONTENT, 0);
        n = meet_pack(data, CONTENT, 6, Z_HUFFMAN_ONLY, 15, Z_NO_FLUSH, packed, sizeof(packed));
        for (size_t step = 1; step <= n; step += n - 1) {
                lsr_inflate_reset(z);
                flow = (struct lsr_flow){ .in = packed, .out = out, .out_left = CONTENT };
                do
                        flow.in_left = step;
                while (lsr_inflate_step(z, &flow) == 0);
                lsr_inflate_last_block(z, &begin, &end);
                cr_assert_eq((end + 7) / 8, n);
                cr_assert_gt(begin, 0);
                cr_assert_eq(packed[begin / 8] >> begin % 8 & 1, 1);
                packed[begin / 8] ^= (uint8_t)(1u << begin % 8);
                /* Without its mark the stream goes on. */
                lsr_inflate_reset(z);
                flow = (struct lsr_flow){ .in = packed, .in_left = n, .out = out, .out_left = CONTENT };
                cr_assert_eq(lsr_inflate_step(z, &flow), 0);
                cr_assert_eq(flow.in_left, 0);
                packed[begin / 8] ^= (uint8_t)(1u << begin % 8);
        }
        lsr_inflate_free(z);
}

static void expect_stream(const char *bits, enum meet_end want)
{
        uint8_t data[64] = {}, out[64];
        struct meet_bits b = { .data = data, .room = sizeof(data) };
        struct lsr_inflate *z = lsr_inflate_new();
        struct meet m = { .out = out };

        for (const char *p = bits; *p; p++)
                if (*p != ' ')
                        meet_put(&b, *p == '1', 1);
        meet_lsr(z, data, (b.n + 7) / 8, sizeof(out), ROOM, ROOM, &m);
        cr_assert_eq(m.end, want, "%s", bits);
        cr_assert(meet_same(z, data, (b.n + 7) / 8, sizeof(out), 1, 1), "%s", bits);
        lsr_inflate_free(z);
}

/* Each thing that is wrong, bit by bit as it comes: last, kind, codes (first bit first), values (lowest bit first). */
Test(inflate, bad_each)
{
        expect_stream("1 10 0000000", MEET_END);                                            /* fixed: nothing */
        expect_stream("1 11 00000", MEET_BAD);                                              /* a kind that is none */
        expect_stream("1 00 00000 10000000 00000000 01111111 11111111 00000000", MEET_END); /* stored: a byte */
        expect_stream("1 00 00000 10000000 00000000 11111111 11111111 00000000", MEET_BAD); /* its size twice */
        expect_stream("1 10 00110000 0000001 00000 0000000", MEET_END);                     /* "\0", again 3 times */
        expect_stream("1 10 00110000 0000001 00001 0000000", MEET_BAD);        /* from before the beginning */
        expect_stream("1 10 00110000 0000001 11110 0000000", MEET_BAD);        /* distance 30 */
        expect_stream("1 10 11000110 0000000", MEET_BAD);                      /* length 286 */
        expect_stream("1 01 01111 00000 0000", MEET_BAD);                      /* 287 codes */
        expect_stream("1 01 00000 01111 0000", MEET_BAD);                      /* 31 distances */
        expect_stream("1 01 00000 00000 0000 100 100 100 000", MEET_BAD);      /* three codes of a bit */
        expect_stream("1 01 00000 00000 0000 100 000 000 000", MEET_BAD);      /* one is not enough here */
        expect_stream("1 01 00000 00000 0000 100 100 000 000 0 00", MEET_BAD); /* repeat what? */
}

/* A distance that leads too far is looked at when there is room for the match, and not before. */
Test(inflate, bad_without_room)
{
        static const uint8_t data[] = { 0x63, 0x00, 0x42, 0x00 }; /* "\0", and what is 2 before it */
        struct lsr_inflate *z = lsr_inflate_new();

        for (size_t room = 0; room < 3; room++)
                cr_assert(meet_same(z, data, sizeof(data), room, ROOM, ROOM), "%zu", room);
        lsr_inflate_free(z);
}

/* Literals 0 and 1 have a code, and nothing ends the block. */
Test(inflate, bad_endless)
{
        static const char head[] = "1 01 00000 00000 0111 000 000 000 100"
                                   "000 000 000 000 000 000 000 000 000 000 000 000 000 100";
        char bits[sizeof(head) + 258 + 8];

        memcpy(bits, head, sizeof(head) - 1);
        memset(bits + sizeof(head) - 1, '0', 258 + 8);
        memset(bits + sizeof(head) - 1, '1', 2);
        bits[sizeof(bits) - 1] = 0;
        expect_stream(bits, MEET_BAD);
}

/* A stored block whose bytes are still to come, and a call without input: no bytes are copied from nowhere. */
Test(inflate, stored_without_input)
{
        static const uint8_t head[] = { 1, 1, 0, 0xfe, 0xff };
        uint8_t out[4];
        struct lsr_inflate *z = lsr_inflate_new();
        struct lsr_flow flow = { .in = head, .in_left = sizeof(head), .out = out, .out_left = sizeof(out) };

        cr_assert_eq(lsr_inflate_step(z, &flow), 0);
        flow = (struct lsr_flow){ .out = out, .out_left = sizeof(out) };
        cr_assert_eq(lsr_inflate_step(z, &flow), 0);
        cr_assert_eq(flow.out_left, sizeof(out));
        lsr_inflate_free(z);
}

static unsigned long number(const char *name, unsigned long other)
{
        const char *text = getenv(name);

        return text ? strtoul(text, NULL, 10) : other;
}

/*
 * Streams that are damaged, cut and made up.  LSR_INFLATE_RUNS and LSR_INFLATE_SEED make more of it, or the same once
 * more: a run depends on its seed alone, which is told when it fails.
 */
Test(inflate, hostile, .timeout = 600)
{
        unsigned long runs = number("LSR_INFLATE_RUNS", 5000), seed = number("LSR_INFLATE_SEED", 1);
        struct lsr_inflate *z = lsr_inflate_new();

        for (unsigned long run = seed; run < seed + runs; run++)
                cr_assert(meet_hostile(z, run), "seed %lu", run);
        lsr_inflate_free(z);
}
