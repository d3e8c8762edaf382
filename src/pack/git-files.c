/*
 * git-files - a set of paths
 *
 * git lists files; the directories above them are added to the set, so that the
 * walk does not enter others.
 */
#include "pack/git-files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/git.h"
#include "base/hash.h"

struct keep_path {
        const char *path;
        uint32_t len;
        bool all;
};

struct lsr_keep {
        char *text;             /* what git said */
        struct lsr_arena texts; /* of others */
        struct keep_path *paths;
        size_t n, cap;
        struct lsr_hash_table table; /* from paths to places in paths, less 1 */
};

/* NULL: it is not there. */
static struct keep_path *keep_find(const struct lsr_keep *k, uint32_t hash, const char *path, size_t len)
{
        LSR_HASH_FOREACH(&k->table, hash, number)
        {
                struct keep_path *p = &k->paths[number - 1];

                if (p->len == len && memcmp(p->path, path, len) == 0)
                        return p;
        }
        return NULL;
}

/* False: it was there. */
static bool keep_add(struct lsr_keep *k, const char *path, size_t len, bool all)
{
        uint32_t hash = lsr_hash(0, path, len);
        struct keep_path *there = keep_find(k, hash, path, len);

        if (there) {
                there->all |= all;
                return false;
        }
        lsr_grow(&k->paths, k->n, &k->cap);
        k->paths[k->n++] = (struct keep_path){ path, (uint32_t)len, all };
        lsr_hash_add(&k->table, hash, (uint32_t)k->n);
        return true;
}

/* The same with the directories that it is in. */
static void keep_add_way(struct lsr_keep *k, const char *path, size_t len, bool all)
{
        keep_add(k, path, len, all);
        for (; len > 0; len--)
                if (path[len] == '/' && !keep_add(k, path, len, false))
                        break;
}

struct lsr_keep *lsr_keep_new(void)
{
        struct lsr_keep *k = lsr_xmalloc(sizeof(*k));

        *k = (struct lsr_keep){};
        return k;
}

void lsr_keep_add(struct lsr_keep *keep, const char *path, size_t len, bool all)
{
        keep_add_way(keep, lsr_arena_strndup(&keep->texts, path, len), len, all);
}

int lsr_keep_git(struct lsr_keep **ret_keep, const char *path)
{
        static const char *const args[] = {
                "ls-files", "-z", "--cached", "--others", "--exclude-standard", NULL,
        };
        struct lsr_keep *k;
        char *text;
        size_t len;
        int r = lsr_git_output(path, args, &text, &len);

        if (r > 0)
                free(text);
        if (r != 0)
                return r < 0 ? r : -EINVAL;
        k = lsr_keep_new();
        k->text = text;
        for (char *p = text, *end; p < text + len && (end = memchr(p, '\0', (size_t)(text + len - p))); p = end + 1) {
                size_t n = (size_t)(end - p);
                bool all = n > 0 && p[n - 1] == '/';

                keep_add_way(k, p, n - all, all);
        }
        *ret_keep = k;
        return 0;
}

struct lsr_keep *lsr_keep_free(struct lsr_keep *keep)
{
        if (!keep)
                return NULL;
        lsr_hash_free(&keep->table);
        free(keep->paths);
        free(keep->text);
        lsr_arena_free(&keep->texts);
        free(keep);
        return NULL;
}

enum lsr_kept lsr_keep_has(const struct lsr_keep *keep, const char *path, size_t len)
{
        const struct keep_path *there = keep_find(keep, lsr_hash(0, path, len), path, len);

        if (!there)
                return LSR_KEPT_NOT;
        return there->all ? LSR_KEPT_ALL : LSR_KEPT;
}
