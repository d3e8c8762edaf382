/*
 * progress - a line on the terminal that says how far reading is; nothing elsewhere, nor within the first second
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "remote/protocol.h"

struct lsr_progress {
        bool terminal; /* standard error is one, and somebody waits there */
        uint64_t began_ns, told_ns;
};

void lsr_progress_begin(struct lsr_progress *p);

/* @files and @bytes are done: "unpacking: 1,234 files, 56.7 MB, 89 MB/s". */
void lsr_progress_tell(struct lsr_progress *p, const char *what, uint64_t files, uint64_t bytes);

/*
 * What a server is asked for, of whichever command: "fetching: 12 requests, 34.5 MB, 6 MB/s"; NULL: it has answered, so
 * the line goes away, as others may write now.
 */
void lsr_progress_fetching(const struct lsr_remote_stats *stats);

/* The line goes away.  Returns the seconds that all took. */
double lsr_progress_end(struct lsr_progress *p);
