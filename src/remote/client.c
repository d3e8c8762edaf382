/* One request at a time, and its answer: whoever reads several objects in turn needs no more. */
#include "remote/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "version.h"

#define CLIENT_NAME "lsr-remote"
#define CLIENT_PIPE (1 << 20)
#define CLIENT_ABANDON_MS 8000u
#define CLIENT_TICK_MS 100

/* --- starting --- */

/* Execute @path with @fd as its standard input.  0 or a negative errno. */
static int client_spawn(const char *path, int fd, pid_t *ret_pid)
{
        char name[] = CLIENT_NAME, *argv[] = { name, NULL };
        posix_spawn_file_actions_t actions;
        int r = posix_spawn_file_actions_init(&actions);

        if (r == 0) {
                r = posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
                /* Whoever reads our output must not wait for its end. */
                if (r == 0)
                        r = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
                if (r == 0)
                        r = posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
                posix_spawn_file_actions_destroy(&actions);
        }
        return -r;
}

/* The helper of this binary. */
static int client_spawn_ours(int fd, pid_t *ret_pid)
{
        static const char *const places[] = { "/" CLIENT_NAME, "/../libexec/lsr/" CLIENT_NAME, NULL };
        char self[4096 + 64];
        ssize_t n = readlink("/proc/self/exe", self, 4095);
        char *end;

        self[n < 0 ? 0 : n] = '\0';
        end = strrchr(self, '/');
        for (unsigned i = 0; end && places[i]; i++) {
                int r;

                strcpy(end, places[i]);
                r = client_spawn(self, fd, ret_pid);
                if (r != -ENOENT)
                        return r;
        }
        return client_spawn(LSR_REMOTE_PATH, fd, ret_pid);
}

int lsr_remote_start(const char *path, struct lsr_remote_client *ret_client)
{
        struct lsr_remote_client client = { .fd = -1 };
        int fds[2], r;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
                return -errno;
        r = path ? client_spawn(path, fds[1], &client.pid) : client_spawn_ours(fds[1], &client.pid);
        close(fds[1]);
        if (r < 0) {
                close(fds[0]);
                return r;
        }
        client.fd = fds[0];
        *ret_client = client;
        return 0;
}

void lsr_remote_stop(struct lsr_remote_client *c)
{
        if (c->fd < 0)
                return;
        close(c->fd);
        c->fd = -1;
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
                ;
}

/* --- messages --- */

/* @fd negative: none goes with it. */
static int client_send_fd(struct lsr_remote_client *c, const void *head, size_t head_n, const void *rest, size_t rest_n,
                          int fd)
{
        char control[CMSG_SPACE(sizeof(int))] = { 0 };
        struct iovec parts[] = { { (void *)(uintptr_t)head, head_n }, { (void *)(uintptr_t)rest, rest_n } };
        struct msghdr message = { .msg_iov = parts, .msg_iovlen = rest_n ? 2 : 1 };

        if (fd >= 0) {
                struct cmsghdr *cmsg;

                message.msg_control = control;
                message.msg_controllen = sizeof(control);
                cmsg = CMSG_FIRSTHDR(&message);
                cmsg->cmsg_level = SOL_SOCKET;
                cmsg->cmsg_type = SCM_RIGHTS;
                cmsg->cmsg_len = CMSG_LEN(sizeof(int));
                memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
        }
        while (sendmsg(c->fd, &message, MSG_NOSIGNAL) < 0)
                if (errno != EINTR)
                        return -errno;
        return 0;
}

static int client_send(struct lsr_remote_client *c, const void *head, size_t head_n, const void *rest, size_t rest_n)
{
        return client_send_fd(c, head, head_n, rest, rest_n, -1);
}

/* Descriptors that came: the first two in @fds, negative where none did; others are closed. */
static void client_descriptors(struct msghdr *message, int fds[2])
{
        unsigned n = 0;

        fds[0] = fds[1] = -1;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
                if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
                        continue;
                for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
                        int fd;

                        memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
                        if (n < 2)
                                fds[n++] = fd;
                        else
                                close(fd);
                }
        }
}

static void client_drop(int fds[2])
{
        for (unsigned i = 0; i < 2; i++)
                if (fds[i] >= 0)
                        close(fds[i]);
        fds[0] = fds[1] = -1;
}

/* An answer of whatever type to request @id.  0: it came, whatever its result; -EPIPE: nobody is there; -EBADMSG. */
static int client_receive(struct lsr_remote_client *c, uint32_t id, struct lsr_remote_answer *answer, int fds[2])
{
        char control[CMSG_SPACE(2 * sizeof(int))];
        struct iovec part = { answer, sizeof(*answer) };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control };
        ssize_t n;

        while (c->waiting && poll(&(struct pollfd){ .fd = c->fd, .events = POLLIN }, 1, CLIENT_TICK_MS) == 0)
                c->waiting(c->ctx);
        do {
                message.msg_controllen = sizeof(control);
                n = recvmsg(c->fd, &message, MSG_CMSG_CLOEXEC);
        } while (n < 0 && errno == EINTR);
        if (n <= 0)
                return n == 0 || errno == ECONNRESET ? -EPIPE : -errno;
        client_descriptors(&message, fds);
        if (n == sizeof(*answer) && answer->id == id && answer->result <= 0) {
                answer->text[sizeof(answer->text) - 1] = answer->tag[sizeof(answer->tag) - 1] = '\0';
                return 0;
        }
        return -EBADMSG;
}

/* The answer of type @type to the request at hand; the same. */
static int client_answer(struct lsr_remote_client *c, uint32_t type, uint32_t id, struct lsr_remote_answer *answer,
                         int fds[2])
{
        int r = client_receive(c, id, answer, fds);

        if (r == 0 && answer->type == type)
                return 0;
        client_drop(fds);
        return r < 0 ? r : -EBADMSG;
}

/* An error that has no words of the helper. */
static int client_fail(int error, char ret_text[LSR_REMOTE_TEXT_MAX])
{
        snprintf(ret_text, LSR_REMOTE_TEXT_MAX, "%s",
                 error == -EPIPE     ? CLIENT_NAME " has ended"
                 : error == -EBADMSG ? CLIENT_NAME " is of another version"
                                     : strerror(-error));
        return error;
}

/* --- requests --- */

/* The file of an OPENED.  The bitmap must be as long as the size says, or reading it would kill us. */
static int client_opened(const struct lsr_remote_answer *answer, int data, int bits, struct lsr_remote_file *ret_file)
{
        uint64_t blocks = (answer->size + LSR_REMOTE_BLOCK - 1) / LSR_REMOTE_BLOCK;
        struct lsr_remote_file file = { .id = answer->id,
                                        .candidate = answer->candidate,
                                        .size = answer->size,
                                        .not_modified = answer->not_modified,
                                        .whole = answer->whole,
                                        .data = data,
                                        .bits = bits,
                                        .stats = answer->stats };
        void *have;

        if (data < 0 || bits < 0 || answer->size > LSR_REMOTE_SIZE_MAX ||
            lseek(bits, 0, SEEK_END) < (off_t)(blocks / 8 + 1) || lseek(data, 0, SEEK_END) != (off_t)answer->size)
                return -EBADMSG;
        have = mmap(NULL, blocks / 8 + 1, PROT_READ, MAP_SHARED, bits, 0);
        if (have == MAP_FAILED)
                return -errno;
        file.have = have;
        strcpy(file.tag, answer->tag);
        *ret_file = file;
        return 0;
}

int lsr_remote_open(struct lsr_remote_client *c, const char *url, const uint32_t *ends, unsigned n_ends,
                    const struct lsr_remote_known *known, struct lsr_remote_file *ret_file,
                    char ret_text[LSR_REMOTE_TEXT_MAX])
{
        struct lsr_remote_open open = {
                .type = LSR_REMOTE_OPEN, .id = ++c->last_id, .n_candidates = n_ends, .whole_max = c->whole_max
        };
        struct lsr_remote_answer answer;
        int fds[2] = { -1, -1 }, r;

        memcpy(open.ends, ends, n_ends * sizeof(*ends));
        if (known) {
                open.known_size = known->size;
                memcpy(open.known_tag, known->tag, sizeof(open.known_tag));
        }
        r = client_send(c, &open, sizeof(open), url, strlen(url));
        if (r == 0)
                r = client_answer(c, LSR_REMOTE_OPENED, open.id, &answer, fds);
        if (r < 0)
                return client_fail(r, ret_text);
        r = answer.result < 0 ? answer.result : client_opened(&answer, fds[0], fds[1], ret_file);
        if (r == 0)
                return 0;
        client_drop(fds);
        if (answer.result == 0)
                return client_fail(r, ret_text);
        strcpy(ret_text, answer.text);
        return r;
}

void lsr_remote_close(struct lsr_remote_client *c, struct lsr_remote_file *file)
{
        struct lsr_remote_close message = { .type = LSR_REMOTE_CLOSE, .id = file->id };

        if (c->fd >= 0)
                (void)client_send(c, &message, sizeof(message), NULL, 0);
        munmap(file->have, (file->size + LSR_REMOTE_BLOCK - 1) / LSR_REMOTE_BLOCK / 8 + 1);
        close(file->data);
        close(file->bits);
        *file = (struct lsr_remote_file){ .data = -1, .bits = -1 };
}

int lsr_remote_need(struct lsr_remote_client *c, struct lsr_remote_file *file, const struct lsr_remote_range *ranges,
                    unsigned n_needed, unsigned n_wanted, char ret_text[LSR_REMOTE_TEXT_MAX])
{
        struct lsr_remote_need need = {
                .type = LSR_REMOTE_NEED, .id = file->id, .n_needed = n_needed, .n_wanted = n_wanted
        };
        struct lsr_remote_answer answer;
        int fds[2] = { -1, -1 }, r;

        r = client_send(c, &need, sizeof(need), ranges, (n_needed + n_wanted) * sizeof(*ranges));
        if (r == 0)
                r = client_answer(c, LSR_REMOTE_GOT, file->id, &answer, fds);
        if (r < 0)
                return client_fail(r, ret_text);
        client_drop(fds); /* none is expected */
        file->stats = answer.stats;
        if (answer.result < 0)
                strcpy(ret_text, answer.text);
        return answer.result;
}

int lsr_remote_put(struct lsr_remote_client *c, const char *url, bool replace, int *ret_fd,
                   char ret_text[LSR_REMOTE_TEXT_MAX])
{
        struct lsr_remote_put put = { .type = LSR_REMOTE_PUT, .id = ++c->last_id, .replace = replace };
        int fds[2], r;

        if (pipe2(fds, O_CLOEXEC) < 0)
                return client_fail(-errno, ret_text);
        (void)fcntl(fds[1], F_SETPIPE_SZ, CLIENT_PIPE);
        r = client_send_fd(c, &put, sizeof(put), url, strlen(url), fds[0]);
        close(fds[0]);
        if (r < 0) {
                close(fds[1]);
                return client_fail(r, ret_text);
        }
        *ret_fd = fds[1];
        return 0;
}

bool lsr_remote_put_failed(const struct lsr_remote_client *c)
{
        return poll(&(struct pollfd){ .fd = c->fd, .events = POLLIN }, 1, 0) > 0;
}

int lsr_remote_put_end(struct lsr_remote_client *c, bool keep, uint64_t size, void (*told)(void *ctx, uint64_t bytes),
                       void *ctx, struct lsr_remote_stats *ret_stats, char ret_text[LSR_REMOTE_TEXT_MAX])
{
        struct lsr_remote_store store = { .type = LSR_REMOTE_STORE, .id = c->last_id, .size = size };
        struct lsr_remote_close end = { .type = LSR_REMOTE_CLOSE, .id = c->last_id };
        struct lsr_remote_answer answer;
        int fds[2] = { -1, -1 };
        int r = keep ? client_send(c, &store, sizeof(store), NULL, 0) : client_send(c, &end, sizeof(end), NULL, 0);

        while (r == 0) {
                r = client_receive(c, c->last_id, &answer, fds);
                client_drop(fds);
                if (r == 0 && answer.type == LSR_REMOTE_STORED)
                        break;
                if (r == 0 && answer.type != LSR_REMOTE_STORING)
                        r = -EBADMSG;
                if (r == 0 && told)
                        told(ctx, answer.stats.bytes);
        }
        if (r < 0)
                return client_fail(r, ret_text);
        *ret_stats = answer.stats;
        if (answer.result < 0)
                strcpy(ret_text, answer.text);
        return answer.result;
}

void lsr_remote_abandon(const struct lsr_remote_client *c)
{
        if (c->fd < 0)
                return;
        shutdown(c->fd, SHUT_RDWR);
        for (unsigned i = 0; i < CLIENT_ABANDON_MS / 10 && waitpid(c->pid, NULL, WNOHANG) == 0; i++)
                poll(NULL, 0, 10);
}

bool lsr_remote_missing(const uint8_t *have, struct lsr_remote_range range, struct lsr_remote_range *ret_missing)
{
        uint64_t end = range.offset + range.length;

        if (!range.length)
                return false;
        for (uint64_t b = range.offset / LSR_REMOTE_BLOCK; b <= (end - 1) / LSR_REMOTE_BLOCK; b++) {
                uint64_t first = b * LSR_REMOTE_BLOCK > range.offset ? b * LSR_REMOTE_BLOCK : range.offset;

                if (__atomic_load_n(&have[b / 8], __ATOMIC_ACQUIRE) >> b % 8 & 1)
                        continue;
                *ret_missing = (struct lsr_remote_range){ first, end - first };
                return true;
        }
        return false;
}
