/*
 * convert-links - hard links to what a conversion stores, or has left out
 *
 * Where the format has none each of them is a file of its own.  The bundle is decoded once for all: what the first of
 * some links gets is kept for the others.  Where it cannot be kept, as there is no room, each waits for a pass of its
 * own.
 */
#include "pack/converting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "catalogue/catalogue.h"
#include "formats/format.h"

#define KEEP_READ ((size_t)64 << 10)

/* --- content that is kept ---------------------------------------------------------- */

void convert_keep_begin(struct convert *v, uint32_t row)
{
        lsr_spool_drop(&v->spool);
        v->keeps = v->next && !v->w->kind->hardlinks;
        for (uint32_t other = v->keeps ? v->next[lsr_catalogue_link(v->c, row)] : 0; v->keeps; other = v->next[other]) {
                if (other == 0)
                        v->keeps = false;
                else if (other != row && !(v->state[other] & CONVERT_DONE))
                        break;
        }
}

void convert_keep(struct convert *v, const void *data, size_t n)
{
        if (v->keeps && lsr_spool_write(&v->spool, data, n) < 0)
                v->keeps = false;
}

int convert_zeros(struct convert *v, uint64_t n)
{
        bool keeps = v->keeps && lsr_spool_hole(&v->spool, n) == 0;
        int r;

        v->keeps = false;
        r = lsr_write_zeros(convert_write, v, n);
        v->keeps = keeps;
        return r;
}

/* If its content is stored under another name, that @row is a link is lost. */
static void convert_lose(struct convert *v, uint32_t row)
{
        if (v->copied[lsr_catalogue_link(v->c, row)]) {
                lsr_autofree char *path = convert_path(v, row);

                lsr_pack_lost(v->stats, LSR_LOSS_HARDLINK, path);
        }
}

/* What was kept, as @row.  0 or a negative errno. */
static int keep_give(struct convert *v, uint32_t row)
{
        uint64_t at = 0;
        char buf[KEEP_READ];
        int r = 0;

        convert_lose(v, row);
        v->steps[v->at].row = row;
        v->begun = v->dropped = false;
        while (r >= 0 && at < v->spool.size) {
                ssize_t n = pread(v->spool.fd, buf, sizeof(buf), (off_t)at);

                if (n < 0 && errno == EINTR)
                        continue;
                r = n <= 0 ? (n < 0 ? -errno : -EIO) : convert_write(v, buf, (size_t)n);
                at += n > 0 ? (uint64_t)n : 0;
        }
        return r < 0 ? r : convert_end(v, row, 0);
}

int convert_keep_end(struct convert *v, uint32_t row, int error)
{
        bool keeps = v->keeps;
        int r = 0;

        v->keeps = false;
        if (!v->next || (!keeps && error == 0))
                return 0;
        for (uint32_t other = v->next[lsr_catalogue_link(v->c, row)]; other && r == 0; other = v->next[other]) {
                if (v->state[other] & CONVERT_DONE)
                        continue;
                /* What cannot be read for one cannot be read for the others. */
                r = error == 0 ? keep_give(v, other) : convert_end(v, other, error);
        }
        return r;
}

/* --- links -------------------------------------------------------------------------- */

static bool convert_waits(const struct convert *v, uint32_t row)
{
        uint32_t link = lsr_catalogue_link(v->c, row);

        return v->state[row] & CONVERT_WANTED && !(v->state[row] & CONVERT_DONE) && link != row &&
               convert_has_content(v, link);
}

/* The hard link @row to what is stored as v->copied[@link]. */
static int convert_link(struct convert *v, uint32_t row, uint32_t link)
{
        lsr_autofree char *target = convert_path(v, v->copied[link]);
        int r;

        convert_get(v, row);
        v->m.flags |= LSR_MEMBER_HARDLINK;
        v->m.target = target;
        v->m.target_len = strlen(target);
        v->m.meta.size = 0;
        r = convert_header(v, NULL, 0);
        if (r == 0)
                v->stats->digest += lsr_digest_member(&v->m, 0);
        return r < 0 ? r : 0;
}

/* Write @row, a hard link to content, or queue it for a pass: one of each file at a time. */
static int convert_link_or_queue(struct convert *v, uint32_t row, bool *ret_wait)
{
        uint32_t link = lsr_catalogue_link(v->c, row);

        if (v->copied[link] && v->w->kind->hardlinks) {
                v->state[row] |= CONVERT_DONE;
                return convert_link(v, row, link);
        } else if (v->state[link] & CONVERT_QUEUED) {
                *ret_wait = true;
                return 0;
        } else {
                convert_lose(v, row);
                v->state[link] |= CONVERT_QUEUED;
                convert_add(v, v->steps, &v->n, row);
        }
        v->state[row] |= CONVERT_DONE;
        return 0;
}

int convert_links(struct convert *v)
{
        uint32_t rows = lsr_catalogue_rows(v->c);
        bool wait;
        int r = 0;

        v->by_itself = false;
        v->next = calloc(rows, sizeof(*v->next));
        if (!v->next)
                return -ENOMEM;
        for (uint32_t row = rows; row-- > 1;) {
                if (!convert_waits(v, row))
                        continue;
                v->next[row] = v->next[lsr_catalogue_link(v->c, row)];
                v->next[lsr_catalogue_link(v->c, row)] = row;
        }
        do {
                wait = false;
                for (uint32_t row = 1; row < rows && r == 0; row++) {
                        if (convert_waits(v, row))
                                r = convert_link_or_queue(v, row, &wait);
                }
                if (r == 0)
                        r = convert_read(v);
                for (uint32_t row = 0; row < rows; row++)
                        v->state[row] &= (uint8_t)~CONVERT_QUEUED;
        } while (wait && r == 0);
        return r;
}
