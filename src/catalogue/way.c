/*
 * way - paths compared with one path
 *
 * Nearly all members are not wanted, and most of their paths are clean as they
 * are stored.  So the question is first whether a path is, by words of eight
 * bytes, and then takes two comparisons with the beginning of the one wanted.
 */
#include "catalogue/way.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "catalogue/build.h"

#define WAY_ONES UINT64_C(0x0101010101010101)
#define WAY_LOW UINT64_C(0x7f7f7f7f7f7f7f7f)

/* The top bit of each byte that is @c. */
static uint64_t way_bytes(uint64_t word, unsigned char c)
{
        uint64_t v = word ^ (WAY_ONES * c);

        return ~(((v & WAY_LOW) + WAY_LOW) | v | WAY_LOW);
}

/* Does a word have a NUL, or a '/' before another or a '.'?  Bytes are in the order of little-endian numbers. */
static bool way_is_odd(uint64_t word)
{
        uint64_t slashes = way_bytes(word, '/');

        return way_bytes(word, '\0') || (slashes << 8 & (slashes | way_bytes(word, '.')));
}

/* Would cleaning surely change nothing?  Words overlap by the byte that a pair may begin with. */
static bool way_is_clean(const char *p, size_t n)
{
        uint64_t last = ~UINT64_C(0); /* what is not there is not odd */

        if (n == 0 || p[0] == '/' || p[0] == '.' || p[n - 1] == '/')
                return false;
        for (; n >= 8; p += 7, n -= 7)
                if (way_is_odd(lsr_le64((const uint8_t *)p)))
                        return false;
        while (n-- > 0)
                last = last << 8 | (unsigned char)p[n];
        return !way_is_odd(last);
}

static void way_set_below(struct lsr_way *w, size_t below)
{
        const char *end = w->path;

        w->below = below;
        for (size_t i = 0; end && i <= below; i++)
                end = strchr(i ? end + 1 : end, '/');
        w->below_next = below >= w->depth ? SIZE_MAX : end ? (size_t)(end - w->path) : w->len;
}

bool lsr_way_begin(struct lsr_way *ret_way, const char *path)
{
        size_t n = strlen(path);
        struct lsr_way w = {};

        for (const char *at = path, *end; *at; at = *end ? end + 1 : end) {
                end = strchrnul(at, '/');
                if (end - at == 2 && at[0] == '.' && at[1] == '.')
                        return false;
        }
        w.path = lsr_xmalloc(n + 1);
        w.len = build_clean(w.path, path, n, &w.depth);
        w.path[w.len] = '\0';
        way_set_below(&w, 0);
        *ret_way = w;
        return true;
}

void lsr_way_end(struct lsr_way *w)
{
        free(w->path);
        free(w->clean);
        free(w->beside);
        catalogue_strings_free(&w->all_beside);
        *w = (struct lsr_way){};
}

/* A directory beside the way: is this the first member of it?  Most come one after the other. */
static bool way_is_first(struct lsr_way *w, const char *path, size_t len)
{
        uint32_t n, number;

        if (len == w->beside_len && memcmp(path, w->beside, len) == 0)
                return false;
        if (w->beside_cap < len) {
                w->beside_cap = len + 256;
                w->beside = lsr_xrealloc(w->beside, w->beside_cap);
        }
        memcpy(w->beside, path, len);
        w->beside_len = len;
        if (!w->all_beside.ends)
                catalogue_strings_init(&w->all_beside);
        n = w->all_beside.n;
        return catalogue_strings_add(&w->all_beside, path, len, &number) < 0 || w->all_beside.n != n;
}

/* For a listing, of a clean path that is not on the way: is it below the end of that, or in a directory beside it? */
static bool way_wants_listed(struct lsr_way *w, const char *path, size_t n, bool dir)
{
        size_t same = 0;
        const char *end;

        while (same < n && same < w->len && path[same] == w->path[same])
                same++;
        if (same == w->len && (same == 0 || path[same] == '/'))
                return true;
        end = memchr(path + same, '/', n - same);
        return (end || dir) && way_is_first(w, path, end ? (size_t)(end - path) : n);
}

/* Of a clean path. */
static bool way_wants_clean(struct lsr_way *w, const char *path, size_t n, bool dir)
{
        bool wanted = n <= w->len && memcmp(path, w->path, n) == 0 && (n == 0 || n == w->len || w->path[n] == '/');

        /* Perhaps it is the first below several. */
        while (w->below_next < n && path[w->below_next] == '/' && memcmp(path, w->path, w->below_next) == 0) {
                way_set_below(w, w->below + 1);
                wanted = true;
        }
        return wanted || (w->lists && way_wants_listed(w, path, n, dir));
}

void lsr_way_again(struct lsr_way *w)
{
        way_set_below(w, 0);
        w->beside_len = 0;
        catalogue_strings_free(&w->all_beside);
}

bool lsr_way_wants(struct lsr_way *w, const char *path, size_t n, bool dir)
{
        size_t depth;

        dir |= n > 0 && path[n - 1] == '/';
        /* Whatever is too deep is wanted: whoever takes it will complain of it. */
        if (n < LSR_CATALOGUE_DEPTH_MAX && n > 0 && way_is_clean(path, n - (path[n - 1] == '/')))
                return way_wants_clean(w, path, n - (path[n - 1] == '/'), dir);
        n = strnlen(path, n);
        if (w->clean_cap <= n) {
                w->clean_cap = n + 256;
                w->clean = lsr_xrealloc(w->clean, w->clean_cap);
        }
        n = build_clean(w->clean, path, n, &depth);
        return depth > LSR_CATALOGUE_DEPTH_MAX || way_wants_clean(w, w->clean, n, true);
}

bool lsr_ways_begin(struct lsr_ways *ret_ways, const char *const *paths, size_t n, bool lists)
{
        bool all = n > LSR_WAYS_MAX;

        ret_ways->n = 0;
        for (size_t i = 0; i < n && !all; i++) {
                struct lsr_way *w = &ret_ways->of[i];

                all = !lsr_way_begin(w, paths[i]);
                if (all)
                        break;
                w->lists = lists;
                ret_ways->n++;
                /* Below the root is everything. */
                all = lists && w->len == 0;
        }
        if (all)
                lsr_ways_end(ret_ways);
        return !all;
}

void lsr_ways_end(struct lsr_ways *ways)
{
        while (ways->n > 0)
                lsr_way_end(&ways->of[--ways->n]);
}

void lsr_ways_again(struct lsr_ways *ways)
{
        for (size_t i = 0; i < ways->n; i++)
                lsr_way_again(&ways->of[i]);
}

bool lsr_ways_want(struct lsr_ways *ways, const char *path, size_t n, bool dir)
{
        bool wanted = false;

        /* Each of them remembers what it has seen. */
        for (size_t i = 0; i < ways->n; i++)
                wanted |= lsr_way_wants(&ways->of[i], path, n, dir);
        return wanted;
}
