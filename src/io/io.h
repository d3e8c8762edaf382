/*
 * io - everything lsr asks of the kernel about files, in batches
 *
 * One face, three engines that do the same with identical results:
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
 * experiments, see io/engine.h; "fault:ENGINE:SPEC" for tests, see io/fault.c.
 * -EINVAL: no such name.  -EOPNOTSUPP and whatever the kernel said: the named
 * engine cannot run here.
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
const char *lsr_io_name(const struct lsr_io *io); /* of the engine that did the last batch */

/* Does the engine start on the first lot added, so that a small one sets it going early? */
bool lsr_io_eager(const struct lsr_io *io);

/* Has it made neither threads nor a ring yet, so that a fork of the process is a copy that shares nothing? */
bool lsr_io_is_plain(const struct lsr_io *io);

/*
 * An engine of plain calls for a thread beside that of @io.  Only where lsr_io_may_help() says so: sync is the reference,
 * faults are counted in one order, and what the ring was asked for the ring does.
 */
bool lsr_io_may_help(const struct lsr_io *io);
struct lsr_io *lsr_io_new_helper(struct lsr_io *io);

/* The thread is done: what it counted was done by @io, and the helper is freed. */
void lsr_io_join_helper(struct lsr_io *io, struct lsr_io *helper);

/* From now on count the time that reads of open files take: two looks at the clock for each. */
void lsr_io_time(struct lsr_io *io);

/* For the few calls that callers make themselves and want counted. */
void lsr_io_count(struct lsr_io *io, unsigned syscalls);

/* One file to stat, by its name below the batch's directory. */
struct lsr_stat_op {
        const char *name;
        struct lsr_meta *meta; /* filled; on failure only error is set */
        int dirfd;             /* name is below it, where the batch says own_dirs */
};

/* A directory's worth of them. */
struct lsr_stat_batch {
        int dirfd;       /* AT_FDCWD for operands */
        bool follow;     /* follow symbolic links */
        unsigned fields; /* enum lsr_field wanted */
        size_t expected; /* a guess of all that will be added, 0 for many; chooses the engine */
        bool own_dirs;   /* names are below the directories of their operations instead */
};

/*
 * A batch: begin, add as names come, go when no more will come, wait.
 *
 * Operations run while the caller does other things; ops, names and metas must
 * stay in place until lsr_io_stat_wait() returns, when all are done.  Threads
 * start with the first lot, the ring with lsr_io_stat_go(): its completions
 * would interrupt a getdents64 under way, see io/uring.c.  To wait implies to go.
 *
 * A file that cannot be had is no failure of the batch: its meta says so.  One
 * batch at a time.
 */
int lsr_io_stat_begin(struct lsr_io *io, const struct lsr_stat_batch *batch);
int lsr_io_stat_add(struct lsr_io *io, const struct lsr_stat_op *ops, size_t n);
int lsr_io_stat_go(struct lsr_io *io);
int lsr_io_stat_wait(struct lsr_io *io);

/* All of these for one lot of operations. */
int lsr_io_stat(struct lsr_io *io, const struct lsr_stat_batch *batch, const struct lsr_stat_op *ops, size_t n);

/* A small file to read whole. */
struct lsr_file_read {
        const char *path;
        char *buf;   /* the caller's */
        size_t cap;  /* a file of this size or more gives -EFBIG */
        ssize_t ret; /* bytes read, or a negative errno */
        bool below;  /* path is below dirfd */
        int dirfd;
        int flags;   /* of open(2), besides O_RDONLY, O_NONBLOCK, O_NOCTTY; O_NOATIME is left out where it is refused */
        size_t size; /* what the file is said to have: when that many bytes came, no more are looked for; 0: not said */
        bool ends;   /* a regular file, which ends where a read comes short */
};

/*
 * Open, read and close each of them, perhaps while the caller goes on: @files
 * stay in place until lsr_io_files_wait() returns.  What would have to be waited
 * for, a FIFO or a terminal, is empty or gives -EAGAIN, unless @size or @ends say
 * that it is a file.  A few may be started while a
 * stat batch is being collected; the ring then takes both in one call.  Many, LSR_IO_RING_MIN
 * and more, want no batch beside them; "auto" takes the ring for them.
 */
int lsr_io_files_start(struct lsr_io *io, struct lsr_file_read *files, size_t n);
int lsr_io_files_wait(struct lsr_io *io);

/* Both in one. */
int lsr_io_read_files(struct lsr_io *io, struct lsr_file_read *files, size_t n);

/* Open a directory for reading.  Returns the descriptor or a negative errno. */
int lsr_io_open_dir(struct lsr_io *io, int dirfd, const char *path, bool follow);

/*
 * Open a file for reading: without touching its access time where that is
 * allowed, without waiting for the writer of a FIFO.  What cannot be read
 * without waiting stays so (O_NONBLOCK).  Returns the descriptor or a negative errno.
 */
int lsr_io_open_file(struct lsr_io *io, int dirfd, const char *path, bool follow);

/* getdents64(2).  Returns bytes of entries, 0 at the end, or a negative errno. */
ssize_t lsr_io_read_dir(struct lsr_io *io, int fd, void *buf, size_t size);

/*
 * Call @fn for every index below @n: across the workers of the threads engine,
 * one after the other in the others.  For what has no opcode: readlink, xattrs.
 * @syscalls_each is for the statistics.
 */
void lsr_io_each(struct lsr_io *io, size_t n, unsigned syscalls_each, void (*fn)(void *ctx, size_t i), void *ctx);
