/*
 * bundle-parts - what the files bundle*.c share
 */
#pragma once

#include "base/limits.h"
#include "source/bundle.h"

struct lsr_spool;

/* What trouble() is told later, or never. */
struct bundle_held {
        int error;
        char *text; /* or NULL */
};

struct lsr_bundles {
        struct lsr_bundles_options o;
        struct lsr_remote_client *remote;                    /* reads what lies on servers; NULL until there is a URL */
        struct lsr_nursery *nursery;                         /* of all workers, NULL until there is one */
        struct lsr_io_stats stats;                           /* of those that are gone, */
        int confined;                                        /* and as lsr_bundles_confined() */
        struct lsr_bundle *working[LSR_BUNDLES_WORKERS_MAX]; /* whose workers may run, NULL: nobody's */
        struct lsr_bundle *all;
        struct lsr_bundle *current; /* what trouble is about */
        bool looking;               /* see lsr_bundles_look() */
        bool trying;                /* nobody is told what is wrong with what is read: a password is tried, or a pass */
        bool heard;                 /* with it: something is */
        bool holding;               /* what is wrong is kept for bundle_hear() */
        struct bundle_held *held;
        size_t n_held;
        size_t cap_held;
        bool stale;               /* one was changed on its server before anything of it was shown, */
        bool again;               /* and this is the second time that it is read */
        struct lsr_wanted wanted; /* what is expected; n is 0: nothing is said of it */
        const char **expected;    /* its paths, sorted; NULL until a bundle is loaded for them */
        uint64_t tick;
};

/* One that is not open yet; takes @path. */
struct lsr_bundle *bundle_new(struct lsr_bundles *b, char *path);
void bundle_free(struct lsr_bundle *bundle);

/* It is one of all from now on; gives it back. */
struct lsr_bundle *bundle_keep(struct lsr_bundle *bundle);
struct lsr_bundle *bundles_find(struct lsr_bundles *b, const char *path);

/* Another bundle is about to be opened.  Standard input stays: there is no way back to it. */
void bundles_make_room(struct lsr_bundles *b);

/* It and what it lies in are the last that will be parked. */
void bundle_touch(struct lsr_bundle *bundle);

/* The open file behind @bundle->fd: 0; 1: it is no bundle; a negative errno. */
int bundle_recognise(struct lsr_bundle *bundle);

/* Its catalogue, which holds all members, goes into the index cache if it may. */
void bundle_remember(const struct lsr_bundle *bundle);

/* From now on the bundle's bytes are those of @spool; with @r an error, there are none. */
int bundle_use_spool(struct lsr_bundle *bundle, struct lsr_spool *spool, int r);

/* Where one inside another can be read: a range of the outer file, or a spool.  @whole: whatever it begins with. */
int bundle_place_inner(struct lsr_bundle *inner, bool whole);

/* @format: with the limit, and by what it is raised. */
__attribute__((format(printf, 3, 0))) void bundle_say_limit(struct lsr_bundle *bundle, enum lsr_limit limit,
                                                            const char *format);

/* The one that is a file, or comes through a pipe. */
struct lsr_bundle *bundle_outermost(struct lsr_bundle *bundle);

/* Who parses it: the worker of the outermost one.  NULL: it was handed over to none. */
struct lsr_worker *bundle_worker(const struct lsr_bundle *bundle);

/* The worker that @bundle is handed over to; for it another one may end. */
struct lsr_worker *bundle_need_worker(struct lsr_bundle *bundle);

/* End the worker that is its own, if there is one; what it did stays for lsr_bundles_stats(). */
void bundle_free_worker(struct lsr_bundle *bundle);

/* Is it content that nobody can read without a password, or that is not there: no damage? */
bool bundle_is_shut(int error);

/* 0; 1: it is nothing that can be a bundle; a negative errno. */
int bundle_open_file(struct lsr_bundle *bundle);

/* Has it the look of a bundle?  @ret_database: of one that may have companions. */
bool bundle_plausible(struct lsr_bundle *bundle, bool *ret_database);

/*
 * What lies beside a database, by its own name, not that of a link to it.  A negative errno, said: something does that
 * cannot be read, and without it the database would be listed as it was once.
 */
int bundle_open_companions(struct lsr_bundle *bundle);
void bundle_close(struct lsr_bundle *bundle);

/* Was the open file, a database, written to since it was opened? */
bool bundle_is_written(const struct lsr_bundle *bundle);

/* It was: say so, once.  False: it was not. */
bool bundle_tell_written(struct lsr_bundle *bundle);

/* Let the next request open the file again, as another one.  0, or a negative errno. */
int bundle_open_again(struct lsr_bundle *bundle);

/* Tell what was held back about @bundle; or, not @say, forget it. */
void bundle_hear(struct lsr_bundle *bundle, bool say);

/* Do @op, again if the worker has lost the bundle: for requests to it. */
int bundle_retry(struct lsr_bundle *bundle, int (*op)(struct lsr_bundle *bundle, void *ctx), void *ctx);

/* A row with its whole path, as the worker wants it.  The path is to be freed. */
char *bundle_whole_member(const struct lsr_catalogue *c, uint32_t row, struct lsr_member *ret_member);
