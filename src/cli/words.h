/* words - messages about arguments that are words of a list */
#pragma once

#include "base/words.h"

/* The value of @text, which was given to @option; or -1 after an error message with the valid words. */
int lsr_word_value(const struct lsr_word *words, const char *text, const char *option);

/* "invalid argument 'x' for '--y'" or "ambiguous argument ...", as lsr_word_find() found it a @problem. */
void lsr_word_complain(int problem, const char *text, const char *option);
