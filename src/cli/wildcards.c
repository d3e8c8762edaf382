/*
 * wildcards - operands with wildcards that lead into bundles
 *
 * A pattern is matched one component after the other, as glob(3) does it: each path that was found so far, with each
 * name below it that matches the next component.  Whether a path is a directory, on disk or in a bundle, is looked up
 * anew each time; that costs little where the bundle is open.
 */
#include "cli/wildcards.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "remote/url.h"
#include "source/lookup.h"

#define WILDCARDS_MAX ((size_t)1 << 20) /* paths that one operand may become */

struct wildcards {
        struct lsr_bundles *bundles;
        char **paths; /* they are allocated, too */
        size_t n, cap;
};

static void wildcards_add(struct wildcards *w, char *path)
{
        lsr_grow(&w->paths, w->n, &w->cap);
        w->paths[w->n++] = path;
}

static bool wildcards_has(const char *text, size_t n)
{
        return memchr(text, '*', n) || memchr(text, '?', n) || memchr(text, '[', n);
}

/* @path, a '/' unless it is empty or has one, and the name. */
static char *wildcards_join(const char *path, const char *name, size_t n)
{
        size_t len = strlen(path);
        char *joined = lsr_xmalloc(len + 1 + n + 1);

        lsr_path_put(joined, path, len, name, n);
        return joined;
}

static void wildcards_match(struct wildcards *w, const char *path, const char *pattern, const char *name)
{
        if (w->n < WILDCARDS_MAX && fnmatch(pattern, name, FNM_PERIOD) == 0)
                wildcards_add(w, wildcards_join(path, name, strlen(name)));
}

static int wildcards_any(const struct dirent *entry)
{
        return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int wildcards_compare(const struct dirent **a, const struct dirent **b)
{
        return strcmp((*a)->d_name, (*b)->d_name);
}

/* The names below @path that match. */
static void wildcards_below(struct wildcards *w, const char *path, const char *pattern)
{
        struct lsr_place place;
        struct dirent **names;
        struct lsr_slice below;
        int n;

        n = scandir(*path ? path : ".", &names, wildcards_any, wildcards_compare);
        for (int i = 0; i < n; i++) {
                wildcards_match(w, path, pattern, names[i]->d_name);
                free(names[i]);
        }
        if (n >= 0) {
                free(names);
                return;
        }
        if (errno != ENOTDIR || lsr_place_find(w->bundles, path, LSR_PLACE_ENTER | LSR_PLACE_FOLLOW, &place) != 0 ||
            !lsr_place_is_dir(&place))
                return;
        below = lsr_catalogue_children(place.catalogue, place.row);
        for (uint32_t i = 0; i < below.n; i++) {
                struct lsr_member m;

                lsr_catalogue_get(place.catalogue, below.first + i, &m);
                wildcards_match(w, path, pattern, m.path);
        }
}

static bool wildcards_exists(struct wildcards *w, const char *path, bool *ret_inside)
{
        struct lsr_place place;
        struct stat st;

        *ret_inside = false;
        if (lstat(path, &st) == 0)
                return true;
        *ret_inside = errno == ENOTDIR && lsr_place_find(w->bundles, path, 0, &place) == 0;
        return *ret_inside;
}

/* One component more, of @n bytes, for all paths. */
static void wildcards_step(struct wildcards *w, const char *component, size_t n)
{
        struct wildcards found = { .bundles = w->bundles };
        lsr_autofree char *pattern = lsr_xstrndup(component, n);

        for (size_t i = 0; i < w->n; i++) {
                if (wildcards_has(component, n))
                        wildcards_below(&found, w->paths[i], pattern);
                else
                        wildcards_add(&found, wildcards_join(w->paths[i], component, n));
                free(w->paths[i]);
        }
        free(w->paths);
        *w = found;
}

/* Keep those that are there, and in a bundle; a pattern for files on disk is the shell's. */
static void wildcards_sift(struct wildcards *w, bool slash)
{
        size_t n = 0;

        for (size_t i = 0; i < w->n; i++) {
                char *path = slash ? wildcards_join(w->paths[i], "", 0) : w->paths[i];
                bool inside = false;

                if (path != w->paths[i])
                        free(w->paths[i]);
                if (wildcards_exists(w, path, &inside) && inside)
                        w->paths[n++] = path;
                else
                        free(path);
        }
        w->n = n;
}

static void wildcards_expand(struct wildcards *w, const char *operand)
{
        size_t len = strlen(operand);

        wildcards_add(w, lsr_xprintf("%s", *operand == '/' ? "/" : ""));
        while (*operand) {
                size_t n = strcspn(operand, "/");

                if (n > 0)
                        wildcards_step(w, operand, n);
                operand += n;
                operand += *operand == '/';
        }
        wildcards_sift(w, len > 0 && operand[-1] == '/');
}

/* In a URL they stand for themselves. */
static bool wildcards_in(const char *operand)
{
        return wildcards_has(operand, strlen(operand)) && !lsr_url_is(operand);
}

char **lsr_wildcards_paths(struct lsr_bundles *b, const char *operand, size_t *ret_n)
{
        struct wildcards found = { .bundles = b };
        bool inside;

        if (wildcards_in(operand) && !wildcards_exists(&found, operand, &inside))
                wildcards_expand(&found, operand);
        if (found.n == 0)
                wildcards_add(&found, lsr_xstrdup(operand));
        *ret_n = found.n;
        return found.paths;
}

void lsr_wildcards_expand(struct lsr_bundles *b, struct lsr_settings *s)
{
        struct wildcards all = { .bundles = b };
        size_t i = 0;

        while (i < s->n_operands && !wildcards_in(s->operands[i]))
                i++;
        if (i == s->n_operands)
                return;
        for (i = 0; i < s->n_operands; i++) {
                size_t n;
                lsr_autofree char **paths = lsr_wildcards_paths(b, s->operands[i], &n);

                for (size_t k = 0; k < n; k++)
                        wildcards_add(&all, paths[k]);
        }
        free(s->operands);
        s->operands = lsr_xmalloc(all.n * sizeof(*s->operands));
        for (i = 0; i < all.n; i++)
                s->operands[i] = all.paths[i];
        s->n_operands = all.n;
        free(all.paths);
}
