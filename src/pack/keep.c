/*
 * keep - a hash set of paths
 *
 * git lists files; the directories above them are added to the set, so that the
 * walk does not enter others.
 */
#include "pack/keep.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/git.h"

#define KEEP_SLOTS_MIN ((size_t)1024)

struct keep_slot {
        const char *path; /* NULL: free */
        uint32_t len;
        bool all;
};

struct lsr_keep {
        char *text; /* what git said */
        struct keep_slot *slots;
        size_t n_slots; /* a power of 2 */
        size_t n;
};

static struct keep_slot *keep_slot(const struct lsr_keep *k, const char *path, size_t len)
{
        uint64_t hash = 14695981039346656037u;
        size_t i;

        for (size_t j = 0; j < len; j++)
                hash = (hash ^ (uint8_t)path[j]) * 1099511628211u;
        for (i = hash & (k->n_slots - 1); k->slots[i].path; i = (i + 1) & (k->n_slots - 1))
                if (k->slots[i].len == len && memcmp(k->slots[i].path, path, len) == 0)
                        break;
        return &k->slots[i];
}

static void keep_grow(struct lsr_keep *k)
{
        struct lsr_keep old = *k;

        k->n_slots = old.n_slots ? 2 * old.n_slots : KEEP_SLOTS_MIN;
        k->slots = lsr_xmalloc(k->n_slots * sizeof(*k->slots));
        memset(k->slots, 0, k->n_slots * sizeof(*k->slots));
        for (size_t i = 0; i < old.n_slots; i++)
                if (old.slots[i].path)
                        *keep_slot(k, old.slots[i].path, old.slots[i].len) = old.slots[i];
        free(old.slots);
}

/* False: it was there. */
static bool keep_add(struct lsr_keep *k, const char *path, size_t len, bool all)
{
        struct keep_slot *slot;

        if (2 * k->n >= k->n_slots)
                keep_grow(k);
        slot = keep_slot(k, path, len);
        if (slot->path) {
                slot->all |= all;
                return false;
        }
        *slot = (struct keep_slot){ path, (uint32_t)len, all };
        k->n++;
        return true;
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
        k = lsr_xmalloc(sizeof(*k));
        *k = (struct lsr_keep){ .text = text };
        keep_grow(k);
        for (char *p = text, *end; p < text + len && (end = memchr(p, '\0', (size_t)(text + len - p))); p = end + 1) {
                size_t n = (size_t)(end - p);
                bool all = n > 0 && p[n - 1] == '/';

                keep_add(k, p, n - all, all);
                for (n -= all; n > 0; n--)
                        if (p[n] == '/' && !keep_add(k, p, n, false))
                                break;
        }
        *ret_keep = k;
        return 0;
}

struct lsr_keep *lsr_keep_free(struct lsr_keep *keep)
{
        if (!keep)
                return NULL;
        free(keep->slots);
        free(keep->text);
        free(keep);
        return NULL;
}

enum lsr_kept lsr_keep_has(const struct lsr_keep *keep, const char *path, size_t len)
{
        const struct keep_slot *slot = keep_slot(keep, path, len);

        if (!slot->path)
                return LSR_KEPT_NOT;
        return slot->all ? LSR_KEPT_ALL : LSR_KEPT;
}
