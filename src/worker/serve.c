/*
 * serve - the process that parses: one request after the other
 *
 * A bundle that was opened keeps the input it was identified by, and what its
 * driver learns of it, until another one is asked about: so memory is that of
 * one bundle.  A stream, from a pipe or a filter, is read but once: its input
 * serves the first request, and every later one puts the same filters in front
 * of the file again; unless a scan has stopped at the member that is read next.
 */
#include "worker/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "base/utf8.h"
#include "catalogue/builder.h"
#include "formats/filter/inflate.h"
#include "io/stream.h"
#include "worker/confine.h"

#define SERVE_BUSY 4u                      /* so many cores compress what one decodes */
#define SERVE_TAIL_MAX ((uint64_t)1 << 20) /* bytes: a record of tar has no more */

/* --- answers ---------------------------------------------------------------------- */

int serve_send(struct serve *s, enum lsr_wire_type type, const void *data, size_t n)
{
        struct iovec part = { (void *)data, n };

        return lsr_wire_send(s->wire, type, s->request, &part, 1, NULL, 0);
}

static void serve_trouble(void *ctx, int error, const char *text)
{
        struct serve *s = ctx;
        int32_t number = error;
        size_t len = strlen(text);
        struct iovec parts[] = {
                { &number, sizeof(number) },
                { (void *)text, len < LSR_WIRE_TEXT_MAX ? len : LSR_WIRE_TEXT_MAX },
        };

        /* If the parent is gone, the answer will fail too. */
        lsr_wire_send(s->wire, LSR_WIRE_TROUBLE, s->request, parts, 2, NULL, 0);
}

/* --- bundles ------------------------------------------------------------------------ */

/* The last first: that is where requests go. */
/* NULL: it was never opened, or is closed. */
static struct serve_bundle *serve_find(struct serve *s, uint32_t id)
{
        for (size_t i = s->n_bundles; i-- > 0;)
                if (s->bundles[i].as.id == id)
                        return &s->bundles[i];
        return NULL;
}

int serve_about(struct serve *s, const void *data, size_t size, void *ret_head, size_t n,
                struct serve_bundle **ret_bundle)
{
        uint32_t id;

        if (size < n)
                return -EBADMSG;
        memcpy(ret_head, data, n);
        memcpy(&id, data, sizeof(id));
        *ret_bundle = serve_find(s, id);
        return *ret_bundle ? 0 : -ESTALE;
}

static void serve_forget(struct serve_bundle *b)
{
        lsr_scan_close(&b->scan, b->identity.format);
        b->scan = (struct lsr_scan){};
        b->bottom = NULL;
}

static void serve_drop(struct serve *s, struct serve_bundle *b)
{
        serve_forget(b);
        for (unsigned i = 0; i < LSR_WIRE_FDS_MAX; i++) {
                if (b->fds[i] < 0)
                        continue;
                lsr_io_unregister(s->io, b->fds[i]);
                close(b->fds[i]);
        }
}

/* The file once more, behind its filters. */
static int serve_input(struct serve *s, struct serve_bundle *b)
{
        struct lsr_input *in;
        int r;

        if (b->as.size == LSR_INPUT_UNKNOWN)
                return -ESPIPE;
        r = serve_file(s, b, &in);
        b->bottom = in;
        for (unsigned i = 0; i < b->identity.n_filters && r >= 0; i++) {
                struct lsr_input *outer;

                r = b->identity.filters[i]->open(&outer, in, s->window_max);
                if (r < 0)
                        lsr_input_free(in);
                else
                        in = outer;
        }
        if (r >= 0)
                b->scan.input = in;
        return r;
}

/* Make sure that there are input and companions, and that the input is where it is wanted. */
static int serve_wake(struct serve *s, struct serve_bundle *b, uint64_t from)
{
        struct lsr_scan *scan = &b->scan;
        int r = 0;

        if (scan->stopped && from >= scan->stopped_at)
                return 0;
        if (scan->stopped)
                serve_forget(b);
        if (b->used && scan->input)
                return lsr_input_seek(scan->input, 0);
        if (!scan->input)
                r = serve_input(s, b);
        for (unsigned i = 0; i < LSR_COMPANIONS && r >= 0 && !b->as.far; i++)
                if (b->fds[1 + i] >= 0 && !scan->companions[i])
                        r = lsr_input_file(&scan->companions[i], s->io, b->fds[1 + i], 0, b->as.companion_sizes[i]);
        return r;
}

int serve_begin(struct serve *s, struct serve_bundle *b, uint64_t from, struct lsr_scan **ret_scan)
{
        struct serve_bundle *other = b->as.id != s->warm ? serve_find(s, s->warm) : NULL;
        struct lsr_scan next = { .window_max = s->window_max,
                                 .password = s->password,
                                 .encoding = s->encoding,
                                 .ctx = s,
                                 .trouble = serve_trouble };
        int r;

        if (other && other->used)
                serve_forget(other);
        s->warm = b->as.id;
        r = serve_wake(s, b, from);
        b->used = true;
        if (r < 0 && r != -ENODATA) {
                serve_forget(b);
                return r;
        }
        next.input = b->scan.input;
        memcpy(next.companions, b->scan.companions, sizeof(next.companions));
        next.state = b->scan.state;
        b->scan = next;
        *ret_scan = &b->scan;
        return 0;
}

/* From the beginning of the bundle, wherever a scan has stopped. */
static int serve_begin_anew(struct serve *s, struct serve_bundle *b, struct lsr_scan **ret_scan)
{
        if (b->scan.stopped)
                serve_forget(b);
        return serve_begin(s, b, 0, ret_scan);
}

void serve_announce_all(struct serve_bundle *b)
{
        if (b->identity.n_filters > 0 && b->bottom && lsr_input_far(b->bottom))
                lsr_input_want(b->bottom, &(struct lsr_input_range){ 0, b->as.size }, 1);
}

/* Of a stream nothing is kept that the next request cannot go on from: decoders take much memory. */
void serve_end(struct serve_bundle *b)
{
        if (b->scan.input && lsr_input_random(b->scan.input))
                lsr_input_drop_end(b->scan.input);
        else if (!b->scan.stopped)
                serve_forget(b);
}

void serve_scan_explain(struct lsr_scan *scan, int r)
{
        if (r < 0 && scan->troubles == 0 && scan->input->what)
                lsr_scan_trouble(scan, r, "%s", scan->input->what);
}

/* --- requests ------------------------------------------------------------------------- */

static int serve_identify(struct serve *s, struct serve_bundle *b)
{
        const struct lsr_identity *id = &b->identity;
        bool is_pipe = b->as.size == LSR_INPUT_UNKNOWN;
        struct lsr_input *in;
        const uint8_t *head;
        size_t head_len;
        int r;

        for (unsigned i = 0; i < LSR_WIRE_FDS_MAX; i++) {
                r = b->fds[i] >= 0 ? lsr_io_register(s->io, b->fds[i]) : 0;
                if (r < 0)
                        return r;
        }
        r = is_pipe ? serve_pipe_input(s->io, b->fds[0], &in) : serve_file(s, b, &in);
        if (r < 0)
                return r;
        b->bottom = in;
        r = lsr_identify(in, s->window_max, &b->identity, &b->scan.input);
        if (r == 1 && id->what[0])
                serve_trouble(s, -EBADMSG, id->what);
        if (r != 0 || !id->format->needs_random || lsr_input_random(b->scan.input))
                return r;
        if (id->n_filters > 0)
                return LSR_WIRE_PACKED;
        head = serve_pipe_head(in, &head_len);
        r = serve_send(s, LSR_WIRE_HEAD, head, head_len);
        return r < 0 ? r : LSR_WIRE_PIPE;
}

static void serve_names(const struct lsr_identity *id, struct lsr_wire_done *done)
{
        size_t len = 0;

        strncpy(done->format, id->format->name, sizeof(done->format) - 1);
        for (unsigned i = 0; i < id->n_filters; i++) {
                const char *name = id->filters[i]->name;
                size_t n = strlen(name);

                if (len + n + 2 > sizeof(done->filters))
                        break;
                if (i > 0)
                        done->filters[len++] = ' ';
                memcpy(done->filters + len, name, n);
                len += n;
        }
        done->filtered = id->n_filters > 0;
}

static int serve_open(struct serve *s, const void *data, size_t size, struct lsr_wire_done *done)
{
        struct serve_bundle b = {};
        unsigned next = 0, expected = 0;
        int r;

        if (size != sizeof(b.as))
                return -EBADMSG;
        memcpy(&b.as, data, size);
        for (unsigned i = 0; i < LSR_WIRE_FDS_MAX; i++) {
                bool there = i == 0 || b.as.companions & 1u << (i - 1);

                b.fds[i] = there && next < s->wire->n_fds ? s->wire->fds[next++] : -1;
                expected += there;
        }
        s->wire->n_fds = 0;
        r = next < expected ? -EMFILE : serve_identify(s, &b);
        if (r != 0 && r != LSR_WIRE_PACKED) {
                serve_drop(s, &b);
                return r;
        }
        serve_names(&b.identity, done);
        if (s->n_bundles == s->cap_bundles) {
                s->cap_bundles = s->cap_bundles ? 2 * s->cap_bundles : 8;
                s->bundles = lsr_xrealloc(s->bundles, s->cap_bundles * sizeof(*s->bundles));
        }
        b.packed = r == LSR_WIRE_PACKED;
        s->bundles[s->n_bundles++] = b;
        return r;
}

static int serve_records(struct serve *s)
{
        size_t n = s->records.len;

        s->records.len = 0;
        return n > 0 ? serve_send(s, LSR_WIRE_MEMBERS, s->records.data, n) : 0;
}

/* Is it in s->names[@which] now? */
static bool serve_convert(struct serve *s, unsigned which, const char *text, size_t n, size_t *ret_len)
{
        if (lsr_utf8_valid(text, n))
                return false;
        *ret_len = lsr_encoding_decode(s->encoding, text, n, lsr_renew(&s->names[which], 3 * n, &s->names_cap[which]));
        return *ret_len != SIZE_MAX;
}

/* Names that are no UTF-8, in the encoding that was said. */
static void serve_convert_names(struct serve *s, struct lsr_member *m)
{
        size_t len;

        if (serve_convert(s, 0, m->path, m->path_len, &len)) {
                if (!m->raw) {
                        m->raw = m->path;
                        m->raw_len = m->path_len;
                }
                m->path = s->names[0];
                m->path_len = len;
        }
        if (m->target && !(m->flags & LSR_MEMBER_NOTED) && serve_convert(s, 1, m->target, m->target_len, &len)) {
                m->target = s->names[1];
                m->target_len = len;
        }
}

/* The parent builds the catalogue, while the next members are parsed here. */
static int serve_put(void *ctx, const struct lsr_member *m)
{
        struct serve *s = ctx;
        struct lsr_member converted;

        if (!m) {
                lsr_records_clear(&s->records);
                return serve_send(s, LSR_WIRE_MEMBERS, NULL, 0);
        }
        if (s->encoding) {
                converted = *m;
                serve_convert_names(s, &converted);
                m = &converted;
        }
        if (lsr_record_put(&s->records, m) < 0)
                return -ENOMEM;
        if (s->records.len < LSR_WIRE_MEMBERS_MIN)
                return 0;
        /* It says nothing unless these are more than it takes. */
        return lsr_wire_waiting(s->wire) ? -E2BIG : serve_records(s);
}

/* For the content of the last of the members, which go before. */
static int serve_stream(struct serve *s, enum lsr_wire_type type, const void *data, size_t n)
{
        int r = 0, sent = 0;

        if (s->records.len > 0)
                r = sent = lsr_wire_put(s->wire, LSR_WIRE_MEMBERS, s->request, s->records.data, s->records.len);
        s->records.len = 0;
        if (r >= 0)
                r = lsr_wire_put(s->wire, type, s->request, data, n);
        if (r < 0 || r + sent == 0)
                return r;
        return lsr_wire_waiting(s->wire) ? -ECANCELED : 0;
}

static int serve_stream_write(void *ctx, const void *data, size_t n)
{
        const char *p = data;
        int r = 0;

        for (size_t part; n > 0 && r >= 0; p += part, n -= part) {
                part = n < LSR_WIRE_DATA_MAX ? n : LSR_WIRE_DATA_MAX;
                r = serve_stream(ctx, LSR_WIRE_DATA, p, part);
        }
        return r;
}

static int serve_stream_hole(void *ctx, uint64_t n)
{
        return serve_stream(ctx, LSR_WIRE_HOLE, &n, sizeof(n));
}

static int serve_stream_map(void *ctx, const struct lsr_extent *extents, size_t n)
{
        return serve_stream(ctx, LSR_WIRE_MAP, extents, n * sizeof(*extents));
}

/*
 * A format ends before its input does, with padding.  Only behind that tells a filter that it was cut short, or what
 * its checksum says; and who writes into a pipe is let finish.
 */
static void serve_tail(struct lsr_scan *scan)
{
        struct lsr_input *in = scan->input;
        const uint8_t *data;
        uint64_t end = in->at + SERVE_TAIL_MAX;
        ssize_t got = 0;

        if (lsr_input_random(in))
                return;
        while (in->at < end && (got = lsr_input_peek(in, 1, &data)) > 0)
                lsr_input_take(in, (size_t)got);
        if (got < 0)
                lsr_scan_trouble(scan, (int)got, "%s", in->what ? in->what : "its end cannot be read");
        else if (got == 0 && in->ignores)
                lsr_scan_trouble(scan, -EBADMSG, "%s", in->what);
}

/* The paths of a SCAN.  False: that is not what follows it. */
static bool serve_paths(const uint8_t *data, size_t size, const char **paths, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                const uint8_t *end = size > 0 ? memchr(data, '\0', size) : NULL;

                if (!end)
                        return false;
                paths[i] = (const char *)data;
                size -= (size_t)(end + 1 - data);
                data = end + 1;
        }
        return size == 0;
}

/* For a listing only so much is decoded, unless the whole has no known size. */
static void serve_limit(struct serve_bundle *b)
{
        if (!lsr_input_random(b->scan.input) && b->as.size != LSR_INPUT_UNKNOWN)
                lsr_input_limit(b->scan.input,
                                lsr_limit_in_proportion(LSR_LIMIT_DECODED, LSR_LIMIT_DECODED_PER_BYTE, b->as.size));
}

/* What is wanted goes to the parent, or all of it. */
static int serve_answer(struct serve *s, struct serve_bundle *b, const struct lsr_wire_scan *request,
                        const char *const *paths, struct lsr_wire_done *done)
{
        const struct lsr_format *format = b->identity.format;
        const struct lsr_wanted wanted = {
                .paths = paths,
                .n = request->n_paths,
                .content = request->content,
                .depth = request->depth,
                .numbers = request->numbers,
                .links = request->links,
                .described = request->described,
        };
        const struct lsr_sink content = { s, serve_stream_write, serve_stream_hole, serve_stream_map };
        struct lsr_scan *scan;
        int r = request->stream && !format->streams ? -EOPNOTSUPP : serve_begin_anew(s, b, &scan);

        if (r < 0)
                return r;
        scan->distrusted = request->distrusted;
        scan->content = request->stream ? &content : NULL;
        /* Of filters gzip alone asks for cores as late as that: to decode ahead on them takes a good deal more work. */
        if (request->stream && request->busy)
                lsr_thread_set(lsr_thread_cpus() / SERVE_BUSY > 0 ? lsr_thread_cpus() / SERVE_BUSY : 1);
        if (!wanted.content)
                serve_announce_all(b);
        if (!request->stream)
                serve_limit(b);
        scan->builder = lsr_builder_new_relay(serve_put, s);
        lsr_records_clear(&s->records);
        r = wanted.n > 0 && format->list ? format->list(scan, &wanted) : 1;
        if (r == 1)
                r = format->scan(scan);
        serve_scan_explain(scan, r);
        if (r >= 0 && scan->troubles == 0 && !scan->stopped)
                serve_tail(scan);
        if (r >= 0 && !scan->catalogue)
                r = serve_records(s);
        else if (r >= 0)
                r = serve_send(s, LSR_WIRE_CATALOGUE, scan->catalogue,
                               scan->catalogue_size > request->max ? 0 : scan->catalogue_size);
        done->some = r >= 0 && scan->some;
        done->members = scan->members;
        free(scan->catalogue);
        lsr_builder_free(scan->builder);
        if (scan->input)
                lsr_input_limit(scan->input, 0);
        serve_end(b);
        return r;
}

static int serve_list(struct serve *s, const uint8_t *data, size_t size, struct lsr_wire_done *done)
{
        struct lsr_wire_scan request;
        struct serve_bundle *b;
        const char **paths;
        int r = serve_about(s, data, size, &request, sizeof(request), &b);

        if (r < 0)
                return r;
        if (request.n_paths > size)
                return -EBADMSG;
        paths = lsr_xmalloc(request.n_paths * sizeof(*paths) + 1);
        r = serve_paths(data + sizeof(request), size - sizeof(request), paths, request.n_paths)
                    ? serve_answer(s, b, &request, paths, done)
                    : -EBADMSG;
        free(paths);
        return r;
}

/* A format that has no check of its own.  What is left of a bundle with an index is such a one. */
static int serve_check_remains(struct serve *s, struct serve_bundle *b)
{
        struct lsr_input *in;
        int r;

        if (b->identity.n_filters != 1 || b->identity.filters[0] != &lsr_filter_zstd || b->as.size == LSR_INPUT_UNKNOWN)
                return 1;
        r = serve_file(s, b, &in);
        if (r < 0)
                return r;
        if (lsr_lsr1_is_lost(in))
                serve_trouble(s, -EBADMSG, "the index at its end is damaged");
        lsr_input_free(in);
        return 1;
}

static int serve_check(struct serve *s, const void *data, size_t size, struct lsr_wire_done *done)
{
        struct lsr_wire_bundle request;
        struct serve_bundle *b;
        struct lsr_scan *scan;
        int r = serve_about(s, data, size, &request, sizeof(request), &b);

        if (r < 0)
                return r;
        if (!b->identity.format->check)
                return serve_check_remains(s, b);
        r = serve_begin_anew(s, b, &scan);
        if (r < 0)
                return r;
        r = b->identity.format->check(scan, &done->checked);
        serve_scan_explain(scan, r);
        serve_end(b);
        return r;
}

static void serve_close(struct serve *s, const void *data, size_t size)
{
        struct lsr_wire_bundle request;
        struct serve_bundle *b;

        if (serve_about(s, data, size, &request, sizeof(request), &b) < 0)
                return;
        serve_drop(s, b);
        memmove(b, b + 1, (size_t)(s->bundles + s->n_bundles - (b + 1)) * sizeof(*b));
        s->n_bundles--;
}

/* The first request: what is needed is made, what is not needed is given up. */
static int serve_start(struct serve *s, const uint8_t *data, size_t size, struct lsr_wire_done *done)
{
        struct lsr_wire_start request;
        int r;

        if (s->io || size < sizeof(request))
                return -EBADMSG;
        memcpy(&request, data, sizeof(request));
        s->window_max = request.window_max;
        lsr_thread_set(request.threads);
        memcpy(lsr_limits, request.limits, sizeof(request.limits));
        r = lsr_io_new(&s->io, (const char *)data + sizeof(request));
        if (r >= 0)
                r = request.small ? lsr_io_seal_small(s->io) : lsr_io_seal(s->io);
        if (r < 0)
                return r;
        lsr_inflate_prepare();
        done->confined = lsr_confine(s->wire->fd);
        return request.required ? done->confined : 0;
}

static int serve_one(struct serve *s, enum lsr_wire_type type, const uint8_t *data, size_t size)
{
        struct lsr_wire_done done;
        int r;

        memset(&done, 0, sizeof(done));
        switch (type) {
        case LSR_WIRE_START:
                r = serve_start(s, data, size, &done);
                break;
        case LSR_WIRE_OPEN:
                r = serve_open(s, data, size, &done);
                break;
        case LSR_WIRE_SCAN:
                r = serve_list(s, data, size, &done);
                break;
        case LSR_WIRE_READ:
        case LSR_WIRE_EXTENT:
                r = serve_member(s, type, data, size, &done);
                break;
        case LSR_WIRE_MANY:
                r = serve_many(s, data, size);
                break;
        case LSR_WIRE_WANT:
                r = serve_want(s, data, size);
                break;
        case LSR_WIRE_CHECK:
                r = serve_check(s, data, size, &done);
                break;
        case LSR_WIRE_CLOSE:
                serve_close(s, data, size);
                return 0;
        case LSR_WIRE_STOP: /* too late */
                return 0;
        case LSR_WIRE_PASSWORD:
                free(s->password);
                s->password = lsr_xstrdup((const char *)data);
                return 0;
        case LSR_WIRE_ENCODING:
                s->encoding = lsr_encoding_find((const char *)data);
                return 0;
        default:
                return -EBADMSG;
        }
        done.result = r;
        if (s->io)
                done.stats = *lsr_io_stats(s->io);
        done.stats.syscalls += s->wire->calls;
        r = serve_send(s, LSR_WIRE_DONE, &done, sizeof(done));
        /* Nothing is parsed by a process that is not ready, or not confined where it has to be. */
        return r >= 0 && type == LSR_WIRE_START ? done.result : r;
}

int lsr_worker_main(int fd)
{
        struct serve s = {};
        int r;

        lsr_confine_descriptors(fd);
        /* The zone is the parent's affair: what libraries take for local time stays as it was stored. */
        setenv("TZ", "UTC0", 1);
        s.wire = lsr_wire_new(fd, true);
        do {
                struct lsr_wire_head head;
                uint8_t *data;

                r = lsr_wire_head(s.wire, &head);
                if (r >= 0 && (head.length > (head.type == LSR_WIRE_MANY ? LSR_WIRE_MANY_MAX : LSR_WIRE_REQUEST_MAX) ||
                               (!s.io && head.type != LSR_WIRE_START)))
                        r = -EBADMSG;
                if (r < 0)
                        break;
                s.request = head.request;
                data = lsr_xmalloc(head.length + 1);
                r = lsr_wire_take(s.wire, data, head.length);
                data[head.length] = '\0';
                if (r >= 0)
                        r = serve_one(&s, head.type, data, head.length);
                free(data);
        } while (r >= 0);
        /*
         * The end of the socket is the end of the work.  Otherwise the socket stays open as long as we are here: who
         * finds it closed kills us, and would say so in place of this.
         */
        if (r != -EPIPE)
                _exit(r == -ENOMEM || r == -ENOBUFS ? 2 : 1); /* as base/arena.h does */
        while (s.n_bundles > 0)
                serve_drop(&s, &s.bundles[--s.n_bundles]);
        free(s.bundles);
        free(s.password);
        free(s.names[0]);
        free(s.names[1]);
        free(s.records.data);
        lsr_io_free(s.io);
        lsr_wire_free(s.wire);
        return 0;
}
