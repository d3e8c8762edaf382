/*
 * color - LS_COLORS: which escape sequence goes around a name
 *
 * Syntax and meaning as dircolors(1) and dir_colors(5); choice of indicator as
 * GNU ls 9.1.  The built-in database is that of `dircolors -b` (coreutils 9.1)
 * and is used by lsr when LS_COLORS is unset or empty; called as ls, the much
 * smaller table compiled into GNU ls is used instead.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum lsr_color_kind {
        LSR_COLOR_LEFT,                  /* lc */
        LSR_COLOR_RIGHT,                 /* rc */
        LSR_COLOR_END,                   /* ec */
        LSR_COLOR_RESET,                 /* rs */
        LSR_COLOR_NORMAL,                /* no */
        LSR_COLOR_FILE,                  /* fi */
        LSR_COLOR_DIR,                   /* di */
        LSR_COLOR_LINK,                  /* ln */
        LSR_COLOR_FIFO,                  /* pi */
        LSR_COLOR_SOCK,                  /* so */
        LSR_COLOR_BLK,                   /* bd */
        LSR_COLOR_CHR,                   /* cd */
        LSR_COLOR_MISSING,               /* mi */
        LSR_COLOR_ORPHAN,                /* or */
        LSR_COLOR_EXEC,                  /* ex */
        LSR_COLOR_DOOR,                  /* do */
        LSR_COLOR_SETUID,                /* su */
        LSR_COLOR_SETGID,                /* sg */
        LSR_COLOR_STICKY,                /* st */
        LSR_COLOR_OTHER_WRITABLE,        /* ow */
        LSR_COLOR_STICKY_OTHER_WRITABLE, /* tw */
        LSR_COLOR_CAP,                   /* ca */
        LSR_COLOR_MULTIHARDLINK,         /* mh */
        LSR_COLOR_CLEAR_TO_EOL,          /* cl */
        LSR_COLOR_N,
};

struct lsr_color_text {
        const char *text; /* may hold any byte; not NUL-terminated */
        size_t len;
};

struct lsr_color_ext; /* extensions, hashed */

struct lsr_colors {
        struct lsr_color_text kinds[LSR_COLOR_N];
        struct lsr_color_ext *exts; /* owned; NULL if there are none */
        bool link_as_target;        /* "ln=target" */
};

/*
 * Fill @ret_colors from the value of LS_COLORS (NULL or "": the default table,
 * GNU's compiled-in one if @gnu, else the dircolors database).
 * Returns 0; 1 if the value is malformed, in which case *ret_bad_prefix is the
 * two-letter prefix that is unknown, or "" for another fault, and the caller
 * warns as GNU ls does ("unrecognized prefix: 'xx'", "unparsable value for
 * LS_COLORS environment variable") and does not colour.
 */
int lsr_colors_parse(struct lsr_colors *ret_colors, const char *value, bool gnu, char ret_bad_prefix[3]);
void lsr_colors_free(struct lsr_colors *c);

/* Does an indicator colour anything (set, and not "0" or "00")? */
bool lsr_colors_has(const struct lsr_colors *c, enum lsr_color_kind kind);

/* The properties of a name that decide its colour. */
struct lsr_color_subject {
        const char *name;
        size_t name_len;
        mode_t mode;      /* st_mode; with only the type known, just S_IFMT bits */
        unsigned nlink;   /* 0 if not known */
        bool stat_ok;     /* mode and nlink come from a stat, not from d_type alone */
        bool has_cap;     /* security.capability is there */
        bool link_broken; /* a symbolic link whose target cannot be reached */
        bool is_target;   /* the text behind "->": a missing one takes MISSING */
        bool missing;     /* only with is_target: the target is not there */
};

/*
 * The sequence for @s, as GNU's get_color_indicator: NULL when the name gets no
 * colour of its own.  A link with link_as_target is looked up by the caller
 * with the target's mode.
 */
const struct lsr_color_text *lsr_colors_pick(const struct lsr_colors *c, const struct lsr_color_subject *s);

/*
 * May names be coloured with the compiled-in table on this terminal?  GNU ls
 * consults COLORTERM (set and not empty) and else TERM against the globs of the
 * dircolors database when LS_COLORS is unset.
 */
bool lsr_colors_terminal_known(const char *colorterm, const char *term);

/* ---- color-default.c: the dircolors database of coreutils 9.1 ---- */

extern const char lsr_color_default[];          /* a complete value of LS_COLORS */
extern const char *const lsr_color_terminals[]; /* globs of the terminals that show colours; NULL ends the list */

/* ---- restore.c ---- */

/*
 * From now on signals that end or stop the process write @left and @right, the sequence that resets the colours, to
 * standard output first, if that is a terminal of this session; but not if they have more than 64 bytes.  Returns the
 * number of system calls made.
 */
unsigned lsr_restore_on_signal(const struct lsr_color_text *left, const struct lsr_color_text *right);
