/*
 * xz - the LZMA streams of zip
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "formats/input.h"

#define LSR_LZMA_PROPERTIES 5 /* bytes of lc/lp/pb and the size of the dictionary */

/*
 * Decode raw LZMA data (method 14 of zip, behind its version and the size of the properties) to @size bytes, or to the
 * end marker if @size is LSR_INPUT_UNKNOWN: bit 1 of the flags in the zip header says that there is one.
 * @inner begins with the properties and is freed with the result; on failure it stays the caller's.
 */
int lsr_lzma_open(struct lsr_input **ret_input, struct lsr_input *inner, uint64_t size, uint64_t window_max);
