/*
 * newest - which member below a directory has the newest time of modification
 *
 * Rows are in breadth-first order: from the last to the first, all that is below a row has been seen when its turn
 * comes.  So one pass is enough for all directories.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "catalogue/columns.h"

#define NEWEST_UNKNOWN UINT32_MAX /* not all that is below is here */

static bool newest_is_later(const struct lsr_catalogue *c, uint32_t a, uint32_t b)
{
        struct lsr_member x, y;

        lsr_catalogue_get(c, a, &x);
        lsr_catalogue_get(c, b, &y);
        if (x.meta.sec[LSR_MTIME] != y.meta.sec[LSR_MTIME])
                return x.meta.sec[LSR_MTIME] > y.meta.sec[LSR_MTIME];
        return x.meta.nsec[LSR_MTIME] > y.meta.nsec[LSR_MTIME];
}

static void newest_pass(struct lsr_catalogue *c)
{
        for (uint32_t row = c->rows - 1; row > 0; row--) {
                uint32_t *up = &c->newest[c->parent[row]], best = c->newest[row];
                struct lsr_member m;

                lsr_catalogue_get(c, row, &m);
                if (m.flags & LSR_MEMBER_UNREAD)
                        best = NEWEST_UNKNOWN;
                if (best != NEWEST_UNKNOWN && (m.meta.known & LSR_FIELD_MTIME) &&
                    (best == 0 || newest_is_later(c, row, best)))
                        best = row;
                if (best == NEWEST_UNKNOWN ||
                    (*up != NEWEST_UNKNOWN && best && (!*up || newest_is_later(c, best, *up))))
                        *up = best;
        }
}

uint32_t lsr_catalogue_newest(struct lsr_catalogue *c, uint32_t row)
{
        /* Of an answer from a table only some of the rows below it are here. */
        if (c->narrow[NARROW_NUMBER])
                return 0;
        if (!c->newest) {
                if (lsr_try_resize(&c->newest, c->rows) < 0)
                        return 0;
                memset(c->newest, 0, c->rows * sizeof(*c->newest));
                newest_pass(c);
        }
        return c->newest[row] == NEWEST_UNKNOWN ? 0 : c->newest[row];
}
