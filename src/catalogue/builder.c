/*
 * builder - adding members is appending to columns
 *
 * Only directories are looked up while members come in: most members lie in
 * the directory of the one before them, so their directory is the one
 * remembered, and otherwise a walk through a hash table.  Duplicates are found
 * when each directory is sorted in the end (finish.c), which is cheaper than a
 * table of all members.
 *
 * ".." is resolved within the path and never above the root: "a/../b" is "b",
 * and "../../b" too.  Following it through directories as a kernel would makes
 * no difference: there are no symbolic links to follow before all is read.
 */
#include "catalogue/builder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "catalogue/build.h"

#define BUILDER_FIRST_NODES 1024
#define BUILDER_MANY_NODES 8192 /* a megabyte, with the catalogue that they become */

/* The values of one member in the columns. */
struct builder_values {
        uint32_t attr;
        uint64_t wide[WIDES];
        uint32_t narrow[NARROWS];
};

/* Make room for one more node.  New room of columns is written before it is read.  0 or -ENOMEM. */
static int builder_grow(struct lsr_builder *b)
{
        size_t cap = b->cap ? 2 * (size_t)b->cap : BUILDER_FIRST_NODES;

        if (cap >= BUILDER_MANY_NODES)
                lsr_heap_large();
        if (lsr_try_resize(&b->parent, cap) < 0 || lsr_try_resize(&b->name_ends, cap + 1) < 0 ||
            lsr_try_resize(&b->stored, cap) < 0 || lsr_try_resize(&b->attr, cap) < 0)
                return -ENOMEM;
        for (unsigned i = 0; i < WIDES; i++)
                if (b->wide[i] && lsr_try_resize(&b->wide[i], cap) < 0)
                        return -ENOMEM;
        for (unsigned i = 0; i < NARROWS; i++)
                if (b->narrow[i] && lsr_try_resize(&b->narrow[i], cap) < 0)
                        return -ENOMEM;
        b->cap = (uint32_t)cap;
        return 0;
}

/* 0 or -ENOMEM.  A column begins with the first value that is not 0; all nodes before have 0 in it. */
static int builder_put(struct lsr_builder *b, uint32_t node, const struct builder_values *v)
{
        assert(node < b->nodes && v->attr < b->attrs);
        b->attr[node] = v->attr;
        for (unsigned i = 0; i < WIDES; i++) {
                if (!b->wide[i] && v->wide[i]) {
                        if (lsr_try_resize(&b->wide[i], b->cap) < 0)
                                return -ENOMEM;
                        memset(b->wide[i], 0, b->cap * sizeof(*b->wide[i]));
                }
                if (b->wide[i])
                        b->wide[i][node] = v->wide[i];
        }
        for (unsigned i = 0; i < NARROWS; i++) {
                if (!b->narrow[i] && v->narrow[i]) {
                        if (lsr_try_resize(&b->narrow[i], b->cap) < 0)
                                return -ENOMEM;
                        memset(b->narrow[i], 0, b->cap * sizeof(*b->narrow[i]));
                }
                if (b->narrow[i])
                        b->narrow[i][node] = v->narrow[i];
        }
        return 0;
}

/* Take from the memory that the builder may use. 0 or -EFBIG. */
static int builder_take(struct lsr_builder *b, uint64_t n)
{
        if (b->left < n)
                return -EFBIG;
        b->left -= n;
        return 0;
}

/* A node without values yet. */
static int builder_append(struct lsr_builder *b, uint32_t parent, const char *name, size_t len, uint32_t *ret_node)
{
        assert(parent < b->nodes || b->nodes == 0);
        /* With the NUL that each will have, names must stay below the limit. */
        if (b->nodes > lsr_limit(LSR_LIMIT_MEMBERS) || len >= LSR_CATALOGUE_TEXT_MAX - b->names_len - b->nodes - 1)
                return -E2BIG;
        if (builder_take(b, LSR_BUILDER_ROW + len) < 0)
                return -EFBIG;
        if (b->nodes == b->cap && builder_grow(b) < 0)
                return -ENOMEM;
        if (b->names_cap - b->names_len < len) {
                size_t cap = 2 * b->names_cap > b->names_len + len ? 2 * b->names_cap : b->names_len + len + 4096;

                if (lsr_try_resize(&b->names, cap) < 0)
                        return -ENOMEM;
                b->names_cap = cap;
        }
        if (len)
                memcpy(b->names + b->names_len, name, len);
        b->name_ends[b->nodes] = (uint32_t)b->names_len;
        b->names_len += len;
        b->name_ends[b->nodes + 1] = (uint32_t)b->names_len;
        b->parent[b->nodes] = parent;
        b->stored[b->nodes] = 0;
        *ret_node = b->nodes++;
        return 0;
}

static int builder_append_dir(struct lsr_builder *b, uint32_t parent, const char *name, size_t len, uint32_t *ret_node)
{
        struct builder_values implied = { .narrow[NARROW_FLAGS] = LSR_MEMBER_IMPLIED };
        int r = builder_append(b, parent, name, len, ret_node);

        if (r < 0)
                return r;
        b->stored[*ret_node] = 1;
        return builder_put(b, *ret_node, &implied);
}

/* Find or make a directory. */
static int builder_dir(struct lsr_builder *b, uint32_t parent, const char *name, size_t len, uint32_t *ret_node)
{
        uint32_t hash = lsr_hash(parent, name, len);
        int r;

        LSR_HASH_FOREACH(&b->dirs, hash, node)
        {
                size_t at = b->name_ends[node];

                if (b->parent[node] == parent && b->name_ends[node + 1] - at == len &&
                    memcmp(b->names + at, name, len) == 0) {
                        *ret_node = node;
                        return 0;
                }
        }
        r = builder_append_dir(b, parent, name, len, ret_node);
        return r < 0 ? r : lsr_hash_put(&b->dirs, hash, *ret_node);
}

size_t build_clean(char *buf, const char *path, size_t n, size_t *ret_depth)
{
        size_t len = 0, depth = 0;

        for (size_t at = 0; at < n;) {
                const char *slash = memchr(path + at, '/', n - at);
                size_t part = slash ? (size_t)(slash - path) - at : n - at;

                if (part == 2 && memcmp(path + at, "..", 2) == 0) {
                        slash = memrchr(buf, '/', len);
                        len = slash ? (size_t)(slash - buf) : 0;
                        depth -= depth != 0;
                } else if (part && !(part == 1 && path[at] == '.')) {
                        if (len)
                                buf[len++] = '/';
                        memcpy(buf + len, path + at, part);
                        len += part;
                        depth++;
                }
                at += part + 1;
        }
        *ret_depth = depth;
        return len;
}

static void builder_reserve(char **buf, size_t *cap, size_t n)
{
        if (*cap <= n) {
                *cap = n + 256;
                *buf = lsr_xrealloc(*buf, *cap);
        }
}

size_t build_clean_scratch(struct lsr_builder *b, const char *path, size_t n, size_t *ret_depth)
{
        builder_reserve(&b->clean, &b->clean_cap, n + 1);
        return build_clean(b->clean, path, n, ret_depth);
}

/* Is it equal to @path, except for one "./" before it and one '/' after it?  */
static bool builder_same(const char *path, size_t n, const char *clean, size_t clean_len)
{
        if (n >= 2 && path[0] == '.' && path[1] == '/') {
                path += 2;
                n -= 2;
        }
        n -= n && path[n - 1] == '/';
        return n == clean_len && memcmp(path, clean, n) == 0;
}

/* The directory that the clean path in the scratch names. */
static int builder_walk(struct lsr_builder *b, size_t len, uint32_t *ret_dir)
{
        uint32_t dir = 0;
        int r = 0;

        for (size_t at = 0; at < len && r == 0;) {
                const char *slash = memchr(b->clean + at, '/', len - at);
                size_t part = slash ? (size_t)(slash - b->clean) - at : len - at;

                r = builder_dir(b, dir, b->clean + at, part, &dir);
                at += part + 1;
        }
        *ret_dir = dir;
        return r;
}

/* The directory and the name that a path leads to. */
struct builder_place {
        uint32_t dir;
        const char *name; /* in the path or the scratch; empty is the root */
        size_t name_len;
        bool plain;
};

/* The path ends in ".", ".." or nothing: only the clean path tells the last component. */
static int builder_locate_odd(struct lsr_builder *b, const char *path, size_t n, struct builder_place *ret_place)
{
        size_t depth, len = build_clean_scratch(b, path, n, &depth), head;
        const char *slash = memrchr(b->clean, '/', len);

        if (depth > lsr_limit(LSR_LIMIT_PATH_DEPTH))
                return -ENAMETOOLONG;
        head = slash ? (size_t)(slash - b->clean) + 1 : 0;
        ret_place->name = b->clean + head;
        ret_place->name_len = len - head;
        ret_place->plain = builder_same(path, n, b->clean, len) || (n == 1 && *path == '.');
        return builder_walk(b, head, &ret_place->dir);
}

static int builder_locate(struct lsr_builder *b, const char *path, size_t path_len, struct builder_place *ret_place)
{
        size_t n = strnlen(path, path_len), end = n, head, depth, clean;
        const char *slash, *name;
        int r;

        while (end && path[end - 1] == '/')
                end--;
        slash = end ? memrchr(path, '/', end) : NULL;
        head = slash ? (size_t)(slash - path) + 1 : 0;
        name = path + head;
        if (head == end || (*name == '.' && (end - head == 1 || (end - head == 2 && name[1] == '.')))) {
                r = builder_locate_odd(b, path, n, ret_place);
                if (r == 0)
                        ret_place->plain &= n == path_len;
                return r;
        }
        if (head != b->head_len || memcmp(path, b->head, head) != 0) {
                clean = build_clean_scratch(b, path, head, &depth);
                if (depth >= lsr_limit(LSR_LIMIT_PATH_DEPTH))
                        return -ENAMETOOLONG;
                r = builder_walk(b, clean, &ret_place->dir);
                if (r < 0)
                        return r;
                builder_reserve(&b->head, &b->head_cap, head);
                memcpy(b->head, path, head);
                b->head_len = head;
                b->head_dir = ret_place->dir;
                b->head_plain = path[0] != '/' && builder_same(path, head, b->clean, clean);
        }
        *ret_place = (struct builder_place){
                .dir = b->head_dir,
                .name = name,
                .name_len = end - head,
                .plain = b->head_plain && n - end <= 1 && n == path_len,
        };
        return 0;
}

/* The string of a user, group or method; @last is the most likely one. */
static int builder_word(struct lsr_builder *b, const char *word, uint32_t last, uint32_t *ret_string)
{
        size_t len;
        const char *old = catalogue_string(&b->strings, last, &len);

        if (old && word ? strcmp(old, word) == 0 : old == word) {
                *ret_string = last;
                return 0;
        }
        return catalogue_strings_add(&b->strings, word, word ? strnlen(word, LSR_MEMBER_WORD_MAX) : 0, ret_string);
}

static int builder_attr(struct lsr_builder *b, const struct lsr_member *m, uint32_t *ret_attr)
{
        const struct lsr_meta *meta = &m->meta;
        const struct catalogue_attr *last = &b->attr_table[b->last_attr];
        struct catalogue_attr a = { .known = meta->known & CATALOGUE_FIELDS };
        uint32_t hash;
        int r;

        if (a.known & LSR_FIELD_TYPE)
                a.mode |= meta->mode & S_IFMT;
        if (a.known & LSR_FIELD_MODE)
                a.mode |= meta->mode & CATALOGUE_MODES & ~(uint32_t)S_IFMT;
        if (a.known & LSR_FIELD_UID)
                a.uid = meta->uid;
        if (a.known & LSR_FIELD_GID)
                a.gid = meta->gid;
        r = builder_word(b, m->user, last->user, &a.user);
        if (r == 0)
                r = builder_word(b, m->group, last->group, &a.group);
        if (r == 0)
                r = builder_word(b, m->method, last->method, &a.method);
        if (r < 0)
                return r;
        *ret_attr = b->last_attr;
        if (memcmp(last, &a, sizeof(a)) == 0)
                return 0;
        hash = lsr_hash(0, &a, sizeof(a));
        LSR_HASH_FOREACH(&b->attr_hash, hash, number)
        {
                if (memcmp(&b->attr_table[number], &a, sizeof(a)) == 0) {
                        *ret_attr = b->last_attr = number;
                        return 0;
                }
        }
        if (b->attrs == b->attrs_cap) {
                if (lsr_try_resize(&b->attr_table, 2 * (size_t)b->attrs_cap) < 0)
                        return -ENOMEM;
                b->attrs_cap *= 2;
        }
        b->attr_table[b->attrs] = a;
        if (lsr_hash_put(&b->attr_hash, hash, b->attrs) < 0)
                return -ENOMEM;
        *ret_attr = b->last_attr = b->attrs++;
        return 0;
}

/* A hard link to its own path: tar stores one for a file that was named twice. */
static bool builder_is_self(struct lsr_builder *b, const struct lsr_member *m)
{
        size_t path_depth, target_depth, path_len, target_len;
        size_t path_n = strnlen(m->path, m->path_len), target_n = strnlen(m->target, m->target_len);
        char *path = lsr_xmalloc(path_n + 1);
        bool same;

        path_len = build_clean(path, m->path, path_n, &path_depth);
        target_len = build_clean_scratch(b, m->target, target_n, &target_depth);
        same = path_len == target_len && memcmp(path, b->clean, path_len) == 0;
        free(path);
        return same;
}

static int builder_values(struct lsr_builder *b, const struct lsr_member *m, bool plain, struct builder_values *ret_v)
{
        static const unsigned times[] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME, LSR_FIELD_BTIME };
        const struct lsr_meta *meta = &m->meta;
        struct builder_values *v = ret_v;
        int r;

        v->wide[WIDE_SIZE] = meta->known & LSR_FIELD_SIZE ? meta->size : 0;
        for (unsigned t = 0; t < LSR_TIMES; t++) {
                bool known = meta->known & times[t];

                v->wide[WIDE_SEC + t] = known ? (uint64_t)meta->sec[t] : 0;
                v->narrow[NARROW_NSEC + t] = !known                               ? 0
                                             : meta->nsec[t] < CATALOGUE_NSEC_MAX ? meta->nsec[t]
                                                                                  : CATALOGUE_NSEC_MAX;
        }
        v->wide[WIDE_PACKED] = m->packed + 1;
        v->wide[WIDE_POSITION] = m->position;
        v->wide[WIDE_DATA] = m->data;
        v->narrow[NARROW_RDEV] = meta->known & LSR_FIELD_DEV ? meta->rdev : 0;
        v->narrow[NARROW_FLAGS] = m->flags & CATALOGUE_FLAGS & ~(unsigned)LSR_MEMBER_DANGLING;
        /* Only a table that is a catalogue itself knows of those, and of all that it has. */
        if (!(meta->known & LSR_FIELD_NLINK))
                v->narrow[NARROW_FLAGS] &= ~(uint32_t)LSR_MEMBER_IMPLIED;
        v->narrow[NARROW_TARGET] = v->narrow[NARROW_RAW] = v->narrow[NARROW_XATTRS] = 0;
        v->narrow[NARROW_NUMBER] = meta->known & LSR_FIELD_INODE ? (uint32_t)meta->inode : 0;
        v->narrow[NARROW_LINKS] = meta->known & LSR_FIELD_NLINK ? meta->nlink : 0;

        r = builder_attr(b, m, &v->attr);
        if (r == 0 && m->target)
                r = catalogue_strings_add(&b->strings, m->target, m->target_len, &v->narrow[NARROW_TARGET]);
        if (r == 0 && (m->raw || !plain))
                r = catalogue_strings_add(&b->strings, m->raw ? m->raw : m->path, m->raw ? m->raw_len : m->path_len,
                                          &v->narrow[NARROW_RAW]);
        if (r == 0 && m->xattrs && catalogue_xattrs_valid(m->xattrs, m->xattrs_len))
                r = catalogue_strings_add(&b->strings, m->xattrs, m->xattrs_len, &v->narrow[NARROW_XATTRS]);
        return r;
}

/* Nothing is kept, so members without a name are recognised without looking at directories. */
static int builder_relay(struct lsr_builder *b, const struct lsr_member *m, bool is_dir)
{
        size_t depth;
        int r;

        if (!is_dir &&
            (m->path_len == 0 || *m->path == '.' || *m->path == '/' || *m->path == '\0' ||
             m->path[m->path_len - 1] == '.') &&
            build_clean_scratch(b, m->path, strnlen(m->path, m->path_len), &depth) == 0)
                return 1;
        r = b->put(b->put_ctx, m);
        b->members += r >= 0;
        return r;
}

int lsr_builder_add(struct lsr_builder *b, const struct lsr_member *m)
{
        bool is_dir = (m->meta.known & LSR_FIELD_TYPE) && S_ISDIR(m->meta.mode);
        struct builder_place place;
        struct builder_values v;
        uint32_t node = 0, strings;
        int r;

        if (b->put)
                return builder_relay(b, m, is_dir);
        r = builder_locate(b, m->path, m->path_len, &place);
        if (r < 0)
                return r;
        if (!place.name_len && !is_dir)
                return 1;
        strings = b->strings.ends[b->strings.n];
        r = builder_values(b, m, place.plain, &v);
        if (r == 0)
                r = builder_take(b, b->strings.ends[b->strings.n] - strings);
        if (r < 0)
                return r;
        if (place.name_len)
                r = (is_dir ? builder_dir : builder_append)(b, place.dir, place.name, place.name_len, &node);
        if (r < 0)
                return r;
        if (is_dir) {
                b->stored[node] = b->nodes;
                v.narrow[NARROW_FLAGS] &= ~(uint32_t)LSR_MEMBER_HARDLINK;
        }
        if (v.narrow[NARROW_FLAGS] & LSR_MEMBER_HARDLINK) {
                b->links = true;
                if (m->target && builder_is_self(b, m))
                        v.narrow[NARROW_FLAGS] |= BUILD_SELF;
        }
        r = builder_put(b, node, &v);
        b->members += r == 0;
        return r;
}

void lsr_builder_limit(struct lsr_builder *b, uint64_t bytes)
{
        b->limit = b->left = bytes;
}

uint64_t lsr_builder_taken(const struct lsr_builder *b)
{
        return b->limit - b->left;
}

uint64_t lsr_builder_count(const struct lsr_builder *b)
{
        return b->members;
}

/* The root, and the attributes of a directory that is not stored. */
static void builder_start(struct lsr_builder *b)
{
        uint32_t root;

        *b = (struct lsr_builder){
                .attrs = 1, .attrs_cap = 16, .head_plain = true, .limit = UINT64_MAX, .left = UINT64_MAX
        };
        b->attr_table = lsr_xmalloc(b->attrs_cap * sizeof(*b->attr_table));
        b->attr_table[0] = (struct catalogue_attr){ .known = LSR_FIELD_TYPE, .mode = S_IFDIR };
        catalogue_strings_init(&b->strings);
        builder_reserve(&b->head, &b->head_cap, 0);
        if (builder_append_dir(b, 0, NULL, 0, &root) < 0)
                lsr_exhausted();
}

static void builder_clear(struct lsr_builder *b)
{
        for (unsigned i = 0; i < WIDES; i++)
                free(b->wide[i]);
        for (unsigned i = 0; i < NARROWS; i++)
                free(b->narrow[i]);
        free(b->parent);
        free(b->name_ends);
        free(b->stored);
        free(b->attr);
        free(b->names);
        free(b->attr_table);
        free(b->head);
        free(b->clean);
        lsr_hash_free(&b->dirs);
        lsr_hash_free(&b->attr_hash);
        catalogue_strings_free(&b->strings);
}

struct lsr_builder *lsr_builder_new(void)
{
        struct lsr_builder *b = lsr_xmalloc(sizeof(*b));

        builder_start(b);
        return b;
}

struct lsr_builder *lsr_builder_new_relay(int (*put)(void *ctx, const struct lsr_member *m), void *ctx)
{
        struct lsr_builder *b = lsr_builder_new();

        b->put = put;
        b->put_ctx = ctx;
        return b;
}

int lsr_builder_reset(struct lsr_builder *b)
{
        int (*put)(void *ctx, const struct lsr_member *m) = b->put;
        void *ctx = b->put_ctx;
        uint64_t limit = b->limit;

        builder_clear(b);
        builder_start(b);
        lsr_builder_limit(b, limit);
        b->put = put;
        b->put_ctx = ctx;
        return put ? put(ctx, NULL) : 0;
}

struct lsr_builder *lsr_builder_free(struct lsr_builder *b)
{
        if (!b)
                return NULL;
        builder_clear(b);
        free(b);
        return NULL;
}

int lsr_builder_finish(struct lsr_builder *b, struct lsr_catalogue **ret_catalogue)
{
        int r = build_finish(b, ret_catalogue);

        builder_clear(b);
        builder_start(b);
        return r;
}
