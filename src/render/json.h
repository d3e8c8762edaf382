/*
 * json - strings and members of JSON
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/* The bytes of a string without its quotes; what is not UTF-8 becomes U+FFFD.  Returns whether all of it was valid. */
bool lsr_json_text(struct lsr_out *out, const char *text, size_t len);

/* ,"key":"text"  Returns whether all of it was valid. */
bool lsr_json_string(struct lsr_out *out, const char *key, const char *text, size_t len);

/* The same, and where it was not valid ,"key_b64":"..." with the bytes. */
void lsr_json_bytes(struct lsr_out *out, const char *key, const char *text, size_t len);

/* ,"key":value */
void lsr_json_number(struct lsr_out *out, const char *key, uint64_t value);
