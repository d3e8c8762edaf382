/*
 * finish - from nodes to rows
 *
 * A counting sort brings the children of each directory together, each such
 * group is sorted by name, and walking the rows from the root on while their
 * children are appended makes the breadth-first order.  Names are sorted as
 * 8-byte numbers taken behind what all names of the group share, and where
 * those are equal by the next 8 bytes that are not shared.  Comparing the names
 * themselves would wait for two of them in memory each time.
 *
 * Columns are moved into their new order one at a time, and each old one is
 * freed at once, so that no more than one exists twice.
 */
#include "catalogue/build.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"

#define FINISH_INSERTION_MAX 12
#define FINISH_RADIX_MIN 1000

struct finish_item {
        uint64_t key;
        uint32_t node;
        bool same; /* as the one before it */
};

struct finish {
        struct lsr_builder *b;
        uint32_t *begins;   /* [nodes + 1]: where a node's children are in @children */
        uint32_t *children; /* nodes, by parent */
        uint32_t *nodes;    /* of the rows made so far */
        uint32_t rows;
        struct finish_item *items; /* twice the largest group */
};

static const char *finish_name(const struct lsr_builder *b, uint32_t node, size_t *ret_len)
{
        *ret_len = b->name_ends[node + 1] - b->name_ends[node];
        return b->names + b->name_ends[node];
}

static uint64_t finish_key(const char *name, size_t len)
{
        uint64_t key = 0;

        memcpy(&key, name, len < sizeof(key) ? len : sizeof(key));
        return be64toh(key);
}

/* By key, stable. */
static void finish_insert(struct finish_item *items, size_t n)
{
        for (size_t i = 1; i < n; i++) {
                struct finish_item item = items[i];
                size_t j = i;

                for (; j && items[j - 1].key > item.key; j--)
                        items[j] = items[j - 1];
                items[j] = item;
        }
}

/* By key, stable; what is in order already is only looked at. */
static void finish_merge(struct finish_item *items, struct finish_item *spare, size_t n)
{
        size_t half = n / 2, left = 0, right = half, out = 0;

        if (n <= FINISH_INSERTION_MAX) {
                finish_insert(items, n);
                return;
        }
        finish_merge(items, spare, half);
        finish_merge(items + half, spare, n - half);
        if (items[half - 1].key <= items[half].key)
                return;
        memcpy(spare, items, half * sizeof(*spare));
        while (left < half && right < n)
                items[out++] = spare[left].key <= items[right].key ? spare[left++] : items[right++];
        memcpy(items + out, spare + left, (half - left) * sizeof(*spare));
}

/* By key, stable, a byte at a time from the last to the first; bytes that all keys share cost a count. */
static void finish_radix(struct finish_item *items, struct finish_item *spare, size_t n)
{
        struct finish_item *from = items, *to = spare;

        for (unsigned shift = 0; shift < 64; shift += 8) {
                size_t at[256] = { 0 }, sum = 0;
                struct finish_item *next = to;

                for (size_t i = 0; i < n; i++)
                        at[from[i].key >> shift & 0xff]++;
                if (at[from[0].key >> shift & 0xff] == n)
                        continue;
                for (unsigned byte = 0; byte < 256; byte++) {
                        size_t count = at[byte];

                        at[byte] = sum;
                        sum += count;
                }
                for (size_t i = 0; i < n; i++)
                        to[at[from[i].key >> shift & 0xff]++] = from[i];
                to = from;
                from = next;
        }
        if (from != items)
                memcpy(items, from, n * sizeof(*items));
}

static void finish_sort(struct finish_item *items, struct finish_item *spare, size_t n)
{
        size_t ordered = 1;

        if (n < FINISH_RADIX_MIN) {
                finish_merge(items, spare, n);
                return;
        }
        while (ordered < n && items[ordered - 1].key <= items[ordered].key)
                ordered++;
        if (ordered < n)
                finish_radix(items, spare, n);
}

/* Keys of names that share @shared bytes at least, taken behind all that they share.  Returns how much that is. */
static size_t finish_keys(const struct finish *f, struct finish_item *items, size_t n, size_t shared)
{
        size_t first_len, len, most;
        const char *first = finish_name(f->b, items[0].node, &first_len), *name;

        most = first_len;
        for (size_t i = 1; i < n && most > shared; i++) {
                size_t same = shared;

                name = finish_name(f->b, items[i].node, &len);
                while (same < len && same < most && name[same] == first[same])
                        same++;
                most = same;
        }
        for (size_t i = 0; i < n; i++) {
                name = finish_name(f->b, items[i].node, &len);
                items[i].key = finish_key(name + most, len - most);
        }
        return most;
}

/*
 * Sort by name, from a byte that all share up to, and mark what is called as the one before it.  There is no NUL in
 * names: keys that are equal and end in one are of one name.  Others are looked at eight bytes further on, so all
 * turns together look at no more than there is of names; the longest run is left to the loop, and no stack grows.
 */
static void finish_order(const struct finish *f, struct finish_item *items, struct finish_item *spare, size_t n,
                         size_t shared)
{
        while (n > 0) {
                size_t longest = 0, longest_n = 0;

                shared = finish_keys(f, items, n, shared) + sizeof(items->key);
                finish_sort(items, spare, n);
                for (size_t begin = 0, end; begin < n; begin = end) {
                        for (end = begin + 1; end < n && items[end].key == items[begin].key; end++)
                                items[end].same = !(items[end].key & 0xff);
                        if (end - begin == 1 || !(items[begin].key & 0xff))
                                continue;
                        if (end - begin > longest_n) {
                                finish_order(f, items + longest, spare, longest_n, shared);
                                longest = begin;
                                longest_n = end - begin;
                        } else {
                                finish_order(f, items + begin, spare, end - begin, shared);
                        }
                }
                items += longest;
                n = longest_n;
        }
}

/* The rank of a node by its place in the bundle; a hard link to itself has the lowest. */
static uint64_t finish_rank(const struct lsr_builder *b, uint32_t node)
{
        const uint32_t *flags = b->narrow[NARROW_FLAGS];

        if (b->stored[node])
                return 2 * (uint64_t)b->stored[node] + 1;
        return flags && (flags[node] & BUILD_SELF) ? 0 : 2 * ((uint64_t)node + 1);
}

/* Of several nodes with one name, the one that counts: a directory with children, or else the last. */
static uint32_t finish_choose(const struct finish *f, const struct finish_item *items, size_t n)
{
        uint32_t best = items[n - 1].node;

        for (size_t i = 0; i < n; i++) {
                uint32_t node = items[i].node;

                if (f->begins[node + 1] != f->begins[node])
                        return node;
                if (finish_rank(f->b, node) > finish_rank(f->b, best))
                        best = node;
        }
        return best;
}

/*
 * Does node @chosen hide others of its name?  Not itself as it was told before, nor a hard link to its own path.  Where
 * memory is short nobody is told.
 */
static void finish_shadow(struct finish *f, const struct finish_item *items, size_t n, uint32_t chosen)
{
        uint32_t **flags = &f->b->narrow[NARROW_FLAGS];
        size_t members = 0;

        for (size_t i = 0; i < n; i++)
                members += !*flags || !((*flags)[items[i].node] & (BUILD_SELF | LSR_MEMBER_SHADOWS));
        if (*flags)
                (*flags)[chosen] &= ~(uint32_t)LSR_MEMBER_SHADOWS;
        if (members < 2)
                return;
        if (!*flags) {
                if (lsr_try_resize(flags, f->b->nodes) < 0)
                        return;
                memset(*flags, 0, f->b->nodes * sizeof(**flags));
        }
        (*flags)[chosen] |= LSR_MEMBER_SHADOWS;
}

/* Append the children of a node, sorted and without duplicates. */
static void finish_group(struct finish *f, uint32_t node)
{
        const uint32_t *nodes = f->children + f->begins[node];
        uint32_t n = f->begins[node + 1] - f->begins[node];

        if (n == 0)
                return;
        for (uint32_t i = 0; i < n; i++)
                f->items[i] = (struct finish_item){ .node = nodes[i] };
        finish_order(f, f->items, f->items + n, n, 0);
        for (uint32_t begin = 0, end; begin < n; begin = end) {
                for (end = begin + 1; end < n && f->items[end].same;)
                        end++;
                f->nodes[f->rows] = finish_choose(f, f->items + begin, end - begin);
                if (end - begin > 1)
                        finish_shadow(f, f->items + begin, end - begin, f->nodes[f->rows]);
                f->rows++;
        }
}

/* Begins and children; the largest group decides about the memory to sort in.  0 or -ENOMEM. */
static int finish_collect(struct finish *f)
{
        const struct lsr_builder *b = f->b;
        uint32_t largest = 0;

        if (lsr_try_resize(&f->begins, (size_t)b->nodes + 2) < 0 || lsr_try_resize(&f->children, b->nodes) < 0 ||
            lsr_try_resize(&f->nodes, b->nodes) < 0)
                return -ENOMEM;
        memset(f->begins, 0, ((size_t)b->nodes + 2) * sizeof(*f->begins));
        for (uint32_t node = 1; node < b->nodes; node++)
                f->begins[b->parent[node] + 2]++;
        for (uint32_t node = 0; node < b->nodes; node++) {
                if (f->begins[node + 2] > largest)
                        largest = f->begins[node + 2];
                f->begins[node + 2] += f->begins[node + 1];
        }
        for (uint32_t node = 1; node < b->nodes; node++)
                f->children[f->begins[b->parent[node] + 1]++] = node;
        return lsr_try_resize(&f->items, 2 * (size_t)largest);
}

/* The rows: which node each is, its children and its parent.  0 or -ENOMEM. */
static int finish_rows(struct finish *f, struct lsr_catalogue *c)
{
        if (lsr_try_resize(&c->first, (size_t)f->b->nodes + 1) < 0 || lsr_try_resize(&c->parent, f->b->nodes) < 0)
                return -ENOMEM;
        f->nodes[0] = 0;
        f->rows = 1;
        c->parent[0] = 0;
        for (uint32_t row = 0; row < f->rows; row++) {
                c->first[row] = f->rows;
                if (f->b->stored[f->nodes[row]])
                        finish_group(f, f->nodes[row]);
                for (uint32_t child = c->first[row]; child < f->rows; child++)
                        c->parent[child] = row;
        }
        assert(f->rows <= f->b->nodes);
        c->first[f->rows] = f->rows;
        c->rows = f->rows;
        /* Shrinking needs no memory; if it fails all the same, the old array stays. */
        (void)lsr_try_resize(&c->first, (size_t)f->rows + 1);
        (void)lsr_try_resize(&c->parent, f->rows);
        return 0;
}

/* 0 or -ENOMEM. */
static int finish_names(const struct finish *f, struct lsr_catalogue *c)
{
        char *to;

        if (lsr_try_resize(&c->names, f->b->names_len + f->rows) < 0 ||
            lsr_try_resize(&c->name_ends, (size_t)f->rows + 1) < 0)
                return -ENOMEM;
        to = c->names;
        c->name_ends[0] = 0;
        for (uint32_t row = 0; row < f->rows; row++) {
                size_t len;
                const char *name = finish_name(f->b, f->nodes[row], &len);

                if (len)
                        memcpy(to, name, len);
                to += len;
                *to++ = '\0';
                c->name_ends[row + 1] = (uint32_t)(to - c->names);
        }
        assert((size_t)(to - c->names) <= f->b->names_len + f->rows);
        return 0;
}

/* 0 or -ENOMEM. */
static int finish_narrow(const struct finish *f, uint32_t **column, uint32_t **ret_column)
{
        uint32_t *from = *column, *to = NULL;

        if (!from)
                return 0;
        if (lsr_try_resize(&to, f->rows) < 0)
                return -ENOMEM;
        for (uint32_t row = 0; row < f->rows; row++)
                to[row] = from[f->nodes[row]];
        free(from);
        *column = NULL;
        *ret_column = to;
        return 0;
}

/* 0 or -ENOMEM. */
static int finish_wide(const struct finish *f, uint64_t **column, uint64_t **ret_column)
{
        uint64_t *from = *column, *to = NULL;

        if (!from)
                return 0;
        if (lsr_try_resize(&to, f->rows) < 0)
                return -ENOMEM;
        for (uint32_t row = 0; row < f->rows; row++)
                to[row] = from[f->nodes[row]];
        free(from);
        *column = NULL;
        *ret_column = to;
        return 0;
}

/* The row that a hard link names, 0 for none.  Looked up once a string, as many links may share one. */
static uint32_t finish_link_target(struct lsr_builder *b, const struct lsr_catalogue *c, uint32_t string,
                                   uint32_t *known)
{
        const char *target;
        size_t len, depth;
        int64_t row;

        if (known[string] != UINT32_MAX)
                return known[string];
        target = catalogue_string(&c->strings, string, &len);
        len = string ? build_clean_scratch(b, target, strnlen(target, len), &depth) : 0;
        row = len ? lsr_catalogue_find(c, 0, b->clean, len) : 0;
        known[string] = row > 0 && !catalogue_is_dir(c, (uint32_t)row) ? (uint32_t)row : 0;
        return known[string];
}

/*
 * Follow chains to their end.  Each row is left once: it gets the end of its chain, or 0 in a loop or before a
 * link to nothing.  @next[row] is the row a link names, and afterwards where it leads.  @done is of zeros.
 */
static void finish_chains(uint32_t *next, const uint32_t *flags, uint8_t *done, uint32_t rows)
{
        for (uint32_t start = 1; start < rows; start++) {
                uint32_t end = start, at, after;

                if (done[start] || !(flags[start] & LSR_MEMBER_HARDLINK))
                        continue;
                /* 1: on this walk. */
                for (; end && (flags[end] & LSR_MEMBER_HARDLINK) && !done[end]; end = next[end])
                        done[end] = 1;
                if (end && (flags[end] & LSR_MEMBER_HARDLINK))
                        end = done[end] == 1 ? 0 : next[end];
                for (at = start; at && (flags[at] & LSR_MEMBER_HARDLINK) && done[at] == 1; at = after) {
                        after = next[at];
                        next[at] = end;
                        done[at] = 2;
                }
        }
}

/* @known: of each string the row that it names, not looked up yet; @done: a byte of 0 for each row. */
static void finish_follow(struct lsr_builder *b, struct lsr_catalogue *c, uint32_t *known, uint8_t *done)
{
        uint32_t *flags = c->narrow[NARROW_FLAGS], *targets = c->narrow[NARROW_TARGET];
        bool any = false;

        for (uint32_t row = 0; row < c->rows; row++) {
                flags[row] &= ~BUILD_SELF;
                c->link[row] = flags[row] & LSR_MEMBER_HARDLINK
                                       ? finish_link_target(b, c, targets ? targets[row] : 0, known)
                                       : 0;
        }
        finish_chains(c->link, flags, done, c->rows);
        for (uint32_t row = 0; row < c->rows; row++) {
                if ((flags[row] & LSR_MEMBER_HARDLINK) && !c->link[row])
                        flags[row] |= LSR_MEMBER_DANGLING;
                any |= c->link[row] != 0;
        }
        if (!any) {
                free(c->link);
                c->link = NULL;
        }
}

/* 0 or -ENOMEM. */
static int finish_links(struct lsr_builder *b, struct lsr_catalogue *c)
{
        uint32_t *known = NULL;
        uint8_t *done = NULL;
        int r = lsr_try_resize(&known, c->strings.n);

        if (r == 0)
                r = lsr_try_resize(&done, c->rows);
        if (r == 0)
                r = lsr_try_resize(&c->link, c->rows);
        if (r == 0) {
                memset(known, 0xff, c->strings.n * sizeof(*known));
                memset(done, 0, c->rows);
                finish_follow(b, c, known, done);
        }
        free(known);
        free(done);
        return r;
}

/* The columns that have a value for each row.  0 or -ENOMEM. */
static int finish_columns(struct finish *f, struct lsr_catalogue *c)
{
        struct lsr_builder *b = f->b;
        int r = finish_collect(f);

        free(b->parent);
        b->parent = NULL;
        if (r == 0)
                r = finish_rows(f, c);
        free(f->items);
        free(f->begins);
        free(f->children);
        if (r == 0)
                r = finish_names(f, c);
        if (r == 0)
                r = finish_narrow(f, &b->attr, &c->attr);
        for (unsigned i = 0; i < WIDES && r == 0; i++)
                r = finish_wide(f, &b->wide[i], &c->wide[i]);
        for (unsigned i = 0; i < NARROWS && r == 0; i++)
                r = finish_narrow(f, &b->narrow[i], &c->narrow[i]);
        free(f->nodes);
        return r;
}

int build_finish(struct lsr_builder *b, struct lsr_catalogue **ret_catalogue)
{
        struct lsr_catalogue *c = lsr_xmalloc(sizeof(*c));
        struct finish f = { .b = b };
        int r;

        *c = (struct lsr_catalogue){};
        r = finish_columns(&f, c);
        c->attrs = b->attrs;
        c->attr_table = b->attr_table;
        b->attr_table = NULL;
        c->strings = b->strings;
        b->strings = (struct catalogue_strings){};
        lsr_hash_free(&c->strings.table);
        if (r == 0 && b->links)
                r = finish_links(b, c);
        if (r == 0)
                r = catalogue_complete(c);
        if (r == 0)
                *ret_catalogue = c;
        else
                lsr_catalogue_free(c);
        return r;
}
