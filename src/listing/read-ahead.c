/*
 * read-ahead - one queue in the order of the output, and everybody takes what is first in it
 *
 *      order of the output   [ a  a/x  a/y  b  c  d ... ]
 *                              |   └─┬─┘   └┬┘  └ not read
 *                           printed  read   being read
 *
 * A directory that has been read is replaced in the queue by what is below it: a thread goes down as the output will,
 * and what it reads is needed soon.  A thread that only took the siblings of what is printed would have filled its
 * bound with directories that are needed after a whole subtree.
 *
 * A thread reads with an engine of plain calls of its own through the same functions as the owner does.  What it would
 * report is kept, and told when the directory's turn comes.  Whether a directory is above itself is known by those
 * above, which are read before it whoever reads, so a loop ends where it is.
 *
 * The owner never reads what is not its turn: a directory that hangs must not stop what is before it.  It reads its
 * turn itself if no thread has begun to.  What a thread leaves to it: large directories, which its engine reads better
 * and which would be much to hold, and those for which there was no descriptor.
 *
 * Rejected: a queue a level, or as many as threads with stealing: what is taken first has to be what is printed first.
 */
#include "listing/read-ahead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"
#include "base/thread.h"

/* Below these, sequential reading is over before a thread runs. */
#define AHEAD_START_READS 8  /* directories read by the owner */
#define AHEAD_START_UNREAD 4 /* and still to read */

#define AHEAD_ENTRIES_MAX 16384
#define AHEAD_BATCH 32          /* directories for which the owner is woken */
#define AHEAD_ARENA_ENTRIES 512 /* an arena that had more is given back to the kernel */
#define AHEAD_COPY_MAX 4096     /* entries of a directory */

#define AHEAD_THREADS 4u /* at least */
#define AHEAD_STACK ((size_t)256 << 10)

#define AHEAD_LOOK_NS 1000000u /* the owner looks after its turn that often, if nobody wakes it */
#define AHEAD_STALL_LOOKS 50   /* and then what is in the output buffer is written */

enum ahead_state {
        AHEAD_UNREAD,
        AHEAD_READING,
        AHEAD_READ,
        AHEAD_LEFT, /* to the owner */
};

struct lsr_trouble_kept {
        struct lsr_trouble_kept *next;
        enum lsr_trouble what;
        int error;
        bool serious;
        char path[];
};

static struct lsr_node_read *ahead_new_read(const struct lsr_node *dir, struct lsr_arena *arena)
{
        const char *above = dir->parent && dir->parent->parent ? dir->parent->read->path : NULL;
        size_t above_len = above ? strlen(above) : 0, len = dir->name ? strlen(dir->name) : 0;
        struct lsr_node_read *read = lsr_xmalloc(sizeof(*read) + above_len + 1 + len + 1);

        *read = (struct lsr_node_read){ .rows.arena = arena };
        /* Unlike messages this keeps ".": GNU ls heads a subdirectory of it with "./sub:". */
        lsr_path_put(read->path, above, above_len, len ? dir->name : "", len);
        return read;
}

/* For a directory, under the lock. */
static struct lsr_arena *ahead_arena(struct lsr_ahead *a)
{
        struct lsr_arena *arena;

        if (a->n_arenas > 0)
                return a->arenas[--a->n_arenas];
        arena = lsr_xmalloc(sizeof(*arena));
        *arena = (struct lsr_arena){};
        return arena;
}

void lsr_ahead_init(struct lsr_ahead *a, struct lsr_reader *in, bool allowed)
{
        pthread_condattr_t attr;

        *a = (struct lsr_ahead){ .in = in, .allowed = allowed && lsr_io_may_help(in->io) };
        a->top.read = ahead_new_read(&a->top, in->o->keep ? &a->kept : ahead_arena(a));
        a->todo.next = a->todo.prev = &a->top;
        a->top.next = a->top.prev = &a->todo;
        pthread_mutex_init(&a->lock, NULL);
        pthread_cond_init(&a->work, NULL);
        pthread_condattr_init(&attr);
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        pthread_cond_init(&a->done, &attr);
        pthread_condattr_destroy(&attr);
}

/* ---- memory ---- */

/* Empty an arena that is to be used again. */
static void ahead_arena_empty(struct lsr_arena *arena, size_t entries)
{
        if (entries > AHEAD_ARENA_ENTRIES)
                lsr_arena_free(arena);
        else
                lsr_arena_reset(arena);
}

/* Under the lock.  The arena is empty, or large. */
static void ahead_arena_back(struct lsr_ahead *a, struct lsr_arena *arena)
{
        if (a->n_arenas < LSR_AHEAD_HELD_MAX) {
                a->arenas[a->n_arenas++] = arena;
                return;
        }
        lsr_arena_free(arena);
        free(arena);
}

/* Under the lock: what the owner has not told. */
static void ahead_tell(struct lsr_ahead *a)
{
        a->held -= a->taken;
        a->ready -= a->taken;
        a->held_entries -= a->taken_entries;
        a->taken = a->taken_entries = 0;
        while (a->n_back > 0)
                ahead_arena_back(a, a->back[--a->n_back]);
        if (a->full && a->held <= LSR_AHEAD_HELD_MAX / 2 && a->held_entries <= AHEAD_ENTRIES_MAX / 2) {
                a->full = false;
                pthread_cond_broadcast(&a->work);
        }
}

/* The rows of @dir were shown. */
static void ahead_release(struct lsr_ahead *a, struct lsr_node *dir)
{
        struct lsr_arena *arena = dir->read->rows.arena;

        if (!arena || a->in->o->keep)
                return;
        ahead_arena_empty(arena, dir->read->rows.n);
        dir->read->rows = (struct lsr_rows){};
        if (a->n_back == LSR_AHEAD_BACK) {
                pthread_mutex_lock(&a->lock);
                ahead_tell(a);
                pthread_mutex_unlock(&a->lock);
        }
        a->back[a->n_back++] = arena;
}

void lsr_ahead_forget(struct lsr_ahead *a, struct lsr_node *dir)
{
        struct lsr_node *d = dir;

        for (;;) {
                if (d->read && d->read->n_children > 0) {
                        d = &d->read->children[--d->read->n_children];
                        continue;
                }
                if (d->read) {
                        ahead_release(a, d);
                        free(d->read->children);
                        free(d->read);
                        d->read = NULL;
                }
                if (d == dir)
                        return;
                d = d->parent;
        }
}

/*
 * With options.keep: @dir was read into @arena, which is to be used again.  What sorting and asking left there goes,
 * and a copy has the rows in their order; but two of a large directory would be much.
 */
static void ahead_keep(struct lsr_node *dir, struct lsr_arena *arena, struct lsr_arena *kept)
{
        struct lsr_rows *r = &dir->read->rows;

        if (r->n > AHEAD_COPY_MAX)
                lsr_arena_adopt(kept, arena);
        else
                lsr_rows_keep(r, kept);
        r->arena = NULL;
        lsr_arena_reset(arena);
}

/* ---- the queue, under the lock ---- */

/* Put what is below @dir into its place. */
static void ahead_replace(struct lsr_ahead *a, struct lsr_node *dir)
{
        struct lsr_node *before = dir->prev, *after = dir->next;

        assert(dir->read);
        if (!after)
                return;
        for (size_t i = 0; i < dir->read->n_children; i++) {
                struct lsr_node *child = &dir->read->children[i];

                if (!child->early)
                        continue;
                before->next = child;
                child->prev = before;
                before = child;
                a->unread++;
        }
        before->next = after;
        after->prev = before;
}

/* The first that nobody reads, if there is room for it. */
static struct lsr_node *ahead_pick(struct lsr_ahead *a)
{
        struct lsr_node *d = a->todo.next;

        if (a->unread == 0)
                return NULL;
        if (a->held >= LSR_AHEAD_HELD_MAX || a->held_entries >= AHEAD_ENTRIES_MAX) {
                a->full = true;
                return NULL;
        }
        while (d->state != AHEAD_UNREAD)
                d = d->next;
        return d;
}

/* If its turn has come. */
static void ahead_wake_owner(struct lsr_ahead *a)
{
        if (a->wait && a->wait->state != AHEAD_READING) {
                a->wait = NULL;
                pthread_cond_signal(&a->done);
        }
}

/* A thread has read @dir, or left it.  With its state it is the owner's, who looks at that without the lock. */
static void ahead_finish(struct lsr_ahead *a, struct lsr_node *dir, bool read)
{
        a->ready++;
        if (read) {
                a->held_entries += dir->read->rows.n;
                ahead_replace(a, dir);
        }
        dir->state = read ? AHEAD_READ : AHEAD_LEFT;
        if (a->ready >= AHEAD_BATCH)
                ahead_wake_owner(a);
        if (a->idle > 0 && a->unread > 1 && !a->full)
                pthread_cond_signal(&a->work);
}

/* ---- threads ---- */

/* The sink of a thread. */
static void ahead_trouble(void *ctx, enum lsr_trouble what, const char *path, int error, bool serious)
{
        struct lsr_ahead_thread *thread = ctx;
        struct lsr_node_read *read = thread->dir->read;
        size_t len = strlen(path);
        struct lsr_arena *arena = thread->in.o->keep ? &thread->kept : read->rows.arena;
        struct lsr_trouble_kept *t = lsr_arena_alloc(arena, sizeof(*t) + len + 1);

        *t = (struct lsr_trouble_kept){ .what = what, .error = error, .serious = serious };
        memcpy(t->path, path, len + 1);
        if (!read->troubles_end)
                read->troubles_end = &read->troubles;
        *read->troubles_end = t;
        read->troubles_end = &t->next;
}

/*
 * Descriptors of its own make opening cheaper, as nothing is shared, and take none from the owner.  Those that came
 * with the copy are closed: a pipe that the owner closes must be closed.
 */
static void ahead_own_descriptors(void)
{
        if (unshare(CLONE_FILES) == 0)
                syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
}

static void ahead_exhausted(void *ctx)
{
        longjmp(((struct lsr_ahead_thread *)ctx)->exhausted, 1);
}

/* Read t->dir into @arena.  If it is left to the owner, also for want of memory, nothing of it stays. */
static bool ahead_read_early(struct lsr_ahead_thread *t, struct lsr_arena *arena)
{
        if (setjmp(t->exhausted) == 0) {
                lsr_last_resort = (struct lsr_last_resort){ ahead_exhausted, t };
                t->dir->read = ahead_new_read(t->dir, arena);
                t->dir->read->result = lsr_source_load(&t->in, t->dir);
                if (t->in.o->keep && t->dir->read->result != LSR_READ_LEFT)
                        ahead_keep(t->dir, arena, &t->kept);
        } else {
                t->poor = true;
        }
        lsr_last_resort = (struct lsr_last_resort){};
        lsr_dir_close(&t->in.dir);
        if (!t->poor && t->dir->read->result != LSR_READ_LEFT)
                return true;
        lsr_arena_free(arena);
        free(t->dir->read);
        t->dir->read = NULL;
        return false;
}

static void *ahead_main(void *arg)
{
        struct lsr_ahead_thread *t = arg;
        struct lsr_ahead *a = t->ahead;

        ahead_own_descriptors();
        pthread_mutex_lock(&a->lock);
        while (!a->stop) {
                struct lsr_node *dir = ahead_pick(a);
                struct lsr_arena *arena;
                bool read;

                if (!dir) {
                        ahead_wake_owner(a);
                        a->idle++;
                        pthread_cond_wait(&a->work, &a->lock);
                        a->idle--;
                        continue;
                }
                dir->state = AHEAD_READING;
                a->unread--;
                a->held++;
                arena = ahead_arena(a);
                pthread_mutex_unlock(&a->lock);
                t->dir = dir;
                read = ahead_read_early(t, arena);
                pthread_mutex_lock(&a->lock);
                if (!read || t->in.o->keep)
                        ahead_arena_back(a, arena);
                ahead_finish(a, dir, read);
                if (t->poor) {
                        a->stop = true;
                        pthread_cond_broadcast(&a->work);
                }
        }
        pthread_mutex_unlock(&a->lock);
        return NULL;
}

static bool ahead_start_one(struct lsr_ahead *a)
{
        struct lsr_ahead_thread *t = &a->threads[a->n_threads];

        *t = (struct lsr_ahead_thread){ .ahead = a };
        t->sink = (struct lsr_listing_sink){ .ctx = t, .trouble = ahead_trouble };
        t->in = (struct lsr_reader){ .io = lsr_io_new_helper(a->in->io),
                                     .o = a->in->o,
                                     .sink = &t->sink,
                                     .stats = &t->stats,
                                     .early = true,
                                     .dir.fd = -1 };
        if (lsr_thread_start(&t->id, AHEAD_STACK, ahead_main, t) < 0) {
                lsr_io_join_helper(a->in->io, t->in.io);
                return false;
        }
        lsr_io_count(a->in->io, 4);
        a->in->helped = true;
        a->n_threads++;
        return true;
}

/*
 * More than there are cores: from a disk most of them wait, and from the cache those that are too many hurt nobody.
 * On one core, reading ahead of a listing that comes from the cache is only work on top.
 */
static void ahead_start(struct lsr_ahead *a)
{
        unsigned cores, n;

        a->allowed = false;
        lsr_io_count(a->in->io, 4);
        cores = lsr_thread_worth();
        if (cores < 2)
                return;
        n = 2 * cores > AHEAD_THREADS ? 2 * cores : AHEAD_THREADS;
        while (a->n_threads < n && a->n_threads < LSR_AHEAD_THREADS_MAX && ahead_start_one(a))
                continue;
}

/* End the threads, for ever. */
static void ahead_stop(struct lsr_ahead *a)
{
        unsigned n = a->n_threads;

        a->allowed = false;
        if (n == 0)
                return;
        pthread_mutex_lock(&a->lock);
        a->stop = true;
        pthread_cond_broadcast(&a->work);
        pthread_mutex_unlock(&a->lock);
        for (unsigned i = 0; i < n; i++) {
                pthread_join(a->threads[i].id, NULL);
                lsr_io_join_helper(a->in->io, a->threads[i].in.io);
        }
        a->n_threads = 0;
        a->in->helped = false;
}

void lsr_ahead_free(struct lsr_ahead *a)
{
        ahead_stop(a);
        lsr_ahead_forget(a, &a->top);
        ahead_tell(a);
        for (unsigned i = 0; i < LSR_AHEAD_THREADS_MAX; i++)
                lsr_arena_free(&a->threads[i].kept);
        lsr_arena_free(&a->kept);
        while (a->n_arenas > 0) {
                lsr_arena_free(a->arenas[--a->n_arenas]);
                free(a->arenas[a->n_arenas]);
        }
        pthread_cond_destroy(&a->work);
        pthread_cond_destroy(&a->done);
        pthread_mutex_destroy(&a->lock);
}

/* ---- the owner ---- */

void lsr_ahead_begin(struct lsr_ahead *a)
{
        ahead_replace(a, &a->top);
}

/*
 * It is @dir's turn, and a thread is reading it.  Who has caught up with the threads would be woken for each directory:
 * therefore only for many, or if the threads have nothing to do, or else by the clock.
 */
static void ahead_await(struct lsr_ahead *a, struct lsr_node *dir)
{
        uint64_t at = lsr_clock(), until = at;

        for (unsigned looks = 1; dir->state == AHEAD_READING; looks++) {
                struct timespec t;

                until += AHEAD_LOOK_NS;
                t = (struct timespec){ (time_t)(until / 1000000000u), (long)(until % 1000000000u) };
                a->wait = dir;
                while (a->wait && pthread_cond_timedwait(&a->done, &a->lock, &t) == 0)
                        continue;
                a->wait = NULL;
                if (looks == AHEAD_STALL_LOOKS && a->in->sink->stalled) {
                        pthread_mutex_unlock(&a->lock);
                        a->in->sink->stalled(a->in->sink->ctx);
                        pthread_mutex_lock(&a->lock);
                }
        }
        lsr_lap(&a->in->stats->wait_ns, &at);
}

/* Read @dir here and now. */
static void ahead_read_own(struct lsr_ahead *a, struct lsr_node *dir)
{
        /* Rows of bundles share what they have. */
        bool copy = a->in->o->keep && dir->early;
        struct lsr_arena *arena = copy || !a->in->o->keep ? ahead_arena(a) : &a->kept;

        a->unread -= dir->next && dir->state == AHEAD_UNREAD;
        dir->state = AHEAD_READING;
        pthread_mutex_unlock(&a->lock);
        dir->read = ahead_new_read(dir, arena);
        dir->read->result = lsr_source_load(a->in, dir);
        /* The threads have the descriptors. */
        if (dir->read->result == LSR_READ_LEFT) {
                ahead_stop(a);
                dir->read->result = lsr_source_load(a->in, dir);
        }
        a->own_reads++;
        if (copy)
                ahead_keep(dir, arena, &a->kept);
        pthread_mutex_lock(&a->lock);
        if (copy)
                ahead_arena_back(a, arena);
        dir->state = AHEAD_READ;
        ahead_replace(a, dir);
        if (a->allowed && a->own_reads >= AHEAD_START_READS && a->unread >= AHEAD_START_UNREAD)
                ahead_start(a);
        else if (a->idle > 0 && a->unread > 0)
                pthread_cond_signal(&a->work);
}

/* It was not read yet when its turn came. */
static void ahead_take_late(struct lsr_ahead *a, struct lsr_node *dir)
{
        pthread_mutex_lock(&a->lock);
        ahead_tell(a);
        if (dir->state == AHEAD_READING)
                ahead_await(a, dir);
        if (dir->state != AHEAD_UNREAD)
                a->taken++;
        if (dir->state == AHEAD_READ)
                a->taken_entries += dir->read->rows.n;
        else
                ahead_read_own(a, dir);
        pthread_mutex_unlock(&a->lock);
}

int lsr_ahead_take(struct lsr_ahead *a, struct lsr_node *dir)
{
        const struct lsr_listing_sink *sink = a->in->sink;

        if (dir->state == AHEAD_READ) {
                a->taken++;
                a->taken_entries += dir->read->rows.n;
        } else {
                ahead_take_late(a, dir);
        }
        for (const struct lsr_trouble_kept *t = dir->read->troubles; t; t = t->next)
                sink->trouble(sink->ctx, t->what, t->path, t->error, t->serious);
        a->in->stats->directories += dir->read->result == LSR_READ_ALL || dir->read->result == LSR_READ_MORE;
        return dir->read->result;
}

bool lsr_ahead_is_last(const struct lsr_node *dir)
{
        bool last = dir->read->n_children == 0;

        for (; last && dir->parent; dir = dir->parent)
                last = dir + 1 == dir->parent->read->children + dir->parent->read->n_children;
        return last;
}

struct lsr_node *lsr_ahead_next(struct lsr_ahead *a, struct lsr_node *dir)
{
        ahead_release(a, dir);
        if (dir->read->n_children > 0)
                return dir->read->children;
        while (dir->parent) {
                struct lsr_node_read *above = dir->parent->read;

                lsr_ahead_forget(a, dir);
                if (dir + 1 < above->children + above->n_children)
                        return dir + 1;
                above->n_children = 0;
                dir = dir->parent;
        }
        return NULL;
}
