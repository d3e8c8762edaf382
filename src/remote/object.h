/*
 * object - what lies on a server, opened and fetched in ranges
 *
 *      the last 256 KiB ──206──────────────────────────────► open
 *             │ │ └──200, at most 8 MiB: all of it──────────► open
 *             │ └──416 with a size──────────► a closed range ─► open
 *             └──refused or ignored──► bytes 0-0 ──206──► a closed range
 *
 * All later requests name the ETag (If-Match), and what comes must have that, or else the time of the last change, and
 * the size that the object had; so bytes of two versions are never mixed.
 */
#pragma once

#include "remote/account.h"
#include "remote/http.h"
#include "remote/protocol.h"
#include "remote/store.h"

struct lsr_object;
struct lsr_remote;

enum lsr_fetch_kind { LSR_FETCH_TAIL, LSR_FETCH_ZERO, LSR_FETCH_RUN, LSR_FETCH_SEND };

/* What a request of LSR_FETCH_SEND sends, and what came back. */
struct lsr_sending {
        struct lsr_upload *upload;
        const char *method, *query; /* query NULL: none */
        const void *body;
        size_t n;
        unsigned patience_s;
        bool only_new; /* what is there must not be replaced */
        bool asks;     /* whether something is there: that nothing is, is an answer */
        bool busy;
        char hash[65]; /* of the body */
        char *answer;  /* the body of it, owned, or NULL */
        size_t answer_n;
};

/* A request until it has succeeded or failed for good, with its repetitions. */
struct lsr_fetch {
        struct lsr_object *object; /* NULL: this one is free */
        struct lsr_remote *remote;
        enum lsr_fetch_kind kind;
        struct lsr_run run;          /* of LSR_FETCH_RUN: blocks; the first ones are taken off as they come */
        struct lsr_sending *sending; /* of LSR_FETCH_SEND */
        uint64_t at;                 /* where the next byte belongs */
        unsigned tries, redirects;
        uint64_t retry_at; /* on the clock; 0: it is under way */
        bool elsewhere;    /* where the first URL led to was given up once */
        bool region_tried;
        int error; /* found in the head or the body */
        struct lsr_http_call call;
};

struct lsr_remote {
        struct lsr_http *http;
        struct lsr_account account;
        bool account_read;
        struct lsr_fetch fetches[LSR_REMOTE_FLIGHT_MAX];
};

struct lsr_object {
        uint32_t id;
        char *first_url, *url; /* as given, of http; and where it led to */
        char *bucket, *key;    /* of s3, or NULL */
        char region[64];       /* of the bucket, if the store told another one than that of the account */
        bool elsewhere;        /* on another host than the URL names: without credentials */
        unsigned patience_s;
        uint64_t bytes_max, whole_max;

        enum { LSR_OBJECT_WAITING, LSR_OBJECT_OPENING, LSR_OBJECT_OPEN, LSR_OBJECT_FAILED } state;
        int error; /* of an object that failed, or of the NEED under way */
        char text[LSR_REMOTE_TEXT_MAX];
        bool ranged;       /* the server answers with ranges; else all of it is here */
        bool not_modified; /* what the cache has is what is there */
        char tag[LSR_REMOTE_TAG_MAX], modified[64];
        uint64_t size;
        struct lsr_store store; /* once its size is known */
        uint8_t *whole;         /* what comes of a server without ranges */
        size_t whole_n, whole_room;
        struct lsr_remote_stats stats;

        bool needing;
        uint64_t since;         /* the request under way, on the clock */
        struct lsr_run *needed; /* of the NEED under way, sorted */
        size_t n_needed;
        struct lsr_runs queue, wanted;
        uint64_t next_block, window;           /* a reader in order: where it comes next, blocks of a request */
        uint64_t latency_ns, bytes_per_second; /* measured, for what a gap may cost */
};

/*
 * Begin to open the first @end bytes of @url.  @known_tag and @known_size: of what a cache has.  0 or a negative errno;
 * what is wrong with the URL or the account makes an object that has failed.
 */
int lsr_object_new(struct lsr_remote *remote, const struct lsr_remote_open *open, const char *url, uint32_t end,
                   struct lsr_object **ret_object);
struct lsr_object *lsr_object_free(struct lsr_remote *remote, struct lsr_object *o);

/* Begin a NEED: 0; 1: everything needed is there; or a negative errno, with o->text. */
int lsr_object_need(struct lsr_remote *remote, struct lsr_object *o, const struct lsr_remote_range *ranges,
                    uint32_t n_needed, uint32_t n_wanted);

/* 1: the NEED under way is over: o->error is its result.  0: not yet. */
int lsr_object_needed(struct lsr_object *o);

/* Start what may be started of @o. */
void lsr_object_pump(struct lsr_remote *remote, struct lsr_object *o);

/* --- fetch.c --- */

/* Start a request in a free place: 0; -EAGAIN: there is none; or another negative errno. */
int lsr_fetch_start(struct lsr_remote *remote, struct lsr_object *o, enum lsr_fetch_kind kind, struct lsr_run run);

/* The same of one that sends something; it ends with lsr_upload_fetched(). */
int lsr_fetch_send(struct lsr_remote *remote, struct lsr_object *o, struct lsr_sending *sending);

/* End all requests of @o. */
void lsr_fetch_drop(struct lsr_remote *remote, struct lsr_object *o);

/* Repeat what is due.  Milliseconds until the next one is, or -1. */
int lsr_fetch_repeat(struct lsr_remote *remote);

/* What fetch.c tells object.c: the head of an answer that brings bytes, bytes of a whole object, and the end. */
int lsr_object_head(struct lsr_fetch *f);
int lsr_object_whole(struct lsr_fetch *f, const void *data, size_t n);
void lsr_object_fetched(struct lsr_remote *remote, struct lsr_fetch *f, int error);

int lsr_object_fail(struct lsr_object *o, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
