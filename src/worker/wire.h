/*
 * wire - frames between the parent and the process that parses
 *
 *      parent  START  PASSWORD  ENCODING  OPEN  SCAN  READ  MANY  CHECK  EXTENT  CLOSE  STOP
 *      worker  any number of TROUBLE, MAP, DATA, HOLE, VERIFIED, END, HEAD, MEMBERS or CATALOGUE, then one DONE
 *
 * Every request but START, PASSWORD, ENCODING, CLOSE and STOP is answered before the next one is sent.
 * Both ends are the same binary, so numbers travel as they lie in memory.  The
 * parent trusts none of them; the worker trusts its parent.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "formats/format.h"
#include "io/io.h"

#define LSR_WIRE_BUFFER ((size_t)256 << 10)   /* of the receiver, and of the sender's small frames */
#define LSR_WIRE_DATA_MAX ((size_t)256 << 10) /* bytes of a member in one frame */
#define LSR_WIRE_HOLE_MAX ((uint64_t)INT64_MAX)
#define LSR_WIRE_TEXT_MAX ((size_t)1024)         /* of one trouble */
#define LSR_WIRE_TROUBLES_MAX 128u               /* for one request; drivers stop at LSR_LIMIT_TROUBLES */
#define LSR_WIRE_HEAD_MAX LSR_PROBE_BYTES        /* what was read of a pipe */
#define LSR_WIRE_REQUEST_MAX ((size_t)16 << 20)  /* texts of a member, each below LSR_LIMIT_HEADER */
#define LSR_WIRE_PATHS_MAX ((size_t)4 << 20)     /* of a SCAN; with more of them all members are asked for */
#define LSR_WIRE_MANY_MAX ((size_t)256 << 20)    /* of a MANY: two million members with names of usual length */
#define LSR_WIRE_MEMBERS_MIN ((size_t)64 << 10)  /* bytes of records in one frame, but for the last */
#define LSR_WIRE_MEMBERS_MAX ((uint64_t)2 << 30) /* in all: twice that is what the parent then holds */
#define LSR_WIRE_CATALOGUE_MAX ((uint64_t)4 << 30)
#define LSR_WIRE_DRAIN_MAX ((uint64_t)4 << 20) /* what may still come after STOP: a full socket and a frame */
#define LSR_WIRE_FDS_MAX (1 + LSR_COMPANIONS)
#define LSR_WIRE_RANGES_MAX 256u /* of a NEED */

enum lsr_wire_type {
        LSR_WIRE_START, /* struct lsr_wire_start, name of the engine */
        LSR_WIRE_OPEN,  /* struct lsr_wire_open, and the descriptors */
        LSR_WIRE_SCAN,  /* struct lsr_wire_scan, and paths, each with its NUL */
        LSR_WIRE_READ,  /* struct lsr_wire_bundle, a record (record.h) */
        LSR_WIRE_MANY,  /* struct lsr_wire_many, records */
        LSR_WIRE_WANT,  /* the same: their content will be asked for, of a far file */
        LSR_WIRE_CHECK, /* struct lsr_wire_bundle */
        LSR_WIRE_EXTENT,
        LSR_WIRE_CLOSE,   /* struct lsr_wire_bundle; no answer */
        LSR_WIRE_STOP,    /* nothing, and no answer: the rest of the READ, MANY or SCAN at hand is not wanted */
        LSR_WIRE_TROUBLE, /* int32_t error, text */
        LSR_WIRE_DATA,
        LSR_WIRE_HOLE,     /* uint64_t n: so many zero bytes */
        LSR_WIRE_MAP,      /* struct lsr_extent: where data is in the content that follows */
        LSR_WIRE_VERIFIED, /* nothing: the content of one of MANY was, and its END follows */
        LSR_WIRE_END,      /* int32_t result of one of MANY; they come in the order of the records */
        LSR_WIRE_HEAD,
        LSR_WIRE_MEMBERS,   /* records, whole ones; none: those before do not count */
        LSR_WIRE_CATALOGUE, /* instead of members: one that the bundle holds, encoded */
        LSR_WIRE_DONE,      /* struct lsr_wire_done */
        LSR_WIRE_NEED,     /* struct lsr_wire_need, struct lsr_input_range: of a far file; its answer comes by a pipe */
        LSR_WIRE_PASSWORD, /* text, for encrypted members; no answer */
        LSR_WIRE_ENCODING, /* its name, for names that are not UTF-8; no answer */
        LSR_WIRE_FORK,     /* to a nursery, with a socket; from it: int32_t pid (start.c) */
};

struct lsr_wire_head {
        uint32_t type;
        uint32_t request; /* number of the request; an answer repeats it */
        uint64_t length;  /* of what follows, bytes */
};

struct lsr_wire_start {
        uint64_t window_max; /* of this bundle */
        uint32_t small;      /* the first file is, and no ring is needed for it */
        uint32_t required;   /* what cannot be confined is not to be started */
        uint32_t threads;    /* for lsr_thread_set() */
        uint32_t reserved;
        uint64_t limits[LSR_LIMITS];
};

struct lsr_wire_open {
        uint32_t id;
        uint32_t companions; /* a bit for each whose descriptor follows that of the file */
        uint32_t far;        /* those are the bitmap of a file of which parts are missing, and the pipe of answers */
        uint64_t offset;
        uint64_t size;
        uint64_t companion_sizes[LSR_COMPANIONS];
};

/* What an OPEN may result in, beyond 0, 1 and errors.  See lsr_worker_open(). */
enum { LSR_WIRE_PIPE = 2, LSR_WIRE_PACKED };

struct lsr_wire_scan {
        uint32_t id;
        uint32_t distrusted; /* a catalogue came and was not valid */
        uint32_t n_paths;    /* of struct lsr_wanted; 0: all members are wanted */
        uint32_t depth;
        uint8_t content, numbers, links, described;
        uint8_t stream; /* content comes, too: of a file its MAP, DATA and HOLE behind the MEMBERS that it ends */
        uint8_t busy;   /* with it: the parent works on all cores at what comes */
        uint64_t max;   /* bytes of a CATALOGUE; one that is larger comes empty, which is not valid */
};

/*
 * At any time until the file is closed, with or without a request: have the first @n_needed ranges of the file before
 * the answer, an int32_t errno; those that follow are wanted next.
 */
struct lsr_wire_need {
        uint32_t n_needed;
        uint32_t n_wanted;
};

/* What a request about a bundle begins with, or is. */
struct lsr_wire_bundle {
        uint32_t id;
};

struct lsr_wire_many {
        uint32_t id;
        uint32_t flags; /* LSR_MANY_* */
        uint64_t n;
};

/* The answer to every request; what it did not ask for is zero. */
struct lsr_wire_done {
        int32_t result;
        int32_t confined; /* of a START: 0, or why it is not: a negative errno */
        uint32_t filtered;
        uint32_t some;    /* a SCAN has left members out, */
        uint64_t members; /* and this is how many there are; 0: it does not know */
        char format[16];
        char filters[64];
        uint64_t offset;
        uint64_t size;
        struct lsr_checked checked; /* by a CHECK */
        struct lsr_io_stats stats;  /* so far */
};

struct lsr_wire {
        int fd;
        bool takes_fds;
        uint64_t calls;          /* system calls made */
        pthread_mutex_t sending; /* one frame at a time: lsr_wire_send_aside() */
        size_t at;               /* bytes received and not taken: buf[at..len) */
        size_t len;
        unsigned n_fds;
        int fds[LSR_WIRE_FDS_MAX]; /* descriptors received and not taken; fewer than sent where there is no room */
        uint8_t *out;              /* frames not sent yet, NULL until there are any */
        size_t out_len;
        uint8_t buf[LSR_WIRE_BUFFER];
};

/* @fd is owned by the result.  @takes_fds: descriptors are accepted; else the kernel drops those that come. */
struct lsr_wire *lsr_wire_new(int fd, bool takes_fds);
struct lsr_wire *lsr_wire_free(struct lsr_wire *w);

/* Send a frame of @n parts, at most 3, and descriptors with it.  0 or a negative errno; -EPIPE: nobody is there. */
int lsr_wire_send(struct lsr_wire *w, enum lsr_wire_type type, uint32_t request, const struct iovec *parts, unsigned n,
                  const int *fds, unsigned n_fds);

/* The same for a whole frame of a thread beside the one that the wire belongs to: no other may be in its middle. */
int lsr_wire_send_aside(struct lsr_wire *w, enum lsr_wire_type type, const struct iovec *parts, unsigned n);

/*
 * The same for a frame that may wait for others, until the next lsr_wire_send().
 * Returns 1 if something was sent.
 */
int lsr_wire_put(struct lsr_wire *w, enum lsr_wire_type type, uint32_t request, const void *data, size_t n);

/* 0 or a negative errno; -EPIPE: the other end is gone. */
int lsr_wire_head(struct lsr_wire *w, struct lsr_wire_head *ret_head);

/* Exactly @n bytes. */
int lsr_wire_take(struct lsr_wire *w, void *buf, size_t n);

/* Some bytes, at most @max, valid until the next call.  Their number, more than 0, or a negative errno. */
ssize_t lsr_wire_some(struct lsr_wire *w, uint64_t max, const uint8_t **ret_data);

/* Has the other end sent something, or gone?  Does not wait. */
bool lsr_wire_waiting(struct lsr_wire *w);
