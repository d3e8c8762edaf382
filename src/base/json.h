/*
 * json - strings of JSON
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"

/* How many bytes at the beginning of @text are ASCII that stands for itself in a string. */
size_t lsr_json_plain(const void *text, size_t len);

/*
 * The bytes of a string without its quotes; what is not UTF-8 becomes U+FFFD, and what a terminal obeys \uXXXX.
 * Returns whether all of it was valid.
 */
bool lsr_json_text(struct lsr_out *out, const void *text, size_t len);

/* Any bytes, in base64 without quotes. */
void lsr_json_base64(struct lsr_out *out, const void *data, size_t len);
