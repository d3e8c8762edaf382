/*
 * settings - options and environment, resolved
 *
 * lsr_settings_parse() turns a command line into what the listing and the view
 * take.  The rules, and there are many, are those of GNU ls 9.1: which option
 * overrules which, and what the environment and a terminal change.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli/defaults.h"
#include "cli/options.h"
#include "listing/listing.h"
#include "render/view.h"

/* The arguments of an option that may be given several times. */
struct lsr_patterns {
        const char **list; /* owned, NULL-terminated; NULL: none */
        size_t n;
};

/* The options of --pack. */
struct lsr_pack_settings {
        const char *format;    /* NULL: as the output's name says */
        const char *owner;     /* NULL: their own */
        const char *mtime;     /* NULL: their own */
        const char *directory; /* operands are below it; NULL: the working directory */
        struct lsr_patterns excludes, includes;
        int level; /* LSR_LEVEL_DEFAULT: not said */
        bool gitignore;
        bool each;
        bool no_xattrs;
        bool no_verify;
        bool one_file_system;
        bool dry_run;
};

/* The options of --compare; --each is among those of --pack. */
struct lsr_compare_settings {
        const char *formats; /* NULL: the usual ones */
        const char *html;    /* a file; NULL: none */
        unsigned runs;       /* 0: not said */
        unsigned random;     /* members to read; 0: not said */
        bool cold;
        bool csv;
};

/*
 * Options that resolve.c combines, as they were given; later ones overrule earlier ones. -1: not given.
 */
struct lsr_given {
        int format, sort, time, quoting, hide_control, follow;
        int color, hyperlink, icons, bundles; /* enum when */
        long long width, tabsize;
        const char *time_style;
        const char *columns; /* NULL: those of the format */
        bool kibibytes;
        bool size;              /* a unit of sizes */
        unsigned default_depth; /* that of the defaults, which means nothing where there is no tree; 0: none */
        bool acl;
        bool json;
        int confine; /* true: required */
        int tty;     /* is standard output a terminal?  -1 until asked */
};

struct lsr_settings {
        struct lsr_given given;
        enum lsr_action action;
        bool gnu; /* called as ls */
        bool stats;
        bool help_all;
        bool no_cache;             /* of catalogues */
        bool download;             /* whole objects of servers without ranges */
        bool no_config;            /* and no LSR_OPTIONS */
        bool confine_required;     /* bundles are read by a confined process or not at all */
        bool force;                /* replace what exists */
        const char *output;        /* NULL: not said */
        const char *files_from;    /* a list of names; NULL: none */
        bool diff_content;         /* --diff compares it, too */
        bool null;                 /* and these end in NUL bytes */
        bool verbose;              /* name the files */
        unsigned strip;            /* components of names that --unpack leaves out */
        const char *engine;        /* for lsr_io_new() */
        unsigned threads;          /* for lsr_thread_set(); 0: not said */
        const char *password_file; /* NULL: not said */
        const char *encoding;      /* of names that are not UTF-8, as lsr_encoding_find() knows it; NULL: not said */
        const char **operands;     /* owned; at least one, for a listing "." if none was given */
        size_t n_operands;
        struct lsr_defaults defaults;
        struct lsr_patterns ignore, hide, only; /* of a listing, which has them in its options too */
        struct lsr_list_options list;
        struct lsr_pack_settings pack;
        struct lsr_compare_settings compare;
        struct lsr_view view; /* options, quoting, colours and time style are set */
};

/* Returns 0, or the exit status after an error, which was reported. */
int lsr_settings_parse(struct lsr_settings *ret_settings, int argc, char **argv, bool gnu);
