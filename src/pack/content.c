/*
 * content - streams of extents
 *
 * A file that is being written to cannot be read as of one moment. lsr
 * promises that the bundle is valid and that the change is reported: the size
 * is taken from the open file, and size and times are compared after the last
 * byte.
 *
 * Some file systems state a wrong size, often 0 (/proc, /sys, many in user
 * space), so the end of a file is found by reading.
 */
#include "pack/content.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/format.h"
#include "io/stream.h"

#define CONTENT_WHOLE_MIN ((size_t)64 << 10)
#define CONTENT_EXTENTS_MAX ((size_t)1 << 20) /* of a file; what lies behind is taken as data */

void lsr_content_digest(struct lsr_digest *d, uint64_t size, const struct lsr_extent *extents, size_t n)
{
        uint8_t numbers[16];

        lsr_digest_begin(d);
        lsr_put_le64(numbers, size);
        lsr_digest_add(d, numbers, 8);
        for (size_t i = 0; i < n; i++) {
                if (extents[i].size == 0)
                        continue;
                lsr_put_le64(numbers, extents[i].offset);
                lsr_put_le64(numbers + 8, extents[i].size);
                lsr_digest_add(d, numbers, 16);
        }
}

/* Find the extents of data.  If there are no holes, or after an error, extents is NULL. */
static void content_map(struct lsr_content *c)
{
        size_t cap = 0;
        off_t at = 0, size = (off_t)c->size;

        while (at < size) {
                off_t begin = lseek(c->fd, at, SEEK_DATA), end;

                lsr_io_count(c->io, 2);
                if (begin < 0 && errno != ENXIO) {
                        free(c->extents);
                        c->extents = NULL;
                        c->n_extents = 0;
                        return;
                }
                if (begin < 0 || begin >= size)
                        break;
                end = lseek(c->fd, begin, SEEK_HOLE);
                if (end <= begin || end > size || c->n_extents + 1 == CONTENT_EXTENTS_MAX)
                        end = size;
                lsr_grow(&c->extents, c->n_extents, &cap);
                c->extents[c->n_extents++] = (struct lsr_extent){ (uint64_t)begin, (uint64_t)(end - begin) };
                at = end;
        }
        if (!c->extents)
                c->extents = lsr_xmalloc(sizeof(*c->extents)); /* all hole */
        if (c->n_extents == 1 && c->extents[0].size == c->size) {
                free(c->extents);
                c->extents = NULL;
                c->n_extents = 0;
        }
}

int lsr_content_open(struct lsr_content *c, int dirfd, const char *name, bool sparse)
{
        c->fd = lsr_io_open_file(c->io, dirfd, name, c->follow);
        if (c->fd < 0)
                return c->fd;
        lsr_io_count(c->io, 1);
        if (fstat(c->fd, &c->st) < 0 || !S_ISREG(c->st.st_mode)) {
                close(c->fd);
                return 1;
        }
        c->size = (uint64_t)c->st.st_size;
        if (sparse)
                content_map(c);
        lsr_content_digest(&c->digest, c->size, c->extents, c->n_extents);
        return 0;
}

static int content_give(void *ctx, const void *data, size_t n)
{
        struct lsr_content *c = ctx;

        lsr_digest_add(&c->digest, data, n);
        return c->write(c->ctx, data, n);
}

/* Copy one extent; zeros after an error. */
static int content_extent(struct lsr_content *c, const struct lsr_extent *extent)
{
        uint64_t left = extent->size;
        struct lsr_stream *s = NULL;
        bool good = c->error == 0 && c->read == c->size;
        int r = 0;

        if (good)
                r = lsr_stream_new(&s, c->io, c->fd, extent->offset, extent->offset + extent->size);
        while (good && r >= 0 && left > 0) {
                const uint8_t *data;
                ssize_t n = lsr_stream_next(s, &data);

                if (n > 0) {
                        r = content_give(c, data, (size_t)n);
                        left -= (size_t)n;
                } else if (n != -EINTR) {
                        c->error = (int)n;
                        c->read = extent->offset + extent->size - left;
                        good = false;
                }
        }
        lsr_stream_free(s);
        return r < 0 ? r : lsr_write_zeros(content_give, c, left);
}

int lsr_content_whole(struct lsr_content *c, size_t max, uint8_t **ret_buf, size_t *ret_n)
{
        size_t cap = CONTENT_WHOLE_MIN < max ? CONTENT_WHOLE_MIN : max, n = 0;
        uint8_t *buf = lsr_xmalloc(cap + 1);
        ssize_t some;

        /* One byte more than there is room for tells whether there are more. */
        while (true) {
                some = lsr_io_read_at(c->io, c->fd, buf + n, cap + 1 - n, n);
                if (some < 0) {
                        free(buf);
                        return (int)some;
                }
                n += (size_t)some;
                if (n <= cap || cap == max)
                        break;
                cap = 2 * cap < max ? 2 * cap : max;
                buf = lsr_xrealloc(buf, cap + 1);
        }
        c->longer = n > max;
        *ret_buf = buf;
        *ret_n = n > max ? max : n;
        return 0;
}

int lsr_content_copy(struct lsr_content *c)
{
        const struct lsr_extent all = { 0, c->size }, *extents = c->extents ? c->extents : &all;
        size_t n = c->extents ? c->n_extents : 1;
        struct stat st;
        uint8_t more;
        int r = 0;

        c->read = c->size;
        for (size_t i = 0; i < n && r >= 0; i++)
                r = content_extent(c, &extents[i]);
        if (r < 0)
                return r;
        c->longer = c->read == c->size && lsr_io_read_at(c->io, c->fd, &more, 1, c->size) == 1;
        lsr_io_count(c->io, 1);
        if (fstat(c->fd, &st) == 0) {
                c->grew = st.st_size > c->st.st_size;
                c->changed = st.st_mtim.tv_sec != c->st.st_mtim.tv_sec || st.st_mtim.tv_nsec != c->st.st_mtim.tv_nsec;
        }
        return 0;
}

void lsr_content_close(struct lsr_content *c)
{
        close(c->fd);
        lsr_io_count(c->io, 1);
        free(c->extents);
        c->extents = NULL;
}
