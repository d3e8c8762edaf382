/*
 * serve - what the parts of the process that parses share: serve.c, serve-read.c and serve-pipe.c
 */
#pragma once

#include "formats/drivers.h"
#include "worker/record.h"
#include "worker/wire.h"
#include "worker/worker.h"

struct serve_bundle {
        struct lsr_wire_open as;   /* as it was handed over */
        int fds[LSR_WIRE_FDS_MAX]; /* the file and its companions, -1: not there */
        struct lsr_identity identity;
        struct lsr_scan scan;     /* its session; input NULL: it has to be read anew */
        struct lsr_input *bottom; /* with it: the file, below all filters */
        bool used;                /* the input is not at its beginning, where it was identified */
        bool packed;              /* nothing can be done but to decompress it */
};

struct serve {
        struct lsr_wire *wire;
        struct lsr_io *io;
        uint64_t window_max;
        uint32_t request; /* at hand */
        char *password;   /* NULL: none is known */
        const struct lsr_encoding *encoding;
        char *names[2]; /* converted: of a path, and of a target */
        size_t names_cap[2];
        struct serve_bundle *bundles;
        size_t n_bundles;
        size_t cap_bundles;
        uint32_t warm;              /* id of the bundle whose session is kept from request to request */
        struct lsr_records records; /* of a SCAN, not sent yet */
};

int serve_send(struct serve *s, enum lsr_wire_type type, const void *data, size_t n);

/* The file of @b, or its range, as an input: of one that is far, the parent is asked for what is missing (need.c). */
int serve_file(struct serve *s, const struct serve_bundle *b, struct lsr_input **ret_input);

/*
 * The head of a request, @n bytes that begin with the id of a bundle, and that bundle.  0, -EBADMSG: it is cut off; or
 * -ESTALE: the bundle was never opened, or is closed.
 */
int serve_about(struct serve *s, const void *data, size_t size, void *ret_head, size_t n,
                struct serve_bundle **ret_bundle);

/*
 * What every driver's function is given, for a request; 0 or a negative errno.  The input is at its beginning, or where
 * members from position @from on can be read.  And afterwards.
 */
int serve_begin(struct serve *s, struct serve_bundle *b, uint64_t from, struct lsr_scan **ret_scan);
void serve_end(struct serve_bundle *b);

/* A compressed bundle that is far is about to be read to its end: have it come ahead of the decoder. */
void serve_announce_all(struct serve_bundle *b);

/* Of result @r: an errno says less than the filter that gave up. */
void serve_scan_explain(struct lsr_scan *scan, int r);

/* Requests about content: READ and EXTENT, and MANY.  Their results. */
int serve_member(struct serve *s, enum lsr_wire_type type, const uint8_t *data, size_t size,
                 struct lsr_wire_done *done);
int serve_many(struct serve *s, const uint8_t *data, size_t size);
int serve_want(struct serve *s, const uint8_t *data, size_t size);

/* A pipe as an input, and its first bytes, which may have to be given back. */
int serve_pipe_input(struct lsr_io *io, int fd, struct lsr_input **ret_input);
const uint8_t *serve_pipe_head(const struct lsr_input *in, size_t *ret_len);
