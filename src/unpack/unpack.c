/*
 * unpack - directories, files, links, and then the metadata of directories
 *
 *      rows ─► directories, parents first
 *           ─► regular files in the order of the bundle: one pass through it
 *           ─► symbolic links and special files
 *           ─► hard links
 *           ─► metadata of directories, children first, as all before changes their times
 *
 * Symbolic links come when there is no file left to be put through one; that
 * nothing is put through those that were there before is for tree.c.  A small
 * file costs four calls: open with its final mode, write, time, close.
 *
 * A file is never written over: it is created, or with force taken away first
 * and then created.  One whose content turns out to be damaged is removed.
 */
#include "unpack/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "unpack/restore.h"
#include "unpack/tree.h"

#define UNPACK_HOLE ((uint64_t)4096) /* zeros that become a hole, and at what offsets */

enum {
        ROW_MADE = 1 << 0,
        ROW_NEW = 1 << 1,  /* a directory that was not there before */
        ROW_LOST = 1 << 2, /* told: it cannot be made */
};

struct unpack_file {
        uint64_t position;
        uint32_t row;
};

struct unpack {
        const struct lsr_unpack_options *o;
        struct lsr_unpack_result *result;
        struct lsr_bundle *bundle;
        const struct lsr_catalogue *c;
        struct lsr_tree tree;
        struct lsr_restore restore;
        uint32_t *rows; /* what is to be unpacked, parents before children */
        size_t n;
        uint8_t *state;  /* of each row of the catalogue */
        uint32_t *made;  /* for a row that hard links lead to: which of them has its content; 0: none */
        uint32_t *files; /* rows to read */
        size_t n_files;
        /* The file at hand. */
        struct lsr_member m;
        int fd; /* -1: it could not be made, its content is passed over */
        int dir;
        int error;
        uint64_t at;
        bool hole; /* the end is one */
        uint32_t at_hand;
};

/* --- telling ------------------------------------------------------------------------ */

static char *unpack_path(const struct unpack *u, uint32_t row)
{
        char *below = lsr_tree_path(&u->tree, row);
        size_t len = strlen(u->o->output), below_len = strlen(below);
        char *path = lsr_xmalloc(len + below_len + 2);

        memcpy(path, u->o->output, len);
        if (below_len > 0 && len > 0 && path[len - 1] != '/')
                path[len++] = '/';
        memcpy(path + len, below, below_len + 1);
        free(below);
        return path;
}

static void unpack_tell(struct unpack *u, enum lsr_unpack_trouble what, uint32_t row, int error)
{
        char *path = unpack_path(u, row);

        u->o->trouble(u->o->ctx, what, path, error);
        free(path);
}

static void unpack_lost(void *ctx, const char *name, int error)
{
        struct unpack *u = ctx;
        struct lsr_unpack_result *res = u->result;

        if (res->n_lost++ == 0) {
                char *path = unpack_path(u, u->at_hand);

                res->lost_error = error;
                snprintf(res->lost_name, sizeof(res->lost_name), "%s", name);
                snprintf(res->lost_path, sizeof(res->lost_path), "%s", path);
                free(path);
        }
}

static bool unpack_stopped(const struct unpack *u)
{
        return u->o->stop && *u->o->stop;
}

/* Errors that the next file would only repeat. */
static bool unpack_is_fatal(int error)
{
        return error == -ENOSPC || error == -EDQUOT || error == -EROFS || error == -EIO;
}

/* A member under its own name, but a hard link with all that it leads to: a symbolic link's target, too. */
static void unpack_get(const struct unpack *u, uint32_t row, struct lsr_member *ret_member)
{
        struct lsr_member own;

        lsr_catalogue_get(u->c, row, &own);
        lsr_catalogue_get(u->c, lsr_catalogue_link(u->c, row), ret_member);
        ret_member->path = own.path;
        ret_member->path_len = own.path_len;
}

/* --- names ---------------------------------------------------------------------------- */

/* The directory of @row and its name: a descriptor, good until the next call; -ECANCELED: told already. */
static int unpack_dir_of(struct unpack *u, uint32_t row, const char *name)
{
        uint32_t parent = lsr_catalogue_parent(u->c, row);

        if (parent != u->tree.base && u->state[parent] & ROW_LOST)
                return -ECANCELED;
        return lsr_tree_name_valid(name) ? lsr_tree_dir(&u->tree, parent) : -EINVAL;
}

/* Something is in the way of @row: take it away, if that is allowed.  0: try again; a negative errno. */
static int unpack_clear(struct unpack *u, int dir, const char *name)
{
        if (!u->o->force)
                return -EEXIST;
        return unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

static void unpack_failed(struct unpack *u, enum lsr_unpack_trouble what, uint32_t row, int error)
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
        r = unpack_clear(u, dir, m->path);
        if (r < 0)
                return r;
        u->state[row] |= ROW_NEW;
        return mkdirat(dir, m->path, mode) < 0 ? -errno : 0;
}

static int unpack_dirs(struct unpack *u)
{
        for (size_t i = 0; i < u->n; i++) {
                uint32_t row = u->rows[i];
                struct lsr_member m;
                int dir;

                lsr_catalogue_get(u->c, row, &m);
                if (!S_ISDIR(m.meta.mode))
                        continue;
                if (unpack_stopped(u))
                        return -EINTR;
                dir = unpack_dir_of(u, row, m.path);
                if (dir >= 0)
                        dir = unpack_mkdir(u, row, &m, dir);
                if (dir < 0) {
                        unpack_failed(u, LSR_UNPACK_DIR, row, dir);
                        if (unpack_is_fatal(dir))
                                return dir;
                        continue;
                }
                u->state[row] |= ROW_MADE;
                u->result->files++;
        }
        return 0;
}

static int unpack_dir_metadata(struct unpack *u, uint32_t row, const struct lsr_member *m)
{
        int dir, fd, r;

        u->at_hand = row;
        if (u->state[row] & ROW_NEW && !lsr_restore_needed(&u->restore, m)) {
                dir = unpack_dir_of(u, row, m->path);
                return dir < 0 ? dir : lsr_restore_time_at(dir, m->path, m);
        }
        fd = lsr_tree_open_dir(&u->tree, row, O_RDONLY);
        if (fd < 0)
                return fd;
        r = lsr_restore_fd(&u->restore, fd, m, !(u->state[row] & ROW_NEW));
        close(fd);
        return r;
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
                if (!S_ISDIR(m.meta.mode) || m.flags & LSR_MEMBER_IMPLIED)
                        continue;
                r = unpack_dir_metadata(u, row, &m);
                if (r < 0)
                        unpack_tell(u, LSR_UNPACK_METADATA, row, r);
        }
}

/* --- regular files -------------------------------------------------------------------- */

static int unpack_create(struct unpack *u, uint32_t row)
{
        const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        mode_t mode = lsr_restore_first_mode(&u->restore, &u->m);
        int dir = unpack_dir_of(u, row, u->m.path), fd, r;

        if (dir < 0)
                return dir;
        u->dir = dir;
        fd = openat(dir, u->m.path, flags, mode);
        if (fd < 0 && errno == EEXIST) {
                r = unpack_clear(u, dir, u->m.path);
                if (r < 0)
                        return r;
                fd = openat(dir, u->m.path, flags, mode);
        }
        return fd < 0 ? -errno : fd;
}

static int unpack_begin(void *ctx, size_t i)
{
        struct unpack *u = ctx;
        uint32_t row = u->files[i];

        unpack_get(u, row, &u->m);
        u->at = 0;
        u->hole = false;
        u->error = 0;
        u->at_hand = row;
        u->fd = -1;
        if (unpack_stopped(u))
                return -EINTR;
        u->fd = unpack_create(u, row);
        if (u->fd >= 0)
                return 0;
        unpack_failed(u, LSR_UNPACK_CREATE, row, u->fd);
        return unpack_is_fatal(u->fd) ? u->fd : 0;
}

static int unpack_write_all(struct unpack *u, const char *p, size_t n)
{
        while (n > 0) {
                ssize_t done = u->hole ? pwrite(u->fd, p, n, (off_t)u->at) : write(u->fd, p, n);

                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return -errno;
                p += done;
                n -= (size_t)done;
                u->at += (uint64_t)done;
        }
        return 0;
}

static bool unpack_is_zero(const char *p, size_t n)
{
        return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

/* Blocks of zeros are passed over, the rest is written where it belongs. */
static int unpack_write_sparse(struct unpack *u, const char *p, size_t n)
{
        size_t run = 0;
        int r = 0;

        /* From the first hole on the descriptor's own position is of no use. */
        u->hole = true;
        while (run < n && r == 0) {
                size_t part = UNPACK_HOLE - (size_t)((u->at + run) % UNPACK_HOLE);

                if (part > n - run)
                        part = n - run;
                if (!unpack_is_zero(p + run, part)) {
                        run += part;
                        continue;
                }
                r = unpack_write_all(u, p, run);
                p += run + part;
                n -= run + part;
                u->at += part;
                run = 0;
        }
        return r < 0 ? r : unpack_write_all(u, p, run);
}

static int unpack_write(void *ctx, const void *data, size_t n)
{
        struct unpack *u = ctx;
        int r;

        if (u->fd < 0 || u->error)
                return 0;
        if (unpack_stopped(u))
                return -EINTR;
        /* A file as large as it was listed is what the user agreed to. */
        if ((u->m.meta.known & LSR_FIELD_SIZE) && n > u->m.meta.size - u->at)
                r = -EBADMSG;
        else
                r = u->m.flags & LSR_MEMBER_SPARSE ? unpack_write_sparse(u, data, n) : unpack_write_all(u, data, n);
        u->error = r;
        return unpack_is_fatal(r) ? r : 0;
}

static int unpack_finish(struct unpack *u)
{
        int r;

        if (u->hole && ftruncate(u->fd, (off_t)u->at) < 0)
                return -errno;
        r = lsr_restore_fd(&u->restore, u->fd, &u->m, false);
        if (r < 0)
                unpack_tell(u, LSR_UNPACK_METADATA, u->at_hand, r);
        return 0;
}

static int unpack_end(void *ctx, size_t i, int error)
{
        struct unpack *u = ctx;
        uint32_t row = u->files[i];
        enum lsr_unpack_trouble what = error < 0 ? LSR_UNPACK_CONTENT : LSR_UNPACK_WRITE;

        if (u->fd < 0)
                return 0;
        if (error == 0 && u->error == 0 && (u->m.meta.known & LSR_FIELD_SIZE) && u->at != u->m.meta.size)
                u->error = -EBADMSG;
        /* What the sink returned comes back as the error. */
        if (u->error && (error == 0 || error == u->error)) {
                error = u->error;
                what = error == -EBADMSG ? LSR_UNPACK_CONTENT : LSR_UNPACK_WRITE;
        }
        if (error == 0) {
                error = unpack_finish(u);
                what = LSR_UNPACK_WRITE;
        }
        if (close(u->fd) < 0 && error == 0)
                error = -errno;
        u->fd = -1;
        if (error < 0) {
                unlinkat(u->dir, u->m.path, 0);
                u->state[row] |= ROW_LOST;
                if (error != -EINTR)
                        unpack_tell(u, what, row, error);
                return unpack_is_fatal(error) && what == LSR_UNPACK_WRITE ? error : 0;
        }
        u->state[row] |= ROW_MADE;
        u->result->files++;
        u->result->bytes += u->at;
        return 0;
}

static int unpack_compare(const void *a, const void *b)
{
        const struct unpack_file *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return (x->row > y->row) - (x->row < y->row);
}

/* Is it one whose content is to be read?  Of several hard links the first that is unpacked. */
static bool unpack_is_file(struct unpack *u, uint32_t row, struct lsr_member *ret_member)
{
        unpack_get(u, row, ret_member);
        if (S_ISDIR(ret_member->meta.mode) || ret_member->flags & LSR_MEMBER_DANGLING ||
            ((ret_member->meta.known & LSR_FIELD_TYPE) && !S_ISREG(ret_member->meta.mode)))
                return false;
        return u->made[lsr_catalogue_link(u->c, row)] == row;
}

static int unpack_files(struct unpack *u)
{
        struct unpack_file *files = lsr_xmalloc((u->n + 1) * sizeof(*files));
        const struct lsr_many_sink sink = { u, unpack_begin, unpack_write, unpack_end };
        int r;

        for (size_t i = 0; i < u->n; i++) {
                struct lsr_member m;

                if (unpack_is_file(u, u->rows[i], &m))
                        files[u->n_files++] = (struct unpack_file){ m.position, u->rows[i] };
        }
        qsort(files, u->n_files, sizeof(*files), unpack_compare);
        u->files = lsr_xmalloc((u->n_files + 1) * sizeof(*u->files));
        for (size_t i = 0; i < u->n_files; i++)
                u->files[i] = files[i].row;
        free(files);
        u->fd = -1;
        r = u->n_files > 0 ? lsr_bundle_read_many(u->bundle, u->files, u->n_files, false, &sink) : 0;
        free(u->files);
        /* What is wrong with single files has been told. */
        return r == -EINTR || unpack_is_fatal(r) ? r : 0;
}

/* --- all other kinds ------------------------------------------------------------------ */

static int unpack_node(const struct lsr_member *m, int dir, mode_t mode)
{
        dev_t dev = makedev(lsr_dev_major(m->meta.rdev), lsr_dev_minor(m->meta.rdev));

        if (S_ISLNK(m->meta.mode))
                return symlinkat(m->target ? m->target : "", dir, m->path) < 0 ? -errno : 0;
        if (S_ISREG(m->meta.mode))
                return -EOPNOTSUPP;
        if ((S_ISCHR(m->meta.mode) || S_ISBLK(m->meta.mode)) && !(m->meta.known & LSR_FIELD_DEV))
                return -ENODEV;
        return mknodat(dir, m->path, (m->meta.mode & S_IFMT) | mode, dev) < 0 ? -errno : 0;
}

static int unpack_special(struct unpack *u, uint32_t row, const struct lsr_member *m)
{
        int dir = unpack_dir_of(u, row, m->path), r;
        mode_t mode = lsr_restore_mode(&u->restore, m) & 0777;

        if (dir < 0)
                return dir;
        r = unpack_node(m, dir, mode);
        if (r == -EEXIST) {
                r = unpack_clear(u, dir, m->path);
                if (r == 0)
                        r = unpack_node(m, dir, mode);
        }
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
                if (unpack_stopped(u))
                        return -EINTR;
                r = unpack_special(u, row, &m);
                if (r < 0) {
                        unpack_failed(u, LSR_UNPACK_CREATE, row, r);
                        if (unpack_is_fatal(r))
                                return r;
                        continue;
                }
                u->state[row] |= ROW_MADE;
                u->result->files++;
        }
        return 0;
}

/* --- hard links ----------------------------------------------------------------------- */

static int unpack_link(struct unpack *u, uint32_t row, uint32_t to)
{
        struct lsr_member m, target;
        int dir, from, r;

        lsr_catalogue_get(u->c, row, &m);
        lsr_catalogue_get(u->c, to, &target);
        from = unpack_dir_of(u, to, target.path);
        if (from < 0)
                return from;
        /* The second directory may take the first one's place among those kept open. */
        from = fcntl(from, F_DUPFD_CLOEXEC, 0);
        if (from < 0)
                return -errno;
        dir = r = unpack_dir_of(u, row, m.path);
        if (dir >= 0) {
                r = linkat(from, target.path, dir, m.path, 0) < 0 ? -errno : 0;
                if (r == -EEXIST) {
                        r = unpack_clear(u, dir, m.path);
                        if (r == 0)
                                r = linkat(from, target.path, dir, m.path, 0) < 0 ? -errno : 0;
                }
        }
        close(from);
        return r;
}

static int unpack_links(struct unpack *u)
{
        for (size_t i = 0; i < u->n; i++) {
                uint32_t row = u->rows[i], to = u->made[lsr_catalogue_link(u->c, row)];
                int r;

                if (to == row || u->state[row])
                        continue;
                if (unpack_stopped(u))
                        return -EINTR;
                /* Why there is nothing to link to has been told. */
                r = u->state[to] & ROW_MADE ? unpack_link(u, row, to) : -ENOENT;
                if (r < 0) {
                        unpack_failed(u, LSR_UNPACK_LINK, row, r);
                        continue;
                }
                u->state[row] |= ROW_MADE;
                u->result->files++;
        }
        return 0;
}

/* --- all of it ------------------------------------------------------------------------ */

/* Rows below @top, and @top itself unless it is the root: each level of a catalogue is one slice. */
static void unpack_collect(struct unpack *u, uint32_t top)
{
        uint32_t first = top, end = top + 1;

        u->rows = lsr_xmalloc((size_t)lsr_catalogue_rows(u->c) * sizeof(*u->rows));
        while (first < end) {
                uint32_t next = UINT32_MAX, next_end = 0;

                for (uint32_t row = first; row < end; row++) {
                        struct lsr_slice below = lsr_catalogue_children(u->c, row);

                        if (below.n > 0 && next == UINT32_MAX)
                                next = below.first;
                        if (below.n > 0)
                                next_end = below.first + below.n;
                        if (row != 0)
                                u->rows[u->n++] = row;
                }
                first = next;
                end = next_end;
        }
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
        if (m.flags & LSR_MEMBER_IMPLIED)
                return;
        u->at_hand = 0;
        r = unpack_dir_metadata(u, 0, &m);
        if (r < 0)
                unpack_tell(u, LSR_UNPACK_METADATA, 0, r);
}

int lsr_unpack(const struct lsr_place *place, const struct lsr_unpack_options *options, bool *ret_began,
               struct lsr_unpack_result *ret_result)
{
        const struct lsr_catalogue *c = place->bundle->catalogue;
        struct unpack u = { .o = options, .result = ret_result, .bundle = place->bundle, .c = c, .fd = -1 };
        bool there = access(options->output, F_OK) == 0;
        int r;

        *ret_result = (struct lsr_unpack_result){};
        *ret_began = false;
        r = lsr_tree_open(&u.tree, options->output, c, lsr_catalogue_parent(c, place->row));
        if (r < 0)
                return r;
        *ret_began = true;
        u.restore.ctx = &u;
        u.restore.lost = unpack_lost;
        lsr_restore_begin(&u.restore);
        lsr_restore_look(&u.restore, u.tree.root, NULL);
        u.state = calloc(lsr_catalogue_rows(c), sizeof(*u.state));
        u.made = calloc(lsr_catalogue_rows(c), sizeof(*u.made));
        if (!u.state || !u.made)
                r = -ENOMEM;
        if (r >= 0) {
                unpack_collect(&u, place->row);
                r = unpack_dirs(&u);
        }
        if (r >= 0)
                r = unpack_files(&u);
        if (r >= 0)
                r = unpack_specials(&u);
        if (r >= 0)
                r = unpack_links(&u);
        if (u.rows)
                unpack_dirs_metadata(&u);
        if (r >= 0 && place->row == 0 && (!there || options->force))
                unpack_root_metadata(&u);
        lsr_restore_end(&u.restore);
        lsr_tree_close(&u.tree);
        free(u.rows);
        free(u.state);
        free(u.made);
        return r;
}
