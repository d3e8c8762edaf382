/*
 * encode - each column in the smallest width that holds it
 *
 * Values pass through a small buffer, twice: first to find the range, which
 * decides about width and shift, then to be stored.  What is sorted or regular
 * is prepared for a compressor by differences; packing bits would leave it
 * nothing to find.
 */
#include "catalogue/encoding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"

/* A column to encode: where its values are, and how they will be stored. */
struct encode_column {
        uint8_t id;
        uint8_t encoding;
        uint8_t width;
        uint8_t shift;
        bool mandatory; /* stored although it is all 0 */
        bool lengths;   /* values32 are ends of texts, each with a NUL */
        bool shifts;    /* low bits that are always 0 are not stored */
        uint32_t n;
        uint32_t stride;          /* of values32, in numbers */
        const uint32_t *values32; /* one of these two */
        const uint64_t *values64;
        const void *extra;     /* or, with a length and no values, bytes */
        const uint64_t *minus; /* subtracted from values64, NULL: nothing */
        uint64_t base;
        uint64_t length; /* bytes */
};

struct encode {
        const struct lsr_catalogue *c;
        struct encode_column columns[COLUMNS_END];
        unsigned n;
        uint32_t *counts; /* children of each directory */
        uint32_t dirs;
        uint64_t *sums;
};

static void encode_fetch(const struct encode_column *col, uint32_t first, uint32_t n, uint64_t *out)
{
        const uint32_t *narrow = col->values32 ? col->values32 + (size_t)first * col->stride : NULL;
        const uint64_t *wide = col->values64 ? col->values64 + first : NULL;

        if (col->lengths) {
                for (uint32_t i = 0; i < n; i++)
                        out[i] = narrow[i + 1] - narrow[i] - 1;
        } else if (wide && col->minus) {
                for (uint32_t i = 0; i < n; i++)
                        out[i] = wide[i] - col->minus[first + i];
        } else if (wide) {
                memcpy(out, wide, n * sizeof(*out));
        } else {
                for (uint32_t i = 0; i < n; i++)
                        out[i] = narrow[(size_t)i * col->stride];
        }
}

static uint64_t encode_zigzag(uint64_t v)
{
        return v << 1 ^ -(v >> 63);
}

static uint64_t encode_unzigzag(uint64_t v)
{
        return v >> 1 ^ -(v & 1);
}

/* Values of a chunk as they are stored, but for the shift if there is a zigzag; @previous goes from chunk to chunk. */
static void encode_transform(const struct encode_column *col, uint32_t n, uint64_t *values, uint64_t *previous)
{
        if (col->encoding & ENCODING_DELTA) {
                for (uint32_t i = 0; i < n; i++) {
                        uint64_t v = values[i];

                        values[i] = v - *previous;
                        *previous = v;
                }
        }
        if (col->encoding & ENCODING_BASE)
                for (uint32_t i = 0; i < n; i++)
                        values[i] -= col->base;
        if (col->shift)
                for (uint32_t i = 0; i < n; i++)
                        values[i] = (uint64_t)((int64_t)values[i] >> col->shift);
        if (col->encoding & ENCODING_ZIGZAG)
                for (uint32_t i = 0; i < n; i++)
                        values[i] = encode_zigzag(values[i]);
}

/* The smallest value, as a signed number. */
static uint64_t encode_minimum(const struct encode_column *col)
{
        uint64_t chunk[ENCODING_CHUNK];
        int64_t min = INT64_MAX;

        for (uint32_t first = 0; first < col->n; first += ENCODING_CHUNK) {
                uint32_t n = col->n - first < ENCODING_CHUNK ? col->n - first : ENCODING_CHUNK;

                encode_fetch(col, first, n, chunk);
                for (uint32_t i = 0; i < n; i++)
                        min = (int64_t)chunk[i] < min ? (int64_t)chunk[i] : min;
        }
        return (uint64_t)min;
}

/* Find width and shift; false: the column is left out. */
static bool encode_measure(struct encode_column *col)
{
        uint64_t chunk[ENCODING_CHUNK], previous = 0, max = 0, bits = 0;

        if (col->encoding & ENCODING_BASE) {
                col->base = encode_minimum(col);
                if (!col->base)
                        col->encoding &= (uint8_t)~ENCODING_BASE;
        }
        for (uint32_t first = 0; first < col->n; first += ENCODING_CHUNK) {
                uint32_t n = col->n - first < ENCODING_CHUNK ? col->n - first : ENCODING_CHUNK;

                encode_fetch(col, first, n, chunk);
                encode_transform(col, n, chunk, &previous);
                for (uint32_t i = 0; i < n; i++) {
                        max = chunk[i] > max ? chunk[i] : max;
                        bits |= col->shifts ? encode_unzigzag(chunk[i]) : 0;
                }
        }
        if (bits) {
                col->shift = (uint8_t)__builtin_ctzll(bits);
                max = encode_zigzag((uint64_t)((int64_t)encode_unzigzag(max) >> col->shift));
        }
        col->width = max <= UINT8_MAX ? 1 : max <= UINT16_MAX ? 2 : max <= UINT32_MAX ? 4 : 8;
        col->length = (uint64_t)col->n * col->width + (col->encoding & ENCODING_BASE ? sizeof(uint64_t) : 0);
        return col->mandatory || max || (col->encoding & ENCODING_BASE);
}

static void encode_store(const struct encode_column *col, uint8_t *to)
{
        uint64_t chunk[ENCODING_CHUNK], previous = 0;

        if (col->encoding & ENCODING_BASE) {
                lsr_put_le64(to, col->base);
                to += sizeof(uint64_t);
        }
        for (uint32_t first = 0; first < col->n; first += ENCODING_CHUNK) {
                uint32_t n = col->n - first < ENCODING_CHUNK ? col->n - first : ENCODING_CHUNK;

                encode_fetch(col, first, n, chunk);
                encode_transform(col, n, chunk, &previous);
                for (uint32_t i = 0; col->width == 1 && i < n; i++)
                        to[i] = (uint8_t)chunk[i];
                for (uint32_t i = 0; col->width == 2 && i < n; i++)
                        lsr_put_le16(to + 2 * i, (uint16_t)chunk[i]);
                for (uint32_t i = 0; col->width == 4 && i < n; i++)
                        lsr_put_le32(to + 4 * i, (uint32_t)chunk[i]);
                for (uint32_t i = 0; col->width == 8 && i < n; i++)
                        lsr_put_le64(to + 8 * i, chunk[i]);
                to += (size_t)n * col->width;
        }
}

static void encode_add(struct encode *e, struct encode_column col)
{
        if (!col.stride)
                col.stride = 1;
        /* Texts have neither values nor width; their length is set. */
        if (col.n ? encode_measure(&col) : col.length != 0)
                e->columns[e->n++] = col;
}

int encoding_sums(const struct lsr_catalogue *c, uint64_t **ret_sums, uint32_t *ret_n)
{
        const uint64_t *position = c->wide[WIDE_POSITION], *data = c->wide[WIDE_DATA];
        uint32_t n = (c->rows - 1) / ENCODING_STEP, row = 0, dirs = 0;
        uint64_t *sums = NULL;

        if (n > 0 && lsr_try_resize(&sums, (size_t)n * SUMS) < 0)
                return -ENOMEM;
        for (uint32_t i = 0; i < n; i++) {
                uint64_t *to = sums + (size_t)i * SUMS, before;

                for (; row < (i + 1) * ENCODING_STEP; row++)
                        dirs += catalogue_is_dir(c, row);
                before = position ? position[row - 1] : 0;
                to[SUM_NAMES] = c->name_ends[row] - row;
                to[SUM_DIRS] = dirs;
                to[SUM_FIRST] = c->first[row];
                to[SUM_POSITION] = before;
                to[SUM_DATA] = data ? data[row - 1] - before : 0;
        }
        *ret_sums = sums;
        *ret_n = n * SUMS;
        return 0;
}

/* 0 or -ENOMEM. */
static int encode_add_sums(struct encode *e)
{
        struct encode_column col = { .id = COLUMN_SUMS };
        int r = encoding_sums(e->c, &e->sums, &col.n);

        col.values64 = e->sums;
        if (r == 0 && col.n > 0)
                encode_add(e, col);
        return r;
}

/* 0 or -ENOMEM. */
static int encode_add_tree(struct encode *e)
{
        const struct lsr_catalogue *c = e->c;

        if (lsr_try_resize(&e->counts, c->rows) < 0)
                return -ENOMEM;
        for (uint32_t row = 0; row < c->rows; row++)
                if (catalogue_is_dir(c, row))
                        e->counts[e->dirs++] = c->first[row + 1] - c->first[row];
        encode_add(e, (struct encode_column){ .id = COLUMN_NAME_LENGTH,
                                              .encoding = ENCODING_CRITICAL,
                                              .mandatory = true,
                                              .lengths = true,
                                              .n = c->rows,
                                              .values32 = c->name_ends });
        encode_add(e, (struct encode_column){ .id = COLUMN_NAMES,
                                              .encoding = ENCODING_CRITICAL,
                                              .length = c->name_ends[c->rows] - c->rows });
        encode_add(e,
                   (struct encode_column){
                           .id = COLUMN_CHILDREN, .encoding = ENCODING_CRITICAL, .n = e->dirs, .values32 = e->counts });
        encode_add(e, (struct encode_column){
                              .id = COLUMN_ATTR, .encoding = ENCODING_CRITICAL, .n = c->rows, .values32 = c->attr });
        return 0;
}

static void encode_add_tables(struct encode *e)
{
        const struct lsr_catalogue *c = e->c;

        static_assert(sizeof(struct catalogue_attr) == ENCODING_ATTRS * sizeof(uint32_t), "fields without gaps");
        for (unsigned i = 0; i < ENCODING_ATTRS; i++)
                encode_add(e, (struct encode_column){ .id = (uint8_t)(COLUMN_KNOWN + i),
                                                      .encoding = i < 2 ? ENCODING_CRITICAL : 0,
                                                      .mandatory = i == 0,
                                                      .n = c->attrs,
                                                      .stride = ENCODING_ATTRS,
                                                      .values32 = &c->attr_table[0].known + i });
        encode_add(e, (struct encode_column){ .id = COLUMN_STRING_LENGTH,
                                              .encoding = ENCODING_CRITICAL,
                                              .mandatory = true,
                                              .lengths = true,
                                              .n = c->strings.n - 1,
                                              .values32 = c->strings.ends + 1 });
        encode_add(e, (struct encode_column){ .id = COLUMN_STRINGS,
                                              .encoding = ENCODING_CRITICAL,
                                              .length = c->strings.ends[c->strings.n] - (c->strings.n - 1) });
}

static void encode_add_rows(struct encode *e)
{
        const struct lsr_catalogue *c = e->c;

        for (unsigned i = 0; i < WIDES; i++) {
                struct encode_column col = { .id = encoding_wides[i], .n = c->rows, .values64 = c->wide[i] };

                if (!c->wide[i])
                        continue;
                if (i == WIDE_POSITION || i == WIDE_DATA) {
                        col.encoding = ENCODING_DELTA | ENCODING_ZIGZAG;
                        col.shifts = true;
                        col.minus = i == WIDE_DATA ? c->wide[WIDE_POSITION] : NULL;
                        /* Leaving it out would mean 0 and not the position. */
                        col.mandatory = i == WIDE_DATA;
                } else if (i >= WIDE_SEC && i < WIDE_SEC + LSR_TIMES) {
                        col.encoding = ENCODING_BASE;
                }
                encode_add(e, col);
        }
        for (unsigned i = 0; i < NARROWS_STORED; i++)
                if (c->narrow[i])
                        encode_add(e, (struct encode_column){
                                              .id = encoding_narrows[i], .n = c->rows, .values32 = c->narrow[i] });
        if (c->link)
                encode_add(e, (struct encode_column){ .id = COLUMN_LINK, .n = c->rows, .values32 = c->link });
}

/* @n texts without the NUL behind each. */
static void encode_texts(uint8_t *to, const char *text, const uint32_t *ends, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                size_t len = ends[i + 1] - ends[i] - 1;

                memcpy(to, text + ends[i], len);
                to += len;
        }
}

static uint64_t encode_align(uint64_t n)
{
        return (n + 7) & ~(uint64_t)7;
}

static void encode_write(const struct encode *e, uint8_t *to)
{
        const struct lsr_catalogue *c = e->c;
        uint64_t offset = ENCODING_HEADER + (uint64_t)e->n * ENCODING_ENTRY;

        memcpy(to, "LTOC", 4);
        lsr_put_le16(to + 4, ENCODING_VERSION);
        lsr_put_le16(to + 6, (uint16_t)e->n);
        lsr_put_le64(to + 8, c->rows);
        lsr_put_le64(to + 16, e->dirs);
        for (unsigned i = 0; i < e->n; i++) {
                const struct encode_column *col = &e->columns[i];
                uint8_t *entry = to + ENCODING_HEADER + (size_t)i * ENCODING_ENTRY;

                lsr_put_le16(entry, col->id);
                entry[2] = col->width;
                entry[3] = col->encoding;
                lsr_put_le32(entry + 4, col->shift);
                lsr_put_le64(entry + 8, offset);
                lsr_put_le64(entry + 16, col->length);
                if (col->id == COLUMN_NAMES)
                        encode_texts(to + offset, c->names, c->name_ends, c->rows);
                else if (col->extra)
                        memcpy(to + offset, col->extra, col->length);
                else if (col->id == COLUMN_STRINGS)
                        encode_texts(to + offset, c->strings.text, c->strings.ends + 1, c->strings.n - 1);
                else
                        encode_store(col, to + offset);
                memset(to + offset + col->length, 0, encode_align(col->length) - col->length);
                offset += encode_align(col->length);
        }
}

int lsr_catalogue_encode(const struct lsr_catalogue *c, uint8_t **ret_data, size_t *ret_size)
{
        return lsr_catalogue_encode_with(c, NULL, ret_data, ret_size);
}

int lsr_catalogue_encode_with(const struct lsr_catalogue *c, const struct lsr_catalogue_extra *extra,
                              uint8_t **ret_data, size_t *ret_size)
{
        struct encode e = { .c = c };
        uint64_t size;
        uint8_t *data = NULL;
        int r;

        r = encode_add_sums(&e);
        if (r == 0)
                r = encode_add_tree(&e);
        if (r < 0) {
                free(e.sums);
                return r;
        }
        if (extra) {
                assert(extra->id >= LSR_CATALOGUE_EXTRA && extra->id < LSR_CATALOGUE_EXTRA_END && extra->size > 0);
                encode_add(&e, (struct encode_column){ .id = extra->id, .length = extra->size, .extra = extra->data });
        }
        encode_add_tables(&e);
        encode_add_rows(&e);
        size = ENCODING_HEADER + (uint64_t)e.n * ENCODING_ENTRY;
        for (unsigned i = 0; i < e.n; i++)
                size += encode_align(e.columns[i].length);
        r = lsr_try_resize(&data, size);
        if (r == 0) {
                encode_write(&e, data);
                *ret_data = data;
                *ret_size = size;
        }
        free(e.sums);
        free(e.counts);
        return r;
}
