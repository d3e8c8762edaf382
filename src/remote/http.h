/*
 * http - requests, several at a time: the one file that knows libcurl
 *
 * A call is filled in, started, and reports by its functions while lsr_http_wait() runs.  Nothing is followed, decoded
 * or repeated here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote/protocol.h"

struct lsr_http;

struct lsr_http_answer {
        long status;      /* 0: there was none */
        bool ranged;      /* a valid Content-Range: bytes first-last/total */
        bool total_known; /* and its total, also of one that says only that */
        bool length_known;
        uint64_t first, last, total;
        uint64_t length; /* of the body */
        uint64_t retry_after_s;
        char tag[LSR_REMOTE_TAG_MAX]; /* ETag, if it is a strong one */
        char modified[64];            /* Last-Modified */
        char region[64];              /* x-amz-bucket-region */
        char code[64];                /* of an error of S3: AccessDenied */
        char type[32];                /* Content-Type */
};

struct lsr_http_call {
        /* Filled in, and free again when lsr_http_start() has returned. */
        const char *url;
        const char *headers; /* lines, each with "\n" */
        bool netrc;          /* a password may be taken from ~/.netrc */
        const char *method;  /* NULL: GET; a constant */
        const void *sent;    /* with another one: its body, which stays the caller's until the end */
        size_t sent_n;
        unsigned patience_s;
        /* Of a body that comes with 200 or 206: take it (0), or not (1)?  Then its bytes: 0, or else stop. */
        int (*head)(struct lsr_http_call *call);
        int (*body)(struct lsr_http_call *call, const void *data, size_t n);
        /* The end: @error 0, also for statuses that are errors, or a negative errno.  The call is free again. */
        void (*done)(struct lsr_http_call *call, int error);
        void *ctx;
        /* Results. */
        struct lsr_http_answer answer;
        char *redirect; /* where a 3xx points to; freed by the next start, or lsr_http_drop() */
        bool dropped;   /* head() or body() did not want it */
        bool transient; /* the error may be gone when it is tried again */
        bool reached;   /* a connection was there */
        uint64_t first_byte_ns, total_ns;
        char text[LSR_REMOTE_TEXT_MAX]; /* of an error */
        /* Private. */
        void *easy, *list;
        char error[256];
        char start[2048]; /* of the body of an error */
        size_t start_n;
        size_t sent_at;
};

struct lsr_http *lsr_http_new(void);
struct lsr_http *lsr_http_free(struct lsr_http *http);

/* 0 or a negative errno; on success done() is called once, unless lsr_http_drop() comes first. */
int lsr_http_start(struct lsr_http *http, struct lsr_http_call *call);

/* Stop it if it is under way, without done(). */
void lsr_http_drop(struct lsr_http *http, struct lsr_http_call *call);

/* Until something has happened, one of @fds can be read, or @timeout_ms are over.  0 or a negative errno. */
#define LSR_HTTP_FDS 2u
int lsr_http_wait(struct lsr_http *http, const int *fds, unsigned n, int timeout_ms, bool *ret_readable);

/* Ask a metadata service, without a proxy, within a second or two; see lsr_account_fetch. */
int lsr_http_metadata(void *ctx, const char *method, const char *url, const char *headers, char **ret_body);
