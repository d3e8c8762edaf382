/* words - see the header */
#include "cli/words.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cli/message.h"

void lsr_word_complain(int problem, const char *text, const char *option)
{
        lsr_message("%s argument %s for %s", problem == -2 ? "ambiguous" : "invalid", lsr_quoted_locale(text),
                    lsr_quoted_locale(option));
}

int lsr_word_value(const struct lsr_word *words, const char *text, const char *option)
{
        int value = lsr_word_find(words, text);
        lsr_auto(lsr_out_free) struct lsr_out list = LSR_OUT_FD(STDERR_FILENO);

        if (value >= 0)
                return value;
        lsr_word_complain(value, text, option);
        lsr_out_puts(&list, "Valid arguments are:");
        for (const struct lsr_word *w = words; w->word; w++) {
                bool same = w > words && w[-1].value == w->value;

                lsr_out_printf(&list, "%s%s", same ? ", " : "\n  - ", lsr_quoted_locale(w->word));
        }
        lsr_out_putc(&list, '\n');
        lsr_out_flush(&list);
        return -1;
}
