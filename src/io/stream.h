/*
 * stream - the bytes of one open file: from start to end, or at an offset
 *
 * On the ring several large reads into registered buffers are in flight while
 * the caller works on the one before; the other engines read ahead with plain
 * calls as far as that makes sense.  A pipe or a socket streams too.
 *
 * A stream and its lsr_io are used by one thread at a time.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "io/io.h"

struct lsr_stream;

#define LSR_STREAM_END UINT64_MAX /* as far as the file goes */

/*
 * Stream bytes from @offset up to, not including, @end.  @fd stays the
 * caller's and must remain open.  Nothing is read before the first call below.
 */
int lsr_stream_new(struct lsr_stream **ret_stream, struct lsr_io *io, int fd, uint64_t offset, uint64_t end);
struct lsr_stream *lsr_stream_free(struct lsr_stream *s);

/*
 * The next bytes, which stay valid until the next call for this stream.
 * Returns their number, 0 at the end, or a negative errno.
 */
ssize_t lsr_stream_next(struct lsr_stream *s, const uint8_t **ret_data);

/* Go on at @offset; reads in flight are dropped.  -ESPIPE if the file cannot. */
int lsr_stream_seek(struct lsr_stream *s, uint64_t offset);

/* As pread(2), but short only at the end of the file.  On a ring if the engine has one. */
ssize_t lsr_io_read_at(struct lsr_io *io, int fd, void *buf, size_t size, uint64_t offset);

/*
 * For a process that is about to be confined: make everything now that reading
 * will need, so that no further set-up call is made.  A ring is made that can do
 * nothing but read from descriptors that lsr_io_register() gave it.
 * 0; without a ring the engine reads with plain calls, unless it was asked for by name (-EOPNOTSUPP and the like).
 */
int lsr_io_seal(struct lsr_io *io);

/* Let a sealed engine read @fd, or no longer. */
int lsr_io_register(struct lsr_io *io, int fd);
void lsr_io_unregister(struct lsr_io *io, int fd);
