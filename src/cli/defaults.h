/*
 * defaults - options that come before those of the command line: of a file, then of the environment
 *
 * $XDG_CONFIG_HOME/lsr/config, or ~/.config/lsr/config, has an option on each line, its value behind '=' or blanks;
 * empty lines and those that begin with '#' are nothing.  LSR_OPTIONS has options with blanks between them.
 */
#pragma once

#include <stddef.h>

/* The words of a line, as a parser takes them; or those of LSR_OPTIONS. */
struct lsr_default {
        char **words; /* in a block of its own, owned */
        int n;
        unsigned line; /* 0: LSR_OPTIONS */
};

struct lsr_defaults {
        char *path; /* of the file, owned; NULL: there is none */
        char *text; /* what words point into, owned */
        char *variable;
        struct lsr_default *all; /* owned; in their order */
        size_t n, cap;
};

/* Returns 0, or the exit status after an error, which was reported. It costs one attempt to open the file. */
int lsr_defaults_load(struct lsr_defaults *ret_defaults);

/* Messages from now on begin with where @d stands, "PATH:LINE" or "LSR_OPTIONS"; with NULL as they always do. */
void lsr_default_blame_line(const struct lsr_defaults *defaults, const struct lsr_default *d);

/*
 * The same with the default whose word @value is, or lies in, of those loaded last; as always if it is from elsewhere.
 */
void lsr_default_blame(const char *value);
