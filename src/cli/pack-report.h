/*
 * pack-report - messages and progress of packing, on standard error
 */
#pragma once

#include "pack/pack.h"

struct lsr_pack_report {
        bool terminal; /* show how it is getting on */
        int status;    /* exit status so far */
        uint64_t began_ns;
        uint64_t told_ns;
        struct lsr_pack_size expected; /* for the remaining time; all zeros: not known */
};

void lsr_pack_report_begin(struct lsr_pack_report *r);
void lsr_pack_report_trouble(struct lsr_pack_report *r, enum lsr_pack_trouble what, const char *path, int error,
                             uint64_t at);

/*
 * Update the progress line; @what names the current step.  @held: the number of bytes that wait to be processed.
 */
void lsr_pack_report_progress(struct lsr_pack_report *r, const char *what, const struct lsr_pack_stats *stats,
                              uint64_t held);

/*
 * Why there can be no file @name, which @option asks for: as lsr_target_open() or lsr_target_commit() @refused it.
 * Returns the exit status.
 */
int lsr_pack_report_refused(const char *name, const char *option, int refused);

/* Report what @format could not store, and print the last line. */
void lsr_pack_report_losses(const struct lsr_pack_stats *stats, const char *format);
void lsr_pack_report_end(struct lsr_pack_report *r, const char *output, const struct lsr_pack_stats *stats,
                         uint64_t out_bytes);
