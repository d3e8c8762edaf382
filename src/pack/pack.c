/*
 * pack - two batches, one being read while the other is handed over
 *
 *      walk    lot 0 [ items ............ ]  lot 1 [ items ............ ]
 *      read       batch 0 [...] batch 1 [...]   ..
 *                 at the writer  being read
 *
 * A batch is a run of items of one lot with the contents of the small files
 * among them.  Larger ones are opened when their turn comes.  So never more than
 * two batches of bytes and two lots of directories are held.
 *
 * Hard links are recognised by device and inode, once the member that they
 * name has been stored.
 */
#include "pack/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "pack/content.h"
#include "pack/digest.h"
#include "pack/names.h"

#define PACK_FILES 128u                    /* small files in a batch */
#define PACK_SMALL ((uint64_t)128 << 10)   /* bytes of the largest of them */
#define PACK_BUFFER ((size_t)2 << 20)      /* bytes of all */
#define PACK_NEVER_SPARSE ((uint64_t)4096) /* a file so small may lie in its inode, without a block */
#define PACK_WHOLE ((size_t)16 << 20)      /* bytes of a file that has more than its size says */
#define PACK_HEADER 512u                   /* bytes of a member's in a tar, at least */

struct pack_batch {
        struct lsr_walk_lot *lot; /* NULL: the end */
        size_t first, end;        /* items of it */
        unsigned n;
        struct lsr_op ops[PACK_FILES];
        struct lsr_op_data files[PACK_FILES];
        size_t item_of[PACK_FILES];
        char *buf;
};

struct pack_link {
        uint32_t dev;
        uint64_t inode;
        const char *path;
};

struct pack {
        const struct lsr_pack_options *o;
        struct lsr_writer *w;
        struct lsr_pack_stats *stats;
        struct lsr_walk *walk;
        struct lsr_walk_lot lots[2];
        struct lsr_walk_lot *lot; /* being planned */
        size_t at;                /* in it */
        struct pack_batch batches[2];
        struct lsr_names users, groups;
        struct pack_link *links;
        size_t n_links, links_cap;
        struct lsr_hash_table link_table; /* from files to places in links, less 1 */
        struct lsr_arena paths;
        uid_t euid;
        uint32_t dev;  /* of the last empty file, */
        bool believed; /* and is one empty there that is said to be? */
        int exhausted; /* a negative errno: descriptors or memory ran out, which was told */
};

/* --- hard links --------------------------------------------------------------- */

static bool pack_may_link(const struct lsr_walk_item *item)
{
        return item->meta.nlink > 1 && !S_ISDIR(item->meta.mode);
}

static uint32_t pack_link_hash(const struct lsr_walk_item *item)
{
        return lsr_hash(item->meta.dev, &item->meta.inode, sizeof(item->meta.inode));
}

/* The path under which the file was stored before; NULL: it was not. */
static const char *pack_linked(const struct pack *p, const struct lsr_walk_item *item)
{
        uint32_t hash;

        if (p->n_links == 0 || !pack_may_link(item))
                return NULL;
        hash = pack_link_hash(item);
        LSR_HASH_FOREACH(&p->link_table, hash, number)
        {
                const struct pack_link *link = &p->links[number - 1];

                if (link->inode == item->meta.inode && link->dev == item->meta.dev)
                        return link->path;
        }
        return NULL;
}

static void pack_remember(struct pack *p, const struct lsr_walk_item *item)
{
        if (!pack_may_link(item) || pack_linked(p, item))
                return;
        lsr_grow(&p->links, p->n_links, &p->links_cap);
        p->links[p->n_links++] = (struct pack_link){ item->meta.dev, item->meta.inode,
                                                     lsr_arena_strndup(&p->paths, item->path, item->path_len) };
        lsr_hash_add(&p->link_table, pack_link_hash(item), (uint32_t)p->n_links);
}

/* --- members ------------------------------------------------------------------ */

bool lsr_pack_is_exhausted(int error)
{
        return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

int lsr_pack_unseen(const struct lsr_pack_options *options, const struct lsr_walk_item *item)
{
        enum lsr_pack_trouble what = item->below ? LSR_PACK_READ_DIR : LSR_PACK_OPEN_DIR;
        int error = item->dir_error;

        if (item->meta.error) {
                what = LSR_PACK_ACCESS;
                error = item->meta.error;
        }
        if (error)
                options->trouble(options->ctx, what, item->path[0] ? item->path : ".", error, 0);
        return error;
}

static void pack_trouble(struct pack *p, enum lsr_pack_trouble what, const struct lsr_walk_item *item, int error,
                         uint64_t at)
{
        p->o->trouble(p->o->ctx, what, item->path[0] ? item->path : ".", error, at);
        /* The item is not at fault, and the next may fare alike: no bundle is better than one with random gaps. */
        if (lsr_pack_is_exhausted(error))
                p->exhausted = error;
}

void lsr_pack_lost(struct lsr_pack_stats *stats, unsigned losses, const char *path)
{
        for (unsigned i = 0; i < LSR_LOSSES; i++) {
                struct lsr_pack_loss *loss = &stats->losses[i];

                if ((losses & 1u << i) && loss->n++ == 0)
                        loss->first = lsr_xstrdup(path[0] ? path : ".");
        }
}

void lsr_pack_override(const struct lsr_pack_options *options, struct lsr_member *m)
{
        const struct lsr_pack_options *o = options;

        if (o->set_owner) {
                m->meta.uid = o->uid;
                m->user = o->user;
        }
        if (o->set_group) {
                m->meta.gid = o->gid;
                m->group = o->group;
        }
        if (o->set_time) {
                m->meta.sec[LSR_MTIME] = o->time_sec;
                m->meta.nsec[LSR_MTIME] = o->time_nsec;
        }
        if (o->clamp && m->meta.sec[LSR_MTIME] >= o->clamp_sec) {
                m->meta.sec[LSR_MTIME] = o->clamp_sec;
                m->meta.nsec[LSR_MTIME] = 0;
        }
}

/* Apply the options to an item. */
static struct lsr_member pack_member(struct pack *p, const struct lsr_walk_item *item)
{
        struct lsr_member m = {
                .path = item->path,
                .path_len = item->path_len,
                .meta = item->meta,
                .packed = UINT64_MAX,
                .target = item->target,
                .target_len = item->target_len,
                .xattrs = item->xattrs,
                .xattrs_len = item->xattrs_len,
        };

        if (!p->o->set_owner)
                m.user = lsr_names_find(&p->users, m.meta.uid);
        if (!p->o->set_group)
                m.group = lsr_names_find(&p->groups, m.meta.gid);
        lsr_pack_override(p->o, &m);
        if (!S_ISREG(m.meta.mode))
                m.meta.size = 0;
        return m;
}

/* Pass the header of a member to the writer. 0; 1: the writer leaves it out; a negative errno. */
static int pack_header(struct pack *p, struct lsr_walk_item *item, const struct lsr_member *m,
                       const struct lsr_extent *extents, size_t n)
{
        int r = p->w->kind->member(p->w, m, extents, n);

        if (r < 0)
                return r;
        if (r & LSR_LOSS_SIZE)
                pack_trouble(p, LSR_PACK_SIZE, item, 0, 0);
        else if (r & LSR_LOSS_NAME)
                pack_trouble(p, LSR_PACK_NAME, item, 0, 0);
        else
                lsr_pack_lost(p->stats, (unsigned)r, item->path);
        if (r & LSR_LOSS_KIND) {
                lsr_walk_drop(item);
                return 1;
        }
        p->stats->members++;
        return 0;
}

static int pack_plain(struct pack *p, struct lsr_walk_item *item)
{
        struct lsr_member m = pack_member(p, item);
        int r = pack_header(p, item, &m, NULL, 0);

        if (r == 0) {
                p->stats->digest += lsr_digest_member(&m, 0);
                pack_remember(p, item);
        }
        return r < 0 ? r : 0;
}

static int pack_hardlink(struct pack *p, struct lsr_walk_item *item, const char *target)
{
        struct lsr_member m = pack_member(p, item);
        int r;

        m.flags |= LSR_MEMBER_HARDLINK;
        m.target = target;
        m.target_len = strlen(target);
        m.meta.size = 0;
        r = pack_header(p, item, &m, NULL, 0);
        if (r == 0)
                p->stats->digest += lsr_digest_member(&m, 0);
        return r < 0 ? r : 0;
}

/* A small file whose content has been read, or is empty. */
static int pack_small(struct pack *p, struct lsr_walk_item *item, const void *data, size_t n)
{
        struct lsr_member m = pack_member(p, item);
        struct lsr_digest d;
        int r;

        m.meta.size = n;
        r = pack_header(p, item, &m, NULL, 0);
        if (r == 0 && n > 0)
                r = p->w->kind->data(p->w, data, n);
        if (r != 0)
                return r < 0 ? r : 0;
        lsr_content_digest(&d, n, NULL, 0);
        lsr_digest_add(&d, data, n);
        p->stats->digest += lsr_digest_member(&m, lsr_digest_end(&d));
        p->stats->bytes += n;
        pack_remember(p, item);
        return 0;
}

static int pack_write(void *ctx, const void *data, size_t n)
{
        struct pack *p = ctx;
        int r = p->w->kind->data(p->w, data, n);

        p->stats->bytes += n;
        return r < 0 || !p->o->progress ? r : p->o->progress(p->o->ctx, p->stats);
}

/* What differs from what was expected of the content. */
static void pack_tell_content(struct pack *p, const struct lsr_walk_item *item, const struct lsr_content *c)
{
        if (c->error < 0)
                pack_trouble(p, LSR_PACK_READ, item, c->error, c->read);
        else if (c->read < c->size)
                pack_trouble(p, LSR_PACK_SHRANK, item, 0, c->read);
        else if (c->grew)
                pack_trouble(p, LSR_PACK_GREW, item, 0, c->size);
        else if (c->longer)
                pack_trouble(p, LSR_PACK_LONGER, item, 0, c->size);
        else if (c->changed || c->size != item->meta.size)
                pack_trouble(p, LSR_PACK_CHANGED, item, 0, 0);
}

/* A file with a small stated size: its real size is known when it has been read. */
static int pack_whole(struct pack *p, struct lsr_walk_item *item, struct lsr_content *c)
{
        uint8_t *data;
        size_t n;
        int r = lsr_content_whole(c, PACK_WHOLE, &data, &n);

        if (r < 0) {
                pack_trouble(p, LSR_PACK_OPEN, item, r, 0);
                lsr_walk_drop(item);
                return 0;
        }
        if (c->longer)
                pack_trouble(p, LSR_PACK_LONGER, item, 0, n);
        else if (n < c->size)
                pack_trouble(p, LSR_PACK_SHRANK, item, 0, n);
        else if (c->size != item->meta.size)
                pack_trouble(p, LSR_PACK_CHANGED, item, 0, 0);
        r = pack_small(p, item, data, n);
        free(data);
        return r;
}

/* A file that is opened now. */
static int pack_large(struct pack *p, struct lsr_walk_item *item)
{
        struct lsr_content c = { .io = p->o->read_io, .follow = p->o->follow, .ctx = p, .write = pack_write };
        struct lsr_member m;
        int dirfd = lsr_walk_fd(p->walk, item);
        int r = dirfd < 0 && dirfd != AT_FDCWD
                        ? dirfd
                        : lsr_content_open(&c, dirfd, item->name,
                                           p->w->kind->sparse && item->meta.blocks * 512 < item->meta.size);

        if (r != 0) {
                pack_trouble(p, r < 0 ? LSR_PACK_OPEN : LSR_PACK_CHANGED, item, r < 0 ? r : 0, 0);
                lsr_walk_drop(item);
                return 0;
        }
        if (c.size <= PACK_SMALL && !c.extents) {
                r = pack_whole(p, item, &c);
                lsr_content_close(&c);
                return r;
        }
        m = pack_member(p, item);
        m.meta.size = c.size;
        r = pack_header(p, item, &m, c.extents, c.n_extents);
        if (r == 0)
                r = lsr_content_copy(&c);
        else
                r = r < 0 ? r : 0;
        if (r == 0 && !item->gone) {
                pack_tell_content(p, item, &c);
                p->stats->digest += lsr_digest_member(&m, lsr_digest_end(&c.digest));
                pack_remember(p, item);
        }
        lsr_content_close(&c);
        return r;
}

/*
 * Is a file of size 0 empty?  It may not be where file systems generate content when it is read (/proc, /sys, many
 * in user space).  File systems that store content are trusted, so that empty files need not be opened.
 */
static bool pack_is_empty(struct pack *p, const struct lsr_walk_item *item)
{
        static const uint32_t stored[] = {
                EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
                TMPFS_MAGIC,           RAMFS_MAGIC,     MSDOS_SUPER_MAGIC, ISOFS_SUPER_MAGIC,
                OVERLAYFS_SUPER_MAGIC, SQUASHFS_MAGIC,  NFS_SUPER_MAGIC,
        };
        struct statfs fs;
        int dirfd;

        if (item->meta.size > 0)
                return false;
        if (item->meta.dev == p->dev)
                return p->believed;
        dirfd = lsr_walk_fd(p->walk, item);
        p->dev = item->meta.dev;
        p->believed = false;
        lsr_io_count(p->o->read_io, 1);
        if ((dirfd == AT_FDCWD ? statfs(item->name, &fs) : fstatfs(dirfd, &fs)) == 0)
                for (size_t i = 0; i < sizeof(stored) / sizeof(*stored); i++)
                        p->believed |= (uint32_t)fs.f_type == stored[i];
        return p->believed;
}

/* @file is the item's if it was read ahead, else NULL. */
static int pack_regular(struct pack *p, struct lsr_walk_item *item, const struct lsr_op_data *file)
{
        if (pack_is_empty(p, item))
                return pack_small(p, item, "", 0);
        /* More than expected, or no longer a file: check again. */
        if (!file || file->ret == -EFBIG || (size_t)file->ret == file->cap)
                return pack_large(p, item);
        if (file->ret < 0) {
                pack_trouble(p, LSR_PACK_OPEN, item, (int)file->ret, 0);
                lsr_walk_drop(item);
                return 0;
        }
        if ((uint64_t)file->ret < item->meta.size)
                pack_trouble(p, LSR_PACK_SHRANK, item, 0, (uint64_t)file->ret);
        return pack_small(p, item, file->buf, (size_t)file->ret);
}

/* Report the problems of an item.  False: it is not stored. */
static bool pack_tell(struct pack *p, struct lsr_walk_item *item)
{
        const struct lsr_meta *meta = &item->meta;
        int unseen;

        if (lsr_walk_dropped(item)) {
                lsr_walk_drop(item);
                return false;
        }
        unseen = lsr_pack_unseen(p->o, item);
        if (lsr_pack_is_exhausted(unseen))
                p->exhausted = unseen;
        if (meta->error) {
                lsr_walk_drop(item);
                return false;
        }
        if (item->target_error)
                pack_trouble(p, LSR_PACK_LINK, item, item->target_error, 0);
        else if (S_ISSOCK(meta->mode))
                pack_trouble(p, LSR_PACK_SOCKET, item, 0, 0);
        else if (meta->inode == p->o->out_inode && meta->dev == p->o->out_dev && S_ISREG(meta->mode))
                pack_trouble(p, LSR_PACK_OUTPUT, item, 0, 0);
        else {
                if (item->xattrs_error)
                        pack_trouble(p, LSR_PACK_XATTRS, item, item->xattrs_error, 0);
                if (item->twice)
                        pack_trouble(p, LSR_PACK_TWICE, item, 0, 0);
                return true;
        }
        lsr_walk_drop(item);
        return false;
}

static int pack_item(struct pack *p, struct lsr_walk_item *item, const struct lsr_op_data *file)
{
        const char *linked;

        if (!pack_tell(p, item))
                return 0;
        linked = pack_linked(p, item);
        if (linked && p->w->kind->hardlinks)
                return pack_hardlink(p, item, linked);
        if (linked)
                lsr_pack_lost(p->stats, LSR_LOSS_HARDLINK, item->path);
        if (S_ISREG(item->meta.mode))
                return pack_regular(p, item, file);
        return pack_plain(p, item);
}

/* --- batches ------------------------------------------------------------------ */

/* Is it read ahead? */
static bool pack_is_small(const struct pack *p, const struct lsr_walk_item *item)
{
        const struct lsr_meta *meta = &item->meta;

        if (meta->error || !S_ISREG(meta->mode) || meta->size == 0 || meta->size > PACK_SMALL || lsr_walk_dropped(item))
                return false;
        if (p->w->kind->sparse && meta->blocks * 512 < meta->size && meta->size > PACK_NEVER_SPARSE)
                return false;
        return !(p->w->kind->hardlinks && pack_linked(p, item));
}

/* Make @b the next run of items.  0 or a negative errno. */
static int pack_plan(struct pack *p, struct pack_batch *b)
{
        size_t used = 0;

        b->n = 0;
        b->lot = NULL;
        if (!p->lot || p->at == p->lot->n) {
                struct lsr_walk_lot *next = p->lot == &p->lots[0] ? &p->lots[1] : &p->lots[0];
                int r = lsr_walk_next(p->walk, next);

                if (r <= 0)
                        return r;
                p->lot = next;
                p->at = 0;
                if (!p->o->set_owner)
                        lsr_names_of_lot(&p->users, next);
                if (!p->o->set_group)
                        lsr_names_of_lot(&p->groups, next);
        }
        b->lot = p->lot;
        b->first = p->at;
        for (; p->at < p->lot->n && b->n < PACK_FILES; p->at++) {
                const struct lsr_walk_item *item = &p->lot->items[p->at];
                size_t cap = item->meta.size + 1;

                if (!pack_is_small(p, item))
                        continue;
                if (used + cap > PACK_BUFFER)
                        break;
                b->item_of[b->n] = p->at;
                b->files[b->n] = (struct lsr_op_data){
                        .buf = b->buf + used,
                        .cap = cap,
                        .flags = p->euid == 0 || p->euid == item->meta.uid ? O_NOATIME : 0,
                        .size = item->meta.size,
                };
                b->ops[b->n] = (struct lsr_op){
                        .name = item->name,
                        .data = &b->files[b->n],
                        .dirfd = lsr_walk_fd(p->walk, item),
                        .kind = LSR_OP_READ_FILE,
                        .follow = p->o->follow,
                };
                b->n++;
                used += cap;
        }
        b->end = p->at;
        return 0;
}

static int pack_start(struct pack *p, struct pack_batch *b)
{
        int r = lsr_io_add(p->o->read_io, b->ops, b->n);

        lsr_io_go(p->o->read_io);
        return r;
}

static int pack_feed(struct pack *p, struct pack_batch *b)
{
        unsigned next = 0;
        int r = 0;

        for (size_t i = b->first; i < b->end && r >= 0; i++) {
                bool ahead = next < b->n && b->item_of[next] == i;

                r = pack_item(p, &b->lot->items[i], ahead ? &b->files[next] : NULL);
                if (r >= 0)
                        r = p->exhausted;
                next += ahead;
        }
        return r < 0 || !p->o->progress ? r : p->o->progress(p->o->ctx, p->stats);
}

static int pack_run(struct pack *p)
{
        struct pack_batch *b = &p->batches[0], *next = &p->batches[1], *swap;
        int r = pack_plan(p, b);

        if (r >= 0)
                r = pack_start(p, b);
        if (r >= 0)
                r = pack_plan(p, next);
        while (r >= 0 && b->lot) {
                lsr_io_wait(p->o->read_io);
                r = pack_start(p, next);
                if (r >= 0)
                        r = pack_feed(p, b);
                if (r >= 0)
                        r = pack_plan(p, b);
                swap = b;
                b = next;
                next = swap;
        }
        lsr_io_wait(p->o->read_io);
        return r;
}

int lsr_pack(const struct lsr_pack_options *options, struct lsr_writer *writer, struct lsr_pack_stats *ret_stats)
{
        struct pack *p = lsr_xmalloc(sizeof(*p));
        int r;

        *ret_stats = (struct lsr_pack_stats){};
        *p = (struct pack){ .o = options, .w = writer, .stats = ret_stats, .euid = geteuid() };
        p->walk = lsr_walk_new(&(struct lsr_walk_options){
                .io = options->walk_io,
                .roots = options->roots,
                .n_roots = options->n_roots,
                .excludes = options->excludes,
                .follow = options->follow,
                .one_file_system = options->one_file_system,
                .no_xattrs = options->no_xattrs,
        });
        for (unsigned i = 0; i < 2; i++)
                p->batches[i].buf = lsr_xmalloc(PACK_BUFFER);
        lsr_names_init(&p->users, false);
        lsr_names_init(&p->groups, true);
        r = pack_run(p);
        for (unsigned i = 0; i < 2; i++) {
                lsr_walk_lot_free(&p->lots[i]);
                free(p->batches[i].buf);
        }
        lsr_walk_free(p->walk);
        lsr_names_free(&p->users);
        lsr_names_free(&p->groups);
        lsr_arena_free(&p->paths);
        lsr_hash_free(&p->link_table);
        free(p->links);
        free(p);
        return r < 0 ? r : 0;
}

/* For files with several names each name counts its part. */
static bool measure_item(const struct lsr_walk_item *item, struct lsr_pack_size *size)
{
        const struct lsr_meta *meta = &item->meta;
        uint64_t allocated = meta->blocks * 512;

        if (meta->error || S_ISSOCK(meta->mode))
                return false;
        size->members++;
        size->least += PACK_HEADER;
        if (!S_ISREG(meta->mode) || meta->nlink == 0)
                return true;
        size->bytes += meta->size / meta->nlink;
        size->least += (allocated < meta->size ? allocated : meta->size) / meta->nlink;
        return true;
}

int lsr_pack_measure(const struct lsr_pack_options *options, void (*name)(void *ctx, const char *path),
                     struct lsr_pack_size *ret_size)
{
        struct lsr_pack_size size = {};
        struct lsr_walk_lot lot = {};
        struct lsr_walk *walk = lsr_walk_new(&(struct lsr_walk_options){
                .io = options->walk_io,
                .roots = options->roots,
                .n_roots = options->n_roots,
                .excludes = options->excludes,
                .follow = options->follow,
                .one_file_system = options->one_file_system,
                .sizes_only = true,
        });
        int r;

        while ((r = lsr_walk_next(walk, &lot)) > 0)
                for (size_t i = 0; i < lot.n; i++) {
                        const struct lsr_walk_item *item = &lot.items[i];

                        if (name)
                                lsr_pack_unseen(options, item);
                        if (measure_item(item, &size) && name)
                                name(options->ctx, item->path);
                }
        lsr_walk_lot_free(&lot);
        lsr_walk_free(walk);
        if (r == 0)
                *ret_size = size;
        return r;
}

void lsr_pack_stats_free(struct lsr_pack_stats *stats)
{
        for (unsigned i = 0; i < LSR_LOSSES; i++) {
                free(stats->losses[i].first);
                stats->losses[i].first = NULL;
        }
}
