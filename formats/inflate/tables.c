/*
 * inflate/tables - from the lengths of codes to tables that are looked up
 *
 * Codes are stored with their first bit lowest, so an index is the next bits of
 * the input as they are.  A code shorter than the index stands in the table at
 * every place that ends in it: the table is made for the shortest codes, and
 * doubled by copying it whenever they get longer by a bit.
 *
 * Entries for two literals, or a literal and a length, took as long to make as
 * they saved: half of the blocks of a .tar.gz are too short for it.
 */
#include <string.h>

#include "formats/inflate/state.h"

#define VALUE(n) ((uint32_t)(n) << INFLATE_VALUE_SHIFT)
#define LITERAL(n) (VALUE(n) | INFLATE_LITERAL)
#define LITERALS_4(n) LITERAL(n), LITERAL((n) + 1), LITERAL((n) + 2), LITERAL((n) + 3)
#define LITERALS_16(n) LITERALS_4(n), LITERALS_4((n) + 4), LITERALS_4((n) + 8), LITERALS_4((n) + 12)
#define LITERALS_64(n) LITERALS_16(n), LITERALS_16((n) + 16), LITERALS_16((n) + 32), LITERALS_16((n) + 48)
#define BASE(base, extra) (VALUE(base) | (extra))
#define BASES(base, extra) BASE(base, extra), BASE((base) + (1 << (extra)), extra)

static const uint32_t litlen_entries[INFLATE_LITLENS] = {
        LITERALS_64(0), LITERALS_64(64), LITERALS_64(128), LITERALS_64(192), INFLATE_END,     BASE(3, 0),
        BASE(4, 0),     BASE(5, 0),      BASE(6, 0),       BASE(7, 0),       BASE(8, 0),      BASE(9, 0),
        BASE(10, 0),    BASE(11, 1),     BASE(13, 1),      BASE(15, 1),      BASE(17, 1),     BASE(19, 2),
        BASE(23, 2),    BASE(27, 2),     BASE(31, 2),      BASE(35, 3),      BASE(43, 3),     BASE(51, 3),
        BASE(59, 3),    BASE(67, 4),     BASE(83, 4),      BASE(99, 4),      BASE(115, 4),    BASE(131, 5),
        BASE(163, 5),   BASE(195, 5),    BASE(227, 5),     BASE(258, 0),     INFLATE_INVALID, INFLATE_INVALID,
};

static const uint32_t distance_entries[INFLATE_DISTANCES] = {
        BASES(1, 0),     BASES(3, 0),     BASES(5, 1),      BASES(9, 2),     BASES(17, 3),    BASES(33, 4),
        BASES(65, 5),    BASES(129, 6),   BASES(257, 7),    BASES(513, 8),   BASES(1025, 9),  BASES(2049, 10),
        BASES(4097, 11), BASES(8193, 12), BASES(16385, 13), INFLATE_INVALID, INFLATE_INVALID,
};

static const uint32_t order_entries[INFLATE_ORDERS] = {
        VALUE(0),  VALUE(1),  VALUE(2),  VALUE(3),  VALUE(4),  VALUE(5),  VALUE(6),  VALUE(7),  VALUE(8),  VALUE(9),
        VALUE(10), VALUE(11), VALUE(12), VALUE(13), VALUE(14), VALUE(15), VALUE(16), VALUE(17), VALUE(18),
};

static const struct {
        const uint32_t *entries;
        unsigned bits;
} kinds[] = {
        [INFLATE_KIND_ORDER] = { order_entries, INFLATE_ORDER_BITS },
        [INFLATE_KIND_LITLEN] = { litlen_entries, INFLATE_LITLEN_BITS },
        [INFLATE_KIND_DISTANCE] = { distance_entries, INFLATE_DISTANCE_BITS },
};

/* A Huffman code, canonical. */
struct table_code {
        uint16_t counts[INFLATE_CODE_MAX + 1]; /* symbols by length */
        uint16_t symbols[INFLATE_LITLENS];     /* in the order of their codes */
        unsigned max;                          /* the longest, 0 if there is none */
};

static bool table_sort(struct table_code *code, const uint8_t *lengths, unsigned n, enum inflate_kind kind)
{
        uint16_t at[INFLATE_CODE_MAX + 2] = {};
        int left = 1; /* codes of the length at hand that are not used */

        memset(code->counts, 0, sizeof(code->counts));
        for (unsigned i = 0; i < n; i++)
                code->counts[lengths[i]]++;
        code->counts[0] = 0;
        code->max = INFLATE_CODE_MAX;
        while (code->max > 0 && code->counts[code->max] == 0)
                code->max--;
        for (unsigned length = 1; length <= INFLATE_CODE_MAX; length++) {
                left = 2 * left - code->counts[length];
                if (left < 0)
                        return false;
                at[length + 1] = (uint16_t)(at[length] + code->counts[length]);
        }
        /* A code without symbols fails when it is used; one of a single bit leaves the other value unused. */
        if (left > 0 && code->max > 0 && (kind == INFLATE_KIND_ORDER || code->max != 1))
                return false;
        for (unsigned i = 0; i < n; i++)
                if (lengths[i])
                        code->symbols[at[lengths[i]]++] = (uint16_t)i;
        return true;
}

/* The code after @code, both of @length bits and their first bit lowest; not after the last one. */
static unsigned table_next(unsigned code, unsigned length)
{
        unsigned bit = 1u << (31 - __builtin_clz(code ^ ((1u << length) - 1)));

        return (code & (bit - 1)) | bit;
}

struct table_run {
        uint32_t *table;
        const uint32_t *entries;
        const struct table_code *code;
        unsigned bits;
        const uint16_t *symbol; /* the next one */
        unsigned next;          /* its code */
};

/* The code after this one, of @length bits; false: this was the last one. */
static bool table_step(struct table_run *t, unsigned length)
{
        if (t->next == (1u << length) - 1)
                return false;
        t->next = table_next(t->next, length);
        return true;
}

/* Codes of more bits than the index. */
static void table_second(struct table_run *t)
{
        unsigned mask = (1u << t->bits) - 1, at = 1u << t->bits, begin = 0, size = 0, prefix = UINT32_MAX;

        for (unsigned length = t->bits + 1; length <= t->code->max; length++)
                for (unsigned left = t->code->counts[length]; left > 0; left--) {
                        uint32_t entry = t->entries[*t->symbol++] + (length - t->bits) * 0x101;

                        if ((t->next & mask) != prefix) {
                                unsigned bits = length - t->bits, codes = left;

                                while (codes < 1u << bits && t->bits + bits < t->code->max) {
                                        bits++;
                                        codes = 2 * codes + t->code->counts[t->bits + bits];
                                }
                                prefix = t->next & mask;
                                begin = at;
                                size = 1u << bits;
                                at += size;
                                t->table[prefix] = (uint32_t)begin << INFLATE_VALUE_SHIFT | INFLATE_LINK |
                                                   bits << INFLATE_CODE_SHIFT | t->bits;
                        }
                        for (unsigned i = t->next >> t->bits; i < size; i += 1u << (length - t->bits))
                                t->table[begin + i] = entry;
                        if (!table_step(t, length))
                                return;
                }
}

bool lsr_inflate_table(uint32_t *table, const uint8_t *lengths, unsigned n, enum inflate_kind kind)
{
        struct table_code code;
        struct table_run t = {
                .table = table,
                .entries = kinds[kind].entries,
                .code = &code,
                .bits = kinds[kind].bits,
                .symbol = code.symbols,
        };
        bool more = true;

        if (!table_sort(&code, lengths, n, kind))
                return false;
        /* For a code that does not use all values; any other fills the table. */
        table[0] = table[1] = INFLATE_INVALID + 0x101;
        for (unsigned length = 1; length <= t.bits; length++) {
                for (unsigned i = 0; more && i < code.counts[length]; i++) {
                        table[t.next] = t.entries[*t.symbol++] + length * 0x101;
                        more = table_step(&t, length);
                }
                if (length < t.bits)
                        memcpy(table + (1u << length), table, sizeof(*table) << length);
        }
        if (more && code.max > t.bits)
                table_second(&t);
        return true;
}
