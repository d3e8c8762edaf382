/*
 * diff - the parts of --diff: the two sides
 */
#pragma once

#include "cli/reading.h"
#include "pack/digest.h"

/* A directory on disk, or in a bundle: a catalogue in any case. */
struct lsr_diff_side {
        const char *path; /* as it was given */
        struct lsr_catalogue *catalogue;
        uint32_t base;           /* what is compared is this and below it */
        struct lsr_place place;  /* place.bundle NULL: on disk */
        int fd;                  /* of the directory on disk; -1 */
        struct lsr_digest begin; /* of all digests, so that nobody knows them beforehand */
        uint64_t *digests;       /* of each row whose content was asked for, */
        uint8_t *state;          /* as LSR_DIFF_* */
};

enum {
        LSR_DIFF_ASKED = 1 << 0,  /* the content of the row is to be read */
        LSR_DIFF_FAILED = 1 << 1, /* it cannot be, which was told */
};

/*
 * Find @path and know all that is in it, but contents.  Returns 0, or the exit status after an error, which was told.
 */
int lsr_diff_open(struct lsr_reading *r, const char *path, struct lsr_diff_side *ret_side);

/* Read the content of all rows that are LSR_DIFF_ASKED, in one pass. */
void lsr_diff_read(struct lsr_reading *r, struct lsr_diff_side *side);
void lsr_diff_close(struct lsr_diff_side *side);
