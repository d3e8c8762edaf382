/*
 * protocol - between lsr and lsr-remote, the program that holds network and secrets and parses no bundle
 *
 *      lsr     OPEN  NEED  CLOSE  PUT  STORE
 *      helper  one answer to each OPEN, NEED and PUT: OPENED, GOT, STORED
 *
 * Standard input of the helper is its end of a socketpair of SOCK_SEQPACKET: a message is a packet.  When the other end
 * closes, it ends.  Both are of one build, so numbers travel as they lie in memory.  The helper checks all that it is
 * sent; lsr trusts it with the bytes of an object, as it trusts a server, and with no more.
 *
 * An OPENED that succeeded brings two descriptors that can only be read:
 *
 *      data     a sparse memfd of the object's size
 *      bitmap   a bit for each block of it, the lowest of a byte first, 1: the block is there.  It may be mapped.
 *
 * A block that is there can be read as from a file.  For others NEED is sent, and has its answer when they are there.
 * Blocks are taken away only while a NEED of this object is under way, and never those that it needs: so who reads
 * asks for all that it is going to read, and looks at the bitmap again behind each NEED.  An object has one NEED at a
 * time; one that needs nothing and only announces what is wanted next is answered at once.
 */
#pragma once

#include <stdint.h>

#define LSR_REMOTE_BLOCK_SHIFT 16
#define LSR_REMOTE_BLOCK ((uint64_t)1 << LSR_REMOTE_BLOCK_SHIFT)
#define LSR_REMOTE_TAIL ((uint64_t)256 << 10)      /* bytes at the end that an OPEN brings */
#define LSR_REMOTE_REQUEST_MAX ((uint64_t)8 << 20) /* bytes of one request to a server */
#define LSR_REMOTE_NEED_MAX ((uint64_t)64 << 20)   /* bytes of one NEED, in whole blocks */
#define LSR_REMOTE_HELD_MAX ((uint64_t)256 << 20)  /* bytes of an object that are there at a time */
#define LSR_REMOTE_SIZE_MAX ((uint64_t)1 << 46)
#define LSR_REMOTE_FLIGHT_MAX 8u    /* requests at a time */
#define LSR_REMOTE_RANGES_MAX 4096u /* of one NEED */
#define LSR_REMOTE_OBJECTS_MAX 64u  /* open at a time */
#define LSR_REMOTE_CANDIDATES 4u
#define LSR_REMOTE_TAG_MAX 128u
#define LSR_REMOTE_TEXT_MAX 384u

enum lsr_remote_type {
        LSR_REMOTE_OPEN = 1,
        LSR_REMOTE_NEED,
        LSR_REMOTE_CLOSE,
        LSR_REMOTE_OPENED,
        LSR_REMOTE_GOT,
        LSR_REMOTE_PUT,
        LSR_REMOTE_STORED,
        LSR_REMOTE_STORE,
        LSR_REMOTE_STORING,
};

struct lsr_remote_open {
        uint32_t type;
        uint32_t id; /* chosen by lsr, of no open object */
        uint32_t n_candidates;
        uint32_t ends[LSR_REMOTE_CANDIDATES]; /* beginnings of the URL that may be the object (url.h) */
        uint32_t patience_s;                  /* without an answer or 1000 bytes a second; 0: 20 */
        uint64_t bytes_max;                   /* to fetch of it in all; 0: eight times its size, and 64 MiB */
        uint64_t whole_max;                   /* of what a server without ranges sends; 0: LSR_REMOTE_REQUEST_MAX */
        uint64_t known_size;                  /* with known_tag: of what a cache has */
        char known_tag[LSR_REMOTE_TAG_MAX];   /* an ETag with its quotes, or empty */
        /* and the URL, without a NUL */
};

struct lsr_remote_range {
        uint64_t offset, length;
};

struct lsr_remote_need {
        uint32_t type;
        uint32_t id;
        uint32_t n_needed;
        uint32_t n_wanted; /* next, in the order in which it will be; what was wanted before is forgotten */
        /* and the ranges, those needed first */
};

struct lsr_remote_close {
        uint32_t type;
        uint32_t id;
};

/*
 * Store what comes through a pipe, the descriptor of which comes with the message: the object is there as a whole, once
 * STORE has said how much that is, or not at all.  Its one answer, STORED, follows that, or CLOSE, which gives it up:
 * -ECANCELED; or comes before when it has failed, and then the pipe has no reader.  Behind STORE there may be STORING
 * before it, to tell how far it is.  There is one PUT at a time.
 */
struct lsr_remote_put {
        uint32_t type;
        uint32_t id;
        uint32_t replace; /* what is there; else -EEXIST */
        uint32_t reserved;
        /* and the URL, of s3 */
};

struct lsr_remote_store {
        uint32_t type;
        uint32_t id;
        uint64_t size; /* of all that was written to the pipe */
};

/* Of an object since its OPEN or PUT; bytes that were fetched, or stored. */
struct lsr_remote_stats {
        uint64_t requests, retries, bytes;
        uint64_t waited_ns; /* while an OPEN or NEED was under way, or behind a STORE */
};

/*
 * Results: 0, or -ENOENT: no such host, bucket or object; -EACCES: refused; -ESTALE: changed since it was opened;
 * -EOPNOTSUPP: the server sends whole objects only, and this one is large; -EPERM: redirected from https to http;
 * -EEXIST: an object is there, and is not to be replaced; -EDQUOT: more than bytes_max; -EKEYREJECTED: the certificate;
 * -EINVAL: bad message, URL or settings; -E2BIG: more than LSR_REMOTE_NEED_MAX; -EBUSY: a NEED is under way;
 * -ETIMEDOUT, -ECONNRESET, -EPROTO, -EIO and others: the network.
 */
struct lsr_remote_answer {
        uint32_t type;
        uint32_t id;
        int32_t result;
        uint32_t candidate;    /* OPENED: which it is */
        uint32_t not_modified; /* OPENED: the object is the one that is known; nothing of it was fetched */
        uint32_t whole;        /* OPENED: the server has no ranges, so all of it has come */
        uint64_t size;
        struct lsr_remote_stats stats;
        char tag[LSR_REMOTE_TAG_MAX];   /* ETag, if it is a strong one */
        char text[LSR_REMOTE_TEXT_MAX]; /* why it failed: for people, without URL and secrets */
};
