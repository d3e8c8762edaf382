/*
 * One loop on one thread: messages of lsr and transfers are what it waits for.  An OPEN has up to four objects, one for
 * each candidate, of which one stays.
 */
#include "remote/serve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "remote/object.h"
#include "remote/upload.h"
#include "remote/url.h"

#define SERVE_MESSAGE_MAX \
        (sizeof(struct lsr_remote_need) + LSR_REMOTE_RANGES_MAX * sizeof(struct lsr_remote_range) + LSR_URL_MAX)

struct serve_place {
        uint32_t n; /* objects; 0: the place is free; above 1: which it is, is not known */
        struct lsr_object *objects[LSR_REMOTE_CANDIDATES];
        bool open;
};

struct serve {
        int fd;
        struct lsr_remote remote;
        struct serve_place places[LSR_REMOTE_OBJECTS_MAX];
        struct lsr_upload *upload; /* or NULL */
        union {
                char bytes[SERVE_MESSAGE_MAX + 1];
                struct lsr_remote_open open;
                struct lsr_remote_need need;
                struct lsr_remote_close close;
                struct lsr_remote_put put;
                struct lsr_remote_store store;
        } message;
        int came; /* a descriptor, with the message at hand; negative: none */
};

/* --- answers --- */

/* 0 or a negative errno. */
static int serve_send(struct serve *s, const struct lsr_remote_answer *answer, const int *fds, unsigned n_fds)
{
        char control[CMSG_SPACE(2 * sizeof(int))] = { 0 };
        struct iovec part = { .iov_base = (void *)(uintptr_t)answer, .iov_len = sizeof(*answer) };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

        if (n_fds) {
                struct cmsghdr *c;

                message.msg_control = control;
                message.msg_controllen = sizeof(control);
                c = CMSG_FIRSTHDR(&message);
                c->cmsg_level = SOL_SOCKET;
                c->cmsg_type = SCM_RIGHTS;
                c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
                memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
        }
        while (sendmsg(s->fd, &message, MSG_NOSIGNAL) < 0)
                if (errno != EINTR)
                        return -errno;
        return 0;
}

static int serve_fail(struct serve *s, enum lsr_remote_type type, uint32_t id, int error, const char *text)
{
        struct lsr_remote_answer answer = { .type = type, .id = id, .result = error };

        snprintf(answer.text, sizeof(answer.text), "%s", text);
        return serve_send(s, &answer, NULL, 0);
}

static void serve_answer_fill(struct lsr_remote_answer *answer, const struct lsr_object *o, int error)
{
        answer->id = o->id;
        answer->result = error;
        answer->size = o->size;
        answer->stats = o->stats;
        if (error)
                strcpy(answer->text, o->text);
        else
                strcpy(answer->tag, o->tag);
}

static int serve_got(struct serve *s, const struct lsr_object *o, int error)
{
        struct lsr_remote_answer answer = { .type = LSR_REMOTE_GOT };

        serve_answer_fill(&answer, o, error);
        return serve_send(s, &answer, NULL, 0);
}

/* --- places --- */

static struct serve_place *serve_find(struct serve *s, uint32_t id)
{
        for (unsigned i = 0; i < LSR_REMOTE_OBJECTS_MAX; i++)
                if (s->places[i].n && s->places[i].objects[0]->id == id)
                        return &s->places[i];
        return NULL;
}

static struct serve_place *serve_free_place(struct serve *s)
{
        for (unsigned i = 0; i < LSR_REMOTE_OBJECTS_MAX; i++)
                if (!s->places[i].n)
                        return &s->places[i];
        return NULL;
}

/* Without all objects but @kept, or without any. */
static void serve_place_end(struct serve *s, struct serve_place *p, struct lsr_object *kept)
{
        for (uint32_t i = 0; i < p->n; i++)
                if (p->objects[i] != kept)
                        lsr_object_free(&s->remote, p->objects[i]);
        *p = (struct serve_place){ .n = kept ? 1 : 0, .objects = { kept }, .open = kept != NULL };
}

/* --- OPEN --- */

/* Only @o stays, and is told of with its descriptors. */
static int serve_opened(struct serve *s, struct serve_place *p, struct lsr_object *o, uint32_t candidate)
{
        struct lsr_remote_answer answer = {
                .type = LSR_REMOTE_OPENED, .candidate = candidate, .not_modified = o->not_modified, .whole = !o->ranged
        };
        lsr_autoclose int data = lsr_store_reader(o->store.data), bits = lsr_store_reader(o->store.bits);

        if (data < 0 || bits < 0) {
                int r = serve_fail(s, LSR_REMOTE_OPENED, o->id, data < 0 ? data : bits, "/proc is not mounted");

                serve_place_end(s, p, NULL);
                return r;
        }
        serve_place_end(s, p, o);
        serve_answer_fill(&answer, o, 0);
        return serve_send(s, &answer, (int[]){ data, bits }, 2);
}

/* Which candidate it is, once that is certain: the shortest that has ranges, or the shortest that came as a whole. */
static int serve_decide(struct serve *s, struct serve_place *p)
{
        struct lsr_remote_answer answer = { .type = LSR_REMOTE_OPENED };
        struct lsr_object *whole = NULL, *failed = NULL;
        uint32_t whole_at = 0;
        int r;

        for (uint32_t i = 0; i < p->n; i++) {
                struct lsr_object *o = p->objects[i];

                if (o->state == LSR_OBJECT_WAITING || o->state == LSR_OBJECT_OPENING)
                        return 0;
                if (o->state == LSR_OBJECT_OPEN && o->ranged)
                        return serve_opened(s, p, o, i);
                if (o->state == LSR_OBJECT_OPEN && !whole) {
                        whole = o;
                        whole_at = i;
                }
                if (o->state == LSR_OBJECT_FAILED && (!failed || (failed->error == -ENOENT && o->error != -ENOENT)))
                        failed = o;
        }
        if (whole)
                return serve_opened(s, p, whole, whole_at);
        serve_answer_fill(&answer, failed, failed->error);
        r = serve_send(s, &answer, NULL, 0);
        serve_place_end(s, p, NULL);
        return r;
}

/* What an OPEN must be: its ends grow, and lie in the URL; texts end. */
static bool serve_open_valid(const struct lsr_remote_open *open, size_t url_n, const char *url)
{
        uint32_t last = 0;

        if (!open->n_candidates || open->n_candidates > LSR_REMOTE_CANDIDATES || strlen(url) != url_n ||
            open->whole_max > LSR_REMOTE_HELD_MAX || !memchr(open->known_tag, '\0', sizeof(open->known_tag)) ||
            strpbrk(open->known_tag, "\r\n"))
                return false;
        for (uint32_t i = 0; i < open->n_candidates; i++) {
                if (open->ends[i] <= last || open->ends[i] > url_n)
                        return false;
                last = open->ends[i];
        }
        return true;
}

static int serve_open(struct serve *s, size_t n)
{
        const struct lsr_remote_open *open = &s->message.open;
        const char *url = s->message.bytes + sizeof(*open);
        struct serve_place *p = serve_free_place(s);

        if (n < sizeof(*open))
                return -EBADMSG;
        s->message.bytes[n] = '\0';
        if (!serve_open_valid(open, n - sizeof(*open), url) || serve_find(s, open->id))
                return serve_fail(s, LSR_REMOTE_OPENED, open->id, -EINVAL, "the request is not valid");
        if (!p)
                return serve_fail(s, LSR_REMOTE_OPENED, open->id, -EMFILE, "too many objects are open");
        for (uint32_t i = 0; i < open->n_candidates; i++) {
                int r = lsr_object_new(&s->remote, open, url, open->ends[i], &p->objects[i]);

                if (r < 0) {
                        serve_place_end(s, p, NULL);
                        return serve_fail(s, LSR_REMOTE_OPENED, open->id, r, strerror(-r));
                }
                p->n++;
        }
        return 0;
}

/* --- PUT --- */

static int serve_put(struct serve *s, size_t n)
{
        const struct lsr_remote_put *put = &s->message.put;
        int r;

        if (n < sizeof(*put))
                return -EBADMSG;
        s->message.bytes[n] = '\0';
        if (s->came < 0 || strlen(s->message.bytes + sizeof(*put)) != n - sizeof(*put) || serve_find(s, put->id))
                return serve_fail(s, LSR_REMOTE_STORED, put->id, -EINVAL, "the request is not valid");
        if (s->upload)
                return serve_fail(s, LSR_REMOTE_STORED, put->id, -EBUSY, "something else is being stored");
        r = lsr_upload_new(&s->remote, put, s->message.bytes + sizeof(*put), lsr_take(&s->came, -1), &s->upload);
        return r < 0 ? serve_fail(s, LSR_REMOTE_STORED, put->id, r, strerror(-r)) : 0;
}

static bool serve_uploads(const struct serve *s, uint32_t id)
{
        struct lsr_remote_answer answer = { .type = LSR_REMOTE_STORED };

        if (s->upload)
                lsr_upload_tell(s->upload, &answer);
        return s->upload && answer.id == id;
}

/* Of one that has failed meanwhile there is an answer already. */
static int serve_store(struct serve *s, size_t n)
{
        if (n != sizeof(s->message.store))
                return -EBADMSG;
        if (serve_uploads(s, s->message.store.id))
                lsr_upload_commit(s->upload, s->message.store.size);
        return 0;
}

/* Tell how far it is; whoever has not asked for it yet does not read, so nothing is told before. */
static int serve_upload(struct serve *s)
{
        struct lsr_remote_answer answer = { .type = LSR_REMOTE_STORING };
        bool moved;

        if (!s->upload)
                return 0;
        lsr_upload_pump(&s->remote, s->upload);
        moved = lsr_upload_moved(s->upload);
        lsr_upload_tell(s->upload, &answer);
        if (lsr_upload_ended(s->upload)) {
                answer.type = LSR_REMOTE_STORED;
                s->upload = lsr_upload_free(&s->remote, s->upload);
                return serve_send(s, &answer, NULL, 0);
        }
        return moved ? serve_send(s, &answer, NULL, 0) : 0;
}

/* --- NEED, CLOSE --- */

static int serve_need(struct serve *s, size_t n)
{
        const struct lsr_remote_need *need = &s->message.need;
        const void *rest = need + 1;
        const struct lsr_remote_range *ranges = rest;
        struct serve_place *p;
        int r;

        if (n < sizeof(*need))
                return -EBADMSG;
        p = serve_find(s, need->id);
        if (need->n_needed > LSR_REMOTE_RANGES_MAX || need->n_wanted > LSR_REMOTE_RANGES_MAX - need->n_needed ||
            n != sizeof(*need) + (need->n_needed + need->n_wanted) * sizeof(*ranges) || !p || !p->open)
                return serve_fail(s, LSR_REMOTE_GOT, need->id, -EINVAL, "the request is not valid");
        if (p->objects[0]->needing)
                return serve_fail(s, LSR_REMOTE_GOT, need->id, -EBUSY, "the object is asked for already");
        r = lsr_object_need(&s->remote, p->objects[0], ranges, need->n_needed, need->n_wanted);
        return r == 0 ? 0 : serve_got(s, p->objects[0], r < 0 ? r : 0);
}

static int serve_close(struct serve *s, size_t n)
{
        struct serve_place *p;

        if (n != sizeof(s->message.close))
                return -EBADMSG;
        p = serve_find(s, s->message.close.id);
        if (p)
                serve_place_end(s, p, NULL);
        if (serve_uploads(s, s->message.close.id))
                lsr_upload_cancel(s->upload);
        return 0;
}

/* --- the loop --- */

/* As recv(), with the descriptor that came. */
static ssize_t serve_receive(struct serve *s)
{
        char control[CMSG_SPACE(sizeof(int))];
        struct iovec part = { s->message.bytes, SERVE_MESSAGE_MAX };
        struct msghdr message = {
                .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
        };
        ssize_t n = recvmsg(s->fd, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
        struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

        if (s->came >= 0)
                close(s->came);
        s->came = -1;
        if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
                memcpy(&s->came, CMSG_DATA(c), sizeof(int));
        return n;
}

/* 0: done, or nothing was there; 1: the other end is gone; or a negative errno. */
static int serve_message(struct serve *s)
{
        ssize_t n = serve_receive(s);

        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? 0 : errno == ECONNRESET ? 1 : -errno;
        if (n == 0)
                return 1;
        if ((size_t)n > SERVE_MESSAGE_MAX || (size_t)n < sizeof(uint32_t))
                return -EBADMSG;
        switch (s->message.close.type) {
        case LSR_REMOTE_OPEN:
                return serve_open(s, (size_t)n);
        case LSR_REMOTE_NEED:
                return serve_need(s, (size_t)n);
        case LSR_REMOTE_CLOSE:
                return serve_close(s, (size_t)n);
        case LSR_REMOTE_PUT:
                return serve_put(s, (size_t)n);
        case LSR_REMOTE_STORE:
                return serve_store(s, (size_t)n);
        default:
                return -EBADMSG;
        }
}

/* Tell what has been decided or has come, and start what there is place for. */
static int serve_places(struct serve *s)
{
        int r = 0;

        for (unsigned i = 0; i < LSR_REMOTE_OBJECTS_MAX && r == 0; i++) {
                struct serve_place *p = &s->places[i];

                for (uint32_t k = 0; k < p->n; k++)
                        lsr_object_pump(&s->remote, p->objects[k]);
                if (p->n && !p->open)
                        r = serve_decide(s, p);
                else if (p->open && lsr_object_needed(p->objects[0]))
                        r = serve_got(s, p->objects[0], p->objects[0]->error);
        }
        return r;
}

/* Until something has happened; as serve_message(). */
static int serve_wait(struct serve *s, int timeout)
{
        int fds[LSR_HTTP_FDS] = { s->fd, s->upload ? lsr_upload_waits(s->upload) : -1 };
        bool readable[LSR_HTTP_FDS];
        int r = lsr_http_wait(s->remote.http, fds, fds[1] < 0 ? 1 : 2, timeout < 0 ? 60000 : timeout, readable);

        return r == 0 && readable[0] ? serve_message(s) : r;
}

static int serve_loop(struct serve *s)
{
        int r = 0;

        while (r == 0) {
                int timeout = lsr_fetch_repeat(&s->remote);

                r = serve_places(s);
                if (r == 0)
                        r = serve_upload(s);
                if (r == 0)
                        r = serve_wait(s, timeout);
        }
        return r > 0 || r == -EPIPE || r == -ECONNRESET ? 0 : r;
}

/* Nobody is there any more: parts that were stored must not stay. */
static void serve_give_up(struct serve *s)
{
        if (!s->upload)
                return;
        lsr_upload_cancel(s->upload);
        lsr_upload_pump(&s->remote, s->upload);
        while (!lsr_upload_ended(s->upload)) {
                int timeout = lsr_fetch_repeat(&s->remote);

                lsr_upload_pump(&s->remote, s->upload);
                if (lsr_http_wait(s->remote.http, NULL, 0, timeout < 0 ? 1000 : timeout, NULL) < 0)
                        break;
        }
        s->upload = lsr_upload_free(&s->remote, s->upload);
}

int lsr_remote_serve(int fd)
{
        struct serve *s = calloc(1, sizeof(*s));
        int r = -ENOMEM;

        if (!s)
                return r;
        s->fd = fd;
        s->came = -1;
        s->remote.http = lsr_http_new();
        if (s->remote.http) {
                r = serve_loop(s);
                serve_give_up(s);
        }
        for (unsigned i = 0; i < LSR_REMOTE_OBJECTS_MAX; i++)
                serve_place_end(s, &s->places[i], NULL);
        lsr_http_free(s->remote.http);
        lsr_account_end(&s->remote.account);
        free(s);
        return r;
}
