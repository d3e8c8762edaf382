/*
 * wire - a stream socket, with a buffer on the receiving side
 *
 * A stream and not packets: a packet is as large as the socket's buffer at
 * most, and a catalogue may have a hundred megabytes.  Small frames come
 * through the buffer with one call; what is larger is received where it
 * belongs.  Small frames that no one waits for are gathered and leave with one
 * call, too.
 */
#include "worker/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"

#define WIRE_PARTS_MAX 3u

/* On i386 libc takes socketcall(2), whose arguments lie in memory, where the worker's filter cannot look. */
#ifdef SYS_socketcall
#define sendmsg(...) ((ssize_t)syscall(SYS_sendmsg, __VA_ARGS__))
#define recvmsg(...) ((ssize_t)syscall(SYS_recvmsg, __VA_ARGS__))
#endif

union wire_control {
        struct cmsghdr align;
        char space[CMSG_SPACE(LSR_WIRE_FDS_MAX * sizeof(int))];
};

struct lsr_wire *lsr_wire_new(int fd, bool takes_fds)
{
        struct lsr_wire *w = lsr_xmalloc(sizeof(*w));

        w->fd = fd;
        w->takes_fds = takes_fds;
        w->calls = 0;
        pthread_mutex_init(&w->sending, NULL);
        w->at = w->len = 0;
        w->n_fds = 0;
        w->out = NULL;
        w->out_len = 0;
        return w;
}

struct lsr_wire *lsr_wire_free(struct lsr_wire *w)
{
        if (!w)
                return NULL;
        while (w->n_fds > 0)
                close(w->fds[--w->n_fds]);
        close(w->fd);
        free(w->out);
        free(w);
        return NULL;
}

/* Move past @n bytes of what is to be sent. */
static void wire_advance(struct msghdr *msg, size_t n)
{
        while (msg->msg_iovlen > 0 && n >= msg->msg_iov->iov_len) {
                n -= msg->msg_iov->iov_len;
                msg->msg_iov++;
                msg->msg_iovlen--;
        }
        if (n > 0) {
                msg->msg_iov->iov_base = (char *)msg->msg_iov->iov_base + n;
                msg->msg_iov->iov_len -= n;
        }
}

static int wire_send_all(struct lsr_wire *w, struct msghdr *msg)
{
        while (msg->msg_iovlen > 0) {
                ssize_t done = sendmsg(w->fd, msg, MSG_NOSIGNAL);

                w->calls++;
                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return errno == ECONNRESET ? -EPIPE : -errno;
                /* They went with the first byte. */
                msg->msg_control = NULL;
                msg->msg_controllen = 0;
                wire_advance(msg, (size_t)done);
        }
        return 0;
}

static int wire_send(struct lsr_wire *w, struct msghdr *msg)
{
        int r;

        pthread_mutex_lock(&w->sending);
        r = wire_send_all(w, msg);
        pthread_mutex_unlock(&w->sending);
        return r;
}

int lsr_wire_send_aside(struct lsr_wire *w, enum lsr_wire_type type, const struct iovec *parts, unsigned n)
{
        struct lsr_wire_head head = { .type = type };
        struct iovec iov[1 + WIRE_PARTS_MAX] = { { &head, sizeof(head) } };
        struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 1 + n };

        if (n > WIRE_PARTS_MAX)
                return -EINVAL;
        for (unsigned i = 0; i < n; i++) {
                iov[1 + i] = parts[i];
                head.length += parts[i].iov_len;
        }
        return wire_send(w, &msg);
}

static int wire_flush(struct lsr_wire *w)
{
        struct iovec iov = { w->out, w->out_len };
        struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

        if (w->out_len == 0)
                return 0;
        w->out_len = 0;
        return wire_send(w, &msg);
}

int lsr_wire_put(struct lsr_wire *w, enum lsr_wire_type type, uint32_t request, const void *data, size_t n)
{
        struct lsr_wire_head head = { .type = type, .request = request, .length = n };
        struct iovec part = { (void *)data, n };
        bool full = sizeof(head) + n > LSR_WIRE_BUFFER - w->out_len;
        int r;

        /* What is large would only be copied. */
        if (n >= LSR_WIRE_BUFFER / 4) {
                r = lsr_wire_send(w, type, request, &part, 1, NULL, 0);
                return r < 0 ? r : 1;
        }
        if (!w->out)
                w->out = lsr_xmalloc(LSR_WIRE_BUFFER);
        r = full ? wire_flush(w) : 0;
        if (r < 0)
                return r;
        memcpy(w->out + w->out_len, &head, sizeof(head));
        if (n > 0)
                memcpy(w->out + w->out_len + sizeof(head), data, n);
        w->out_len += sizeof(head) + n;
        return full;
}

int lsr_wire_send(struct lsr_wire *w, enum lsr_wire_type type, uint32_t request, const struct iovec *parts, unsigned n,
                  const int *fds, unsigned n_fds)
{
        struct lsr_wire_head head = { .type = type, .request = request };
        struct iovec iov[1 + WIRE_PARTS_MAX] = { { &head, sizeof(head) } };
        union wire_control control = {};
        struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 1 + n };
        int r;

        if (n > WIRE_PARTS_MAX || n_fds > LSR_WIRE_FDS_MAX)
                return -EINVAL;
        for (unsigned i = 0; i < n; i++) {
                iov[1 + i] = parts[i];
                head.length += parts[i].iov_len;
        }
        if (n_fds) {
                msg.msg_control = control.space;
                msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
                *CMSG_FIRSTHDR(&msg) = (struct cmsghdr){
                        .cmsg_level = SOL_SOCKET,
                        .cmsg_type = SCM_RIGHTS,
                        .cmsg_len = CMSG_LEN(n_fds * sizeof(int)),
                };
                memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), fds, n_fds * sizeof(int));
        }
        r = wire_flush(w);
        return r < 0 ? r : wire_send(w, &msg);
}

static void wire_keep_fds(struct lsr_wire *w, struct msghdr *msg)
{
        for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
                size_t n;

                if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
                        continue;
                n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
                for (size_t i = 0; i < n; i++) {
                        int fd;

                        memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
                        if (w->n_fds < LSR_WIRE_FDS_MAX)
                                w->fds[w->n_fds++] = fd;
                        else
                                close(fd);
                }
        }
}

/* At least one byte into @buf. */
static ssize_t wire_receive(struct lsr_wire *w, void *buf, size_t size)
{
        struct iovec iov = { buf, size };
        union wire_control control;
        struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
        ssize_t n;

        do {
                if (w->takes_fds) {
                        msg.msg_control = control.space;
                        msg.msg_controllen = sizeof(control.space);
                }
                n = recvmsg(w->fd, &msg, MSG_CMSG_CLOEXEC);
                w->calls++;
        } while (n < 0 && errno == EINTR);
        if (n < 0)
                return errno == ECONNRESET ? -EPIPE : -errno;
        if (n == 0)
                return -EPIPE;
        if (w->takes_fds)
                wire_keep_fds(w, &msg);
        return n;
}

int lsr_wire_take(struct lsr_wire *w, void *buf, size_t n)
{
        uint8_t *to = buf;

        while (n > 0) {
                size_t part = w->len - w->at < n ? w->len - w->at : n;
                ssize_t got;

                memcpy(to, w->buf + w->at, part);
                w->at += part;
                to += part;
                n -= part;
                if (n == 0)
                        break;
                /* The buffer is empty. */
                if (n >= LSR_WIRE_BUFFER) {
                        got = wire_receive(w, to, n);
                        if (got < 0)
                                return (int)got;
                        to += got;
                        n -= (size_t)got;
                        continue;
                }
                got = wire_receive(w, w->buf, LSR_WIRE_BUFFER);
                if (got < 0)
                        return (int)got;
                w->at = 0;
                w->len = (size_t)got;
        }
        return 0;
}

int lsr_wire_head(struct lsr_wire *w, struct lsr_wire_head *ret_head)
{
        return lsr_wire_take(w, ret_head, sizeof(*ret_head));
}

ssize_t lsr_wire_some(struct lsr_wire *w, uint64_t max, const uint8_t **ret_data)
{
        size_t n;

        if (w->at == w->len) {
                ssize_t got = wire_receive(w, w->buf, LSR_WIRE_BUFFER);

                if (got < 0)
                        return got;
                w->at = 0;
                w->len = (size_t)got;
        }
        n = w->len - w->at < max ? w->len - w->at : (size_t)max;
        *ret_data = w->buf + w->at;
        w->at += n;
        return (ssize_t)n;
}

bool lsr_wire_waiting(struct lsr_wire *w)
{
        char byte;
        struct iovec iov = { &byte, 1 };
        struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

        w->calls++;
        return w->at < w->len || recvmsg(w->fd, &msg, MSG_PEEK | MSG_DONTWAIT) >= 0;
}
