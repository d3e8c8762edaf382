/*
 * store - the blocks of an object that are here: two memfds, of its bytes and of a bitmap
 *
 *      data   [ block 0 | hole | hole | block 3 | ... ]
 *      have     1         0      0      1               shared with the process that reads
 *      asked    0         1      0      0               our own: a request for it is under way
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote/protocol.h"

/* Blocks first to end - 1. */
struct lsr_run {
        uint64_t first, end;
};

struct lsr_runs {
        struct lsr_run *runs;
        size_t n, capacity, at; /* taken out: up to at */
};

struct lsr_store {
        uint64_t size, n_blocks;
        uint64_t held; /* blocks that are there */
        int data, bits;
        uint8_t *have, *asked;
        size_t bitmap_bytes;
        struct lsr_runs ages; /* what has come, the oldest first */
};

/* 0 or a negative errno. */
int lsr_runs_add(struct lsr_runs *runs, uint64_t first, uint64_t end);
bool lsr_runs_take(struct lsr_runs *runs, struct lsr_run *ret_run);
void lsr_runs_end(struct lsr_runs *runs);

/* Nothing is there yet.  0 or a negative errno; also then lsr_store_end() may be called. */
int lsr_store_begin(struct lsr_store *s, uint64_t size);
void lsr_store_end(struct lsr_store *s);

/* A descriptor of the data or of the bitmap that can only be read; or a negative errno. */
int lsr_store_reader(int fd);

bool lsr_store_has(const struct lsr_store *s, uint64_t block);
bool lsr_store_asked(const struct lsr_store *s, uint64_t block);
void lsr_store_ask(struct lsr_store *s, struct lsr_run run, bool asked);

/* The blocks of a range that is in the object. */
struct lsr_run lsr_store_run(const struct lsr_store *s, struct lsr_remote_range range);

/* 0 or a negative errno.  What is written is there when it is marked: whole blocks, of which no byte is missing. */
int lsr_store_write(struct lsr_store *s, uint64_t offset, const void *data, size_t n);
int lsr_store_mark(struct lsr_store *s, struct lsr_run run);

/* Make room for @n blocks by taking the oldest away, but none of @keep, sorted and disjoint. */
void lsr_store_trim(struct lsr_store *s, uint64_t n, const struct lsr_run *keep, size_t n_keep);

/*
 * The requests for what is missing of @runs, sorted by their beginnings, and not asked for: runs closer than @gap
 * blocks become one, none is longer than LSR_REMOTE_REQUEST_MAX.  They are added to @ret_runs and marked as asked for.
 * 0 or a negative errno.
 */
int lsr_store_plan(struct lsr_store *s, const struct lsr_run *runs, size_t n, uint64_t gap, struct lsr_runs *ret_runs);
