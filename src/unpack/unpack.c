/*
 * unpack - directories, files, links, and then the metadata of directories
 *
 *      rows ─► directories, parents first
 *           ─► regular files in the order of the bundle: one pass through it
 *           ─► symbolic links and special files
 *           ─► hard links
 *           ─► metadata of directories, children first, as all before changes their times
 *
 * Symbolic links come after all files, so that no file can be written through one; tree.c protects against links
 * that were there before.  A small file costs four calls: open with its final mode, write, time, close.
 *
 * A table of contents is trusted for listing only: then the pass through the bundle comes first, and nothing is
 * made that differs from its header.
 *
 * A file is never overwritten: it is created, with force under another name, and that then replaces the old one.  A
 * file whose content is damaged is removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "unpack/unpacking.h"

/* --- telling ------------------------------------------------------------------------ */

static char *unpack_path(const struct unpack *u, uint32_t row)
{
        lsr_autofree char *below = lsr_tree_path(&u->tree, row);

        return below[0] ? lsr_path_new(u->o->output, below) : lsr_xstrdup(u->o->output);
}

void unpack_tell(struct unpack *u, enum lsr_unpack_trouble what, uint32_t row, int error)
{
        lsr_autofree char *path = unpack_path(u, row);

        u->o->trouble(u->o->ctx, what, path, error);
}

void unpack_made(struct unpack *u, uint32_t row, unsigned state)
{
        u->state[row] |= (uint8_t)state;
        u->result->files++;
        if (u->o->progress)
                u->o->progress(u->o->ctx, u->result, 0);
        if (u->o->made) {
                lsr_autofree char *below = lsr_tree_path(&u->tree, row);

                u->o->made(u->o->ctx, below);
        }
}

static void unpack_lost(void *ctx, const char *name, int error)
{
        struct unpack *u = ctx;
        struct lsr_unpack_result *res = u->result;

        if (res->n_lost++ == 0) {
                lsr_autofree char *path = unpack_path(u, u->at_hand);

                res->lost_error = error;
                snprintf(res->lost_name, sizeof(res->lost_name), "%s", name);
                snprintf(res->lost_path, sizeof(res->lost_path), "%s", path);
        }
}

bool unpack_stopped(const struct unpack *u)
{
        return u->o->stop && *u->o->stop;
}

bool unpack_is_fatal(int error)
{
        return error == -ENOSPC || error == -EDQUOT || error == -EROFS || error == -EIO;
}

void unpack_get(const struct unpack *u, uint32_t row, struct lsr_member *ret_member)
{
        struct lsr_member own;

        lsr_catalogue_get(u->c, row, &own);
        lsr_catalogue_get(u->c, lsr_catalogue_link(u->c, row), ret_member);
        ret_member->path = own.path;
        ret_member->path_len = own.path_len;
}

/* --- names ---------------------------------------------------------------------------- */

int unpack_dir_of(struct unpack *u, uint32_t row, const char *name)
{
        uint32_t parent = lsr_catalogue_parent(u->c, row);

        if (!lsr_tree_is_root(&u->tree, parent)) {
                int r = unpack_make_dir(u, parent);

                if (r < 0)
                        return r;
                if (u->state[parent] & ROW_LOST)
                        return -ECANCELED;
        }
        return lsr_tree_name_valid(name) ? lsr_tree_dir(&u->tree, parent) : -EINVAL;
}

void unpack_failed(struct unpack *u, enum lsr_unpack_trouble what, uint32_t row, int error)
{
        u->state[row] |= ROW_LOST;
        if (error != -ECANCELED)
                unpack_tell(u, error == -EEXIST ? LSR_UNPACK_EXISTS : what, row, error);
}

/* --- directories ---------------------------------------------------------------------- */

static int unpack_mkdir(struct unpack *u, uint32_t row, const struct lsr_member *m, int dir)
{
        mode_t mode = lsr_restore_first_mode(&u->restore, m);
        struct stat st;
        int r;

        if (mkdirat(dir, m->path, mode) == 0) {
                u->state[row] |= ROW_NEW;
                return 0;
        }
        if (errno != EEXIST)
                return -errno;
        if (fstatat(dir, m->path, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return -errno;
        if (S_ISDIR(st.st_mode)) {
                lsr_restore_look(&u->restore, dir, m->path);
                return 0;
        }
        r = unpack_replace_by_dir(u, dir, m->path, mode);
        u->state[row] |= r == 0 ? ROW_NEW : 0;
        return r;
}

/* The one directory @row, whose parent is made or lost. */
static int unpack_make_one_dir(struct unpack *u, uint32_t row)
{
        struct lsr_member m;
        int dir;

        lsr_catalogue_get(u->c, row, &m);
        if (!(u->state[row] & ROW_TRUE)) {
                m.meta = (struct lsr_meta){ .known = LSR_FIELD_TYPE, .mode = S_IFDIR };
                u->state[row] |= ROW_UNTRUE;
        }
        dir = unpack_dir_of(u, row, m.path);
        if (dir >= 0)
                dir = unpack_mkdir(u, row, &m, dir);
        if (dir < 0) {
                unpack_failed(u, LSR_UNPACK_DIR, row, dir);
                return unpack_is_fatal(dir) ? dir : 0;
        }
        unpack_made(u, row, ROW_MADE);
        return 0;
}

int unpack_make_dir(struct unpack *u, uint32_t row)
{
        /* Down from the nearest that is made, without recursion: paths are deep. */
        while (!(u->state[row] & (ROW_MADE | ROW_LOST))) {
                uint32_t next = row, parent;
                int r;

                while (parent = lsr_catalogue_parent(u->c, next),
                       !lsr_tree_is_root(&u->tree, parent) && !(u->state[parent] & (ROW_MADE | ROW_LOST)))
                        next = parent;
                r = unpack_make_one_dir(u, next);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int unpack_dirs(struct unpack *u)
{
        for (size_t i = 0; i < u->n; i++) {
                struct lsr_member m;
                int r;

                lsr_catalogue_get(u->c, u->rows[i], &m);
                if (!S_ISDIR(m.meta.mode))
                        continue;
                if (unpack_stopped(u))
                        return -EINTR;
                r = unpack_make_dir(u, u->rows[i]);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int unpack_dir_metadata(struct unpack *u, uint32_t row, const struct lsr_member *m)
{
        bool as_stored = (u->state[row] & (ROW_NEW | ROW_UNTRUE)) == ROW_NEW;
        lsr_autoclose int fd = -1;

        u->at_hand = row;
        if (as_stored && !lsr_restore_needed(&u->restore, m)) {
                int dir = unpack_dir_of(u, row, m->path);

                return dir < 0 ? dir : lsr_restore_time_at(dir, m->path, m);
        }
        fd = lsr_tree_open_dir(&u->tree, row, O_RDONLY);
        return fd < 0 ? fd : lsr_restore_fd(&u->restore, fd, m, !as_stored);
}

static void unpack_dirs_metadata(struct unpack *u)
{
        for (size_t i = u->n; i-- > 0;) {
                uint32_t row = u->rows[i];
                struct lsr_member m;
                int r;

                if (!(u->state[row] & ROW_MADE) || !(u->state[row] & ROW_NEW || u->o->force))
                        continue;
                lsr_catalogue_get(u->c, row, &m);
                if (!S_ISDIR(m.meta.mode) || m.flags & LSR_MEMBER_IMPLIED || !(u->state[row] & ROW_TRUE))
                        continue;
                r = unpack_dir_metadata(u, row, &m);
                if (r < 0)
                        unpack_tell(u, LSR_UNPACK_METADATA, row, r);
        }
}

/* --- all other kinds ------------------------------------------------------------------ */

/* A symbolic link or a special file. */
struct unpack_node {
        const struct lsr_member *m;
        mode_t mode;
};

static int unpack_node(const void *ctx, int dir, const char *name)
{
        const struct unpack_node *node = ctx;
        const struct lsr_member *m = node->m;
        dev_t dev = makedev(lsr_dev_major(m->meta.rdev), lsr_dev_minor(m->meta.rdev));

        if (S_ISLNK(m->meta.mode))
                return symlinkat(m->target ? m->target : "", dir, name) < 0 ? -errno : 0;
        if (S_ISREG(m->meta.mode))
                return -EOPNOTSUPP;
        if ((S_ISCHR(m->meta.mode) || S_ISBLK(m->meta.mode)) && !(m->meta.known & LSR_FIELD_DEV))
                return -ENODEV;
        return mknodat(dir, name, (m->meta.mode & S_IFMT) | node->mode, dev) < 0 ? -errno : 0;
}

/* A symbolic link of which the catalogue does not tell where it leads.  0; -ECANCELED: told. */
static int unpack_target(struct unpack *u, uint32_t row, struct lsr_member *m, char **ret_target)
{
        int r = lsr_bundle_target(u->bundle, u->c, row, ret_target);

        if (r < 0) {
                unpack_tell(u, LSR_UNPACK_CONTENT, row, r);
                return -ECANCELED;
        }
        m->target = *ret_target;
        m->target_len = m->target ? strlen(m->target) : 0;
        return 0;
}

static int unpack_special(struct unpack *u, uint32_t row, const struct lsr_member *m)
{
        const struct unpack_node node = { m, lsr_restore_mode(&u->restore, m) & 0777 };
        int dir = unpack_dir_of(u, row, m->path), r;

        if (dir < 0)
                return dir;
        r = unpack_node(&node, dir, m->path);
        if (r == -EEXIST)
                r = unpack_replace(u, dir, m->path, unpack_node, &node);
        if (r < 0)
                return r;
        u->at_hand = row;
        r = lsr_restore_at(&u->restore, dir, m->path, m);
        if (r < 0)
                unpack_tell(u, LSR_UNPACK_METADATA, row, r);
        return 0;
}

static int unpack_specials(struct unpack *u)
{
        for (size_t i = 0; i < u->n; i++) {
                uint32_t row = u->rows[i];
                const unsigned must = ROW_TRUE | (lsr_catalogue_link(u->c, row) != row ? ROW_LINK : 0);
                lsr_autofree char *target = NULL;
                struct lsr_member m;
                int r;

                if (lsr_catalogue_link(u->c, row) != row && u->made[lsr_catalogue_link(u->c, row)] != row)
                        continue;
                unpack_get(u, row, &m);
                if (m.flags & LSR_MEMBER_DANGLING) {
                        unpack_failed(u, LSR_UNPACK_LINK, row, -ENOENT);
                        continue;
                }
                if (!(m.meta.known & LSR_FIELD_TYPE) || S_ISREG(m.meta.mode) || S_ISDIR(m.meta.mode))
                        continue;
                if (u->state[row] & ROW_LOST || (u->state[row] & must) != must)
                        continue;
                if (unpack_stopped(u))
                        return -EINTR;
                r = S_ISLNK(m.meta.mode) && !m.target ? unpack_target(u, row, &m, &target) : 0;
                if (r == 0)
                        r = unpack_special(u, row, &m);
                if (r < 0) {
                        unpack_failed(u, LSR_UNPACK_CREATE, row, r);
                        if (unpack_is_fatal(r))
                                return r;
                        continue;
                }
                unpack_made(u, row, ROW_MADE);
        }
        return 0;
}

/* --- hard links ----------------------------------------------------------------------- */

/* The file that is linked: its name, in a directory. */
struct unpack_linked {
        int dir;
        const char *name;
};

static int unpack_link_to(const void *ctx, int dir, const char *name)
{
        const struct unpack_linked *to = ctx;

        return linkat(to->dir, to->name, dir, name, 0) < 0 ? -errno : 0;
}

static int unpack_link(struct unpack *u, uint32_t row, uint32_t to)
{
        lsr_autoclose int from = -1;
        struct unpack_linked linked;
        struct lsr_member m, target;
        int dir, r;

        lsr_catalogue_get(u->c, row, &m);
        lsr_catalogue_get(u->c, to, &target);
        dir = unpack_dir_of(u, to, target.path);
        if (dir < 0)
                return dir;
        /* The second directory may take the first one's place among those kept open. */
        from = fcntl(dir, F_DUPFD_CLOEXEC, 0);
        if (from < 0)
                return -errno;
        dir = unpack_dir_of(u, row, m.path);
        if (dir < 0)
                return dir;
        linked = (struct unpack_linked){ from, target.path };
        r = unpack_link_to(&linked, dir, m.path);
        if (r == -EEXIST && u->o->force && u->state[to] & ROW_DOUBT)
                return LSR_UNVERIFIED;
        return r == -EEXIST ? unpack_replace(u, dir, m.path, unpack_link_to, &linked) : r;
}

static int unpack_links(struct unpack *u)
{
        for (size_t i = 0; i < u->n; i++) {
                uint32_t row = u->rows[i], to = u->made[lsr_catalogue_link(u->c, row)];
                int r;

                if (to == row || u->state[row] & (ROW_MADE | ROW_LOST) || !(u->state[row] & ROW_TRUE))
                        continue;
                if (unpack_stopped(u))
                        return -EINTR;
                /* The reason why the target is missing has been reported. */
                r = u->state[to] & ROW_MADE ? unpack_link(u, row, to) : -ENOENT;
                if (r < 0) {
                        unpack_failed(u, LSR_UNPACK_LINK, row, r);
                        continue;
                }
                unpack_made(u, row, ROW_MADE);
        }
        return 0;
}

/* --- all of it ------------------------------------------------------------------------ */

/* @row is to be unpacked, unless its path has lost all components, or it was added before. */
static void unpack_add(struct unpack *u, uint32_t row)
{
        if (row == 0 || u->state[row] & ROW_WANTED)
                return;
        if (u->tree.strip > 0 && lsr_tree_depth(&u->tree, row) <= u->tree.strip)
                return;
        u->state[row] |= ROW_WANTED;
        u->rows[u->n++] = row;
}

/* The directories between the base and @row, from above. */
static void unpack_collect_above(struct unpack *u, uint32_t row)
{
        uint32_t above[LSR_CATALOGUE_DEPTH_MAX], parent = lsr_catalogue_parent(u->c, row);
        size_t n = 0;

        for (; parent != u->tree.base && !(u->state[parent] & ROW_WANTED) && n < LSR_CATALOGUE_DEPTH_MAX;
             parent = lsr_catalogue_parent(u->c, parent))
                above[n++] = parent;
        while (n > 0)
                unpack_add(u, above[--n]);
}

/*
 * Rows below @top, and @top itself unless it is the root; depth first, so that a parent is still open when its
 * children are made.
 */
static void unpack_collect(struct unpack *u, uint32_t top)
{
        uint32_t row = top;

        for (;;) {
                struct lsr_slice below = lsr_catalogue_children(u->c, row);

                unpack_add(u, row);
                if (below.n > 0) {
                        row = below.first;
                        continue;
                }
                while (row != top) {
                        struct lsr_slice beside = lsr_catalogue_children(u->c, lsr_catalogue_parent(u->c, row));

                        if (++row < beside.first + beside.n)
                                break;
                        row = lsr_catalogue_parent(u->c, row - 1);
                }
                if (row == top)
                        break;
        }
}

/* Everything that is wanted; and which of several hard links has the content. */
static void unpack_collect_all(struct unpack *u, const struct lsr_unpack_what *what)
{
        u->rows = lsr_xmalloc((size_t)lsr_catalogue_rows(u->c) * sizeof(*u->rows));
        for (size_t i = 0; i < what->n; i++) {
                u->whole |= what->rows[i] == 0 && u->tree.strip == 0;
                if (what->rows[i] != 0)
                        unpack_collect_above(u, what->rows[i]);
                unpack_collect(u, what->rows[i]);
        }
        u->result->wanted = u->n;
        for (size_t i = 0; i < u->n; i++) {
                uint32_t *made = &u->made[lsr_catalogue_link(u->c, u->rows[i])];

                if (*made == 0 || lsr_catalogue_link(u->c, u->rows[i]) == u->rows[i])
                        *made = u->rows[i];
        }
}

/* The root's own metadata, where the bundle has some ("./"), for a target that was made for it. */
static void unpack_root_metadata(struct unpack *u)
{
        struct lsr_member m;
        int r;

        lsr_catalogue_get(u->c, 0, &m);
        if (m.flags & LSR_MEMBER_IMPLIED || !(u->state[0] & ROW_TRUE))
                return;
        u->at_hand = 0;
        r = unpack_dir_metadata(u, 0, &m);
        if (r < 0)
                unpack_tell(u, LSR_UNPACK_METADATA, 0, r);
}

/* What was collected. */
static int unpack_all(struct unpack *u)
{
        int r = 0;

        u->restore.ctx = u;
        u->restore.lost = unpack_lost;
        lsr_restore_begin(&u->restore);
        lsr_restore_look(&u->restore, u->tree.root, NULL);
        if (!u->bundle->claimed) {
                for (uint32_t row = 0; row < lsr_catalogue_rows(u->c); row++)
                        u->state[row] |= ROW_TRUE | ROW_LINK;
                r = unpack_dirs(u);
        }
        if (r >= 0)
                r = unpack_files(u);
        if (r >= 0)
                r = unpack_specials(u);
        if (r >= 0)
                r = unpack_links(u);
        unpack_dirs_metadata(u);
        return r;
}

int lsr_unpack(const struct lsr_unpack_what *what, const struct lsr_unpack_options *options, bool *ret_began,
               struct lsr_unpack_result *ret_result)
{
        const struct lsr_catalogue *c = what->catalogue;
        struct unpack u = { .o = options,
                            .result = ret_result,
                            .bundle = what->bundle,
                            .c = c,
                            .fd = -1,
                            .tree = { .c = c, .base = what->base, .strip = options->strip } };
        bool there = access(options->output, F_OK) == 0;
        int r;

        *ret_result = (struct lsr_unpack_result){};
        *ret_began = false;
        u.state = calloc(lsr_catalogue_rows(c), sizeof(*u.state));
        u.made = calloc(lsr_catalogue_rows(c), sizeof(*u.made));
        r = u.state && u.made ? 0 : -ENOMEM;
        if (r == 0) {
                unpack_collect_all(&u, what);
                r = lsr_bundle_unlock(u.bundle, c, u.rows, u.n);
        }
        if (r == 0)
                r = lsr_tree_open(&u.tree, options->output, c, what->base, options->strip);
        if (r == 0) {
                *ret_began = true;
                r = unpack_all(&u);
                if (r >= 0 && u.whole && (!there || options->force))
                        unpack_root_metadata(&u);
                lsr_restore_end(&u.restore);
                lsr_tree_close(&u.tree);
        }
        free(u.rows);
        free(u.state);
        free(u.made);
        return r;
}
