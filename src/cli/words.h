/*
 * words - arguments that are words of a list, abbreviated at will
 *
 * As GNU's argmatch: an exact word, or the beginning of words that all mean the
 * same.
 */
#pragma once

struct lsr_word {
        const char *word; /* NULL ends the list */
        int value;
};

/*
 * The value of @text, which was given to @option.  Returns a value of the list
 * (they are not negative), or -1 after saying what would be valid.
 */
int lsr_word_value(const struct lsr_word *words, const char *text, const char *option);

/* The same without messages: -1 unknown, -2 ambiguous. */
int lsr_word_find(const struct lsr_word *words, const char *text);

/* "invalid argument 'x' for '--y'" or "ambiguous argument ..." */
void lsr_word_complain(int problem, const char *text, const char *option);
