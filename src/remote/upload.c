/*
 * Each step is one function of pump: what is not under way yet, and may be, is started.  A part that fails for good, or
 * lsr that goes away, leads to ABORTING, where all requests are dropped first: a part that arrived behind the DELETE
 * would be kept, and paid for.
 */
#include "remote/upload.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "remote/multipart.h"
#include "remote/url.h"

#define UPLOAD_SLOTS 5u  /* parts that are held */
#define UPLOAD_FLIGHT 4u /* of these, parts that are sent */
#define UPLOAD_READ ((size_t)1 << 20)
#define UPLOAD_PATIENCE_S 120u
#define UPLOAD_COMPLETE_PATIENCE_S 600u /* a store may take a while to join the parts */
#define UPLOAD_ABORT_PATIENCE_S 5u      /* somebody waits who has given up */

enum upload_state {
        UPLOAD_FILLING, /* the first part: there may be no second one */
        UPLOAD_CREATING,
        UPLOAD_SENDING,
        UPLOAD_COMPLETING, /* or storing it at once */
        UPLOAD_LOOKING,    /* whether what is there is what was sent */
        UPLOAD_ABORTING,
        UPLOAD_ENDED,
};

struct upload_slot {
        struct lsr_sending sending;
        uint8_t *data;
        size_t capacity, n;
        uint32_t number; /* of the part; 0: it is free */
        char query[LSR_REMOTE_TEXT_MAX + 64];
};

struct lsr_upload {
        struct lsr_object *object;
        enum upload_state state;
        int pipe; /* negative: its end has come */
        bool replace, committed, looked, moved;
        uint64_t size, announced; /* bytes that came; that lsr has written */
        struct upload_slot slots[UPLOAD_SLOTS];
        struct upload_slot *filling;
        struct lsr_multipart_tag *tags;
        uint32_t n_parts, n_sent;
        struct lsr_sending step, look; /* of what is no part; and whether there is an object already */
        char *id, *query, *body;       /* of the upload; of step */
        char tag[LSR_MULTIPART_TAG];   /* that the object should have; empty: not known */
        int doubt;                     /* what it has failed with, unless what is there is what was sent */
        int error;
        char text[LSR_REMOTE_TEXT_MAX];
};

/* --- beginning and end --- */

static void upload_fail(struct lsr_upload *u, int error, const char *text)
{
        if (u->error)
                return;
        u->error = error;
        snprintf(u->text, sizeof(u->text), "%s", text);
}

static void upload_close_pipe(struct lsr_upload *u)
{
        if (u->pipe >= 0)
                close(u->pipe);
        u->pipe = -1;
}

int lsr_upload_new(struct lsr_remote *remote, const struct lsr_remote_put *put, const char *url, int pipe,
                   struct lsr_upload **ret_upload)
{
        const struct lsr_remote_open open = { .id = put->id };
        struct lsr_upload *u = calloc(1, sizeof(*u));
        int r = u ? lsr_object_new(remote, &open, url, (uint32_t)strlen(url), &u->object) : -ENOMEM;

        if (r < 0 || fcntl(pipe, F_SETFL, O_NONBLOCK) < 0) {
                r = r < 0 ? r : -errno;
                close(pipe);
                if (u)
                        lsr_object_free(remote, u->object);
                free(u);
                return r;
        }
        u->pipe = pipe;
        u->replace = u->looked = put->replace;
        u->step.upload = u->look.upload = u;
        if (u->object->state == LSR_OBJECT_FAILED)
                upload_fail(u, u->object->error, u->object->text);
        else if (!u->object->bucket)
                upload_fail(u, -EOPNOTSUPP, "only s3:// can be written to");
        /* A host that cannot be reached at first is not waited for. */
        u->object->state = LSR_OBJECT_OPENING;
        *ret_upload = u;
        return 0;
}

struct lsr_upload *lsr_upload_free(struct lsr_remote *remote, struct lsr_upload *u)
{
        if (!u)
                return NULL;
        lsr_object_free(remote, u->object);
        upload_close_pipe(u);
        for (unsigned i = 0; i < UPLOAD_SLOTS; i++) {
                free(u->slots[i].data);
                free(u->slots[i].sending.answer);
        }
        free(u->step.answer);
        free(u->look.answer);
        free(u->tags);
        free(u->id);
        free(u->query);
        free(u->body);
        free(u);
        return NULL;
}

void lsr_upload_commit(struct lsr_upload *u, uint64_t size)
{
        u->committed = true;
        u->announced = size;
        u->object->since = lsr_clock();
}

void lsr_upload_cancel(struct lsr_upload *u)
{
        upload_fail(u, -ECANCELED, "it was given up");
}

int lsr_upload_waits(const struct lsr_upload *u)
{
        return u->filling ? u->pipe : -1;
}

bool lsr_upload_ended(const struct lsr_upload *u)
{
        return u->state == UPLOAD_ENDED;
}

bool lsr_upload_moved(struct lsr_upload *u)
{
        return lsr_take(&u->moved, false) && u->committed;
}

void lsr_upload_tell(const struct lsr_upload *u, struct lsr_remote_answer *answer)
{
        answer->id = u->object->id;
        answer->result = lsr_upload_ended(u) ? u->error : 0;
        answer->size = u->size;
        answer->stats = u->object->stats;
        if (answer->result)
                strcpy(answer->text, u->text);
}

/* --- reading --- */

/* A free slot with room for the next part; free ones of another size make room.  NULL: not yet, or no memory. */
static struct upload_slot *upload_slot(struct lsr_upload *u)
{
        size_t size = lsr_multipart_size(u->n_parts + 1), held = 0;
        struct upload_slot *found = NULL;

        for (unsigned i = 0; i < UPLOAD_SLOTS; i++) {
                struct upload_slot *s = &u->slots[i];

                if (!s->number && s->capacity && s->capacity != size) {
                        free(lsr_take(&s->data, NULL));
                        s->capacity = 0;
                }
                if (!s->number && (!found || s->capacity))
                        found = s;
                held += s->capacity;
        }
        if (!found || (!found->capacity && held && held + size > LSR_MULTIPART_MEMORY))
                return NULL;
        if (!found->capacity) {
                found->data = malloc(size);
                if (!found->data) {
                        upload_fail(u, -ENOMEM, strerror(ENOMEM));
                        return NULL;
                }
                found->capacity = size;
        }
        return found;
}

static bool upload_next_slot(struct lsr_upload *u)
{
        struct lsr_multipart_tag *tags;
        struct upload_slot *s;

        if (u->n_parts == LSR_MULTIPART_PARTS) {
                upload_fail(u, -EFBIG, "it is larger than the 437 GiB that are stored as one object");
                return false;
        }
        s = upload_slot(u);
        if (!s)
                return false;
        tags = reallocarray(u->tags, u->n_parts + 1, sizeof(*tags));
        if (!tags) {
                upload_fail(u, -ENOMEM, strerror(ENOMEM));
                return false;
        }
        u->tags = tags;
        s->number = ++u->n_parts;
        s->n = 0;
        u->filling = s;
        return true;
}

/* A piece of what has come, so that others have their turn. */
static void upload_read(struct lsr_upload *u)
{
        struct upload_slot *s;
        size_t room;
        ssize_t n;

        if (u->pipe < 0 || (!u->filling && !upload_next_slot(u)))
                return;
        s = u->filling;
        room = s->capacity - s->n;
        n = read(u->pipe, s->data + s->n, room < UPLOAD_READ ? room : UPLOAD_READ);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
                upload_fail(u, -errno, strerror(errno));
        if (n < 0)
                return;
        if (n == 0)
                upload_close_pipe(u);
        s->n += (size_t)n;
        u->size += (size_t)n;
        if (n && s->n < s->capacity)
                return;
        /* Behind the last part there is none, unless it is the only one. */
        if (!s->n && s->number > 1) {
                s->number = 0;
                u->n_parts--;
        }
        u->filling = NULL;
        if (u->pipe >= 0)
                (void)upload_next_slot(u);
}

/* --- requests --- */

/* Start @s, unless it is under way, or there is no place: then it is tried again. */
static void upload_send(struct lsr_remote *remote, struct lsr_upload *u, struct lsr_sending *s)
{
        int r = s->busy ? -EAGAIN : lsr_fetch_send(remote, u->object, s);

        if (r == 0)
                s->busy = true;
        else if (r != -EAGAIN)
                upload_fail(u, r, *u->object->text ? u->object->text : strerror(-r));
}

/* What is no part: the id of the upload, escaped, follows @query, unless that is NULL. */
static void upload_step(struct lsr_upload *u, enum upload_state state, const char *method, const char *query,
                        char *body, unsigned patience_s)
{
        lsr_autofree char *id = u->id ? malloc(3 * strlen(u->id) + 1) : NULL;

        free(u->query);
        free(u->body);
        u->query = NULL;
        u->body = body;
        if (id)
                lsr_url_escape(id, u->id, strlen(u->id), "");
        if ((u->id && !id) || (query && asprintf(&u->query, "%s%s", query, id ? id : "") < 0)) {
                u->query = NULL;
                return upload_fail(u, -ENOMEM, strerror(ENOMEM));
        }
        u->state = state;
        u->step = (struct lsr_sending){ .upload = u,
                                        .method = method,
                                        .query = u->query,
                                        .body = body,
                                        .n = body ? strlen(body) : 0,
                                        .patience_s = patience_s,
                                        .answer = u->step.answer };
}

/* Whether there is an object already, which is asked while the first part is read. */
static void upload_look(struct lsr_remote *remote, struct lsr_upload *u)
{
        if (u->looked || u->look.busy)
                return;
        u->look.method = "HEAD";
        u->look.asks = true;
        u->look.patience_s = UPLOAD_PATIENCE_S;
        upload_send(remote, u, &u->look);
}

static void upload_parts(struct lsr_remote *remote, struct lsr_upload *u)
{
        lsr_autofree char *id = malloc(3 * strlen(u->id) + 1);
        unsigned flight = 0;

        for (unsigned i = 0; i < UPLOAD_SLOTS; i++)
                flight += u->slots[i].sending.busy;
        if (id)
                lsr_url_escape(id, u->id, strlen(u->id), "");
        for (unsigned i = 0; i < UPLOAD_SLOTS && id && flight < UPLOAD_FLIGHT; i++) {
                struct upload_slot *s = &u->slots[i];

                if (!s->number || s == u->filling || s->sending.busy)
                        continue;
                snprintf(s->query, sizeof(s->query), "partNumber=%u&uploadId=%s", s->number, id);
                s->sending.upload = u;
                s->sending.method = "PUT";
                s->sending.query = s->query;
                s->sending.body = s->data;
                s->sending.n = s->n;
                s->sending.patience_s = UPLOAD_PATIENCE_S;
                upload_send(remote, u, &s->sending);
                flight += s->sending.busy;
        }
}

/* Everything has come, and may become an object. */
static bool upload_whole(struct lsr_upload *u)
{
        if (u->pipe >= 0 || u->filling || !u->committed || !u->looked)
                return false;
        if (u->size != u->announced)
                upload_fail(u, -EPROTO, "not all of it has come");
        return !u->error;
}

/* The only part is all of it. */
static void upload_plain(struct lsr_upload *u)
{
        struct upload_slot *s = u->slots;

        while (s->number != 1)
                s++;
        lsr_multipart_plain_tag(s->data, s->n, u->tag);
        upload_step(u, UPLOAD_COMPLETING, "PUT", NULL, NULL, UPLOAD_PATIENCE_S);
        u->step.body = s->data;
        u->step.n = s->n;
        u->step.only_new = !u->replace;
}

static void upload_complete(struct lsr_upload *u)
{
        char *body = lsr_multipart_body(u->tags, u->n_parts);

        if (!body)
                return upload_fail(u, -EPROTO, "the store returned no ETag for a part");
        lsr_multipart_whole_tag(u->tags, u->n_parts, u->tag);
        upload_step(u, UPLOAD_COMPLETING, "POST", "uploadId=", body, UPLOAD_COMPLETE_PATIENCE_S);
        u->step.only_new = !u->replace;
}

static void upload_end(struct lsr_upload *u)
{
        u->object->stats.waited_ns += lsr_clock() - u->object->since;
        u->state = UPLOAD_ENDED;
}

/* Nothing is to be left of it. */
static void upload_give_up(struct lsr_remote *remote, struct lsr_upload *u)
{
        upload_close_pipe(u);
        u->filling = NULL;
        /* What is to be aborted is known only when the store has answered. */
        if (u->state == UPLOAD_CREATING && u->step.busy)
                return;
        lsr_fetch_drop(remote, u->object);
        if (u->id)
                upload_step(u, UPLOAD_ABORTING, "DELETE", "uploadId=", NULL, UPLOAD_ABORT_PATIENCE_S);
        if (u->state != UPLOAD_ABORTING)
                upload_end(u);
}

void lsr_upload_pump(struct lsr_remote *remote, struct lsr_upload *u)
{
        if (u->error && u->state < UPLOAD_ABORTING)
                upload_give_up(remote, u);
        if (u->state < UPLOAD_COMPLETING && !u->error) {
                upload_read(u);
                upload_look(remote, u);
        }
        if (u->state == UPLOAD_FILLING && u->n_parts > 1)
                upload_step(u, UPLOAD_CREATING, "POST", "uploads", NULL, UPLOAD_PATIENCE_S);
        else if (u->state == UPLOAD_FILLING && upload_whole(u))
                upload_plain(u);
        if (u->state == UPLOAD_SENDING)
                upload_parts(remote, u);
        if (u->state == UPLOAD_SENDING && upload_whole(u) && u->n_sent == u->n_parts)
                upload_complete(u);
        if (u->state != UPLOAD_FILLING && u->state != UPLOAD_SENDING && u->state != UPLOAD_ENDED)
                upload_send(remote, u, &u->step);
        if (u->error && u->state < UPLOAD_ABORTING)
                upload_give_up(remote, u);
}

/* --- answers --- */

static void upload_created(struct lsr_upload *u)
{
        u->id = u->step.answer_n ? lsr_multipart_text(u->step.answer, "UploadId") : NULL;
        if (!u->id || !*u->id || strlen(u->id) > LSR_REMOTE_TEXT_MAX / 3) {
                free(lsr_take(&u->id, NULL));
                return upload_fail(u, -EPROTO, "the store returned no upload ID");
        }
        u->state = UPLOAD_SENDING;
}

static void upload_part_sent(struct lsr_upload *u, struct upload_slot *s, const struct lsr_http_answer *a)
{
        strcpy(u->tags[s->number - 1].text, a->tag);
        u->object->stats.bytes += s->n;
        s->number = 0;
        u->n_sent++;
        u->moved = true;
}

static void upload_look_at(struct lsr_upload *u)
{
        upload_step(u, UPLOAD_LOOKING, "HEAD", NULL, NULL, UPLOAD_PATIENCE_S);
        u->step.asks = true;
}

/* It is there, and nobody else's if its ETag is the one that we have computed. */
static void upload_completed(struct lsr_upload *u, const struct lsr_http_answer *a)
{
        lsr_autofree char *tag = u->step.answer_n ? lsr_multipart_text(u->step.answer, "ETag") : NULL;

        if (!u->id)
                u->object->stats.bytes += u->size;
        free(lsr_take(&u->id, NULL));
        if (*u->tag && strcmp(tag ? tag : a->tag, u->tag) == 0)
                return upload_end(u);
        upload_look_at(u);
}

/*
 * ETags are not made of MD5 where objects are encrypted, so the size decides, if it may be read; but who was repeated
 * must know its own.
 */
static void upload_seen(struct lsr_upload *u, const struct lsr_http_answer *a)
{
        bool ours = *u->tag && strcmp(a->tag, u->tag) == 0;
        bool closed = a->status >= 400 && a->status != 404; /* it may not be looked at */

        if (u->doubt)
                u->error = ours ? 0 : u->doubt;
        else if (!ours && !closed && (a->status != 200 || !a->length_known || a->length != u->size))
                upload_fail(u, -EIO, "what is there now is not what was sent; pack it again with --force");
        if (u->doubt && ours && u->id)
                upload_step(u, UPLOAD_ABORTING, "DELETE", "uploadId=", NULL, UPLOAD_ABORT_PATIENCE_S);
        else if (!u->error)
                upload_end(u);
}

/* @error of a request other than that of a part. */
static void upload_stepped(struct lsr_upload *u, const struct lsr_fetch *f, int error)
{
        switch (u->state) {
        case UPLOAD_CREATING:
                return error ? upload_fail(u, error, u->object->text) : upload_created(u);
        case UPLOAD_COMPLETING:
                if (!error)
                        return upload_completed(u, &f->call.answer);
                /* Who refuses before the body has come may cut the connection, and the reason with it. */
                if (error == -ECONNRESET && !u->id)
                        return upload_step(u, UPLOAD_CREATING, "POST", "uploads", NULL, UPLOAD_PATIENCE_S);
                /* An answer may have been lost, and what is there be ours; libcurl repeats requests without a word. */
                if (error != -EEXIST && error != -ENOENT)
                        return upload_fail(u, error, u->object->text);
                u->doubt = error;
                strcpy(u->text, u->object->text);
                return upload_look_at(u);
        case UPLOAD_LOOKING:
                return upload_seen(u, &f->call.answer);
        default:
                assert(u->state == UPLOAD_ABORTING);
                if (error && error != -ENOENT && u->error)
                        strncat(u->text, "; parts of it may be left in the bucket",
                                sizeof(u->text) - strlen(u->text) - 1);
                upload_end(u);
        }
}

void lsr_upload_fetched(struct lsr_remote *remote, struct lsr_fetch *f, int error)
{
        struct lsr_upload *u = f->sending->upload;
        struct lsr_sending *sending = f->sending;
        struct lsr_fetch done = *f;

        lsr_http_drop(remote->http, &f->call);
        f->object = NULL;
        sending->busy = false;
        if (!error)
                u->object->state = LSR_OBJECT_OPEN;
        else if (!*u->object->text)
                lsr_object_fail(u->object, error, "%s", strerror(-error));
        if (sending == &u->step)
                return upload_stepped(u, &done, error);
        if (error)
                return upload_fail(u, error, u->object->text);
        if (sending != &u->look) {
                struct upload_slot *s = u->slots;

                while (&s->sending != sending)
                        s++;
                upload_part_sent(u, s, &done.call.answer);
        } else if (done.call.answer.status == 200 || done.call.answer.status == 206) {
                upload_fail(u, -EEXIST, "there is an object of this name");
        } else {
                u->looked = true;
        }
}
