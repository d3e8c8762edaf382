/*
 * worker - the confined process that parses a bundle, seen from the parent
 *
 * Started when the bundle is opened, and used for it and those nested in it: the
 * same binary again, that is given descriptors and can do nothing but read them
 * (DESIGN: untrusted input).  What it returns is validated here like any other
 * input, and is only ever an answer about its own bundle.  When it dies, the
 * request at hand fails with -EPIPE, said once through trouble(), and the next
 * lsr_worker_open() starts another one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "catalogue/catalogue.h"
#include "formats/format.h"
#include "io/io.h"
#include "worker/record.h"
#include "worker/start.h"

struct lsr_worker;

struct lsr_worker_options {
        const char *engine;          /* as for lsr_io_new(); the worker reads with the same */
        struct lsr_nursery *nursery; /* for all workers of a run, see lsr_start(); NULL */
        const char *encoding;        /* of names that are not UTF-8, as lsr_encoding_find() knows it; NULL */
        uint64_t window_max;         /* most memory a decoder may ask for, bytes */
        uint64_t size;               /* of the file that all of it is in, for limits; LSR_INPUT_UNKNOWN: a pipe's */
        bool confine_required;       /* nothing is read by a process that the kernel does not let be confined */
        void *ctx;
        /* About the bundle at hand.  The text comes from the worker: it may hold any byte but NUL. */
        void (*trouble)(void *ctx, int error, const char *text);
        /*
         * Have ranges of the far file at hand, all within its size: the first @n_needed; the @n_wanted that follow will
         * be, some time.  0 or a negative errno, which was said.
         */
        int (*need)(void *ctx, const struct lsr_input_range *ranges, unsigned n_needed, unsigned n_wanted);
        int (*serve)(int fd); /* for tests: what stands in for the worker; NULL */
};

/* Starts nothing yet. */
struct lsr_worker *lsr_worker_new(const struct lsr_worker_options *options);
struct lsr_worker *lsr_worker_free(struct lsr_worker *w);

/* Does its process run?  And end it: what it knew is gone, what lsr_worker_open() is given another one serves. */
bool lsr_worker_runs(const struct lsr_worker *w);
void lsr_worker_end(struct lsr_worker *w);

/* 0: each process so far was confined; a negative errno: why one was not. */
int lsr_worker_confined(const struct lsr_worker *w);

/* Added to @sum: what the worker's engine did, for --stats. */
void lsr_worker_stats(const struct lsr_worker *w, struct lsr_io_stats *sum);

/* A file, or a range of one, that may be a bundle. */
struct lsr_worker_file {
        int fd;                         /* stays the caller's */
        int companions[LSR_COMPANIONS]; /* -1: not there */
        uint64_t offset;
        uint64_t size; /* LSR_INPUT_UNKNOWN: a pipe */
        bool far;      /* parts of it may be missing: then options.need() is asked for them, */
        int bitmap;    /* and this has what is there, see remote/protocol.h; stays the caller's */
};

struct lsr_worker_bundle {
        uint32_t id;
        char format[16];  /* name of the format */
        char filters[64]; /* names of the filters from the outside in, with a blank between */
        bool filtered;    /* reading one member means decoding all before it */
};

/*
 * Hand over a file.  0; 1: it is no bundle; 2: its format cannot be read from a pipe, and what was read of
 * the pipe is in *ret_head (to be freed; *ret_head_len bytes); 3: its format cannot be read behind a filter, and
 * lsr_worker_read() of anything gives the whole, decompressed, for another attempt; a negative errno.
 */
int lsr_worker_open(struct lsr_worker *w, const struct lsr_worker_file *file, struct lsr_worker_bundle *ret_bundle,
                    uint8_t **ret_head, size_t *ret_head_len);
void lsr_worker_close(struct lsr_worker *w, uint32_t id);

/* What came of a bundle. */
struct lsr_worker_answer {
        struct lsr_catalogue *catalogue;
        bool claimed;     /* it is the bundle's own, which nobody has compared with the members */
        bool some;        /* it has what the questions take, see lsr_format.list */
        uint64_t members; /* with it: how many there are in all; 0: that is not known */
};

/*
 * All members; or, if @wanted is not NULL, perhaps only what that takes.  What comes is kept as far as *@room bytes go,
 * as a builder counts them; that there is more is said.  0 or a negative errno; -ENOMEM: *@room is what another attempt
 * may find.
 */
int lsr_worker_scan(struct lsr_worker *w, uint32_t id, const struct lsr_wanted *wanted, uint64_t *room,
                    struct lsr_worker_answer *ret_answer);

/*
 * The same for all members with their content, as they come: each goes to @member, and if it is a regular file and no
 * hard link to @content behind it, whose ctx is that of both.  Their negative return ends it, and is its result.
 * @m has what the driver says of it, until the call after it.  @busy: all cores will work on what comes, so that few
 * are there for decoding ahead.  -EOPNOTSUPP: not of this format.
 */
int lsr_worker_stream(struct lsr_worker *w, uint32_t id, uint64_t *room, bool busy,
                      int (*member)(void *ctx, const struct lsr_member *m), const struct lsr_sink *content,
                      struct lsr_worker_answer *ret_answer);

/* Content of a member; @m as the catalogue has it, but path the whole one.  As lsr_format.read. */
int lsr_worker_read(struct lsr_worker *w, uint32_t id, const struct lsr_member *m, const struct lsr_sink *sink);

/* For encrypted members, of all bundles that it reads, from now on; NUL-terminated. */
#define LSR_PASSWORD_MAX 1024u
void lsr_worker_password(struct lsr_worker *w, const char *password);

/* Where the content of many members goes.  A negative return ends the reading and is its result. */
struct lsr_many_sink {
        void *ctx;
        int (*begin)(void *ctx, size_t i);
        int (*write)(void *ctx, const void *data, size_t n);
        int (*end)(void *ctx, size_t i, int error); /* once for each that began */
        int (*hole)(void *ctx, uint64_t n);         /* @n zero bytes; NULL: they are written */
        void (*verified)(void *ctx); /* with LSR_MANY_TELL: its content has a checksum, which is right; NULL */
        /* With LSR_MANY_MAPS: as that of struct lsr_sink, ascending, not adjacent, nothing empty. */
        int (*map)(void *ctx, const struct lsr_extent *extents, size_t n);
};

enum {
        LSR_MANY_TO_END =
                1 << 0, /* as LSR_MANY_TELL, and at last read to the end, where there may be another checksum */
        /*
         * All that is known of a member is to be restored: what its header says differently is damage.  Members of all
         * types, a hard link by itself and not what it leads to.  For a catalogue that the bundle claims.
         */
        LSR_MANY_EXACT = 1 << 1,
        LSR_MANY_FROM_START = 1 << 2, /* with it: there is no member before the first of them, nor between them, */
        LSR_MANY_ALL = 1 << 3,        /* nor behind: what is, is damage */
        LSR_MANY_TELL = 1 << 4,       /* say of which members checksums are compared */
        LSR_MANY_GAPS = 1 << 5,       /* with LSR_MANY_EXACT: others may lie between them */
        LSR_MANY_MAPS = 1 << 6,       /* say where data is in members with holes */
};

/*
 * Content of @n members, by ascending position; what of each is needed, struct lsr_many says.  @flags: LSR_MANY_*.
 * 0, or a negative errno; members below *ret_done began and ended, on whatever return.
 */
int lsr_worker_read_many(struct lsr_worker *w, uint32_t id, const struct lsr_records *members, size_t n, unsigned flags,
                         const struct lsr_many_sink *sink, size_t *ret_done);

/* Announce that these will be read, in whatever requests: their content may come meanwhile.  For a far file. */
int lsr_worker_want(struct lsr_worker *w, uint32_t id, const struct lsr_records *members, size_t n);

/* As lsr_format.check; 1: its members are to be read, too, where the format has no such function. */
int lsr_worker_check(struct lsr_worker *w, uint32_t id, struct lsr_checked *ret_checked);

/* As lsr_format.extent. */
int lsr_worker_extent(struct lsr_worker *w, uint32_t id, const struct lsr_member *m, uint64_t *ret_offset,
                      uint64_t *ret_size);

/*
 * The other side, see also start.h.  Serves requests that come over @fd until it is closed; returns the exit status of
 * the process.
 */
int lsr_worker_main(int fd);
