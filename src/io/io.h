/*
 * io - everything lsr asks of the kernel about files, through one queue
 *
 * Operations are added, run and waited for; three engines do the same with identical results:
 *
 *      uring     requests in chains through one ring (liburing)
 *      threads   plain system calls, one worker a core
 *      sync      plain system calls
 *
 * plus `fault`, which wraps one of them and injects failures, for tests.
 *
 * "auto" works as sync and takes the ring for a directory of LSR_IO_RING_MIN
 * entries or more if the kernel grants one; an engine asked for by name is used
 * from the first entry on, or lsr_io_new() fails.  Contents of files: io/stream.h.
 *
 * All functions return 0 or a negative errno unless they say otherwise.  An
 * lsr_io belongs to one thread; only its streams may change theirs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/meta.h"

/* From here up "auto" prefers the ring: docs/bench-dirs.md has the runs behind it. */
#define LSR_IO_RING_MIN 64

struct lsr_io;

/* What has been done, for --stats and for tests that an engine really worked. */
struct lsr_io_stats {
        uint64_t syscalls;    /* made by lsr itself, io_uring_enter included; not those of libc's start-up */
        uint64_t ring_ops;    /* requests put on the ring */
        uint64_t ring_enters; /* io_uring_enter calls */
        uint64_t thread_ops;  /* operations run by the threads engine */
        uint64_t sync_ops;    /* operations run by the sync engine */
        uint64_t retried_ops; /* requests the ring failed and a plain call repeated */
        uint64_t faults;      /* failures injected */
        uint64_t bytes_read;  /* directory entries and file contents */
        uint64_t read_ns;     /* in reads of open files, after lsr_io_time() */
};

/*
 * Make an engine: "auto", "uring", "threads", "sync"; "uring:TUNING" for
 * experiments, see io/tuning.h; "fault:ENGINE:SPEC" for tests, see io/fault.c.
 * -EINVAL: no such name.  Whatever the kernel said: the named engine cannot run here.
 */
int lsr_io_new(struct lsr_io **ret_io, const char *name);

/*
 * Call when the work is done, before claiming success: an engine asked for by
 * name must have been able to run even if nothing was there for it to do.
 */
int lsr_io_require(struct lsr_io *io);

/* Stop workers and give everything back.  Returns NULL; NULL is fine. */
struct lsr_io *lsr_io_free(struct lsr_io *io);

const struct lsr_io_stats *lsr_io_stats(const struct lsr_io *io);

/* Add what the engine of another process did: all but times. */
void lsr_io_stats_add(struct lsr_io_stats *sum, const struct lsr_io_stats *s);

const char *lsr_io_name(const struct lsr_io *io); /* of the engine that did the last stats */

/* Does the engine start on the first lot added, so that a small one sets it going early? */
bool lsr_io_eager(const struct lsr_io *io);

/*
 * An engine of plain calls for a thread beside that of @io.  Only where lsr_io_may_help() says so: sync is the
 * reference, faults are counted in one order, and what the ring was asked for the ring does.
 */
bool lsr_io_may_help(const struct lsr_io *io);
struct lsr_io *lsr_io_new_helper(struct lsr_io *io);

/* The thread is done: what it counted was done by @io, and the helper is freed. */
void lsr_io_join_helper(struct lsr_io *io, struct lsr_io *helper);

/*
 * What will be asked for takes a call for each file whoever asks: "auto" takes threads for all of it, and no ring.
 * Call it before anything is added.
 */
void lsr_io_prefer_calls(struct lsr_io *io);

/* From now on count the time that reads of open files take: two looks at the clock for each. */
void lsr_io_time(struct lsr_io *io);

/* For the few calls that callers make themselves and want counted. */
void lsr_io_count(struct lsr_io *io, unsigned syscalls);

enum lsr_op_kind {
        LSR_OP_STAT,        /* to meta */
        LSR_OP_READ_FILE,   /* a small file whole: open, read, close */
        LSR_OP_READ_LINK,   /* the target, without a NUL */
        LSR_OP_LIST_XATTRS, /* names of attributes, each with its NUL */
        LSR_OP_GET_XATTR,   /* the value of one */
        LSR_OP_OPEN,        /* for reading */
        LSR_OP_READ_DIR,    /* getdents64(2) */
        LSR_OP_KINDS,
};

/*
 * What an operation other than a stat brings, and what more it has to know.  Attributes come in a buffer that is
 * allocated if ret > 0, with a NUL behind it: the caller frees it.
 */
struct lsr_op_data {
        char *buf; /* the caller's */
        size_t cap;
        ssize_t ret;           /* bytes, or the descriptor; a negative errno */
        int flags;             /* of open(2), besides those for reading; O_NOATIME is left out where it is refused */
        bool ends;             /* READ_FILE: a regular file, which ends where a read comes short */
        bool leave_open;       /* READ_FILE: the process is about to end, and need not close it */
        size_t size;           /* READ_FILE: what it is said to have: no more is looked for; 0: not said */
        const char *attribute; /* GET_XATTR */
};

/* One operation.  What it points to stays in place until lsr_io_wait() returns; so does it. */
struct lsr_op {
        const char *name; /* below dirfd, or a path */
        union {
                struct lsr_meta *meta;    /* STAT: filled; on failure only error is set */
                struct lsr_op_data *data; /* all others */
        };
        int dirfd;           /* AT_FDCWD; READ_DIR: what is read */
        uint16_t mask;       /* STAT: lsr_meta_statx_mask() of the fields wanted */
        uint8_t kind;        /* enum lsr_op_kind */
        bool follow : 1;     /* symbolic links */
        bool attributes : 1; /* STAT: LSR_FIELD_ATTRIBUTES, too, unless that takes more than one call or fails */
};

/* A stat of many files below @dirfd; lsr_op_put() makes it that of one. */
struct lsr_op lsr_op_stat(int dirfd, unsigned fields, bool follow);

static inline void lsr_op_put(struct lsr_op *ret_op, const struct lsr_op *stat, const char *name, struct lsr_meta *meta)
{
        *ret_op = *stat;
        ret_op->name = name;
        ret_op->meta = meta;
}

/*
 * The queue: add as names come, go when no more will come for now, wait for all.
 *
 * Operations run while the caller does other things.  Threads start with the
 * first lot, the ring with lsr_io_go(): its completions would interrupt a
 * getdents64 under way, see io/uring.c.  To wait implies to go.
 *
 * The first lot after a wait chooses who does them, by its kind and size, or by
 * how many operations are expected; so what is added while others are under way
 * goes with them, through the ring in one call.  What an engine cannot do is done
 * by plain calls.
 *
 * A file that cannot be had is no failure of the queue: its meta or data says so.
 * To add fails if an engine asked for by name cannot run; then nothing was added.
 *
 * What would have to be waited for, a FIFO or a terminal, is empty for READ_FILE
 * or gives -EAGAIN, unless data says that it is a file; of a file with @cap bytes
 * or more the result is -EFBIG.
 */
#define LSR_IO_MANY SIZE_MAX
void lsr_io_expect(struct lsr_io *io, size_t n); /* before the first lot, if it is not all */
int lsr_io_add(struct lsr_io *io, const struct lsr_op *ops, size_t n);
void lsr_io_go(struct lsr_io *io);
void lsr_io_wait(struct lsr_io *io);

/* Add and wait. */
int lsr_io_run(struct lsr_io *io, const struct lsr_op *ops, size_t n);

/* Open a directory for reading.  Returns the descriptor or a negative errno. */
int lsr_io_open_dir(struct lsr_io *io, int dirfd, const char *path, bool follow);

/*
 * Open a file for reading: without touching its access time where that is
 * allowed, without waiting for the writer of a FIFO.  What cannot be read
 * without waiting stays so (O_NONBLOCK).  Returns the descriptor or a negative errno.
 */
int lsr_io_open_file(struct lsr_io *io, int dirfd, const char *path, bool follow);

/* getdents64(2), whose entries are struct dirent.  Returns bytes of them, 0 at the end, or a negative errno. */
ssize_t lsr_io_read_dir(struct lsr_io *io, int fd, void *buf, size_t size);
