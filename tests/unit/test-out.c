/* Output: nothing lost, few writes, errors that stick. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/out.h"

/* A pipe that gets more than the buffer holds is made larger, once; one that gets little stays as it is. */
Test(out, larger_pipe)
{
        static char much[LSR_OUT_FLUSH];
        struct lsr_out out;
        int fds[2], before;

        cr_assert_eq(pipe(fds), 0);
        before = fcntl(fds[1], F_GETPIPE_SZ);
        lsr_out_init(&out, fds[1]);
        lsr_out_puts(&out, "little");
        cr_assert_eq(lsr_out_flush(&out), 0);
        cr_assert_eq(fcntl(fds[1], F_GETPIPE_SZ), before);
        lsr_out_free(&out);
        lsr_out_init(&out, fds[1]);
        lsr_out_put(&out, much, sizeof(much));
        cr_assert_eq(out.writes, 0);
        lsr_out_putc(&out, 'x');
        cr_assert_gt(fcntl(fds[1], F_GETPIPE_SZ), before);
        cr_assert_eq(out.writes, 1, "all of it went into the pipe at once");
        lsr_out_free(&out);
        close(fds[0]);
        close(fds[1]);
}

Test(out, memory)
{
        struct lsr_out out;

        lsr_out_init(&out, -1);
        lsr_out_put(&out, "ab", 2);
        lsr_out_put(&out, NULL, 0);
        lsr_out_puts(&out, "cd");
        lsr_out_putc(&out, 'e');
        lsr_out_fill(&out, '.', 3);
        lsr_out_fill(&out, '.', 0);
        lsr_out_printf(&out, "%05d|%s", 42, "x");
        lsr_out_printf(&out, "%s", "");
        cr_assert_eq(out.len, 15);
        cr_assert_eq(memcmp(out.buf, "abcde...00042|x", 15), 0);
        cr_assert_eq(lsr_out_pos(&out), 15);
        cr_assert_eq(lsr_out_flush(&out), 0);
        cr_assert_eq(out.len, 15, "memory is never flushed");
        /* Far more than a flush's worth stays in memory. */
        for (unsigned i = 0; i < 300000; i++)
                lsr_out_puts(&out, "0123456789");
        cr_assert_eq(out.len, 3000015);
        cr_assert_eq(out.writes, 0);
        lsr_out_free(&out);
        lsr_out_free(NULL);
}

Test(out, reserve_and_commit)
{
        struct lsr_out out;
        char *p;

        lsr_out_init(&out, -1);
        p = lsr_out_reserve(&out, 100000);
        memset(p, 'x', 100000);
        lsr_out_commit(&out, p + 5);
        cr_assert_eq(out.len, 5);
        lsr_out_free(&out);
}

Test(out, a_file_gets_everything_in_few_writes)
{
        char path[] = "/tmp/lsr-test-out-XXXXXX";
        int fd = mkstemp(path);
        struct lsr_out out;
        size_t sum = 0;
        FILE *f;

        lsr_out_init(&out, fd);
        for (unsigned i = 0; i < 200000; i++) {
                lsr_out_printf(&out, "line %u\n", i);
                cr_assert_leq(out.cap, 2 * LSR_OUT_FLUSH);
        }
        sum = lsr_out_pos(&out);
        cr_assert_eq(lsr_out_flush(&out), 0);
        cr_assert_eq(lsr_out_pos(&out), sum);
        cr_assert_leq(out.writes, sum / LSR_OUT_FLUSH + 2);
        f = fopen(path, "r");
        for (unsigned i = 0; i < 200000; i++) {
                char line[32], want[32];

                cr_assert(fgets(line, sizeof(line), f));
                sprintf(want, "line %u\n", i);
                cr_assert_str_eq(line, want);
        }
        cr_assert_eq(fgetc(f), EOF);
        fclose(f);
        close(fd);
        unlink(path);
        lsr_out_free(&out);
}

/* One piece larger than the buffer may become. */
Test(out, a_large_piece)
{
        int fd = open("/dev/null", O_WRONLY);
        size_t n = 3 * LSR_OUT_FLUSH;
        char *piece = malloc(n);
        struct lsr_out out;

        memset(piece, 'x', n);
        lsr_out_init(&out, fd);
        lsr_out_puts(&out, "abc");
        lsr_out_put(&out, piece, n);
        cr_assert_eq(lsr_out_pos(&out), n + 3);
        cr_assert_eq(lsr_out_flush(&out), 0);
        cr_assert_eq(out.written, n + 3);
        free(piece);
        close(fd);
        lsr_out_free(&out);
}

static void *out_drain(void *arg)
{
        static size_t sum;
        char buf[777];
        ssize_t n;

        while ((n = read(*(int *)arg, buf, sizeof(buf))) > 0)
                sum += (size_t)n;
        return &sum;
}

/* A pipe takes less than it is offered at a time. */
Test(out, short_writes)
{
        struct lsr_out out;
        pthread_t reader;
        void *sum;
        int fds[2];

        cr_assert_eq(pipe(fds), 0);
        pthread_create(&reader, NULL, out_drain, &fds[0]);
        lsr_out_init(&out, fds[1]);
        for (unsigned i = 0; i < 300000; i++)
                lsr_out_puts(&out, "0123456789");
        cr_assert_eq(lsr_out_flush(&out), 0);
        close(fds[1]);
        pthread_join(reader, &sum);
        cr_assert_eq(*(size_t *)sum, 3000000);
        lsr_out_free(&out);
}

/* A file that may not grow takes a part of what it is offered, then nothing. */
Test(out, a_part_is_taken)
{
        char path[] = "/tmp/lsr-test-out-XXXXXX";
        struct rlimit limit = { 1000, 1000 };
        int fd = mkstemp(path);
        struct lsr_out out;

        unlink(path);
        signal(SIGXFSZ, SIG_IGN);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        lsr_out_init(&out, fd);
        lsr_out_fill(&out, 'x', 2500);
        cr_assert_eq(lsr_out_flush(&out), -EFBIG);
        cr_assert_eq(out.writes, 2);
        lsr_out_free(&out);
        close(fd);
}

Test(out, errors_stick)
{
        int fd = open("/dev/full", O_WRONLY);
        struct lsr_out out;

        lsr_out_init(&out, fd);
        lsr_out_puts(&out, "abc");
        cr_assert_eq(lsr_out_flush(&out), -ENOSPC);
        cr_assert_eq(out.writes, 1);
        lsr_out_puts(&out, "def");
        cr_assert_eq(lsr_out_flush(&out), -ENOSPC);
        cr_assert_eq(out.writes, 1, "written to after the error");
        cr_assert_eq(lsr_out_pos(&out), 6);
        lsr_out_free(&out);
        close(fd);
}
