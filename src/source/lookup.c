/*
 * lookup - a path walked through catalogues
 *
 * The walk keeps a stack of nothing: each step needs a bundle and a row, and
 * what is left of the path; a symbolic link puts its target in front of that.
 */
#include "source/lookup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "formats/format.h"
#include "io/io.h"
#include "remote/url.h"

struct place_walk {
        struct lsr_place at;
        char *rest; /* what is still to walk */
        char *text; /* the allocation that holds it */
        unsigned links;
        unsigned flags;
        struct lsr_bundle *lacks; /* with -EAGAIN: of it more is needed than was loaded */
};

bool lsr_place_is_dir(const struct lsr_place *place)
{
        struct lsr_member m;

        lsr_catalogue_get(place->catalogue, place->row, &m);
        return S_ISDIR(m.meta.mode);
}

/* @whole: a path inside it follows.  @rest: what will be looked up, among what is expected; NULL: anything. */
static int place_enter(struct lsr_place *place, bool whole, const char *rest)
{
        struct lsr_bundle *inner;
        int r = lsr_bundle_open_inner(place, whole, &inner);

        if (r != 0)
                return r == -EKEYREJECTED || r == LSR_LIMIT_EXCEEDED ? LSR_PLACE_UNREADABLE : r;
        r = rest ? lsr_bundle_load_some(inner, rest + strspn(rest, "/")) : lsr_bundle_load(inner);
        if (r < 0)
                return LSR_PLACE_UNREADABLE;
        *place = (struct lsr_place){ inner, inner->catalogue, 0 };
        return 0;
}

int lsr_place_enter(struct lsr_place *place, bool whole)
{
        /* To look at each member would fetch some of each. */
        if (!whole && lsr_bundle_is_remote(place->bundle))
                return 1;
        return place_enter(place, whole, NULL);
}

static int place_lacks(struct place_walk *w, struct lsr_bundle *bundle)
{
        w->lacks = bundle;
        return -EAGAIN;
}

/* The link at @row, seen from directory @dir.  0; 1: it leads out of the bundle; a negative errno. */
static int place_follow(struct place_walk *w, uint32_t dir, const struct lsr_member *m)
{
        size_t rest_len = strlen(w->rest), len = m->target_len;
        lsr_autofree char *read = NULL;
        const char *target = m->target;
        char *text;
        int r = 0;

        /* Where it leads is another lookup. */
        if (lsr_place_is_some(&w->at))
                return place_lacks(w, w->at.bundle);
        if (++w->links > LSR_PLACE_LINKS_MAX)
                return -ELOOP;
        if (len == 0)
                r = lsr_bundle_target(w->at.bundle, w->at.catalogue, w->at.row, &read);
        if (r < 0)
                return r;
        if (read) {
                target = read;
                len = strlen(read);
        }
        if (len == 0 || len + rest_len + 2 > PATH_MAX)
                return len ? -ENAMETOOLONG : -ENOENT;
        if (target[0] == '/')
                return 1;
        text = lsr_xmalloc(len + rest_len + 2);
        memcpy(text, target, len);
        text[len] = '/';
        /* What follows decides whether the link's own last component must be a directory. */
        if (rest_len == 0)
                text[len] = '\0';
        memcpy(text + len + (rest_len > 0), w->rest, rest_len + 1);
        free(w->text);
        w->text = w->rest = text;
        w->at.row = dir;
        return 0;
}

/* ".." of the walk's place: out of an inner bundle into the outer one's directory. */
static int place_up(struct place_walk *w)
{
        const struct lsr_bundle *b = w->at.bundle;

        if (w->at.row != 0) {
                w->at.row = lsr_catalogue_parent(w->at.catalogue, w->at.row);
                return 0;
        }
        if (!b->outer)
                return 1;
        w->at = (struct lsr_place){ b->outer, b->outer_catalogue,
                                    lsr_catalogue_parent(b->outer_catalogue, b->outer_row) };
        return lsr_place_is_some(&w->at) ? place_lacks(w, b->outer) : 0;
}

/* Row of the @len bytes at @name in the directory at hand, or -ENOENT. */
static int64_t place_find_name(const struct place_walk *w, const char *name, size_t len)
{
        int64_t row = lsr_catalogue_find(w->at.catalogue, w->at.row, name, len);

        if (row != -ENOENT || len != strlen(LSR_SCHEMA_SHORT) || memcmp(name, LSR_SCHEMA_SHORT, len) != 0 ||
            strcmp(w->at.bundle->format, "sqlite") != 0)
                return row;
        return lsr_catalogue_find(w->at.catalogue, w->at.row, LSR_SCHEMA_NAME, strlen(LSR_SCHEMA_NAME));
}

/* One component, @len bytes at w->rest, with @more behind it. */
static int place_step(struct place_walk *w, size_t len, bool more)
{
        const char *name = w->rest;
        uint32_t dir = w->at.row;
        struct lsr_member m;
        int64_t row;
        int r;

        w->rest += len;
        if (len == 1 && name[0] == '.')
                return 0;
        if (len == 2 && name[0] == '.' && name[1] == '.')
                return place_up(w);
        row = place_find_name(w, name, len);
        if (row < 0)
                return (int)row;
        w->at.row = (uint32_t)row;
        lsr_catalogue_get(w->at.catalogue, w->at.row, &m);
        if (S_ISLNK(m.meta.mode) && (more || (w->flags & LSR_PLACE_FOLLOW)))
                return place_follow(w, dir, &m);
        if (S_ISDIR(m.meta.mode) || !(more || (w->flags & LSR_PLACE_ENTER)))
                return 0;
        /* The last component is a file unless it is a bundle. */
        lsr_bundles_look(w->at.bundle->all, !more);
        r = S_ISREG(m.meta.mode) ? place_enter(&w->at, more, w->flags & LSR_PLACE_SOME ? w->rest : NULL) : 1;
        lsr_bundles_look(w->at.bundle->all, false);
        /* Of a stream, what lies behind the first file of a name may make a directory of it. */
        if (r == 1 && more && lsr_place_is_some(&w->at) && w->at.bundle->filtered)
                return place_lacks(w, w->at.bundle);
        return r == 1 ? (more ? -ENOTDIR : 0) : r;
}

/* @ret_lacks is set with -EAGAIN alone. */
static int place_walk(const struct lsr_place *from, const char *path, size_t len, unsigned flags,
                      struct lsr_place *ret_place, struct lsr_bundle **ret_lacks)
{
        struct place_walk w = { .at = *from, .flags = flags };
        int r = 0;

        if (len > 0 && path[0] == '/')
                return 1;
        if (len >= PATH_MAX)
                return -ENAMETOOLONG;
        w.text = w.rest = lsr_xmalloc(len + 1);
        memcpy(w.text, path, len);
        w.text[len] = '\0';
        while (r == 0) {
                size_t n;

                while (*w.rest == '/')
                        w.rest++;
                if (!*w.rest)
                        break;
                n = strcspn(w.rest, "/");
                r = place_step(&w, n, w.rest[n] == '/');
        }
        free(w.text);
        if (r == 0)
                *ret_place = w.at;
        *ret_lacks = w.lacks;
        return r;
}

int lsr_place_below(const struct lsr_place *from, const char *path, size_t len, unsigned flags,
                    struct lsr_place *ret_place)
{
        struct lsr_bundle *lacks;

        return place_walk(from, path, len, flags & ~(unsigned)LSR_PLACE_SOME, ret_place, &lacks);
}

/* The longest part of @path, in @buf, that is a real file.  0, or a negative errno: where the kernel stopped. */
static int place_real_part(struct lsr_io *io, const char *path, char *buf, struct stat *st)
{
        size_t len = strlen(path);

        if (len == 0)
                return -ENOENT;
        if (len >= PATH_MAX)
                return -ENAMETOOLONG;
        memcpy(buf, path, len + 1);
        for (;;) {
                while (len > 1 && buf[len - 1] == '/')
                        buf[--len] = '\0';
                lsr_io_count(io, 1);
                if (stat(buf, st) == 0)
                        return 0;
                if (errno != ENOTDIR)
                        return -errno;
                while (len > 0 && buf[len - 1] != '/')
                        len--;
                if (len == 0)
                        return -ENOTDIR;
                buf[len] = '\0';
        }
}

/* @path from @bundle on. */
static int place_from_bundle(struct lsr_bundle *bundle, const char *path, unsigned flags, struct lsr_place *ret_place)
{
        struct lsr_place root = { bundle, NULL, 0 };
        int r;

        /* A '/' at the start would make it absolute; one at the end still says that a directory is meant. */
        while (path[0] == '/')
                path++;
        r = flags & LSR_PLACE_SOME ? lsr_bundle_load_some(bundle, path) : lsr_bundle_load(bundle);
        if (r < 0)
                return LSR_PLACE_UNREADABLE;
        for (;;) {
                struct lsr_bundle *lacks;

                root.catalogue = bundle->catalogue;
                r = place_walk(&root, path, strlen(path), flags, ret_place, &lacks);
                if (r == 0 && lsr_bundles_list(bundle->all) &&
                    !lsr_catalogue_holds(ret_place->catalogue, ret_place->row)) {
                        lacks = ret_place->bundle;
                        r = -EAGAIN;
                }
                /* Each time it is another bundle of which all is there now. */
                if (r != -EAGAIN)
                        return r;
                if (lsr_bundle_load(lacks) < 0)
                        return LSR_PLACE_UNREADABLE;
        }
}

static int place_try_url(struct lsr_bundles *b, const char *url, unsigned flags, struct lsr_place *ret_place)
{
        lsr_autofree char *inner = NULL;
        struct lsr_bundle *bundle;
        uint32_t end;

        if (lsr_bundle_open_url(b, url, &bundle, &end) < 0)
                return LSR_PLACE_UNREADABLE;
        inner = lsr_url_inner(url, end);
        return inner ? place_from_bundle(bundle, inner, flags, ret_place) : -ENOMEM;
}

static int place_find_url(struct lsr_bundles *b, const char *url, unsigned flags, struct lsr_place *ret_place)
{
        int r = place_try_url(b, url, flags, ret_place);

        if (lsr_bundles_anew(b))
                r = place_try_url(b, url, flags, ret_place);
        return r;
}

int lsr_place_find(struct lsr_bundles *b, const char *path, unsigned flags, struct lsr_place *ret_place)
{
        struct lsr_bundle *bundle;
        char real[PATH_MAX];
        const char *rest;
        struct stat st;
        int r;

        if (strcmp(path, "-") == 0) {
                strcpy(real, path);
                rest = "";
        } else {
                r = place_real_part(lsr_bundles_io(b), path, real, &st);
                if (r < 0)
                        return lsr_url_is(path) ? place_find_url(b, path, flags, ret_place) : r;
                rest = path + strlen(real);
                if (!S_ISREG(st.st_mode) || (!*rest && !(flags & LSR_PLACE_ENTER)))
                        return 1;
        }
        r = lsr_bundle_open(b, real, &bundle);
        if (r == 1 && strcmp(path, "-") == 0)
                return LSR_PLACE_UNREADABLE;
        if (r == 1)
                return *rest ? -ENOTDIR : 1;
        if (r < 0)
                return r == LSR_LIMIT_EXCEEDED ? LSR_PLACE_UNREADABLE : r;
        return place_from_bundle(bundle, rest, flags, ret_place);
}
