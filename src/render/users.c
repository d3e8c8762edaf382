/*
 * users - a hash table a database, filled by one pass over the file
 *
 * The first line for an id wins, as getpwuid(3) has it.
 */
#include "render/users.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
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

static struct lsr_user *users_add(struct lsr_users *users, uint32_t id)
{
        struct lsr_user *user;

        if (users->n * 2 >= users->n_slots)
                users_grow(users);
        user = users_slot(users, id);
        if (!user->used) {
                *user = (struct lsr_user){ .id = id, .used = true };
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

void lsr_users_want(struct lsr_users *users, uint32_t id)
{
        if (users->last.used && users->last.id == id)
                return;
        if (users->n_slots && users_slot(users, id)->used) {
                users->last = *users_slot(users, id);
                return;
        }
        users->last = *users_add(users, id);
        users->missing = lsr_xrealloc(users->missing, (users->n_missing + 1) * sizeof(*users->missing));
        users->missing[users->n_missing++] = id;
}

/* Everything that comes out of @fd, with room for a final newline; NULL if nothing does. */
static char *users_read_all(int fd, size_t *ret_len)
{
        char *text = NULL;
        size_t len = 0;
        ssize_t n;

        do {
                text = lsr_xrealloc(text, len + 4096 + 1);
                n = read(fd, text + len, 4096);
                len += n > 0 ? (size_t)n : 0;
        } while (n > 0 || (n < 0 && errno == EINTR));
        text[len] = '\n';
        *ret_len = len + 1;
        return text;
}

/* getent prints the lines it has and is silent on the rest. */
static void users_ask(struct lsr_users *users, const uint32_t *ids, size_t n)
{
        char numbers[USERS_ASK_MAX][12];
        const char *argv[USERS_ASK_MAX + 3] = { "getent", users->database };
        char *const environment[] = { (char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C", NULL };
        posix_spawn_file_actions_t actions;
        int fds[2], status;
        char *text;
        size_t len;
        pid_t pid;

        if (pipe2(fds, O_CLOEXEC) < 0)
                return;
        for (size_t i = 0; i < n; i++) {
                snprintf(numbers[i], sizeof(numbers[i]), "%u", ids[i]);
                argv[2 + i] = numbers[i];
        }
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (posix_spawn(&pid, "/usr/bin/getent", &actions, NULL, (char *const *)(uintptr_t)argv, environment) == 0) {
                close(fds[1]);
                text = users_read_all(fds[0], &len);
                while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                        ;
                lsr_users_load(users, text, len);
                users->texts = lsr_xrealloc(users->texts, (users->n_texts + 1) * sizeof(*users->texts));
                users->texts[users->n_texts++] = text;
        } else {
                close(fds[1]);
        }
        close(fds[0]);
        posix_spawn_file_actions_destroy(&actions);
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

static uint32_t users_digits(uint32_t v)
{
        uint32_t n = 1;

        for (; v >= 10; v /= 10)
                n++;
        return n;
}

const struct lsr_user *lsr_users_find(struct lsr_users *users, uint32_t id)
{
        const struct lsr_user *user;

        if (users->last.used && users->last.id == id)
                return &users->last;
        user = users_add(users, id);
        users->last = *user;
        if (!user->name)
                users->last.width = users_digits(id);
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
