/*
 * The worker from its parent's side, with the real process and with liars.
 *
 * A test binary's main() is Criterion's, so the worker is forked here; the
 * commands' tests see it executed.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "source/record.h"
#include "source/wire.h"
#include "source/worker.h"

#ifdef __SANITIZE_ADDRESS__
#define WORKER_CONFINED false
#else
#define WORKER_CONFINED true
#endif

#define WORKER_LARGE ((size_t)5 << 20)

/* --- what was said ------------------------------------------------------------ */

static unsigned worker_n_troubles;
static int worker_last_error;
static char worker_last_text[2048];

static void worker_hear(void *ctx, int error, const char *text)
{
        (void)ctx;
        worker_n_troubles++;
        worker_last_error = error;
        snprintf(worker_last_text, sizeof(worker_last_text), "%s", text);
}

static struct lsr_worker *worker_make(int (*serve)(int fd))
{
        const struct lsr_worker_options options = {
                .engine = "auto",
                .window_max = (uint64_t)64 << 20,
                .trouble = worker_hear,
                .serve = serve,
        };

        worker_n_troubles = 0;
        return lsr_worker_new(&options);
}

/* --- a tar of two files: "dir/small", "hello\n", and "large" ------------------- */

static void tar_member(int fd, const char *name, const void *data, size_t size)
{
        char block[512] = {};
        unsigned sum = 0;

        snprintf(block, 100, "%s", name);
        memcpy(block + 100,
               "0000644\0"
               "0000000\0"
               "0000000\0",
               24);
        snprintf(block + 124, 12, "%011zo", size);
        memcpy(block + 136, "00000000000\0        0", 21);
        memcpy(block + 257, "ustar\00000", 8);
        for (size_t i = 0; i < sizeof(block); i++)
                sum += (unsigned char)block[i];
        snprintf(block + 148, 8, "%06o", sum);
        cr_assert_eq(write(fd, block, sizeof(block)), 512);
        cr_assert_eq(write(fd, data, size), (ssize_t)size);
        memset(block, 0, sizeof(block));
        if (size % 512)
                cr_assert_gt(write(fd, block, 512 - size % 512), 0);
}

static char *tar_large(void)
{
        char *data = malloc(WORKER_LARGE);

        for (size_t i = 0; i < WORKER_LARGE; i++)
                data[i] = (char)(i * 2654435761u >> 24);
        return data;
}

static int tar_file(void)
{
        char zeros[1024] = {};
        char *large = tar_large();
        int fd = memfd_create("good-tar", MFD_CLOEXEC);

        cr_assert_geq(fd, 0);
        tar_member(fd, "dir/small", "hello\n", 6);
        tar_member(fd, "large", large, WORKER_LARGE);
        cr_assert_eq(write(fd, zeros, sizeof(zeros)), 1024);
        free(large);
        return fd;
}

static int worker_open_fd(struct lsr_worker *w, int fd, bool is_pipe, struct lsr_worker_bundle *b)
{
        struct lsr_worker_file file = {
                .fd = fd,
                .companions = { -1, -1 },
                .size = is_pipe ? LSR_INPUT_UNKNOWN : (uint64_t)lseek(fd, 0, SEEK_END),
        };
        uint8_t *head = NULL;
        size_t head_len = 0;
        int r = lsr_worker_open(w, &file, b, &head, &head_len);

        free(head);
        return r;
}

static void worker_check_tar(struct lsr_worker *w, uint32_t id)
{
        struct lsr_catalogue *c = NULL;
        struct lsr_member m;
        int64_t row;
        int r = lsr_worker_scan(w, id, NULL, &c, &(bool){ false });

        cr_assert_eq(r, 0, "%s (%s)", strerror(-r), worker_last_text);
        cr_assert_eq(lsr_catalogue_rows(c), 4);
        row = lsr_catalogue_find(c, 0, "dir/small", 9);
        cr_assert_gt(row, 0);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        cr_assert_eq(m.meta.size, 6);
        lsr_catalogue_free(c);
}

/* The member "large" or "dir/small" as a caller would ask for it. */
static struct lsr_member worker_member(struct lsr_worker *w, uint32_t id, const char *path)
{
        static struct lsr_catalogue *c;
        struct lsr_member m;

        c = lsr_catalogue_free(c);
        cr_assert_eq(lsr_worker_scan(w, id, NULL, &c, &(bool){ false }), 0);
        lsr_catalogue_get(c, (uint32_t)lsr_catalogue_find(c, 0, path, strlen(path)), &m);
        m.path = path;
        m.path_len = strlen(path);
        /* Its texts stay until the next call; the leak check finds them through c. */
        return m;
}

struct worker_sink {
        char *data;
        size_t size;
        size_t most; /* fail beyond */
};

static int worker_sink_write(void *ctx, const void *data, size_t n)
{
        struct worker_sink *s = ctx;

        if (s->size + n > s->most)
                return -ENOSPC;
        memcpy(s->data + s->size, data, n);
        s->size += n;
        return 0;
}

static pid_t worker_child(void)
{
        char path[64];
        int pid = 0;
        FILE *f;

        snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
        f = fopen(path, "re");
        if (!f)
                cr_skip_test("/proc does not tell children");
        if (fscanf(f, "%d", &pid) != 1)
                pid = 0;
        fclose(f);
        return pid;
}

static unsigned worker_count_fds(const char *path)
{
        DIR *dir = opendir(path);
        unsigned n = 0;

        if (!dir)
                cr_skip_test("%s: %s", path, strerror(errno));
        while (readdir(dir))
                n++;
        closedir(dir);
        return n - 2;
}

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
        cr_assert_eq(lsr_worker_scan(w, b.id, NULL, NULL, &(bool){ false }), -ESTALE);
        lsr_worker_free(w);
        cr_assert_eq(worker_child(), 0, "and nothing runs after the last");
        free(got.data);
        free(large);
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
                        cr_assert_eq(lsr_worker_scan(w, b[i].id, NULL, NULL, &(bool){ false }), -ESTALE);
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
        cr_assert_eq(lsr_worker_scan(w, b.id, NULL, &c, &(bool){ false }), -ESPIPE);
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
                cr_assert_eq(lsr_worker_scan(w, old.id, NULL, &c, &(bool){ false }), -EPIPE);
                cr_assert_eq(worker_n_troubles, 1);
                cr_assert_eq(worker_last_error, -EPIPE);
                cr_assert(strstr(worker_last_text, sigabbrev_np(signals[i])), "%s", worker_last_text);
                cr_assert_eq(worker_child(), 0, "it is buried");
                cr_assert_eq(lsr_worker_scan(w, old.id, NULL, &c, &(bool){ false }), -ESTALE);
                lsr_worker_close(w, old.id);
                cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
                cr_assert_eq(lsr_worker_scan(w, old.id, NULL, &c, &(bool){ false }), -ESTALE, "ids are not used again");
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

/* --- liars ------------------------------------------------------------------------- */

enum lie {
        LIE_NONE,
        LIE_TYPE,
        LIE_REQUEST_TYPE,
        LIE_NUMBER,
        LIE_DATA,
        LIE_DATA_UNASKED,
        LIE_TEXT,
        LIE_TEXT_SHORT,
        LIE_TEXT_ERROR,
        LIE_MEMBERS_SIZE,
        LIE_MEMBERS_SIZE_BEYOND,
        LIE_MEMBERS,
        LIE_MEMBERS_CUT,
        LIE_MEMBERS_ENDLESS,
        LIE_MEMBERS_AND_DEATH,
        LIE_CATALOGUE_SIZE,
        LIE_CATALOGUE_SIZE_BEYOND,
        LIE_CATALOGUE,
        LIE_CATALOGUE_EMPTY,
        LIE_CATALOGUE_TWICE,
        LIE_CATALOGUE_BEHIND_MEMBERS,
        LIE_PART,
        LIE_PART_EMPTY,
        LIE_PART_UNASKED,
        LIE_PART_WHOLE,
        LIE_PART_ALONE,
        LIE_TROUBLES,
        LIE_RESULT,
        LIE_RESULT_LOW,
        LIE_DONE_SIZE,
        LIE_NAME,
        LIE_EXIT,
        LIE_CUT,
        LIE_DESCRIPTOR,
};

static enum lie lie;

static void lie_frame(struct lsr_wire *wire, uint32_t request, unsigned type, uint64_t length, const void *data,
                      size_t n)
{
        const struct lsr_wire_head head = { .type = type, .request = request, .length = length };
        struct iovec iov[] = { { (void *)&head, sizeof(head) }, { (void *)data, n } };
        struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

        sendmsg(wire->fd, &msg, MSG_NOSIGNAL);
}

static void lie_done(struct lsr_wire *wire, uint32_t request, int result)
{
        struct lsr_wire_done done = { .result = result, .format = "tar" };

        if (lie == LIE_NAME)
                memset(done.filters, 'x', sizeof(done.filters));
        lie_frame(wire, request, LSR_WIRE_DONE, sizeof(done), &done, sizeof(done));
}

static void lie_members(struct lsr_records *records, const char *path)
{
        const struct lsr_member m = { .path = path, .path_len = strlen(path) };

        lsr_record_put(records, &m);
}

static struct lsr_wire_scan lie_asked; /* the SCAN at hand */

/* A catalogue that is valid, and no part. */
static void lie_whole(struct lsr_wire *wire, uint32_t request, enum lsr_wire_type type)
{
        struct lsr_builder *b = lsr_builder_new();
        const struct lsr_member m = { .path = "name", .path_len = 4 };
        struct lsr_catalogue *c;
        uint8_t *data;
        size_t size;

        if (lsr_builder_add(b, &m) < 0 || lsr_builder_finish(b, &c) < 0 || lsr_catalogue_encode(c, &data, &size) < 0)
                abort();
        lie_frame(wire, request, type, size, data, size);
        lie_done(wire, request, 0);
        free(data);
        lsr_catalogue_free(c);
        lsr_builder_free(b);
}

/* The answer to a SCAN. */
static void lie_now(struct lsr_wire *wire, uint32_t request)
{
        static const char junk[LSR_WIRE_TEXT_MAX + 100] = "junk";
        struct iovec part = { (void *)junk, 4 };
        struct lsr_records records = {};
        static uint8_t ones[3 * LSR_CATALOGUE_DEPTH_MAX];
        int null;

        switch (lie) {
        case LIE_TYPE:
                lie_frame(wire, request, 4711, 4, junk, 4);
                break;
        case LIE_REQUEST_TYPE:
                lie_frame(wire, request, LSR_WIRE_SCAN, 4, junk, 4);
                break;
        case LIE_NUMBER:
                lie_frame(wire, request + 1, LSR_WIRE_MEMBERS, 4, junk, 4);
                break;
        case LIE_DATA:
                lie_frame(wire, request, LSR_WIRE_DATA, UINT64_MAX, junk, 4);
                break;
        case LIE_DATA_UNASKED:
                lie_frame(wire, request, LSR_WIRE_DATA, 4, junk, 4);
                break;
        case LIE_TEXT:
                lie_frame(wire, request, LSR_WIRE_TROUBLE, sizeof(junk), junk, sizeof(junk));
                break;
        case LIE_TEXT_SHORT:
                lie_frame(wire, request, LSR_WIRE_TROUBLE, 3, junk, 3);
                break;
        case LIE_TEXT_ERROR:
                lie_frame(wire, request, LSR_WIRE_TROUBLE, 8, junk, 8);
                break;
        case LIE_MEMBERS_SIZE:
                lie_frame(wire, request, LSR_WIRE_MEMBERS, LSR_WIRE_MEMBERS_MIN + LSR_WIRE_REQUEST_MAX, junk, 4);
                _exit(3);
        case LIE_MEMBERS_SIZE_BEYOND:
                lie_frame(wire, request, LSR_WIRE_MEMBERS, LSR_WIRE_MEMBERS_MIN + LSR_WIRE_REQUEST_MAX + 1, junk, 4);
                break;
        case LIE_MEMBERS:
                lie_frame(wire, request, LSR_WIRE_MEMBERS, sizeof(ones), memset(ones, 0xff, sizeof(ones)),
                          sizeof(ones));
                break;
        case LIE_MEMBERS_CUT:
                lie_members(&records, "name");
                lie_frame(wire, request, LSR_WIRE_MEMBERS, records.len - 1, records.data, records.len - 1);
                break;
        case LIE_MEMBERS_ENDLESS:
                /* Deeper than any path, so they are too many soon. */
                memset(ones, '/', sizeof(ones));
                for (size_t i = 0; i < sizeof(ones); i += 2)
                        ones[i] = 'a';
                ones[sizeof(ones) - 1] = '\0';
                lie_members(&records, (char *)ones);
                part = (struct iovec){ records.data, records.len };
                while (lsr_wire_send(wire, LSR_WIRE_MEMBERS, request, &part, 1, NULL, 0) == 0)
                        ;
                break;
        case LIE_MEMBERS_AND_DEATH:
                lie_members(&records, "name");
                lie_frame(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                _exit(3);
        case LIE_CATALOGUE_SIZE:
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, LSR_WIRE_CATALOGUE_MAX, junk, 4);
                _exit(3);
        case LIE_CATALOGUE_SIZE_BEYOND:
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, LSR_WIRE_CATALOGUE_MAX + 1, junk, 4);
                break;
        case LIE_CATALOGUE:
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, sizeof(junk), junk, sizeof(junk));
                lie_done(wire, request, 0);
                break;
        case LIE_CATALOGUE_EMPTY:
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, 0, junk, 0);
                lie_done(wire, request, 0);
                break;
        case LIE_CATALOGUE_TWICE:
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, 4, junk, 4);
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, 4, junk, 4);
                break;
        case LIE_CATALOGUE_BEHIND_MEMBERS:
                lie_members(&records, "name");
                lie_frame(wire, request, LSR_WIRE_MEMBERS, records.len, records.data, records.len);
                lie_frame(wire, request, LSR_WIRE_CATALOGUE, 4, junk, 4);
                break;
        case LIE_PART:
        case LIE_PART_UNASKED:
                lie_frame(wire, request, LSR_WIRE_PART, sizeof(junk), junk, sizeof(junk));
                lie_done(wire, request, 0);
                break;
        case LIE_PART_EMPTY:
                lie_frame(wire, request, LSR_WIRE_PART, 0, junk, 0);
                lie_done(wire, request, 0);
                break;
        case LIE_PART_WHOLE:
                lie_whole(wire, request, LSR_WIRE_PART);
                break;
        case LIE_PART_ALONE:
                if (lie_asked.distrusted)
                        _exit(3);
                if (!lie_asked.part) {
                        lie_whole(wire, request, LSR_WIRE_CATALOGUE);
                        break;
                }
                lie_frame(wire, request, LSR_WIRE_PART, sizeof(junk), junk, sizeof(junk));
                lie_done(wire, request, 0);
                break;
        case LIE_TROUBLES:
                part = (struct iovec){ (char[8]){ "\0\0\0\0more" }, 8 };
                while (lsr_wire_send(wire, LSR_WIRE_TROUBLE, request, &part, 1, NULL, 0) == 0)
                        ;
                break;
        case LIE_RESULT:
                lie_done(wire, request, 1);
                break;
        case LIE_RESULT_LOW:
                lie_done(wire, request, -5000);
                break;
        case LIE_DONE_SIZE:
                lie_frame(wire, request, LSR_WIRE_DONE, 8, junk, 8);
                break;
        case LIE_NAME:
                lie_done(wire, request, -EBADMSG);
                break;
        case LIE_EXIT:
                _exit(3);
        case LIE_CUT:
                lie_frame(wire, request, LSR_WIRE_DONE, sizeof(struct lsr_wire_done), junk, 8);
                _exit(4);
        case LIE_DESCRIPTOR:
                null = open("/dev/null", O_RDONLY);
                part.iov_base = (char[8]){ "\0\0\0\0here" };
                part.iov_len = 8;
                lsr_wire_send(wire, LSR_WIRE_TROUBLE, request, &part, 1, &null, 1);
                lie_done(wire, request, -EBADMSG);
                break;
        case LIE_NONE:
                break;
        }
        free(records.data);
}

/* Honest until it is asked for a catalogue, or for content: that it sends without end, STOP or not. */
static int lie_serve(int fd)
{
        struct lsr_wire *wire;
        struct lsr_wire_head head;

        if (lie == LIE_NONE)
                return lsr_worker_main(fd);
        wire = lsr_wire_new(fd, true);
        while (lsr_wire_head(wire, &head) == 0) {
                uint8_t payload[4096] = {};
                struct iovec part = { payload, sizeof(payload) };

                cr_assert_eq(lsr_wire_take(wire, payload, head.length), 0);
                memcpy(&lie_asked, payload, sizeof(lie_asked));
                if (head.type == LSR_WIRE_SCAN)
                        lie_now(wire, head.request);
                else if (head.type == LSR_WIRE_READ)
                        while (lsr_wire_send(wire, LSR_WIRE_DATA, head.request, &part, 1, NULL, 0) == 0)
                                ;
                else if (head.type != LSR_WIRE_CLOSE)
                        lie_done(wire, head.request, 0);
                while (wire->n_fds > 0)
                        close(wire->fds[--wire->n_fds]);
        }
        return 0;
}

static void worker_lied_to(enum lie which, int expected, unsigned troubles)
{
        struct lsr_worker *w;
        struct lsr_worker_bundle b;
        struct lsr_catalogue *c = NULL;
        unsigned fds = worker_count_fds("/proc/self/fd");
        int fd = tar_file(), r;

        lie = which;
        w = worker_make(lie_serve);
        r = worker_open_fd(w, fd, false, &b);
        if (which == LIE_NAME) {
                cr_assert_eq(r, -EPROTO);
        } else {
                cr_assert_eq(r, 0, "lie %d: open %d", which, r);
                /* A part that is not valid leads to the question for the whole, to which a part is no answer. */
                r = lsr_worker_scan(w, b.id,
                                    which >= LIE_PART && which <= LIE_PART_ALONE && which != LIE_PART_UNASKED ? "name"
                                                                                                              : NULL,
                                    &c, &(bool){ false });
                if (r == 0)
                        cr_assert_eq(lsr_catalogue_find(c, 0, "name", 4), 1);
                lsr_catalogue_free(c);
        }
        cr_assert_eq(r, expected, "lie %d: %d, not %d", which, r, expected);
        cr_assert_eq(worker_n_troubles, troubles, "lie %d: %u troubles", which, worker_n_troubles);
        if (which != LIE_DESCRIPTOR && which != LIE_PART_ALONE)
                cr_assert_eq(worker_child(), 0, "lie %d: it lives", which);
        /* The next one is honest. */
        lie = LIE_NONE;
        if (which != LIE_DESCRIPTOR && which != LIE_PART_ALONE) {
                cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
                worker_check_tar(w, b.id);
        }
        lsr_worker_free(w);
        close(fd);
        cr_assert_eq(worker_count_fds("/proc/self/fd"), fds, "lie %d", which);
}

Test(worker, believes_no_lies)
{
        static const struct {
                enum lie lie;
                int expected;
                unsigned troubles;
        } lies[] = {
                { LIE_TYPE, -EPROTO, 1 },
                { LIE_REQUEST_TYPE, -EPROTO, 1 },
                { LIE_NUMBER, -EPROTO, 1 },
                { LIE_DATA, -EPROTO, 1 },
                { LIE_DATA_UNASKED, -EPROTO, 1 },
                { LIE_TEXT, -EPROTO, 1 },
                { LIE_TEXT_SHORT, -EPROTO, 1 },
                { LIE_TEXT_ERROR, -EPROTO, 1 },
                { LIE_MEMBERS_SIZE, -EPIPE, 1 },
                { LIE_MEMBERS_SIZE_BEYOND, -EPROTO, 1 },
                { LIE_MEMBERS, -EBADMSG, 1 },
                { LIE_MEMBERS_CUT, -EBADMSG, 1 },
                { LIE_MEMBERS_ENDLESS, -EPROTO, 3 },
                { LIE_MEMBERS_AND_DEATH, 0, 1 },
                { LIE_CATALOGUE_SIZE, -EPIPE, 1 },
                { LIE_CATALOGUE_SIZE_BEYOND, -EPROTO, 1 },
                { LIE_CATALOGUE, -EBADMSG, 1 },
                { LIE_CATALOGUE_EMPTY, -EBADMSG, 1 },
                { LIE_CATALOGUE_TWICE, -EPROTO, 1 },
                { LIE_CATALOGUE_BEHIND_MEMBERS, -EPROTO, 1 },
                { LIE_PART, -EPROTO, 1 },
                { LIE_PART_EMPTY, -EPROTO, 1 },
                { LIE_PART_UNASKED, -EPROTO, 1 },
                { LIE_PART_WHOLE, -EPROTO, 1 },
                { LIE_PART_ALONE, 0, 0 },
                { LIE_RESULT, -EPROTO, 1 },
                { LIE_RESULT_LOW, -EPROTO, 1 },
                { LIE_DONE_SIZE, -EPROTO, 1 },
                { LIE_NAME, -EPROTO, 1 },
                { LIE_EXIT, -EPIPE, 1 },
                { LIE_CUT, -EPIPE, 1 },
                { LIE_DESCRIPTOR, -EBADMSG, 1 },
        };

        for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
                worker_lied_to(lies[i].lie, lies[i].expected, lies[i].troubles);
}

Test(worker, hears_troubles_up_to_a_limit)
{
        struct lsr_worker *w;
        struct lsr_worker_bundle b;
        struct lsr_catalogue *c;
        int fd = tar_file();

        lie = LIE_TROUBLES;
        w = worker_make(lie_serve);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        cr_assert_eq(lsr_worker_scan(w, b.id, NULL, &c, &(bool){ false }), -EPROTO);
        cr_assert_eq(worker_n_troubles, LSR_WIRE_TROUBLES_MAX + 1);
        lsr_worker_free(w);
        close(fd);
}

Test(worker, does_not_drain_for_ever)
{
        struct worker_sink got = { malloc(WORKER_LARGE), 0, 100000 };
        struct lsr_worker *w;
        struct lsr_worker_bundle b;
        const struct lsr_member m = { .path = "x", .path_len = 1 };
        int fd = tar_file();

        lie = LIE_TYPE;
        w = worker_make(lie_serve);
        cr_assert_eq(worker_open_fd(w, fd, false, &b), 0);
        cr_assert_eq(lsr_worker_read(w, b.id, &m, &(struct lsr_sink){ &got, worker_sink_write }), -ENOSPC);
        cr_assert_eq(worker_child(), 0);
        free(got.data);
        lsr_worker_free(w);
        close(fd);
}
