/*
 * differ - the differences between two descriptions of one member
 */
#pragma once

#include <stddef.h>

#include "catalogue/member.h"

/*
 * The fields in which @a and @b, of the same path, differ, as words with commas, cut to @size bytes: type, mode,
 * owner, size, mtime, device, link, place, holes, attributes.  "" if there are none.
 */
void lsr_member_differ(const struct lsr_member *a, const struct lsr_member *b, char *words, size_t size);
