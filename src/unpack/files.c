/*
 * files - regular files, in the order of the bundle
 *
 * A file is created with its final mode, written, dated and closed.  What the
 * bundle stores as a hole is one again; other blocks of zeros are passed over in
 * a file that has such.  One whose content turns out to be damaged is removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "unpack/unpacking.h"

#define FILES_HOLE ((uint64_t)4096) /* zeros that become a hole, and at what offsets */

struct files_entry {
        uint64_t position;
        uint32_t row;
};

static int files_create(struct unpack *u, uint32_t row)
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

static int files_begin(void *ctx, size_t i)
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
        u->fd = files_create(u, row);
        if (u->fd >= 0)
                return 0;
        unpack_failed(u, LSR_UNPACK_CREATE, row, u->fd);
        return unpack_is_fatal(u->fd) ? u->fd : 0;
}

static int files_write_all(struct unpack *u, const char *p, size_t n)
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

static bool files_is_zero(const char *p, size_t n)
{
        return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

/* Blocks of zeros are passed over, the rest is written where it belongs. */
static int files_write_sparse(struct unpack *u, const char *p, size_t n)
{
        size_t run = 0;
        int r = 0;

        /* From the first hole on the descriptor's own position is of no use. */
        u->hole = true;
        while (run < n && r == 0) {
                size_t part = FILES_HOLE - (size_t)((u->at + run) % FILES_HOLE);

                if (part > n - run)
                        part = n - run;
                if (!files_is_zero(p + run, part)) {
                        run += part;
                        continue;
                }
                r = files_write_all(u, p, run);
                p += run + part;
                n -= run + part;
                u->at += part;
                run = 0;
        }
        return r < 0 ? r : files_write_all(u, p, run);
}

/* A file as large as it was listed is what the user agreed to. */
static bool files_fits(const struct unpack *u, uint64_t n)
{
        return !(u->m.meta.known & LSR_FIELD_SIZE) || n <= u->m.meta.size - u->at;
}

/* The end of the file is set when all has come. */
static int files_hole(void *ctx, uint64_t n)
{
        struct unpack *u = ctx;

        if (u->fd < 0 || u->error)
                return 0;
        if (unpack_stopped(u))
                return -EINTR;
        if (!files_fits(u, n)) {
                u->error = -EBADMSG;
        } else if (n > (uint64_t)INT64_MAX - u->at) {
                u->error = -EFBIG;
        } else {
                u->hole = true;
                u->at += n;
        }
        return 0;
}

static int files_write(void *ctx, const void *data, size_t n)
{
        struct unpack *u = ctx;
        int r;

        if (u->fd < 0 || u->error)
                return 0;
        if (unpack_stopped(u))
                return -EINTR;
        if (!files_fits(u, n))
                r = -EBADMSG;
        else
                r = u->m.flags & LSR_MEMBER_SPARSE ? files_write_sparse(u, data, n) : files_write_all(u, data, n);
        u->error = r;
        return unpack_is_fatal(r) ? r : 0;
}

static int files_finish(struct unpack *u)
{
        int r;

        if (u->hole && ftruncate(u->fd, (off_t)u->at) < 0)
                return -errno;
        r = lsr_restore_fd(&u->restore, u->fd, &u->m, false);
        if (r < 0)
                unpack_tell(u, LSR_UNPACK_METADATA, u->at_hand, r);
        return 0;
}

static int files_end(void *ctx, size_t i, int error)
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
                error = files_finish(u);
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

static int files_compare(const void *a, const void *b)
{
        const struct files_entry *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return (x->row > y->row) - (x->row < y->row);
}

/* Is it one whose content is to be read?  Of several hard links the first that is unpacked. */
static bool files_wants(struct unpack *u, uint32_t row, struct lsr_member *ret_member)
{
        unpack_get(u, row, ret_member);
        if (S_ISDIR(ret_member->meta.mode) || ret_member->flags & LSR_MEMBER_DANGLING ||
            ((ret_member->meta.known & LSR_FIELD_TYPE) && !S_ISREG(ret_member->meta.mode)))
                return false;
        return u->made[lsr_catalogue_link(u->c, row)] == row;
}

int unpack_files(struct unpack *u)
{
        struct files_entry *files = lsr_xmalloc((u->n + 1) * sizeof(*files));
        const struct lsr_many_sink sink = { u, files_begin, files_write, files_end, files_hole };
        int r;

        for (size_t i = 0; i < u->n; i++) {
                struct lsr_member m;

                if (files_wants(u, u->rows[i], &m))
                        files[u->n_files++] = (struct files_entry){ m.position, u->rows[i] };
        }
        qsort(files, u->n_files, sizeof(*files), files_compare);
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
