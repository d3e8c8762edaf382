/*
 * git - sorted records of git status, found by binary search
 *
 * The changes below a directory are one run of the sorted records.  An
 * untracked or ignored directory is one record for everything in it.
 *
 * The work tree is found as git finds it, by a .git on the way up, so that git
 * need not be started for each directory of -R.
 */
#include "listing/git.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/git.h"

struct git_change {
        const char *path; /* below the top, without '/' at its end */
        size_t len;
        uint16_t letters;
        bool all; /* holds for all that is below, too */
};

struct git_tree {
        char *top; /* absolute; of "/" empty */
        size_t top_len;
        char *text; /* what git said */
        struct git_change *changes;
        size_t n_changes;
        bool known; /* git has told */
};

struct lsr_git {
        struct git_tree *trees;
        size_t n_trees;
};

#define GIT_LETTERS(x, y) ((uint16_t)((x) << 8 | (y)))
#define GIT_CLEAN GIT_LETTERS('-', '-')
#define GIT_UNTRACKED GIT_LETTERS('?', '?')
#define GIT_IGNORED LSR_GIT_IGNORED

struct lsr_git *lsr_git_new(void)
{
        struct lsr_git *git = lsr_xmalloc(sizeof(*git));

        *git = (struct lsr_git){};
        return git;
}

struct lsr_git *lsr_git_free(struct lsr_git *git)
{
        if (!git)
                return NULL;
        for (size_t i = 0; i < git->n_trees; i++) {
                free(git->trees[i].top);
                free(git->trees[i].text);
                free(git->trees[i].changes);
        }
        free(git->trees);
        free(git);
        return NULL;
}

/* ---- what git says ---- */

static int git_order(const char *a, size_t a_len, const char *b, size_t b_len)
{
        int r = memcmp(a, b, a_len < b_len ? a_len : b_len);

        return r ? r : (a_len > b_len) - (a_len < b_len);
}

static int git_compare(const void *a, const void *b)
{
        const struct git_change *x = a, *y = b;

        return git_order(x->path, x->len, y->path, y->len);
}

static char git_letter(char c)
{
        return c == '.' ? '-' : c;
}

/* The number of fields before the path of a record, by its first character; 0: unknown. */
static unsigned git_fields(char kind)
{
        switch (kind) {
        case '?':
        case '!':
                return 1;
        case '1':
                return 8;
        case '2':
                return 9;
        case 'u':
                return 10;
        }
        return 0;
}

/* Parse a record of @len bytes.  False: it is not about a file. */
static bool git_parse(const char *record, size_t len, struct git_change *ret_change)
{
        unsigned fields = len > 4 || (len > 2 && record[1] == ' ') ? git_fields(record[0]) : 0;
        const char *p = record, *end = record + len;

        if (fields == 0)
                return false;
        for (unsigned i = 0; i < fields && p; i++) {
                p = memchr(p, ' ', (size_t)(end - p));
                p = p ? p + 1 : NULL;
        }
        if (!p || p == end)
                return false;
        *ret_change = (struct git_change){ .path = p, .len = (size_t)(end - p) };
        if (fields == 1)
                ret_change->letters = GIT_LETTERS(record[0], record[0]);
        else
                ret_change->letters = GIT_LETTERS(git_letter(record[2]), git_letter(record[3]));
        if (ret_change->path[ret_change->len - 1] == '/') {
                ret_change->len--;
                ret_change->all = true;
        }
        return true;
}

static bool git_is_untracked(const struct git_change *c)
{
        return c->letters == GIT_UNTRACKED || c->letters == GIT_IGNORED;
}

/* A file that was taken out of the index and is still there has two records: "D." and "??" become "D?". */
static void git_merge_records(struct git_tree *t)
{
        size_t n = 0;

        for (size_t i = 0; i < t->n_changes; i++) {
                struct git_change *last = n > 0 ? &t->changes[n - 1] : NULL, *c = &t->changes[i];
                uint16_t now;

                if (!last || git_compare(last, c) != 0) {
                        t->changes[n++] = *c;
                        continue;
                }
                now = git_is_untracked(last) ? last->letters : c->letters;
                if (git_is_untracked(last))
                        *last = *c;
                if (now == GIT_UNTRACKED)
                        last->letters = GIT_LETTERS(last->letters >> 8, '?');
        }
        t->n_changes = n;
}

static void git_parse_all(struct git_tree *t, size_t len)
{
        size_t cap = 0, skip = 0;

        for (char *p = t->text, *end; p < t->text + len; p = end + 1) {
                struct git_change change;

                end = memchr(p, '\0', (size_t)(t->text + len + 1 - p));
                if (skip > 0) {
                        skip--;
                        continue;
                }
                /* For renamed files the old name follows. */
                skip = p[0] == '2';
                if (!git_parse(p, (size_t)(end - p), &change))
                        continue;
                if (t->n_changes == cap) {
                        cap = cap ? 2 * cap : 64;
                        t->changes = lsr_xrealloc(t->changes, cap * sizeof(*t->changes));
                }
                t->changes[t->n_changes++] = change;
        }
        if (t->n_changes > 1)
                qsort(t->changes, t->n_changes, sizeof(*t->changes), git_compare);
        git_merge_records(t);
}

/*
 * Changes inside a submodule are asked for when its files are listed: git would start another git for it, with the
 * submodule's own configuration.
 */
static int git_ask(struct git_tree *t)
{
        static const char *const args[] = {
                "status", "--porcelain=v2", "-z", "--ignored", "--untracked-files=normal", "--ignore-submodules=dirty",
                NULL,
        };
        size_t len;
        int r = lsr_git_output(t->top_len ? t->top : "/", args, &t->text, &len);

        if (r < 0)
                return r;
        if (r > 0)
                return 1;
        git_parse_all(t, len);
        t->known = true;
        return 0;
}

/* ---- trees ---- */

/* The tree that holds directory @path, an absolute path.  NULL: none.  @ret_error: what git_ask() said of a new one. */
static const struct git_tree *git_find(struct lsr_git *git, const char *path, int *ret_error)
{
        char probe[PATH_MAX + 8];
        size_t len = strlen(path);
        struct git_tree *t;

        *ret_error = 0;
        if (len >= PATH_MAX)
                return NULL;
        for (len = len == 1 ? 0 : len;; len--) {
                memcpy(probe, path, len);
                memcpy(probe + len, "/.git", 6);
                if (access(probe, F_OK) == 0)
                        break;
                for (; len > 0 && path[len - 1] != '/'; len--)
                        ;
                if (len == 0)
                        return NULL;
        }
        for (size_t i = 0; i < git->n_trees; i++)
                if (git->trees[i].top_len == len && memcmp(git->trees[i].top, path, len) == 0)
                        return git->trees[i].known ? &git->trees[i] : NULL;
        git->trees = lsr_xrealloc(git->trees, (git->n_trees + 1) * sizeof(*git->trees));
        t = &git->trees[git->n_trees++];
        *t = (struct git_tree){ .top = lsr_xstrndup(path, len), .top_len = len };
        *ret_error = git_ask(t);
        return t->known ? t : NULL;
}

/* ---- looking up ---- */

/* The first change at or behind @path. */
static size_t git_search(const struct git_tree *t, const char *path, size_t len)
{
        size_t low = 0, high = t->n_changes;

        while (low < high) {
                size_t mid = low + (high - low) / 2;

                if (git_order(t->changes[mid].path, t->changes[mid].len, path, len) < 0)
                        low = mid + 1;
                else
                        high = mid;
        }
        return low;
}

static const struct git_change *git_at(const struct git_tree *t, const char *path, size_t len)
{
        size_t i = git_search(t, path, len);

        return i < t->n_changes && git_order(t->changes[i].path, t->changes[i].len, path, len) == 0 ? &t->changes[i]
                                                                                                    : NULL;
}

static unsigned git_common(unsigned a, unsigned b)
{
        return a == '-' || a == b ? b : b == '-' ? a : 'M';
}

/*
 * The common state of everything below @path, which ends in '/' or is empty.  Ignored files are no change, and
 * untracked ones are a change of the work tree only.
 */
static uint16_t git_below(const struct git_tree *t, const char *path, size_t len)
{
        uint16_t letters = GIT_CLEAN;

        for (size_t i = git_search(t, path, len); i < t->n_changes; i++) {
                const struct git_change *c = &t->changes[i];

                if (c->len < len || memcmp(c->path, path, len) != 0)
                        break;
                if (c->letters == GIT_IGNORED)
                        continue;
                letters = GIT_LETTERS(git_common(letters >> 8, c->letters == GIT_UNTRACKED ? '-' : c->letters >> 8),
                                      git_common(letters & 0xff, c->letters & 0xff));
        }
        return letters;
}

/* Of @path, @len bytes below the top with room for one more. */
static uint16_t git_letters(const struct git_tree *t, char *path, size_t len, bool dir)
{
        const struct git_change *c;

        if ((len == 4 || (len > 4 && path[4] == '/')) && memcmp(path, ".git", 4) == 0)
                return 0;
        c = len > 0 ? git_at(t, path, len) : NULL;
        if (c)
                return c->letters;
        /* In an untracked directory another may be ignored: the nearest one counts. */
        for (size_t i = len; i-- > 1;) {
                c = path[i] == '/' ? git_at(t, path, i) : NULL;
                if (c && c->all)
                        return c->letters;
        }
        if (!dir)
                return GIT_CLEAN;
        if (len > 0)
                path[len++] = '/';
        return git_below(t, path, len);
}

/* A directory of a work tree. */
struct git_spot {
        const struct git_tree *tree; /* NULL: it is in none */
        char path[2 * PATH_MAX];     /* below the top, with '/' at its end unless it is empty */
        size_t len;
};

/* @real: an absolute path without links.  Returns as lsr_git_fill(). */
static int git_spot(struct lsr_git *git, const char *real, struct git_spot *ret_spot)
{
        size_t len;
        int error;

        ret_spot->tree = git_find(git, real, &error);
        ret_spot->len = 0;
        if (!ret_spot->tree)
                return error;
        /* Below the top there is a '/' first. */
        real += ret_spot->tree->top_len;
        real += real[0] == '/';
        len = strlen(real);
        memcpy(ret_spot->path, real, len);
        if (len > 0)
                ret_spot->path[len++] = '/';
        ret_spot->len = len;
        return 0;
}

/* @name in the directory, or the directory itself if that is empty. */
static void git_name(struct git_spot *spot, const char *name, size_t name_len, struct lsr_entry *e)
{
        size_t len = spot->len;

        if (!spot->tree || len + name_len + 1 > sizeof(spot->path))
                return;
        memcpy(spot->path + len, name, name_len);
        len = name_len > 0 ? len + name_len : len > 0 ? len - 1 : 0;
        e->git = git_letters(spot->tree, spot->path, len, lsr_entry_is_dir(e));
}

static int git_operand(struct lsr_git *git, struct lsr_entry *e)
{
        char *copy = lsr_xmalloc(e->name_len + 1), *real;
        size_t len = e->name_len;
        struct git_spot spot;
        char *name, *slash;
        int error = 0;

        memcpy(copy, e->name, len);
        copy[len] = '\0';
        while (len > 1 && copy[len - 1] == '/')
                copy[--len] = '\0';
        slash = strrchr(copy, '/');
        name = slash ? slash + 1 : copy;
        if (lsr_entry_is_dots(name) || !name[0]) {
                real = realpath(copy, NULL);
                name = copy + len;
        } else if (slash) {
                *slash = '\0';
                real = realpath(slash == copy ? "/" : copy, NULL);
        } else {
                real = realpath(".", NULL);
        }
        if (real) {
                error = git_spot(git, real, &spot);
                git_name(&spot, name, strlen(name), e);
        }
        free(real);
        free(copy);
        return error;
}

int lsr_git_fill(struct lsr_git *git, const char *dir, struct lsr_entry **entries, size_t n)
{
        char *real = dir ? realpath(dir, NULL) : NULL;
        struct git_spot spot;
        int r = 0;

        for (size_t i = 0; i < n && !dir; i++) {
                int error = entries[i]->flags & LSR_ENTRY_MEMBER ? 0 : git_operand(git, entries[i]);

                r = error ? error : r;
        }
        if (real) {
                r = git_spot(git, real, &spot);
                for (size_t i = 0; i < n; i++) {
                        struct lsr_entry *e = entries[i];

                        if (strcmp(e->name, "..") != 0)
                                git_name(&spot, e->name, strcmp(e->name, ".") == 0 ? 0 : e->name_len, e);
                }
        }
        free(real);
        return r;
}

bool lsr_git_ignores(struct lsr_git *git, const char *dir)
{
        struct lsr_entry self = { .name = ".", .name_len = 1, .type = DT_DIR };

        lsr_git_fill(git, dir, &(struct lsr_entry *){ &self }, 1);
        return self.git == GIT_IGNORED;
}
