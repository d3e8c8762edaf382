/*
 * users - those of a database, by one pass over its file
 *
 * The first line for an id wins, as getpwuid(3) has it.
 */
#include "render/users.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/command.h"
#include "base/width.h"
#include "render/view.h"

#define USERS_ASK_MAX 512u /* ids in one run of getent */

void lsr_users_init(struct lsr_users *users, const char *database)
{
        *users = (struct lsr_users){ .database = database };
}

/* The user of that id, who may be new. */
static struct lsr_user *users_add(struct lsr_users *users, uint32_t id)
{
        uint32_t hash = lsr_hash(0, &id, sizeof(id));

        LSR_TABLE_FOREACH(&users->by_id, hash, number)
        {
                if (users->all[number - 1].id == id)
                        return &users->all[number - 1];
        }
        lsr_grow(&users->all, users->n, &users->cap);
        users->all[users->n] = (struct lsr_user){ .id = id, .width = (uint32_t)lsr_digits(id) };
        lsr_xtable_put(&users->by_id, hash, users->n + 1);
        return &users->all[users->n++];
}

/* A line of passwd(5) or group(5): name:password:id:...  Others are passed over. */
static void users_load_line(struct lsr_users *users, char *line, char *end)
{
        char *colon = memchr(line, ':', (size_t)(end - line)), *second, *stop;
        struct lsr_user *user;
        unsigned long id;

        if (!colon || colon == line || *line == '#' || *line == '+' || *line == '-')
                return;
        second = memchr(colon + 1, ':', (size_t)(end - colon - 1));
        if (!second || second + 1 >= end || second[1] < '0' || second[1] > '9')
                return;
        *end = '\0';
        errno = 0;
        id = strtoul(second + 1, &stop, 10);
        if (errno || id > UINT32_MAX || (*stop != ':' && *stop != '\0'))
                return;
        user = users_add(users, (uint32_t)id);
        if (user->name)
                return;
        user->name = line;
        user->name_len = (uint32_t)(colon - line);
        user->width = (uint32_t)lsr_text_width(line, user->name_len);
}

void lsr_users_load(struct lsr_users *users, char *text, size_t len)
{
        char *end = text + len;

        while (text < end) {
                char *newline = memchr(text, '\n', (size_t)(end - text));

                if (!newline)
                        break; /* a last line without an end: there is no room to terminate it */
                users_load_line(users, text, newline);
                text = newline + 1;
        }
}

/* getent prints the lines it has and is silent on the rest. */
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
        if (lsr_command_output(argv, environment, true, &text, &len) < 0)
                return;
        /* A last line without its end. */
        text[len] = '\n';
        lsr_users_load(users, text, len + 1);
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
        users->has_last = false;
        return runs;
}

const struct lsr_user *lsr_users_find(struct lsr_users *users, uint32_t id)
{
        size_t n = users->n;

        if (users->has_last && users->last.id == id)
                return &users->last;
        users->last = *users_add(users, id);
        users->has_last = true;
        if (users->n > n) {
                lsr_grow(&users->missing, users->n_missing, &users->cap_missing);
                users->missing[users->n_missing++] = id;
        }
        return &users->last;
}

void lsr_users_free(struct lsr_users *users)
{
        free(users->all);
        lsr_table_free(&users->by_id);
        free(users->missing);
        for (size_t i = 0; i < users->n_texts; i++)
                free(users->texts[i]);
        free(users->texts);
        *users = (struct lsr_users){};
}
