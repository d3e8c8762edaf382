/*
 * names - the users of the listing, and the last one kept as a string
 */
#include "pack/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

#define NAMES_READ ((size_t)32 << 10)
#define NAMES_TEXT_MAX ((size_t)256 << 20) /* a file that is larger is not used */

void lsr_names_init(struct lsr_names *names, const char *database, const char *file)
{
        *names = (struct lsr_names){ .file = file };
        lsr_users_init(&names->users, database);
}

void lsr_names_free(struct lsr_names *names)
{
        lsr_users_free(&names->users);
        free(names->text);
        free(names->last);
        *names = (struct lsr_names){};
}

static void names_load(struct lsr_names *names)
{
        size_t len = 0, cap = NAMES_READ;
        ssize_t n = 1;
        int fd;

        if (names->loaded)
                return;
        names->loaded = true;
        fd = open(names->file, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return;
        names->text = lsr_xmalloc(cap + 1);
        while (n != 0 && cap <= NAMES_TEXT_MAX) {
                n = read(fd, names->text + len, cap - len);
                if (n < 0 && errno != EINTR)
                        break;
                len += n > 0 ? (size_t)n : 0;
                if (len == cap) {
                        cap *= 2;
                        names->text = lsr_xrealloc(names->text, cap + 1);
                }
        }
        close(fd);
        /* A last line without its end. */
        names->text[len] = '\n';
        lsr_users_load(&names->users, names->text, len + 1);
}

void lsr_names_of_lot(struct lsr_names *names, const struct lsr_walk_lot *lot, bool group)
{
        names_load(names);
        for (size_t i = 0; i < lot->n; i++)
                if (!lot->items[i].meta.error)
                        lsr_users_find(&names->users, group ? lot->items[i].meta.gid : lot->items[i].meta.uid);
        if (names->users.n_missing > 0) {
                lsr_users_resolve(&names->users);
                names->has_last = false;
        }
}

const char *lsr_names_find(struct lsr_names *names, uint32_t id)
{
        const struct lsr_user *user;

        if (names->has_last && names->last_id == id)
                return names->last;
        user = lsr_users_find(&names->users, id);
        free(names->last);
        names->last = user->name ? strndup(user->name, user->name_len) : NULL;
        names->last_id = id;
        names->has_last = true;
        return names->last;
}

bool lsr_names_id(struct lsr_names *names, const char *name, uint32_t *ret_id)
{
        size_t len = strlen(name);

        names_load(names);
        for (size_t i = 0; i < names->users.n; i++) {
                const struct lsr_user *user = &names->users.all[i];

                if (user->name && user->name_len == len && memcmp(user->name, name, len) == 0) {
                        *ret_id = user->id;
                        return true;
                }
        }
        return false;
}
