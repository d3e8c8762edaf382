/*
 * request - the answers of a worker
 *
 * Nothing that comes back is believed: lengths have limits and memory grows
 * with what has arrived, numbers have ranges, the catalogue is decoded as if it
 * were a file.
 */
#include "worker/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "worker/record.h"

#define WORKER_ERRNO_MAX 4095
#define WORKER_DEEP_MAX 1000u /* members that are too deep to be listed, before all others are given up too */
/* Memory is taken for what a frame says it has up to here, beyond for what has come. */
#define WORKER_GROW_MIN ((size_t)1 << 20)

void lsr_worker_say(struct lsr_worker *w, int error, const char *text)
{
        if (w->options.trouble)
                w->options.trouble(w->options.ctx, error, text);
}

static int answer_trouble(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        char text[LSR_WIRE_TEXT_MAX + 1];
        int32_t error;
        int r;

        if (length < sizeof(error) || length - sizeof(error) > LSR_WIRE_TEXT_MAX ||
            call->troubles++ == LSR_WIRE_TROUBLES_MAX)
                return -EPROTO;
        r = lsr_wire_take(w->wire, &error, sizeof(error));
        if (r >= 0)
                r = lsr_wire_take(w->wire, text, length - sizeof(error));
        if (r < 0)
                return r;
        if (error > 0 || error < -WORKER_ERRNO_MAX)
                return -EPROTO;
        text[length - sizeof(error)] = '\0';
        /* What it says of having been stopped is not news. */
        if (call->sink_result >= 0 && !call->full && !w->unfetched)
                lsr_worker_say(w, error, text);
        return 0;
}

static int answer_stop(struct lsr_worker *w)
{
        return lsr_wire_send(w->wire, LSR_WIRE_STOP, w->request, NULL, 0, NULL, 0);
}

/* The first that comes of a member. */
static void answer_begin(struct worker_call *call)
{
        if (call->began)
                return;
        call->began = true;
        call->sink_result = call->many->begin(call->many->ctx, call->at);
}

static bool answer_takes_data(const struct worker_call *call)
{
        return call->sink || (call->many && call->at < call->n);
}

static int answer_data(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        if (!answer_takes_data(call) || length > LSR_WIRE_DATA_MAX)
                return -EPROTO;
        while (length > 0) {
                const uint8_t *data;
                ssize_t n = lsr_wire_some(w->wire, length, &data);

                if (n < 0)
                        return (int)n;
                length -= (uint64_t)n;
                if (call->sink_result < 0) {
                        call->drained += (uint64_t)n;
                        if (call->drained > LSR_WIRE_DRAIN_MAX)
                                return -EPROTO;
                        continue;
                }
                if (call->sink) {
                        call->sink_result = call->sink->write(call->sink->ctx, data, (size_t)n);
                } else {
                        answer_begin(call);
                        if (call->sink_result >= 0)
                                call->sink_result = call->many->write(call->many->ctx, data, (size_t)n);
                }
                if (call->sink_result < 0) {
                        int r = answer_stop(w);

                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

/* The worker is not made to send zeros, nor are they written where the taker knows something better. */
static int answer_hole(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        struct lsr_sink sink;
        uint64_t n;
        int r;

        if (!answer_takes_data(call) || length != sizeof(n))
                return -EPROTO;
        r = lsr_wire_take(w->wire, &n, sizeof(n));
        if (r < 0)
                return r;
        if (n > LSR_WIRE_HOLE_MAX)
                return -EPROTO;
        if (call->sink_result < 0) {
                call->drained += sizeof(struct lsr_wire_head) + sizeof(n);
                return call->drained > LSR_WIRE_DRAIN_MAX ? -EPROTO : 0;
        }
        if (call->many)
                answer_begin(call);
        if (call->sink_result < 0)
                return answer_stop(w);
        sink = call->sink ? *call->sink : (struct lsr_sink){ call->many->ctx, call->many->write, call->many->hole };
        call->sink_result = lsr_sink_hole(&sink, n);
        return call->sink_result < 0 ? answer_stop(w) : 0;
}

/* Ascending, not adjacent, nothing empty. */
static bool answer_map_fits(const struct lsr_extent *extents, size_t n)
{
        uint64_t end = 0;

        for (size_t i = 0; i < n; i++) {
                if (extents[i].size == 0 || (i > 0 && extents[i].offset <= end) ||
                    __builtin_add_overflow(extents[i].offset, extents[i].size, &end))
                        return false;
        }
        return true;
}

static int answer_map(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        int (*map)(void *ctx, const struct lsr_extent *extents, size_t n) = call->many   ? call->many->map
                                                                            : call->sink ? call->sink->map
                                                                                         : NULL;
        uint64_t n = length / sizeof(struct lsr_extent);
        struct lsr_extent *extents;
        int r;

        if (!map || !answer_takes_data(call) || call->began || length % sizeof(*extents) || n > LSR_EXTENTS_MAX)
                return -EPROTO;
        extents = malloc(length + 1);
        if (!extents)
                return -ENOMEM;
        r = lsr_wire_take(w->wire, extents, length);
        if (r >= 0 && !answer_map_fits(extents, n))
                r = -EPROTO;
        if (r >= 0 && call->sink_result < 0) {
                call->drained += sizeof(struct lsr_wire_head) + length;
                r = call->drained > LSR_WIRE_DRAIN_MAX + LSR_WIRE_REQUEST_MAX ? -EPROTO : 0;
        } else if (r >= 0) {
                if (call->many)
                        answer_begin(call);
                if (call->sink_result >= 0)
                        call->sink_result = map(call->many ? call->many->ctx : call->sink->ctx, extents, n);
                r = call->sink_result < 0 ? answer_stop(w) : 0;
        }
        free(extents);
        return r;
}

static int answer_verified(struct worker_call *call, uint64_t length)
{
        if (!call->many || call->at == call->n || length != 0)
                return -EPROTO;
        if (call->sink_result < 0) {
                call->drained += sizeof(struct lsr_wire_head);
                return call->drained > LSR_WIRE_DRAIN_MAX ? -EPROTO : 0;
        }
        answer_begin(call);
        if (call->sink_result >= 0 && call->many->verified)
                call->many->verified(call->many->ctx);
        return 0;
}

static int answer_end(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        int32_t result;
        int r;

        if (!call->many || call->at == call->n || length != sizeof(result))
                return -EPROTO;
        r = lsr_wire_take(w->wire, &result, sizeof(result));
        if (r < 0)
                return r;
        if (result > 0 || result < -WORKER_ERRNO_MAX)
                return -EPROTO;
        call->troubles = 0;
        if (call->sink_result < 0) {
                call->drained += sizeof(struct lsr_wire_head) + sizeof(result);
                return call->drained > LSR_WIRE_DRAIN_MAX ? -EPROTO : 0;
        }
        answer_begin(call);
        if (call->sink_result >= 0) {
                call->sink_result = call->many->end(call->many->ctx, call->at++, result);
                call->began = false;
        }
        return call->sink_result < 0 ? answer_stop(w) : 0;
}

/* All of a frame, into call->data. */
static int answer_blob(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        call->size = 0;
        while (call->size < length) {
                size_t step;
                int r;

                if (call->cap == call->size) {
                        size_t cap = call->cap                  ? 2 * call->cap
                                     : length < WORKER_GROW_MIN ? (size_t)length
                                                                : WORKER_GROW_MIN;

                        if (lsr_try_resize(&call->data, cap) < 0)
                                return -ENOMEM;
                        call->cap = cap;
                }
                step = call->cap - call->size < length - call->size ? call->cap - call->size
                                                                    : (size_t)(length - call->size);
                r = lsr_wire_take(w->wire, call->data + call->size, step);
                if (r < 0)
                        return r;
                call->size += step;
        }
        return 0;
}

static int answer_head(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        if (call->type != LSR_WIRE_OPEN || call->has_data || length > LSR_WIRE_HEAD_MAX)
                return -EPROTO;
        call->has_data = true;
        return answer_blob(w, call, length);
}

static int answer_catalogue(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        if (call->type != LSR_WIRE_SCAN || call->has_data || call->received || length > call->catalogue_max)
                return -EPROTO;
        if (length >= WORKER_GROW_MIN)
                lsr_heap_large();
        call->has_data = true;
        return answer_blob(w, call, length);
}

static const char answer_many[] = "it has more members, or longer names, than can be listed";
static const char answer_large[] =
        "not all of it is listed: that would take more memory than there is for a bundle of its size";

/* More than the catalogue takes: the worker is told, and what it still sends is passed over. */
static int answer_too_many(struct lsr_worker *w, struct worker_call *call, const char *why, const char *raised)
{
        char text[160];

        if (call->full)
                return 0;
        call->full = true;
        snprintf(text, sizeof(text), "%s%s", why, raised);
        lsr_worker_say(w, -E2BIG, text);
        return answer_stop(w);
}

/* One such member is left out; many are a bundle that is made of nothing else. */
static int answer_too_deep(struct lsr_worker *w, struct worker_call *call, enum lsr_limit limit)
{
        char text[160], value[32];

        if (call->deep++ > 0)
                return call->deep > WORKER_DEEP_MAX ? answer_too_many(w, call, answer_many, lsr_limit_raised(limit))
                                                    : 0;
        snprintf(text, sizeof(text),
                 limit == LSR_LIMIT_NAME ? "what has a path of more than %s is not listed%s"
                                         : "what lies more than %s directories deep is not listed%s",
                 lsr_limit_text(limit, value), lsr_limit_raised(limit));
        lsr_worker_say(w, -ENAMETOOLONG, text);
        return 0;
}

static int answer_members(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        size_t at = 0;
        int r;

        if (call->type != LSR_WIRE_SCAN || call->has_data || length > LSR_WIRE_MEMBERS_MIN + LSR_WIRE_REQUEST_MAX)
                return -EPROTO;
        if (length == 0) {
                call->owner = (struct lsr_record_owner){};
                call->received = 0;
                call->some = false;
                return lsr_builder_reset(call->builder);
        }
        r = answer_blob(w, call, length);
        if (r < 0)
                return r;
        call->drained += call->full || call->sink_result < 0 ? length : 0;
        call->received += length;
        if (call->drained > LSR_WIRE_DRAIN_MAX + LSR_WIRE_REQUEST_MAX)
                return -EPROTO;
        if (call->full || call->received > LSR_WIRE_MEMBERS_MAX)
                return answer_too_many(w, call, answer_many, "");
        while (at < call->size && call->sink_result >= 0) {
                struct lsr_member m;

                r = lsr_record_get(call->data, call->size, &at, &call->owner, &m);
                if (r < 0)
                        return r;
                call->some |= (m.flags & LSR_MEMBER_UNREAD) || (m.meta.known & (LSR_FIELD_INODE | LSR_FIELD_NLINK));
                if (call->some && !call->wants_some)
                        return -EPROTO;
                if (m.path_len > lsr_limit(LSR_LIMIT_NAME)) {
                        r = answer_too_deep(w, call, LSR_LIMIT_NAME);
                        if (r < 0 || call->full)
                                return r;
                        continue;
                }
                r = lsr_builder_add(call->builder, &m);
                if (r == -EFBIG)
                        return answer_too_many(w, call, answer_large, lsr_limit_raised(LSR_LIMIT_ROWS));
                if (r == -E2BIG)
                        return answer_too_many(w, call, answer_many, lsr_limit_raised(LSR_LIMIT_MEMBERS));
                if (r == -ENAMETOOLONG)
                        r = answer_too_deep(w, call, LSR_LIMIT_PATH_DEPTH);
                if (r < 0 || call->full)
                        return r;
                if (call->member)
                        call->sink_result = call->member(call->sink->ctx, &m);
                if (call->sink_result < 0)
                        return answer_stop(w);
        }
        return 0;
}

static bool answer_name_fits(const char *name, size_t size)
{
        size_t len = strnlen(name, size);

        return len < size && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-+ ") == len;
}

static int answer_done(struct lsr_worker *w, struct worker_call *call, uint64_t length)
{
        const struct lsr_wire_done *done = &call->done;
        int most = call->type == LSR_WIRE_OPEN                                     ? LSR_WIRE_PACKED
                   : call->type == LSR_WIRE_EXTENT || call->type == LSR_WIRE_CHECK ? 1
                                                                                   : 0;
        bool wants_data;
        int r;

        if (length != sizeof(*done))
                return -EPROTO;
        r = lsr_wire_take(w->wire, &call->done, sizeof(*done));
        if (r < 0)
                return r;
        wants_data = call->type == LSR_WIRE_OPEN && done->result == LSR_WIRE_PIPE;
        if (done->result > most || done->result < -WORKER_ERRNO_MAX || done->confined > 0 ||
            done->confined < -WORKER_ERRNO_MAX || (wants_data && !call->has_data) ||
            (done->some && (!call->wants_some || call->has_data)) || (call->some && done->result >= 0 && !done->some) ||
            (call->many && done->result == 0 && call->sink_result == 0 && call->at < call->n) ||
            !answer_name_fits(done->format, sizeof(done->format)) ||
            !answer_name_fits(done->filters, sizeof(done->filters)) || done->size > UINT64_MAX - done->offset)
                return -EPROTO;
        w->stats = done->stats;
        return 0;
}

/* Not one of the request: any thread of the worker may be reading. */
static int answer_need(struct lsr_worker *w, uint64_t length)
{
        struct lsr_input_range ranges[LSR_WIRE_RANGES_MAX];
        struct lsr_wire_need need;
        int32_t answer;
        int r;

        if (!w->options.need || w->answers[1] < 0 || length < sizeof(need))
                return -EPROTO;
        r = lsr_wire_take(w->wire, &need, sizeof(need));
        if (r < 0)
                return r;
        if (need.n_needed > LSR_WIRE_RANGES_MAX || need.n_wanted > LSR_WIRE_RANGES_MAX - need.n_needed ||
            length != sizeof(need) + (need.n_needed + need.n_wanted) * sizeof(*ranges))
                return -EPROTO;
        r = lsr_wire_take(w->wire, ranges, length - sizeof(need));
        for (uint32_t i = 0; i < need.n_needed + need.n_wanted && r == 0; i++)
                if (ranges[i].offset > w->options.size || ranges[i].length > w->options.size - ranges[i].offset)
                        r = -EPROTO;
        if (r == 0)
                r = w->options.need(w->options.ctx, ranges, need.n_needed, need.n_wanted);
        if (r == -EPROTO || r == -EPIPE)
                return r;
        w->unfetched |= r < 0;
        answer = r;
        return write(w->answers[1], &answer, sizeof(answer)) == sizeof(answer) ? 0 : -EPROTO;
}

int lsr_call_receive(struct lsr_worker *w, struct worker_call *call)
{
        for (;;) {
                struct lsr_wire_head head;
                int r = lsr_wire_head(w->wire, &head);

                if (r < 0)
                        return r;
                if (head.type == LSR_WIRE_NEED) {
                        r = answer_need(w, head.length);
                        if (r < 0)
                                return r;
                        continue;
                }
                if (head.request != call->request)
                        return -EPROTO;
                switch (head.type) {
                case LSR_WIRE_TROUBLE:
                        r = answer_trouble(w, call, head.length);
                        break;
                case LSR_WIRE_DATA:
                        r = answer_data(w, call, head.length);
                        break;
                case LSR_WIRE_HOLE:
                        r = answer_hole(w, call, head.length);
                        break;
                case LSR_WIRE_MAP:
                        r = answer_map(w, call, head.length);
                        break;
                case LSR_WIRE_VERIFIED:
                        r = answer_verified(call, head.length);
                        break;
                case LSR_WIRE_END:
                        r = answer_end(w, call, head.length);
                        break;
                case LSR_WIRE_HEAD:
                        r = answer_head(w, call, head.length);
                        break;
                case LSR_WIRE_MEMBERS:
                        r = answer_members(w, call, head.length);
                        break;
                case LSR_WIRE_CATALOGUE:
                        r = answer_catalogue(w, call, head.length);
                        break;
                case LSR_WIRE_DONE:
                        return answer_done(w, call, head.length);
                default:
                        r = -EPROTO;
                }
                if (r < 0)
                        return r;
        }
}
