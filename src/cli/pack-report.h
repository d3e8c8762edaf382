/*
 * pack-report - messages and progress of packing, on standard error
 */
#pragma once

#include "pack/pack.h"

struct lsr_pack_report {
        bool terminal; /* show how it is getting on */
        bool shown;    /* a line of that is there */
        int status;    /* exit status so far */
        uint64_t began_ns;
        uint64_t told_ns;
        struct lsr_pack_size expected; /* all zeros: not known */
};

void lsr_pack_report_begin(struct lsr_pack_report *r);
void lsr_pack_report_trouble(struct lsr_pack_report *r, enum lsr_pack_trouble what, const char *path, int error,
                             uint64_t at);

/* Set the expected totals: from now on the line shows the remaining time. */
void lsr_pack_report_expect(struct lsr_pack_report *r, const struct lsr_pack_size *size);

/*
 * Update the progress line; @what names the current step.  @held: the number of bytes that wait to be processed.
 */
void lsr_pack_report_progress(struct lsr_pack_report *r, const char *what, const struct lsr_pack_stats *stats,
                              uint64_t held);

/* Remove the progress line, before any other message. */
void lsr_pack_report_clear(struct lsr_pack_report *r);

/* The same for the handler of a signal that ends the process. */
void lsr_pack_report_abandon(const struct lsr_pack_report *r);

/*
 * Why there can be no file @name, which @option asks for: as lsr_target_open() or lsr_target_commit() @refused it.
 * Returns the exit status.
 */
int lsr_pack_report_refused(const char *name, const char *option, int refused);

/* Report what @format could not store, and print the last line. */
void lsr_pack_report_losses(const struct lsr_pack_stats *stats, const char *format);
void lsr_pack_report_end(struct lsr_pack_report *r, const char *output, const struct lsr_pack_stats *stats,
                         uint64_t out_bytes);
