/*
 * need - a file of which only some blocks are there: the parent is asked for others before they are read
 *
 *      bitmap ──all there──► read
 *         └──a gap──► NEED over the socket ──► the parent fetches ──► errno by a pipe ──► read
 *
 * The answer has a pipe of its own, so nothing but STOP ever waits in the socket while a request is being served; and
 * to read it is a call that a confined process may make anyway.  Decoders read in threads of their own, so a NEED may
 * be sent at any time, one at a time: blocks are taken away only while one is under way, and never those that it names.
 */
#include "worker/serve.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/stream.h"
#include "remote/client.h"

#define NEED_PIECE ((size_t)256 << 10) /* of a stream: bytes given at a time */
#define NEED_STEP ((uint64_t)16 << 20) /* of a large read: bytes asked for at a time */

#define NEED_FEW 8u /* ranges that are looked for among those announced before */

static pthread_mutex_t need_lock = PTHREAD_MUTEX_INITIALIZER;

struct need_input {
        struct lsr_input in;
        struct lsr_io *io;
        struct lsr_wire *wire;
        int fd, answers;
        uint64_t offset; /* of the range in the file */
        uint64_t next;   /* where in the range the stream goes on */
        uint8_t *have;   /* the bitmap, mapped for reading */
        size_t have_size;
        uint8_t *piece;
        struct lsr_input_range *wants; /* in the file */
        size_t n_wants, first_want;    /* those before it have come */
};

/* What is there of a file is not known to be missing: false beyond the bitmap, too, where nothing is read. */
static bool need_lacks(const struct need_input *f, struct lsr_input_range range)
{
        struct lsr_remote_range missing;

        return lsr_remote_missing(f->have, (struct lsr_remote_range){ range.offset, range.length }, &missing);
}

/* --- asking ----------------------------------------------------------------------- */

/* What is wanted next and is not there, behind @n ranges that are needed.  How many there are then. */
static uint32_t need_wants(struct need_input *f, struct lsr_input_range *ranges, uint32_t n)
{
        while (f->first_want < f->n_wants && !need_lacks(f, f->wants[f->first_want]))
                f->first_want++;
        for (size_t i = f->first_want; i < f->n_wants && n < LSR_WIRE_RANGES_MAX; i++)
                if (i == f->first_want || need_lacks(f, f->wants[i]))
                        ranges[n++] = f->wants[i];
        return n;
}

/* Have @range, or with no length only say what is wanted.  0 or a negative errno. */
static int need_ask(struct need_input *f, struct lsr_input_range range)
{
        struct lsr_input_range ranges[LSR_WIRE_RANGES_MAX] = { range };
        struct lsr_wire_need need = { .n_needed = range.length > 0 };
        struct iovec parts[] = { { &need, sizeof(need) }, { ranges, 0 } };
        int32_t answer;
        ssize_t got;
        int r;

        need.n_wanted = need_wants(f, ranges, need.n_needed) - need.n_needed;
        parts[1].iov_len = (need.n_needed + need.n_wanted) * sizeof(*ranges);
        r = lsr_wire_send_aside(f->wire, LSR_WIRE_NEED, parts, 2);
        if (r < 0)
                return r;
        do
                got = read(f->answers, &answer, sizeof(answer));
        while (got < 0 && errno == EINTR);
        return got == sizeof(answer) ? answer : -EPIPE;
}

/* At least @least bytes from @offset of the range on, and up to @most that are there.  As pread(2). */
static ssize_t need_read(struct need_input *f, void *buf, uint64_t least, uint64_t most, uint64_t offset)
{
        struct lsr_input_range range = { f->offset + offset, least };
        uint64_t end = range.offset + least, limit = range.offset + most;
        ssize_t got;
        int r = 0;

        pthread_mutex_lock(&need_lock);
        if (need_lacks(f, range))
                r = need_ask(f, range);
        if (r == 0 && need_lacks(f, range))
                r = -EIO;
        while (r == 0 && end < limit) {
                uint64_t block = end / LSR_REMOTE_BLOCK * LSR_REMOTE_BLOCK + LSR_REMOTE_BLOCK;

                if (need_lacks(f, (struct lsr_input_range){ end, 1 }))
                        break;
                end = block < limit ? block : limit;
        }
        got = r < 0 ? r : lsr_io_read_at(f->io, f->fd, buf, (size_t)(end - range.offset), range.offset);
        pthread_mutex_unlock(&need_lock);
        return got;
}

/* --- the input --------------------------------------------------------------------- */

static ssize_t need_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct need_input *f = (struct need_input *)in;
        uint64_t left = f->next < in->size ? in->size - f->next : 0;
        ssize_t got;

        if (left == 0)
                return 0;
        if (!f->piece)
                f->piece = lsr_xmalloc(NEED_PIECE);
        got = need_read(f, f->piece, 1, left < NEED_PIECE ? left : NEED_PIECE, f->next);
        if (got > 0)
                f->next += (uint64_t)got;
        *ret_data = f->piece;
        return got;
}

static ssize_t need_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct need_input *f = (struct need_input *)in;
        size_t done = 0;

        if (offset >= in->size)
                return 0;
        if (size > in->size - offset)
                size = (size_t)(in->size - offset);
        while (done < size) {
                uint64_t n = size - done < NEED_STEP ? size - done : NEED_STEP;
                ssize_t got = need_read(f, (uint8_t *)buf + done, n, n, offset + done);

                if (got <= 0)
                        return got < 0 ? got : (ssize_t)done;
                done += (size_t)got;
        }
        return (ssize_t)done;
}

static int need_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct need_input *)in)->next = offset;
        return 0;
}

/* Are these few of those that were announced before? */
static bool need_is_wanted(const struct need_input *f, const struct lsr_input_range *ranges, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                uint64_t at = f->offset + ranges[i].offset, k = 0;

                while (k < f->n_wants && !(at >= f->wants[k].offset && at - f->wants[k].offset < f->wants[k].length &&
                                           ranges[i].length <= f->wants[k].length - (at - f->wants[k].offset)))
                        k++;
                if (k == f->n_wants)
                        return false;
        }
        return true;
}

static void need_want(struct lsr_input *in, const struct lsr_input_range *ranges, size_t n)
{
        struct need_input *f = (struct need_input *)in;

        if (n <= NEED_FEW && need_is_wanted(f, ranges, n))
                return;
        pthread_mutex_lock(&need_lock);
        f->wants = lsr_xrealloc(f->wants, (n + 1) * sizeof(*f->wants));
        f->n_wants = f->first_want = 0;
        for (size_t i = 0; i < n; i++) {
                struct lsr_input_range *last = f->n_wants ? &f->wants[f->n_wants - 1] : NULL;
                uint64_t at = ranges[i].offset, end;

                if (at >= in->size || ranges[i].length == 0)
                        continue;
                end = f->offset + (ranges[i].length < in->size - at ? at + ranges[i].length : in->size);
                at += f->offset;
                /* Neighbours are one range, however many members it has. */
                if (last && at >= last->offset && at <= last->offset + last->length + LSR_REMOTE_BLOCK) {
                        if (end > last->offset + last->length)
                                last->length = end - last->offset;
                        continue;
                }
                f->wants[f->n_wants++] = (struct lsr_input_range){ at, end - at };
        }
        /* If it fails, so will what needs them. */
        if (need_wants(f, (struct lsr_input_range[LSR_WIRE_RANGES_MAX]){}, 0) > 0)
                (void)need_ask(f, (struct lsr_input_range){ 0, 0 });
        pthread_mutex_unlock(&need_lock);
}

static void need_free(struct lsr_input *in)
{
        struct need_input *f = (struct need_input *)in;

        munmap(f->have, f->have_size);
        free(f->piece);
        free(f->wants);
        free(f);
}

static const struct lsr_input_ops need_ops = {
        .next = need_next,
        .read_at = need_read_at,
        .seek = need_seek,
        .want = need_want,
        .free = need_free,
};

int serve_file(struct serve *s, const struct serve_bundle *b, struct lsr_input **ret_input)
{
        uint64_t offset = b->as.offset, size = b->as.size, bytes;
        struct need_input *f;
        void *have;

        if (!b->as.far)
                return lsr_input_file(ret_input, s->io, b->fds[0], offset, size);
        if (size > LSR_REMOTE_SIZE_MAX || offset > LSR_REMOTE_SIZE_MAX - size)
                return -EOVERFLOW;
        bytes = (offset + size) / LSR_REMOTE_BLOCK / 8 + 1;
        /* It is only read, so it shows what others write; a shared map is not allowed here. */
        have = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, b->fds[1], 0);
        if (have == MAP_FAILED)
                return -errno;
        f = lsr_input_alloc(sizeof(*f), &need_ops);
        f->in.size = size;
        f->in.bottom = true;
        f->io = s->io;
        f->wire = s->wire;
        f->fd = b->fds[0];
        f->answers = b->fds[2];
        f->offset = offset;
        f->have = have;
        f->have_size = bytes;
        *ret_input = &f->in;
        return 0;
}
