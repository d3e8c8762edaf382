/*
 * read - single reads of open files, by a plain call or through the ring
 *
 * Both begin and end a read with the same two functions, so that callers need
 * not know the engine: a plain read has ended when it has begun.
 *
 * Under "auto" a read at an offset is a plain call: one pread costs less than
 * one read through a ring, and nothing runs beside it.
 */
#include "io/read.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/stream.h"

#define READ_SIZE_MAX ((size_t)1 << 30) /* in one request */
#define READ_TRIES_MAX 1000u            /* without a byte in between */

int lsr_reads_ring(struct lsr_reads *reads, int fd, struct lsr_read_ring **ret_ring)
{
        if (!reads->ring && reads->refused == 0)
                reads->refused = lsr_read_ring_new(&reads->ring, reads->stats, false);
        if (reads->refused < 0)
                return reads->refused;
        if (!lsr_read_ring_knows(reads->ring, fd))
                return -EBADF;
        *ret_ring = reads->ring;
        return 0;
}

static int read_plainly(struct lsr_reads *reads, const struct lsr_read *op)
{
        ssize_t n;

        reads->stats->syscalls++;
        if (op->offset == LSR_READ_HERE)
                n = read(op->fd, op->buf, op->size);
        else
                n = pread(op->fd, op->buf, op->size, (off_t)op->offset);
        return n < 0 ? -errno : (int)n;
}

static uint64_t read_clock(const struct lsr_reads *reads)
{
        return reads->timed ? lsr_clock() : 0;
}

void lsr_read_begin(struct lsr_reads *reads, struct lsr_read_ring *ring, struct lsr_read *read)
{
        uint64_t began = read_clock(reads);
        int error = reads->fault ? lsr_fault_read(reads->fault, &read->size) : 0;

        read->busy = false;
        if (error == 0 && ring)
                error = lsr_read_ring_start(ring, read);
        else if (error == 0)
                error = read_plainly(reads, read);
        if (!read->busy)
                read->result = error;
        reads->stats->read_ns += read_clock(reads) - began;
}

static void read_wait(struct lsr_reads *reads, struct lsr_read_ring *ring, struct lsr_read *read)
{
        uint64_t began = read_clock(reads);

        lsr_read_ring_wait(ring, read);
        reads->stats->read_ns += read_clock(reads) - began;
}

ssize_t lsr_read_end(struct lsr_reads *reads, struct lsr_read_ring *ring, struct lsr_read *read)
{
        for (unsigned tries = 0;; tries++) {
                if (ring)
                        read_wait(reads, ring, read);
                if (read->result >= 0) {
                        reads->stats->bytes_read += (unsigned)read->result;
                        return read->result;
                }
                if (tries == READ_TRIES_MAX)
                        return read->result;
                if (read->result == -EAGAIN && read->offset == LSR_READ_HERE) {
                        reads->stats->syscalls++;
                        poll(&(struct pollfd){ .fd = read->fd, .events = POLLIN }, 1, -1);
                } else if (read->result == -EAGAIN && ring) {
                        /* O_NONBLOCK on a file system that cannot read without blocking. */
                        reads->stats->retried_ops++;
                        ring = NULL;
                } else if (read->result != -EINTR && read->result != -ECANCELED && read->result != -EFAULT &&
                           read->result != -EAGAIN) {
                        return read->result;
                }
                /*
                 * If a read was cancelled, the thread that submitted it has ended; if it waited for the disk then,
                 * EFAULT says the same (io_req_task_submit() of the kernel).
                 */
                lsr_read_begin(reads, ring, read);
        }
}

ssize_t lsr_io_read_at(struct lsr_io *io, int fd, void *buf, size_t size, uint64_t offset)
{
        struct lsr_reads *reads = lsr_io_reads(io);
        struct lsr_read_ring *ring = NULL;
        size_t done = 0;

        if (size > PTRDIFF_MAX || offset > (uint64_t)INT64_MAX - size)
                return -EINVAL;
        if (reads->way == LSR_READS_RING) {
                int error = lsr_reads_ring(reads, fd, &ring);

                if (error < 0)
                        return error;
        }
        while (done < size) {
                size_t len = size - done < READ_SIZE_MAX ? size - done : READ_SIZE_MAX;
                struct lsr_read read = { fd, (char *)buf + done, (uint32_t)len, offset + done, 0, false };
                ssize_t n;

                lsr_read_begin(reads, ring, &read);
                n = lsr_read_end(reads, ring, &read);
                if (n < 0)
                        return n;
                if (n == 0)
                        break;
                done += (size_t)n;
        }
        return (ssize_t)done;
}

int lsr_io_seal(struct lsr_io *io)
{
        struct lsr_reads *reads = lsr_io_reads(io);

        if (reads->way == LSR_READS_PLAIN)
                return 0;
        reads->ring = lsr_read_ring_free(reads->ring);
        reads->refused = lsr_read_ring_new(&reads->ring, reads->stats, true);
        return reads->way == LSR_READS_RING ? reads->refused : 0;
}

int lsr_io_seal_small(struct lsr_io *io)
{
        struct lsr_reads *reads = lsr_io_reads(io);

        if (reads->way != LSR_READS_AUTO)
                return lsr_io_seal(io);
        reads->ring = lsr_read_ring_free(reads->ring);
        reads->refused = -EPERM;
        return 0;
}

int lsr_io_register(struct lsr_io *io, int fd)
{
        struct lsr_reads *reads = lsr_io_reads(io);
        int r = reads->ring ? lsr_read_ring_register(reads->ring, fd) : 0;

        return reads->way == LSR_READS_RING ? r : 0;
}

void lsr_io_unregister(struct lsr_io *io, int fd)
{
        struct lsr_reads *reads = lsr_io_reads(io);

        if (reads->ring)
                lsr_read_ring_unregister(reads->ring, fd);
}
