/*
 * stream - several large reads ahead of the caller
 *
 *      file    ...| piece | piece | piece | piece |...
 *                    ^ first                       ^ ahead
 *                 at the caller    being read
 *
 * Pieces are read in any order and returned in the order of the file.  The
 * kernel writes into them asynchronously, so seeking and freeing wait for the
 * pieces that they drop.
 *
 * How far ahead grows with every piece that was wanted: a reader that hops from
 * header to header has one small read to wait for and not a megabyte.  The next
 * reads are begun when half of them are used up, two with one call.
 *
 * Without a ring, or from a descriptor that cannot seek, nothing is read
 * ahead: there is one piece, returned as it comes.  The kernel reads ahead of
 * a sequential reader by itself; a ring saves half of the calls and, with the
 * next pieces begun in time, some of the waiting.
 *
 * Sizes: from 256 KiB and 4 pieces on nothing is gained, and more of the cache is
 * lost (600 MB in the page cache: 41 ms; 128 KiB 61 ms, 2 pieces 45 ms, 8 pieces
 * 43 ms, 1 MiB 49 ms).  Buffers begin at a cache line: where malloc(3) puts a
 * large one, 16 bytes behind it, the kernel's copy takes half as long again.
 *
 * Rejected: IOSQE_ASYNC, by which a second core copies (79 ms, and nothing gained
 * when the caller works on the data too); a thread that reads ahead, likewise.
 */
#include "io/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "io/read.h"

#define STREAM_PIECE ((size_t)256 << 10)
#define STREAM_PIECES 4u
#define STREAM_ALIGN 64u
#define STREAM_PIECE_SEEK ((size_t)64 << 10) /* the first one after a seek */

struct stream_piece {
        struct lsr_read read;
        uint8_t *buf;
        uint64_t at; /* in the file */
        size_t want;
        size_t got; /* by reads that have ended */
};

struct lsr_stream {
        struct lsr_reads *reads;
        struct lsr_read_ring *ring; /* NULL: plain calls */
        int fd;
        bool pipe;          /* cannot seek */
        bool ended;         /* the file has, before @end */
        bool given;         /* the first piece is at the caller */
        uint64_t at;        /* next byte for the caller */
        uint64_t ahead;     /* next byte to read */
        uint64_t end;       /* as the caller said */
        uint64_t sized_for; /* bytes that were left when the buffers were made */
        size_t next_size;   /* of the piece to begin next, at most */
        uint8_t *bufs;      /* of all pieces */
        size_t cap;
        unsigned n_max;  /* 0: there are none yet */
        unsigned window; /* most pieces to have at this time */
        unsigned first;  /* piece for the caller */
        unsigned n;      /* pieces from there on */
        struct stream_piece pieces[STREAM_PIECES];
};

/* A read of no bytes tells whether it can seek, and a confined process may make it. */
static bool stream_is_pipe(struct lsr_stream *s)
{
        if (s->end != LSR_STREAM_END)
                return false;
        s->reads->stats->syscalls++;
        return pread(s->fd, &(char){ 0 }, 0, 0) < 0 && errno == ESPIPE;
}

int lsr_stream_new(struct lsr_stream **ret_stream, struct lsr_io *io, int fd, uint64_t offset, uint64_t end)
{
        struct lsr_stream *s = lsr_xmalloc(sizeof(*s));

        *s = (struct lsr_stream){ .reads = lsr_io_reads(io), .fd = fd, .at = offset, .end = end };
        s->next_size = STREAM_PIECE;
        s->pipe = stream_is_pipe(s);
        *ret_stream = s;
        return 0;
}

static void stream_release(struct lsr_stream *s)
{
        free(s->bufs);
        s->bufs = NULL;
        s->n_max = 0;
}

/* Have no pieces; go on at @offset. */
static void stream_drop(struct lsr_stream *s, uint64_t offset)
{
        for (unsigned i = 0; i < s->n_max; i++)
                if (s->pieces[i].read.busy)
                        lsr_read_ring_wait(s->ring, &s->pieces[i].read);
        s->n = s->first = 0;
        s->given = false;
        s->window = 1;
        s->at = s->ahead = offset;
}

struct lsr_stream *lsr_stream_free(struct lsr_stream *s)
{
        if (!s)
                return NULL;
        stream_drop(s, s->at);
        stream_release(s);
        free(s);
        return NULL;
}

/* Which way to read, and buffers no larger than what there is to read. */
static int stream_start(struct lsr_stream *s)
{
        uint64_t left = s->end - s->at;
        bool large = !s->pipe && left > STREAM_PIECE;
        size_t skip;
        int r = 0;

        s->ring = NULL;
        if (s->reads->way == LSR_READS_RING ||
            (s->reads->way == LSR_READS_AUTO && large && left >= LSR_STREAM_RING_MIN))
                r = lsr_reads_ring(s->reads, s->fd, &s->ring);
        if (r < 0 && s->reads->way == LSR_READS_RING)
                return r;
        s->sized_for = left;
        s->cap = left < STREAM_PIECE ? (size_t)left : STREAM_PIECE;
        s->n_max = s->ring && large ? STREAM_PIECES : 1;
        s->bufs = lsr_xmalloc(s->n_max * s->cap + STREAM_ALIGN);
        skip = STREAM_ALIGN - (uintptr_t)s->bufs % STREAM_ALIGN;
        for (unsigned i = 0; i < s->n_max; i++)
                s->pieces[i] = (struct stream_piece){ .buf = s->bufs + skip + i * s->cap };
        stream_drop(s, s->at);
        return 0;
}

/* Begin to read the missing bytes of @p. */
static void stream_begin(struct lsr_stream *s, struct stream_piece *p)
{
        p->read = (struct lsr_read){
                .fd = s->fd,
                .buf = p->buf + p->got,
                .size = (uint32_t)(p->want - p->got),
                .offset = s->pipe ? LSR_READ_HERE : p->at + p->got,
        };
        lsr_read_begin(s->reads, s->ring, &p->read);
}

/* Begin as many pieces as the window has room for, once half of it is free. */
static void stream_fill(struct lsr_stream *s)
{
        if (s->n > s->window / 2)
                return;
        while (s->n < s->window && s->ahead < s->end) {
                struct stream_piece *p = &s->pieces[(s->first + s->n) % s->n_max];

                p->at = s->ahead;
                p->got = 0;
                p->want = s->next_size < s->cap ? s->next_size : s->cap;
                if (p->want > s->end - s->ahead)
                        p->want = (size_t)(s->end - s->ahead);
                s->next_size = s->cap;
                s->ahead += p->want;
                s->n++;
                stream_begin(s, p);
        }
        s->window = 2 * s->window < s->n_max ? 2 * s->window : s->n_max;
}

/* Wait until @p is full.  1; 0: the file ended before that; a negative errno. */
static ssize_t stream_finish(struct lsr_stream *s, struct stream_piece *p)
{
        for (;;) {
                ssize_t n = lsr_read_end(s->reads, s->ring, &p->read);

                if (n <= 0)
                        return n;
                p->got += (size_t)n;
                if (p->got == p->want)
                        return 1;
                if (s->n_max == 1) {
                        /* Nothing was begun behind it: no need to make it full. */
                        s->ahead = p->at + p->got;
                        return 1;
                }
                stream_begin(s, p);
        }
}

ssize_t lsr_stream_next(struct lsr_stream *s, const uint8_t **ret_data)
{
        struct stream_piece *p;
        ssize_t r;

        if (s->given) {
                s->first = (s->first + 1) % s->n_max;
                s->n--;
                s->given = false;
        }
        if (s->ended || s->at >= s->end)
                return 0;
        r = s->n_max ? 0 : stream_start(s);
        if (r < 0)
                return r;
        stream_fill(s);
        p = &s->pieces[s->first];
        r = stream_finish(s, p);
        s->given = true;
        s->at += p->got;
        s->ended = r == 0;
        if (r <= 0)
                stream_drop(s, s->at);
        *ret_data = p->buf;
        /* Bytes before a failure are valid; the next call meets the failure again. */
        return p->got ? (ssize_t)p->got : r;
}

int lsr_stream_seek(struct lsr_stream *s, uint64_t offset)
{
        if (s->pipe)
                return -ESPIPE;
        s->ended = false;
        if (offset == s->at)
                return 0;
        stream_drop(s, offset);
        s->next_size = STREAM_PIECE_SEEK;
        /* It was made for the short rest of a file, and is too small for more. */
        if (s->n_max == 1 && s->end > offset && s->end - offset > s->sized_for)
                stream_release(s);
        return 0;
}
