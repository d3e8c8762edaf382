/*
 * leaves - the rows of an archive's table, decoded where they lie
 *
 * SQLite takes a row through its virtual machine, on one core, and half of that is not decoding.  Of a table that is
 * just what sqlite.org/sqlar.html says, the pages above the leaves tell which pages have rows, in their order:
 *
 *      leaves     | 17 18 21 .. | 940 943 .. | 1811 .. |       numbers, from the pages above
 *      threads          0             1           0            decode them
 *      the caller      add  ────────► add ──────► add          in their order
 *
 * Whatever is not as a sound archive has it is left to SQLite from that row on, with the rest of its piece: so errors
 * are found and reported in one place, and odd values have one meaning.
 *
 * The contents that lie between the leaves are not read from the disk: pages are announced as soon as they are known,
 * those that are close to each other as one range.
 *
 * Numbers are those of sqlite.org/fileformat2.html 1.6 and 2.1.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/sqlite/archive.h"

#define LEAVES_GAP ((uint64_t)32 << 10)        /* bytes that are rather read than left out */
#define LEAVES_RANGE_MAX ((uint64_t)128 << 10) /* what a kernel reads ahead without being told how much */
#define LEAVES_COLD_MIN ((uint64_t)4 << 20)    /* below, a few reads get all of it */
#define LEAVES_COLUMNS 5u
#define LEAVES_TARGET_MAX 4096u
#define LEAVES_BUFFER ((size_t)8 << 10)   /* for a name and a target */
#define LEAVES_BEHIND ((uint64_t)4 << 10) /* a leaf, what overflows of it */
#define LEAVES_MAPPED ((uint64_t)2 << 20) /* of the map in a thread, before it is given back */
#define LEAVES_STRAYS 16u                 /* pages above leaves, before all of it is */
/* Leaves between the one at hand and those looked at in time: first the header, which has the offsets of cells. */
#define LEAVES_HEADER 8u
#define LEAVES_CELL 4u

enum { LEAVES_INTERIOR = 5, LEAVES_LEAF = 13 };
enum { VALUE_REAL = 7, VALUE_ONE = 9, VALUE_BYTES = 12 };

/* --- which they are ------------------------------------------------------------------ */

static const uint8_t *leaves_page(const struct archive_leaves *l, uint32_t number)
{
        return number > 1 && number <= l->n_pages ? l->map + (number - 1) * (uint64_t)l->page_size : NULL;
}

/* A page, mapped or read to where the next level has its own. */
static const uint8_t *leaves_look(const struct archive_leaves *l, uint32_t number)
{
        uint8_t *copy;

        if (l->map)
                return leaves_page(l, number);
        if (number <= 1 || number > l->n_pages)
                return NULL;
        copy = l->copies + l->depth * l->page_size;
        return lsr_sqlite_vfs_page(l->vfs, (number - 1) * (uint64_t)l->page_size, copy, l->page_size) ? copy : NULL;
}

/* Child @i of a page above, with the greatest rowid that is below it; NULL: there is no such. */
static uint32_t leaves_child(const struct archive_leaves *l, const struct archive_level *level, unsigned i,
                             int64_t *ret_last)
{
        const uint8_t *end = level->page + l->usable, *at;
        uint64_t key;
        size_t cell;

        *ret_last = level->last;
        if (i == level->n)
                return lsr_be32(level->page + 8);
        cell = lsr_be16(level->page + 12 + 2 * (size_t)i);
        if (cell > l->usable - 4)
                return 0;
        at = level->page + cell + 4;
        if (!lsr_sqlite_varint(&at, end, &key))
                return 0;
        *ret_last = (int64_t)key;
        return lsr_be32(level->page + cell);
}

static void leaves_want(const struct archive_leaves *l, uint64_t from, uint64_t to)
{
        uint64_t size = l->n_pages * l->page_size;

        if (from < size && to > from)
                lsr_input_map_want(l->input, from, (to < size ? to : size) - from);
}

/* Have the children of @level read, if they are not at hand. */
static void leaves_announce(const struct archive_leaves *l, const struct archive_level *level)
{
        uint64_t from = 0, to = 0;
        int64_t last;

        for (unsigned i = 0; i <= level->n; i++) {
                uint64_t number = leaves_child(l, level, i, &last), at = (number - 1) * l->page_size;

                if (number == 0 || number > l->n_pages)
                        return;
                if (at < from || at > to + LEAVES_GAP || at + l->page_size - from > LEAVES_RANGE_MAX) {
                        leaves_want(l, from, to);
                        from = at;
                }
                to = at + l->page_size + LEAVES_BEHIND;
        }
        leaves_want(l, from, to);
}

/* Go down to page @number.  False: it is none above leaves. */
static bool leaves_enter(struct archive_leaves *l, uint32_t number, int64_t last)
{
        struct archive_level *level = &l->levels[l->depth];
        const uint8_t *page;

        /* No page is twice in a tree. */
        if (l->depth == ARCHIVE_DEPTH_MAX || l->walked++ > l->n_pages)
                return false;
        page = leaves_look(l, number);
        if (!page || *page != LEAVES_INTERIOR)
                return false;
        *level = (struct archive_level){ .page = page, .n = lsr_be16(page + 3), .last = last };
        if (level->n > (l->usable - 12) / 2)
                return false;
        l->depth++;
        /* These pages, and names that overflow, lie anywhere. */
        if (l->walked % LEAVES_STRAYS == 0)
                lsr_input_map_rest(l->input, 0, l->n_pages * l->page_size);
        if (l->cold)
                leaves_announce(l, level);
        return true;
}

bool archive_leaves_begin(struct archive_leaves *l, const struct lsr_sqlite *s, uint32_t root, bool copy)
{
        uint8_t head[21];
        uint64_t size;

        *l = (struct archive_leaves){ .input = s->scan->input, .vfs = s->vfs, .first = INT64_MIN };
        l->map = lsr_sqlite_vfs_where(s->vfs, LEAVES_COLD_MIN, &size, &l->cold);
        if (size < 512)
                return false;
        if (l->map)
                memcpy(head, l->map, sizeof(head));
        else if (!copy || !lsr_sqlite_vfs_page(s->vfs, 0, head, sizeof(head)))
                return false;
        l->page_size = lsr_be16(head + 16) == 1 ? 1u << 16 : lsr_be16(head + 16);
        if (l->page_size < 512 || l->page_size - head[20] < 480)
                return false;
        l->usable = l->page_size - head[20];
        l->n_pages = size / l->page_size;
        if (!l->map)
                l->copies = lsr_xmalloc((ARCHIVE_DEPTH_MAX + 1) * l->page_size);
        return leaves_enter(l, root, INT64_MAX);
}

void archive_leaves_end(struct archive_leaves *l)
{
        free(l->copies);
        l->copies = NULL;
}

unsigned archive_leaves_next(struct archive_leaves *l, struct archive_leaf *leaves, unsigned most)
{
        unsigned n = 0;

        while (n < most && l->depth > 0 && !l->broken) {
                struct archive_level *level = &l->levels[l->depth - 1];
                uint32_t number;
                int64_t last;

                if (level->at > level->n) {
                        l->depth--;
                        continue;
                }
                number = leaves_child(l, level, level->at++, &last);
                l->broken = number <= 1 || number > l->n_pages || last < l->first;
                /* They are all at one depth, so only the first is looked at, which may be damaged. */
                if (!l->broken && !l->leaves) {
                        const uint8_t *page = leaves_look(l, number);

                        l->broken = !page;
                        if (page && *page != LEAVES_INTERIOR)
                                l->leaves = l->depth;
                }
                if (l->broken) {
                        break;
                } else if (l->depth == l->leaves) {
                        /* Nor is a leaf. */
                        l->broken = l->given++ > l->n_pages;
                        leaves[n++] = (struct archive_leaf){ number, l->first, last };
                        l->first = last < INT64_MAX ? last + 1 : last;
                } else {
                        l->broken = !leaves_enter(l, number, last);
                }
        }
        return n;
}

unsigned archive_leaves_around(struct archive_leaves *l, struct archive_leaf *leaves, unsigned most)
{
        unsigned n = 0;

        while (n < most && l->depth > 0 && !l->broken) {
                struct archive_level *level = &l->levels[l->depth - 1];
                const uint8_t *page;
                uint32_t number;
                int64_t last;

                if (level->at > level->n) {
                        l->depth--;
                        continue;
                }
                number = leaves_child(l, level, level->at++, &last);
                l->broken = last < l->first || l->given > l->n_pages;
                page = l->broken ? NULL : leaves_look(l, number);
                if (page && *page == LEAVES_LEAF) {
                        l->given++;
                        leaves[n++] = (struct archive_leaf){ number, l->first, last };
                } else if (page && leaves_enter(l, number, last)) {
                        continue;
                }
                l->first = last < INT64_MAX ? last + 1 : last;
        }
        return n;
}

/* --- what is in them ------------------------------------------------------------------ */

/* The values of a row, one after the other. */
struct leaves_values {
        const uint8_t *head, *head_end;
        const uint8_t *at, *end; /* what is in the leaf */
        uint64_t left;           /* bytes that there are, in the leaf or not */
};

/* The next value: what kind it is, and how long.  False: there is none such. */
static bool leaves_value(struct leaves_values *v, uint64_t *ret_type, uint64_t *ret_len)
{
        static const uint8_t sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
        uint64_t type;

        if (!lsr_sqlite_varint(&v->head, v->head_end, &type) || (type >= sizeof(sizes) && type < VALUE_BYTES))
                return false;
        *ret_type = type;
        *ret_len = type >= VALUE_BYTES ? (type - VALUE_BYTES) / 2 : sizes[type];
        if (*ret_len > v->left)
                return false;
        v->left -= *ret_len;
        return true;
}

/* The bytes of that value, all of which must be in the leaf. */
static const uint8_t *leaves_take(struct leaves_values *v, uint64_t len)
{
        const uint8_t *at = v->at;

        if (len > (uint64_t)(v->end - at))
                return NULL;
        v->at += len;
        return at;
}

static bool leaves_integer(struct leaves_values *v, struct archive_row *row, enum archive_column column)
{
        uint64_t type, len, number;
        const uint8_t *at;

        if (!leaves_value(v, &type, &len) || type == VALUE_REAL || type >= VALUE_BYTES)
                return false;
        at = leaves_take(v, len);
        if (!at)
                return false;
        if (type == 0)
                return true;
        number = type == VALUE_ONE ? 1 : 0;
        if (len > 0)
                number = *at & 0x80 ? UINT64_MAX : 0;
        for (uint64_t i = 0; i < len; i++)
                number = number << 8 | at[i];
        row->has |= 1u << column;
        row->numbers[column] = (int64_t)number;
        return true;
}

/* What length() says and, of a link, where it leads. */
static bool leaves_data(struct leaves_values *v, struct archive_row *row)
{
        bool link = archive_has(row, ARCHIVE_SIZE) && row->numbers[ARCHIVE_SIZE] == -1;
        uint64_t type, len;

        row->target = NULL;
        row->target_len = 0;
        if (!leaves_value(v, &type, &len))
                return false;
        if (type == 0)
                return true;
        /* Of a number length() counts digits, of a text characters. */
        if (type < VALUE_BYTES || (type % 2 && !(link && len <= LEAVES_TARGET_MAX)))
                return false;
        row->has |= 1u << ARCHIVE_PACKED;
        row->numbers[ARCHIVE_PACKED] = (int64_t)len;
        if (!link || len == 0 || len > LEAVES_TARGET_MAX)
                return true;
        row->target = (const char *)leaves_take(v, len);
        row->target_len = (size_t)len;
        return row->target;
}

/* The row of @payload bytes that begins with these @n.  False: it has other values, or they do not suffice. */
static bool leaves_decode(const uint8_t *at, size_t n, uint64_t payload, struct archive_row *row)
{
        struct leaves_values v = { .head = at, .end = at + n };
        uint64_t header, type, len;

        if (!lsr_sqlite_varint(&v.head, v.end, &header) || header > n)
                return false;
        v.head_end = v.at = at + header;
        v.left = payload - header;
        row->has = 1u << ARCHIVE_ROWID;
        if (!leaves_value(&v, &type, &len) || (type > 0 && type < VALUE_BYTES))
                return false;
        row->name = (const char *)leaves_take(&v, len);
        row->name_len = (size_t)len;
        if (!row->name)
                return false;
        /* As SQLite has them. */
        if (len == 0)
                row->name = NULL;
        return leaves_integer(&v, row, ARCHIVE_MODE) && leaves_integer(&v, row, ARCHIVE_MTIME) &&
               leaves_integer(&v, row, ARCHIVE_SIZE) && leaves_data(&v, row) && v.left == 0 && v.head == v.head_end;
}

/* Fill @buf from @done to @n with what overflows of a row, from page @number on.  False: it is not there. */
static bool leaves_gather(const struct archive_leaves *l, uint32_t number, uint8_t *buf, size_t done, size_t n)
{
        while (done < n) {
                const uint8_t *page = leaves_page(l, number);
                size_t part = n - done < l->usable - 4 ? n - done : l->usable - 4;

                if (!page)
                        return false;
                memcpy(buf + done, page + 4, part);
                done += part;
                number = lsr_be32(page);
        }
        return true;
}

/*
 * The row of the cell at @at, with its texts there or in @buf.  False: SQLite shall look at it.  What is not in the
 * leaf overflows into pages of its own: content, and on small pages names, too.
 */
static bool leaves_row(const struct archive_leaves *l, const uint8_t *at, const uint8_t *end,
                       uint8_t buf[static LEAVES_BUFFER], struct archive_row *row)
{
        size_t most = l->usable - 35, least = (l->usable - 12) * 32 / 255 - 23, here;
        uint64_t payload, rowid;
        bool good;

        if (!lsr_sqlite_varint(&at, end, &payload) || !lsr_sqlite_varint(&at, end, &rowid) || payload > INT32_MAX)
                return false;
        row->numbers[ARCHIVE_ROWID] = (int64_t)rowid;
        here = payload <= most ? (size_t)payload : least + (payload - least) % (l->usable - 4);
        here = here <= most ? here : least;
        if (here + (here < payload ? 4 : 0) > (size_t)(end - at))
                return false;
        good = leaves_decode(at, here, payload, row);
        for (size_t n = here + l->usable - 4; !good && here < payload && n < LEAVES_BUFFER; n *= 2) {
                memcpy(buf, at, here);
                n = n < payload ? n : (size_t)payload;
                if (!leaves_gather(l, lsr_be32(at + here), buf, here, n))
                        return false;
                good = leaves_decode(buf, n, payload, row);
                if (n == payload)
                        break;
        }
        return good;
}

unsigned archive_leaf_rowids(const struct archive_leaves *l, uint32_t number, int64_t ret[static ARCHIVE_LEAF_ROWS])
{
        const uint8_t *page = leaves_look(l, number);
        unsigned cells, n = 0;

        if (!page || *page != LEAVES_LEAF)
                return 0;
        cells = lsr_be16(page + 3);
        if (cells > (l->usable - 8) / 2)
                return 0;
        for (unsigned c = 0; c < cells; c++) {
                size_t cell = lsr_be16(page + 8 + 2 * (size_t)c);
                const uint8_t *at = page + cell, *end = page + l->usable;
                uint64_t payload, rowid;

                if (cell < l->usable && lsr_sqlite_varint(&at, end, &payload) && lsr_sqlite_varint(&at, end, &rowid))
                        ret[n++] = (int64_t)rowid;
        }
        return n;
}

/* Numbers were checked when they were given out, and a page may claim anything. */
static void leaves_look_ahead(const struct archive_leaves *l, const struct archive_leaf *leaves, unsigned i, unsigned n)
{
        if (i + LEAVES_HEADER < n)
                __builtin_prefetch(leaves_page(l, leaves[i + LEAVES_HEADER].number));
        if (i + LEAVES_CELL < n) {
                const uint8_t *page = leaves_page(l, leaves[i + LEAVES_CELL].number);
                size_t cell = lsr_be16(page + 8) & (l->page_size - 1);

                __builtin_prefetch(page + cell);
                __builtin_prefetch(page + cell + 64);
        }
}

/* What was read of the map since it was given back last. */
struct leaves_touched {
        uint64_t from, to;
        unsigned n; /* leaves */
};

/* A leaf may bring 2 MiB of the map, where that is one folio of the page cache. */
static void leaves_touch(const struct archive_leaves *l, struct leaves_touched *t, uint64_t at)
{
        if (t->n == 0 || at < t->from)
                t->from = at;
        if (t->n == 0 || at > t->to)
                t->to = at;
        t->n++;
        if (t->to - t->from < LEAVES_MAPPED)
                return;
        lsr_input_map_rest(l->input, t->from, t->to - t->from);
        t->n = 0;
}

bool archive_leaves_rows(const struct archive_leaves *l, const struct archive_leaf *leaves, unsigned n,
                         struct archive_sink *sink)
{
        struct leaves_touched touched = { .n = 0 };
        uint8_t buf[LEAVES_BUFFER];
        bool good = true;

        for (unsigned i = 0; i < n && good; i++) {
                const uint8_t *page = leaves_page(l, leaves[i].number);
                unsigned cells = lsr_be16(page + 3);

                if (!l->cold)
                        leaves_look_ahead(l, leaves, i, n);
                good = *page == LEAVES_LEAF && cells <= (l->usable - 8) / 2;
                for (unsigned c = 0; c < cells && good; c++) {
                        size_t cell = lsr_be16(page + 8 + 2 * (size_t)c);
                        struct archive_row row;

                        good = cell < l->usable && leaves_row(l, page + cell, page + l->usable, buf, &row) &&
                               row.numbers[ARCHIVE_ROWID] >= leaves[i].first &&
                               row.numbers[ARCHIVE_ROWID] <= leaves[i].last;
                        if (good)
                                sink->result = sink->take(sink->ctx, &row);
                        good = good && sink->result == 0;
                }
                leaves_touch(l, &touched, (uint64_t)(page - l->map));
        }
        if (touched.n > 0)
                lsr_input_map_rest(l->input, touched.from, touched.to + l->page_size - touched.from);
        return good;
}
