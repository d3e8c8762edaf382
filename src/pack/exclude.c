/*
 * exclude - a pattern is split at each "**"
 *
 *      "a/ ** /b/c"  ->  "a/" "b/c"     one fnmatch(3) for each piece, which
 *                                       begins and ends where a component does
 *
 * An operand at the beginning of a pattern is removed as text: if fnmatch() compared it like the rest, a pattern
 * that begins with '*' would be anchored one directory too high.
 */
#include "pack/exclude.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define EXCLUDE_FORMS 4 /* of a pattern below one operand: as it is, and without the operand, however that is written */

/* A pattern of paths. */
struct exclude_form {
        char *pieces; /* one after the other, each with its NUL */
        size_t n;
};

struct exclude {
        const char *given;
        char *text; /* without "./" before it and '/' behind it */
        bool anchored;
        bool only_dirs;
        bool used;
        struct exclude_form forms[EXCLUDE_FORMS]; /* if it is anchored */
        size_t n_forms;
};

struct lsr_excludes {
        struct exclude *list;
        size_t n;
};

/* @path without leading "./". */
static const char *exclude_skip_dots(const char *path)
{
        while (path[0] == '.' && path[1] == '/')
                path += 2 + strspn(path + 2, "/");
        return path;
}

static struct exclude exclude_parse(const char *given)
{
        const char *from = exclude_skip_dots(given);
        size_t len = strlen(from), all = len;
        struct exclude x = { .given = given };

        while (len > 0 && from[len - 1] == '/')
                len--;
        x.only_dirs = len < all;
        x.text = lsr_xstrndup(from, len);
        x.anchored = from != given || strchr(x.text, '/');
        return x;
}

struct lsr_excludes *lsr_excludes_new(const char *const *patterns)
{
        struct lsr_excludes *e;
        size_t n = 0;

        while (patterns && patterns[n])
                n++;
        if (n == 0)
                return NULL;
        e = lsr_xmalloc(sizeof(*e));
        *e = (struct lsr_excludes){ .list = lsr_xmalloc(n * sizeof(*e->list)), .n = n };
        for (size_t i = 0; i < n; i++)
                e->list[i] = exclude_parse(patterns[i]);
        return e;
}

static void exclude_forget_forms(struct exclude *x)
{
        while (x->n_forms > 0)
                free(x->forms[--x->n_forms].pieces);
}

struct lsr_excludes *lsr_excludes_free(struct lsr_excludes *e)
{
        if (!e)
                return NULL;
        for (size_t i = 0; i < e->n; i++) {
                exclude_forget_forms(&e->list[i]);
                free(e->list[i].text);
        }
        free(e->list);
        free(e);
        return NULL;
}

static void exclude_add_form(struct exclude *x, const char *pattern)
{
        struct exclude_form form = { .pieces = lsr_xstrdup(pattern), .n = 1 };
        char *to = form.pieces;

        for (const char *p = pattern; *p;) {
                if (strncmp(p, "**/", 3) == 0 && (p == pattern || p[-1] == '/')) {
                        p += 3;
                        *to++ = '\0';
                        form.n++;
                } else {
                        *to++ = *p++;
                }
        }
        *to = '\0';
        assert(x->n_forms < EXCLUDE_FORMS);
        x->forms[x->n_forms++] = form;
}

/* The pattern without @root, if it begins with that. */
static void exclude_add_below(struct exclude *x, const char *pattern, const char *root)
{
        size_t len;

        if (!root || !*root)
                return;
        root = exclude_skip_dots(root);
        len = strlen(root);
        while (len > 0 && root[len - 1] == '/')
                len--;
        if (strncmp(pattern, root, len) != 0 || pattern[len] != '/')
                return;
        pattern += len + strspn(pattern + len, "/");
        if (*pattern)
                exclude_add_form(x, pattern);
}

void lsr_excludes_root(struct lsr_excludes *e, const char *given, const char *prefix, const char *path)
{
        for (size_t i = 0; i < e->n; i++) {
                struct exclude *x = &e->list[i];
                const char *relative = x->text + strspn(x->text, "/");

                exclude_forget_forms(x);
                if (!x->anchored || !*relative)
                        continue;
                exclude_add_form(x, relative);
                exclude_add_below(x, x->text, given);
                exclude_add_below(x, relative, prefix);
                exclude_add_below(x, x->text, path);
        }
}

/* Does @piece match @path up to @end? */
static bool exclude_piece(const char *piece, char *path, char *end)
{
        char kept = *end;
        bool matches;

        *end = '\0';
        matches = fnmatch(piece, path, 0) == 0;
        *end = kept;
        return matches;
}

/* The component after the one at @path, or NULL. */
static char *exclude_next(char *path)
{
        char *slash = strchr(path, '/');

        return slash ? slash + 1 : NULL;
}

/* The first end of a match of @piece that begins at @path or, with @anywhere, after it.  NULL: there is none. */
static char *exclude_after(const char *piece, char *path, bool anywhere)
{
        for (char *end = path; end; end = exclude_next(end)) {
                for (char *from = path; from && from <= end; from = anywhere ? exclude_next(from) : NULL)
                        if (exclude_piece(piece, from, end))
                                return end;
        }
        return NULL;
}

static bool exclude_form_matches(const struct exclude_form *form, char *path)
{
        const char *piece = form->pieces;

        /* The earliest end leaves the most to the pieces that follow. */
        for (size_t i = 0; i + 1 < form->n; i++) {
                path = exclude_after(piece, path, i > 0);
                if (!path)
                        return false;
                piece += strlen(piece) + 1;
        }
        for (char *from = path; from; from = form->n > 1 ? exclude_next(from) : NULL)
                if (fnmatch(piece, from, 0) == 0)
                        return true;
        return false;
}

static bool exclude_matches(const struct exclude *x, char *path, const char *name, bool is_dir)
{
        if (x->only_dirs && !is_dir)
                return false;
        if (!x->anchored)
                return fnmatch(x->text, name, 0) == 0;
        for (size_t i = 0; i < x->n_forms; i++)
                if (exclude_form_matches(&x->forms[i], path))
                        return true;
        return false;
}

bool lsr_excludes_has(struct lsr_excludes *e, char *path, const char *name, bool is_dir)
{
        bool has = false;

        for (size_t i = 0; i < e->n; i++) {
                struct exclude *x = &e->list[i];

                /* A pattern that cannot change the result may still have to be marked as used. */
                if ((!has || !x->used) && exclude_matches(x, path, name, is_dir))
                        has = x->used = true;
        }
        return has;
}

const char *lsr_excludes_unused(const struct lsr_excludes *e, size_t *at)
{
        while (e && *at < e->n) {
                const struct exclude *x = &e->list[(*at)++];

                if (!x->used)
                        return x->given;
        }
        return NULL;
}
