/*
 * input - the bytes for a driver
 *
 * A range of an open file, memory, a pipe, or the output of a filter over
 * another input.  Every input is a sequence of bytes with a position; one that
 * is `random` can also be read anywhere, without moving the position.
 *
 * Errors of the file itself are negative errnos. -EBADMSG means data that a
 * filter cannot decode; `what` then has the details.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lsr_io;

#define LSR_INPUT_UNKNOWN UINT64_MAX

/* The most that lsr_input_peek() can be asked for. */
#define LSR_INPUT_PEEK_MAX ((size_t)4 << 20)

struct lsr_input;

struct lsr_input_range {
        uint64_t offset, length;
};

struct lsr_input_ops {
        /* The next bytes, valid until the next call; 0 at the end. */
        ssize_t (*next)(struct lsr_input *in, const uint8_t **ret_data);
        ssize_t (*read_at)(struct lsr_input *in, void *buf, size_t size, uint64_t offset); /* NULL: not random */
        int (*seek)(struct lsr_input *in, uint64_t offset);     /* next() goes on there; NULL: it cannot */
        const uint8_t *(*map)(struct lsr_input *in, bool cold); /* all of it as memory, or NULL; NULL: never */
        void (*map_want)(struct lsr_input *in, uint64_t offset, uint64_t n); /* these two with it */
        void (*map_rest)(struct lsr_input *in, uint64_t offset, uint64_t n);
        /* These bytes as memory, or NULL, in place of others that were mapped so; @n 0: of none; NULL: never. */
        const uint8_t *(*map_part)(struct lsr_input *in, uint64_t offset, uint64_t n);
        /* See lsr_input_want(); NULL: nothing is far. */
        void (*want)(struct lsr_input *in, const struct lsr_input_range *ranges, size_t n);
        void (*free)(struct lsr_input *in);
};

/* The head of every kind of input.  Fields are set by its maker and read by all. */
struct lsr_input {
        const struct lsr_input_ops *ops;
        /*
         * Once something failed: place and kind in words; NULL: the errno says all.  After the end, where more
         * follows: that it is ignored.
         */
        const char *what;
        bool ignores;       /* the end has come, and more follows, which nobody looks at */
        uint64_t size;      /* bytes in all, or LSR_INPUT_UNKNOWN */
        uint64_t at;        /* position: bytes taken or passed over so far */
        uint64_t source_at; /* position in the file at the bottom; for messages about compressed data */
        /* The rest belongs to input.c. */
        const uint8_t *piece; /* what next() gave, as far as it is not taken */
        size_t piece_len;
        const uint8_t *rest; /* of the piece behind a joint */
        size_t rest_len;
        uint8_t *joint; /* bytes gathered where a peek crosses pieces */
        size_t joint_cap;
        int error;          /* what next() failed with, for when all before is taken */
        bool bottom;        /* source_at is at */
        const uint8_t *end; /* of lsr_input_keep_end() */
        size_t end_len;
        uint8_t *end_read; /* it, or NULL: it is mapped */
        uint64_t most;     /* of lsr_input_limit(); 0: any number */
};

/* A range of @fd, which the input never closes.  @size LSR_INPUT_UNKNOWN: to the end, as for a pipe. */
int lsr_input_file(struct lsr_input **ret_input, struct lsr_io *io, int fd, uint64_t offset, uint64_t size);
/* Memory that stays the caller's. */
struct lsr_input *lsr_input_memory(const void *data, size_t size);
struct lsr_input *lsr_input_free(struct lsr_input *in);

/* For makers of inputs: an allocated, zeroed struct of @size bytes that begins with an lsr_input. */
void *lsr_input_alloc(size_t size, const struct lsr_input_ops *ops);

static inline bool lsr_input_random(const struct lsr_input *in)
{
        return in->ops->read_at != NULL;
}

/*
 * At least @n contiguous bytes from the position on, or as many as there are
 * before the end; perhaps more.  Valid until the next call for this input, but
 * for lsr_input_read_at().
 * Returns their number, 0 at the end, or a negative errno.  An error that comes
 * before @n bytes is the result; what lies before it can still be had by
 * asking for less, so lsr_input_peek(in, 1, ..) gives all that can be read.
 */
ssize_t lsr_input_peek(struct lsr_input *in, size_t n, const uint8_t **ret_data);

/* Move past @n bytes that the last peek returned. */
void lsr_input_take(struct lsr_input *in, size_t n);

/* Put the @n bytes taken last back, as copies. */
void lsr_input_unread(struct lsr_input *in, const void *data, size_t n);

/*
 * Move past @n bytes, without reading them where that can be avoided and pays.
 * 0; -ENODATA: the input ends before (position is at the end); another negative errno.
 */
int lsr_input_skip(struct lsr_input *in, uint64_t n);

/* Copy up to @n bytes and move past them.  Fewer only at the end. */
ssize_t lsr_input_read(struct lsr_input *in, void *buf, size_t n);

/* As pread(2), fewer only at the end; -ESPIPE where the input cannot. */
ssize_t lsr_input_read_at(struct lsr_input *in, void *buf, size_t n, uint64_t offset);

/*
 * All bytes of a file as memory, if they are in the page cache, under "auto"; else NULL.  They may change while they
 * are looked at, and a fault may kill the process: for the worker.
 */
const uint8_t *lsr_input_map(struct lsr_input *in);

/*
 * The same where it was NULL, though it lies on a disk: a page that is touched is read by itself, so those that will be
 * are announced.  They stay in the page cache.
 */
const uint8_t *lsr_input_map_cold(struct lsr_input *in);
void lsr_input_map_want(struct lsr_input *in, uint64_t offset, uint64_t n);

/* Call this now and then for parts of a map that are done with, from any thread: it bounds the resident memory. */
void lsr_input_map_rest(struct lsr_input *in, uint64_t offset, uint64_t n);

/*
 * Read the last @n bytes, or all, of a random input, and keep them: lsr_input_read_at() has them from there.  Where
 * lsr_input_map() would map them they are mapped.
 * Their number, or a negative errno; *ret_data is valid until more are kept, or none.
 */
ssize_t lsr_input_keep_end(struct lsr_input *in, size_t n, const uint8_t **ret_data);
void lsr_input_drop_end(struct lsr_input *in);

/*
 * These bytes of a random input as memory, where lsr_input_map() would map them, else NULL.  Valid until the next are
 * asked for or an end is kept; what was kept is dropped.
 */
const uint8_t *lsr_input_view(struct lsr_input *in, uint64_t offset, uint64_t n);

/* Do reads of it take long, as it lies on a server? */
static inline bool lsr_input_far(const struct lsr_input *in)
{
        return in->ops->want != NULL;
}

/*
 * These @n will be read soon, in about this order; what goes beyond the end does not count.  Others that were announced
 * before are not any more, unless these are some of them.  It takes no time where the input is at hand.
 */
void lsr_input_want(struct lsr_input *in, const struct lsr_input_range *ranges, size_t n);

/*
 * Of what lies behind @most bytes from its beginning on nothing is given but -EFBIG, until another limit is set; 0:
 * none.
 */
void lsr_input_limit(struct lsr_input *in, uint64_t most);

/* Set the position of a random input.  -ENODATA: it ends before (position is at the end). */
int lsr_input_seek(struct lsr_input *in, uint64_t offset);
