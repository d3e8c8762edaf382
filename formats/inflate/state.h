/*
 * inflate/state - what the files of this folder share, and nobody else
 *
 * Entries of the tables, 32 bits each:
 *
 *      31..16     15..12  11..8   7..0
 *      value      kind    code    all
 *
 * `all` are the bits that the entry stands for, `code` those before the extra
 * bits.  The value is a literal, or a length or distance without its extra
 * bits, or of a link where the second table begins, for longer codes; `code`
 * then is the number of its index bits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INFLATE_CODE_MAX 15u /* bits of a code */
#define INFLATE_LITLENS 288u /* literals, end of block, lengths; the last two are never valid */
#define INFLATE_DISTANCES 32u
#define INFLATE_ORDERS 19u /* symbols that tell lengths of codes */
#define INFLATE_END_OF_BLOCK 256u
#define INFLATE_LENGTH_MAX 258u
#define INFLATE_WINDOW ((size_t)32 << 10)

/* Index bits of the first tables.  With fewer more codes need a second one; with more they take longer to make. */
#define INFLATE_LITLEN_BITS 11u
#define INFLATE_DISTANCE_BITS 8u
#define INFLATE_ORDER_BITS 7u

/* Second tables have two codes at least. */
#define INFLATE_ROOM(symbols, bits) ((1u << (bits)) + (symbols) / 2 * (1u << (INFLATE_CODE_MAX - (bits))))

/* Bytes behind a buffer that a copy may write beyond its end, and a read beyond the history. */
#define INFLATE_COPY_BEYOND 32u

enum inflate_entry {
        INFLATE_ALL = 0xff,
        INFLATE_CODE_SHIFT = 8,
        INFLATE_CODE = 0xf,
        INFLATE_VALUE_SHIFT = 16,
        INFLATE_LITERAL = 1 << 12,
        INFLATE_OTHER = 1 << 13, /* neither a literal nor a length or distance, but what follows */
        INFLATE_LINK = INFLATE_OTHER | 0 << 14,
        INFLATE_END = INFLATE_OTHER | 1 << 14,
        INFLATE_INVALID = INFLATE_OTHER | 2 << 14,
        INFLATE_KIND = 0xf << 12,
};

enum inflate_state {
        INFLATE_HEAD,
        INFLATE_STORED_HEAD,
        INFLATE_STORED,
        INFLATE_DYNAMIC_HEAD,
        INFLATE_DYNAMIC_ORDERS,
        INFLATE_DYNAMIC_LENGTHS,
        INFLATE_SYMBOL,
        INFLATE_DISTANCE,
        INFLATE_MATCH,
        INFLATE_TAIL, /* from here on nothing is decoded */
        INFLATE_DONE,
        INFLATE_BAD,
};

/* What a state says: more input or more room is needed, the next state, no further, a block is not begun for halt. */
enum { INFLATE_HUNGRY, INFLATE_FULL, INFLATE_ON, INFLATE_WRONG, INFLATE_HALT };

struct lsr_inflate {
        enum inflate_state state;
        bool last;  /* block */
        bool fixed; /* the tables are those of the fixed codes */

        /* Input that is taken but not used: n_bits of it, the lowest first.  Above these may be what follows. */
        uint64_t bits;
        unsigned n_bits;

        /* Of the call. */
        const uint8_t *in, *in_begin, *in_end;
        uint8_t *out, *out_begin, *out_end;

        uint64_t taken;                  /* bytes, before the call */
        uint64_t block_begin, block_end; /* in bits */
        uint64_t halt;                   /* no block that begins at this bit or behind it is begun */

        unsigned n_litlens, n_distances, n_orders; /* of a dynamic block */
        unsigned have;                             /* lengths of codes */
        unsigned length, distance;                 /* of a match, or what is left of a stored block */

        uint8_t lengths[INFLATE_LITLENS + INFLATE_DISTANCES];
        uint32_t orders[1u << INFLATE_ORDER_BITS];
        uint32_t litlen_table[INFLATE_ROOM(INFLATE_LITLENS, INFLATE_LITLEN_BITS)];
        uint32_t dist_table[INFLATE_ROOM(INFLATE_DISTANCES, INFLATE_DISTANCE_BITS)];

        /* The last bytes of output before the call: 32 KiB, or all if there are fewer. */
        size_t n_history;
        uint8_t history[2 * INFLATE_WINDOW + INFLATE_COPY_BEYOND];
};

/* --- tables.c */

enum inflate_kind { INFLATE_KIND_ORDER, INFLATE_KIND_LITLEN, INFLATE_KIND_DISTANCE };

/* Make @table for codes of these lengths, 0 for none.  What is no code for zlib is none here: false. */
bool lsr_inflate_table(uint32_t *table, const uint8_t *lengths, unsigned n, enum inflate_kind kind);

/* --- stream.c */

/* One state, as far as input and room go: INFLATE_HUNGRY and so on. */
int lsr_inflate_state(struct lsr_inflate *z);

/* Give whole bytes of the bit buffer back, of what this call took. */
void lsr_inflate_give_back(struct lsr_inflate *z);

/* The last @n bytes of output before the next call. */
void lsr_inflate_append_history(struct lsr_inflate *z, const uint8_t *data, size_t n);

/* The beginning of a match that is from before the call; the rest is for the caller.  The bytes copied. */
unsigned lsr_inflate_from_history(struct lsr_inflate *z, uint8_t *out, unsigned length, size_t before);

/* --- fast.c */

/* Input and output that have to be there for it. */
#define INFLATE_FAST_IN 32u
#define INFLATE_FAST_OUT 320u

/* 1: the block has ended; 0: input or room are nearly used up, at the beginning of a symbol; -1: the data are bad. */
int lsr_inflate_fast(struct lsr_inflate *z);

/* The same with symbols of two bytes, twice as much room, and INFLATE_WINDOW symbols before the first one. */
int lsr_inflate_fast_wide(struct lsr_inflate *z);
