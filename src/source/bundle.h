/*
 * bundle - an archive or a database, open as a directory
 *
 * From a path to a catalogue: through the index cache or the worker, and for a
 * bundle inside a bundle through a range of the outer file, or a copy of the
 * member in memory or in an unnamed temporary file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "catalogue/catalogue.h"
#include "formats/format.h"
#include "io/io.h"
#include "remote/protocol.h"
#include "worker/worker.h"

#define LSR_BUNDLES_OPEN_MAX 16   /* more than that, and few enough for the worker's descriptors */
#define LSR_BUNDLES_WORKERS_MAX 4 /* processes at a time that parse: one for each outermost bundle */

struct lsr_bundles; /* what all bundles of a run share: cache, those that are open, where workers come from */

struct lsr_bundles_options {
        struct lsr_io *io;
        const char *engine;
        bool cache;            /* use the index cache */
        bool download;         /* fetch what lies on a server without ranges, up to LSR_REMOTE_HELD_MAX */
        const char *encoding;  /* of names that are not UTF-8, as lsr_encoding_find() knows it; NULL */
        bool confine_required; /* nothing is parsed by a process that the kernel does not let be confined */
        bool must_read;        /* a file whose beginning cannot be read is an error; otherwise it is no bundle */
        bool keep_pipes;       /* what comes from a pipe is kept: content will be read, too */
        int (*serve)(int fd);  /* for tests: what stands in for the workers; NULL */
        /* That of encrypted members, valid until it is asked again; @may_ask a person.  NULL: nobody knows it. */
        const char *(*password)(void *ctx, const char *path, bool may_ask);
        void *ctx;
        /* Something is wrong with the bundle at @path, or (error 0) worth saying.  @text NULL: the errno says all. */
        void (*trouble)(void *ctx, const char *path, int error, const char *text);
        /* A server is being waited for; NULL: no longer.  May be NULL. */
        void (*fetching)(const struct lsr_remote_stats *stats);
};

struct lsr_bundles *lsr_bundles_new(const struct lsr_bundles_options *options);

/*
 * What lsr_bundle_load_some() will look up: paths as the user gave them, through whatever files.  All else is had by
 * loading bundles as a whole.  The paths stay the caller's.
 */
void lsr_bundles_expect(struct lsr_bundles *b, const struct lsr_wanted *wanted);

/* Will directories be listed, and not just looked up? */
bool lsr_bundles_list(const struct lsr_bundles *b);

struct lsr_bundles *lsr_bundles_free(struct lsr_bundles *b);

/* 1: nothing had to be parsed; 0: what parsed was confined; a negative errno: it was not, and why. */
int lsr_bundles_confined(const struct lsr_bundles *b);

/* Added to @sum: what the workers did. */
void lsr_bundles_stats(struct lsr_bundles *b, struct lsr_io_stats *sum);

/* The engine that they are read with. */
struct lsr_io *lsr_bundles_io(struct lsr_bundles *b);

struct lsr_bundle {
        char *path;                      /* as the user gave it, up to here: "a.tar/b.zip" */
        struct lsr_catalogue *catalogue; /* NULL until it is loaded; the last one, see struct lsr_place */
        struct lsr_meta meta;            /* of the file, or of the member in the outer bundle */
        char format[16];
        char filters[64];
        bool filtered; /* reading one member means decoding all before it */
        bool troubled; /* something was wrong with it */
        bool cached;   /* the catalogue came from the index cache */
        bool claimed;  /* the catalogue is the bundle's own: for listing alone, see LSR_MANY_EXACT */
        /* The rest belongs to bundle.c. */
        struct lsr_bundles *all;
        struct lsr_bundle *outer;
        struct lsr_worker *worker;    /* of the outermost one alone, see bundle_worker(); NULL until it is needed */
        char *shown;                  /* see lsr_bundle_shown(); NULL until it is asked for */
        struct bundle_remote *remote; /* the object on a server that it is (remote.c); NULL: it is none */
        unsigned depth;
        uint32_t id;
        bool handed;                /* the worker knows it, by id */
        bool loaded;                /* or an attempt failed, with load_error */
        struct lsr_catalogue *some; /* what some questions take, with rows of its own: never cached; NULL */
        uint64_t members;           /* with it: how many there are in all; 0: that is not known */
        const char **asked;         /* the questions: paths, sorted */
        size_t n_asked;
        char *asked_text; /* of the one that was not expected */
        int load_error;
        int look_error;   /* why its beginning or its end could not be looked at */
        bool unlocked;    /* lsr_bundle_unlock() has tried a password, */
        int unlock_error; /* with this result */
        uint64_t used;    /* when, in steps of lsr_bundles */
        int fd;           /* where its bytes are, perhaps the outer one's; -1: it is parked */
        bool fd_owned;
        bool database;                  /* that may have companions, and be written to by others, */
        bool written;                   /* which was said */
        int companions[LSR_COMPANIONS]; /* files beside a database, -1: not there; owned */
        struct lsr_catalogue *outer_catalogue;
        uint32_t outer_row; /* in that */
        uint64_t offset;
        uint64_t size;
        uint64_t stored; /* size of what was opened, before anything was decompressed; LSR_INPUT_UNKNOWN: a pipe */
        uint64_t taken;  /* by the catalogues of it and of those in it, of the outermost one alone, */
        uint64_t looked; /* and what was copied to see whether members are bundles */
        bool looked_all; /* that was said */
        struct lsr_bundle *next;
};

/*
 * A member, or NULL: a real path.  Rows are those of the catalogue that it was found in, which stays as it is until
 * lsr_bundles_free(), whatever more of the bundle is loaded.
 */
struct lsr_place {
        struct lsr_bundle *bundle;
        struct lsr_catalogue *catalogue;
        uint32_t row;
};

/* Are there only the members that some questions took? */
static inline bool lsr_place_is_some(const struct lsr_place *place)
{
        return place->catalogue == place->bundle->some;
}

/*
 * The file at @path (below the working directory), or "-", standard input.  0; 1: it is no bundle, which trouble() was
 * told of standard input; a negative errno; LSR_LIMIT_EXCEEDED: it was told what limit is exceeded.
 * Bundles are found again by their path until lsr_bundles_free(); the files of some are open, those of others are
 * opened again when something is to be read.
 */
int lsr_bundle_open(struct lsr_bundles *b, const char *path, struct lsr_bundle **ret_bundle);

/*
 * The same for what lies on a server and @url begins with: *ret_end is where in @url its name ends.  0, or a negative
 * errno, which trouble() was told of.
 */
int lsr_bundle_open_url(struct lsr_bundles *b, const char *url, struct lsr_bundle **ret_bundle, uint32_t *ret_end);

/* Does it lie on a server, or in a bundle that does? */
bool lsr_bundle_is_remote(const struct lsr_bundle *bundle);

/* Does it, and nothing more of it can be had?  trouble() was told why: not every member needs to be told of. */
bool lsr_bundle_is_cut(const struct lsr_bundle *bundle);

/*
 * Whether what was just opened by its URL, and loaded, was changed meanwhile, before anybody could have seen anything
 * of it.  Then it is as if it had never been opened; the next time it may be shown as far as it came.
 */
bool lsr_bundles_anew(struct lsr_bundles *b);

/* Its path as it may be shown: without user and query of a URL, where secrets are. */
const char *lsr_bundle_shown(struct lsr_bundle *bundle);

/* What servers were asked for all bundles. */
struct lsr_remote_stats;
void lsr_bundles_remote_stats(const struct lsr_bundles *b, struct lsr_remote_stats *ret_stats);

/*
 * The regular file at @place, as a bundle: 0, 1, or a negative errno; LSR_LIMIT_EXCEEDED: trouble() was told what limit
 * it exceeds.
 * Unless @whole, one that must be copied and is larger than LSR_LIMIT_LOOK is a bundle only if its beginning says
 * so: that some have their magic number at the end must not make a listing decode whatever is large.
 */
int lsr_bundle_open_inner(const struct lsr_place *place, bool whole, struct lsr_bundle **ret_bundle);

/*
 * Make sure there is a catalogue, of all members.  A negative errno: there is none, and trouble() was told why.
 */
int lsr_bundle_load(struct lsr_bundle *b);

/*
 * The same in one pass with the content, which lsr_worker_stream() hands to @member and @content; @busy as there.  0;
 * 1: not so, as listing it need not decode it, anything is wrong with it, or one of them wanted no more.  Nobody was
 * told, what came is void, and lsr_bundle_load() may follow.
 */
int lsr_bundle_stream(struct lsr_bundle *b, bool busy, int (*member)(void *ctx, const struct lsr_member *m),
                      const struct lsr_sink *content);

/* Is it worth a try? */
bool lsr_bundle_streams(const struct lsr_bundle *b);

/*
 * As lsr_bundle_load(), but some of them will do: those that it takes to follow @path below the root, which is one of
 * those expected or leads there, and to list what was expected.  Then links are not to be followed from places that
 * lsr_place_is_some(), and nothing else may be looked up before lsr_bundle_load().
 */
int lsr_bundle_load_some(struct lsr_bundle *b, const char *path);

/*
 * From now on, until that is taken back: what cannot be read, as it is encrypted or not in the outer bundle, is no
 * bundle to lsr_bundle_open_inner(), and nobody is told.
 */
void lsr_bundles_look(struct lsr_bundles *b, bool looking);

/* How many members there are, of one with a catalogue; UINT64_MAX: nobody has counted all. */
uint64_t lsr_bundle_members(const struct lsr_bundle *b);

/*
 * Some of @rows may be encrypted in a way that can be decrypted: find a password, and out whether it is the right one.
 * Reading does so, too; this is for whoever has to know before anything is made. 0: it is, or nothing is encrypted, or
 * there is none; -EKEYREJECTED: it is wrong, as trouble() was told.
 */
int lsr_bundle_unlock(struct lsr_bundle *b, const struct lsr_catalogue *c, const uint32_t *rows, size_t n);

/* Content of a member, hard links followed.  As lsr_format.read. */
int lsr_bundle_read(const struct lsr_place *place, const struct lsr_sink *sink);

/*
 * Where a symbolic link leads of which the catalogue does not tell: its target is encrypted, or compressed in a way
 * that is not looked into for a listing.  To be freed; NULL: it has none.  0, or a negative errno as of reading.
 */
int lsr_bundle_target(struct lsr_bundle *b, const struct lsr_catalogue *c, uint32_t row, char **ret_target);

/*
 * Content of many members in as few passes as there can be: one, unless they are millions.  @rows of @c by
 * ascending position; each of them begins and ends once, as far as the sink wants more.  @flags as for
 * lsr_worker_read_many(); the rows of an exact one are those of the members themselves, all of them with LSR_MANY_ALL.
 * 0, or a negative errno: what the sink returned, or what is wrong with the bundle beyond its members.
 */
int lsr_bundle_read_many(struct lsr_bundle *b, const struct lsr_catalogue *c, const uint32_t *rows, size_t n,
                         unsigned flags, const struct lsr_many_sink *sink);

/* Announce that these, by ascending position, will be read: of what lies on a server they are fetched meanwhile. */
void lsr_bundle_want(struct lsr_bundle *b, const struct lsr_catalogue *c, const uint32_t *rows, size_t n);

/* As lsr_format.check, which needs no catalogue; 1: reading all members is what can be done. */
int lsr_bundle_check(struct lsr_bundle *b, struct lsr_checked *ret_checked);
