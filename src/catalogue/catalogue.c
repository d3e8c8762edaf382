/*
 * catalogue - plain arrays, one per column
 *
 * A row is put together when it is asked for, so a listing touches the columns
 * of the rows that it shows and nothing else.  The start of the children is
 * kept for every row and not only for directories: 4 bytes a row buy that the
 * children of any row are two reads.
 */
#include "catalogue/catalogue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "catalogue/builder.h"
#include "catalogue/columns.h"

struct lsr_catalogue *lsr_catalogue_free(struct lsr_catalogue *c)
{
        if (!c)
                return NULL;
        for (unsigned i = 0; i < WIDES; i++)
                free(c->wide[i]);
        for (unsigned i = 0; i < NARROWS; i++)
                free(c->narrow[i]);
        catalogue_strings_free(&c->strings);
        free(c->first);
        free(c->parent);
        free(c->name_ends);
        free(c->names);
        free(c->attr);
        free(c->attr_table);
        free(c->link);
        free(c->nlink);
        free(c->newest);
        free(c->row_of);
        free(c);
        return NULL;
}

int catalogue_complete(struct lsr_catalogue *c)
{
        if (lsr_try_resize(&c->nlink, c->rows) < 0)
                return -ENOMEM;
        for (uint32_t row = 0; row < c->rows; row++) {
                c->nlink[row] = 1;
                if (catalogue_is_dir(c, row)) {
                        c->nlink[row] = 2;
                        c->nlink[c->parent[row]] += row != 0;
                }
        }
        for (uint32_t row = 0; c->link && row < c->rows; row++)
                if (c->link[row])
                        c->nlink[c->link[row]]++;
        return 0;
}

uint64_t lsr_catalogue_size(const struct lsr_catalogue *c)
{
        return (uint64_t)c->rows * LSR_BUILDER_ROW + c->name_ends[c->rows] + c->strings.ends[c->strings.n];
}

bool catalogue_xattrs_valid(const uint8_t *data, size_t size)
{
        while (size) {
                size_t name = strnlen((const char *)data, size);

                if (!name || size - name < 1 + sizeof(uint32_t))
                        return false;
                data += name + 1;
                size -= name + 1;
                if (lsr_le32(data) > size - sizeof(uint32_t))
                        return false;
                size -= sizeof(uint32_t) + lsr_le32(data);
                data += sizeof(uint32_t) + lsr_le32(data);
        }
        return true;
}

uint32_t lsr_catalogue_rows(const struct lsr_catalogue *c)
{
        return c->rows;
}

uint32_t lsr_catalogue_members(const struct lsr_catalogue *c)
{
        const uint32_t *flags = c->row_of ? NULL : c->narrow[NARROW_FLAGS];
        uint32_t n = (c->row_of ? c->total : c->rows) - 1;

        for (uint32_t row = 1; flags && row < c->rows; row++)
                n -= (flags[row] & LSR_MEMBER_IMPLIED) != 0;
        return n;
}

/* Where @row is here. */
static uint32_t catalogue_index(const struct lsr_catalogue *c, uint32_t row)
{
        uint32_t below = c->whole + 1, i = 0;

        if (!c->row_of) {
                assert(row < c->rows);
                return row;
        }
        if (below < c->rows && row >= c->row_of[below]) {
                assert(row - c->row_of[below] < c->rows - below);
                return below + (row - c->row_of[below]);
        }
        while (i + 1 < c->rows && c->row_of[i] < row)
                i++;
        assert(c->row_of[i] == row);
        return i;
}

static uint32_t catalogue_row(const struct lsr_catalogue *c, uint32_t index)
{
        return c->row_of ? c->row_of[index] : index;
}

static uint32_t catalogue_link(const struct lsr_catalogue *c, uint32_t index)
{
        return c->link && c->link[index] ? c->link[index] : index;
}

/* Are its children here, as far as any were asked for? */
static bool catalogue_has_children(const struct lsr_catalogue *c, uint32_t index)
{
        return !c->row_of || index == c->whole || !catalogue_is_dir(c, index);
}

static bool catalogue_is_any(const struct lsr_catalogue *c, uint32_t index, unsigned flags)
{
        return c->narrow[NARROW_FLAGS] && (c->narrow[NARROW_FLAGS][index] & flags);
}

bool lsr_catalogue_holds(const struct lsr_catalogue *c, uint32_t row)
{
        uint32_t index = catalogue_index(c, row);

        return catalogue_has_children(c, index) && !catalogue_is_any(c, index, LSR_MEMBER_UNREAD);
}

struct lsr_slice lsr_catalogue_children(const struct lsr_catalogue *c, uint32_t row)
{
        uint32_t index = catalogue_index(c, row), first = c->first[index], n = c->first[index + 1] - first;

        assert(catalogue_has_children(c, index));
        return (struct lsr_slice){ .first = n > 0 ? catalogue_row(c, first) : first, .n = n };
}

uint32_t lsr_catalogue_parent(const struct lsr_catalogue *c, uint32_t row)
{
        return catalogue_row(c, c->parent[catalogue_index(c, row)]);
}

uint32_t lsr_catalogue_link(const struct lsr_catalogue *c, uint32_t row)
{
        return catalogue_row(c, catalogue_link(c, catalogue_index(c, row)));
}

uint32_t lsr_catalogue_attr(const struct lsr_catalogue *c, uint32_t row)
{
        return c->attr[catalogue_link(c, catalogue_index(c, row))];
}

uint32_t lsr_catalogue_attrs(const struct lsr_catalogue *c)
{
        return c->attrs;
}

static uint64_t catalogue_wide(const struct lsr_catalogue *c, unsigned column, uint32_t row)
{
        return c->wide[column] ? c->wide[column][row] : 0;
}

static uint32_t catalogue_narrow(const struct lsr_catalogue *c, unsigned column, uint32_t row)
{
        return c->narrow[column] ? c->narrow[column][row] : 0;
}

static void catalogue_get_meta(const struct lsr_catalogue *c, uint32_t row, struct lsr_meta *ret_meta)
{
        const struct catalogue_attr *a = &c->attr_table[c->attr[row]];

        *ret_meta = (struct lsr_meta){
                .known = a->known | LSR_FIELD_INODE | LSR_FIELD_NLINK,
                .mode = a->mode,
                .uid = a->uid,
                .gid = a->gid,
                .nlink = c->nlink[row],
                .inode = catalogue_row(c, row),
                .size = catalogue_wide(c, WIDE_SIZE, row),
                .rdev = catalogue_narrow(c, NARROW_RDEV, row),
        };
        /* Rows are counted otherwise. */
        if (catalogue_is_any(c, row, LSR_MEMBER_UNREAD | LSR_MEMBER_TABLE))
                ret_meta->known &= ~LSR_FIELD_NLINK;
        if (a->known & LSR_FIELD_SIZE) {
                ret_meta->known |= LSR_FIELD_BLOCKS;
                ret_meta->blocks = ret_meta->size / 512 + (ret_meta->size % 512 != 0);
        }
        for (unsigned t = 0; t < LSR_TIMES; t++) {
                ret_meta->sec[t] = (int64_t)catalogue_wide(c, WIDE_SEC + t, row);
                ret_meta->nsec[t] = catalogue_narrow(c, NARROW_NSEC + t, row);
        }
}

void lsr_catalogue_get(const struct lsr_catalogue *c, uint32_t row, struct lsr_member *ret_member)
{
        struct lsr_member *m = ret_member;
        uint32_t index = catalogue_index(c, row), link = catalogue_link(c, index);
        const struct catalogue_attr *a = &c->attr_table[c->attr[link]];
        size_t len;

        row = index;
        m->path = catalogue_name(c, row, &m->path_len);
        catalogue_get_meta(c, link, &m->meta);
        m->packed = catalogue_wide(c, WIDE_PACKED, row) - 1;
        m->position = catalogue_wide(c, WIDE_POSITION, row);
        m->data = catalogue_wide(c, WIDE_DATA, row);
        m->user = catalogue_string(&c->strings, a->user, &len);
        m->group = catalogue_string(&c->strings, a->group, &len);
        m->method = catalogue_string(&c->strings, a->method, &len);
        /* A hard link to a symbolic link is that symbolic link. */
        m->target = catalogue_string(
                &c->strings, catalogue_narrow(c, NARROW_TARGET, S_ISLNK(m->meta.mode) ? link : row), &m->target_len);
        m->xattrs = (const uint8_t *)catalogue_string(&c->strings, catalogue_narrow(c, NARROW_XATTRS, link),
                                                      &m->xattrs_len);
        m->raw = catalogue_string(&c->strings, catalogue_narrow(c, NARROW_RAW, row), &m->raw_len);
        m->flags = catalogue_narrow(c, NARROW_FLAGS, row) |
                   (catalogue_narrow(c, NARROW_FLAGS, link) & ~(uint32_t)LSR_MEMBER_SHADOWS);
}

const char *lsr_catalogue_target(const struct lsr_catalogue *c, uint32_t row, size_t *ret_len)
{
        return catalogue_string(&c->strings, catalogue_narrow(c, NARROW_TARGET, catalogue_index(c, row)), ret_len);
}

/* The child of that name; 0, which is nobody's child, if there is none. */
static uint32_t catalogue_search(const struct lsr_catalogue *c, uint32_t row, const char *name, size_t name_len)
{
        uint32_t low = c->first[row], high = c->first[row + 1];

        while (low < high) {
                uint32_t middle = low + (high - low) / 2;
                size_t len;
                const char *other = catalogue_name(c, middle, &len);
                int r = catalogue_compare(other, len, name, name_len);

                if (r == 0)
                        return middle;
                if (r < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return 0;
}

int64_t lsr_catalogue_find(const struct lsr_catalogue *c, uint32_t row, const char *path, size_t path_len)
{
        row = catalogue_index(c, row);
        while (path_len) {
                const char *slash = memchr(path, '/', path_len);
                size_t n = slash ? (size_t)(slash - path) : path_len;

                /* The '/' behind a name comes round as an empty component, so "file/" ends here. */
                if (!catalogue_is_dir(c, row))
                        return -ENOTDIR;
                if (n == 2 && memcmp(path, "..", 2) == 0)
                        row = c->parent[row];
                else if (n && !(n == 1 && *path == '.')) {
                        uint32_t child = catalogue_search(c, row, path, n);

                        if (!child)
                                return c->row_of && row != c->whole ? -EAGAIN : -ENOENT;
                        row = child;
                }
                n += n == 0;
                path += n;
                path_len -= n;
        }
        return catalogue_row(c, row);
}

size_t lsr_catalogue_path(const struct lsr_catalogue *c, uint32_t row, char *buf, size_t size)
{
        size_t total = 0, len;

        row = catalogue_index(c, row);
        for (uint32_t r = row; r; r = c->parent[r]) {
                catalogue_name(c, r, &len);
                total += len + (c->parent[r] != 0);
        }
        if (total >= size)
                return total;
        buf += total;
        *buf = '\0';
        for (uint32_t r = row; r; r = c->parent[r]) {
                const char *name = catalogue_name(c, r, &len);

                buf -= len;
                memcpy(buf, name, len);
                if (c->parent[r])
                        *--buf = '/';
        }
        return total;
}

bool lsr_catalogue_is_part(const struct lsr_catalogue *part, const struct lsr_catalogue *c)
{
        for (uint32_t i = 0; i < part->rows; i++) {
                uint32_t row = catalogue_row(part, i);
                size_t len, other_len;
                const char *name = catalogue_name(part, i, &len), *other;

                if (row >= c->rows || c->parent[row] != catalogue_row(part, part->parent[i]))
                        return false;
                other = catalogue_name(c, row, &other_len);
                if (catalogue_compare(name, len, other, other_len) != 0 ||
                    catalogue_is_dir(part, i) != catalogue_is_dir(c, row))
                        return false;
        }
        return true;
}
