/*
 * worker-meet - a worker, what it says, and a tar to give it
 */
#pragma once

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
#include <sys/stat.h>
#include <unistd.h>

#include "worker/record.h"
#include "worker/wire.h"
#include "worker/worker.h"

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

static inline void worker_hear(void *ctx, int error, const char *text)
{
        (void)ctx;
        worker_n_troubles++;
        worker_last_error = error;
        snprintf(worker_last_text, sizeof(worker_last_text), "%s", text);
}

static inline struct lsr_worker *worker_make(int (*serve)(int fd))
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

/* --- a worker that says what it likes -------------------------------------------- */

/* A frame said to be of @length bytes, with @n of @data. */
static inline void worker_send(struct lsr_wire *wire, uint32_t request, unsigned type, uint64_t length,
                               const void *data, size_t n)
{
        const struct lsr_wire_head head = { .type = type, .request = request, .length = length };
        struct iovec iov[] = { { (void *)&head, sizeof(head) }, { (void *)data, n } };
        struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

        sendmsg(wire->fd, &msg, MSG_NOSIGNAL);
}

/* --- a tar of two files: "dir/small", "hello\n", and "large" ------------------- */

static inline void tar_member(int fd, const char *name, const void *data, size_t size)
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

static inline char *tar_large(void)
{
        char *data = malloc(WORKER_LARGE);

        for (size_t i = 0; i < WORKER_LARGE; i++)
                data[i] = (char)(i * 2654435761u >> 24);
        return data;
}

static inline int tar_file(void)
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

static inline int worker_scan_all(struct lsr_worker *w, uint32_t id, struct lsr_catalogue **ret_catalogue)
{
        struct lsr_worker_answer answer;
        int r = lsr_worker_scan(w, id, NULL, &(uint64_t){ UINT64_MAX }, &answer);

        if (r == 0)
                *ret_catalogue = answer.catalogue;
        return r;
}

static inline int worker_open_fd(struct lsr_worker *w, int fd, bool is_pipe, struct lsr_worker_bundle *b)
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

static inline void worker_check_tar(struct lsr_worker *w, uint32_t id)
{
        struct lsr_catalogue *c = NULL;
        struct lsr_member m;
        int64_t row;
        int r = worker_scan_all(w, id, &c);

        cr_assert_eq(r, 0, "%s (%s)", strerror(-r), worker_last_text);
        cr_assert_eq(lsr_catalogue_rows(c), 4);
        row = lsr_catalogue_find(c, 0, "dir/small", 9);
        cr_assert_gt(row, 0);
        lsr_catalogue_get(c, (uint32_t)row, &m);
        cr_assert_eq(m.meta.size, 6);
        lsr_catalogue_free(c);
}

/* The member "large" or "dir/small" as a caller would ask for it. */
static inline struct lsr_member worker_member(struct lsr_worker *w, uint32_t id, const char *path)
{
        static struct lsr_catalogue *c;
        struct lsr_member m;

        c = lsr_catalogue_free(c);
        cr_assert_eq(worker_scan_all(w, id, &c), 0);
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

static inline int worker_sink_write(void *ctx, const void *data, size_t n)
{
        struct worker_sink *s = ctx;

        if (s->size + n > s->most)
                return -ENOSPC;
        memcpy(s->data + s->size, data, n);
        s->size += n;
        return 0;
}

static inline pid_t worker_child(void)
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

static inline unsigned worker_count_fds(const char *path)
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
