/*
 * engine - the inside of io: what each engine implements
 *
 * Included by src/io/ only.  An engine has the stat methods; a NULL among
 * the others means that plain calls do the work.
 */
#pragma once

#include "io/io.h"

struct lsr_engine;

struct lsr_engine_ops {
        const char *name;
        bool eager; /* works on what is added at once, so that small first lots pay */
        struct lsr_engine *(*free)(struct lsr_engine *e);
        int (*stat_begin)(struct lsr_engine *e, const struct lsr_stat_batch *batch);
        int (*stat_add)(struct lsr_engine *e, const struct lsr_stat_op *ops, size_t n);
        int (*stat_go)(struct lsr_engine *e); /* NULL: nothing to do */
        int (*stat_wait)(struct lsr_engine *e);
        int (*files_start)(struct lsr_engine *e, struct lsr_file_read *files, size_t n);
        int (*files_wait)(struct lsr_engine *e);
        void (*each)(struct lsr_engine *e, size_t n, void (*fn)(void *ctx, size_t i), void *ctx);
        /* Asked before the call: a negative errno is its result. */
        int (*before_open)(struct lsr_engine *e);
        int (*before_read_dir)(struct lsr_engine *e);
        int (*before_read)(struct lsr_engine *e, uint32_t *size); /* may make it less */
        /* May add to the @n bytes of entries; returns how many there are. */
        size_t (*after_read_dir)(struct lsr_engine *e, char *buf, size_t n, size_t size);
};

struct lsr_engine {
        const struct lsr_engine_ops *ops;
        struct lsr_io_stats *stats;
};

struct lsr_engine *lsr_sync_new(struct lsr_io_stats *stats);
int lsr_threads_new(struct lsr_engine **ret_engine, struct lsr_io_stats *stats);

/*
 * Makes no ring yet: the first batch does, or lsr_uring_probe().  @tuning is ""
 * or, for experiments, "depth=N,chain=N,workers=N,batch=1"; -EINVAL if not.
 */
int lsr_uring_new(struct lsr_engine **ret_engine, struct lsr_io_stats *stats, const char *tuning);
/* Make the ring if there is none; the kernel's refusal is the result. */
int lsr_uring_probe(struct lsr_engine *e);

/* Take over @inner (freed with the result). -EINVAL: a spec that cannot be parsed. */
int lsr_fault_new(struct lsr_engine **ret_engine, struct lsr_engine *inner, const char *spec,
                  struct lsr_io_stats *stats);

/* statx(2) into @op->meta, counted by the caller. */
void lsr_sync_stat(const struct lsr_stat_batch *batch, const struct lsr_stat_op *op);
void lsr_sync_read_file(struct lsr_file_read *file, unsigned *syscalls);

/* To open a file that is read whole: nothing is waited for that may never come, should it be a FIFO or a terminal. */
#define LSR_FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

/*
 * Was the file read to its end?  A read that returns less than it was asked for
 * is the end of a regular file; of the others, those lsr reads this way end in a
 * newline, and one that does not is read on until read(2) returns 0.
 */
bool lsr_file_read_complete(const struct lsr_file_read *file);
