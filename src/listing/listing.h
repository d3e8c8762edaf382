/*
 * listing - what to list, in which order
 *
 * Takes operands, reads and filters directories, asks for the metadata that the
 * output needs and no more, sorts, and hands complete sets of entries to a
 * view.  It knows nothing of columns, quoting or colours: what those need of
 * the files is said in struct lsr_want.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "entry.h"
#include "io/io.h"

enum lsr_sort {
        LSR_SORT_NAME,
        LSR_SORT_NONE,
        LSR_SORT_SIZE,
        LSR_SORT_TIME,
        LSR_SORT_VERSION,
        LSR_SORT_EXTENSION,
        LSR_SORT_WIDTH,
        LSR_SORT_INODE,
        LSR_SORT_NATURAL,
        LSR_SORT_NUMBER, /* by name, but numbers as such: rows of a table, in place of LSR_SORT_NAME */
};

enum lsr_show {
        LSR_SHOW_VISIBLE, /* no names with a leading dot */
        LSR_SHOW_ALMOST,  /* -A: all but "." and ".." */
        LSR_SHOW_ALL,     /* -a */
};

enum lsr_follow {
        LSR_FOLLOW_NEVER,
        LSR_FOLLOW_OPERAND_DIR, /* operands that are links to directories */
        LSR_FOLLOW_OPERAND,     /* -H */
        LSR_FOLLOW_ALWAYS,      /* -L */
};

/* Of which kind entries are to be shown. */
enum lsr_kinds { LSR_KINDS_ALL, LSR_KINDS_DIRS, LSR_KINDS_FILES };

/* What the output needs to know; made in cli/resolve.c. */
struct lsr_want {
        unsigned fields;       /* LSR_FIELD_* of the files that are stat-ed */
        uint16_t stat;         /* which are: bit 1 << DT_x for those of that d_type */
        bool link_target_mode; /* of links: what they lead to (orphans have colours, ln=target) */
        bool link_target;      /* the text of links */
        bool cap;              /* has a regular file capabilities? */
        bool context;          /* -Z */
        bool acl;              /* the mark behind the mode */
        bool git;              /* the state of files in work trees */
        bool member;           /* what only bundles tell, entry.h's struct lsr_entry_member */
        bool remarks;          /* of a bundle: what it is, and what of its members is not what it seems */
};

static inline bool lsr_want_stat(const struct lsr_want *w, uint8_t type)
{
        return w->stat >> (type & 15) & 1;
}

/* Which operands that are bundles are listed as directories. */
enum lsr_enter {
        LSR_ENTER_NEVER,
        LSR_ENTER_SLASH,  /* those that end in '/' or have a path behind them: how ls would be asked for a directory */
        LSR_ENTER_AUTO,   /* and the only operand */
        LSR_ENTER_ALWAYS, /* all, and with recursion those below */
};

struct lsr_bundles;

struct lsr_list_options {
        enum lsr_show show;
        const char *const *ignore; /* -I patterns, hold for -a too; NULL-terminated or NULL */
        const char *const *hide;   /* --hide patterns; void with -a and -A */
        /*
         * Of the entries of a directory those that match one of these are shown, and those of these kinds.  Recursion
         * goes through the others too, and a tree shows all directories, as they hold what is below them.
         */
        const char *const *only; /* NULL-terminated; NULL: all */
        enum lsr_kinds kinds;
        bool git_ignore; /* what git ignores is not there */
        enum lsr_sort sort;
        enum lsr_time time; /* for LSR_SORT_TIME */
        bool reverse;
        bool dirs_first;
        bool recursive;
        bool dirs_as_files; /* -d */
        bool tree;          /* recursion belongs to the view: every directory's set is nested */
        bool keep;          /* the sets of a tree stay until the sink's end() */
        unsigned max_depth; /* of recursion; 0: no limit */
        bool total_size;
        /*
         * A directory may be shown in several sets, the heading with the first: no order, no recursion, names will do.
         */
        bool pieces;
        enum lsr_follow follow;
        struct lsr_want want;
        /* For LSR_SORT_WIDTH: columns of a name in the set of which width_set() told last.  NULL otherwise. */
        size_t (*width)(void *ctx, const struct lsr_entry *e);
        void (*width_set)(void *ctx, struct lsr_entry *const *entries, size_t n);
        void *width_ctx;
        enum lsr_enter enter;
        struct lsr_bundles *bundles; /* not NULL unless enter is LSR_ENTER_NEVER */
        /* Seconds since 1970 of a civil time that was counted as if it were UTC. */
        int64_t (*civil)(void *ctx, int64_t sec);
        void *civil_ctx;
};

/* What bundle an operand is. */
struct lsr_set_bundle {
        const char *format;
        const char *filters; /* that it is compressed with; "" */
        uint64_t members;    /* UINT64_MAX: not all were counted */
        uint64_t bytes;      /* of the file; UINT64_MAX: not known */
};

/* A complete, sorted set of entries: the file operands, or one directory. */
struct lsr_set {
        const char *dir;                     /* NULL: the file operands */
        const struct lsr_set_bundle *bundle; /* of which it is the root, with lsr_want.remarks; NULL: it is none */
        struct lsr_entry **rows;
        size_t n;
        /* What columns must be wide enough for: the rows, and the operands that are not among them. */
        struct lsr_entry **measured;
        size_t n_measured;
        uint64_t blocks; /* sum over the rows, of 512 bytes */
        unsigned depth;  /* 0: an operand */
        bool heading;    /* several sets are listed, so this one wants its name above it */
        bool more;       /* directories follow */
        bool noted;      /* rows may have notes */
};

/* What can go wrong while listing; every one is reported and the listing goes on. */
enum lsr_trouble {
        LSR_TROUBLE_ACCESS, /* stat */
        LSR_TROUBLE_OPEN_DIR,
        LSR_TROUBLE_READ_DIR,
        LSR_TROUBLE_READ_LINK,
        LSR_TROUBLE_XATTR,
        LSR_TROUBLE_STAT_DIR, /* the device and inode of an open directory */
        LSR_TROUBLE_LOOP,     /* a directory that is being listed already; error is 0 */
        LSR_TROUBLE_GIT,      /* the states of files are not known; error is 0 if git itself said why */
        LSR_TROUBLE_BUNDLE,   /* a bundle that cannot be read, of which the bundles' trouble() was told; error is 0 */
};

struct lsr_listing_sink {
        void *ctx;
        /* Show a set.  A negative return ends the listing and is its result. */
        int (*set)(void *ctx, const struct lsr_set *set);
        /* @serious: an operand could not be had at all. @error: negative errno */
        void (*trouble)(void *ctx, enum lsr_trouble what, const char *path, int error, bool serious);
        /*
         * With options.tree: show one row of the set last given at its depth.  Between two rows the sets
         * of what is below the first one come.
         */
        int (*row)(void *ctx, const struct lsr_set *set, size_t i);
        /* All sets were given, and with options.keep are still there.  May be NULL. */
        int (*end)(void *ctx);
        /* Called before metadata is waited for: whatever else is read may be started here.  May be NULL. */
        void (*before_wait)(void *ctx);
        /* The next set takes long: what was shown may be written.  May be NULL. */
        void (*stalled)(void *ctx);
};

/* Times of the phases in nanoseconds and counts, for --stats. */
struct lsr_listing_stats {
        uint64_t entries;
        uint64_t directories;
        uint64_t read_ns; /* reading directories, with metadata requests begun meanwhile */
        uint64_t wait_ns; /* waiting for metadata */
        uint64_t sort_ns;
        uint64_t show_ns; /* in the sink */
};

/*
 * List @operands (at least one).  Returns 0, or a negative errno of the engine
 * or the sink; trouble with files is not among these.
 */
int lsr_list(struct lsr_io *io, const struct lsr_list_options *options, const char *const *operands, size_t n,
             const struct lsr_listing_sink *sink, struct lsr_listing_stats *ret_stats);
