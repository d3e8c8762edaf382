/*
 * unpack - the parts of --unpack: what is unpacked
 */
#pragma once

#include "cli/name-list.h"
#include "cli/reading.h"
#include "unpack/unpack.h"

struct lsr_unpack_operand;

struct lsr_unpack_operands {
        struct lsr_reading *reading;
        struct lsr_name_list names; /* of --files-from */
        struct lsr_arena texts;
        struct lsr_unpack_operand *all;
        size_t n, cap;
        uint32_t *rows; /* of the last lsr_unpack_next() */
};

/*
 * Find all that is to be unpacked: each operand that is a bundle, or lies in one, by itself; any other is a member of
 * the bundle before it, as for tar and unzip, and so are the names of --files-from.  Wildcards are expanded.
 * Returns true if everything was found; otherwise the reason was reported.  Free @ret_operands in any case.
 */
bool lsr_unpack_find(struct lsr_reading *r, struct lsr_unpack_operands *ret_operands);

/* Each operand is unpacked by itself; what lies on a server is asked for at once. */
void lsr_unpack_announce(const struct lsr_unpack_operands *o);

/* What comes next, from *at on, which begins at 0.  False: nothing. */
bool lsr_unpack_next(struct lsr_unpack_operands *o, size_t *at, struct lsr_unpack_what *ret_what);
void lsr_unpack_operands_free(struct lsr_unpack_operands *o);
