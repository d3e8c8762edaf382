/*
 * subtree - the members that one path needs, out of an encoding
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
 * where these rows are.
 *
 * The rows become members like those of any driver.  What this cannot make out it
 * leaves to whoever decodes all: a path that is not there, names with something
 * odd in them, hard links, an encoding that is not valid.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/out.h"
#include "catalogue/builder.h"
#include "catalogue/decoding.h"

#define CUT_PATHS_MAX ((size_t)16) /* with more of them all members are sooner had */

/* A place among all rows. */
struct cut_place {
        uint32_t row;
        uint64_t name_at; /* where the names begin of it and those behind */
};

/* A row that is handed on. */
struct cut_row {
        uint32_t row;
        uint32_t links;
        const uint8_t *name;
        size_t len;
};

struct cut {
        const struct lsr_catalogue_source *source;
        struct decode d;
        struct lsr_catalogue whole; /* rows, and the table of attributes */
        struct cut_place names;
        uint32_t dirs_row; /* of the rows before it: */
        uint64_t dirs;     /* how many are directories */
        uint64_t first;    /* where the children of the next one begin */
        struct cut_row *rows;
        size_t n;
        size_t cap;
        size_t way;    /* so many lead there, the others are its children */
        uint8_t *seen; /* a bit for each row, of those that were handed on; NULL: there is one path */
        /* Strings: */
        uint64_t *string_ends; /* NULL until one is wanted */
        uint32_t n_strings;
        struct catalogue_strings words; /* of owners and methods, which end in NUL */
        bool *attr_seen;                /* its words are among these */
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
        if (lsr_try_resize(&w->attr_table, (size_t)n) < 0)
                return false;
        memset(w->attr_table, 0, (size_t)n * sizeof(*w->attr_table));
        for (unsigned i = 0; i < ENCODING_ATTRS; i++) {
                const struct decode_column *col = &c->d.columns[COLUMN_KNOWN + i];

                if (col->data &&
                    (!cut_has(c, col, 0, n) ||
                     decode_into(col, w->attrs, UINT32_MAX, (uint32_t *)w->attr_table + i, ENCODING_ATTRS) < 0))
                        return false;
        }
        for (uint32_t i = 0; i < w->attrs; i++)
                w->attr_table[i].known &= CATALOGUE_FIELDS;
        c->attr_seen = memset(lsr_xmalloc((size_t)n), 0, (size_t)n);
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
        for (unsigned i = 0; i < NARROWS_STORED; i++)
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

/* --- the rows ----------------------------------------------------------------------- */

static struct cut_row *cut_add(struct cut *c, uint32_t row, const uint8_t *name, size_t len)
{
        lsr_grow(&c->rows, c->n, &c->cap);
        c->rows[c->n] = (struct cut_row){ row, 1, name, len };
        return &c->rows[c->n++];
}

static bool cut_name_valid(const uint8_t *name, size_t len)
{
        return len > 0 && !memchr(name, '/', len) && !memchr(name, '\0', len) &&
               !(name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')));
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
                        cut_add(c, children.first + i, names.at, len);
                        return cut_name_valid(names.at, len);
                }
                names.at += len;
        }
        return false;
}

/* All children of the last row are added, and those of them that are directories know how many they have. */
static bool cut_add_children(struct cut *c, struct lsr_slice children)
{
        const struct decode_column *lengths = &c->d.columns[COLUMN_NAME_LENGTH];
        const struct cut_row *last = NULL;
        struct cut_names names;

        c->way = c->n;
        if (children.n == 0)
                return true;
        if (children.n > c->whole.rows / 2 || !cut_names(c, children, &names))
                return false;
        for (uint32_t i = 0; i < children.n; i++) {
                size_t len = cut_raw(lengths, children.first + i);
                struct lsr_slice below;
                uint32_t n;

                if (!cut_name_valid(names.at, len) ||
                    (last && catalogue_compare((const char *)last->name, last->len, (const char *)names.at, len) >= 0))
                        return false;
                last = cut_add(c, children.first + i, names.at, len);
                names.at += len;
                if (!cut_is_dir(c, children.first + i))
                        continue;
                if (!cut_children(c, children.first + i, &below) || !cut_count_dirs(c, below, &n))
                        return false;
                c->rows[c->n - 1].links = 2 + n;
        }
        return true;
}

/* The way along @path, and what is below. */
static bool cut_walk(struct cut *c, const char *path)
{
        cut_add(c, 0, NULL, 0);
        for (;;) {
                uint32_t row = c->rows[c->n - 1].row, dirs;
                struct lsr_slice children;
                size_t len;

                while (*path == '/')
                        path++;
                if (!cut_has(c, &c->d.columns[COLUMN_ATTR], row, (uint64_t)row + 1))
                        return false;
                if (row > 0 && !cut_is_dir(c, row))
                        break;
                if (!cut_is_dir(c, row) || !cut_children(c, row, &children) || !cut_count_dirs(c, children, &dirs))
                        return false;
                c->rows[c->n - 1].links = 2 + dirs;
                if (!*path)
                        return cut_add_children(c, children);
                len = strcspn(path, "/");
                if (!cut_enter(c, children, path, len))
                        return false;
                path += len;
        }
        c->way = c->n;
        /* What is behind a file lies in the bundle that it is; behind anything else is what it leads to. */
        return !*path || cut_is_file(c, c->rows[c->n - 1].row);
}

/* Hard links to these rows, none of which is one itself. */
static bool cut_links(struct cut *c)
{
        const struct decode_column *col = &c->d.columns[COLUMN_LINK];
        const struct cut_row *first = &c->rows[c->way < c->n ? c->way : c->n - 1];
        uint32_t last = c->rows[c->n - 1].row;

        if (!col->data)
                return true;
        if (!cut_has(c, col, 0, c->whole.rows))
                return false;
        for (uint32_t row = 0; row < c->whole.rows; row++) {
                uint64_t to = cut_value(col, row);

                if (to != 0 && to >= first->row && to <= last)
                        c->rows[first - c->rows + (to - first->row)].links++;
        }
        return true;
}

/* --- their columns ------------------------------------------------------------------ */

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

/* NULL: there is none.  False: the number is not valid. */
static bool cut_string(struct cut *c, uint64_t number, const char **ret_text, size_t *ret_len)
{
        const uint8_t *text = c->d.columns[COLUMN_STRINGS].data;

        *ret_text = NULL;
        *ret_len = 0;
        if (number == 0)
                return true;
        if (!cut_strings(c) || number > c->n_strings)
                return false;
        text += c->string_ends[number - 1];
        *ret_len = c->string_ends[number] - c->string_ends[number - 1];
        if (*ret_len > 0)
                *ret_text = (const char *)text;
        return cut_need(c, text, *ret_len);
}

/* String @number becomes one of the words. */
static bool cut_word(struct cut *c, uint32_t *number)
{
        const char *text;
        size_t len;

        return cut_string(c, *number, &text, &len) && catalogue_strings_add(&c->words, text, len, number) == 0;
}

static bool cut_attr(struct cut *c, uint64_t number, struct lsr_member *m)
{
        struct catalogue_attr *a;
        size_t len;

        if (number >= c->whole.attrs)
                return false;
        a = &c->whole.attr_table[number];
        if (!c->attr_seen[number] && (!cut_word(c, &a->user) || !cut_word(c, &a->group) || !cut_word(c, &a->method)))
                return false;
        c->attr_seen[number] = true;
        m->meta = (struct lsr_meta){ .known = (uint16_t)a->known, .mode = a->mode, .uid = a->uid, .gid = a->gid };
        m->user = catalogue_string(&c->words, a->user, &len);
        m->group = catalogue_string(&c->words, a->group, &len);
        m->method = catalogue_string(&c->words, a->method, &len);
        return true;
}

/* The rows from number @i on are one behind the other up to, not including, this number. */
static size_t cut_run(const struct cut *c, size_t i)
{
        return i < c->way ? i + 1 : c->n;
}

static bool cut_wide(struct cut *c, unsigned id, uint64_t **ret_values)
{
        const struct decode_column *col = &c->d.columns[id];
        bool delta = col->encoding & ENCODING_DELTA;
        unsigned sum = id == COLUMN_POSITION ? SUM_POSITION : id == COLUMN_DATA ? SUM_DATA : SUMS;
        uint64_t previous = 0, done = 0, *to = memset(lsr_xmalloc(c->n * sizeof(*to)), 0, c->n * sizeof(*to));

        *ret_values = to;
        for (size_t i = 0, end; col->data && i < c->n; i = end) {
                uint64_t first = c->rows[i].row, n;

                end = cut_run(c, i);
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

/* The values of row @i in the narrow columns; of a run all are had with the first. */
static bool cut_narrows(struct cut *c, size_t i, uint64_t values[static NARROWS_STORED])
{
        for (unsigned k = 0; k < NARROWS_STORED; k++) {
                const struct decode_column *col = &c->d.columns[encoding_narrows[k]];
                uint64_t row = c->rows[i].row;

                values[k] = 0;
                if (!col->data)
                        continue;
                if (i <= c->way && !cut_has(c, col, row, row + cut_run(c, i) - i))
                        return false;
                values[k] = cut_value(col, row);
                if (values[k] > UINT32_MAX)
                        return false;
        }
        return true;
}

/* --- the members -------------------------------------------------------------------- */

/* Row @i as a member, but for its path. */
static bool cut_member(struct cut *c, size_t i, uint64_t *const wide[static WIDES], struct lsr_member *m)
{
        uint64_t narrow[NARROWS_STORED];
        const char *xattrs;

        /* Attributes were looked at on the way here. */
        if (!cut_narrows(c, i, narrow) || !cut_attr(c, cut_raw(&c->d.columns[COLUMN_ATTR], c->rows[i].row), m) ||
            !cut_string(c, narrow[NARROW_TARGET], &m->target, &m->target_len) ||
            !cut_string(c, narrow[NARROW_RAW], &m->raw, &m->raw_len) ||
            !cut_string(c, narrow[NARROW_XATTRS], &xattrs, &m->xattrs_len))
                return false;
        m->xattrs = (const uint8_t *)xattrs;
        m->flags = (unsigned)narrow[NARROW_FLAGS] & CATALOGUE_FLAGS_STORED;
        m->packed = wide[WIDE_PACKED][i] - 1;
        m->position = wide[WIDE_POSITION][i];
        m->data = c->d.columns[COLUMN_DATA].data ? wide[WIDE_DATA][i] + m->position : 0;
        m->meta.size = wide[WIDE_SIZE][i];
        m->meta.rdev = (uint32_t)narrow[NARROW_RDEV];
        for (unsigned t = 0; t < LSR_TIMES; t++) {
                m->meta.sec[t] = (int64_t)wide[WIDE_SEC + t][i];
                m->meta.nsec[t] = (uint32_t)narrow[NARROW_NSEC + t];
        }
        m->meta.known |= LSR_FIELD_INODE | LSR_FIELD_NLINK;
        m->meta.inode = c->rows[i].row;
        m->meta.nlink = c->rows[i].links;
        return true;
}

/* A hard link shows what it leads to, which may be anywhere. */
static bool cut_leads(const struct lsr_member *m)
{
        return (m->flags & LSR_MEMBER_HARDLINK) && !(m->flags & LSR_MEMBER_DANGLING);
}

/* Is it one that was handed on for another path?  From now on it is. */
static bool cut_again(struct cut *c, uint32_t row)
{
        uint8_t bit = (uint8_t)(1 << row % 8), was;

        if (!c->seen)
                return false;
        was = c->seen[row / 8];
        c->seen[row / 8] = was | bit;
        return was & bit;
}

/* As lsr_catalogue_subtree(). */
static int cut_hand_on(struct cut *c, uint64_t *const wide[static WIDES], bool links, struct lsr_builder *builder)
{
        struct lsr_out path;
        size_t base = 0;
        int r = 0;

        lsr_out_init(&path, -1);
        for (size_t i = 0; i < c->n && r == 0; i++) {
                struct lsr_member m = {};

                path.len = base;
                if (base > 0)
                        lsr_out_putc(&path, '/');
                lsr_out_put(&path, (const char *)c->rows[i].name, c->rows[i].len);
                if (i < c->way)
                        base = path.len;
                m.path = path.len > 0 ? path.buf : "";
                m.path_len = path.len;
                if (!cut_member(c, i, wide, &m) || cut_leads(&m) || (links && S_ISLNK(m.meta.mode)))
                        r = 1;
                else if (!cut_again(c, c->rows[i].row))
                        r = lsr_builder_add(builder, &m);
        }
        lsr_out_free(&path);
        return r;
}

/* As lsr_catalogue_subtree(), but members may have been handed on. */
static int cut_path(struct cut *c, const char *path, bool links, struct lsr_builder *builder)
{
        uint64_t *wide[WIDES] = {};
        bool there;
        int r = 1;

        c->names = (struct cut_place){};
        c->dirs_row = 0;
        c->dirs = c->n = 0;
        c->first = 1;
        there = cut_walk(c, path) && cut_links(c);
        for (unsigned i = 0; i < WIDES && there; i++)
                there = cut_wide(c, encoding_wides[i], &wide[i]);
        if (there)
                r = cut_hand_on(c, wide, links, builder);
        for (unsigned i = 0; i < WIDES; i++)
                free(wide[i]);
        return r;
}

int lsr_catalogue_subtree(const struct lsr_catalogue_source *source, const char *const *paths, size_t n, bool links,
                          struct lsr_builder *builder, uint64_t *ret_members)
{
        struct cut c = { .source = source };
        size_t rows = 0;
        int r = 1;

        catalogue_strings_init(&c.words);
        if (n <= CUT_PATHS_MAX && cut_open(&c)) {
                size_t seen = c.whole.rows / 8 + 1;

                c.seen = n > 1 ? memset(lsr_xmalloc(seen), 0, seen) : NULL;
                r = 0;
        }
        for (size_t i = 0; i < n && r == 0; i++) {
                r = cut_path(&c, paths[i], links, builder);
                rows += c.n - c.way;
                if (r == 0 && rows > c.whole.rows / 2)
                        r = 1;
        }
        if (r > 0 && lsr_builder_count(builder) > 0) {
                r = lsr_builder_reset(builder);
                r = r < 0 ? r : 1;
        }
        *ret_members = c.whole.rows - 1;
        catalogue_strings_free(&c.words);
        free(c.rows);
        free(c.whole.attr_table);
        free(c.attr_seen);
        free(c.string_ends);
        free(c.seen);
        return r;
}
