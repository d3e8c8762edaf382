/*
 * prefetch - prefetch the pages that SQLite will read next
 *
 * A scan of a table looks at a few bytes of each of its leaves, which lie
 * kilobytes apart, with content between them: waiting for memory is a third of
 * what it takes.  The page above the leaves says where they are, so those a few
 * steps ahead are asked for in time: first the header, which tells where its
 * first cell is, and then that.  Numbers are those of sqlite.org/fileformat2.html 1.6.
 */
#include "base/bytes.h"
#include "formats/sqlite/sqlite.h"

enum { AHEAD_INTERIOR = 0x05, AHEAD_LEAF = 0x0d };

/* Leaves between the one at hand and the one that is asked for. */
#define AHEAD_HEADER 8u
#define AHEAD_CELL 4u

#define AHEAD_PAGE_MIN ((size_t)512)

/* Child @i of the page above, which may claim anything; NULL: there is none. */
static const uint8_t *ahead_leaf(const struct lsr_sqlite_ahead *a, unsigned i)
{
        size_t cell;
        uint64_t number;

        if (i >= a->children)
                return NULL;
        cell = lsr_be16(a->above + 12 + 2 * (size_t)i);
        if (cell > a->page - 4)
                return NULL;
        number = lsr_be32(a->above + cell);
        return number > 0 && number <= a->size / a->page ? a->map + (number - 1) * a->page : NULL;
}

void lsr_sqlite_look_ahead(struct lsr_sqlite_ahead *a, const uint8_t *page, size_t n)
{
        const uint8_t *leaf;

        if (*page == AHEAD_INTERIOR && n >= AHEAD_PAGE_MIN) {
                unsigned children = lsr_be16(page + 3);

                a->above = page;
                a->page = n;
                a->children = children <= (n - 12) / 2 ? children : 0;
                a->at = 0;
        } else if (*page == AHEAD_LEAF && n == a->page) {
                a->at++;
                leaf = ahead_leaf(a, a->at + AHEAD_HEADER);
                if (leaf)
                        __builtin_prefetch(leaf);
                leaf = ahead_leaf(a, a->at + AHEAD_CELL);
                if (leaf) {
                        size_t cell = lsr_be16(leaf + 8) & (n - 1);

                        __builtin_prefetch(leaf + cell);
                        __builtin_prefetch(leaf + cell + 64);
                }
        }
}
