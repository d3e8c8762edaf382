/*
 * decoding - what the readers of an encoding share: all of it, or what one directory needs
 */
#pragma once

#include "catalogue/encoding.h"

struct decode_column {
        const uint8_t *data; /* NULL: left out; behind the base if there is one */
        uint64_t length;     /* bytes */
        uint64_t base;
        uint8_t width;
        uint8_t encoding;
        uint8_t shift;
};

struct decode {
        const uint8_t *data;
        size_t size;
        uint64_t dirs;
        struct decode_column columns[COLUMNS_END];
        struct lsr_catalogue *c;
};

/* Of the columns: how many there are, by the header that @d begins with.  0 or a negative errno. */
int decode_header(struct decode *d, unsigned *ret_columns);

/* One of them, and its data lie within. */
int decode_entry(struct decode *d, const uint8_t *entry);

/* Values [first, first + n) of a column, with *previous the one before for differences. */
void decode_chunk(const struct decode_column *col, size_t first, size_t n, uint64_t *out, uint64_t *previous);

/* @n values in 32 bits, every @stride numbers.  -EBADMSG: one is larger than @max, or the column has another length. */
int decode_into(const struct decode_column *col, uint32_t n, uint32_t max, uint32_t *to, size_t stride);
