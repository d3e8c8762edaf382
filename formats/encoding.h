/*
 * encoding - character sets of names that are not UTF-8, as --encoding names them
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from 0x80 up; those that begin a pair have 0 in @single.  0: there is no such character. */
struct lsr_encoding {
        const char *name;  /* NULL: the end of the table */
        const char *words; /* all of its names, in lower case, letters and digits alone, with blanks around */
        const uint16_t *single;
        const uint16_t *pairs; /* by lead and trail; NULL: there are none */
        uint8_t lead_first, lead_last, trail_first, trail_last;
};
extern const struct lsr_encoding lsr_encodings[];

/* By any of its names; NULL: there is none. */
const struct lsr_encoding *lsr_encoding_find(const char *name);

/*
 * @n bytes in UTF-8, appended at @ret_text, where there is room for 3 * @n.  The length of that; SIZE_MAX: some byte
 * stands for no character.
 */
size_t lsr_encoding_decode(const struct lsr_encoding *e, const char *text, size_t n, char *ret_text);

/* One character in UTF-8, of at most 3 bytes. */
char *lsr_encoding_put(char *to, uint16_t c);
