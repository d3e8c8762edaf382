/*
 * worker - the process, and the requests that it is sent
 *
 * What comes back is request.c's affair.  A process that breaks the rules is killed, and the next request
 * gets another one, as after a crash.
 */
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/compat.h"
#include "base/thread.h"
#include "io/stream.h"
#include "worker/confine.h"
#include "worker/request.h"
#include "worker/record.h"

#define WORKER_AGE_S 5    /* of one that is younger nobody asks what it has taken, seconds */
#define WORKER_ENCODED 4u /* what a catalogue takes in memory, in sizes of its encoding: two or three, eight at most */

struct lsr_worker *lsr_worker_new(const struct lsr_worker_options *options)
{
        struct lsr_worker *w = lsr_xmalloc(sizeof(*w));

        *w = (struct lsr_worker){ .options = *options, .engine = lsr_xstrdup(options->engine), .answers = { -1, -1 } };
        return w;
}

/* Whole seconds. */
static time_t worker_clock(clockid_t clock)
{
        struct timespec now = {};

        clock_gettime(clock, &now);
        return now.tv_sec;
}

/* Its process is no more, or ends by itself. */
static void worker_leave(struct lsr_worker *w)
{
        w->calls += w->wire->calls + 3;
        w->wire = lsr_wire_free(w->wire);
        for (unsigned i = 0; i < 2; i++) {
                if (w->answers[i] >= 0)
                        close(w->answers[i]);
                w->answers[i] = -1;
        }
        lsr_io_stats_add(&w->past, &w->stats);
        w->stats = (struct lsr_io_stats){};
        w->pid = 0;
        w->starting = false;
        w->first_id = w->next_id;
}

/* Returns the status of waitpid(). */
static int worker_bury(struct lsr_worker *w)
{
        pid_t pid = w->pid;
        int status = 0;

        worker_leave(w);
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        return status;
}

bool lsr_worker_runs(const struct lsr_worker *w)
{
        return w->pid;
}

void lsr_worker_end(struct lsr_worker *w)
{
        pid_t pid = w->pid;

        if (!pid)
                return;
        /* At the end of its socket it ends. */
        worker_leave(w);
        lsr_start_end(w->options.nursery, pid);
}

struct lsr_worker *lsr_worker_free(struct lsr_worker *w)
{
        if (!w)
                return NULL;
        lsr_worker_end(w);
        free(w->engine);
        free(w->password);
        free(w);
        return NULL;
}

/* It is dead, or about to be: the signal does not change what a process that is ending died of. */
static int worker_lost(struct lsr_worker *w)
{
        int status = worker_bury(w);
        char text[160];

        if (WIFSIGNALED(status)) {
                const char *name = sigabbrev_np(WTERMSIG(status));

                if (WTERMSIG(status) == SIGXCPU)
                        snprintf(text, sizeof(text),
                                 "to read it takes more processor time than a bundle of its size may%s",
                                 lsr_limit_raised(LSR_LIMIT_TIME));
                else if (WTERMSIG(status) == SIGBUS)
                        /* A page of it that is mapped cannot be had, see io/map.h. */
                        snprintf(text, sizeof(text), "it became shorter while it was read, or a part cannot be read");
                else
                        snprintf(text, sizeof(text), "the process that reads it was killed (SIG%s)", name ? name : "?");
        } else if (WEXITSTATUS(status) == 2) {
                /* So does everything here that cannot go on without memory, see base/arena.h. */
                snprintf(text, sizeof(text), "the process that reads it ran out of memory%s",
                         lsr_limit_raised(LSR_LIMIT_MEMORY));
        } else {
                snprintf(text, sizeof(text), "the process that reads it ended (status %d)", WEXITSTATUS(status));
        }
        lsr_worker_say(w, -EPIPE, text);
        return -EPIPE;
}

/* What it sent no worker of ours sends. */
static int worker_distrust(struct lsr_worker *w, int r)
{
        worker_bury(w);
        lsr_worker_say(w, r,
                       r == -ENOMEM || r == -ENOBUFS ? "there is not enough memory for all of it"
                                                     : "the process that reads it broke its rules and was terminated");
        return r;
}

/* The first answer: it is ready and confined.  It was asked together with the request at hand. */
static int worker_ready(struct lsr_worker *w)
{
        struct worker_call start = { .type = LSR_WIRE_START };
        int r;

        if (!w->starting)
                return 0;
        w->starting = false;
        r = lsr_call_receive(w, &start);
        if (r < 0)
                return r == -EPIPE ? worker_lost(w) : worker_distrust(w, r);
        if (start.done.confined < 0)
                w->confined = start.done.confined;
        /* One that is not ready has nothing left to do. */
        if (start.done.result < 0)
                worker_bury(w);
        if (start.done.result < 0) {
                char text[160];

                snprintf(text, sizeof(text), "the engine of the process that reads it cannot run here: %s",
                         strerrordesc_np(-start.done.result));
                if (start.done.confined < 0)
                        snprintf(text, sizeof(text),
                                 "it is not read, as the process that would read it has to be confined, "
                                 "and cannot be here: %s",
                                 strerrordesc_np(-start.done.confined));
                lsr_worker_say(w, start.done.result, text);
        }
        return start.done.result;
}

/* One request.  Its result, or why there is none; call->data is to be freed either way. */
static int worker_call(struct lsr_worker *w, struct worker_call *call)
{
        int r, ready;

        call->request = ++w->request;
        w->unfetched = false;
        r = lsr_wire_send(w->wire, call->type, call->request, call->parts, call->n_parts, call->fds, call->n_fds);
        ready = worker_ready(w);
        if (ready < 0)
                return ready;
        if (r >= 0)
                r = lsr_call_receive(w, call);
        if (r < 0)
                return r == -EPIPE ? worker_lost(w) : worker_distrust(w, r);
        return call->done.result;
}

/* --- requests -------------------------------------------------------------------------- */

/* If it is gone, the next request will find out. */
static void worker_tell_password(struct lsr_worker *w)
{
        const struct iovec part = { w->password, w->password ? strlen(w->password) : 0 };

        if (w->password && w->pid)
                lsr_wire_send(w->wire, LSR_WIRE_PASSWORD, 0, &part, 1, NULL, 0);
}

static void worker_tell_encoding(struct lsr_worker *w)
{
        const char *name = w->options.encoding;
        const struct iovec part = { (void *)name, name ? strlen(name) : 0 };

        if (name)
                lsr_wire_send(w->wire, LSR_WIRE_ENCODING, 0, &part, 1, NULL, 0);
}

void lsr_worker_password(struct lsr_worker *w, const char *password)
{
        free(w->password);
        w->password = lsr_xstrdup(password);
        worker_tell_password(w);
}

/*
 * Its answer to START is waited for with that to the next request.  A large file is worth a process of its own making:
 * a ring, which cannot be had once it is confined, and limits by its size.
 */
static int worker_start(struct lsr_worker *w, const struct lsr_worker_file *file)
{
        bool small = file->far || file->size == LSR_INPUT_UNKNOWN || file->size < LSR_STREAM_RING_MIN;
        size_t engine = strlen(w->engine), size = sizeof(struct lsr_wire_head) + sizeof(struct lsr_wire_start) + engine;
        struct lsr_wire_start start;
        struct lsr_wire_head head = { .type = LSR_WIRE_START, .length = sizeof(start) + engine };
        struct lsr_process p;
        char *hello;
        int r;

        memset(&start, 0, sizeof(start));
        start.window_max = w->options.window_max;
        start.required = w->options.confine_required;
        start.small = small;
        start.threads = lsr_thread_asked();
        memcpy(start.limits, lsr_limits, sizeof(start.limits));
        hello = lsr_xmalloc(size);
        memcpy(mempcpy(mempcpy(hello, &head, sizeof(head)), &start, sizeof(start)), w->engine, engine);
        r = lsr_start(small ? w->options.nursery : NULL, w->options.serve, hello, size, &p);
        free(hello);
        if (r < 0)
                return r;
        w->calls += 4;
        w->pid = p.pid;
        w->wire = lsr_wire_new(p.fd, false);
        w->starting = true;
        w->seconds = w->options.size == LSR_INPUT_UNKNOWN ? UINT64_MAX : lsr_confine_seconds(w->options.size);
        w->since = worker_clock(CLOCK_MONOTONIC);
        worker_tell_encoding(w);
        worker_tell_password(w);
        r = lsr_confine_process(p.pid, w->options.size, w->options.window_max);
        if (r < 0)
                w->confined = r;
        if (r < 0 && w->options.confine_required)
                return worker_bury(w), r;
        return 0;
}

int lsr_worker_confined(const struct lsr_worker *w)
{
        return w->confined;
}

static bool worker_knows(const struct lsr_worker *w, uint32_t id)
{
        return w->pid && id >= w->first_id && id < w->next_id;
}

/*
 * May a request about @id be sent?  Nor is it if too little of the processor time is left, which is meant for each:
 * then another process gets it.
 */
static bool worker_serves(struct lsr_worker *w, uint32_t id)
{
        clockid_t clock;

        if (worker_knows(w, id) && w->seconds != UINT64_MAX &&
            worker_clock(CLOCK_MONOTONIC) > w->since + WORKER_AGE_S && clock_getcpuclockid(w->pid, &clock) == 0 &&
            (uint64_t)worker_clock(clock) >= w->seconds / 2)
                lsr_worker_end(w);
        return worker_knows(w, id);
}

static int worker_companions(const struct lsr_worker_file *file, struct lsr_wire_open *open, int *fds)
{
        int n = 0;

        for (unsigned i = 0; i < LSR_COMPANIONS; i++) {
                struct stat st;

                if (file->companions[i] < 0)
                        continue;
                if (fstat(file->companions[i], &st) < 0)
                        return -errno;
                open->companions |= 1u << i;
                open->companion_sizes[i] = (uint64_t)st.st_size;
                fds[n++] = file->companions[i];
        }
        return n;
}

/* What a far file has in place of companions. */
static int worker_far(struct lsr_worker *w, const struct lsr_worker_file *file, struct lsr_wire_open *open, int *fds)
{
        if (w->answers[0] < 0 && pipe2(w->answers, O_CLOEXEC) < 0)
                return -errno;
        open->far = true;
        open->companions = (1u << LSR_COMPANIONS) - 1;
        fds[0] = file->bitmap;
        fds[1] = w->answers[0];
        return LSR_COMPANIONS;
}

int lsr_worker_open(struct lsr_worker *w, const struct lsr_worker_file *file, struct lsr_worker_bundle *ret_bundle,
                    uint8_t **ret_head, size_t *ret_head_len)
{
        struct lsr_wire_open open;
        int fds[LSR_WIRE_FDS_MAX] = { file->fd };
        struct worker_call call = { .type = LSR_WIRE_OPEN, .parts = { { &open, sizeof(open) } }, .n_parts = 1 };
        int r;

        memset(&open, 0, sizeof(open));
        open.offset = file->offset;
        open.size = file->size;
        r = w->pid ? 0 : worker_start(w, file);
        if (r == 0)
                r = file->far ? worker_far(w, file, &open, fds + 1) : worker_companions(file, &open, fds + 1);
        if (r < 0)
                return r;
        call.fds = fds;
        call.n_fds = 1 + (unsigned)r;
        open.id = w->next_id++;
        r = worker_call(w, &call);
        if (r == LSR_WIRE_PIPE) {
                *ret_head = call.data;
                *ret_head_len = call.size;
                return r;
        }
        free(call.data);
        if (r == 0 || r == LSR_WIRE_PACKED) {
                *ret_bundle = (struct lsr_worker_bundle){ .id = open.id, .filtered = call.done.filtered };
                memcpy(ret_bundle->format, call.done.format, sizeof(ret_bundle->format));
                memcpy(ret_bundle->filters, call.done.filters, sizeof(ret_bundle->filters));
        }
        return r;
}

void lsr_worker_close(struct lsr_worker *w, uint32_t id)
{
        struct lsr_wire_bundle close = { .id = id };
        struct iovec part = { &close, sizeof(close) };

        /* A worker that is gone is found out by the next request that has an answer. */
        if (worker_knows(w, id))
                lsr_wire_send(w->wire, LSR_WIRE_CLOSE, ++w->request, &part, 1, NULL, 0);
}

/* One SCAN.  0; 1: the catalogue of the bundle's own that came is not valid, or too large; a negative errno. */
static int worker_scan(struct lsr_worker *w, struct worker_call *call, const struct lsr_wire_scan *scan,
                       const struct iovec *paths, uint64_t *room, struct lsr_worker_answer *ret_answer)
{
        struct lsr_worker_answer answer = {};
        uint64_t taken;
        int r;

        call->type = LSR_WIRE_SCAN;
        call->parts[0] = (struct iovec){ (void *)scan, sizeof(*scan) };
        call->parts[1] = *paths;
        call->n_parts = 2;
        call->builder = lsr_builder_new();
        call->catalogue_max = scan->max;
        call->wants_some = scan->n_paths > 0;
        lsr_builder_limit(call->builder, *room);
        r = worker_call(w, call);
        taken = lsr_builder_taken(call->builder);
        answer.claimed = call->has_data;
        /* What came before it died may have been meant for these questions alone. */
        answer.some = r < 0 ? call->wants_some : call->done.some;
        answer.members = call->done.members;
        if (call->sink_result < 0) {
                r = call->sink_result;
        } else if (r >= 0 && call->has_data) {
                r = lsr_catalogue_decode(&answer.catalogue, call->data, call->size);
                r = r < 0 && r != -ENOMEM ? 1 : r;
        } else if (r >= 0 || (r == -EPIPE && lsr_builder_count(call->builder) > 0 && !call->member)) {
                /* What came before it died has been parsed well. */
                r = lsr_builder_finish(call->builder, &answer.catalogue);
        }
        if (r == -ENOMEM)
                *room = (taken > call->size ? taken : call->size) / WORKER_ENCODED;
        *ret_answer = answer;
        lsr_builder_free(call->builder);
        free(call->data);
        return r;
}

/* The paths one after the other, to be freed; NULL: they are too long. */
static char *worker_paths(const struct lsr_wanted *wanted, size_t *ret_size)
{
        size_t size = 0;
        char *text, *to;

        for (size_t i = 0; i < wanted->n && size <= LSR_WIRE_PATHS_MAX; i++)
                size += strlen(wanted->paths[i]) + 1;
        if (size > LSR_WIRE_PATHS_MAX)
                return NULL;
        text = to = lsr_xmalloc(size + 1);
        for (size_t i = 0; i < wanted->n; i++)
                to = stpcpy(to, wanted->paths[i]) + 1;
        *ret_size = size;
        return text;
}

int lsr_worker_scan(struct lsr_worker *w, uint32_t id, const struct lsr_wanted *wanted, uint64_t *room,
                    struct lsr_worker_answer *ret_answer)
{
        struct lsr_wire_scan scan = {
                .id = id,
                .max = *room / WORKER_ENCODED < LSR_WIRE_CATALOGUE_MAX ? *room / WORKER_ENCODED
                                                                       : LSR_WIRE_CATALOGUE_MAX,
        };
        struct iovec paths = {};
        int r;

        if (!worker_serves(w, id))
                return -ESTALE;
        if (wanted)
                paths.iov_base = worker_paths(wanted, &paths.iov_len);
        if (paths.iov_base) {
                scan.n_paths = (uint32_t)wanted->n;
                scan.depth = wanted->depth;
                scan.content = wanted->content;
                scan.numbers = wanted->numbers;
                scan.links = wanted->links;
                scan.described = wanted->described;
        }
        r = worker_scan(w, &(struct worker_call){}, &scan, &paths, room, ret_answer);
        free(paths.iov_base);
        if (r == 1) {
                scan = (struct lsr_wire_scan){ .id = id, .distrusted = true, .max = scan.max };
                r = worker_scan(w, &(struct worker_call){}, &scan, &(struct iovec){}, room, ret_answer);
        }
        return r == 1 ? worker_distrust(w, -EBADMSG) : r;
}

int lsr_worker_stream(struct lsr_worker *w, uint32_t id, uint64_t *room, bool busy,
                      int (*member)(void *ctx, const struct lsr_member *m), const struct lsr_sink *content,
                      struct lsr_worker_answer *ret_answer)
{
        struct worker_call call = { .sink = content, .member = member };
        int r = -ESTALE;

        if (worker_serves(w, id))
                r = worker_scan(w, &call, &(struct lsr_wire_scan){ .id = id, .stream = true, .busy = busy },
                                &(struct iovec){}, room, ret_answer);
        return r == 1 ? worker_distrust(w, -EBADMSG) : r;
}

static int worker_member(struct lsr_worker *w, uint32_t id, const struct lsr_member *m, struct worker_call *call)
{
        struct lsr_wire_bundle request = { .id = id };
        struct lsr_records record = {};
        int r;

        if (!worker_serves(w, id))
                return -ESTALE;
        if (lsr_record_put(&record, m) < 0)
                return -ENOMEM;
        call->parts[0] = (struct iovec){ &request, sizeof(request) };
        call->parts[1] = (struct iovec){ record.data, record.len };
        call->n_parts = 2;
        r = record.len > LSR_WIRE_REQUEST_MAX - sizeof(request) ? -E2BIG : worker_call(w, call);
        free(record.data);
        return r;
}

int lsr_worker_read(struct lsr_worker *w, uint32_t id, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct worker_call call = { .type = LSR_WIRE_READ, .sink = sink };
        int r = worker_member(w, id, m, &call);

        return call.sink_result < 0 ? call.sink_result : r;
}

int lsr_worker_read_many(struct lsr_worker *w, uint32_t id, const struct lsr_records *members, size_t n, unsigned flags,
                         const struct lsr_many_sink *sink, size_t *ret_done)
{
        struct lsr_wire_many request = { .id = id, .flags = flags, .n = n };
        struct worker_call call = {
                .type = LSR_WIRE_MANY,
                .parts = { { &request, sizeof(request) }, { members->data, members->len } },
                .n_parts = 2,
                .many = sink,
                .n = n,
        };
        int r = -ESTALE;

        if (worker_serves(w, id))
                r = members->len > LSR_WIRE_MANY_MAX - sizeof(request) ? -E2BIG : worker_call(w, &call);
        if (call.began) {
                int ended = sink->end(sink->ctx, call.at++, call.sink_result < 0 ? call.sink_result : r);

                if (call.sink_result >= 0)
                        call.sink_result = ended;
        }
        *ret_done = call.at;
        return call.sink_result < 0 ? call.sink_result : r;
}

int lsr_worker_want(struct lsr_worker *w, uint32_t id, const struct lsr_records *members, size_t n)
{
        struct lsr_wire_many request = { .id = id, .n = n };
        struct worker_call call = {
                .type = LSR_WIRE_WANT,
                .parts = { { &request, sizeof(request) }, { members->data, members->len } },
                .n_parts = 2,
        };

        if (!worker_serves(w, id))
                return -ESTALE;
        return members->len > LSR_WIRE_REQUEST_MAX - sizeof(request) ? -E2BIG : worker_call(w, &call);
}

int lsr_worker_check(struct lsr_worker *w, uint32_t id, struct lsr_checked *ret_checked)
{
        struct lsr_wire_bundle request = { .id = id };
        struct worker_call call = { .type = LSR_WIRE_CHECK, .parts = { { &request, sizeof(request) } }, .n_parts = 1 };

        int r = worker_serves(w, id) ? worker_call(w, &call) : -ESTALE;

        if (r == 0)
                *ret_checked = call.done.checked;
        return r;
}

int lsr_worker_extent(struct lsr_worker *w, uint32_t id, const struct lsr_member *m, uint64_t *ret_offset,
                      uint64_t *ret_size)
{
        struct worker_call call = { .type = LSR_WIRE_EXTENT };
        int r = worker_member(w, id, m, &call);

        if (r == 0) {
                *ret_offset = call.done.offset;
                *ret_size = call.done.size;
        }
        return r;
}

void lsr_worker_stats(const struct lsr_worker *w, struct lsr_io_stats *sum)
{
        lsr_io_stats_add(sum, &w->past);
        lsr_io_stats_add(sum, &w->stats);
        sum->syscalls += w->calls + (w->wire ? w->wire->calls : 0);
}
