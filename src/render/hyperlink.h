/*
 * hyperlink - names as links of a terminal (OSC 8), and where they lead
 *
 * A link has the absolute path of its file, without links, "." and "..".  Unlike
 * realpath(3) there is one for names of which only a part exists, too: what is
 * missing is kept as it is written, and a link in a loop is kept as if it were a
 * file.  What lies on a server has its URL, and what is in a bundle there the path
 * behind it, as lsr takes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "entry.h"

struct lsr_hyperlinks {
        char *host;
        /* The directory looked up last: a directory's files come one after the other. */
        char *dir;
        char *base;      /* its absolute path, or its URL; NULL: it has none */
        bool remote;     /* that is a URL */
        unsigned n_base; /* links on the way there */
        uint64_t syscalls;
};

/* Before the first one.  A zeroed struct has no links. */
void lsr_hyperlinks_init(struct lsr_hyperlinks *h);

/*
 * Begin a link to @e of directory @dir, NULL for an operand; or to @dir itself, if @e is NULL.  Directories lead to the
 * root where they have no path.
 */
void lsr_hyperlink_begin(struct lsr_hyperlinks *h, struct lsr_out *out, const char *dir, const struct lsr_entry *e);
void lsr_hyperlink_end(struct lsr_out *out);
