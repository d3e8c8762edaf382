/*
 * stream-maker - a file of which every byte follows from its offset, so that what is read is checked against no second
 * reading
 */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine-open.h"
#include "io/read.h"
#include "io/ring.h"
#include "io/stream.h"

#define PIECE ((uint64_t)256 << 10)
#define MANY (10 * PIECE + 77)

static inline uint8_t stream_byte(uint64_t offset)
{
        return (uint8_t)((offset * 2654435761u >> 13) ^ offset >> 18);
}

static inline int stream_file(uint64_t size)
{
        char path[] = "/tmp/lsr-test-stream-XXXXXX";
        int fd = mkstemp(path);
        uint8_t buf[65536];

        cr_assert_geq(fd, 0);
        unlink(path);
        for (uint64_t at = 0; at < size;) {
                size_t n = size - at < sizeof(buf) ? (size_t)(size - at) : sizeof(buf);

                for (size_t i = 0; i < n; i++)
                        buf[i] = stream_byte(at + i);
                cr_assert_eq(write(fd, buf, n), (ssize_t)n);
                at += n;
        }
        return fd;
}

static inline void stream_check(const uint8_t *data, size_t n, uint64_t at)
{
        for (size_t i = 0; i < n; i++)
                if (data[i] != stream_byte(at + i))
                        cr_assert_fail("byte %lu is wrong", (unsigned long)(at + i));
}

/* Bytes from @at on until the end or @limit; failures are retried if @failures is not NULL. */
static inline uint64_t stream_run(struct lsr_stream *s, uint64_t at, uint64_t limit, unsigned *failures)
{
        uint64_t sum = 0;
        const uint8_t *data;
        ssize_t n;

        while (sum < limit && (n = lsr_stream_next(s, &data)) != 0) {
                if (n < 0 && failures) {
                        ++*failures;
                        continue;
                }
                cr_assert_gt(n, 0, "%s", strerror((int)-n));
                stream_check(data, (size_t)n, at + sum);
                sum += (uint64_t)n;
        }
        return sum;
}

static inline uint64_t stream_all(struct lsr_io *io, int fd, uint64_t offset, uint64_t end)
{
        struct lsr_stream *s;
        const uint8_t *data;
        uint64_t sum;

        cr_assert_eq(lsr_stream_new(&s, io, fd, offset, end), 0);
        sum = stream_run(s, offset, UINT64_MAX, NULL);
        cr_assert_eq(lsr_stream_next(s, &data), 0, "goes on behind the end");
        cr_assert_null(lsr_stream_free(s));
        return sum;
}

/* ---- what cannot seek ---- */

struct stream_writer {
        int fd;
        uint64_t size;
        size_t most;
};

/* Dribbles, pauses, and pours. */
static inline void *stream_write(void *arg)
{
        struct stream_writer *w = arg;
        uint8_t buf[70000];
        sigset_t all;

        /* Signals are for the reader. */
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, NULL);
        for (uint64_t at = 0; at < w->size;) {
                size_t n = at < 3000 ? 1 + at % 300 : w->most;

                if (n > w->size - at)
                        n = (size_t)(w->size - at);
                for (size_t i = 0; i < n; i++)
                        buf[i] = stream_byte(at + i);
                for (size_t done = 0; done < n;) {
                        ssize_t r = write(w->fd, buf + done, n - done);

                        cr_assert_gt(r, 0);
                        done += (size_t)r;
                }
                at += n;
                if (at < 3000)
                        usleep(2000);
        }
        close(w->fd);
        return NULL;
}

/* From @fds[0], to which a thread writes through @fds[1]. */
static inline void stream_through(struct lsr_io *io, const int fds[2], uint64_t size)
{
        struct stream_writer w = { fds[1], size, 70000 };
        struct lsr_stream *s;
        pthread_t thread;

        cr_assert_eq(pthread_create(&thread, NULL, stream_write, &w), 0);
        cr_assert_eq(lsr_stream_new(&s, io, fds[0], 0, LSR_STREAM_END), 0);
        cr_assert_eq(lsr_stream_seek(s, 5), -ESPIPE);
        cr_assert_eq(stream_run(s, 0, UINT64_MAX, NULL), size);
        cr_assert_eq(lsr_stream_seek(s, 0), -ESPIPE);
        lsr_stream_free(s);
        pthread_join(thread, NULL);
        close(fds[0]);
}
