/* One request: its headers and signature, what its answer must be, where a redirect may lead, when it is repeated. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "remote/multipart.h"
#include "remote/object.h"
#include "remote/sigv4.h"
#include "remote/upload.h"
#include "remote/url.h"

#define FETCH_TRIES 5u
#define FETCH_REDIRECTS 5u
#define FETCH_DELAY_NS UINT64_C(200000000)
#define FETCH_AFTER_MAX_S 60u
#define FETCH_SECOND_NS UINT64_C(1000000000)
#define FETCH_CODE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789."
#define FETCH_ANSWER_MAX ((size_t)64 << 10)

static uint64_t fetch_end(const struct lsr_fetch *f)
{
        uint64_t end = f->run.end * LSR_REMOTE_BLOCK;

        return end < f->object->size ? end : f->object->size;
}

/*
 * The ETag that the object must still have; while it is opened, the one that it need not be sent of.  Without an ETag
 * the time in the answer is compared, and If-Unmodified-Since is not sent: versitygw compares that with the fraction of
 * a second that its own Last-Modified leaves out, and refuses what is unchanged.
 */
static void fetch_condition(FILE *f, const struct lsr_fetch *fetch)
{
        const struct lsr_object *o = fetch->object;

        if (fetch->sending)
                fputs(fetch->sending->only_new ? "If-None-Match: *\n" : "", f);
        else if (*o->tag)
                fprintf(f, "%s: %s\n", fetch->kind == LSR_FETCH_RUN ? "If-Match" : "If-None-Match", o->tag);
}

/* Sign it as S3 wants it. */
static int fetch_sign(FILE *f, struct lsr_remote *remote, const struct lsr_object *o, const struct lsr_sending *sending)
{
        struct lsr_sigv4_header headers[4];
        const char *payload = sending ? sending->hash : LSR_SIGV4_EMPTY;
        struct lsr_sigv4 s = { .method = sending ? sending->method : "GET",
                               .query = sending ? sending->query : NULL,
                               .headers = headers,
                               .payload = payload,
                               .region = *o->region ? o->region : remote->account.region,
                               .service = "s3",
                               .key_id = remote->account.key_id,
                               .secret = remote->account.secret,
                               .when = lsr_clock_now().tv_sec };
        lsr_autofree char *host = NULL, *path = NULL, *value = NULL;
        struct lsr_url url;
        char date[17];

        if (!s.key_id)
                return 0;
        if (lsr_url_parse(o->url, &url) < 0)
                return -EINVAL;
        host = strndup(url.host.p, url.host.n);
        path = strndup(url.path.p, url.path.n);
        if (!host || !path)
                return -ENOMEM;
        s.path = path;
        lsr_sigv4_date(s.when, date);
        headers[s.n_headers++] = (struct lsr_sigv4_header){ "host", host };
        headers[s.n_headers++] = (struct lsr_sigv4_header){ "x-amz-content-sha256", payload };
        headers[s.n_headers++] = (struct lsr_sigv4_header){ "x-amz-date", date };
        if (remote->account.token)
                headers[s.n_headers++] = (struct lsr_sigv4_header){ "x-amz-security-token", remote->account.token };
        value = lsr_sigv4_authorization(&s);
        if (!value)
                return -ENOMEM;
        for (unsigned i = 1; i < s.n_headers; i++)
                fprintf(f, "%s: %s\n", headers[i].name, headers[i].value);
        fprintf(f, "Authorization: %s\n", value);
        return 0;
}

static int fetch_headers(struct lsr_remote *remote, const struct lsr_fetch *fetch, char **ret_headers)
{
        char *text = NULL;
        size_t n = 0;
        FILE *f = open_memstream(&text, &n);
        int r;

        if (!f)
                return -ENOMEM;
        fputs("Accept-Encoding: identity\n", f);
        if (fetch->kind == LSR_FETCH_SEND)
                /* To wait for "100 Continue" would take a round trip more. */
                fputs("Content-Type: application/octet-stream\nExpect:\n", f);
        else if (fetch->kind == LSR_FETCH_TAIL)
                fprintf(f, "Range: bytes=-%" PRIu64 "\n", LSR_REMOTE_TAIL);
        else if (fetch->kind == LSR_FETCH_ZERO)
                fputs("Range: bytes=0-0\n", f);
        else
                fprintf(f, "Range: bytes=%" PRIu64 "-%" PRIu64 "\n", fetch->at, fetch_end(fetch) - 1);
        fetch_condition(f, fetch);
        r = fetch->object->bucket ? fetch_sign(f, remote, fetch->object, fetch->sending) : 0;
        if (fclose(f) != 0 || r < 0) {
                free(text);
                return r < 0 ? r : -ENOMEM;
        }
        *ret_headers = text;
        return 0;
}

/* Credentials that expire are read again five minutes before they do. */
static void fetch_account_renew(struct lsr_remote *remote)
{
        struct lsr_account account;

        if (!remote->account.expires || lsr_clock_now().tv_sec < remote->account.expires - 300)
                return;
        if (lsr_account_read(&account, lsr_http_metadata, NULL) == 0) {
                lsr_account_end(&remote->account);
                remote->account = account;
        } else {
                lsr_account_end(&account);
        }
}

static int fetch_send(struct lsr_remote *remote, struct lsr_fetch *f)
{
        struct lsr_object *o = f->object;
        const struct lsr_sending *sending = f->sending;
        lsr_autofree char *url = NULL, *query = NULL;
        char *headers = NULL;
        int r;

        if (f->kind == LSR_FETCH_RUN)
                f->at = f->run.first * LSR_REMOTE_BLOCK;
        f->retry_at = 0;
        f->error = 0;
        if (o->bucket)
                fetch_account_renew(remote);
        r = fetch_headers(remote, f, &headers);
        if (r < 0)
                return r;
        if (sending && sending->query) {
                query = lsr_sigv4_query(sending->query);
                if (!query || asprintf(&url, "%s?%s", o->url, query) < 0) {
                        free(headers);
                        return url = NULL, -ENOMEM;
                }
        }
        f->call.url = url ? url : o->url;
        f->call.headers = headers;
        f->call.netrc = !o->bucket && !o->elsewhere;
        f->call.patience_s = sending ? sending->patience_s : o->patience_s;
        f->call.method = sending ? sending->method : NULL;
        f->call.sent = sending ? sending->body : NULL;
        f->call.sent_n = sending ? sending->n : 0;
        o->stats.requests++;
        r = lsr_http_start(remote->http, &f->call);
        explicit_bzero(headers, strlen(headers));
        free(headers);
        return r;
}

/* --- the answer --- */

/* A 206 to a run: the bytes that were asked for, of the object that was opened.  0 or a negative errno. */
static int fetch_head_check(const struct lsr_fetch *f)
{
        const struct lsr_http_answer *a = &f->call.answer;
        const struct lsr_object *o = f->object;

        if (a->status == 200)
                return -EOPNOTSUPP;
        if (!a->ranged || strncasecmp(a->type, "multipart/", 10) == 0)
                return -EPROTO;
        if ((a->total_known && a->total != o->size) || (*o->tag && strcmp(a->tag, o->tag) != 0) ||
            (!*o->tag && *o->modified && strcmp(a->modified, o->modified) != 0))
                return -ESTALE;
        return a->first == f->at && a->last < fetch_end(f) ? 0 : -EPROTO;
}

static int fetch_on_head(struct lsr_http_call *call)
{
        struct lsr_fetch *f = call->ctx;

        if (f->sending) {
                f->sending->answer_n = 0;
                return 0;
        }
        f->error = f->kind == LSR_FETCH_RUN ? fetch_head_check(f) : lsr_object_head(f);
        if (f->error == 0 && f->kind == LSR_FETCH_RUN && !*f->object->tag && !*f->object->modified) {
                strcpy(f->object->tag, call->answer.tag);
                strcpy(f->object->modified, call->answer.modified);
        }
        return f->error != 0;
}

/* Blocks of which all bytes have come are there at once: who waits for them need not wait for the rest. */
static int fetch_mark(struct lsr_fetch *f)
{
        struct lsr_object *o = f->object;
        uint64_t end = f->at == o->size ? o->store.n_blocks : f->at / LSR_REMOTE_BLOCK;
        struct lsr_run run = { f->run.first, end };

        if (run.first >= run.end)
                return 0;
        f->run.first = end;
        f->tries = 0;
        return lsr_store_mark(&o->store, run);
}

/* What a store says of what was sent, as text; nobody needs more than its beginning. */
static int fetch_answer(struct lsr_sending *sending, const void *data, size_t n)
{
        char *more;

        if (n > FETCH_ANSWER_MAX - sending->answer_n)
                n = FETCH_ANSWER_MAX - sending->answer_n;
        more = realloc(sending->answer, sending->answer_n + n + 1);
        if (!more)
                return -ENOMEM;
        sending->answer = more;
        memcpy(more + sending->answer_n, data, n);
        sending->answer_n += n;
        more[sending->answer_n] = '\0';
        return 0;
}

static int fetch_on_body(struct lsr_http_call *call, const void *data, size_t n)
{
        struct lsr_fetch *f = call->ctx;
        struct lsr_object *o = f->object;

        if (f->sending) {
                f->error = fetch_answer(f->sending, data, n);
                return f->error;
        }
        o->stats.bytes += n;
        if (call->answer.status == 200) {
                f->error = lsr_object_whole(f, data, n);
                return f->error;
        }
        if (f->kind == LSR_FETCH_ZERO)
                return f->error = n > 1 ? -EPROTO : 0;
        if (n > fetch_end(f) - f->at)
                f->error = -EPROTO;
        else
                f->error = lsr_store_write(&o->store, f->at, data, n);
        if (f->error == 0) {
                f->at += n;
                f->error = fetch_mark(f);
        }
        return f->error;
}

/* --- repeating --- */

static uint64_t fetch_delay(unsigned tries)
{
        uint64_t delay = FETCH_DELAY_NS << (tries < 6 ? tries : 6);
        uint32_t random = 0;

        (void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
        return delay / 2 + (uint64_t)((double)delay / 2 * random / UINT32_MAX);
}

/* Repeat it later: 0; or why not: a negative errno. */
static int fetch_later(struct lsr_fetch *f, int error)
{
        struct lsr_object *o = f->object;
        uint64_t after = f->call.answer.retry_after_s;
        uint64_t delay = fetch_delay(f->tries);

        if (after > FETCH_AFTER_MAX_S)
                return lsr_object_fail(o, error, "%s; it asks to wait %" PRIu64 " seconds", f->call.text, after);
        if (++f->tries >= FETCH_TRIES)
                return lsr_object_fail(o, error, "%s, %u times", f->call.text, f->tries);
        if (after * FETCH_SECOND_NS > delay)
                delay = after * FETCH_SECOND_NS;
        o->stats.retries++;
        f->retry_at = lsr_clock() + delay;
        return 0;
}

static void fetch_over(struct lsr_fetch *f, int error);

int lsr_fetch_repeat(struct lsr_remote *remote)
{
        uint64_t now = lsr_clock(), next = UINT64_MAX;

        for (unsigned i = 0; i < LSR_REMOTE_FLIGHT_MAX; i++) {
                struct lsr_fetch *f = &remote->fetches[i];

                if (!f->object || !f->retry_at)
                        continue;
                if (f->retry_at <= now) {
                        int r = fetch_send(remote, f);

                        if (r < 0)
                                fetch_over(f, lsr_object_fail(f->object, r, "%s", strerror(-r)));
                } else if (f->retry_at < next) {
                        next = f->retry_at;
                }
        }
        return next == UINT64_MAX ? -1 : (int)((next - now) / 1000000 + 1);
}

/* --- the end of a request --- */

/* Go where the server points to: 0 or a negative errno. */
static int fetch_redirect(struct lsr_remote *remote, struct lsr_fetch *f)
{
        struct lsr_object *o = f->object;
        int r = f->call.redirect ? lsr_url_redirect(o->url, f->call.redirect) : -EINVAL;
        char *url;

        if (o->bucket)
                return lsr_object_fail(o, -EACCES,
                                       "the store sends elsewhere (%ld); set AWS_REGION or AWS_ENDPOINT_URL",
                                       f->call.answer.status);
        if (r == -EPERM)
                return lsr_object_fail(o, r, "the server redirects from https to http, which is not followed");
        if (r < 0)
                return lsr_object_fail(o, r, "the server redirects (%ld) to nothing that can be fetched",
                                       f->call.answer.status);
        if (++f->redirects > FETCH_REDIRECTS)
                return lsr_object_fail(o, -ELOOP, "the server redirects more than %u times", FETCH_REDIRECTS);
        url = r == 0 ? lsr_url_with_user(o->url, f->call.redirect) : strdup(f->call.redirect);
        if (!url)
                return -ENOMEM;
        free(o->url);
        o->url = url;
        o->elsewhere |= r == 1;
        return fetch_send(remote, f);
}

/* A bucket of another region: the store says which, and the request is made once more. */
static bool fetch_region(struct lsr_remote *remote, struct lsr_fetch *f)
{
        const char *region = f->call.answer.region;
        struct lsr_object *o = f->object;
        struct lsr_account there = remote->account;
        long status = f->call.answer.status;
        char *url;

        if (!o->bucket || !*region || f->region_tried ||
            (status != 301 && status != 307 && status != 400 && status != 403))
                return false;
        if (strcmp(region, *o->region ? o->region : there.region) == 0 ||
            region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")])
                return false;
        f->region_tried = true;
        strcpy(o->region, region);
        there.region = o->region;
        url = lsr_account_url(&there, o->bucket, o->key);
        if (!url)
                return false;
        free(o->url);
        o->url = url;
        return true;
}

/* Where a URL led to may have been good for a while only: ask the first one again, once. */
static bool fetch_back(struct lsr_fetch *f)
{
        struct lsr_object *o = f->object;
        char *url;

        if (o->state != LSR_OBJECT_OPEN || f->elsewhere || !o->first_url || strcmp(o->url, o->first_url) == 0)
                return false;
        url = strdup(o->first_url);
        if (!url)
                return false;
        f->elsewhere = true;
        free(o->url);
        o->url = url;
        o->elsewhere = false;
        return true;
}

/* What may be wrong with who asks, behind the words for it. */
static const char *fetch_advice(const struct lsr_remote *remote, const struct lsr_fetch *f, int error)
{
        if (f->object->bucket && strcmp(f->call.answer.code, "AuthorizationHeaderMalformed") == 0)
                return "; set AWS_REGION to the region of the bucket";
        if (error == -EACCES && f->object->bucket && !remote->account.key_id)
                return "; no credentials were found: set AWS_PROFILE or AWS_ACCESS_KEY_ID";
        return "";
}

/* A status that is an error, in words.  Returns its errno; *ret_transient: it may be another one next time. */
static int fetch_status(struct lsr_remote *remote, struct lsr_fetch *f, bool *ret_transient)
{
        static const struct {
                long status;
                int error;
                bool transient;
                const char *text;
        } words[] = {
                { 401, -EACCES, false, "the server wants a name and a password, which ~/.netrc can have" },
                { 403, -EACCES, false, "access is denied" },
                { 404, -ENOENT, false, "there is nothing of this name" },
                { 407, -EACCES, false, "the proxy wants a name and a password" },
                { 408, -ETIMEDOUT, true, "the server waited too long" },
                { 410, -ENOENT, false, "it is gone" },
                { 412, -ESTALE, false, "it was changed while it was read" },
                { 416, -ESTALE, false, "it was changed while it was read" },
                { 429, -EBUSY, true, "the server has too many requests" },
                { 500, -EIO, true, "the server has failed" },
                { 502, -EIO, true, "the server has failed" },
                { 503, -EBUSY, true, "the server is overloaded" },
                { 504, -ETIMEDOUT, true, "the server waited too long" },
        };
        const struct lsr_http_answer *a = &f->call.answer;
        const char *text = "the server refuses";
        int error = a->status >= 500 ? -EIO : a->status >= 400 ? -EINVAL : -EPROTO;
        struct lsr_url url;

        *ret_transient = strcmp(a->code, "RequestTimeout") == 0;
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (words[i].status == a->status) {
                        text = words[i].text;
                        error = words[i].error;
                        *ret_transient |= words[i].transient;
                }
        if (a->status == 401 && lsr_url_parse(f->object->url, &url) == 0 && url.user.n)
                text = "the server does not take the name and the password of the URL";
        snprintf(f->call.text, sizeof(f->call.text), "%s (%ld%s%s)%s", text, a->status, *a->code ? " " : "", a->code,
                 fetch_advice(remote, f, error));
        return error;
}

/* What head() and body() found. */
static int fetch_refused(struct lsr_fetch *f)
{
        switch (f->error) {
        case -ESTALE:
                return lsr_object_fail(f->object, f->error, "it was changed while it was read");
        case -EPROTO:
                return lsr_object_fail(f->object, f->error, "the server sends other bytes than those asked for");
        case -EOPNOTSUPP:
                return lsr_object_fail(f->object, f->error, "the server sends whole objects only");
        default:
                return lsr_object_fail(f->object, f->error, "%s", strerror(-f->error));
        }
}

/* What latency and throughput are: half of what was known, half of what is new. */
static void fetch_measure(const struct lsr_fetch *f, uint64_t n)
{
        struct lsr_object *o = f->object;
        uint64_t body_ns = f->call.total_ns - f->call.first_byte_ns;

        if (f->call.first_byte_ns)
                o->latency_ns = o->latency_ns ? (o->latency_ns + f->call.first_byte_ns) / 2 : f->call.first_byte_ns;
        if (f->call.first_byte_ns && n >= LSR_REMOTE_BLOCK && body_ns)
                o->bytes_per_second = (o->bytes_per_second + n * FETCH_SECOND_NS / body_ns) / 2;
}

/* Begins with 200, since completing takes a while, and only then says that it failed. */
static void fetch_error_behind(struct lsr_fetch *f)
{
        lsr_autofree char *code = NULL;

        if (f->call.answer.status != 200 || !f->sending->answer_n || !strstr(f->sending->answer, "<Error>"))
                return;
        code = lsr_multipart_text(f->sending->answer, "Code");
        f->call.answer.status = 500;
        if (code && strlen(code) < sizeof(f->call.answer.code) && !code[strspn(code, FETCH_CODE)])
                strcpy(f->call.answer.code, code);
}

/* Of what was sent: as fetch_outcome(), or -EAGAIN: as of any other request. */
static int fetch_sent(struct lsr_fetch *f)
{
        long status;

        fetch_error_behind(f);
        status = f->call.answer.status;
        if (status == 200 || status == 201 || status == 204 || status == 206)
                return 1;
        /* What a HEAD is refused for has no words; whatever is sent next is told of it. */
        if (f->sending->asks && status >= 400 && status <= 416 && status != 408)
                return 1;
        if (f->sending->only_new && (status == 409 || status == 412))
                return lsr_object_fail(f->object, -EEXIST, "there is an object of this name (%ld)", status);
        return -EAGAIN;
}

/* 0: it goes on; 1: it has succeeded, or the opening goes another way; or a negative errno: it has failed. */
static int fetch_outcome(struct lsr_remote *remote, struct lsr_fetch *f, int error)
{
        long status = f->call.answer.status;
        bool transient = f->call.transient;

        if (f->error < 0)
                return fetch_refused(f);
        if (f->error > 0)
                return 1;
        if (error < 0) {
                bool opening = f->object->state == LSR_OBJECT_OPENING && !f->call.reached;

                if (transient && (!opening || error == -ECONNRESET))
                        return fetch_later(f, error);
                return lsr_object_fail(f->object, error, "%s", f->call.text);
        }
        if (fetch_region(remote, f))
                return fetch_send(remote, f);
        if (f->sending) {
                int r = fetch_sent(f);

                if (r != -EAGAIN)
                        return r;
                status = f->call.answer.status;
        }
        if (status == 200 || status == 206) {
                if (f->kind != LSR_FETCH_RUN || f->run.first == f->run.end)
                        return fetch_measure(f, f->call.answer.length), 1;
                snprintf(f->call.text, sizeof(f->call.text), "the server sends fewer bytes than asked for");
                return fetch_later(f, -EPROTO);
        }
        if (status == 301 || status == 302 || status == 303 || status == 307 || status == 308)
                return fetch_redirect(remote, f);
        if ((status == 401 || status == 403 || status == 404 || status == 410) && fetch_back(f))
                return fetch_send(remote, f);
        /* Not modified, or no answer to such a range: object.c knows what is tried next. */
        if (f->kind < LSR_FETCH_RUN && (status == 304 || status == 416 || status == 501 ||
                                        ((status == 400 || status == 405) && !*f->call.answer.code)))
                return 1;
        error = fetch_status(remote, f, &transient);
        return transient ? fetch_later(f, error) : lsr_object_fail(f->object, error, "%s", f->call.text);
}

static void fetch_over(struct lsr_fetch *f, int error)
{
        if (f->sending)
                lsr_upload_fetched(f->remote, f, error);
        else
                lsr_object_fetched(f->remote, f, error);
}

static void fetch_on_done(struct lsr_http_call *call, int error)
{
        struct lsr_fetch *f = call->ctx;
        int r = fetch_outcome(f->remote, f, error);

        if (r != 0)
                fetch_over(f, r < 0 ? r : 0);
}

/* --- places --- */

static int fetch_begin(struct lsr_remote *remote, const struct lsr_fetch *what)
{
        struct lsr_fetch *f = remote->fetches;
        int r;

        while (f < remote->fetches + LSR_REMOTE_FLIGHT_MAX && f->object)
                f++;
        if (f == remote->fetches + LSR_REMOTE_FLIGHT_MAX)
                return -EAGAIN;
        *f = *what;
        f->remote = remote;
        f->call.ctx = f;
        f->call.head = fetch_on_head;
        f->call.body = fetch_on_body;
        f->call.done = fetch_on_done;
        r = fetch_send(remote, f);
        if (r < 0)
                f->object = NULL;
        return r;
}

int lsr_fetch_start(struct lsr_remote *remote, struct lsr_object *o, enum lsr_fetch_kind kind, struct lsr_run run)
{
        return fetch_begin(remote, &(struct lsr_fetch){ .object = o, .kind = kind, .run = run });
}

int lsr_fetch_send(struct lsr_remote *remote, struct lsr_object *o, struct lsr_sending *sending)
{
        lsr_sigv4_hash(sending->body ? sending->body : "", sending->n, sending->hash);
        return fetch_begin(remote, &(struct lsr_fetch){ .object = o, .kind = LSR_FETCH_SEND, .sending = sending });
}

void lsr_fetch_drop(struct lsr_remote *remote, struct lsr_object *o)
{
        for (unsigned i = 0; i < LSR_REMOTE_FLIGHT_MAX; i++) {
                struct lsr_fetch *f = &remote->fetches[i];

                if (f->object == o) {
                        lsr_http_drop(remote->http, &f->call);
                        f->object = NULL;
                }
        }
}
