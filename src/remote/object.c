/* How an object is opened, and what a NEED makes of requests: merged, grown for who reads in order, and read ahead. */
#include "remote/object.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "remote/url.h"

#define OBJECT_PATIENCE_S 20u
#define OBJECT_WINDOW_MAX (LSR_REMOTE_REQUEST_MAX / LSR_REMOTE_BLOCK)
#define OBJECT_WINDOW_AHEAD 16u /* blocks: from here on the next window is fetched before it is needed */
#define OBJECT_GAP_MAX 16u      /* blocks that nobody needs between two that are fetched by one request */
#define OBJECT_BYTES_PER_SECOND UINT64_C(50000000)                      /* until it is measured */
#define OBJECT_WANTED_HELD (LSR_REMOTE_HELD_MAX / LSR_REMOTE_BLOCK / 4) /* blocks ahead of who reads */

int lsr_object_fail(struct lsr_object *o, int error, const char *format, ...)
{
        va_list args;

        assert(error < 0);
        va_start(args, format);
        vsnprintf(o->text, sizeof(o->text), format, args);
        va_end(args);
        return error;
}

/* --- opening --- */

/* The URL of an object of s3, and with the first of them the account. */
static int object_store_url(struct lsr_remote *remote, struct lsr_object *o, const struct lsr_url *url, const char *end)
{
        const char *key = url->path.p + 1;
        int r = 0;

        if (url->path.n < 2 || end <= key)
                return lsr_object_fail(o, -EINVAL, "the URL names a bucket and no key in it");
        o->bucket = strndup(url->host.p, url->host.n);
        o->key = strndup(key, (size_t)(end - key));
        if (!o->bucket || !o->key)
                return -ENOMEM;
        if (!remote->account_read) {
                r = lsr_account_read(&remote->account, lsr_http_metadata, NULL);
                if (r < 0) {
                        lsr_object_fail(o, r, "%s", remote->account.text);
                        lsr_account_end(&remote->account);
                        return r;
                }
                remote->account_read = true;
        }
        o->url = lsr_account_url(&remote->account, o->bucket, o->key);
        return o->url ? 0 : -ENOMEM;
}

/* As it is sent: what no URL may have is escaped, what it has of escapes stays. */
static int object_web_url(struct lsr_object *o, const char *url, size_t n)
{
        o->url = malloc(3 * n + 1);
        if (!o->url)
                return -ENOMEM;
        lsr_url_escape(o->url, url, n, "%/:?#[]@!$&'()*+,;=");
        o->first_url = strdup(o->url);
        return o->first_url ? 0 : -ENOMEM;
}

static void object_failed(struct lsr_object *o, int error)
{
        o->state = LSR_OBJECT_FAILED;
        o->error = error;
        if (!*o->text)
                lsr_object_fail(o, error, "%s", strerror(-error));
}

int lsr_object_new(struct lsr_remote *remote, const struct lsr_remote_open *open, const char *url, uint32_t end,
                   struct lsr_object **ret_object)
{
        struct lsr_object *o = calloc(1, sizeof(*o));
        struct lsr_url parts;
        int r;

        if (!o)
                return -ENOMEM;
        o->store.data = o->store.bits = -1;
        o->id = open->id;
        o->patience_s = open->patience_s ? open->patience_s : OBJECT_PATIENCE_S;
        o->bytes_max = open->bytes_max;
        o->whole_max = open->whole_max ? open->whole_max : LSR_REMOTE_REQUEST_MAX;
        o->size = open->known_size;
        o->since = lsr_clock();
        memcpy(o->tag, open->known_tag, sizeof(o->tag));
        r = lsr_url_parse(url, &parts);
        if (r < 0)
                lsr_object_fail(o, r, "the URL is not valid");
        else if (parts.scheme == LSR_URL_S3)
                r = object_store_url(remote, o, &parts, url + end);
        else
                r = object_web_url(o, url, end);
        if (r < 0)
                object_failed(o, r);
        *ret_object = o;
        return 0;
}

struct lsr_object *lsr_object_free(struct lsr_remote *remote, struct lsr_object *o)
{
        if (!o)
                return NULL;
        lsr_fetch_drop(remote, o);
        lsr_store_end(&o->store);
        lsr_runs_end(&o->queue);
        lsr_runs_end(&o->wanted);
        free(o->needed);
        free(o->first_url);
        free(o->url);
        free(o->bucket);
        free(o->key);
        free(o->whole);
        free(o);
        return NULL;
}

/* Its size is known. */
static int object_begin(struct lsr_object *o, uint64_t size)
{
        int r = lsr_store_begin(&o->store, size);

        if (r < 0)
                return r;
        o->size = size;
        o->ranged = true;
        if (!o->bytes_max)
                o->bytes_max = 8 * size + LSR_REMOTE_NEED_MAX;
        return 0;
}

/* What may come as a whole; of who sends all for the end alone no more than what is fetched at a time anyway. */
static uint64_t object_whole_max(const struct lsr_fetch *f)
{
        uint64_t most = f->object->whole_max;

        return f->kind == LSR_FETCH_ZERO || most < LSR_REMOTE_REQUEST_MAX ? most : LSR_REMOTE_REQUEST_MAX;
}

int lsr_object_head(struct lsr_fetch *f)
{
        const struct lsr_http_answer *a = &f->call.answer;
        struct lsr_object *o = f->object;
        int r;

        if (a->status == 200) {
                o->whole_n = 0;
                strcpy(o->tag, a->tag);
                strcpy(o->modified, a->modified);
                return a->length_known && a->length > object_whole_max(f);
        }
        if (!a->ranged || !a->total_known || strncasecmp(a->type, "multipart/", 10) == 0)
                return 1; /* a range that says nothing: perhaps it answers to another one */
        /* Who sends more than was asked for may send all of it, or without end: to the end another way leads. */
        if (f->kind == LSR_FETCH_TAIL ? a->last + 1 != a->total : a->last != 0)
                return -EPROTO;
        if (a->last - a->first >= LSR_REMOTE_TAIL)
                return 1;
        r = object_begin(o, a->total);
        if (r < 0)
                return r;
        strcpy(o->tag, a->tag);
        strcpy(o->modified, a->modified);
        if (f->kind == LSR_FETCH_ZERO)
                return 0;
        /* If it is cut short, its rest is a run like others.  A block that it has only the end of does not count. */
        f->kind = LSR_FETCH_RUN;
        f->at = a->first;
        f->run = (struct lsr_run){ (a->first + LSR_REMOTE_BLOCK - 1) / LSR_REMOTE_BLOCK, o->store.n_blocks };
        lsr_store_ask(&o->store, f->run, true);
        return 0;
}

int lsr_object_whole(struct lsr_fetch *f, const void *data, size_t n)
{
        struct lsr_object *o = f->object;

        if (n > object_whole_max(f) - o->whole_n)
                return 1;
        if (n > o->whole_room - o->whole_n) {
                size_t room = 2 * o->whole_room + LSR_REMOTE_REQUEST_MAX + n;
                uint8_t *more = realloc(o->whole, room);

                if (!more)
                        return -ENOMEM;
                o->whole = more;
                o->whole_room = room;
        }
        memcpy(o->whole + o->whole_n, data, n);
        o->whole_n += n;
        return 0;
}

/* All of it has come. */
static int object_spooled(struct lsr_object *o)
{
        int r = object_begin(o, o->whole_n);

        if (r == 0)
                r = lsr_store_write(&o->store, 0, o->whole, o->whole_n);
        if (r == 0)
                r = lsr_store_mark(&o->store, (struct lsr_run){ 0, o->store.n_blocks });
        o->ranged = false;
        free(o->whole);
        o->whole = NULL;
        o->whole_room = 0;
        return r;
}

/* The end by a closed range, since it does not come by a suffix. */
static int object_tail(struct lsr_remote *remote, struct lsr_object *o, uint64_t size)
{
        uint64_t tail = size > LSR_REMOTE_TAIL ? size - LSR_REMOTE_TAIL : 0;
        struct lsr_run run;
        int r = o->ranged ? 0 : object_begin(o, size);

        if (r < 0 || !size)
                return r < 0 ? r : 1;
        run = (struct lsr_run){ tail / LSR_REMOTE_BLOCK, o->store.n_blocks };
        lsr_store_ask(&o->store, run, true);
        return lsr_fetch_start(remote, o, LSR_FETCH_RUN, run);
}

/* What the answer to the first requests leads to.  1: it is open; 0: there is another request; or a negative errno. */
static int object_opening(struct lsr_remote *remote, struct lsr_object *o, const struct lsr_fetch *f)
{
        const struct lsr_http_answer *a = &f->call.answer;
        int r;

        if (f->kind == LSR_FETCH_RUN)
                return 1;
        if (a->status == 304) {
                o->not_modified = true;
                r = object_begin(o, o->size);
                return r < 0 ? r : 1;
        }
        if (a->status == 200 && !f->error) {
                r = object_spooled(o);
                return r < 0 ? r : 1;
        }
        o->tag[0] = o->modified[0] = f->error || a->status != 206 ? '\0' : o->tag[0];
        if (a->status == 206 && !f->error)
                return object_tail(remote, o, o->size);
        /* Without a first byte it is empty, which not every server says. */
        if (a->status == 416 && (a->total_known || f->kind == LSR_FETCH_ZERO))
                return object_tail(remote, o, a->total);
        if (f->kind == LSR_FETCH_TAIL)
                return lsr_fetch_start(remote, o, LSR_FETCH_ZERO, (struct lsr_run){ 0, 0 });
        if (a->status == 200 && o->whole_max < LSR_REMOTE_HELD_MAX)
                return lsr_object_fail(o, -EOPNOTSUPP,
                                       "the server sends whole objects only; use --download, or download it first");
        if (a->status == 200)
                return lsr_object_fail(o, -EOPNOTSUPP,
                                       "the server sends whole objects only, and more than %llu MiB are not kept; "
                                       "download it first",
                                       (unsigned long long)(o->whole_max >> 20));
        return lsr_object_fail(o, -EOPNOTSUPP, "the server refuses ranges (%ld); download it first", a->status);
}

/* Whether the NEED under way waits for any of @run; what is only wanted may fail. */
static bool object_needs(const struct lsr_object *o, struct lsr_run run)
{
        for (size_t i = 0; i < o->n_needed && o->needing; i++)
                if (run.first < o->needed[i].end && o->needed[i].first < run.end)
                        return true;
        return false;
}

void lsr_object_fetched(struct lsr_remote *remote, struct lsr_fetch *f, int error)
{
        struct lsr_object *o = f->object;
        struct lsr_fetch done = *f;

        lsr_http_drop(remote->http, &f->call);
        f->object = NULL;
        if (done.kind == LSR_FETCH_RUN && o->store.asked)
                lsr_store_ask(&o->store, done.run, false);
        if (o->state == LSR_OBJECT_OPENING) {
                int r = error < 0 ? error : object_opening(remote, o, &done);

                if (r == 0)
                        return;
                o->stats.waited_ns += lsr_clock() - o->since;
                o->state = LSR_OBJECT_OPEN;
                if (r < 0)
                        object_failed(o, r);
        } else if (error < 0 && !o->error && object_needs(o, done.run)) {
                o->error = error;
        }
        if (o->error && !*o->text)
                lsr_object_fail(o, o->error, "%s", strerror(-o->error));
}

/* --- needing --- */

static int object_runs_compare(const void *a, const void *b)
{
        const struct lsr_run *x = a, *y = b;

        return (x->first > y->first) - (x->first < y->first);
}

/* Sorted, disjoint runs of what is needed; -EINVAL: not of this object; -E2BIG. */
static int object_needed_runs(struct lsr_object *o, const struct lsr_remote_range *ranges, uint32_t n)
{
        uint64_t blocks = 0;
        size_t to = 0;

        for (uint32_t i = 0; i < n; i++) {
                if (ranges[i].offset > o->size || ranges[i].length > o->size - ranges[i].offset)
                        return lsr_object_fail(o, -EINVAL, "what is needed is not in the object");
                o->needed[i] = lsr_store_run(&o->store, ranges[i]);
        }
        qsort(o->needed, n, sizeof(*o->needed), object_runs_compare);
        for (uint32_t i = 0; i < n; i++) {
                struct lsr_run run = o->needed[i];

                if (to && run.first < o->needed[to - 1].end)
                        run.first = o->needed[to - 1].end;
                if (run.first >= run.end)
                        continue;
                blocks += run.end - run.first;
                o->needed[to++] = run;
        }
        o->n_needed = to;
        if (blocks > LSR_REMOTE_NEED_MAX / LSR_REMOTE_BLOCK)
                return lsr_object_fail(o, -E2BIG, "too much is needed at a time");
        return 0;
}

/* What a request costs, in blocks that come in the same time. */
static uint64_t object_gap(const struct lsr_object *o)
{
        uint64_t rate = o->bytes_per_second ? o->bytes_per_second : OBJECT_BYTES_PER_SECOND;
        uint64_t blocks = o->latency_ns / 1000 * (rate / 1000) / 1000 / LSR_REMOTE_BLOCK;

        return blocks < 1 ? 1 : blocks > OBJECT_GAP_MAX ? OBJECT_GAP_MAX : blocks;
}

/* Who goes on where the last window ended gets a larger one, later the next one ahead; others what is needed. */
static int object_window(struct lsr_object *o, uint64_t first)
{
        struct lsr_run *last = &o->queue.runs[o->queue.n - 1];
        bool in_order = first == o->next_block;
        uint64_t end, old = last->end;

        o->window = !in_order || !o->window ? 1 : o->window * 4 > OBJECT_WINDOW_MAX ? OBJECT_WINDOW_MAX : o->window * 4;
        end = last->first + o->window < o->store.n_blocks ? last->first + o->window : o->store.n_blocks;
        while (last->end < end && !lsr_store_has(&o->store, last->end) && !lsr_store_asked(&o->store, last->end))
                last->end++;
        lsr_store_ask(&o->store, (struct lsr_run){ old, last->end }, true);
        o->next_block = last->end;
        if (o->window < OBJECT_WINDOW_AHEAD || last->end < end || end == o->store.n_blocks)
                return 0;
        end = last->end + o->window < o->store.n_blocks ? last->end + o->window : o->store.n_blocks;
        o->next_block = end;
        return lsr_runs_add(&o->wanted, last->end, end);
}

/* The first block that is needed and not there, or UINT64_MAX. */
static uint64_t object_missing(const struct lsr_object *o)
{
        for (size_t i = 0; i < o->n_needed; i++)
                for (uint64_t b = o->needed[i].first; b < o->needed[i].end; b++)
                        if (!lsr_store_has(&o->store, b))
                                return b;
        return UINT64_MAX;
}

/* As for what is needed, a gap that takes less time than a request is fetched, too. */
static int object_want(struct lsr_object *o, struct lsr_run run)
{
        struct lsr_run *last = o->wanted.at < o->wanted.n ? &o->wanted.runs[o->wanted.n - 1] : NULL;

        if (!last || run.first < last->first || run.first > last->end + object_gap(o))
                return lsr_runs_add(&o->wanted, run.first, run.end);
        if (run.end > last->end)
                last->end = run.end;
        return 0;
}

static int object_need_begin(struct lsr_object *o, const struct lsr_remote_range *ranges, uint32_t n_needed,
                             uint32_t n_wanted)
{
        uint64_t missing;
        size_t queued;
        int r;

        free(o->needed);
        o->needed = calloc(n_needed + 1, sizeof(*o->needed));
        if (!o->needed)
                return -ENOMEM;
        r = object_needed_runs(o, ranges, n_needed);
        if (r < 0)
                return r;
        lsr_runs_end(&o->wanted);
        missing = object_missing(o);
        queued = o->queue.n - o->queue.at;
        r = lsr_store_plan(&o->store, o->needed, o->n_needed, object_gap(o), &o->queue);
        if (r == 0 && o->n_needed == 1 && o->queue.n - o->queue.at > queued)
                r = object_window(o, missing);
        for (uint32_t i = 0; i < n_wanted && r == 0; i++) {
                struct lsr_remote_range range = ranges[n_needed + i];
                struct lsr_run run;

                if (range.offset > o->size || range.length > o->size - range.offset)
                        continue; /* a wish that cannot be fulfilled harms nobody */
                run = lsr_store_run(&o->store, range);
                r = object_want(o, run);
        }
        return r < 0 ? r : missing == UINT64_MAX;
}

int lsr_object_need(struct lsr_remote *remote, struct lsr_object *o, const struct lsr_remote_range *ranges,
                    uint32_t n_needed, uint32_t n_wanted)
{
        int r;

        o->error = 0;
        o->text[0] = '\0';
        o->since = lsr_clock();
        r = object_need_begin(o, ranges, n_needed, n_wanted);
        if (r < 0 && !*o->text)
                lsr_object_fail(o, r, "%s", strerror(-r));
        o->needing = r == 0;
        /* Only now: whoever waits for this answer reads nothing. */
        if (r >= 0)
                lsr_store_trim(&o->store, LSR_REMOTE_NEED_MAX / LSR_REMOTE_BLOCK + OBJECT_WANTED_HELD, o->needed,
                               o->n_needed);
        lsr_object_pump(remote, o);
        return r;
}

int lsr_object_needed(struct lsr_object *o)
{
        if (!o->needing || (!o->error && object_missing(o) != UINT64_MAX))
                return 0;
        /* An error of what was only wanted is not one of this NEED. */
        if (object_missing(o) == UINT64_MAX)
                o->error = 0;
        o->needing = false;
        o->stats.waited_ns += lsr_clock() - o->since;
        return 1;
}

/* The next request of what is wanted: the rest of the first one, at most a request long. */
static bool object_next_wanted(struct lsr_object *o, struct lsr_run *ret_run)
{
        while (o->wanted.at < o->wanted.n) {
                struct lsr_run *run = &o->wanted.runs[o->wanted.at];
                struct lsr_run next;

                while (run->first < run->end &&
                       (lsr_store_has(&o->store, run->first) || lsr_store_asked(&o->store, run->first)))
                        run->first++;
                next = (struct lsr_run){ run->first, run->first };
                while (next.end < run->end && next.end - next.first < OBJECT_WINDOW_MAX &&
                       !lsr_store_has(&o->store, next.end) && !lsr_store_asked(&o->store, next.end))
                        next.end++;
                run->first = next.end;
                if (run->first >= run->end)
                        o->wanted.at++;
                if (next.first < next.end) {
                        lsr_store_ask(&o->store, next, true);
                        *ret_run = next;
                        return true;
                }
        }
        return false;
}

/* There is room for what was not asked for by a NEED: this may come at any time, and nothing is taken away for it. */
static bool object_has_room(const struct lsr_object *o)
{
        return o->store.held + OBJECT_WINDOW_MAX * LSR_REMOTE_FLIGHT_MAX <= LSR_REMOTE_HELD_MAX / LSR_REMOTE_BLOCK;
}

static bool object_flight_full(const struct lsr_remote *remote)
{
        for (unsigned i = 0; i < LSR_REMOTE_FLIGHT_MAX; i++)
                if (!remote->fetches[i].object)
                        return false;
        return true;
}

void lsr_object_pump(struct lsr_remote *remote, struct lsr_object *o)
{
        struct lsr_run run;

        if (o->state == LSR_OBJECT_WAITING && !object_flight_full(remote)) {
                int r = lsr_fetch_start(remote, o, LSR_FETCH_TAIL, (struct lsr_run){ 0, 0 });

                o->state = LSR_OBJECT_OPENING;
                if (r < 0)
                        object_failed(o, r);
        }
        if (o->state != LSR_OBJECT_OPEN)
                return;
        while (!object_flight_full(remote)) {
                int r;

                if (!lsr_runs_take(&o->queue, &run) && !(object_has_room(o) && object_next_wanted(o, &run)))
                        return;
                if (o->stats.bytes + (run.end - run.first) * LSR_REMOTE_BLOCK > o->bytes_max + LSR_REMOTE_BLOCK)
                        r = lsr_object_fail(o, -EDQUOT, "more would be fetched than its size explains");
                else
                        r = lsr_fetch_start(remote, o, LSR_FETCH_RUN, run);
                if (r < 0) {
                        lsr_store_ask(&o->store, run, false);
                        if (!o->error && object_needs(o, run))
                                o->error = r;
                        if (!*o->text)
                                lsr_object_fail(o, r, "%s", strerror(-r));
                }
        }
}
