/*
 * client - lsr's end of lsr-remote
 *
 *      struct lsr_remote_client remote;
 *      lsr_remote_start(&remote) ─► lsr_remote_open() ─► lsr_remote_missing()? lsr_remote_need() : pread()
 *
 * Nothing here knows of networks.  A reader in another process gets the two descriptors, maps the bitmap, and sends
 * what it misses to the process that has the client.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "remote/protocol.h"

struct lsr_remote_client {
        int fd; /* negative: not started */
        pid_t pid;
        uint32_t last_id;
        uint64_t whole_max; /* may be set, as in struct lsr_remote_open */
        /* May be set: called now and then while an answer is waited for. */
        void (*waiting)(void *ctx);
        void *ctx;
};

/* What was there once. */
struct lsr_remote_known {
        uint64_t size;
        char tag[LSR_REMOTE_TAG_MAX];
};

struct lsr_remote_file {
        uint32_t id;
        uint32_t candidate; /* which of them it is */
        uint64_t size;
        int data, bits;
        uint8_t *have;     /* the bitmap, mapped for reading */
        bool not_modified; /* it is the one that was known; nothing of it was fetched */
        bool whole;        /* the server has no ranges, so all of it has come */
        char tag[LSR_REMOTE_TAG_MAX];
        struct lsr_remote_stats stats; /* after the last answer */
};

/*
 * Start @path, or with NULL the helper of this binary: beside it, or where it is installed.  It has our environment,
 * where its secrets are.  0; -ENOENT: it is not installed; or another negative errno.
 */
int lsr_remote_start(const char *path, struct lsr_remote_client *ret_client);

/* It ends with its socket; what is open of it can still be read as far as it is there. */
void lsr_remote_stop(struct lsr_remote_client *c);

/*
 * Open @url, of which the beginnings that end at @ends may be the object (lsr_url_candidates).  @known: what a cache
 * has, or NULL.  0 or a negative errno, as protocol.h lists them, with words for people in @ret_text; -EPIPE: the
 * helper is gone.
 */
int lsr_remote_open(struct lsr_remote_client *c, const char *url, const uint32_t *ends, unsigned n_ends,
                    const struct lsr_remote_known *known, struct lsr_remote_file *ret_file,
                    char ret_text[LSR_REMOTE_TEXT_MAX]);
void lsr_remote_close(struct lsr_remote_client *c, struct lsr_remote_file *file);

/* Have the first @n_needed of @ranges; the @n_wanted that follow are fetched some time.  0 or a negative errno. */
int lsr_remote_need(struct lsr_remote_client *c, struct lsr_remote_file *file, const struct lsr_remote_range *ranges,
                    unsigned n_needed, unsigned n_wanted, char ret_text[LSR_REMOTE_TEXT_MAX]);

/*
 * Begin to store the object @url, of s3, in place of what is there if @replace.  *ret_fd is a pipe that takes it, and
 * is the caller's; SIGPIPE must be ignored.  There is one at a time.  0 or a negative errno.
 */
int lsr_remote_put(struct lsr_remote_client *c, const char *url, bool replace, int *ret_fd,
                   char ret_text[LSR_REMOTE_TEXT_MAX]);

/* Whether it has failed: lsr_remote_put_end() knows why. */
bool lsr_remote_put_failed(const struct lsr_remote_client *c);

/*
 * The end of it; the pipe was closed.  @keep: all @size bytes were written, and the object shall be there.  @told, or
 * NULL, is called now and then with the bytes that are stored so far.  0 or a negative errno; -EEXIST: there is one;
 * -ECANCELED: it was not to be kept.
 */
int lsr_remote_put_end(struct lsr_remote_client *c, bool keep, uint64_t size, void (*told)(void *ctx, uint64_t bytes),
                       void *ctx, struct lsr_remote_stats *ret_stats, char ret_text[LSR_REMOTE_TEXT_MAX]);

/* For the handler of a signal that ends the process: give up what is being stored, and wait a while for that. */
void lsr_remote_abandon(const struct lsr_remote_client *c);

/* Whether any of @range is missing by the bitmap @have: then *ret_missing is its rest, from the first such block on. */
bool lsr_remote_missing(const uint8_t *have, struct lsr_remote_range range, struct lsr_remote_range *ret_missing);
