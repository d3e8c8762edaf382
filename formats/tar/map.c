/*
 * map - where the stored content of a sparse member belongs
 *
 * GNU tar has written this in four ways: binary in the header and blocks
 * behind it, as pairs of pax records, as one pax record, and as lines of text
 * at the start of the content (which tar.c reads, since it has the input).  A
 * map is used only if its pieces ascend and fit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/tar/tar.h"

int tar_map_add(struct tar_map *m, uint64_t offset, uint64_t size)
{
        if (m->n >= lsr_limit(LSR_LIMIT_PIECES))
                return -E2BIG;
        lsr_grow(&m->pieces, m->n, &m->cap);
        m->pieces[m->n++] = (struct tar_piece){ offset, size };
        return 0;
}

int tar_map_gnu(struct tar_map *m, const uint8_t *entries, unsigned n)
{
        for (unsigned i = 0; i < n; i++, entries += 24) {
                int64_t offset, size;
                int r;

                if (entries[0] == '\0')
                        break;
                if (tar_number(entries, 12, &offset) != 0 || tar_number(entries + 12, 12, &size) != 0 || offset < 0 ||
                    size < 0)
                        return -EBADMSG;
                r = tar_map_add(m, (uint64_t)offset, (uint64_t)size);
                if (r < 0)
                        return r;
        }
        return 0;
}

int tar_decimal(const char **at, const char *end, uint64_t *ret_number)
{
        const char *p = *at;
        uint64_t v = 0;

        if (p == end)
                return -EBADMSG;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
                if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (unsigned)(*p - '0'), &v))
                        return -EBADMSG;
        if (p == *at || v > TAR_NUMBER_MAX)
                return -EBADMSG;
        *at = p;
        *ret_number = v;
        return 0;
}

int tar_map_text(struct tar_map *m, struct tar_text text)
{
        const char *p = text.s, *end = text.s + text.len;

        while (p < end) {
                uint64_t offset, size;
                int r = tar_decimal(&p, end, &offset);

                if (r < 0 || p == end || *p++ != ',')
                        return -EBADMSG;
                r = tar_decimal(&p, end, &size);
                if (r < 0 || (p < end && *p++ != ','))
                        return -EBADMSG;
                r = tar_map_add(m, offset, size);
                if (r < 0)
                        return r;
        }
        return 0;
}

bool tar_map_valid(const struct tar_map *m, uint64_t real_size, uint64_t stored)
{
        uint64_t at = 0, sum = 0;

        for (size_t i = 0; i < m->n; i++) {
                const struct tar_piece *p = &m->pieces[i];

                /* All of them are below 2^63. */
                if (p->offset < at || p->offset > real_size || p->size > real_size - p->offset)
                        return false;
                at = p->offset + p->size;
                sum += p->size;
        }
        return sum <= stored;
}
