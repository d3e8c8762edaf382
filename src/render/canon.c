/*
 * canon - one component after the other
 *
 *      done   /home/u/src          absolute, without links
 *      todo   ../lib/link/x        a link's target takes its place in front
 *
 * A loop is noticed when the same rest is to be done in the same directory a
 * second time.  Looking for that begins after CANON_LINKS_FREE links, as nearly
 * no path has so many; which link of a loop is the one that is kept depends on
 * this number, and it is the one of the GNU tools.
 */
#include "render/canon.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define CANON_LINKS_FREE 20

struct canon_seen {
        struct canon_seen *next;
        dev_t dev;
        ino_t ino;
        char todo[];
};

struct canon {
        char *done; /* "" is the root */
        size_t len;
        size_t cap;
        unsigned links;
        uint64_t calls;
        struct canon_seen *seen;
};

static void canon_append(struct canon *c, const char *name, size_t len)
{
        if (c->len + len + 2 > c->cap) {
                c->cap = 2 * (c->len + len + 2);
                c->done = lsr_xrealloc(c->done, c->cap);
        }
        c->done[c->len] = '/';
        memcpy(c->done + c->len + 1, name, len);
        c->len += len + 1;
        c->done[c->len] = '\0';
}

/* Take the last component away. */
static void canon_up(struct canon *c)
{
        while (c->len > 0 && c->done[--c->len] != '/')
                ;
        c->done[c->len] = '\0';
}

/* Was @todo already the rest in the directory of the last component?  Record it.  */
static bool canon_loops(struct canon *c, const char *todo)
{
        char *slash = strrchr(c->done, '/');
        struct canon_seen *s;
        struct stat st;
        int error;

        *slash = '\0';
        c->calls++;
        error = stat(slash > c->done ? c->done : "/", &st);
        *slash = '/';
        if (error)
                return true;
        for (s = c->seen; s; s = s->next)
                if (s->dev == st.st_dev && s->ino == st.st_ino && strcmp(s->todo, todo) == 0)
                        return true;
        s = lsr_xmalloc(sizeof(*s) + strlen(todo) + 1);
        s->next = c->seen;
        s->dev = st.st_dev;
        s->ino = st.st_ino;
        strcpy(s->todo, todo);
        c->seen = s;
        return false;
}

/*
 * The last component of c->done may be a link: then the rest to do, allocated,
 * with the target in front.  @todo begins with that component, @rest behind it.
 */
static char *canon_follow(struct canon *c, const char *todo, const char *rest)
{
        char target[PATH_MAX], *next;
        ssize_t len = readlink(c->done, target, sizeof(target));

        c->calls++;
        if (len < 0 || len == sizeof(target))
                return NULL;
        if (c->links < CANON_LINKS_FREE)
                c->links++;
        else if (canon_loops(c, todo))
                return NULL;
        next = lsr_xmalloc((size_t)len + strlen(rest) + 1);
        memcpy(next, target, (size_t)len);
        strcpy(next + len, rest);
        if (target[0] == '/')
                c->done[c->len = 0] = '\0';
        else
                canon_up(c);
        return next;
}

static void canon_walk(struct canon *c, char *todo)
{
        char *p = todo;

        for (;;) {
                size_t len;
                char *next;

                p += strspn(p, "/");
                len = strcspn(p, "/");
                if (len == 0)
                        break;
                if (len == 2 && p[0] == '.' && p[1] == '.') {
                        canon_up(c);
                } else if (len > 1 || p[0] != '.') {
                        canon_append(c, p, len);
                        next = canon_follow(c, p, p + len);
                        if (next) {
                                free(todo);
                                todo = p = next;
                                continue;
                        }
                }
                p += len;
        }
        free(todo);
}

char *lsr_canonical(const char *base, const char *path, unsigned *links, uint64_t *calls)
{
        struct canon c = { .links = *links };

        if (!*path) {
                errno = ENOENT;
                return NULL;
        }
        if (*path == '/') {
                c.done = lsr_xstrdup("");
        } else {
                c.done = base ? lsr_xstrdup(base) : getcwd(NULL, 0);
                *calls += !base;
                if (!c.done)
                        return NULL;
                c.len = strlen(c.done);
                if (c.len == 1)
                        c.done[c.len = 0] = '\0';
        }
        c.cap = c.len + 1;
        canon_walk(&c, lsr_xstrdup(path));
        while (c.seen) {
                struct canon_seen *s = c.seen;

                c.seen = s->next;
                free(s);
        }
        if (c.len == 0)
                canon_append(&c, "", 0);
        *links = c.links;
        *calls += c.calls;
        return c.done;
}
