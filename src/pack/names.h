/*
 * names - names of users and groups, to be stored with members
 *
 * As the listing finds them: the file, and getent for those that are not in it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pack/walk.h"
#include "render/users.h"

struct lsr_names {
        struct lsr_users users;
        bool group;
        bool loaded;
        bool has_last;
        uint32_t last_id;
        char *last; /* its name, NULL if it has none */
};

void lsr_names_init(struct lsr_names *names, bool group);
void lsr_names_free(struct lsr_names *names);

/* Look up all that will be asked for. */
void lsr_names_of_lot(struct lsr_names *names, const struct lsr_walk_lot *lot);

/* NUL-terminated, valid until the next call; NULL: unknown. */
const char *lsr_names_find(struct lsr_names *names, uint32_t id);
