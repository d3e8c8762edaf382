/*
 * keep - a hash set of paths
 *
 * git lists files; the directories above them are added to the set, so that the
 * walk does not enter others.
 */
#include "pack/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

extern char **environ;

#define KEEP_SLOTS_MIN ((size_t)1024)
#define KEEP_READ ((size_t)64 << 10)

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

/* Everything that comes out of @fd.  0 or a negative errno. */
static int keep_read(int fd, char **ret_text, size_t *ret_len)
{
        size_t len = 0, cap = KEEP_READ;
        char *text = lsr_xmalloc(cap);
        ssize_t n;

        while ((n = read(fd, text + len, cap - len)) != 0) {
                if (n < 0 && errno != EINTR) {
                        free(text);
                        return -errno;
                }
                len += n > 0 ? (size_t)n : 0;
                if (len == cap) {
                        cap *= 2;
                        text = lsr_xrealloc(text, cap);
                }
        }
        *ret_text = text;
        *ret_len = len;
        return 0;
}

/* Run git in @path; what it prints. */
static int keep_run(const char *path, char **ret_text, size_t *ret_len)
{
        const char *argv[] = {
                "git", "-C", path, "ls-files", "-z", "--cached", "--others", "--exclude-standard", NULL
        };
        posix_spawn_file_actions_t actions;
        int fds[2], status = 0, r;
        pid_t pid;

        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
        r = -posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        close(fds[1]);
        if (r == 0) {
                r = keep_read(fds[0], ret_text, ret_len);
                while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                        ;
                if (r == 0 && status != 0) {
                        free(*ret_text);
                        r = -EINVAL;
                }
        }
        close(fds[0]);
        return r;
}

int lsr_keep_git(struct lsr_keep **ret_keep, const char *path)
{
        struct lsr_keep *k;
        char *text = NULL;
        size_t len = 0;
        int r = keep_run(path, &text, &len);

        if (r < 0)
                return r;
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
