/*
 * diff-side - a directory or a bundle as a catalogue, and digests of contents
 *
 * A directory is walked as for packing, with batches of statx.  What is packed together may be read together: contents
 * of a bundle come in one pass, in its order, and of a hard link once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "catalogue/builder.h"
#include "cli/diff.h"
#include "cli/message.h"
#include "formats/format.h"
#include "pack/walk.h"

#define SIDE_READ ((size_t)256 << 10)

/* --- what is there --------------------------------------------------------------- */

static void side_refuse(struct lsr_reading *r, const char *root, const struct lsr_walk_item *item)
{
        const char *slash = root[strlen(root) - 1] == '/' ? "" : "/";
        lsr_autofree char *path = lsr_xprintf("%s%s%s", root, slash, item->path);

        if (item->meta.error)
                lsr_message_errno(-item->meta.error, "cannot access %s", lsr_quoted_always(path));
        else
                lsr_message_errno(-item->dir_error, "cannot open directory %s", lsr_quoted_always(path));
        lsr_reading_fail(r, 2);
}

static int side_add(struct lsr_reading *r, const char *root, struct lsr_builder *b, const struct lsr_walk_item *item)
{
        struct lsr_member m = {
                .path = item->path,
                .path_len = item->path_len,
                .meta = item->meta,
                .packed = UINT64_MAX,
                .target = item->target,
                .target_len = item->target_len,
        };
        int error = item->meta.error ? item->meta.error : item->dir_error;

        if (error && !*item->path)
                return error;
        if (error) {
                side_refuse(r, root, item);
                /* It is there, and nothing is known of it and of what is below: so it is no difference. */
                m.meta = (struct lsr_meta){};
        }
        return error == -ENOENT ? 0 : lsr_builder_add(b, &m);
}

static int side_walk(struct lsr_reading *r, struct lsr_diff_side *side)
{
        const struct lsr_walk_root root = { .path = side->path, .prefix = "", .is_dir = true };
        struct lsr_walk *walk = lsr_walk_new(
                &(struct lsr_walk_options){ .io = r->io, .roots = &root, .n_roots = 1, .no_xattrs = true });
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_walk_lot lot = {};
        int error = 1;

        while (error > 0 && (error = lsr_walk_next(walk, &lot)) > 0)
                for (size_t i = 0; i < lot.n && error > 0; i++) {
                        int added = side_add(r, side->path, b, &lot.items[i]);

                        error = added < 0 ? added : error;
                }
        lsr_walk_lot_free(&lot);
        lsr_walk_free(walk);
        if (error == 0)
                error = lsr_builder_finish(b, &side->catalogue);
        lsr_builder_free(b);
        side->fd = open(side->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return error < 0 ? error : side->fd < 0 ? -errno : 0;
}

int lsr_diff_open(struct lsr_reading *r, const char *path, struct lsr_diff_side *ret_side)
{
        struct lsr_diff_side *side = ret_side;
        struct stat st;
        int error;

        *side = (struct lsr_diff_side){ .path = path, .fd = -1 };
        if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
                error = side_walk(r, side);
                if (error < 0)
                        return lsr_message_errno(-error, "cannot read directory %s", lsr_quoted_always(path));
        } else {
                error = lsr_place_find(r->bundles, path, LSR_PLACE_FOLLOW | LSR_PLACE_ENTER, &side->place);
                if (error == 0 && !lsr_place_is_dir(&side->place))
                        return lsr_message("%s is a file: --diff compares directories and bundles",
                                           lsr_quoted_always(path));
                if (error != 0) {
                        lsr_reading_refuse(r, path, error);
                        return 2;
                }
                side->catalogue = side->place.catalogue;
                side->base = side->place.row;
        }
        side->digests = lsr_xmalloc(((size_t)lsr_catalogue_rows(side->catalogue) + 1) * sizeof(*side->digests));
        side->state = calloc(lsr_catalogue_rows(side->catalogue), 1);
        return side->state ? 0 : lsr_message_errno(ENOMEM, "cannot compare %s", lsr_quoted_always(path));
}

/* --- contents -------------------------------------------------------------------- */

struct side_pass {
        struct lsr_reading *r;
        struct lsr_diff_side *side;
        const uint32_t *rows;
        struct lsr_digest digest;
};

static int side_begin(void *ctx, size_t i)
{
        struct side_pass *p = ctx;

        p->digest = p->side->begin;
        return 0;
}

static int side_write(void *ctx, const void *data, size_t n)
{
        lsr_digest_add(&((struct side_pass *)ctx)->digest, data, n);
        return 0;
}

static int side_hole(void *ctx, uint64_t n)
{
        return lsr_write_zeros(side_write, ctx, n);
}

static void side_failed(struct side_pass *p, uint32_t row, const char *reason)
{
        size_t n = lsr_catalogue_path(p->side->catalogue, row, NULL, 0);
        lsr_autofree char *path = lsr_xmalloc(n + 1);

        lsr_catalogue_path(p->side->catalogue, row, path, n + 1);
        p->side->state[row] |= LSR_DIFF_FAILED;
        if (!p->r->troubled)
                lsr_message("cannot read %s in %s: %s", lsr_quoted_always(path), lsr_quoted_always(p->side->path),
                            reason);
        p->r->troubled = false;
        lsr_reading_fail(p->r, 2);
}

static int side_end(void *ctx, size_t i, int error)
{
        struct side_pass *p = ctx;

        p->side->digests[p->rows[i]] = lsr_digest_end(&p->digest);
        if (error < 0)
                side_failed(p, p->rows[i], lsr_reading_reason(error));
        return 0;
}

/* A file on disk. */
static void side_read_file(struct side_pass *p, uint32_t row, char *buf)
{
        size_t len = lsr_catalogue_path(p->side->catalogue, row, NULL, 0);
        lsr_autofree char *path = lsr_xmalloc(len + 1);
        ssize_t n = -1;
        int fd;

        lsr_catalogue_path(p->side->catalogue, row, path, len + 1);
        fd = lsr_io_open_file(p->r->io, p->side->fd, path, false);
        side_begin(p, 0);
        while (fd >= 0 && (n = read(fd, buf, SIDE_READ)) != 0) {
                if (n > 0)
                        side_write(p, buf, (size_t)n);
                else if (errno != EINTR)
                        break;
        }
        p->side->digests[row] = lsr_digest_end(&p->digest);
        if (fd < 0 || n < 0)
                side_failed(p, row, strerror(fd < 0 ? -fd : errno));
        if (fd >= 0)
                close(fd);
}

struct side_step {
        uint64_t position;
        uint32_t row;
};

static int side_compare(const void *a, const void *b)
{
        const struct side_step *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return (x->row > y->row) - (x->row < y->row);
}

void lsr_diff_read(struct lsr_reading *r, struct lsr_diff_side *side)
{
        uint32_t n_rows = lsr_catalogue_rows(side->catalogue);
        struct side_step *steps = lsr_xmalloc(((size_t)n_rows + 1) * sizeof(*steps));
        uint32_t *rows = lsr_xmalloc(((size_t)n_rows + 1) * sizeof(*rows));
        lsr_autofree char *buf = side->fd >= 0 ? lsr_xmalloc(SIDE_READ) : NULL;
        struct side_pass pass = { .r = r, .side = side, .rows = rows };
        size_t n = 0;

        for (uint32_t row = 0; row < n_rows; row++) {
                struct lsr_member m;

                lsr_catalogue_get(side->catalogue, row, &m);
                if (side->state[row] & LSR_DIFF_ASKED)
                        steps[n++] = (struct side_step){ side->fd < 0 ? m.position : row, row };
        }
        qsort(steps, n, sizeof(*steps), side_compare);
        for (size_t i = 0; i < n; i++)
                rows[i] = steps[i].row;
        r->troubled = false;
        for (size_t i = 0; i < n && side->fd >= 0; i++)
                side_read_file(&pass, rows[i], buf);
        if (side->fd < 0 && n > 0)
                lsr_bundle_read_many(side->place.bundle, side->catalogue, rows, n, 0,
                                     &(struct lsr_many_sink){ .ctx = &pass,
                                                              .begin = side_begin,
                                                              .write = side_write,
                                                              .end = side_end,
                                                              .hole = side_hole });
        free(steps);
        free(rows);
}

void lsr_diff_close(struct lsr_diff_side *side)
{
        if (side->fd >= 0)
                close(side->fd);
        if (!side->place.bundle)
                lsr_catalogue_free(side->catalogue);
        free(side->digests);
        free(side->state);
}
