/*
 * users - a hash table a database, filled by one pass over the file
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
#include "render/quote.h"

#define USERS_SLOTS_MIN 64
#define USERS_ASK_MAX 512u /* ids in one run of getent */

void lsr_users_init(struct lsr_users *users, const char *database)
{
        *users = (struct lsr_users){ .database = database };
}

static struct lsr_user *users_slot(const struct lsr_users *users, uint32_t id)
{
        size_t i = (id * 2654435761u) & (users->n_slots - 1);

        while (users->slots[i].used && users->slots[i].id != id)
                i = (i + 1) & (users->n_slots - 1);
        return &users->slots[i];
}

static void users_grow(struct lsr_users *users)
{
        struct lsr_users old = *users;

        users->n_slots = old.n_slots ? 2 * old.n_slots : USERS_SLOTS_MIN;
        users->slots = lsr_xmalloc(users->n_slots * sizeof(*users->slots));
        memset(users->slots, 0, users->n_slots * sizeof(*users->slots));
        for (size_t i = 0; i < old.n_slots; i++)
                if (old.slots[i].used)
                        *users_slot(users, old.slots[i].id) = old.slots[i];
        free(old.slots);
}

static uint32_t users_digits(uint32_t v)
{
        uint32_t n = 1;

        for (; v >= 10; v /= 10)
                n++;
        return n;
}

static struct lsr_user *users_add(struct lsr_users *users, uint32_t id)
{
        struct lsr_user *user;

        if (users->n * 2 >= users->n_slots)
                users_grow(users);
        user = users_slot(users, id);
        if (!user->used) {
                *user = (struct lsr_user){ .id = id, .used = true, .width = users_digits(id) };
                users->n++;
        }
        return user;
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

/* getent prints the lines that it finds, and nothing for other ids.  */
static void users_ask(struct lsr_users *users, const uint32_t *ids, size_t n)
{
        char numbers[USERS_ASK_MAX][12];
        const char *argv[USERS_ASK_MAX + 3] = { "/usr/bin/getent", users->database };
        char *const environment[] = { (char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C", NULL };
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
        users->last = (struct lsr_user){};
        return runs;
}

const struct lsr_user *lsr_users_find(struct lsr_users *users, uint32_t id)
{
        size_t n = users->n;

        if (users->last.used && users->last.id == id)
                return &users->last;
        users->last = *users_add(users, id);
        if (users->n > n) {
                users->missing = lsr_xrealloc(users->missing, (users->n_missing + 1) * sizeof(*users->missing));
                users->missing[users->n_missing++] = id;
        }
        return &users->last;
}

void lsr_users_free(struct lsr_users *users)
{
        free(users->slots);
        free(users->missing);
        for (size_t i = 0; i < users->n_texts; i++)
                free(users->texts[i]);
        free(users->texts);
        *users = (struct lsr_users){};
}
