/* Output: what is appended arrives, in files and pipes, and a write that fails is not forgotten. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "formats/filter/compress.h"
#include "formats/output.h"

#define MOST (5 * LSR_OUTPUT_BUFFER)

static uint8_t *pattern(void)
{
        uint8_t *p = lsr_xmalloc(MOST);
        uint32_t x = 1;

        for (size_t i = 0; i < MOST; i++) {
                x = x * 1664525 + 1013904223;
                p[i] = (uint8_t)(x >> 24);
        }
        return p;
}

/* Sizes around every limit there is, and small ones that fill the buffer. */
static size_t append(struct lsr_output *out, const uint8_t *p)
{
        static const size_t sizes[] = {
                0,     1, 511, LSR_OUTPUT_BUFFER / 4 - 1, LSR_OUTPUT_BUFFER / 4 - 1,
                13,    0, 512, LSR_OUTPUT_BUFFER / 4,     LSR_OUTPUT_BUFFER,
                77777, 3, 9,   LSR_OUTPUT_BUFFER + 1,
        };
        size_t at = 0;

        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                cr_assert_eq(lsr_output_write(out, p + at, sizes[i]), 0);
                at += sizes[i];
                cr_assert_eq(out->at, at);
                cr_assert_leq(out->held, LSR_OUTPUT_BUFFER);
        }
        for (size_t n = 1; n < 3000; n += 7) {
                cr_assert_eq(lsr_output_write(out, p + at, n), 0);
                at += n;
        }
        cr_assert_lt(at, MOST);
        cr_expect_eq(lsr_output_flush(out), 0);
        cr_expect_eq(out->held, 0);
        cr_expect_eq(lsr_output_flush(out), 0);
        return at;
}

Test(output, good_file)
{
        uint8_t *p = pattern(), *got = lsr_xmalloc(MOST);
        int fd = memfd_create("output", MFD_CLOEXEC);
        struct lsr_output out;
        size_t n;

        lsr_output_init(&out, fd);
        cr_expect_not(out.pipe);
        n = append(&out, p);
        lsr_output_free(&out);
        cr_expect_eq(pread(fd, got, MOST, 0), (ssize_t)n);
        cr_expect(memcmp(got, p, n) == 0);
        close(fd);
        free(p);
        free(got);
}

struct drain {
        int fd;
        uint8_t *got;
        size_t n;
};

/* Slowly. */
static void *drain(void *arg)
{
        struct drain *d = arg;
        ssize_t r;

        while ((r = read(d->fd, d->got + d->n, 50000)) > 0) {
                d->n += (size_t)r;
                nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
        }
        return NULL;
}

static void interrupt(int signo)
{
        (void)signo;
}

/* Signals make writes to a pipe short, or end them before anything is written. */
Test(output, good_pipe)
{
        uint8_t *p = pattern();
        struct drain d = { .got = lsr_xmalloc(MOST) };
        struct lsr_output out;
        pthread_t thread;
        int fds[2];
        sigset_t alarms;
        size_t n;

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        d.fd = fds[0];
        sigemptyset(&alarms);
        sigaddset(&alarms, SIGALRM);
        pthread_sigmask(SIG_BLOCK, &alarms, NULL);
        cr_assert_eq(pthread_create(&thread, NULL, drain, &d), 0);
        pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
        sigaction(SIGALRM, &(struct sigaction){ .sa_handler = interrupt }, NULL);
        setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 500 }, { 0, 500 } }, NULL);
        lsr_output_init(&out, fds[1]);
        cr_expect(out.pipe);
        n = append(&out, p);
        setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
        lsr_output_free(&out);
        close(fds[1]);
        pthread_join(thread, NULL);
        cr_expect_eq(d.n, n);
        cr_expect(memcmp(d.got, p, n) == 0);
        close(fds[0]);
        free(p);
        free(d.got);
}

Test(output, bad_full)
{
        uint8_t *p = pattern();
        int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
        struct lsr_output out;

        lsr_output_init(&out, fd);
        cr_expect_eq(lsr_output_write(&out, p, 10), 0);
        cr_expect_eq(lsr_output_flush(&out), -ENOSPC);
        cr_expect_eq(lsr_output_write(&out, p, 10), -ENOSPC);
        cr_expect_eq(lsr_output_write(&out, p, MOST), -ENOSPC);
        cr_expect_eq(lsr_output_flush(&out), -ENOSPC);
        cr_expect_eq(out.at, 10);
        lsr_output_free(&out);
        lsr_output_init(&out, fd);
        cr_expect_eq(lsr_output_write(&out, p, 10), 0);
        cr_expect_eq(lsr_output_write(&out, p, MOST), -ENOSPC);
        lsr_output_free(&out);
        close(fd);
        free(p);
}

/* --- waiting ------------------------------------------------------------------- */

#define WAITING_BYTES ((size_t)2 << 20)

struct waiting {
        unsigned calls, between; /* in all, and while some of the content was worked on and some was not */
        uint64_t last;
};

static void waiting(void *ctx, uint64_t held)
{
        struct waiting *w = ctx;

        cr_assert_leq(held, WAITING_BYTES);
        w->calls++;
        w->between += held > 0 && held < WAITING_BYTES;
        w->last = held;
}

/* A block of xz is much larger than this content: all of it is taken at once, and worked on for seconds. */
Test(output, waiting_for_the_threads_of_xz_is_told)
{
        uint8_t *data = malloc(WAITING_BYTES);
        struct lsr_compress *compress;
        struct waiting w = {};
        struct lsr_output out;
        uint32_t x = 1;

        for (size_t i = 0; i < WAITING_BYTES; i++) {
                x = x * 1664525 + 1013904223;
                data[i] = (uint8_t)(x >> 28);
        }
        lsr_output_init(&out, open("/dev/null", O_WRONLY | O_CLOEXEC));
        out.waiting = waiting;
        out.ctx = &w;
        cr_assert_eq(lsr_compress_new(&compress, &lsr_codec_xz, 9, 1, &out), 0);
        cr_assert_eq(lsr_compress_stream(compress, data, WAITING_BYTES), 0);
        cr_assert_eq(lsr_compress_finish(compress), 0);
        cr_expect_gt(w.between, 3);
        cr_expect_eq(w.last, 0);
        lsr_compress_free(compress);
        close(out.fd);
        lsr_output_free(&out);
        free(data);
}
