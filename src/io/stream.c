/*
 * stream - plain reads
 *
 * One large read at a time into one buffer.
 */
#include "io/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

#define STREAM_READ ((size_t)256 << 10)

struct lsr_stream {
        struct lsr_io *io;
        int fd;
        uint64_t at;
        uint64_t end;
        bool pipe;
        uint8_t *buf;
};

int lsr_stream_new(struct lsr_stream **ret_stream, struct lsr_io *io, int fd, uint64_t offset, uint64_t end)
{
        struct lsr_stream *s = lsr_xmalloc(sizeof(*s));

        *s = (struct lsr_stream){ .io = io, .fd = fd, .at = offset, .end = end };
        s->pipe = lseek(fd, 0, SEEK_CUR) < 0;
        s->buf = lsr_xmalloc(STREAM_READ);
        *ret_stream = s;
        return 0;
}

struct lsr_stream *lsr_stream_free(struct lsr_stream *s)
{
        if (s)
                free(s->buf);
        free(s);
        return NULL;
}

ssize_t lsr_stream_next(struct lsr_stream *s, const uint8_t **ret_data)
{
        size_t want = s->end - s->at < STREAM_READ ? (size_t)(s->end - s->at) : STREAM_READ;
        ssize_t n;

        do
                n = s->pipe ? read(s->fd, s->buf, want) : pread(s->fd, s->buf, want, (off_t)s->at);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        s->at += (uint64_t)n;
        *ret_data = s->buf;
        return n;
}

int lsr_stream_seek(struct lsr_stream *s, uint64_t offset)
{
        if (s->pipe)
                return -ESPIPE;
        s->at = offset;
        return 0;
}

ssize_t lsr_io_read_at(struct lsr_io *io, int fd, void *buf, size_t size, uint64_t offset)
{
        size_t done = 0;

        (void)io;
        while (done < size) {
                ssize_t n = pread(fd, (char *)buf + done, size - done, (off_t)(offset + done));

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                done += (size_t)n;
        }
        return (ssize_t)done;
}
