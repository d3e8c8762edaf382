/*
 * subtree - the part of an encoding that one path needs
 *
 *      rows     0 | ... a ... | ...... a/b ...... | ............ | a/b/x a/b/y |
 *               ^       ^             ^                          ^^^^^^^^^^^^^
 *               the way, a row of each level                     its children
 *
 * Two sums lead down: the lengths of the names before a row, and the numbers of
 * children of the directories before it.  Both only ever go forwards, since
 * children come after their parents.  An encoding has these sums every
 * ENCODING_STEP rows, so that few values are passed over; an older one, which
 * has none, is passed over from its beginning.  All other columns are looked at
 * where the part is.
 *
 * The part is a catalogue like any other, and is encoded as one.  What this
 * cannot make out it leaves to whoever decodes the whole: a path that is not
 * there, names with something odd in them, hard links, an encoding that is not valid.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "catalogue/decoding.h"

/* A place in the whole. */
struct cut_place {
        uint32_t row;
        uint64_t name_at; /* where the names begin of it and those behind */
};

struct cut {
        const struct lsr_catalogue_source *source;
        struct decode d;
        struct lsr_catalogue whole; /* rows, and the table of attributes */
        uint64_t *string_ends;      /* NULL until a string is wanted */
        uint32_t n_strings;
        struct cut_place names;
        uint32_t dirs_row; /* of the rows before it: */
        uint64_t dirs;     /* how many are directories */
        uint64_t first;    /* where the children of the next one begin */
        /* The part. */
        struct lsr_catalogue *part;
        uint32_t cap;
        uint32_t *attr_new; /* number in the part plus 1, or 0, of each of the whole */
        size_t names_cap;
};

static bool cut_need(const struct cut *c, const uint8_t *data, uint64_t n)
{
        return !c->source->need || n == 0 || c->source->need(c->source->ctx, (uint64_t)(data - c->source->data), n);
}

/* Values [first, end) of a column, that is there and long enough. */
static bool cut_has(const struct cut *c, const struct decode_column *col, uint64_t first, uint64_t end)
{
        return end <= col->length / col->width &&
               cut_need(c, col->data + first * col->width, (end - first) * col->width);
}

static uint64_t cut_raw(const struct decode_column *col, uint64_t i)
{
        const uint8_t *p = col->data + i * col->width;

        return col->width == 1 ? *p : col->width == 2 ? lsr_le16(p) : col->width == 4 ? lsr_le32(p) : lsr_le64(p);
}

static uint64_t cut_unzigzag(const struct decode_column *col, uint64_t v)
{
        return col->encoding & ENCODING_ZIGZAG ? v >> 1 ^ -(v & 1) : v;
}

/* A value that is no difference. */
static uint64_t cut_value(const struct decode_column *col, uint64_t i)
{
        return (cut_unzigzag(col, cut_raw(col, i)) << col->shift) + col->base;
}

/* The sum of values [first, end) that are stored, as if there were no differences; wraps. */
static uint64_t cut_sum(const struct decode_column *col, uint64_t first, uint64_t end)
{
        const uint8_t *p = col->data + first * col->width;
        uint64_t n = end - first, sum = 0;

        if (col->width == 1)
                for (uint64_t i = 0; i < n; i++)
                        sum += cut_unzigzag(col, p[i]);
        else if (col->width == 4)
                for (uint64_t i = 0; i < n; i++)
                        sum += cut_unzigzag(col, lsr_le32(p + 4 * i));
        else
                for (uint64_t i = 0; i < n; i++)
                        sum += cut_unzigzag(col, cut_raw(col, first + i));
        return (sum << col->shift) + n * col->base;
}

/* The last row up to @row, and not row 0, before which there are sums; 0: there is none. */
static uint32_t cut_step(const struct cut *c, uint64_t row)
{
        return c->d.columns[COLUMN_SUMS].data ? (uint32_t)(row - row % ENCODING_STEP) : 0;
}

/* One of the sums before such a row. */
static uint64_t cut_before(const struct cut *c, uint32_t row, unsigned sum)
{
        return cut_value(&c->d.columns[COLUMN_SUMS], (uint64_t)(row / ENCODING_STEP - 1) * SUMS + sum);
}

/* --- the whole ---------------------------------------------------------------------- */

/* Columns that lead the way have one value after the other, as they are. */
static bool cut_is_plain(const struct decode_column *col, uint64_t n)
{
        return col->data && !(col->encoding & ENCODING_TRANSFORMS) && !col->shift && col->length == n * col->width;
}

/* Of a column of rows that may be left out. */
static bool cut_fits(const struct cut *c, unsigned id)
{
        const struct decode_column *col = &c->d.columns[id];

        return !col->data || col->length == (uint64_t)c->whole.rows * col->width;
}

static bool cut_attrs(struct cut *c)
{
        const struct decode_column *known = &c->d.columns[COLUMN_KNOWN];
        struct lsr_catalogue *w = &c->whole;
        uint64_t n;

        if (!known->data)
                return false;
        n = known->length / known->width;
        if (n == 0 || n > w->rows)
                return false;
        w->attrs = (uint32_t)n;
        w->attr_table = memset(lsr_xmalloc((size_t)n * sizeof(*w->attr_table)), 0, (size_t)n * sizeof(*w->attr_table));
        for (unsigned i = 0; i < ENCODING_ATTRS; i++) {
                const struct decode_column *col = &c->d.columns[COLUMN_KNOWN + i];

                if (col->data &&
                    (!cut_has(c, col, 0, n) ||
                     decode_into(col, w->attrs, UINT32_MAX, (uint32_t *)w->attr_table + i, ENCODING_ATTRS) < 0))
                        return false;
        }
        for (uint32_t i = 0; i < w->attrs; i++)
                w->attr_table[i].known &= CATALOGUE_FIELDS;
        c->attr_new = memset(lsr_xmalloc((size_t)n * sizeof(*c->attr_new)), 0, (size_t)n * sizeof(*c->attr_new));
        return true;
}

/* Sums lead to what there is. */
static bool cut_sums(const struct cut *c)
{
        const struct decode_column *col = &c->d.columns[COLUMN_SUMS];
        uint32_t n = (c->whole.rows - 1) / ENCODING_STEP;

        if (!col->data)
                return true;
        if ((col->encoding & ENCODING_DELTA) || col->length != (uint64_t)n * SUMS * col->width ||
            !cut_has(c, col, 0, (uint64_t)n * SUMS))
                return false;
        for (uint32_t i = 1; i <= n; i++) {
                uint32_t row = i * ENCODING_STEP;

                if (cut_before(c, row, SUM_NAMES) > c->d.columns[COLUMN_NAMES].length ||
                    cut_before(c, row, SUM_DIRS) > c->d.dirs || cut_before(c, row, SUM_FIRST) > c->whole.rows)
                        return false;
        }
        return true;
}

static bool cut_open(struct cut *c)
{
        struct decode *d = &c->d;
        unsigned n;

        d->c = &c->whole;
        d->data = c->source->data;
        d->size = c->source->size;
        if (d->size < ENCODING_HEADER || !cut_need(c, d->data, ENCODING_HEADER) || decode_header(d, &n) < 0 ||
            !cut_need(c, d->data + ENCODING_HEADER, (uint64_t)n * ENCODING_ENTRY))
                return false;
        for (unsigned i = 0; i < n; i++)
                if (decode_entry(d, d->data + ENCODING_HEADER + (size_t)i * ENCODING_ENTRY) < 0)
                        return false;
        for (unsigned i = 0; i < WIDES; i++)
                if (!cut_fits(c, encoding_wides[i]))
                        return false;
        for (unsigned i = 0; i < NARROWS; i++)
                if (!cut_fits(c, encoding_narrows[i]) || (d->columns[encoding_narrows[i]].encoding & ENCODING_DELTA))
                        return false;
        return cut_fits(c, COLUMN_LINK) && !(d->columns[COLUMN_LINK].encoding & ENCODING_DELTA) &&
               cut_is_plain(&d->columns[COLUMN_NAME_LENGTH], c->whole.rows) &&
               cut_is_plain(&d->columns[COLUMN_CHILDREN], d->dirs) &&
               cut_is_plain(&d->columns[COLUMN_ATTR], c->whole.rows) && cut_sums(c) && cut_attrs(c);
}

/* The attributes of a row whose column is at hand; those beyond the table are no directory, and end the cutting. */
static bool cut_is_dir(const struct cut *c, uint32_t row)
{
        uint64_t attr = cut_raw(&c->d.columns[COLUMN_ATTR], row);

        return attr < c->whole.attrs && catalogue_attr_is_dir(&c->whole.attr_table[attr]);
}

static bool cut_is_file(const struct cut *c, uint32_t row)
{
        uint64_t attr = cut_raw(&c->d.columns[COLUMN_ATTR], row);

        return attr < c->whole.attrs && (c->whole.attr_table[attr].known & LSR_FIELD_TYPE) &&
               S_ISREG(c->whole.attr_table[attr].mode);
}

/* Where the names of @row and those behind begin; rows ascend from call to call. */
static bool cut_name_at(struct cut *c, uint32_t row, uint64_t *ret_at)
{
        const struct decode_column *lengths = &c->d.columns[COLUMN_NAME_LENGTH];
        uint32_t step = cut_step(c, row);

        if (step > c->names.row)
                c->names = (struct cut_place){ step, cut_before(c, step, SUM_NAMES) };
        if (row < c->names.row || !cut_has(c, lengths, c->names.row, row))
                return false;
        c->names.name_at += cut_sum(lengths, c->names.row, row);
        c->names.row = row;
        *ret_at = c->names.name_at;
        return true;
}

/* Children of directory @row; rows ascend from call to call. */
static bool cut_children(struct cut *c, uint32_t row, struct lsr_slice *ret_slice)
{
        const struct decode_column *counts = &c->d.columns[COLUMN_CHILDREN];
        uint32_t step = cut_step(c, row);
        uint64_t dirs, n;

        if (step > c->dirs_row) {
                c->dirs_row = step;
                c->dirs = cut_before(c, step, SUM_DIRS);
                c->first = cut_before(c, step, SUM_FIRST);
        }
        dirs = c->dirs;
        if (row < c->dirs_row || !cut_has(c, &c->d.columns[COLUMN_ATTR], c->dirs_row, row))
                return false;
        for (uint32_t i = c->dirs_row; i < row; i++)
                dirs += cut_is_dir(c, i);
        if (dirs >= c->d.dirs || !cut_has(c, counts, c->dirs, dirs + 1))
                return false;
        c->first += cut_sum(counts, c->dirs, dirs);
        c->dirs = dirs;
        c->dirs_row = row;
        n = cut_raw(counts, dirs);
        if (c->first > c->whole.rows || n > c->whole.rows - c->first || c->first <= row)
                return false;
        *ret_slice = (struct lsr_slice){ (uint32_t)c->first, (uint32_t)n };
        return true;
}

/* How many of these rows are directories. */
static bool cut_count_dirs(struct cut *c, struct lsr_slice rows, uint32_t *ret_n)
{
        uint32_t n = 0;

        if (!cut_has(c, &c->d.columns[COLUMN_ATTR], rows.first, (uint64_t)rows.first + rows.n))
                return false;
        for (uint32_t i = 0; i < rows.n; i++)
                n += cut_is_dir(c, rows.first + i);
        *ret_n = n;
        return true;
}

/* --- the part ----------------------------------------------------------------------- */

static void *cut_grow(void *array, uint32_t n, size_t size)
{
        return lsr_xrealloc(array, (size_t)n * size);
}

static void cut_reserve(struct cut *c, uint32_t more)
{
        struct lsr_catalogue *p = c->part;

        if (c->cap - p->rows >= more)
                return;
        c->cap = p->rows + more > 2 * c->cap ? p->rows + more : 2 * c->cap;
        p->row_of = cut_grow(p->row_of, c->cap, sizeof(*p->row_of));
        p->nlink = cut_grow(p->nlink, c->cap, sizeof(*p->nlink));
        p->parent = cut_grow(p->parent, c->cap, sizeof(*p->parent));
        p->name_ends = cut_grow(p->name_ends, c->cap + 1, sizeof(*p->name_ends));
        p->name_ends[0] = 0;
}

/* Add a row, as a child of @parent, with the @len bytes of its name. */
static void cut_add(struct cut *c, uint32_t row, uint32_t parent, const uint8_t *name, size_t len)
{
        struct lsr_catalogue *p = c->part;
        uint32_t at = p->name_ends ? p->name_ends[p->rows] : 0;

        cut_reserve(c, 1);
        if (c->names_cap - at < len + 1) {
                c->names_cap = 2 * (at + len + 1);
                p->names = lsr_xrealloc(p->names, c->names_cap);
        }
        if (len > 0)
                memcpy(p->names + at, name, len);
        p->names[at + len] = '\0';
        p->row_of[p->rows] = row;
        p->nlink[p->rows] = 1;
        p->parent[p->rows] = parent;
        p->name_ends[++p->rows] = at + (uint32_t)len + 1;
}

/* Names of rows, one behind the other. */
struct cut_names {
        const uint8_t *at;
        uint64_t len;
};

static bool cut_names(struct cut *c, struct lsr_slice rows, struct cut_names *ret_names)
{
        const struct decode_column *lengths = &c->d.columns[COLUMN_NAME_LENGTH], *names = &c->d.columns[COLUMN_NAMES];
        uint64_t at, len;

        if (rows.n == 0 || !cut_name_at(c, rows.first, &at) ||
            !cut_has(c, lengths, rows.first, (uint64_t)rows.first + rows.n))
                return false;
        len = cut_sum(lengths, rows.first, (uint64_t)rows.first + rows.n);
        if (!names->data || at > names->length || len > names->length - at || len >= UINT32_MAX / 4)
                return false;
        *ret_names = (struct cut_names){ names->data + at, len };
        return cut_need(c, names->data + at, len);
}

/* The child of that name is added. */
static bool cut_enter(struct cut *c, struct lsr_slice children, const char *name, size_t name_len)
{
        const struct decode_column *lengths = &c->d.columns[COLUMN_NAME_LENGTH];
        struct cut_names names;

        if (!cut_names(c, children, &names))
                return false;
        for (uint32_t i = 0; i < children.n; i++) {
                size_t len = cut_raw(lengths, children.first + i);

                if (len == name_len && memcmp(names.at, name, len) == 0) {
                        cut_add(c, children.first + i, c->part->rows - 1, names.at, len);
                        return true;
                }
                names.at += len;
        }
        return false;
}

/* All children of the last row are added, and those of them that are directories know how many they have. */
static bool cut_add_children(struct cut *c, struct lsr_slice children)
{
        const struct decode_column *lengths = &c->d.columns[COLUMN_NAME_LENGTH];
        uint32_t parent = c->part->rows - 1;
        struct cut_names names;

        c->part->whole = parent;
        if (children.n == 0)
                return true;
        if (children.n > c->whole.rows / 2 || !cut_names(c, children, &names))
                return false;
        cut_reserve(c, children.n);
        for (uint32_t i = 0; i < children.n; i++) {
                size_t len = cut_raw(lengths, children.first + i);
                struct lsr_slice below;
                uint32_t n;

                cut_add(c, children.first + i, parent, names.at, len);
                names.at += len;
                if (!cut_is_dir(c, children.first + i))
                        continue;
                if (!cut_children(c, children.first + i, &below) || !cut_count_dirs(c, below, &n))
                        return false;
                c->part->nlink[c->part->rows - 1] = 2 + n;
        }
        return true;
}

/* The rows of the part: the way along @path, and what is below. */
static bool cut_walk(struct cut *c, const char *path)
{
        struct lsr_catalogue *p = c->part;

        p->whole = UINT32_MAX;
        p->total = c->whole.rows;
        cut_add(c, 0, 0, NULL, 0);
        for (;;) {
                uint32_t row = p->row_of[p->rows - 1], dirs;
                struct lsr_slice children;
                size_t len;

                while (*path == '/')
                        path++;
                if (!cut_has(c, &c->d.columns[COLUMN_ATTR], row, (uint64_t)row + 1))
                        return false;
                if (!cut_is_dir(c, row))
                        break;
                if (!cut_children(c, row, &children) || !cut_count_dirs(c, children, &dirs))
                        return false;
                p->nlink[p->rows - 1] = 2 + dirs;
                if (!*path)
                        return cut_add_children(c, children);
                len = strcspn(path, "/");
                if (!cut_enter(c, children, path, len))
                        return false;
                path += len;
        }
        p->whole = p->rows;
        /* What is behind a file lies in the bundle that it is; behind anything else is what it leads to. */
        return !*path || cut_is_file(c, p->row_of[p->rows - 1]);
}

/* --- its columns -------------------------------------------------------------------- */

static bool cut_strings(struct cut *c)
{
        const struct decode_column *lengths = &c->d.columns[COLUMN_STRING_LENGTH],
                                   *text = &c->d.columns[COLUMN_STRINGS];
        uint64_t n, end = 0;

        if (c->string_ends)
                return true;
        if (!lengths->data || (lengths->encoding & ENCODING_TRANSFORMS))
                return false;
        n = lengths->length / lengths->width;
        if (n >= LSR_CATALOGUE_ROWS_MAX || !cut_has(c, lengths, 0, n))
                return false;
        c->string_ends = lsr_xmalloc((n + 1) * sizeof(*c->string_ends));
        c->string_ends[0] = 0;
        for (uint64_t i = 0; i < n; i++) {
                uint64_t len = cut_value(lengths, i);

                if (len > text->length - end)
                        return false;
                c->string_ends[i + 1] = end += len;
        }
        c->n_strings = (uint32_t)n;
        return true;
}

/* A string of the whole, as one of the part. */
static bool cut_string(struct cut *c, uint64_t number, uint32_t *ret_number)
{
        const uint8_t *text = c->d.columns[COLUMN_STRINGS].data;
        uint64_t at, len;

        *ret_number = 0;
        if (number == 0)
                return true;
        if (!cut_strings(c) || number > c->n_strings)
                return false;
        at = c->string_ends[number - 1];
        len = c->string_ends[number] - at;
        return len == 0 || (cut_need(c, text + at, len) &&
                            catalogue_strings_add(&c->part->strings, text + at, len, ret_number) == 0);
}

static bool cut_add_attr(struct cut *c, uint64_t attr, uint32_t *ret_attr)
{
        struct lsr_catalogue *p = c->part;
        struct catalogue_attr a;

        if (attr >= c->whole.attrs)
                return false;
        if (c->attr_new[attr] == 0) {
                a = c->whole.attr_table[attr];
                if (!cut_string(c, a.user, &a.user) || !cut_string(c, a.group, &a.group) ||
                    !cut_string(c, a.method, &a.method))
                        return false;
                p->attr_table = cut_grow(p->attr_table, p->attrs + 1, sizeof(*p->attr_table));
                p->attr_table[p->attrs++] = a;
                c->attr_new[attr] = p->attrs;
        }
        *ret_attr = c->attr_new[attr] - 1;
        return true;
}

/* The rows from index @i on are one behind the other up to, not including, this index. */
static uint32_t cut_run(const struct lsr_catalogue *p, uint32_t i)
{
        return i > p->whole ? p->rows : i + 1;
}

static bool cut_wide(struct cut *c, unsigned id, uint64_t **ret_values)
{
        const struct decode_column *col = &c->d.columns[id];
        const struct lsr_catalogue *p = c->part;
        bool delta = col->encoding & ENCODING_DELTA;
        unsigned sum = id == COLUMN_POSITION ? SUM_POSITION : id == COLUMN_DATA ? SUM_DATA : SUMS;
        uint64_t previous = 0, done = 0, *to;

        if (!col->data)
                return true;
        *ret_values = to = lsr_xmalloc(p->rows * sizeof(*to));
        for (uint32_t i = 0, end; i < p->rows; i = end) {
                uint64_t first = p->row_of[i], n;

                end = cut_run(p, i);
                n = end - i;
                if (delta && sum < SUMS && cut_step(c, first) > done) {
                        done = cut_step(c, first);
                        previous = cut_before(c, (uint32_t)done, sum);
                }
                if (!cut_has(c, col, delta ? done : first, first + n))
                        return false;
                if (delta)
                        previous += cut_sum(col, done, first);
                decode_chunk(col, first, n, to + i, &previous);
                done = first + n;
        }
        return true;
}

static bool cut_narrow(struct cut *c, unsigned i, uint32_t **ret_values)
{
        const struct decode_column *col = &c->d.columns[encoding_narrows[i]];
        const struct lsr_catalogue *p = c->part;
        uint32_t *to;

        if (!col->data)
                return true;
        *ret_values = to = lsr_xmalloc(p->rows * sizeof(*to));
        for (uint32_t k = 0; k < p->rows; k++) {
                uint64_t v;

                if ((k <= p->whole || k == p->whole + 1) &&
                    !cut_has(c, col, p->row_of[k], (uint64_t)p->row_of[k] + cut_run(p, k) - k))
                        return false;
                v = cut_value(col, p->row_of[k]);
                if (v > UINT32_MAX)
                        return false;
                to[k] = (uint32_t)v;
                if (i >= NARROW_TARGET && !cut_string(c, v, &to[k]))
                        return false;
        }
        return true;
}

/* Hard links to rows of the part, which has none itself. */
static bool cut_links(struct cut *c)
{
        const struct decode_column *col = &c->d.columns[COLUMN_LINK];
        struct lsr_catalogue *p = c->part;
        uint32_t below = p->whole + 1 < p->rows ? p->row_of[p->whole + 1] : UINT32_MAX, last = p->row_of[p->rows - 1];

        if (!col->data)
                return true;
        if (!cut_has(c, col, 0, c->whole.rows))
                return false;
        for (uint32_t i = 0; i < p->rows; i++)
                if (cut_value(col, p->row_of[i]) != 0)
                        return false;
        for (uint32_t row = 0; row < c->whole.rows; row++) {
                uint64_t to = cut_value(col, row);

                if (to >= below && to <= last)
                        p->nlink[p->whole + 1 + (to - below)]++;
                else if (to != 0 && to == last && p->whole == p->rows)
                        p->nlink[p->rows - 1]++;
        }
        return true;
}

static bool cut_columns(struct cut *c)
{
        const struct decode_column *attr = &c->d.columns[COLUMN_ATTR];
        struct lsr_catalogue *p = c->part;

        p->attr = lsr_xmalloc(p->rows * sizeof(*p->attr));
        p->first = lsr_xmalloc(((size_t)p->rows + 1) * sizeof(*p->first));
        for (uint32_t i = 0; i < p->rows; i++) {
                /* They were looked at on the way here. */
                if (!cut_add_attr(c, cut_raw(attr, p->row_of[i]), &p->attr[i]))
                        return false;
                p->first[i] = i <= p->whole && i + 1 < p->rows ? i + 1 : p->rows;
        }
        p->first[p->rows] = p->rows;
        for (unsigned i = 0; i < WIDES; i++)
                if (!cut_wide(c, encoding_wides[i], &p->wide[i]))
                        return false;
        for (uint32_t i = 0; p->wide[WIDE_DATA] && p->wide[WIDE_POSITION] && i < p->rows; i++)
                p->wide[WIDE_DATA][i] += p->wide[WIDE_POSITION][i];
        for (unsigned i = 0; i < NARROWS; i++)
                if (!cut_narrow(c, i, &p->narrow[i]))
                        return false;
        return cut_links(c);
}

int lsr_catalogue_cut(const struct lsr_catalogue_source *source, const char *path, uint8_t **ret_data, size_t *ret_size)
{
        struct cut c = { .source = source, .first = 1 };
        int r = 1;

        c.part = memset(lsr_xmalloc(sizeof(*c.part)), 0, sizeof(*c.part));
        catalogue_strings_init(&c.part->strings);
        if (cut_open(&c) && cut_walk(&c, path) && cut_columns(&c))
                r = lsr_catalogue_encode(c.part, ret_data, ret_size);
        lsr_catalogue_free(c.part);
        free(c.whole.attr_table);
        free(c.attr_new);
        free(c.string_ends);
        return r;
}
