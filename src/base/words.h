/*
 * words - find a word, perhaps abbreviated, in a list
 *
 * As GNU's argmatch: an exact word, or the beginning of words that all mean the
 * same.
 */
#pragma once

#include <stdbool.h>

struct lsr_word {
        const char *word; /* NULL ends the list */
        int value;        /* not negative */
        bool synonym;     /* of another word, which completions offer */
        bool extra;       /* not in GNU ls 9.1: never makes the beginning of a word that is there ambiguous */
};

/* The value of @text: a value of the list, or -1 unknown, -2 ambiguous.  @extra: those that GNU ls has not, too. */
int lsr_word_find(const struct lsr_word *words, const char *text, bool extra);
