/*
 * unpack-what - operands of --unpack become members of bundles
 *
 * An operand that is a bundle is unpacked as its members; one inside a bundle ("a.tar/lib") as that file or directory
 * under its own name, as cp -R would do; a member of the bundle before it ("a.tar lib/x") under its whole path, as tar
 * does.  Members are looked up as "a.tar/lib/x", so that only what that takes is loaded, but never leave the bundle.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/message.h"
#include "cli/unpack.h"
#include "cli/wildcards.h"

#define WHAT_NONE SIZE_MAX

struct lsr_unpack_operand {
        const char *path;  /* of a member: with that of its bundle */
        const char *given; /* as it was written */
        size_t of;         /* it is a member of that operand; WHAT_NONE */
        size_t members;    /* operands that are members of this one */
        bool listed;       /* by --files-from */
        bool below;        /* to be looked up from the bundle on: its path by itself would not do */
        struct lsr_place place;
};

static void what_add(struct lsr_unpack_operands *o, const char *path)
{
        lsr_grow(&o->all, o->n, &o->cap);
        o->all[o->n] = (struct lsr_unpack_operand){ .path = lsr_arena_strndup(&o->texts, path, strlen(path)),
                                                    .of = WHAT_NONE };
        o->all[o->n].given = o->all[o->n].path;
        o->n++;
}

/* What @path matches, or itself. */
static void what_add_matches(struct lsr_unpack_operands *o, const char *path)
{
        size_t n;
        lsr_autofree char **paths = lsr_wildcards_paths(o->reading->bundles, path, &n);

        for (size_t i = 0; i < n; i++) {
                what_add(o, paths[i]);
                free(paths[i]);
        }
}

static bool what_is_file(const char *path)
{
        struct stat st;

        return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool what_has_dots(const char *path)
{
        for (const char *p = path; (p = strstr(p, "..")); p += 2)
                if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
                        return true;
        return false;
}

/* Does @path lead to a bundle, or into one?  It is looked at only as far as it is on disk. */
static bool what_is_bundle(struct lsr_reading *r, const char *path)
{
        lsr_autofree char *part = lsr_xstrdup(path);
        struct lsr_bundle *bundle;
        int error = -ENOTDIR;
        char *slash;

        if (strcmp(path, "-") == 0)
                return true;
        while (error == -ENOTDIR) {
                struct stat st;

                error = stat(part, &st) < 0 ? -errno : 0;
                if (error == 0)
                        return S_ISREG(st.st_mode) && lsr_bundle_open(r->bundles, part, &bundle) == 0;
                slash = strrchr(part, '/');
                if (!slash || slash == part)
                        break;
                *slash = '\0';
        }
        return false;
}

/* The name @given in the bundle of operand @of; with wildcards unless it is @listed. */
static void what_add_member(struct lsr_unpack_operands *o, size_t of, const char *given, bool listed)
{
        lsr_autofree char *path = lsr_path_new(o->all[of].path, given);
        bool below = !what_is_file(o->all[of].path) || what_has_dots(given);
        size_t first = o->n;

        if (!listed && !below)
                what_add_matches(o, path);
        else
                what_add(o, path);
        for (size_t i = first; i < o->n; i++) {
                o->all[i].given = lsr_arena_strndup(&o->texts, given, strlen(given));
                o->all[i].of = of;
                o->all[i].listed = listed;
                o->all[i].below = below;
        }
        o->all[of].members += o->n - first;
}

/* All operands, and the names in a list.  False after an error. */
static bool what_collect(struct lsr_unpack_operands *o)
{
        const struct lsr_settings *s = o->reading->settings;
        size_t last = WHAT_NONE, bundles = 0;

        for (size_t i = 0; i < s->n_operands; i++) {
                if (last != WHAT_NONE && !what_is_bundle(o->reading, s->operands[i]) &&
                    what_is_bundle(o->reading, o->all[last].path)) {
                        what_add_member(o, last, s->operands[i], false);
                        continue;
                }
                bundles++;
                what_add_matches(o, s->operands[i]);
                last = o->n - 1;
        }
        if (!s->files_from)
                return true;
        if (bundles != 1) {
                lsr_message("--files-from names members of one bundle, and here are %s", lsr_grouped(bundles));
                return false;
        }
        if (strcmp(s->files_from, "-") == 0 && strcmp(s->operands[0], "-") == 0) {
                lsr_message("standard input is either the bundle or the list of --files-from");
                return false;
        }
        if (lsr_name_list_read(s, &o->names) != 0)
                return false;
        /* A bundle of which no members are named would be unpacked as a whole. */
        if (o->names.n == 0 && o->all[last].members == 0) {
                lsr_message("nothing to unpack: %s names no members", lsr_quoted_always(s->files_from));
                return false;
        }
        for (size_t i = 0; i < o->names.n; i++)
                what_add_member(o, last, o->names.list[i], true);
        return true;
}

/* --- looking them up ------------------------------------------------------------- */

/* The directory whose members are named.  As lsr_place_find(). */
static int what_find_base(struct lsr_reading *r, struct lsr_unpack_operand *op)
{
        int error;

        if (op->place.bundle)
                return 0;
        /* Of a bundle that is a file nothing need be loaded for its root. */
        if (what_is_file(op->path))
                return lsr_bundle_open(r->bundles, op->path, &op->place.bundle);
        error = lsr_place_find(r->bundles, op->path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER, &op->place);
        return error == 0 && !lsr_place_is_dir(&op->place) ? -ENOTDIR : error;
}

static int what_find_member(struct lsr_unpack_operands *o, struct lsr_unpack_operand *op)
{
        struct lsr_place *base = &o->all[op->of].place;
        int error;

        if (op->below && lsr_bundle_load(base->bundle) < 0)
                return LSR_PLACE_UNREADABLE;
        if (op->below)
                base->catalogue = base->bundle->catalogue;
        error = op->below ? lsr_place_below(base, op->given, strlen(op->given), 0, &op->place)
                          : lsr_place_find(o->reading->bundles, op->path, LSR_PLACE_SOME, &op->place);
        if (error == 0 && op->place.bundle != base->bundle)
                error = -EXDEV;
        return error == 0 && op->place.row == base->row ? -ENOENT : error;
}

static int what_find(struct lsr_unpack_operands *o, struct lsr_unpack_operand *op)
{
        struct lsr_reading *r = o->reading;
        int error;

        if (op->members > 0)
                return what_find_base(r, op);
        if (op->of != WHAT_NONE)
                return what_find_member(o, op);
        error = lsr_place_find(r->bundles, op->path, LSR_PLACE_FOLLOW | LSR_PLACE_SOME, &op->place);
        /* A bundle by itself is entered; one inside another is a file of that. */
        return error == 1 ? lsr_place_find(r->bundles, op->path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER | LSR_PLACE_SOME,
                                           &op->place)
                          : error;
}

static void what_refuse(struct lsr_unpack_operands *o, const struct lsr_unpack_operand *op, int error)
{
        const char *name = lsr_quoted_always(op->given), *bundle;

        if (op->of == WHAT_NONE || error == LSR_PLACE_UNREADABLE) {
                lsr_reading_refuse(o->reading, op->path, error);
                return;
        }
        bundle = lsr_quoted_always(o->all[op->of].path);
        if (error == -EXDEV)
                lsr_message("%s is in a bundle in %s: use %s", name, bundle, lsr_quoted_always(op->path));
        else if (error == 1 || error == -ENOENT || error == -ENOTDIR)
                lsr_message(op->listed                     ? "cannot find %s in %s"
                            : access(op->given, F_OK) == 0 ? "%s is neither a bundle nor in %s"
                                                           : "cannot find %s, neither here nor in %s",
                            name, bundle);
        else
                lsr_message_errno(-error, "cannot open %s", lsr_quoted_always(op->path));
        lsr_reading_fail(o->reading, 2);
}

/* What loading takes: whole bundles, or the ways to members. */
static void what_expect(struct lsr_unpack_operands *o)
{
        const char **paths = lsr_arena_alloc_n(&o->texts, sizeof(*paths), o->n);
        size_t n = 0;

        for (size_t i = 0; i < o->n; i++)
                if (o->all[i].members == 0 && !o->all[i].below)
                        paths[n++] = o->all[i].path;
        if (n > 0)
                lsr_bundles_expect(
                        o->reading->bundles,
                        &(struct lsr_wanted){ .paths = paths, .n = n, .depth = LSR_DEPTH_ALL, .numbers = true });
}

static bool what_stopped(const struct lsr_reading *r)
{
        return r->stop && *r->stop;
}

bool lsr_unpack_find(struct lsr_reading *r, struct lsr_unpack_operands *ret_operands)
{
        struct lsr_unpack_operands *o = ret_operands;
        size_t found = 0;

        *o = (struct lsr_unpack_operands){ .reading = r };
        if (!what_collect(o)) {
                lsr_reading_fail(r, 2);
                return false;
        }
        what_expect(o);
        for (size_t i = 0; i < o->n && !what_stopped(r); i++) {
                struct lsr_unpack_operand *op = &o->all[i];
                bool lost = op->of != WHAT_NONE && !o->all[op->of].place.bundle;
                int error = lost ? 0 : what_find(o, op);

                found += error == 0 && !lost;
                if (error != 0)
                        what_refuse(o, op, error);
        }
        /* More of a bundle had to be loaded: what was found before is found in that. */
        for (size_t i = 0; i < o->n && found == o->n; i++)
                if (o->all[i].members == 0 && o->all[i].place.catalogue != o->all[i].place.bundle->catalogue)
                        what_find(o, &o->all[i]);
        if (found < o->n && o->n > 1 && !what_stopped(r))
                lsr_message("nothing was unpacked: only %s of %s operands can be unpacked", lsr_grouped(found),
                            lsr_grouped(o->n));
        return found == o->n && !what_stopped(r);
}

bool lsr_unpack_next(struct lsr_unpack_operands *o, size_t *at, struct lsr_unpack_what *ret_what)
{
        const struct lsr_unpack_operand *op;
        const struct lsr_catalogue *c;
        size_t n = 0;

        while (*at < o->n && o->all[*at].of != WHAT_NONE)
                ++*at;
        if (*at == o->n)
                return false;
        op = &o->all[(*at)++];
        free(o->rows);
        o->rows = lsr_xmalloc((op->members + 1) * sizeof(*o->rows));
        c = op->place.catalogue;
        if (op->members == 0)
                o->rows[n++] = op->place.row;
        for (size_t i = *at; i < o->n && n < op->members; i++)
                if (o->all[i].of == *at - 1) {
                        o->rows[n++] = o->all[i].place.row;
                        c = o->all[i].place.catalogue;
                }
        *ret_what = (struct lsr_unpack_what){
                .bundle = op->place.bundle,
                .catalogue = c,
                .rows = o->rows,
                .n = n,
                .base = op->members > 0 ? op->place.row : lsr_catalogue_parent(c, op->place.row),
        };
        return true;
}

static int what_compare_positions(const void *a, const void *b)
{
        struct lsr_member x, y;
        const struct lsr_place *p = a, *q = b;

        lsr_catalogue_get(p->catalogue, p->row, &x);
        lsr_catalogue_get(q->catalogue, q->row, &y);
        return (x.position > y.position) - (x.position < y.position);
}

void lsr_unpack_announce(const struct lsr_unpack_operands *o)
{
        const struct lsr_place *first = &o->all[0].place;
        lsr_autofree struct lsr_place *sorted = lsr_xmalloc(o->n * sizeof(*sorted));
        lsr_autofree uint32_t *rows = lsr_xmalloc(o->n * sizeof(*rows));
        size_t found = 0;

        for (size_t i = 0; i < o->n; i++)
                if (first->catalogue && o->all[i].place.catalogue == first->catalogue &&
                    !lsr_place_is_dir(&o->all[i].place))
                        sorted[found++] = o->all[i].place;
        if (found < 2 || !lsr_bundle_is_remote(first->bundle))
                return;
        qsort(sorted, found, sizeof(*sorted), what_compare_positions);
        for (size_t i = 0; i < found; i++)
                rows[i] = lsr_catalogue_link(first->catalogue, sorted[i].row);
        lsr_bundle_want(first->bundle, first->catalogue, rows, found);
}

void lsr_unpack_operands_free(struct lsr_unpack_operands *o)
{
        lsr_name_list_free(&o->names);
        lsr_arena_free(&o->texts);
        free(o->all);
        free(o->rows);
        *o = (struct lsr_unpack_operands){};
}
