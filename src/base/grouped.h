/* grouped - numbers for people */
#pragma once

#include <stdint.h>

/* A number with commas, for the place in a message; a static ring of a few buffers, so four at most in one message. */
const char *lsr_grouped(uint64_t n);
