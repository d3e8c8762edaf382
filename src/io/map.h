/*
 * map - a file that is in the page cache, as memory
 *
 * For databases, of which a few bytes of many pages are needed, and for
 * indexes, which are read once: a cached page that is mapped costs neither a
 * call nor a copy.  Only under "auto", and only where nearly all of the range
 * is cached, since a disk answers large reads in flight faster than page faults one
 * by one, or where it is known what will be needed.  If the file is truncated meanwhile, SIGBUS kills the process, so
 * this is for the worker, whose death costs one bundle.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lsr_io;

struct lsr_map {
        const uint8_t *data; /* @size bytes from @offset on */
        void *base;
        size_t length;
};

/* 0: mapped, to be unmapped by the caller; 1: not possible, read it instead. */
int lsr_io_map(struct lsr_io *io, int fd, uint64_t offset, uint64_t size, struct lsr_map *ret_map);
void lsr_io_unmap(struct lsr_map *map);

/* The same, cached or not.  Nothing is read but the pages that are touched and those that are announced. */
int lsr_io_map_cold(struct lsr_io *io, int fd, uint64_t offset, uint64_t size, struct lsr_map *ret_map);

/* Have @n bytes from @offset on read soon.  The kernel may take no more than 128 KiB at a time. */
void lsr_io_map_want(const struct lsr_map *map, uint64_t offset, uint64_t n);

/* Release the pages of @n bytes from @offset on; they come back when they are touched.  From any thread. */
void lsr_io_map_forget(const struct lsr_map *map, uint64_t offset, uint64_t n);
