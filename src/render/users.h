/*
 * users - names of user and group ids
 *
 * A static binary has no NSS. /etc/passwd and /etc/group are read by the
 * caller, together with other files; ids that are not in them are looked up by
 * one run of getent(1) for all of a set, so that LDAP, SSSD and systemd's
 * users have names too.  Ids without a name are shown as numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct lsr_user {
        uint32_t id;
        const char *name; /* NULL: nobody knows it */
        uint32_t name_len;
        uint32_t width; /* columns of the name, or of the number if there is none */
};

/* One of the two databases. */
struct lsr_users {
        const char *database; /* "passwd" or "group": what getent calls it */
        struct lsr_user *all;
        size_t n, cap;
        struct lsr_hash_table table; /* from ids to places in all, less 1 */
        uint32_t *missing;           /* ids to ask getent for */
        char **texts;                /* answers of getent, which names point into */
        size_t n_texts;
        size_t n_missing, cap_missing;
        struct lsr_user last; /* of the last look-up, */
        bool has_last;        /* if there was one */
};

void lsr_users_init(struct lsr_users *users, const char *database);

/* Parse the text of a passwd or group file; names point into @text, which must stay. */
void lsr_users_load(struct lsr_users *users, const char *text, size_t len);

/* The user, always.  An id that was not in the file is noted for lsr_users_resolve(). */
const struct lsr_user *lsr_users_find(struct lsr_users *users, uint32_t id);

/* Ask getent for all that were noted.  Returns the number of processes started; not 0: widths have changed. */
unsigned lsr_users_resolve(struct lsr_users *users);

void lsr_users_free(struct lsr_users *users);
