/*
 * format - what a driver is: bytes in, catalogue out
 *
 * A driver opens no path, keeps no global state and prints nothing: everything
 * comes through its input, so that it can run in the confined worker.  One file
 * per driver; registry.c has the table.  README.md tells how to add one.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grouped.h"
#include "base/limits.h"
#include "catalogue/builder.h"
#include "catalogue/member.h"
#include "formats/encoding.h"
#include "formats/input.h"

#define LSR_PROBE_BYTES ((size_t)64 << 10)
#define LSR_PROBE_BEHIND ((size_t)4 << 10)
#define LSR_FILTERS_MAX 16 /* compressions on top of each other, the most that LSR_LIMIT_FILTERS can be */

/* What probes look at, read once for all of them. */
struct lsr_probe {
        const uint8_t *head; /* the first LSR_PROBE_BYTES */
        size_t head_len;
        const uint8_t *tail; /* the last bytes (66,000 at most); head_len 0 and more if known, else empty */
        size_t tail_len;
        uint64_t size; /* LSR_INPUT_UNKNOWN behind a filter or from a pipe */
        const uint8_t
                *behind; /* of a program: the first LSR_PROBE_BEHIND bytes behind it, for self-extracting archives */
        size_t behind_len;
};

/* Where the program (PE, ELF) ends that begins with @head; 0: it is none, or that cannot be told. */
uint64_t lsr_program_end(const uint8_t *head, size_t n);

/* Read what lies behind the program that @p has the head of into @buf, and put it there.  Returns where that is. */
uint64_t lsr_probe_behind(struct lsr_input *in, struct lsr_probe *p, uint8_t buf[static LSR_PROBE_BEHIND]);

/* Files beside a database that belong to it. */
enum lsr_companion { LSR_COMPANION_WAL, LSR_COMPANION_JOURNAL, LSR_COMPANIONS };

#define LSR_DEPTH_ALL UINT_MAX

struct lsr_sink;

/* What of a bundle is asked. */
struct lsr_wanted {
        const char *const *paths; /* from the root of the bundle */
        size_t n;                 /* one at least */
        bool content;             /* what is found is read next, and nothing is listed; or else */
        unsigned depth;           /* so many levels below them are: 0 none, LSR_DEPTH_ALL all */
        bool numbers;             /* rows have the numbers that they have among all members */
        bool links;               /* where symbolic links lead that are listed is looked up, too */
        bool described;           /* what is listed of a database has sizes and notes (LSR_MEMBER_NOTED) */
};

/*
 * A bundle that is open: what the driver is given.  Input, companions and state stay until lsr_scan_close(), from one
 * request to the next; all else is of one request.
 */
struct lsr_scan {
        struct lsr_input *input;
        struct lsr_input *companions[LSR_COMPANIONS]; /* NULL: not there */
        /* The driver's own: what it has parsed or opened that the next request can use.  NULL: nothing yet. */
        void *state;
        struct lsr_builder *builder;
        /*
         * Instead of members for the builder: all of them encoded, as the bundle itself has them, to be freed.  It need
         * not be valid.  If lsr_catalogue_decode() refuses it, the scan is repeated with distrusted set.  Nor need it
         * be true: it is believed for listing alone, and read_many() heeds exact.
         */
        uint8_t *catalogue;
        size_t catalogue_size;
        bool distrusted;
        /*
         * By list(): members that the question does not take were left out, and directories that were not
         * listed for it may be LSR_MEMBER_UNREAD.
         */
        bool some;
        uint64_t members; /* with it: how many there are in all; 0: that is not known */
        /*
         * By list() of a stream: what was wanted is found, and it stopped in front of the content of the last, which is
         * at that position.  With input and state as they are now this member can be read, and those behind it.
         */
        bool stopped;
        uint64_t stopped_at;
        uint64_t window_max; /* bytes of decoder memory (zstd window, xz dictionary) */
        /* Of encrypted members; NULL: there is none.  read() and read_many() return -EKEYREJECTED if it is wrong. */
        const char *password;
        /*
         * Of names that are not UTF-8; NULL: it was not said.  Drivers that know one themselves heed it, worker/ does
         * the rest.
         */
        const struct lsr_encoding *encoding;
        /*
         * For read_many(): members come as a catalogue of the bundle's own has them, of all types, with all fields, a
         * hard link with its target.  They are to be restored, so whatever the member's header says differently is
         * damage.  Only regular files have content.
         */
        bool exact;
        bool exact_gaps;       /* others may lie between members; else */
        bool exact_end;        /* behind the last one nothing is left, */
        uint64_t exact_follow; /* and here, in front of the next, nobody else; LSR_INPUT_UNKNOWN: that is not known */
        /*
         * Set by read() and read_many() before a member ends well: its content was compared with a checksum that the
         * format has of it.  Most formats have none; then what it is read from may have one, see struct lsr_identity.
         */
        bool verified;
        /*
         * For scan(): behind each regular file that goes to the builder its content goes here.  NULL: nobody wants it.
         * A driver that heeds it says so by streams.
         */
        const struct lsr_sink *content;
        void *ctx;
        void (*trouble)(void *ctx, int error, const char *text); /* use lsr_scan_trouble() */
        unsigned troubles;
};

/*
 * Something is wrong with the bundle; what is intact is listed all the same.
 * @error is a negative errno, or 0 for a remark that leaves the exit status alone.  The text is a clause without the
 * bundle's name, with the place: "central directory is cut short at byte 1,204".
 */
void lsr_scan_trouble(struct lsr_scan *scan, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Where content goes.  A negative return ends the read and is its result. */
struct lsr_sink {
        void *ctx;
        int (*write)(void *ctx, const void *data, size_t n);
        int (*hole)(void *ctx,
                    uint64_t n); /* @n zero bytes, which may be more than anybody has time for; NULL: write */
        /*
         * May be set: before content with holes, where its data is, as struct lsr_writer_kind takes it.  Drivers that
         * do not know say nothing, and the holes come all the same.
         */
        int (*map)(void *ctx, const struct lsr_extent *extents, size_t n);
};

/* @n zero bytes by sink->hole or as they are; and the latter. */
int lsr_sink_hole(const struct lsr_sink *sink, uint64_t n);
int lsr_write_zeros(int (*write)(void *ctx, const void *data, size_t n), void *ctx, uint64_t n);

/*
 * Of a member: all of its content was given, but what it is verified with is damaged, which was reported.  No file
 * system fails with this number, as they do with EUCLEAN.
 */
#define LSR_UNVERIFIED (-ENOANO)

/*
 * Many members in one pass.  Of each only path, raw, method, flags, packed, position, data, and type, mode and size
 * of meta are there, unless the scan is exact.
 */
struct lsr_many {
        void *ctx;
        /* The next one wanted, by ascending position; valid until the call after it.  False: that was all. */
        bool (*next)(void *ctx, struct lsr_member *ret_member);
        /* Its content, and how that went: once for each member.  A negative return ends all, and is the result. */
        int (*write)(void *ctx, const void *data, size_t n);
        int (*end)(void *ctx, int result);
        int (*hole)(void *ctx, uint64_t n);                                /* as that of a sink; NULL: write */
        int (*map)(void *ctx, const struct lsr_extent *extents, size_t n); /* likewise; may be NULL */
};

/* The content of one of @many goes to sink.ctx; @result tells its failure from the member's. */
struct lsr_member_sink {
        struct lsr_sink sink;
        const struct lsr_many *many;
        int result; /* of the last call */
};
void lsr_member_sink_init(struct lsr_member_sink *ret_sink, const struct lsr_many *many);

/*
 * For read_many(), where members have nothing to do with each other: @read for each, which says what is wrong.
 * Returns what read_many() does.
 */
int lsr_many_each(const struct lsr_many *many, void *ctx,
                  int (*read)(void *ctx, const struct lsr_member *m, const struct lsr_sink *sink));

/* What a check of all members has found, where nothing is wrong. */
struct lsr_checked {
        uint64_t members;
        uint64_t bytes;    /* of content */
        uint64_t verified; /* members with content that was compared with a checksum, */
        uint64_t read;     /* and others, that was only read */
};

/* To read a member: the row as the catalogue has it, with its whole path. */
struct lsr_format {
        const char *name;            /* "tar", in lower case; shown by --json and --stats */
        const char *const *suffixes; /* NULL-terminated, with the dot: for completions and --pack */
        bool needs_random;           /* cannot work from a pipe or behind a filter */
        bool offsets;                /* the position of a member is where it begins */
        bool streams;                /* scan() gives content, too */
        /* What a probe sees of the end need not be read again by the first request: the file is no live one. */
        bool from_end;
        /* Pure.  Called in the order of the table; the first that says yes has it. */
        bool (*probe)(const struct lsr_probe *p);
        /*
         * Likewise, of what no format and no filter has recognised: is it one whose beginning is damaged?  NULL: that
         * nobody can tell.
         */
        bool (*probe_damaged)(const struct lsr_probe *p);
        /*
         * 0: done, perhaps with trouble; a negative errno: nothing can be listed, with trouble reported if there is
         * more to say than the errno.
         */
        int (*scan)(struct lsr_scan *scan);
        /*
         * For formats that have an index: what these paths take.  To read their contents that is the members of them
         * and of the way to each, in all their duplicates, and one below each directory; of a stream the first file of
         * a name will do, and what lies behind the last need not be looked at.  To list them it is what is below them,
         * too, and what tells the links of the directories. As scan(); or 1, and nothing was added: that is not to be
         * had for less than all.  NULL: never.
         */
        int (*list)(struct lsr_scan *scan, const struct lsr_wanted *wanted);
        /*
         * The content of one member, from an input at position 0 as scan got it (scan->builder is NULL).
         * -EOPNOTSUPP: this kind or method cannot be read; -EACCES: encrypted; -EBADMSG: damaged; trouble says more.
         */
        int (*read)(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink);
        /*
         * The same for many members; what goes wrong with one does not end the others.
         * 0, or a negative errno: of those not ended yet none can be read.  NULL: read() does for each of them.
         */
        int (*read_many)(struct lsr_scan *scan, const struct lsr_many *many);
        /*
         * Where the content lies as it is, neither compressed nor encrypted nor sparse: for nested bundles.
         * 0, or 1: it does not.  NULL: never.
         */
        int (*extent)(struct lsr_scan *scan, const struct lsr_member *m, uint64_t *ret_offset, uint64_t *ret_size);
        /*
         * Read all there is and verify it: checksums, and that what says the same thing twice says the same.  The scan
         * is as for read.  0: the bundle is intact; -EBADMSG: it is not; another negative errno: that could not be
         * told. Each finding is trouble.  1, with nothing said, or NULL: reading every member is what can be done.
         */
        int (*check)(struct lsr_scan *scan, struct lsr_checked *ret_checked);
        /*
         * Which bytes of the input reading @m takes, about: they are announced where that is far.  False: that is not
         * known. NULL: never.
         */
        bool (*range)(struct lsr_scan *scan, const struct lsr_member *m, struct lsr_input_range *ret_range);
        /* Free scan->state, which is not NULL.  NULL: the driver keeps none. */
        void (*close)(struct lsr_scan *scan);
};

/* What a database calls the statements that made it and each of its tables, and what a path may call them, too. */
#define LSR_SCHEMA_NAME ".schema.sql"
#define LSR_SCHEMA_SHORT ".schema"

/* Free the state that @format (NULL: none) keeps, the input and the companions. */
void lsr_scan_close(struct lsr_scan *scan, const struct lsr_format *format);

/* A compression: turns an input into another. */
struct lsr_filter {
        const char *name;            /* "gzip" */
        const char *const *suffixes; /* ".gz" */
        bool (*probe)(const uint8_t *head, size_t n);
        /* Will what it decodes be compared with a checksum?  By the head that the probe knew.  NULL: always. */
        bool (*verifies)(const uint8_t *head, size_t n);
        /* Take over @inner: it is freed with the result; on failure it stays the caller's. */
        int (*open)(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t window_max);
};

/* For filters without checksums. */
bool lsr_verifies_nothing(const uint8_t *head, size_t n);

/* NULL-terminated, in the order in which they are asked. */
extern const struct lsr_format *const lsr_formats[];
extern const struct lsr_filter *const lsr_filters[];

/* Does @name (@n bytes) end as that of a bundle does?  Without regard to case. */
bool lsr_suffix_known(const char *name, size_t n);

/* What an input was recognised as. */
struct lsr_identity {
        const struct lsr_format *format;
        const struct lsr_filter *filters[LSR_FILTERS_MAX]; /* from the outside in */
        unsigned n_filters;
        bool verified;  /* a filter compares all of it with a checksum, when it is read to its end */
        char what[160]; /* what damage kept it from being recognised; "" if none did */
};

/* Does any format or filter recognise it?  Compares magic numbers and decodes nothing. */
bool lsr_plausible(const struct lsr_probe *p);

/*
 * Find out what @input (at position 0) is, and put the filters in front of it.
 * 0, with *ret_input to be scanned, at position 0.  1: it is no bundle, or too damaged to tell, which
 * ret_identity->what says.  A negative errno: it could not be read.
 * @input is taken over: *ret_input owns it or is it, and it is freed where there is none.
 */
int lsr_identify(struct lsr_input *input, uint64_t window_max, struct lsr_identity *ret_identity,
                 struct lsr_input **ret_input);
