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
};

/* The value of @text: a value of the list, or -1 unknown, -2 ambiguous. */
int lsr_word_find(const struct lsr_word *words, const char *text);
