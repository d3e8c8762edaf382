/*
 * walk - names first, far ahead; metadata for a lot of them at once
 *
 *      tree    names of a directory are read and sorted when the walk comes to it;
 *              d_type tells which of them to open next, so no stat is waited for
 *      lot     [ item item item ... ]  as many as LSR_WALK_LOT, from any number of
 *              directories; one batch of statx for all
 *
 * A directory's descriptor stays open while items in it are at the caller; a
 * path below it is one component, so no symbolic link can be put in its way.
 * When many are open, those far above are closed, and opened again through
 * their parents when the walk comes back; the same inode must be there.
 *
 * Extended attributes cost a call for every file: there is neither an opcode to
 * list them nor a field of statx that says that there are none.
 *
 * Rejected: a batch for every directory (most have ten files: two calls more for
 * each); paths from the root (follows what was put there meanwhile).
 */
#include "pack/walk.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue/catalogue.h"
#include "entry.h"
#include "pack/xattrs.h"

#define WALK_DENTS ((size_t)128 << 10)
#define WALK_OPEN_MAX 256u              /* directories, or half of what the process may open */
#define WALK_TEXT_MAX ((size_t)1 << 20) /* bytes of paths in a lot */
#define WALK_TRIES_MAX 100              /* of a call that a signal interrupts */

struct walk_name {
        const char *name;
        uint64_t key; /* its first bytes, big-endian */
        uint32_t len;
        uint8_t type; /* DT_* */
        bool all;     /* everything below it is kept */
        bool twice;   /* it was there more than once */
};

struct lsr_walk_dir {
        struct lsr_walk_dir *parent; /* NULL: a root */
        const struct lsr_walk_root *root;
        char *name; /* in the parent, owned; of a root its path */
        int fd;     /* -1: closed for a while */
        dev_t dev;  /* then, and where links are followed: which one it is */
        ino_t ino;
        unsigned refs;  /* items, subdirectories, and the walk while it is in it */
        unsigned items; /* at the caller */
        unsigned depth; /* components of its stored path */
        bool gone;
        bool all;        /* keep says nothing about what is below */
        size_t path_len; /* of its stored path, with '/' */
        struct walk_name *names;
        char *text; /* of all names */
        size_t n;
        size_t next;
};

struct lsr_walk {
        struct lsr_walk_options o;
        struct lsr_walk_dir here; /* for roots that are no directories */
        struct lsr_walk_dir *top;
        size_t next_root;
        char *path; /* stored path of the directory at hand */
        size_t path_cap;
        unsigned n_open;
        unsigned open_max;
        uint8_t *dents;
        struct lsr_xattrs xattrs;
};

struct lsr_walk *lsr_walk_new(const struct lsr_walk_options *options)
{
        struct lsr_walk *w = lsr_xmalloc(sizeof(*w));
        struct rlimit limit;

        *w = (struct lsr_walk){ .o = *options, .here = { .fd = AT_FDCWD, .refs = 1 }, .open_max = WALK_OPEN_MAX };
        if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < w->open_max)
                w->open_max = (unsigned)limit.rlim_cur / 4;
        w->dents = lsr_xmalloc(WALK_DENTS);
        return w;
}

static void walk_close(struct lsr_walk *w, struct lsr_walk_dir *dir)
{
        if (dir->fd < 0)
                return;
        close(dir->fd);
        lsr_io_count(w->o.io, 1);
        dir->fd = -1;
        w->n_open--;
}

static void walk_unref(struct lsr_walk *w, struct lsr_walk_dir *dir)
{
        while (dir && --dir->refs == 0) {
                struct lsr_walk_dir *parent = dir->parent;

                walk_close(w, dir);
                free(dir->names);
                free(dir->text);
                free(dir->name);
                free(dir);
                dir = parent;
        }
}

struct lsr_walk *lsr_walk_free(struct lsr_walk *w)
{
        if (!w)
                return NULL;
        while (w->top) {
                struct lsr_walk_dir *dir = w->top;

                w->top = dir->parent;
                walk_unref(w, dir);
        }
        free(w->path);
        free(w->dents);
        free(w);
        return NULL;
}

/* Let go of the items. */
static void walk_release(struct lsr_walk_lot *lot)
{
        for (size_t i = 0; i < lot->n; i++) {
                free(lot->items[i].xattrs);
                lot->items[i].dir->items--;
                walk_unref(lot->walk, lot->items[i].dir);
                if (lot->items[i].below)
                        walk_unref(lot->walk, lot->items[i].below);
        }
        lot->n = 0;
        lot->items = NULL;
}

void lsr_walk_lot_free(struct lsr_walk_lot *lot)
{
        walk_release(lot);
        lsr_arena_free(&lot->arena);
}

/* --- names -------------------------------------------------------------------- */

int lsr_walk_order(const char *a, size_t a_len, bool a_dir, const char *b, size_t b_len, bool b_dir)
{
        size_t n = a_len < b_len ? a_len : b_len;
        int r = memcmp(a, b, n);

        if (r != 0)
                return r;
        /* One is the beginning of the other; then comes what is behind it, '/' for a directory. */
        return (a_len > n ? (uint8_t)a[n] : a_dir ? '/' : 0) - (b_len > n ? (uint8_t)b[n] : b_dir ? '/' : 0);
}

static int walk_compare(const void *a, const void *b)
{
        const struct walk_name *x = a, *y = b;

        if (x->key != y->key)
                return x->key < y->key ? -1 : 1;
        return lsr_walk_order(x->name, x->len, x->type == DT_DIR, y->name, y->len, y->type == DT_DIR);
}

static uint64_t walk_key(const struct walk_name *name)
{
        uint64_t key = 0;

        memcpy(&key, name->name, name->len < sizeof(key) ? name->len : sizeof(key));
        if (name->len < sizeof(key) && name->type == DT_DIR)
                ((char *)&key)[name->len] = '/';
        return be64toh(key);
}

static void walk_room(struct lsr_walk *w, size_t n)
{
        if (n <= w->path_cap)
                return;
        w->path_cap = 2 * n;
        w->path = lsr_xrealloc(w->path, w->path_cap);
}

/* Is @name in the current directory to be packed?  Sets name->all. */
static bool walk_wants(struct lsr_walk *w, const struct lsr_walk_dir *dir, struct walk_name *name)
{
        size_t skip = dir->root->prefix[0] ? strlen(dir->root->prefix) + 1 : 0;
        char *path;
        enum lsr_kept kept = LSR_KEPT_ALL;

        if (!w->o.excludes && !dir->root->keep)
                return true;
        walk_room(w, dir->path_len + name->len + 1);
        memcpy(w->path + dir->path_len, name->name, name->len + 1);
        path = w->path + skip;
        if (w->o.excludes && lsr_excludes_has(w->o.excludes, path, name->name, name->type == DT_DIR))
                return false;
        if (dir->root->keep && !dir->all)
                kept = lsr_keep_has(dir->root->keep, path, dir->path_len - skip + name->len);
        name->all = kept == LSR_KEPT_ALL;
        return kept != LSR_KEPT_NOT;
}

/* A file system without d_type, or a link that is followed. */
static uint8_t walk_type(struct lsr_walk *w, int fd, const char *name)
{
        struct stat st;

        lsr_io_count(w->o.io, 1);
        return fstatat(fd, name, &st, w->o.follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) ? DT_DIR
                                                                                                         : DT_UNKNOWN;
}

struct walk_texts {
        size_t *at; /* of every name */
        size_t len;
        size_t cap;
        size_t n_cap;
};

static void walk_take(struct lsr_walk *w, struct lsr_walk_dir *dir, struct walk_texts *t, const struct dirent *d)
{
        const char *s = d->d_name;
        struct walk_name name = { .name = s, .len = (uint32_t)strlen(s), .type = d->d_type };

        if (lsr_entry_is_dots(s))
                return;
        if (name.type == DT_UNKNOWN || (name.type == DT_LNK && w->o.follow))
                name.type = walk_type(w, dir->fd, s);
        if (!walk_wants(w, dir, &name))
                return;
        if (dir->n == t->n_cap) {
                t->n_cap = t->n_cap ? 2 * t->n_cap : 32;
                dir->names = lsr_xrealloc(dir->names, t->n_cap * sizeof(*dir->names));
                t->at = lsr_xrealloc(t->at, t->n_cap * sizeof(*t->at));
        }
        if (t->len + name.len + 1 > t->cap) {
                t->cap = 2 * (t->cap + name.len + 1);
                dir->text = lsr_xrealloc(dir->text, t->cap);
        }
        memcpy(dir->text + t->len, s, name.len + 1);
        name.key = walk_key(&name);
        t->at[dir->n] = t->len;
        dir->names[dir->n++] = name;
        t->len += name.len + 1;
}

/*
 * Keep the first of equal names in the sorted list: file systems in user space return some twice, and any may
 * while the directory changes.  A directory is not adjacent to a file of the same name.
 */
static void walk_once(struct lsr_walk_dir *dir)
{
        size_t n = 0;

        for (size_t i = 0; i < dir->n; i++) {
                struct walk_name *name = &dir->names[i], *same = NULL;

                if (n > 0 && walk_compare(&dir->names[n - 1], name) == 0)
                        same = &dir->names[n - 1];
                if (!same && name->type == DT_DIR) {
                        struct walk_name file = *name;

                        file.type = DT_UNKNOWN;
                        file.key = walk_key(&file);
                        same = n > 0 ? bsearch(&file, dir->names, n, sizeof(file), walk_compare) : NULL;
                }
                if (same)
                        same->twice = true;
                else
                        dir->names[n++] = *name;
        }
        dir->n = n;
}

/* The names of an open directory, sorted.  0 or a negative errno, then with those that came before it. */
static int walk_read(struct lsr_walk *w, struct lsr_walk_dir *dir)
{
        struct walk_texts t = {};
        unsigned tries = 0;
        ssize_t len;

        while ((len = lsr_io_read_dir(w->o.io, dir->fd, w->dents, WALK_DENTS)) != 0) {
                if (len == -EINTR && tries++ < WALK_TRIES_MAX)
                        continue;
                if (len < 0)
                        break;
                for (const uint8_t *p = w->dents; p < w->dents + len;) {
                        const struct dirent *d = (const struct dirent *)(const void *)p;

                        walk_take(w, dir, &t, d);
                        p += d->d_reclen;
                }
        }
        for (size_t i = 0; i < dir->n; i++)
                dir->names[i].name = dir->text + t.at[i];
        free(t.at);
        if (dir->n > 1)
                qsort(dir->names, dir->n, sizeof(*dir->names), walk_compare);
        walk_once(dir);
        return (int)len;
}

/* --- directories -------------------------------------------------------------- */

/* Open @dir again, which was closed for a while. */
static int walk_open_again(struct lsr_walk *w, struct lsr_walk_dir *dir)
{
        struct stat st;
        int at = dir->parent ? dir->parent->fd : AT_FDCWD;
        int fd = lsr_io_open_dir(w->o.io, at, dir->name, w->o.follow);

        if (fd < 0)
                return fd;
        lsr_io_count(w->o.io, 1);
        if (fstat(fd, &st) < 0 || st.st_dev != dir->dev || st.st_ino != dir->ino) {
                close(fd);
                return -ESTALE;
        }
        dir->fd = fd;
        w->n_open++;
        return fd;
}

/* Forget the descriptor of @dir, but not which directory it is. */
static void walk_close_for_now(struct lsr_walk *w, struct lsr_walk_dir *dir)
{
        struct stat st;

        if (fstat(dir->fd, &st) < 0)
                return;
        dir->dev = st.st_dev;
        dir->ino = st.st_ino;
        walk_close(w, dir);
}

/* The descriptor of @dir, opened again if need be: first the parents that are closed, from above. */
static int walk_fd(struct lsr_walk *w, struct lsr_walk_dir *dir)
{
        struct lsr_walk_dir *closed, *above;

        while (dir->fd < 0 && dir->fd != AT_FDCWD) {
                int fd;

                for (closed = dir; closed->parent && closed->parent->fd < 0; closed = closed->parent)
                        ;
                fd = walk_open_again(w, closed);
                if (fd < 0)
                        return fd;
                /* Keep the last ones of a long way down. */
                above = closed->parent;
                for (unsigned i = 0; above && i < w->open_max / 4; i++)
                        above = above->parent;
                if (above && above->fd >= 0 && above->items == 0)
                        walk_close_for_now(w, above);
        }
        return dir->fd;
}

int lsr_walk_fd(struct lsr_walk *w, const struct lsr_walk_item *item)
{
        return walk_fd(w, item->dir);
}

/* Close what is open above the directory at hand and not needed now, if that is much. */
static void walk_make_room(struct lsr_walk *w)
{
        unsigned depth = 0;

        if (w->n_open <= w->open_max / 2)
                return;
        for (struct lsr_walk_dir *dir = w->top; dir; dir = dir->parent)
                if (depth++ >= w->open_max / 4 && dir->fd >= 0 && dir->items == 0)
                        walk_close_for_now(w, dir);
}

/* Make the open directory @dir the one at hand.  0 or a negative errno of reading it. */
static int walk_push(struct lsr_walk *w, struct lsr_walk_dir *dir, const char *stored, size_t len)
{
        size_t at = dir->parent ? dir->parent->path_len : 0;

        dir->parent = w->top;
        if (dir->parent)
                dir->parent->refs++;
        dir->path_len = at + len + (len > 0);
        dir->depth = (dir->parent ? dir->parent->depth : 0) + (len > 0);
        walk_room(w, dir->path_len + 1);
        memcpy(w->path + at, stored, len);
        if (len > 0)
                w->path[at + len] = '/';
        w->top = dir;
        w->n_open++;
        return walk_read(w, dir);
}

static struct lsr_walk_dir *walk_dir_new(const struct lsr_walk_root *root, const char *name, int fd)
{
        struct lsr_walk_dir *dir = lsr_xmalloc(sizeof(*dir));

        *dir = (struct lsr_walk_dir){ .root = root, .name = lsr_xstrdup(name), .fd = fd, .refs = 2 };
        return dir;
}

static struct lsr_walk_item *walk_add(struct lsr_walk_lot *lot, struct lsr_walk_dir *dir, const char *name)
{
        struct lsr_walk_item *item = &lot->items[lot->n++];

        *item = (struct lsr_walk_item){ .dir = dir, .name = name };
        dir->refs++;
        dir->items++;
        return item;
}

/*
 * May the directory @fd below @dir be entered?  0; 1: it is on another file system; -ELOOP: it is one that it lies in.
 * Remembers which it is in *ret_st.
 */
static int walk_may_enter(struct lsr_walk *w, const struct lsr_walk_dir *dir, int fd, struct stat *ret_st)
{
        if (!w->o.follow && !w->o.one_file_system)
                return 0;
        lsr_io_count(w->o.io, 1);
        if (fstat(fd, ret_st) < 0)
                return -errno;
        for (const struct lsr_walk_dir *above = dir; above && w->o.follow; above = above->parent)
                if (above->dev == ret_st->st_dev && above->ino == ret_st->st_ino)
                        return -ELOOP;
        return dir && w->o.one_file_system && dir->dev != ret_st->st_dev;
}

/* The next root, and if it is a directory what is in it. */
static void walk_root(struct lsr_walk *w, struct lsr_walk_lot *lot)
{
        const struct lsr_walk_root *root = &w->o.roots[w->next_root++];
        size_t len = strlen(root->prefix);
        struct lsr_walk_item *item;
        struct lsr_walk_dir *dir;
        struct stat st = {};
        int fd = -EISDIR, r;

        if (w->o.excludes)
                lsr_excludes_root(w->o.excludes, root->given, root->prefix, root->path);
        if (root->is_dir)
                fd = lsr_io_open_dir(w->o.io, AT_FDCWD, root->path, true);
        if (fd < 0) {
                item = walk_add(lot, &w->here, root->path);
                item->dir_error = root->is_dir ? fd : 0;
        } else {
                dir = walk_dir_new(root, root->path, fd);
                walk_may_enter(w, NULL, fd, &st);
                dir->dev = st.st_dev;
                dir->ino = st.st_ino;
                r = walk_push(w, dir, root->prefix, len);
                if (root->bare && r == 0) {
                        walk_unref(w, dir);
                        return;
                }
                item = walk_add(lot, dir, ".");
                item->below = dir;
                item->dir_error = r;
        }
        item->path = lsr_arena_strndup(&lot->arena, root->prefix, len);
        item->path_len = len;
}

/* The next name of the directory at hand. */
static void walk_step(struct lsr_walk *w, struct lsr_walk_lot *lot)
{
        struct lsr_walk_dir *dir = w->top, *below;
        const struct walk_name *name = &dir->names[dir->next++];
        struct lsr_walk_item *item = walk_add(lot, dir, name->name);
        char *path = lsr_arena_text(&lot->arena, dir->path_len + name->len + 1);
        struct stat st = {};
        int fd, r;

        memcpy(path, w->path, dir->path_len);
        memcpy(path + dir->path_len, name->name, name->len + 1);
        item->path = path;
        item->path_len = dir->path_len + name->len;
        item->twice = name->twice;
        fd = walk_fd(w, dir);
        if (name->type != DT_DIR)
                return; /* without a descriptor its stat will fail, and say so */
        /* Its contents could not be listed. */
        if (dir->depth + 1 == LSR_CATALOGUE_DEPTH_MAX)
                fd = -ENAMETOOLONG;
        if (fd >= 0)
                fd = lsr_io_open_dir(w->o.io, fd, name->name, w->o.follow);
        r = fd < 0 ? fd : walk_may_enter(w, dir, fd, &st);
        if (r != 0) {
                item->dir_error = r < 0 ? r : 0;
                if (fd >= 0)
                        close(fd);
                return;
        }
        below = walk_dir_new(dir->root, name->name, fd);
        below->dev = st.st_dev;
        below->ino = st.st_ino;
        below->all = dir->all || name->all;
        below->parent = dir;
        item->below = below;
        item->dir_error = walk_push(w, below, name->name, name->len);
}

/* --- metadata ----------------------------------------------------------------- */

/* Ask for the target of a link.  False: it is none. */
static bool walk_ask_target(struct lsr_walk_lot *lot, const struct lsr_walk_item *item, struct lsr_op *op)
{
        uint64_t size = item->meta.size;

        if (item->meta.error || !S_ISLNK(item->meta.mode))
                return false;
        op->kind = LSR_OP_READ_LINK;
        /* st_size is the length of the target, but some file systems say 0. */
        op->data->cap = (size > 0 && size < PATH_MAX ? size : PATH_MAX) + 1;
        op->data->buf = lsr_arena_text(&lot->arena, op->data->cap);
        return true;
}

/* Ask for the names of attributes, which links and devices may have, too.  False: there are none. */
static bool walk_ask_xattrs(const struct lsr_walk *w, const struct lsr_walk_item *item, struct lsr_op *op)
{
        op->kind = LSR_OP_LIST_XATTRS;
        return !item->meta.error && !w->o.no_xattrs && lsr_xattrs_are_there(&w->xattrs, item->meta.dev);
}

static void walk_take_target(struct lsr_walk_item *item, const struct lsr_op_data *data)
{
        bool whole = data->ret >= 0 && (size_t)data->ret < data->cap;

        if (!whole)
                item->target_error = data->ret < 0 ? (int)data->ret : -ENAMETOOLONG;
        item->target = data->buf;
        item->target_len = data->ret < 0 ? 0 : whole ? (size_t)data->ret : data->cap - 1;
        data->buf[item->target_len] = '\0';
}

static int walk_extra(struct lsr_walk *w, struct lsr_walk_lot *lot)
{
        struct lsr_walk_item **items = lsr_arena_new(&lot->arena, struct lsr_walk_item *, 2 * lot->n + 1);
        struct lsr_op_data *data = lsr_arena_new(&lot->arena, struct lsr_op_data, 2 * lot->n + 1);
        struct lsr_op *ops = lsr_arena_new(&lot->arena, struct lsr_op, 2 * lot->n + 1);
        size_t n = 0;
        int r;

        for (size_t i = 0; i < 2 * lot->n; i++) {
                struct lsr_walk_item *item = items[n] = &lot->items[i / 2];

                data[n] = (struct lsr_op_data){};
                ops[n] = (struct lsr_op){
                        .data = &data[n], .name = item->name, .dirfd = item->dir->fd, .follow = w->o.follow
                };
                n += i % 2 ? walk_ask_xattrs(w, item, &ops[n]) : walk_ask_target(lot, item, &ops[n]);
        }
        r = lsr_io_run(w->o.io, ops, n);
        for (size_t i = 0; i < n && r >= 0; i++) {
                if (ops[i].kind == LSR_OP_READ_LINK)
                        walk_take_target(items[i], &data[i]);
                else
                        items[i]->xattrs_error = lsr_xattrs_read(&w->xattrs, w->o.io, &ops[i], items[i]->meta.dev,
                                                                 &items[i]->xattrs, &items[i]->xattrs_len);
        }
        return r;
}

static int walk_stat(struct lsr_walk *w, struct lsr_walk_lot *lot)
{
        const struct lsr_op stat = lsr_op_stat(AT_FDCWD,
                                               LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_NLINK | LSR_FIELD_UID |
                                                       LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_BLOCKS |
                                                       LSR_FIELD_INODE | LSR_FIELD_DEV | LSR_FIELD_MTIME,
                                               w->o.follow);
        struct lsr_op *ops = lsr_arena_new(&lot->arena, struct lsr_op, lot->n);
        int r;

        for (size_t i = 0; i < lot->n; i++) {
                lsr_op_put(&ops[i], &stat, lot->items[i].name, &lot->items[i].meta);
                ops[i].dirfd = lot->items[i].dir->fd;
        }
        r = lsr_io_run(w->o.io, ops, lot->n);
        return r < 0 || w->o.sizes_only ? r : walk_extra(w, lot);
}

int lsr_walk_next(struct lsr_walk *w, struct lsr_walk_lot *lot)
{
        unsigned opened;
        size_t text = 0;
        int r;

        walk_release(lot);
        lsr_arena_reset(&lot->arena);
        lot->walk = w;
        lot->items = lsr_arena_new(&lot->arena, struct lsr_walk_item, LSR_WALK_LOT);
        walk_make_room(w);
        opened = w->n_open;
        while (lot->n < LSR_WALK_LOT && text < WALK_TEXT_MAX && w->n_open <= opened + w->open_max / 4) {
                struct lsr_walk_dir *dir = w->top;

                if (!dir && w->next_root == w->o.n_roots)
                        break;
                if (!dir) {
                        walk_root(w, lot);
                } else if (dir->next < dir->n) {
                        walk_step(w, lot);
                } else {
                        w->top = dir->parent;
                        walk_unref(w, dir);
                        continue;
                }
                text += lot->n > 0 ? lot->items[lot->n - 1].path_len : 0;
        }
        if (lot->n == 0)
                return 0;
        r = walk_stat(w, lot);
        return r < 0 ? r : 1;
}

void lsr_walk_drop(struct lsr_walk_item *item)
{
        item->gone = true;
        if (item->below)
                item->below->gone = true;
}

bool lsr_walk_dropped(const struct lsr_walk_item *item)
{
        return item->gone || (item->dir->gone && item->dir != item->below);
}
