/*
 * stream - the bytes of one open file: from start to end, or at an offset
 *
 * On the ring several large reads are in flight while the caller works on the
 * bytes before them; the other engines make one plain call at a time.
 * Descriptors that cannot seek (pipes, sockets, terminals) are read from their
 * position; all others are read at offsets, and their position does not
 * change.
 *
 * "auto" takes the ring for streams of 32 MiB and more, and plain calls for all
 * else; "uring" reads everything through it.
 *
 * Streams and their lsr_io may go from thread to thread, but only one thread at
 * a time is in any of them.  Streams are freed before their lsr_io.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "io/io.h"

struct lsr_stream;

#define LSR_STREAM_RING_MIN ((uint64_t)32 << 20) /* under "auto" a ring and its buffers pay from here on */
#define LSR_STREAM_END UINT64_MAX                /* as far as the file goes */

/*
 * Stream bytes from @offset up to, not including, @end; fewer if the file ends
 * before that.  Only with LSR_STREAM_END may @fd be something that cannot seek;
 * a known end also saves the read that finds it.  @fd stays the caller's and
 * must remain open until the stream is freed.  Nothing is read and no buffer
 * made before the first lsr_stream_next(), and no more than there is to read.
 */
int lsr_stream_new(struct lsr_stream **ret_stream, struct lsr_io *io, int fd, uint64_t offset, uint64_t end);

/* Reads in flight are waited for.  Returns NULL; NULL is fine. */
struct lsr_stream *lsr_stream_free(struct lsr_stream *s);

/*
 * The next bytes, as many as came with one read (256 KiB at most); they stay valid until the
 * next call for this stream.  Returns their number, 0 at the end, or a negative
 * errno.  Bytes before a failure are given first; the call after it tries again.
 */
ssize_t lsr_stream_next(struct lsr_stream *s, const uint8_t **ret_data);

/*
 * Go on at @offset, perhaps beyond the end.  Reads in flight are waited for and
 * thrown away, so skip small gaps by reading them.  The first read after it is
 * a small one (64 KiB), in case another seek follows.  -ESPIPE if the file cannot.
 */
int lsr_stream_seek(struct lsr_stream *s, uint64_t offset);

/*
 * As pread(2), but short only at the end of the file.  @fd is something that can
 * seek.  -EINVAL: beyond what any file can have.
 */
ssize_t lsr_io_read_at(struct lsr_io *io, int fd, void *buf, size_t size, uint64_t offset);

/*
 * For a process that is about to be confined: make now what reading will need,
 * so that no set-up call follows.  The ring it makes can do nothing but read
 * from descriptors that lsr_io_register() gave it.  Call it before the first
 * stream, and before RLIMIT_NOFILE falls below 64, the places for descriptors.
 *
 * From then on reading needs read, pread64, io_uring_enter, io_uring_register
 * (to register more descriptors) and, for standard input that another process
 * made non-blocking, poll.
 *
 * 0; under "auto" also if there is no ring, then plain calls do the reading.  An
 * engine asked for by name fails with what the kernel said.
 */
int lsr_io_seal(struct lsr_io *io);

/* The same, but under "auto" there is no ring: for files too small for one, see LSR_STREAM_RING_MIN. */
int lsr_io_seal_small(struct lsr_io *io);

/*
 * Let a sealed engine read @fd, or no longer; nothing happens if it needs no
 * leave.  Unregister a descriptor before it is closed, when its streams are
 * gone.  -EMFILE: no place is free; under "auto" plain calls then read it, by
 * name reading it fails with -EBADF.
 */
int lsr_io_register(struct lsr_io *io, int fd);
void lsr_io_unregister(struct lsr_io *io, int fd);
