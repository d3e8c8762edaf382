/*
 * human - sizes as ls prints them
 *
 * The rules are those of the coreutils manual, section "Block size": scaling by
 * a block size with rounding up, -h in powers of 1024 with one decimal below
 * 10, --si in powers of 1000, and the apostrophe that groups digits as the
 * locale says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
        LSR_HUMAN_AUTO = 1 << 0,   /* -h: pick the unit */
        LSR_HUMAN_1000 = 1 << 1,   /* its base is 1000 (--si) */
        LSR_HUMAN_SUFFIX = 1 << 2, /* print the unit: "4K" */
        LSR_HUMAN_B = 1 << 3,      /* with a B behind it: "4kB", "4KiB" */
        LSR_HUMAN_GROUP = 1 << 4,  /* group digits */
};

struct lsr_size_style {
        unsigned flags;
        uint64_t unit; /* bytes per unit printed, not 0; 1 with LSR_HUMAN_AUTO */
};

#define LSR_HUMAN_MAX 128 /* bytes a formatted size can take, with its NUL */

/*
 * Parse SIZE of --block-size, LS_BLOCK_SIZE, BLOCK_SIZE or BLOCKSIZE: "K", "10M",
 * "KB", "MiB", "1", "'1", "human-readable", "si".
 * Returns 0; 1 not a number; 2 a bad suffix; 3 too large.
 */
int lsr_size_parse(const char *spec, struct lsr_size_style *ret_style);

/*
 * @value counts blocks of @from bytes (1 for a file's size, 512 for st_blocks).
 * Rounds up.  Returns the length of the text in @buf, NUL-terminated.
 */
size_t lsr_size_format(const struct lsr_size_style *style, uint64_t value, uint64_t from, char buf[LSR_HUMAN_MAX]);
