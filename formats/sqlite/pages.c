/*
 * pages - how many rows and pages a table has, without reading it
 *
 * count(*) reads all leaves of a table, and dbstat what overflows from them, too.  But the pages above the leaves say
 * how many there are, and these are few: of a table of 200 MB about 130.  So the tree is walked level by level, and of
 * a level that is large some pages, evenly spread, speak for all.  A table whose levels are small is counted.
 *
 * Numbers are those of sqlite.org/fileformat2.html 1.6.  Pages may claim anything: of what cannot be nothing is told.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/sqlite/sqlite.h"

#define PAGES_LEVEL_MAX 1024u /* pages of a level that are all looked at: 4 MiB of a usual table */
#define PAGES_SAMPLE 64u      /* of a larger level */
#define PAGES_DEPTH_MAX 20u   /* as SQLite's own */
#define PAGES_BYTES_MAX ((size_t)1 << 16)

enum { PAGE_INDEX_INTERIOR = 2, PAGE_INTERIOR = 5, PAGE_INDEX_LEAF = 10, PAGE_LEAF = 13 };

/* The pages of one level that are known, and how many there are. */
struct pages_level {
        uint32_t *numbers;
        size_t n, cap;
        double total;
};

struct pages {
        struct lsr_sqlite *s;
        size_t page_size;
        size_t usable;
        uint64_t n_pages; /* of the database */
        uint8_t *page;
        double rows;
        double pages;
        uint64_t looked;
        bool exact;
};

/* Pages that overflow of a cell whose payload has @n bytes, 1.6. */
static double pages_overflow(const struct pages *p, bool index, uint64_t n)
{
        uint64_t u = p->usable, most = index ? (u - 12) * 64 / 255 - 23 : u - 35, least = (u - 12) * 32 / 255 - 23,
                 here;

        if (n <= most)
                return 0;
        here = least + (n - least) % (u - 4);
        here = here <= most ? here : least;
        return (double)((n - here) / (u - 4) + ((n - here) % (u - 4) != 0));
}

static bool pages_child(const struct pages *p, struct pages_level *below, uint32_t number)
{
        /* No page is twice in a tree. */
        if (number == 0 || number > p->n_pages || below->n > p->n_pages)
                return false;
        lsr_grow(&below->numbers, below->n, &below->cap);
        below->numbers[below->n++] = number;
        return true;
}

/* The page at hand stands for @weight of its level. */
static bool pages_look(struct pages *p, size_t header, uint8_t kind, double weight, struct pages_level *below)
{
        bool interior = kind == PAGE_INTERIOR || kind == PAGE_INDEX_INTERIOR,
             index = kind != PAGE_INTERIOR && kind != PAGE_LEAF;
        unsigned cells = lsr_be16(p->page + header + 3);
        size_t pointers = header + (interior ? 12 : 8);
        double overflow = 0;

        if (cells > (p->page_size - pointers) / 2)
                return false;
        for (unsigned i = 0; i < cells; i++) {
                size_t at = lsr_be16(p->page + pointers + 2 * (size_t)i);
                const uint8_t *cell;
                uint64_t payload;

                if (interior) {
                        if (at + 4 > p->page_size || !pages_child(p, below, lsr_be32(p->page + at)))
                                return false;
                        at += 4;
                }
                if (kind == PAGE_INTERIOR)
                        continue;
                cell = p->page + at;
                if (at > p->page_size || !lsr_sqlite_varint(&cell, p->page + p->page_size, &payload))
                        return false;
                overflow += pages_overflow(p, index, payload);
        }
        if (interior && !pages_child(p, below, lsr_be32(p->page + header + 8)))
                return false;
        if (kind != PAGE_INTERIOR)
                p->rows += weight * cells;
        p->pages += weight * overflow;
        return true;
}

/* An estimate may be too large; one that is twice of all there are is of no tree. */
static double pages_most(const struct pages *p)
{
        return p->exact ? (double)p->n_pages : 2 * (double)p->n_pages;
}

/* All pages of @level, or some of them; their children.  False: this is no tree. */
static bool pages_level(struct pages *p, const struct pages_level *level, struct pages_level *below, uint8_t *kind)
{
        size_t looked = level->n <= PAGES_LEVEL_MAX ? level->n : PAGES_SAMPLE;
        double weight = level->total / (double)looked;

        p->exact = p->exact && looked == level->n;
        p->pages += level->total;
        for (size_t i = 0; i < looked; i++) {
                uint32_t number = level->numbers[i * level->n / looked];
                size_t header = number == 1 ? 100 : 0;

                if (!lsr_sqlite_vfs_page(p->s->vfs, (uint64_t)(number - 1) * p->page_size, p->page, p->page_size))
                        return false;
                /* Trees of one database share no pages. */
                p->looked++;
                if (++p->s->looked > 2 * p->n_pages)
                        return false;
                if (i == 0)
                        *kind = p->page[header];
                if (p->page[header] != *kind || !pages_look(p, header, *kind, weight, below))
                        return false;
        }
        below->total = (double)below->n * weight;
        return below->total <= pages_most(p);
}

static bool pages_kind_is_known(uint8_t kind)
{
        return kind == PAGE_INDEX_INTERIOR || kind == PAGE_INTERIOR || kind == PAGE_INDEX_LEAF || kind == PAGE_LEAF;
}

static bool pages_walk(struct pages *p, uint32_t root)
{
        struct pages_level level = { .total = 1 };
        bool good = pages_child(p, &level, root), leaves = false;

        for (unsigned depth = 0; good && !leaves; depth++) {
                struct pages_level below = {};
                uint8_t kind = 0;

                good = depth < PAGES_DEPTH_MAX && pages_level(p, &level, &below, &kind) && pages_kind_is_known(kind);
                leaves = kind == PAGE_LEAF || kind == PAGE_INDEX_LEAF;
                free(level.numbers);
                level = below;
        }
        free(level.numbers);
        return good;
}

bool lsr_sqlite_measure(struct lsr_sqlite *s, uint32_t root, struct lsr_sqlite_extent *ret_extent)
{
        uint8_t head[100];
        struct pages p = { .s = s, .exact = true };
        bool good;

        if (!lsr_sqlite_vfs_page(s->vfs, 0, head, sizeof(head)))
                return false;
        p.page_size = lsr_be16(head + 16) == 1 ? PAGES_BYTES_MAX : lsr_be16(head + 16);
        /* What SQLite allows, which has opened it. */
        if (p.page_size < 512 || p.page_size - head[20] < 480)
                return false;
        p.usable = p.page_size - head[20];
        p.n_pages = lsr_sqlite_vfs_size(s->vfs) / p.page_size;
        p.page = lsr_xmalloc(p.page_size);
        good = pages_walk(&p, root);
        free(p.page);
        good = good && p.pages <= pages_most(&p) && p.rows <= pages_most(&p) * (double)p.page_size;
        if (good && p.pages > (double)p.n_pages)
                p.pages = (double)p.n_pages;
        if (good)
                *ret_extent = (struct lsr_sqlite_extent){ .rows = (uint64_t)p.rows,
                                                          .bytes = (uint64_t)p.pages * p.page_size,
                                                          .looked = p.looked,
                                                          .exact = p.exact };
        return good;
}
