/*
 * engine - the inside of io: what each engine implements
 *
 * Included by src/io/ only.  A NULL among the methods means that there is nothing to do.
 */
#pragma once

#include "io/io.h"

struct lsr_engine;

struct lsr_engine_ops {
        const char *name;
        bool eager; /* works on what is added at once, so that small first lots pay */
        struct lsr_engine *(*free)(struct lsr_engine *e);
        /* About @expected operations will be added, the first of @kind.  A negative errno: it cannot run here. */
        int (*begin)(struct lsr_engine *e, enum lsr_op_kind kind, size_t expected);
        void (*add)(struct lsr_engine *e, const struct lsr_op *ops, size_t n);
        void (*go)(struct lsr_engine *e);
        void (*wait)(struct lsr_engine *e); /* NULL: nothing is under way when add() returns */
};

struct lsr_engine {
        const struct lsr_engine_ops *ops;
        struct lsr_io_stats *stats;
};

struct lsr_engine *lsr_sync_new(struct lsr_io_stats *stats);
struct lsr_engine *lsr_threads_new(struct lsr_io_stats *stats);

/* Makes no ring before begin().  @tuning: see io/tuning.h; -EINVAL. */
int lsr_uring_new(struct lsr_engine **ret_engine, struct lsr_io_stats *stats, const char *tuning);

/* Any operation by plain calls, from any thread.  Counts calls and bytes in @stats, nothing else. */
void lsr_sync_run(const struct lsr_op *op, struct lsr_io_stats *stats);

/* To open a file that is read whole: nothing is waited for that may never come, should it be a FIFO or a terminal. */
int lsr_op_open_flags(const struct lsr_op *op);

/*
 * Was the file read to its end?  A read that returns less than it was asked for
 * is the end of a regular file; of the others, those lsr reads this way end in a
 * newline, and one that does not is read on until read(2) returns 0.
 */
bool lsr_file_is_complete(const struct lsr_op_data *file);

/* Failures on purpose, see io/fault.c.  -EINVAL: a spec that cannot be parsed. */
struct lsr_fault;
int lsr_fault_new(struct lsr_fault **ret_fault, const char *spec, struct lsr_io_stats *stats);
struct lsr_fault *lsr_fault_free(struct lsr_fault *f);

/* Operations were added; all that were added are done. */
void lsr_fault_add(struct lsr_fault *f, const struct lsr_op *ops, size_t n);
void lsr_fault_done(struct lsr_fault *f);

/* Around one that runs in its place: the negative errno that is its result instead, or 0; what it did. */
int lsr_fault_before(struct lsr_fault *f, const struct lsr_op *op);
void lsr_fault_after(struct lsr_fault *f, const struct lsr_op *op);

/* Before a read of an open file, whose @size may become less. */
int lsr_fault_read(struct lsr_fault *f, uint32_t *size);
