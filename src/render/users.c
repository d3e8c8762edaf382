/*
 * users - the names of a database, read in one pass over its file, and getent for the rest
 *
 * The first line for an id wins, as for getpwuid(3).
 */
#include "render/users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/accounts.h"
#include "base/arena.h"
#include "base/command.h"
#include "base/width.h"
#include "render/view.h"

#define USERS_ASK_MAX 512u /* ids in one run of getent */

void lsr_users_init(struct lsr_users *users, const char *database)
{
        *users = (struct lsr_users){ .database = database };
}

static struct lsr_user *users_add(struct lsr_users *users, uint32_t id)
{
        uint32_t hash = lsr_hash(0, &id, sizeof(id));

        LSR_HASH_FOREACH(&users->table, hash, number)
        {
                if (users->all[number - 1].id == id)
                        return &users->all[number - 1];
        }
        lsr_grow(&users->all, users->n, &users->cap);
        users->all[users->n++] = (struct lsr_user){ .id = id };
        lsr_hash_add(&users->table, hash, (uint32_t)users->n);
        return &users->all[users->n - 1];
}

void lsr_users_load(struct lsr_users *users, const char *text, size_t len)
{
        const char *end = text + len;
        struct lsr_account account;

        users->has_last = false;
        while (lsr_account_next(&text, end, &account)) {
                struct lsr_user *user = users_add(users, account.id);

                if (user->name)
                        continue;
                user->name = account.name;
                user->name_len = (uint32_t)account.name_len;
        }
}

/* getent prints the lines that it finds, and nothing for other ids. */
static void users_ask(struct lsr_users *users, const uint32_t *ids, size_t n)
{
        char numbers[USERS_ASK_MAX][12];
        const char *argv[USERS_ASK_MAX + 3] = { "/usr/bin/getent", users->database };
        char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
        char *const environment[] = { path, locale, NULL };
        char *text;
        size_t len;

        for (size_t i = 0; i < n; i++) {
                snprintf(numbers[i], sizeof(numbers[i]), "%u", ids[i]);
                argv[2 + i] = numbers[i];
        }
        if (lsr_command_output(argv, environment, NULL, &text, &len) < 0)
                return;
        lsr_users_load(users, text, len);
        users->texts = lsr_xrealloc(users->texts, (users->n_texts + 1) * sizeof(*users->texts));
        users->texts[users->n_texts++] = text;
}

unsigned lsr_users_resolve(struct lsr_users *users)
{
        unsigned runs = 0;

        for (size_t done = 0; done < users->n_missing; done += USERS_ASK_MAX, runs++) {
                size_t n = users->n_missing - done;

                users_ask(users, users->missing + done, n < USERS_ASK_MAX ? n : USERS_ASK_MAX);
        }
        users->n_missing = 0;
        return runs;
}

const struct lsr_user *lsr_users_find(struct lsr_users *users, uint32_t id)
{
        size_t n = users->n;

        if (users->has_last && users->last.id == id)
                return &users->last;
        users->last = *users_add(users, id);
        users->last.width = users->last.name ? (uint32_t)lsr_text_width(users->last.name, users->last.name_len)
                                             : (uint32_t)lsr_digits(id);
        users->has_last = true;
        if (users->n > n) {
                lsr_grow(&users->missing, users->n_missing, &users->cap_missing);
                users->missing[users->n_missing++] = id;
        }
        return &users->last;
}

void lsr_users_free(struct lsr_users *users)
{
        lsr_hash_free(&users->table);
        free(users->all);
        free(users->missing);
        for (size_t i = 0; i < users->n_texts; i++)
                free(users->texts[i]);
        free(users->texts);
        *users = (struct lsr_users){};
}
