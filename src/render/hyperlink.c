/*
 * hyperlink - one component of a path after the other
 *
 *      done   /home/u/src          absolute, without links
 *      todo   ../lib/link/x        a link's target takes its place in front
 *
 * A loop is noticed when the same rest is to be done in the same directory a
 * second time.  Looking for that begins after CANON_LINKS_FREE links, as nearly
 * no path has so many; which link of a loop is the one that is kept depends on
 * this number, and it is the one of the GNU tools.
 */
#include "render/hyperlink.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "remote/url.h"

#define CANON_LINKS_FREE 20
#define HYPERLINK_URL ":/?#[]@!$&'()*+,;=%" /* what else stays in one as it is */

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

/* Was @todo already the rest in the directory of the last component?  Record it. */
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

/*
 * Resolve @path, which counts from @base if it is relative.  @base is a path that this function has returned, or NULL
 * for the current directory.  *links is the number of links on the way so far, 0 at first: it goes on from a base to
 * the paths below it.  Returns memory to free; NULL if @path is empty or the current directory has no name.
 */
static char *canon_path(struct lsr_hyperlinks *h, const char *base, const char *path, unsigned *links)
{
        struct canon c = { .links = *links };

        if (!*path)
                return NULL;
        if (*path == '/') {
                c.done = lsr_xstrdup("");
        } else {
                c.done = base ? lsr_xstrdup(base) : getcwd(NULL, 0);
                h->syscalls += !base;
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
        h->syscalls += c.calls;
        return c.done;
}

/* --- links -------------------------------------------------------------------- */

void lsr_hyperlinks_init(struct lsr_hyperlinks *h)
{
        char host[256] = "";

        gethostname(host, sizeof(host) - 1);
        *h = (struct lsr_hyperlinks){ .host = lsr_xstrdup(host), .syscalls = 1 };
}

static void hyperlink_put_escaped(struct lsr_out *out, const char *s, bool path)
{
        static const char hex[] = "0123456789abcdef";

        for (; *s; s++) {
                unsigned char c = (unsigned char)*s;

                if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("-._~", c) ||
                    (path && c == '/'))
                        lsr_out_putc(out, (char)c);
                else
                        lsr_out_put(out, (char[]){ '%', hex[c >> 4], hex[c & 15] }, 3);
        }
}

/* The URL that @path is, without slashes at its end, or NULL: a path that there is, is none. */
static char *hyperlink_url(struct lsr_hyperlinks *h, const char *path)
{
        size_t n = strlen(path);
        char *url;

        if (!lsr_url_is(path))
                return NULL;
        h->syscalls++;
        if (access(path, F_OK) == 0)
                return NULL;
        while (path[n - 1] == '/')
                n--;
        url = lsr_xmalloc(3 * n + 1);
        url[lsr_url_escape(url, path, n, HYPERLINK_URL)] = '\0';
        return url;
}

static void hyperlink_find_base(struct lsr_hyperlinks *h, const char *dir)
{
        if (h->dir && strcmp(dir, h->dir) == 0)
                return;
        free(h->dir);
        free(h->base);
        h->dir = lsr_xstrdup(dir);
        h->n_base = 0;
        h->base = hyperlink_url(h, dir);
        h->remote = h->base;
        if (!h->base)
                h->base = canon_path(h, NULL, dir, &h->n_base);
}

/* The absolute path that @e leads to; NULL: below h->base, by its name. */
static char *hyperlink_absolute(struct lsr_hyperlinks *h, const struct lsr_entry *e)
{
        bool known = lsr_entry_stat_ok(e) && !(e->flags & LSR_ENTRY_FOLLOWED);
        bool maybe = e->type == DT_UNKNOWN ? !known || S_ISLNK(e->meta.mode) : e->type == DT_LNK;
        unsigned links = h->n_base;

        /* Only links have to be read. */
        return maybe || lsr_entry_is_dots(e->name) ? canon_path(h, h->base, e->name, &links) : NULL;
}

void lsr_hyperlink_begin(struct lsr_hyperlinks *h, struct lsr_out *out, const char *dir, const struct lsr_entry *e)
{
        char *absolute = NULL, *url = NULL;
        bool found;

        if (dir) {
                hyperlink_find_base(h, dir);
                found = h->base;
                url = h->remote ? lsr_xstrdup(h->base) : NULL;
                absolute = found && !url && e ? hyperlink_absolute(h, e) : NULL;
        } else {
                url = hyperlink_url(h, e->name);
                absolute = url ? NULL : canon_path(h, NULL, e->name, &(unsigned){ 0 });
                found = absolute;
        }
        lsr_out_puts(out, url ? "\033]8;;" : "\033]8;;file://");
        hyperlink_put_escaped(out, url ? "" : h->host, false);
        if (url) {
                lsr_out_puts(out, url);
                hyperlink_put_escaped(out, dir && e ? "/" : "", true);
                hyperlink_put_escaped(out, dir && e ? e->name : "", true);
        } else if (absolute) {
                hyperlink_put_escaped(out, absolute, true);
        } else if (found) {
                bool root = !h->base[1];

                hyperlink_put_escaped(out, root && e ? "" : h->base, true);
                hyperlink_put_escaped(out, e ? "/" : "", true);
                hyperlink_put_escaped(out, e ? e->name : "", true);
        } else {
                lsr_out_putc(out, '/');
        }
        lsr_out_putc(out, '\a');
        free(absolute);
        free(url);
}

void lsr_hyperlink_end(struct lsr_out *out)
{
        lsr_out_puts(out, "\033]8;;\a");
}
