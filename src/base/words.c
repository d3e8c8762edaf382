/* words - see the header */
#include "base/words.h"

#include <string.h>

static int word_find(const struct lsr_word *words, const char *text, bool extra)
{
        size_t len = strlen(text);
        int found = -1;

        for (; words->word; words++) {
                if (words->extra != extra || strncmp(words->word, text, len) != 0)
                        continue;
                if (!words->word[len])
                        return words->value;
                if (found != -1 && found != words->value)
                        found = -2;
                else if (found == -1)
                        found = words->value;
        }
        return found;
}

int lsr_word_find(const struct lsr_word *words, const char *text, bool extra)
{
        int found = word_find(words, text, false);

        return found == -1 && extra ? word_find(words, text, true) : found;
}
