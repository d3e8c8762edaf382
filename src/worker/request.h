/*
 * request - one request to the worker and what comes back; between worker.c and call.c
 */
#pragma once

#include <time.h>

#include "worker/wire.h"
#include "worker/worker.h"

struct lsr_worker {
        struct lsr_worker_options options;
        char *engine;
        char *password;        /* NULL: none is known */
        pid_t pid;             /* 0: none runs */
        uint64_t seconds;      /* of processor time that it may take; UINT64_MAX: any */
        time_t since;          /* when it was started, by the monotonic clock */
        struct lsr_wire *wire; /* to it */
        uint32_t request;      /* number of the last */
        int answers[2];        /* a pipe for the answers to its NEEDs; negative: there is none */
        bool unfetched;        /* one had a bad answer, which explains all other trouble with the request at hand */
        bool starting;         /* the answer to its START, request 0, has not come yet */
        int confined;          /* 0; a negative errno: one that could not be confined, and why */
        uint32_t first_id;     /* of the bundles that it knows */
        uint32_t next_id;
        uint64_t calls;            /* system calls made for workers that are gone, and to start them */
        struct lsr_io_stats stats; /* as the last answer said, of the process that runs */
        struct lsr_io_stats past;  /* of those before it */
};

/* One request and what comes back. */
struct worker_call {
        enum lsr_wire_type type;
        uint32_t request;
        struct iovec parts[2];
        unsigned n_parts;
        const int *fds;
        unsigned n_fds;
        const struct lsr_sink *sink;                          /* of a READ, or of a SCAN that is a stream, */
        int (*member)(void *ctx, const struct lsr_member *m); /* whose members are told so */
        struct lsr_builder *builder;                          /* of a SCAN */
        uint64_t catalogue_max;                               /* likewise, bytes */
        struct lsr_record_owner owner;
        uint64_t received; /* bytes of records */
        const struct lsr_many_sink *many;
        size_t at, n;     /* of MANY: the member that is coming, and how many there are */
        bool began;       /* the sink knows of that member */
        int sink_result;  /* negative: it wanted no more */
        uint64_t drained; /* bytes that came nevertheless */
        unsigned troubles;
        uint8_t *data; /* of HEAD or CATALOGUE, or records; to be freed */
        size_t size;
        size_t cap;
        bool has_data;
        bool wants_some; /* a SCAN that some of the members may answer */
        bool some;       /* these do, as one of them says */
        bool full;       /* the builder takes no more */
        unsigned deep;   /* members that were too deep for it */
        struct lsr_wire_done done;
};

void lsr_worker_say(struct lsr_worker *w, int error, const char *text);

/*
 * Take everything up to the DONE.  0; -EPIPE: the worker is gone; -ENOMEM: there is none for what it sends; another
 * negative errno: it broke the rules.
 */
int lsr_call_receive(struct lsr_worker *w, struct worker_call *call);
