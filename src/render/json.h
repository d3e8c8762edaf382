/*
 * json - members of an object of JSON
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

/* Write ,"key":"text".  Returns true if all of it was valid UTF-8. */
bool lsr_json_string(struct lsr_out *out, const char *key, const char *text, size_t len);

/* The same, and if it was not valid, ,"key_b64":"..." with the bytes. */
void lsr_json_bytes(struct lsr_out *out, const char *key, const char *text, size_t len);

/* ,"key":value */
void lsr_json_number(struct lsr_out *out, const char *key, uint64_t value);
