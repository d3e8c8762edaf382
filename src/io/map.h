/*
 * map - a file that is in the page cache, as memory
 *
 * For a database, of which a little of many pages is wanted, and for indexes,
 * which are looked at once: to touch what is cached costs neither a call nor a
 * copy.  Only under "auto", and only where nearly all of the range is cached: a
 * disk answers large reads in flight faster than page faults one by one.  Who
 * shortens the file meanwhile kills the process with SIGBUS, so this is for the
 * worker, whose death costs one bundle.
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

/* 0; 1: not here, read it; what is mapped is to be unmapped. */
int lsr_io_map(struct lsr_io *io, int fd, uint64_t offset, uint64_t size, struct lsr_map *ret_map);
void lsr_io_unmap(struct lsr_map *map);

/* Let go of the pages that @n bytes from @offset on lie in; they come back when they are touched.  From any thread. */
void lsr_io_map_forget(const struct lsr_map *map, uint64_t offset, uint64_t n);
