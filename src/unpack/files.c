/*
 * files - regular files, in the order of the bundle
 *
 * A file is created with its final mode, written, dated and closed.  Holes of
 * the bundle become holes; other blocks of zeros become holes only in a file
 * that has some.  A file whose content is damaged is removed; where it would replace
 * another one, it has a name of its own until it is complete, and that one stays;
 * also where the content cannot be verified.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "unpack/unpacking.h"

#define FILES_HOLE ((uint64_t)4096) /* zeros that become a hole, and at what offsets */

static bool files_is_file(const struct lsr_member *m)
{
        return !S_ISDIR(m->meta.mode) && !(m->flags & LSR_MEMBER_DANGLING) &&
               (!(m->meta.known & LSR_FIELD_TYPE) || S_ISREG(m->meta.mode));
}

/* Is it with this step that the file comes? */
static bool files_has_content(const struct unpack *u, const struct unpack_step *step)
{
        return files_is_file(&u->m) && step->member == lsr_catalogue_link(u->c, step->row);
}

/*
 * The file at hand, for the handler of a signal.  Order is all that protects it, as blocking signals would be two more
 * calls for each file; the handler runs in this thread, or sees what this thread did before.
 */
static struct {
        volatile sig_atomic_t state;
        int dir;
        const char *path;
} files_half;

enum { FILES_NONE, FILES_BEING_MADE, FILES_HALF };

bool lsr_unpack_abandon(void)
{
        if (files_half.state == FILES_HALF)
                unlinkat(files_half.dir, files_half.path, 0);
        return files_half.state != FILES_BEING_MADE;
}

static void files_half_made(int dir, const char *path)
{
        files_half.dir = dir;
        files_half.path = path;
        atomic_signal_fence(memory_order_seq_cst);
        files_half.state = FILES_HALF;
}

static void files_half_done(void)
{
        files_half.state = FILES_NONE;
        atomic_signal_fence(memory_order_seq_cst);
}

/* Another file has @name, and keeps it until what is at hand is complete.  0 or a negative errno. */
static int files_wait_for_name(struct unpack *u, int dir, const char *name)
{
        uint64_t random;
        struct stat st;

        if (!u->o->force)
                return -EEXIST;
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
                return -EISDIR;
        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
                return -errno;
        snprintf(u->temporary, sizeof(u->temporary), ".lsr.%016" PRIx64, random);
        return 0;
}

int unpack_replace(struct unpack *u, int dir, const char *name, int (*make)(const void *ctx, int dir, const char *name),
                   const void *ctx)
{
        int r = files_wait_for_name(u, dir, name);

        if (r < 0)
                return r;
        /* A signal that comes now waits until the name beside it is gone. */
        files_half.state = FILES_BEING_MADE;
        atomic_signal_fence(memory_order_seq_cst);
        r = make(ctx, dir, u->temporary);
        if (r == 0) {
                r = renameat(dir, u->temporary, dir, name) < 0 ? -errno : 0;
                /* Of two names of one file rename() keeps both. */
                unlinkat(dir, u->temporary, 0);
        }
        files_half_done();
        return r;
}

int unpack_replace_by_dir(struct unpack *u, int dir, const char *name, mode_t mode)
{
        int r = files_wait_for_name(u, dir, name);

        if (r < 0)
                return r;
        files_half.state = FILES_BEING_MADE;
        atomic_signal_fence(memory_order_seq_cst);
        r = mkdirat(dir, u->temporary, mode) < 0 ? -errno : 0;
        if (r == 0 && renameat2(dir, u->temporary, dir, name, RENAME_EXCHANGE) == 0) {
                r = unlinkat(dir, u->temporary, 0) < 0 ? -errno : 0;
        } else if (r == 0) {
                /* Few file systems cannot exchange names. */
                if ((unlinkat(dir, name, 0) < 0 && errno != ENOENT) || renameat(dir, u->temporary, dir, name) < 0)
                        r = -errno;
                if (r < 0)
                        unlinkat(dir, u->temporary, AT_REMOVEDIR);
        }
        files_half_done();
        return r;
}

static const char *files_name(const struct unpack *u)
{
        return *u->temporary ? u->temporary : u->m.path;
}

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
                r = files_wait_for_name(u, dir, u->m.path);
                if (r < 0)
                        return r;
                fd = openat(dir, u->temporary, flags, mode);
        }
        return fd < 0 ? -errno : fd;
}

static int files_begin(void *ctx, size_t i)
{
        struct unpack *u = ctx;
        const struct unpack_step *step = &u->steps[i];

        unpack_get(u, step->row, &u->m);
        u->at = 0;
        u->hole = false;
        u->verified = false;
        u->error = 0;
        u->at_hand = step->row;
        u->fd = -1;
        u->temporary[0] = '\0';
        u->has_content = files_has_content(u, step);
        /* The content of a lost file is skipped. */
        u->opened = u->state[step->row] & ROW_LOST;
        return unpack_stopped(u) ? -EINTR : 0;
}

/* Something of it has come, so its header is that of the file.  0, perhaps without one, or what ends the work. */
static int files_open(struct unpack *u)
{
        if (u->opened)
                return 0;
        u->opened = true;
        files_half.state = FILES_BEING_MADE;
        atomic_signal_fence(memory_order_seq_cst);
        if (!unpack_stopped(u))
                u->fd = files_create(u, u->at_hand);
        if (u->fd >= 0)
                files_half_made(u->dir, files_name(u));
        else
                files_half_done();
        if (unpack_stopped(u)) {
                lsr_unpack_abandon();
                files_half_done();
                return -EINTR;
        }
        if (u->fd >= 0)
                return 0;
        unpack_failed(u, LSR_UNPACK_CREATE, u->at_hand, u->fd);
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

/* The listed size is believed until a checksum says that another one is right, which it does at the end. */
static bool files_fits(const struct unpack *u, uint64_t n)
{
        return !u->bundle->claimed || !(u->m.meta.known & LSR_FIELD_SIZE) || n <= u->m.meta.size - u->at;
}

static bool files_has_size(const struct unpack *u)
{
        return !(u->m.meta.known & LSR_FIELD_SIZE) || u->at == u->m.meta.size || (u->verified && !u->bundle->claimed);
}

/* 0: it is to be written; 1: it is passed over; a negative errno ends the work. */
static int files_arrives(struct unpack *u)
{
        int r;

        if (unpack_stopped(u))
                return -EINTR;
        if (!u->has_content)
                return -EPROTO;
        r = files_open(u);
        return r < 0 ? r : u->fd < 0 || u->error;
}

/* The end of the file is set when all has come. */
static int files_hole(void *ctx, uint64_t n)
{
        struct unpack *u = ctx;
        int r = files_arrives(u);

        if (r != 0)
                return r < 0 ? r : 0;
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
        int r = files_arrives(u);

        if (r != 0)
                return r < 0 ? r : 0;
        if (!files_fits(u, n))
                r = -EBADMSG;
        else
                r = u->m.flags & LSR_MEMBER_SPARSE ? files_write_sparse(u, data, n) : files_write_all(u, data, n);
        u->error = r;
        if (u->o->progress)
                u->o->progress(u->o->ctx, u->result, u->at);
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

/* What was made of @row, by another step, is not what its header says. */
static void files_take_back(struct unpack *u, uint32_t row)
{
        int dir;

        if (!(u->state[row] & ROW_MADE))
                return;
        dir = unpack_dir_of(u, row, u->m.path);
        if (dir >= 0)
                unlinkat(dir, u->m.path, 0);
        u->state[row] &= (uint8_t)~ROW_MADE;
        u->result->files--;
}

/* A header was compared, of anything but a file that has its content here. */
static int files_end_header(struct unpack *u, const struct unpack_step *step, int error)
{
        bool is_dir = S_ISDIR(u->m.meta.mode);

        /* What of a header is not verified is as the table of contents has it. */
        if (error == 0 || error == LSR_UNVERIFIED) {
                u->state[step->row] |= step->member == step->row ? ROW_TRUE : ROW_LINK;
                return is_dir && u->state[step->row] & ROW_WANTED ? unpack_make_dir(u, step->row) : 0;
        }
        if (error == -EINTR)
                return 0;
        if (!is_dir) {
                files_take_back(u, step->row);
                u->state[step->row] |= ROW_LOST;
        }
        /* A directory is there if something in it is. */
        unpack_tell(u, is_dir ? LSR_UNPACK_METADATA : LSR_UNPACK_CONTENT, step->row, error);
        return 0;
}

static void files_verified(void *ctx)
{
        ((struct unpack *)ctx)->verified = true;
}

static int files_end(void *ctx, size_t i, int error)
{
        struct unpack *u = ctx;
        const struct unpack_step *step = &u->steps[i];
        enum lsr_unpack_trouble what = error < 0 ? LSR_UNPACK_CONTENT : LSR_UNPACK_WRITE;
        bool doubt = error == LSR_UNVERIFIED;
        uint32_t row = step->row;

        if (!u->has_content)
                return files_end_header(u, step, error);
        if (error == 0 || doubt) {
                int r = files_open(u);

                if (r < 0)
                        return r;
        }
        /* What it would replace may be whole, and stays. */
        if (doubt && !*u->temporary)
                error = 0;
        if (!u->opened && error != -EINTR) {
                u->state[row] |= ROW_LOST;
                unpack_tell(u, LSR_UNPACK_CONTENT, row, error);
        }
        if (u->fd < 0)
                return 0;
        if (error == 0 && u->error == 0 && !files_has_size(u))
                u->error = -EBADMSG;
        /* What the sink returned comes back as the error. */
        if (u->error && (error == 0 || doubt || error == u->error)) {
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
        if (error == 0 && *u->temporary && renameat(u->dir, u->temporary, u->dir, u->m.path) < 0)
                error = -errno;
        if (error < 0)
                unlinkat(u->dir, files_name(u), 0);
        files_half_done();
        if (error < 0) {
                u->state[row] |= ROW_LOST;
                if (error != -EINTR)
                        unpack_tell(u, what, row, error);
                return unpack_is_fatal(error) && what == LSR_UNPACK_WRITE ? error : 0;
        }
        unpack_made(u, row, ROW_MADE | (step->member == row ? ROW_TRUE : ROW_LINK) | (doubt ? ROW_DOUBT : 0));
        u->result->bytes += u->at;
        if (doubt)
                unpack_tell(u, LSR_UNPACK_DOUBT, row, LSR_UNVERIFIED);
        return 0;
}

static int files_compare(const void *a, const void *b)
{
        const struct unpack_step *x = a, *y = b;

        if (x->position != y->position)
                return x->position < y->position ? -1 : 1;
        return x->member != y->member ? (x->member < y->member ? -1 : 1) : (x->row > y->row) - (x->row < y->row);
}

static void files_add(struct unpack *u, uint32_t member, uint32_t row)
{
        struct lsr_member m;

        lsr_catalogue_get(u->c, member, &m);
        u->steps[u->n_steps++] = (struct unpack_step){ m.position, member, row };
}

/* The content of a hard link is that of the member that it leads to; of several, the first that is unpacked has it. */
static void files_add_content(struct unpack *u, uint32_t row)
{
        uint32_t link = lsr_catalogue_link(u->c, row);
        struct lsr_member m;

        unpack_get(u, row, &m);
        if (u->made[link] == row && files_is_file(&m))
                files_add(u, link, row);
}

/* What a hard link names must be what the table of contents lets it lead to. */
static bool files_link_is_true(const struct unpack *u, uint32_t row, const struct lsr_member *m)
{
        const char *target;
        int64_t found;
        size_t len;

        if (m->flags & LSR_MEMBER_DANGLING || lsr_catalogue_link(u->c, row) == row)
                return true;
        target = lsr_catalogue_target(u->c, row, &len);
        found = target ? lsr_catalogue_find(u->c, 0, target, len) : -ENOENT;
        return found >= 0 && lsr_catalogue_link(u->c, (uint32_t)found) == lsr_catalogue_link(u->c, row);
}

/* Every header is to be compared, and of a hard link that has the content here that of what it leads to. */
static void files_add_claimed(struct unpack *u, uint32_t row)
{
        uint32_t link = lsr_catalogue_link(u->c, row);
        struct lsr_member m;

        lsr_catalogue_get(u->c, row, &m);
        /* It has no header, and is made for what is in it. */
        if (S_ISDIR(m.meta.mode) && m.flags & LSR_MEMBER_IMPLIED)
                return;
        files_add(u, row, row);
        if (link != row && u->made[link] == row)
                files_add(u, link, row);
        if (!files_link_is_true(u, row, &m))
                unpack_failed(u, LSR_UNPACK_LINK, row, -EBADMSG);
}

int unpack_files(struct unpack *u)
{
        const struct lsr_many_sink sink = { u, files_begin, files_write, files_end, files_hole, files_verified };
        const bool claimed = u->bundle->claimed;
        unsigned flags = claimed ? LSR_MANY_EXACT | LSR_MANY_GAPS : LSR_MANY_TELL;
        uint32_t *members;
        int r;

        u->steps = lsr_xmalloc((2 * u->n + 1) * sizeof(*u->steps));
        if (claimed && u->whole) {
                files_add_claimed(u, 0);
                flags = LSR_MANY_EXACT | LSR_MANY_ALL;
        }
        for (size_t i = 0; i < u->n; i++)
                (claimed ? files_add_claimed : files_add_content)(u, u->rows[i]);
        qsort(u->steps, u->n_steps, sizeof(*u->steps), files_compare);
        members = lsr_xmalloc((u->n_steps + 1) * sizeof(*members));
        for (size_t i = 0; i < u->n_steps; i++)
                members[i] = u->steps[i].member;
        u->fd = -1;
        r = u->n_steps > 0 ? lsr_bundle_read_many(u->bundle, u->c, members, u->n_steps, flags, &sink) : 0;
        free(members);
        free(u->steps);
        /* Problems with single files have been reported. */
        return r == -EINTR || unpack_is_fatal(r) ? r : 0;
}
