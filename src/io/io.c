/*
 * io - the face: which engine does what
 *
 * "auto" owns two engines: sync for small lots, and a ring that is made when
 * the first lot of LSR_IO_RING_MIN operations comes.  If the kernel refuses the
 * ring once, threads stand in for it from then on: seccomp profiles and
 * kernel.io_uring_disabled do not change while a program runs.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/engine.h"
#include "io/read.h"

struct lsr_io {
        struct lsr_engine *sync;    /* always there */
        struct lsr_engine *wide;    /* for large lots; under auto made on need */
        struct lsr_engine *named;   /* not auto: this one does everything */
        struct lsr_engine *current; /* of the last stats */
        struct lsr_engine *busy;    /* has operations under way; NULL: none has */
        size_t expected;            /* operations until the next wait; 0: not said */
        struct lsr_fault *fault;    /* fails some of them, or NULL */
        struct lsr_reads reads;     /* of open files */
        bool helped;                /* there are or were threads with helpers */
        bool calls;                 /* auto: threads are the wide engine, and do everything */
        struct lsr_io_stats stats;
};

static int io_make_named(struct lsr_io *io, const char *name, size_t len)
{
        if (len == 4 && memcmp(name, "sync", 4) == 0) {
                io->named = lsr_sync_new(&io->stats);
                return 0;
        }
        if (len == 7 && memcmp(name, "threads", 7) == 0) {
                io->named = lsr_threads_new(&io->stats);
                return 0;
        }
        if (len < 5 || memcmp(name, "uring", 5) != 0 || (len > 5 && name[5] != ':'))
                return -EINVAL;
        io->reads.way = LSR_READS_RING;
        return lsr_uring_new(&io->named, &io->stats, len > 5 ? name + 6 : "");
}

/* "ENGINE:SPEC" behind "fault:" */
static int io_make_fault(struct lsr_io *io, const char *name)
{
        const char *spec = strchrnul(name, ':');
        int r = io_make_named(io, name, (size_t)(spec - name));

        if (r >= 0)
                r = lsr_fault_new(&io->fault, *spec ? spec + 1 : spec, &io->stats);
        io->reads.fault = io->fault;
        return r;
}

int lsr_io_new(struct lsr_io **ret_io, const char *name)
{
        struct lsr_io *io = lsr_xmalloc(sizeof(*io));
        int r = 0;

        *io = (struct lsr_io){};
        io->sync = lsr_sync_new(&io->stats);
        io->reads.stats = &io->stats;
        if (strncmp(name, "fault:", 6) == 0)
                r = io_make_fault(io, name + 6);
        else if (strcmp(name, "auto") != 0)
                r = io_make_named(io, name, strlen(name));
        else
                io->reads.way = LSR_READS_AUTO;
        if (r < 0) {
                lsr_io_free(io);
                return r;
        }
        io->current = io->named ? io->named : io->sync;
        *ret_io = io;
        return 0;
}

struct lsr_io *lsr_io_free(struct lsr_io *io)
{
        if (!io)
                return NULL;
        lsr_read_ring_free(io->reads.ring);
        if (io->named)
                io->named->ops->free(io->named);
        if (io->wide)
                io->wide->ops->free(io->wide);
        io->sync->ops->free(io->sync);
        lsr_fault_free(io->fault);
        free(io);
        return NULL;
}

static int io_begin(struct lsr_engine *e, enum lsr_op_kind kind, size_t expected)
{
        return e->ops->begin ? e->ops->begin(e, kind, expected) : 0;
}

int lsr_io_require(struct lsr_io *io)
{
        return io->named ? io_begin(io->named, LSR_OP_STAT, 1) : 0;
}

const struct lsr_io_stats *lsr_io_stats(const struct lsr_io *io)
{
        return &io->stats;
}

const char *lsr_io_name(const struct lsr_io *io)
{
        return io->fault ? "fault" : io->current->ops->name;
}

bool lsr_io_eager(const struct lsr_io *io)
{
        return !io->fault && io->current->ops->eager;
}

bool lsr_io_may_help(const struct lsr_io *io)
{
        return !io->named || (!io->fault && strcmp(io->named->ops->name, "threads") == 0);
}

struct lsr_io *lsr_io_new_helper(struct lsr_io *io)
{
        struct lsr_io *helper = lsr_xmalloc(sizeof(*helper));

        *helper = (struct lsr_io){};
        helper->sync = helper->named = helper->current = lsr_sync_new(&helper->stats);
        io->helped = true;
        return helper;
}

void lsr_io_join_helper(struct lsr_io *io, struct lsr_io *helper)
{
        io->stats.syscalls += helper->stats.syscalls;
        io->stats.thread_ops += helper->stats.sync_ops;
        io->stats.bytes_read += helper->stats.bytes_read;
        helper->named = NULL;
        lsr_io_free(helper);
}

void lsr_io_stats_add(struct lsr_io_stats *sum, const struct lsr_io_stats *s)
{
        sum->syscalls += s->syscalls;
        sum->ring_ops += s->ring_ops;
        sum->ring_enters += s->ring_enters;
        sum->thread_ops += s->thread_ops;
        sum->sync_ops += s->sync_ops;
        sum->retried_ops += s->retried_ops;
        sum->faults += s->faults;
        sum->bytes_read += s->bytes_read;
}

struct lsr_reads *lsr_io_reads(struct lsr_io *io)
{
        return &io->reads;
}

void lsr_io_time(struct lsr_io *io)
{
        io->reads.timed = true;
}

void lsr_io_count(struct lsr_io *io, unsigned syscalls)
{
        io->stats.syscalls += syscalls;
}

void lsr_io_prefer_calls(struct lsr_io *io)
{
        if (io->named || io->wide)
                return;
        io->calls = true;
        io->wide = io->current = lsr_threads_new(&io->stats);
}

/* The engine for lots of LSR_IO_RING_MIN and more under auto. */
static struct lsr_engine *io_begin_wide(struct lsr_io *io, enum lsr_op_kind kind, size_t expected)
{
        if (!io->wide)
                lsr_uring_new(&io->wide, &io->stats, "");
        if (io_begin(io->wide, kind, expected) < 0) {
                io->wide->ops->free(io->wide);
                io->wide = lsr_threads_new(&io->stats);
        }
        return io->wide;
}

/* Who does the operations from here to the next wait, the first of which is of @kind? */
static int io_choose(struct lsr_io *io, enum lsr_op_kind kind, size_t expected)
{
        bool ring = expected >= LSR_IO_RING_MIN && (kind == LSR_OP_STAT || kind == LSR_OP_READ_FILE);
        struct lsr_engine *e = io->named ? io->named : kind == LSR_OP_STAT ? io->sync : io->current;
        int r = 0;

        if ((ring || io->calls) && !io->named)
                e = io_begin_wide(io, kind, expected);
        else
                r = io_begin(e, kind, expected);
        if (r < 0)
                return r;
        if (kind == LSR_OP_STAT)
                io->current = e;
        io->busy = e;
        return 0;
}

void lsr_io_expect(struct lsr_io *io, size_t n)
{
        io->expected = n;
}

int lsr_io_add(struct lsr_io *io, const struct lsr_op *ops, size_t n)
{
        int r = 0;

        if (n == 0)
                return 0;
        if (!io->busy)
                r = io_choose(io, ops->kind, io->expected ? io->expected : n);
        if (r < 0)
                return r;
        if (io->fault)
                lsr_fault_add(io->fault, ops, n);
        io->busy->ops->add(io->busy, ops, n);
        if (!io->busy->ops->wait)
                io->busy = NULL;
        return 0;
}

void lsr_io_go(struct lsr_io *io)
{
        if (io->busy && io->busy->ops->go)
                io->busy->ops->go(io->busy);
}

void lsr_io_wait(struct lsr_io *io)
{
        if (io->busy)
                io->busy->ops->wait(io->busy);
        if (io->fault)
                lsr_fault_done(io->fault);
        io->busy = NULL;
        io->expected = 0;
}

int lsr_io_run(struct lsr_io *io, const struct lsr_op *ops, size_t n)
{
        int r = lsr_io_add(io, ops, n);

        lsr_io_wait(io);
        return r;
}

struct lsr_op lsr_op_stat(int dirfd, unsigned fields, bool follow)
{
        return (struct lsr_op){
                .dirfd = dirfd,
                .mask = (uint16_t)lsr_meta_statx_mask(fields),
                .kind = LSR_OP_STAT,
                .follow = follow,
                .attributes = fields & LSR_FIELD_ATTRIBUTES,
        };
}

/* One operation in its place, whatever is under way. */
static ssize_t io_here(struct lsr_io *io, const struct lsr_op *op)
{
        int error = io->fault ? lsr_fault_before(io->fault, op) : 0;

        if (error < 0)
                return error;
        lsr_sync_run(op, &io->stats);
        if (io->fault)
                lsr_fault_after(io->fault, op);
        return op->data->ret;
}

static int io_open(struct lsr_io *io, int dirfd, const char *path, bool follow, int flags)
{
        struct lsr_op_data data = { .flags = flags };

        return (int)io_here(
                io,
                &(struct lsr_op){ .name = path, .data = &data, .dirfd = dirfd, .kind = LSR_OP_OPEN, .follow = follow });
}

int lsr_io_open_dir(struct lsr_io *io, int dirfd, const char *path, bool follow)
{
        return io_open(io, dirfd, path, follow, O_DIRECTORY);
}

int lsr_io_open_file(struct lsr_io *io, int dirfd, const char *path, bool follow)
{
        return io_open(io, dirfd, path, follow, O_NOATIME);
}

ssize_t lsr_io_read_dir(struct lsr_io *io, int fd, void *buf, size_t size)
{
        struct lsr_op_data data = { .buf = buf, .cap = size };

        return io_here(io, &(struct lsr_op){ .data = &data, .dirfd = fd, .kind = LSR_OP_READ_DIR });
}
