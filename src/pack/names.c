/*
 * names - the listing's tables of users, and the last name as a string
 */
#include "pack/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/accounts.h"

void lsr_names_init(struct lsr_names *names, bool group)
{
        *names = (struct lsr_names){ .group = group };
        lsr_users_init(&names->users, group ? "group" : "passwd");
}

void lsr_names_free(struct lsr_names *names)
{
        lsr_users_free(&names->users);
        free(names->last);
        *names = (struct lsr_names){};
}

void lsr_names_of_lot(struct lsr_names *names, const struct lsr_walk_lot *lot)
{
        if (!names->loaded) {
                size_t len;
                const char *text = lsr_accounts_text(names->group, &len);

                lsr_users_load(&names->users, text, len);
                names->loaded = true;
        }
        for (size_t i = 0; i < lot->n; i++)
                if (!lot->items[i].meta.error)
                        lsr_users_find(&names->users, names->group ? lot->items[i].meta.gid : lot->items[i].meta.uid);
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
        names->last = user->name ? lsr_xstrndup(user->name, user->name_len) : NULL;
        names->last_id = id;
        names->has_last = true;
        return names->last;
}
