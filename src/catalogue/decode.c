/*
 * decode - every value is checked before it is used
 *
 * Everything that accessors rely on is checked here once, so that they need not:
 * the rows are breadth-first and sorted, every index is in range, every text
 * lies where it says.  Memory is bounded by the input, as the lengths of the
 * names, a byte a row at least, and the tables' first columns are always there.
 */
#include "catalogue/decoding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/limits.h"

static bool decode_is_known(const struct decode *d, unsigned id)
{
        return (id >= COLUMN_NAME_LENGTH && id <= COLUMN_SUMS) || (id >= COLUMN_KNOWN && id <= COLUMN_METHOD) ||
               (id >= COLUMN_STRING_LENGTH && id <= COLUMN_STRINGS) || (id >= COLUMN_SIZE && id <= COLUMN_XATTRS) ||
               (id >= COLUMN_SEC && id < COLUMN_NSEC + LSR_TIMES);
}

int decode_entry(struct decode *d, const uint8_t *entry)
{
        unsigned id = lsr_le16(entry);
        struct decode_column col = { .width = entry[2], .encoding = entry[3] };
        uint32_t shift = lsr_le32(entry + 4);
        uint64_t offset = lsr_le64(entry + 8);

        col.length = lsr_le64(entry + 16);
        if (!decode_is_known(d, id))
                return col.encoding & ENCODING_CRITICAL ? -EOPNOTSUPP : 0;
        if (col.encoding & ~(ENCODING_TRANSFORMS | ENCODING_CRITICAL))
                return -EOPNOTSUPP;
        if (d->columns[id].data || offset % 8 || offset > d->size || col.length > d->size - offset || shift > 63)
                return -EBADMSG;
        if (id == COLUMN_NAMES || id == COLUMN_STRINGS) {
                if (col.width || shift || (col.encoding & ENCODING_TRANSFORMS))
                        return -EBADMSG;
                if (col.length >= LSR_CATALOGUE_TEXT_MAX)
                        return -E2BIG;
        } else if (col.width != 1 && col.width != 2 && col.width != 4 && col.width != 8) {
                return -EBADMSG;
        }
        col.shift = (uint8_t)shift;
        col.data = d->data + offset;
        if (col.encoding & ENCODING_BASE) {
                if (col.length < sizeof(uint64_t))
                        return -EBADMSG;
                col.base = lsr_le64(col.data);
                col.data += sizeof(uint64_t);
                col.length -= sizeof(uint64_t);
        }
        d->columns[id] = col;
        return 0;
}

int decode_header(struct decode *d, unsigned *ret_columns)
{
        unsigned n;
        uint64_t rows;

        if (d->size < ENCODING_HEADER || memcmp(d->data, "LTOC", 4) != 0)
                return -EBADMSG;
        if (lsr_le16(d->data + 4) != ENCODING_VERSION)
                return -EOPNOTSUPP;
        n = lsr_le16(d->data + 6);
        rows = lsr_le64(d->data + 8);
        d->dirs = lsr_le64(d->data + 16);
        if (d->size - ENCODING_HEADER < (size_t)n * ENCODING_ENTRY || rows < 1 || d->dirs > rows)
                return -EBADMSG;
        if (rows - 1 > lsr_limit(LSR_LIMIT_MEMBERS))
                return -E2BIG;
        d->c->rows = (uint32_t)rows;
        *ret_columns = n;
        return 0;
}

static int decode_entries(struct decode *d, unsigned n)
{
        int r = 0;

        for (unsigned i = 0; i < n && r == 0; i++)
                r = decode_entry(d, d->data + ENCODING_HEADER + (size_t)i * ENCODING_ENTRY);
        return r;
}

/* The number of values of a column, from its length; the column must be there. */
static int decode_count(const struct decode *d, unsigned id, uint32_t *ret_n)
{
        const struct decode_column *col = &d->columns[id];

        if (!col->data || col->length % col->width)
                return -EBADMSG;
        if (col->length / col->width > LSR_CATALOGUE_ROWS_MAX)
                return -E2BIG;
        *ret_n = (uint32_t)(col->length / col->width);
        return 0;
}

void decode_chunk(const struct decode_column *col, size_t first, size_t n, uint64_t *out, uint64_t *previous)
{
        const uint8_t *from = col->data + first * col->width;

        for (size_t i = 0; col->width == 1 && i < n; i++)
                out[i] = from[i];
        for (size_t i = 0; col->width == 2 && i < n; i++)
                out[i] = lsr_le16(from + 2 * i);
        for (size_t i = 0; col->width == 4 && i < n; i++)
                out[i] = lsr_le32(from + 4 * i);
        for (size_t i = 0; col->width == 8 && i < n; i++)
                out[i] = lsr_le64(from + 8 * i);
        if (col->encoding & ENCODING_ZIGZAG)
                for (size_t i = 0; i < n; i++)
                        out[i] = out[i] >> 1 ^ -(out[i] & 1);
        if (col->shift || col->base)
                for (size_t i = 0; i < n; i++)
                        out[i] = (out[i] << col->shift) + col->base;
        if (col->encoding & ENCODING_DELTA)
                for (size_t i = 0; i < n; i++)
                        *previous = out[i] += *previous;
}

/* The @n values of a column that is there. -EBADMSG: its length is that of another number. */
static int decode_wide(const struct decode_column *col, uint32_t n, uint64_t **ret_values)
{
        uint64_t previous = 0, *to = NULL;

        if (col->length != (uint64_t)n * col->width)
                return -EBADMSG;
        if (lsr_try_resize(&to, n) < 0)
                return -ENOMEM;
        for (size_t first = 0; first < n; first += ENCODING_CHUNK)
                decode_chunk(col, first, n - first < ENCODING_CHUNK ? n - first : ENCODING_CHUNK, to + first,
                             &previous);
        *ret_values = to;
        return 0;
}

int decode_into(const struct decode_column *col, uint32_t n, uint32_t max, uint32_t *to, size_t stride)
{
        uint64_t chunk[ENCODING_CHUNK], previous = 0, largest = 0;

        if (col->length != (uint64_t)n * col->width)
                return -EBADMSG;
        for (size_t first = 0; first < n; first += ENCODING_CHUNK) {
                size_t k = n - first < ENCODING_CHUNK ? n - first : ENCODING_CHUNK;

                decode_chunk(col, first, k, chunk, &previous);
                for (size_t i = 0; i < k; i++) {
                        largest = chunk[i] > largest ? chunk[i] : largest;
                        to[(first + i) * stride] = (uint32_t)chunk[i];
                }
        }
        return largest > max ? -EBADMSG : 0;
}

/* A new array; NULL if the column is left out and @required is not set, all 0 if it is. */
static int decode_narrow(const struct decode *d, unsigned id, uint32_t n, uint32_t max, bool required,
                         uint32_t **ret_values)
{
        const struct decode_column *col = &d->columns[id];
        uint32_t *to = NULL;
        int r = 0;

        if ((col->data || required) && lsr_try_resize(&to, n) < 0)
                return -ENOMEM;
        if (col->data)
                r = decode_into(col, n, max, to, 1);
        else if (to)
                memset(to, 0, (size_t)n * sizeof(*to));
        if (r < 0) {
                free(to);
                return r;
        }
        *ret_values = to;
        return 0;
}

/*
 * @n texts from their lengths and their bytes: the array of ends (@n + 1), and the bytes with a NUL behind each.
 * @ret_ends is the caller's already, with the lengths from its second number on.
 */
static int decode_texts(const struct decode_column *bytes, uint32_t n, uint32_t *ret_ends, char **ret_text)
{
        uint64_t total = 0;
        const uint8_t *from = bytes->data;
        char *to;

        for (uint32_t i = 1; i <= n; i++)
                total += ret_ends[i];
        if (total != (bytes->data ? bytes->length : 0))
                return -EBADMSG;
        if (total + n >= LSR_CATALOGUE_TEXT_MAX)
                return -E2BIG;
        if (lsr_try_resize(ret_text, total + n) < 0)
                return -ENOMEM;
        to = *ret_text;
        ret_ends[0] = 0;
        for (uint32_t i = 1; i <= n; i++) {
                size_t len = ret_ends[i];

                if (len)
                        memcpy(to, from, len);
                from += len;
                to[len] = '\0';
                to += len + 1;
                ret_ends[i] = ret_ends[i - 1] + (uint32_t)len + 1;
        }
        return 0;
}

static int decode_strings(struct decode *d)
{
        struct catalogue_strings *s = &d->c->strings;
        uint32_t n = 0;
        int r = 0;

        if (d->columns[COLUMN_STRING_LENGTH].data)
                r = decode_count(d, COLUMN_STRING_LENGTH, &n);
        if (r < 0)
                return r;
        s->n = s->cap = n + 1;
        /* String 0 has no bytes, not even a NUL. */
        if (lsr_try_resize(&s->ends, (size_t)n + 2) < 0)
                return -ENOMEM;
        s->ends[0] = 0;
        if (n)
                r = decode_into(&d->columns[COLUMN_STRING_LENGTH], n, UINT32_MAX, s->ends + 2, 1);
        return r < 0 ? r : decode_texts(&d->columns[COLUMN_STRINGS], n, s->ends + 1, &s->text);
}

static int decode_attrs(struct decode *d)
{
        struct lsr_catalogue *c = d->c;
        uint32_t string = c->strings.n - 1;
        const uint32_t max[ENCODING_ATTRS] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, string, string, string };
        int r = decode_count(d, COLUMN_KNOWN, &c->attrs);

        if (r < 0 || c->attrs == 0)
                return r < 0 ? r : -EBADMSG;
        if (lsr_try_resize(&c->attr_table, c->attrs) < 0)
                return -ENOMEM;
        memset(c->attr_table, 0, (size_t)c->attrs * sizeof(*c->attr_table));
        for (unsigned i = 0; i < ENCODING_ATTRS && r == 0; i++)
                if (d->columns[COLUMN_KNOWN + i].data)
                        r = decode_into(&d->columns[COLUMN_KNOWN + i], c->attrs, max[i], (uint32_t *)c->attr_table + i,
                                        ENCODING_ATTRS);
        for (uint32_t i = 0; i < c->attrs; i++) {
                c->attr_table[i].known &= CATALOGUE_FIELDS;
                c->attr_table[i].mode &= CATALOGUE_MODES;
        }
        return r < 0 ? r : decode_narrow(d, COLUMN_ATTR, c->rows, c->attrs - 1, true, &c->attr);
}

static int decode_names(struct decode *d)
{
        const struct decode_column *names = &d->columns[COLUMN_NAMES];
        struct lsr_catalogue *c = d->c;
        uint32_t n;
        int r = decode_count(d, COLUMN_NAME_LENGTH, &n);

        if (r < 0)
                return r;
        if (n != c->rows)
                return -EBADMSG;
        if (lsr_try_resize(&c->name_ends, (size_t)n + 1) < 0)
                return -ENOMEM;
        r = decode_into(&d->columns[COLUMN_NAME_LENGTH], n, UINT32_MAX, c->name_ends + 1, 1);
        if (r == 0)
                r = decode_texts(names, n, c->name_ends, &c->names);
        if (r < 0)
                return r;
        if (names->data && (memchr(names->data, '/', names->length) || memchr(names->data, '\0', names->length)))
                return -EBADMSG;
        return c->name_ends[1] == 1 ? 0 : -EBADMSG;
}

/* Names of children: something, neither "." nor "..", and in order. */
static bool decode_children_valid(const struct lsr_catalogue *c, uint32_t first, uint32_t end)
{
        const char *previous = "";
        size_t previous_len = 0, len;

        for (uint32_t row = first; row < end; row++) {
                const char *name = catalogue_name(c, row, &len);

                if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
                        return false;
                /* An empty name is not above the empty one that this begins with. */
                if (catalogue_compare(previous, previous_len, name, len) >= 0)
                        return false;
                previous = name;
                previous_len = len;
        }
        return true;
}

/* Children and parents from the numbers of children; each row comes before its children. */
static int decode_tree(struct decode *d)
{
        struct lsr_catalogue *c = d->c;
        uint32_t *counts, next = 1, dirs = 0, level_end = 1, depth = 0;
        int r = decode_narrow(d, COLUMN_CHILDREN, (uint32_t)d->dirs, c->rows, true, &counts);

        if (r < 0)
                return r;
        if (lsr_try_resize(&c->first, (size_t)c->rows + 1) < 0 || lsr_try_resize(&c->parent, c->rows) < 0) {
                free(counts);
                return -ENOMEM;
        }
        c->parent[0] = 0;
        for (uint32_t row = 0; row < c->rows && r == 0; row++) {
                uint32_t n = 0;

                if (row == level_end) {
                        level_end = next;
                        depth++;
                }
                c->first[row] = next;
                if (catalogue_is_dir(c, row))
                        n = dirs < d->dirs ? counts[dirs++] : UINT32_MAX;
                if (row >= next || n > c->rows - next || !decode_children_valid(c, next, next + n))
                        r = -EBADMSG;
                else if (depth > lsr_limit(LSR_LIMIT_PATH_DEPTH))
                        r = -E2BIG;
                for (uint32_t i = 0; i < n && r == 0; i++)
                        c->parent[next + i] = row;
                next += n;
        }
        free(counts);
        if (r < 0)
                return r;
        c->first[c->rows] = next;
        return next == c->rows && dirs == d->dirs && catalogue_is_dir(c, 0) ? 0 : -EBADMSG;
}

static int decode_links(struct decode *d)
{
        struct lsr_catalogue *c = d->c;
        uint32_t *flags = c->narrow[NARROW_FLAGS];
        int r = decode_narrow(d, COLUMN_LINK, c->rows, c->rows - 1, false, &c->link);

        if (r < 0)
                return r;
        for (uint32_t row = 0; flags && row < c->rows; row++)
                flags[row] &= CATALOGUE_FLAGS_STORED;
        for (uint32_t row = 0; (flags || c->link) && row < c->rows; row++) {
                uint32_t to = c->link ? c->link[row] : 0, flag = flags ? flags[row] : 0;
                bool leads = (flag & LSR_MEMBER_HARDLINK) && !(flag & LSR_MEMBER_DANGLING);

                if (leads != (to != 0))
                        return -EBADMSG;
                if ((flag & LSR_MEMBER_HARDLINK) && catalogue_is_dir(c, row))
                        return -EBADMSG;
                if (to && ((flags[to] & LSR_MEMBER_HARDLINK) || catalogue_is_dir(c, to)))
                        return -EBADMSG;
        }
        return 0;
}

/* Each string that is used as extended attributes is looked at once. */
static int decode_xattrs(const struct lsr_catalogue *c)
{
        const uint32_t *xattrs = c->narrow[NARROW_XATTRS];
        bool *seen = NULL, ok = true;

        if (!xattrs)
                return 0;
        if (lsr_try_resize(&seen, c->strings.n) < 0)
                return -ENOMEM;
        memset(seen, 0, c->strings.n);
        for (uint32_t row = 0; row < c->rows && ok; row++) {
                if (!seen[xattrs[row]]) {
                        size_t len;
                        const char *data = catalogue_string(&c->strings, xattrs[row], &len);

                        ok = catalogue_xattrs_valid((const uint8_t *)data, len);
                        seen[xattrs[row]] = true;
                }
        }
        free(seen);
        return ok ? 0 : -EBADMSG;
}

static int decode_rows(struct decode *d)
{
        struct lsr_catalogue *c = d->c;
        int r = 0;

        for (unsigned i = 0; i < WIDES && r == 0; i++)
                if (d->columns[encoding_wides[i]].data)
                        r = decode_wide(&d->columns[encoding_wides[i]], c->rows, &c->wide[i]);
        for (unsigned i = 0; i < NARROWS_STORED && r == 0; i++) {
                uint32_t max = i < NARROW_NSEC + LSR_TIMES ? CATALOGUE_NSEC_MAX
                               : i >= NARROW_TARGET        ? c->strings.n - 1
                                                           : UINT32_MAX;

                r = decode_narrow(d, encoding_narrows[i], c->rows, max, false, &c->narrow[i]);
        }
        if (r < 0)
                return r;
        for (uint32_t row = 0; c->wide[WIDE_DATA] && c->wide[WIDE_POSITION] && row < c->rows; row++)
                c->wide[WIDE_DATA][row] += c->wide[WIDE_POSITION][row];
        r = decode_links(d);
        return r < 0 ? r : decode_xattrs(c);
}

/* Whoever lists one directory relies on them, and is to list what others do. */
static int decode_sums(const struct decode *d)
{
        const struct decode_column *col = &d->columns[COLUMN_SUMS];
        uint64_t *sums = NULL, *want = NULL;
        uint32_t n;
        int r;

        if (!col->data)
                return 0;
        r = encoding_sums(d->c, &want, &n);
        if (r == 0)
                r = decode_wide(col, n, &sums);
        if (r == 0 && n > 0 && memcmp(sums, want, n * sizeof(*sums)) != 0)
                r = -EBADMSG;
        free(sums);
        free(want);
        return r;
}

int lsr_catalogue_decode(struct lsr_catalogue **ret_catalogue, const uint8_t *data, size_t size)
{
        struct lsr_catalogue *c = lsr_xmalloc(sizeof(*c));
        struct decode d = { .data = data, .size = size, .c = c };
        unsigned columns;
        int r;

        *c = (struct lsr_catalogue){};
        r = decode_header(&d, &columns);
        if (r == 0)
                r = decode_entries(&d, columns);
        if (r == 0)
                r = decode_names(&d);
        if (r == 0)
                r = decode_strings(&d);
        if (r == 0)
                r = decode_attrs(&d);
        if (r == 0)
                r = decode_tree(&d);
        if (r == 0)
                r = decode_rows(&d);
        if (r == 0)
                r = decode_sums(&d);
        if (r == 0)
                r = catalogue_complete(c);
        if (r < 0) {
                lsr_catalogue_free(c);
                return r;
        }
        *ret_catalogue = c;
        return 0;
}

static bool decode_need(const struct lsr_catalogue_source *source, uint64_t offset, uint64_t n)
{
        return offset <= source->size && n <= source->size - offset &&
               (!source->need || n == 0 || source->need(source->ctx, offset, n));
}

int lsr_catalogue_extra(const struct lsr_catalogue_source *source, unsigned id, const uint8_t **ret_data,
                        uint64_t *ret_size)
{
        struct lsr_catalogue whole = {};
        struct decode d = { .data = source->data, .size = source->size, .c = &whole };
        const uint8_t *entry = source->data + ENCODING_HEADER;
        unsigned n;

        if (!decode_need(source, 0, ENCODING_HEADER) || decode_header(&d, &n) < 0 ||
            !decode_need(source, ENCODING_HEADER, (uint64_t)n * ENCODING_ENTRY))
                return -EBADMSG;
        for (; n > 0; n--, entry += ENCODING_ENTRY) {
                uint64_t offset = lsr_le64(entry + 8), length = lsr_le64(entry + 16);

                if (lsr_le16(entry) != id)
                        continue;
                if (!decode_need(source, offset, length))
                        return -EBADMSG;
                *ret_data = source->data + offset;
                *ret_size = length;
                return 0;
        }
        return 1;
}
