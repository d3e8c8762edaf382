/*
 * The worker from its parent's side, with the real process; test-worker-lies.c has liars.
 *
 * A test binary's main() is Criterion's, so the worker is forked here; the
 * commands' tests see it executed.
 */
#include "base/compat.h"
#include "formats/filter/crc.h"
#include "worker-meet.h"

/* --- the real one --------------------------------------------------------------- */

Test(worker, opens_scans_reads)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_bundle b;
        struct worker_sink got = { malloc(WORKER_LARGE), 0, WORKER_LARGE };
        const struct lsr_sink sink = { &got, worker_sink_write };
        struct lsr_io_stats stats = {};
        char *large = tar_large();
        int fd = tar_file();
        struct lsr_member m;
        uint64_t offset, size;

        cr_assert_eq(worker_child(), 0, "nothing runs before the first bundle");
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        cr_assert_str_eq(b.format, "tar");
        cr_assert_str_eq(b.filters, "");
        cr_assert(!b.filtered);
        for (unsigned i = 0; i < 3; i++)
                worker_check_tar(w, b.id);
        m = worker_member(w, b.id, "large");
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &sink), 0);
        cr_assert_eq(got.size, WORKER_LARGE);
        cr_assert_eq(memcmp(got.data, large, WORKER_LARGE), 0);
        cr_assert_eq(lsr_worker_extent(w, b.id, &m, &offset, &size), 0);
        cr_assert_eq(offset, 3 * 512);
        cr_assert_eq(size, WORKER_LARGE);
        lsr_worker_stats(w, &stats);
        cr_assert_geq(stats.bytes_read, WORKER_LARGE);
        cr_assert_eq(worker_n_troubles, 0);
        lsr_worker_close(w, b.id);
        cr_assert_eq(lsr_worker_scan(w, b.id, NULL, &(uint64_t){ UINT64_MAX }, &(struct lsr_worker_answer){}), -ESTALE);
        lsr_worker_free(w);
        cr_assert_eq(worker_child(), 0, "and nothing runs after the last");
        free(got.data);
        free(large);
        close(fd);
}

/* The tar behind gzip, in stored blocks (RFC 1951, 3.2.4). */
static int tar_gz_file(void)
{
        static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
        int tar = tar_file(), fd = memfd_create("good-tar-gz", MFD_CLOEXEC);
        uint32_t size = (uint32_t)lseek(tar, 0, SEEK_END), crc = 0, n;
        static uint8_t block[60000];

        lseek(tar, 0, SEEK_SET);
        cr_assert_eq(write(fd, head, sizeof(head)), sizeof(head));
        for (uint32_t left = size; left > 0; left -= n) {
                uint8_t start[5];

                n = (uint32_t)read(tar, block, left < sizeof(block) ? left : sizeof(block));
                crc = lsr_crc32(crc, block, n);
                start[0] = n == left;
                start[1] = (uint8_t)n;
                start[2] = (uint8_t)(n >> 8);
                start[3] = (uint8_t)~start[1];
                start[4] = (uint8_t)~start[2];
                cr_assert_eq(write(fd, start, 5), 5);
                cr_assert_eq(write(fd, block, n), n);
        }
        cr_assert_eq(write(fd, &crc, 4), 4);
        cr_assert_eq(write(fd, &size, 4), 4);
        close(tar);
        return fd;
}

static uint64_t worker_bytes_read(struct lsr_worker *w)
{
        struct lsr_io_stats stats = {};

        lsr_worker_stats(w, &stats);
        return stats.bytes_read;
}

/* Look for "dir/small", which is the first member, at position 0. */
static void worker_look(struct lsr_worker *w, uint32_t id)
{
        const char *path = "dir/small";
        const struct lsr_wanted wanted = { .paths = &path, .n = 1, .content = true };
        struct lsr_worker_answer answer;

        cr_assert_eq(lsr_worker_scan(w, id, &wanted, &(uint64_t){ UINT64_MAX }, &answer), 0);
        cr_assert(answer.some);
        cr_assert_eq(lsr_catalogue_rows(answer.catalogue), 3);
        lsr_catalogue_free(answer.catalogue);
}

/* A scan that has found what is wanted stops there: reading goes on from it, everything else begins anew. */
Test(worker, stopped_scan)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_bundle b;
        char text[16];
        struct worker_sink got = { text, 0, sizeof(text) };
        int fd = tar_gz_file();
        struct lsr_member m;
        uint64_t bytes;

        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        cr_assert_str_eq(b.filters, "gzip");
        m = worker_member(w, b.id, "dir/small");
        cr_assert_eq(m.position, 0);
        worker_look(w, b.id);
        worker_check_tar(w, b.id);
        worker_look(w, b.id);
        worker_look(w, b.id);
        bytes = worker_bytes_read(w);
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write }), 0);
        cr_expect_eq(got.size, 6);
        cr_expect_eq(memcmp(text, "hello\n", 6), 0);
        cr_expect_eq(worker_bytes_read(w), bytes);
        /* And there it is no longer. */
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write }), 0);
        cr_expect_eq(got.size, 12);
        cr_expect_gt(worker_bytes_read(w), bytes);
        worker_check_tar(w, b.id);
        cr_expect_eq(worker_n_troubles, 0, "%s", worker_last_text);
        lsr_worker_free(w);
        close(fd);
}

Test(worker, many_bundles_at_once)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_bundle b[20];
        int fd = tar_file();

        for (unsigned i = 0; i < 20; i++)
                cr_assert_eq(worker_open_fd(w, fd, false, &b[i]), 0);
        for (unsigned i = 0; i < 20; i += 2)
                lsr_worker_close(w, b[i].id);
        for (unsigned i = 0; i < 20; i++) {
                if (i % 2)
                        worker_check_tar(w, b[i].id);
                else
                        cr_assert_eq(lsr_worker_scan(w, b[i].id, NULL, &(uint64_t){ UINT64_MAX },
                                                     &(struct lsr_worker_answer){}),
                                     -ESTALE);
        }
        lsr_worker_free(w);
        close(fd);
}

Test(worker, says_what_is_no_bundle)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_bundle b;
        int fd = memfd_create("bad", MFD_CLOEXEC);

        cr_assert_eq(worker_open_fd(w, fd, false, &b), 1, "empty");
        cr_assert_eq(write(fd, "plain text\n", 11), 11);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 1, "text");
        close(fd);
        lsr_worker_free(w);
}

/* A pipe that @tar is written into by a child. */
static int worker_pipe(int tar)
{
        int fds[2];
        off_t at = 0;

        cr_assert_eq(pipe2(fds, O_CLOEXEC), 0);
        if (fork() == 0) {
                close(fds[0]);
                for (;;) {
                        char buf[4096];
                        ssize_t n = pread(tar, buf, sizeof(buf), at);

                        if (n <= 0 || write(fds[1], buf, (size_t)n) != n)
                                _exit(0);
                        at += n;
                }
        }
        close(fds[1]);
        return fds[0];
}

Test(worker, reads_a_pipe_once)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_catalogue *c;
        struct lsr_worker_bundle b;
        int tar = tar_file();
        int fd = worker_pipe(tar);

        cr_assert_eq(worker_open_fd(w, fd, true, &b), 0);
        worker_check_tar(w, b.id);
        cr_assert_eq(worker_scan_all(w, b.id, &c), -ESPIPE);
        lsr_worker_free(w);
        close(fd);
        close(tar);
}

/* A format that needs to go back and forth gives back what was read of the pipe, all of it. */
Test(worker, gives_back_the_head_of_a_pipe)
{
        static const uint8_t magic[] = { '7', 'z', 0xbc, 0xaf, 0x27, 0x1c, 0, 4 };
        const size_t sizes[] = { 100, LSR_PROBE_BYTES, LSR_PROBE_BYTES + 5000 };

        for (unsigned i = 0; i < 3; i++) {
                struct lsr_worker *w = worker_make(NULL);
                char *data = calloc(1, sizes[i]);
                struct lsr_worker_file file = { .companions = { -1, -1 }, .size = LSR_INPUT_UNKNOWN };
                struct lsr_worker_bundle b;
                uint8_t *head;
                size_t head_len, left = 0;
                ssize_t n;
                int seven = memfd_create("good-7z", MFD_CLOEXEC);

                memcpy(data, magic, sizeof(magic));
                data[sizes[i] - 1] = 'x';
                cr_assert_eq(write(seven, data, sizes[i]), (ssize_t)sizes[i]);
                file.fd = worker_pipe(seven);
                cr_assert_eq(lsr_worker_open(w, &file, &b, &head, &head_len), 2);
                cr_assert_leq(head_len, sizes[i]);
                cr_assert_eq(memcmp(head, data, head_len), 0);
                free(head);
                while ((n = read(file.fd, data, sizes[i])) > 0)
                        left += (size_t)n;
                cr_assert_eq(head_len + left, sizes[i], "%zu and %zu of %zu", head_len, left, sizes[i]);
                lsr_worker_free(w);
                close(file.fd);
                close(seven);
                free(data);
        }
}

Test(worker, stops_when_the_sink_is_full)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_bundle b;
        int fd = tar_file();
        pid_t pid;

        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        pid = worker_child();
        for (size_t most = 0; most < 1000000; most += 300000) {
                struct worker_sink got = { malloc(WORKER_LARGE), 0, most };
                struct lsr_member m = worker_member(w, b.id, "large");

                cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write }), -ENOSPC);
                cr_assert_leq(got.size, most);
                free(got.data);
                worker_check_tar(w, b.id);
        }
        cr_assert_eq(worker_child(), pid, "it was the same process all along");
        cr_assert_eq(worker_n_troubles, 0, "%s", worker_last_text);
        lsr_worker_free(w);
        close(fd);
}

Test(worker, is_started_again_when_killed)
{
        static const int signals[] = { SIGKILL, SIGSEGV };

        /* A sanitizer's runtime makes a report and an exit of the second. */
        for (unsigned i = 0; i < (WORKER_CONFINED ? 2 : 1); i++) {
                struct lsr_worker *w = worker_make(NULL);
                struct lsr_worker_bundle old, b;
                struct lsr_catalogue *c;
                unsigned fds;
                int fd = tar_file();

                cr_assert_eq(worker_open_fd(w, fd, false, &old), 0);
                fds = worker_count_fds("/proc/self/fd");
                kill(worker_child(), signals[i]);
                cr_assert_eq(worker_scan_all(w, old.id, &c), -EPIPE);
                cr_assert_eq(worker_n_troubles, 1);
                cr_assert_eq(worker_last_error, -EPIPE);
                cr_assert(strstr(worker_last_text, sigabbrev_np(signals[i])), "%s", worker_last_text);
                cr_assert_eq(worker_child(), 0, "it is buried");
                cr_assert_eq(worker_scan_all(w, old.id, &c), -ESTALE);
                lsr_worker_close(w, old.id);
                cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
                cr_assert_eq(worker_scan_all(w, old.id, &c), -ESTALE, "ids are not used again");
                worker_check_tar(w, b.id);
                cr_assert_eq(worker_n_troubles, 1);
                cr_assert_eq(worker_count_fds("/proc/self/fd"), fds);
                lsr_worker_free(w);
                close(fd);
        }
}

static int worker_sink_kill(void *ctx, const void *data, size_t n)
{
        (void)data, (void)n;
        kill(*(pid_t *)ctx, SIGKILL);
        return 0;
}

Test(worker, may_die_while_it_sends)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_bundle b;
        struct lsr_member m;
        int fd = tar_file();
        pid_t pid;

        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        m = worker_member(w, b.id, "large");
        pid = worker_child();
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &pid, worker_sink_kill }), -EPIPE);
        cr_assert_eq(worker_n_troubles, 1);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        worker_check_tar(w, b.id);
        lsr_worker_free(w);
        close(fd);
}

Test(worker, has_no_descriptor_but_what_it_was_given)
{
        struct lsr_worker *w = worker_make(NULL);
        struct lsr_worker_file file = { .fd = tar_file(), .companions = { -1, -1 } };
        struct lsr_worker_bundle b;
        uint8_t *head;
        size_t head_len;
        char path[64];
        unsigned before, after;
        int inherited = open("/dev/null", O_RDONLY);

        cr_assert_geq(inherited, 0);
        cr_assert_eq(worker_open_fd(w, file.fd, false, &b), 0);
        snprintf(path, sizeof(path), "/proc/%d/fd", (int)worker_child());
        before = worker_count_fds(path);
        /* The socket, the file; a ring; and standard error under a sanitizer. */
        cr_assert_leq(before, WORKER_CONFINED ? 3u : 4u, "%u", before);
        file.size = (uint64_t)lseek(file.fd, 0, SEEK_END);
        file.companions[LSR_COMPANION_JOURNAL] = inherited;
        cr_assert_eq(lsr_worker_open(w, &file, &b, &head, &head_len), 0);
        cr_assert_eq(worker_count_fds(path), before + 2);
        lsr_worker_close(w, b.id);
        worker_check_tar(w, b.id - 1);
        after = worker_count_fds(path);
        cr_assert_eq(after, before);
        lsr_worker_free(w);
        close(inherited);
        close(file.fd);
}

static int serve_if_it_forgot(int fd)
{
        struct sigaction term, hup;

        sigaction(SIGTERM, NULL, &term);
        sigaction(SIGHUP, NULL, &hup);
        if (getenv("LSR_TEST_SECRET") || (environ && environ[0]) || term.sa_handler != SIG_DFL ||
            hup.sa_handler != SIG_IGN)
                return 9;
        return lsr_worker_main(fd);
}

static void on_signal(int number)
{
        (void)number;
}

Test(worker, forgets_what_a_new_process_would_not_have)
{
        struct lsr_worker *w = worker_make(serve_if_it_forgot);
        struct lsr_worker_bundle b;
        int fd = tar_file();

        setenv("LSR_TEST_SECRET", "secret", 1);
        signal(SIGTERM, on_signal);
        signal(SIGHUP, SIG_IGN);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        worker_check_tar(w, b.id);
        cr_assert_str_eq(getenv("LSR_TEST_SECRET"), "secret");
        lsr_worker_free(w);
        close(fd);
}

Test(worker, refuses_an_engine_that_is_none)
{
        const struct lsr_worker_options options = { .engine = "bogus" };
        struct lsr_worker *w = lsr_worker_new(&options);
        struct lsr_worker_bundle b;
        int fd = tar_file();

        cr_assert_eq(worker_open_fd(w, fd, false, &b), -EINVAL);
        cr_assert_eq(worker_child(), 0);
        lsr_worker_free(w);
        close(fd);
}
