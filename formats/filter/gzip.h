/*
 * gzip - a gzip file, decoded; lsr_filter_gzip.open with everything stated
 */
#pragma once

#include "formats/filter/gzip-ahead.h"

struct lsr_gzip_options {
        struct lsr_gzip_ahead_options ahead; /* .members is set; without .workers everything is decoded in one thread */
        bool cores;                          /* .workers is set when they start, to all cores but one */
        uint64_t start;                      /* bytes of output before that begins */
        uint64_t left;                       /* bytes of the file that must be left then */
        bool streams;                        /* small data are not decoded in one piece either: for tests */
};

/* As lsr_filter.open. */
int lsr_gzip_open(struct lsr_input **ret_input, struct lsr_input *inner, const struct lsr_gzip_options *options);
