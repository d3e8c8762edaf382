/*
 * json - strings of JSON
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"

/* The bytes of a string without its quotes; what is not UTF-8 becomes U+FFFD.  Returns whether all of it was valid. */
bool lsr_json_text(struct lsr_out *out, const char *text, size_t len);
