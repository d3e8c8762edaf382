/*
 * input - peeking over the seams of pieces
 *
 * Pieces come as large as a read or a decoder's buffer, 256 KiB and more, so
 * nearly every peek is a pointer into one.  Only a peek that crosses a seam
 * copies: the rest of the old piece, and as much of the next ones as needed,
 * into `joint`, which is the piece from then on until it is used up.
 */
#include "formats/input.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/map.h"
#include "io/stream.h"

#define INPUT_END_MAPPED ((uint64_t)1 << 20)

/* Shorter gaps are read: a seek throws away what is in flight. */
#define INPUT_SEEK_MIN ((uint64_t)1 << 20)

void *lsr_input_alloc(size_t size, const struct lsr_input_ops *ops)
{
        struct lsr_input *in = lsr_xmalloc(size);

        memset(in, 0, size);
        in->ops = ops;
        in->size = LSR_INPUT_UNKNOWN;
        return in;
}

struct lsr_input *lsr_input_free(struct lsr_input *in)
{
        if (!in)
                return NULL;
        free(in->joint);
        lsr_input_drop_end(in);
        in->ops->free(in);
        return NULL;
}

/* From next(), which is not asked again once it failed. */
static ssize_t input_next(struct lsr_input *in, const uint8_t **ret_data)
{
        ssize_t got;

        if (in->error)
                return in->error;
        if (in->most && in->at >= in->most) {
                in->what = "it is decoded to more than a bundle of its size may be for a listing"
                           " (--limit=decoded=... raises it)";
                return in->error = -EFBIG;
        }
        got = in->ops->next(in, ret_data);
        if (got < 0)
                in->error = (int)got;
        return got;
}

void lsr_input_limit(struct lsr_input *in, uint64_t most)
{
        in->most = most;
}

/* Make room for @n bytes in joint, and let it begin with the piece. */
static void input_to_joint(struct lsr_input *in, size_t n)
{
        if (in->joint_cap < n) {
                size_t cap = n < 4096 ? 4096 : n;
                uint8_t *joint = lsr_xmalloc(cap);

                memcpy(joint, in->piece, in->piece_len);
                free(in->joint);
                in->joint = joint;
                in->joint_cap = cap;
        } else {
                memmove(in->joint, in->piece, in->piece_len);
        }
        in->piece = in->joint;
}

/* Gather @n bytes, of which piece has the first few, in joint. */
static ssize_t input_join(struct lsr_input *in, size_t n)
{
        ssize_t got = 0;

        input_to_joint(in, n);
        while (in->piece_len < n) {
                size_t part;

                if (in->rest_len == 0) {
                        got = input_next(in, &in->rest);
                        if (got <= 0)
                                break;
                        in->rest_len = (size_t)got;
                }
                /* Only as much of the next piece is copied as the peek asks for... */
                part = in->rest_len < n - in->piece_len ? in->rest_len : n - in->piece_len;
                memcpy(in->joint + in->piece_len, in->rest, part);
                in->piece_len += part;
                in->rest += part;
                in->rest_len -= part;
        }
        return got < 0 ? got : (ssize_t)in->piece_len;
}

ssize_t lsr_input_peek(struct lsr_input *in, size_t n, const uint8_t **ret_data)
{
        ssize_t got;

        if (n > LSR_INPUT_PEEK_MAX)
                return -EINVAL;
        /* Bytes beyond the end are not looked for, and the last piece stays where it is. */
        if (in->size != LSR_INPUT_UNKNOWN && in->at < in->size && n > in->size - in->at)
                n = (size_t)(in->size - in->at);
        if (in->piece_len == 0 && in->rest_len) {
                /* ... and what the peek left of it follows here, in place. */
                in->piece = in->rest;
                in->piece_len = in->rest_len;
                in->rest_len = 0;
        }
        if (in->piece_len == 0) {
                got = input_next(in, &in->piece);
                if (got <= 0)
                        return got;
                in->piece_len = (size_t)got;
        }
        if (in->piece_len < n) {
                got = input_join(in, n);
                if (got < 0)
                        return got;
        }
        *ret_data = in->piece;
        return (ssize_t)in->piece_len;
}

static void input_set_at(struct lsr_input *in, uint64_t at)
{
        in->at = at;
        if (in->bottom)
                in->source_at = at;
}

void lsr_input_take(struct lsr_input *in, size_t n)
{
        assert(n <= in->piece_len);
        in->piece += n;
        in->piece_len -= n;
        input_set_at(in, in->at + n);
}

void lsr_input_unread(struct lsr_input *in, const void *data, size_t n)
{
        uint8_t *joint;

        assert(n <= in->at);
        if (n == 0)
                return;
        if (in->piece_len && (in->piece < in->joint || in->piece >= in->joint + in->joint_cap)) {
                /* It stays where it is, behind. */
                in->rest = in->piece;
                in->rest_len = in->piece_len;
                in->piece_len = 0;
        }
        joint = lsr_xmalloc(n + in->piece_len);
        memcpy(joint, data, n);
        if (in->piece_len)
                memcpy(joint + n, in->piece, in->piece_len);
        free(in->joint);
        in->joint = joint;
        in->joint_cap = n + in->piece_len;
        in->piece = joint;
        in->piece_len += n;
        input_set_at(in, in->at - n);
}

/* Forget what was read ahead of the position. */
static int input_go(struct lsr_input *in, uint64_t offset)
{
        int r = in->ops->seek(in, offset);

        if (r < 0)
                return r;
        in->piece_len = in->rest_len = 0;
        in->error = 0;
        input_set_at(in, offset);
        return 0;
}

/* Past @n bytes by reading them. */
static int input_pass(struct lsr_input *in, uint64_t n)
{
        while (n > 0) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(in, 1, &data);

                if (got <= 0)
                        return got < 0 ? (int)got : -ENODATA;
                if ((uint64_t)got > n)
                        got = (ssize_t)n;
                lsr_input_take(in, (size_t)got);
                n -= (uint64_t)got;
        }
        return 0;
}

static int input_go_checked(struct lsr_input *in, uint64_t offset)
{
        int r;

        if (offset <= in->size)
                return input_go(in, offset);
        r = input_go(in, in->size);
        return r < 0 ? r : -ENODATA;
}

int lsr_input_seek(struct lsr_input *in, uint64_t offset)
{
        if (!in->ops->seek)
                return -ESPIPE;
        if (offset >= in->at && offset - in->at <= (uint64_t)in->piece_len + in->rest_len)
                return input_pass(in, offset - in->at);
        return input_go_checked(in, offset);
}

int lsr_input_skip(struct lsr_input *in, uint64_t n)
{
        uint64_t ahead = (uint64_t)in->piece_len + in->rest_len;

        /* What is far is not read to be passed over. */
        if (in->ops->seek && n > ahead && (n - ahead >= INPUT_SEEK_MIN || lsr_input_far(in)))
                return input_go_checked(in, n > UINT64_MAX - in->at ? UINT64_MAX : in->at + n);
        return input_pass(in, n);
}

ssize_t lsr_input_read(struct lsr_input *in, void *buf, size_t n)
{
        size_t done = 0;

        while (done < n) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(in, 1, &data);

                if (got < 0)
                        return got;
                if (got == 0)
                        break;
                if ((size_t)got > n - done)
                        got = (ssize_t)(n - done);
                memcpy((char *)buf + done, data, (size_t)got);
                lsr_input_take(in, (size_t)got);
                done += (size_t)got;
        }
        return (ssize_t)done;
}

ssize_t lsr_input_read_at(struct lsr_input *in, void *buf, size_t n, uint64_t offset)
{
        uint64_t kept = in->size - in->end_len;

        if (in->end_len > 0 && offset >= kept && offset < in->size) {
                if (n > in->size - offset)
                        n = (size_t)(in->size - offset);
                memcpy(buf, in->end + (offset - kept), n);
                return (ssize_t)n;
        }
        return in->ops->read_at ? in->ops->read_at(in, buf, n, offset) : -ESPIPE;
}

/* For a range in the page cache, reading more costs nothing. */
static const uint8_t *input_map_end(struct lsr_input *in, size_t n)
{
        uint64_t more = in->size < INPUT_END_MAPPED ? in->size : INPUT_END_MAPPED;

        if (more < n)
                more = n;
        in->end = in->ops->map_part ? in->ops->map_part(in, in->size - more, more) : NULL;
        if (!in->end)
                return NULL;
        in->end_len = (size_t)more;
        return in->end + (in->end_len - n);
}

ssize_t lsr_input_keep_end(struct lsr_input *in, size_t n, const uint8_t **ret_data)
{
        bool peeked = in->at == 0 && in->piece_len > 0 && in->piece_len == in->size;
        ssize_t got;

        if (n > in->size)
                n = (size_t)in->size;
        if (in->end && n <= in->end_len) {
                *ret_data = in->end + (in->end_len - n);
                return (ssize_t)n;
        }
        lsr_input_drop_end(in);
        *ret_data = peeked ? NULL : input_map_end(in, n);
        if (*ret_data)
                return (ssize_t)n;
        *ret_data = in->end = in->end_read = lsr_xmalloc(n + 1);
        /* Of a small file all has been read. */
        if (peeked)
                memcpy(in->end_read, in->piece + (in->piece_len - n), n);
        got = peeked ? (ssize_t)n : lsr_input_read_at(in, in->end_read, n, in->size - n);
        /* The file is being truncated, and its end is unknown. */
        if (got == (ssize_t)n)
                in->end_len = n;
        return got;
}

void lsr_input_drop_end(struct lsr_input *in)
{
        if (in->end && !in->end_read)
                in->ops->map_part(in, 0, 0);
        free(in->end_read);
        in->end = in->end_read = NULL;
        in->end_len = 0;
}

const uint8_t *lsr_input_view(struct lsr_input *in, uint64_t offset, uint64_t n)
{
        lsr_input_drop_end(in);
        return in->ops->map_part && n > 0 ? in->ops->map_part(in, offset, n) : NULL;
}

void lsr_input_want(struct lsr_input *in, const struct lsr_input_range *ranges, size_t n)
{
        if (in->ops->want)
                in->ops->want(in, ranges, n);
}

const uint8_t *lsr_input_map(struct lsr_input *in)
{
        return in->ops->map ? in->ops->map(in, false) : NULL;
}

const uint8_t *lsr_input_map_cold(struct lsr_input *in)
{
        return in->ops->map ? in->ops->map(in, true) : NULL;
}

void lsr_input_map_want(struct lsr_input *in, uint64_t offset, uint64_t n)
{
        if (in->ops->map_want && n > 0)
                in->ops->map_want(in, offset, n);
}

void lsr_input_map_rest(struct lsr_input *in, uint64_t offset, uint64_t n)
{
        if (in->ops->map_rest)
                in->ops->map_rest(in, offset, n);
}

/* --- a file ------------------------------------------------------------------ */

struct input_file {
        struct lsr_input in;
        struct lsr_io *io;
        struct lsr_stream *stream; /* NULL until the first sequential read: many drivers need none */
        int fd;
        uint64_t offset; /* of the range in the file */
        uint64_t next;   /* where in the range the stream begins, or goes on */
        struct lsr_map map;
        bool asked; /* for it */
        struct lsr_map part;
};

static uint64_t file_end(const struct input_file *f)
{
        return f->in.size == LSR_INPUT_UNKNOWN ? LSR_STREAM_END : f->offset + f->in.size;
}

static ssize_t file_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct input_file *f = (struct input_file *)in;
        ssize_t got;

        if (!f->stream) {
                int r = lsr_stream_new(&f->stream, f->io, f->fd, f->offset + f->next, file_end(f));

                if (r < 0)
                        return r;
        }
        got = lsr_stream_next(f->stream, ret_data);
        if (got > 0)
                f->next += (uint64_t)got;
        return got;
}

static ssize_t file_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct input_file *f = (struct input_file *)in;

        if (in->size == LSR_INPUT_UNKNOWN)
                return -ESPIPE;
        if (offset >= in->size)
                return 0;
        if (size > in->size - offset)
                size = (size_t)(in->size - offset);
        return lsr_io_read_at(f->io, f->fd, buf, size, f->offset + offset);
}

static int file_seek(struct lsr_input *in, uint64_t offset)
{
        struct input_file *f = (struct input_file *)in;

        f->next = offset;
        return f->stream ? lsr_stream_seek(f->stream, f->offset + offset) : 0;
}

static void file_free(struct lsr_input *in)
{
        struct input_file *f = (struct input_file *)in;

        lsr_stream_free(f->stream);
        lsr_io_unmap(&f->map);
        lsr_io_unmap(&f->part);
        free(f);
}

static const uint8_t *file_map(struct lsr_input *in, bool cold)
{
        struct input_file *f = (struct input_file *)in;

        if (cold && !f->map.data)
                lsr_io_map_cold(f->io, f->fd, f->offset, in->size, &f->map);
        else if (!f->asked)
                lsr_io_map(f->io, f->fd, f->offset, in->size, &f->map);
        f->asked = true;
        return f->map.data;
}

static const uint8_t *file_map_part(struct lsr_input *in, uint64_t offset, uint64_t n)
{
        struct input_file *f = (struct input_file *)in;

        lsr_io_unmap(&f->part);
        if (n > 0 && offset <= in->size && n <= in->size - offset)
                lsr_io_map(f->io, f->fd, f->offset + offset, n, &f->part);
        return f->part.data;
}

static void file_map_want(struct lsr_input *in, uint64_t offset, uint64_t n)
{
        lsr_io_map_want(&((struct input_file *)in)->map, offset, n);
}

static void file_map_rest(struct lsr_input *in, uint64_t offset, uint64_t n)
{
        lsr_io_map_forget(&((struct input_file *)in)->map, offset, n);
}

static const struct lsr_input_ops file_ops = {
        .next = file_next,
        .read_at = file_read_at,
        .seek = file_seek,
        .map = file_map,
        .map_want = file_map_want,
        .map_rest = file_map_rest,
        .map_part = file_map_part,
        .free = file_free,
};

/* What cannot be read at random must not look as if it could. */
static const struct lsr_input_ops pipe_ops = {
        .next = file_next,
        .free = file_free,
};

int lsr_input_file(struct lsr_input **ret_input, struct lsr_io *io, int fd, uint64_t offset, uint64_t size)
{
        struct input_file *f;

        if (size != LSR_INPUT_UNKNOWN && size > UINT64_MAX - 1 - offset)
                return -EOVERFLOW;
        f = lsr_input_alloc(sizeof(*f), size == LSR_INPUT_UNKNOWN ? &pipe_ops : &file_ops);
        f->in.size = size;
        f->in.bottom = true;
        f->io = io;
        f->fd = fd;
        f->offset = offset;
        *ret_input = &f->in;
        return 0;
}

/* --- memory ------------------------------------------------------------------ */

struct input_memory {
        struct lsr_input in;
        const uint8_t *data;
        uint64_t next;
};

static ssize_t memory_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct input_memory *m = (struct input_memory *)in;
        uint64_t left = m->next < in->size ? in->size - m->next : 0;

        *ret_data = m->data + (left ? m->next : 0);
        m->next += left;
        return (ssize_t)left;
}

static ssize_t memory_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        if (offset >= in->size)
                return 0;
        if (size > in->size - offset)
                size = (size_t)(in->size - offset);
        memcpy(buf, ((struct input_memory *)in)->data + offset, size);
        return (ssize_t)size;
}

static int memory_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct input_memory *)in)->next = offset;
        return 0;
}

static void memory_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops memory_ops = {
        .next = memory_next,
        .read_at = memory_read_at,
        .seek = memory_seek,
        .free = memory_free,
};

struct lsr_input *lsr_input_memory(const void *data, size_t size)
{
        struct input_memory *m = lsr_input_alloc(sizeof(*m), &memory_ops);

        m->in.size = size;
        m->in.bottom = true;
        m->data = data;
        return &m->in;
}
