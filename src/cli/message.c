/* message - lines on standard error */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "remote/url.h"
#include "render/quote.h"

#define MESSAGE_QUOTED_MAX 8

static const char *message_program = "lsr";
static const char *message_place;
static bool message_gnu;
static uint64_t message_writes;
static bool message_progress; /* a line of that is there */
static const char message_clear[] = "\r\033[K";

void lsr_message_init(const char *program, bool gnu)
{
        message_program = program;
        message_gnu = gnu;
}

void lsr_message_at(const char *place)
{
        message_place = place;
}

uint64_t lsr_message_writes(void)
{
        return message_writes;
}

/* Are messages GNU's, byte for byte?  Where a terminal reads them they are not. */
static bool message_is_gnu(void)
{
        return message_gnu && !isatty(STDERR_FILENO);
}

/*
 * Words of options and of the environment come here as they are; a terminal is not to obey what they hold, as bytes or
 * in UTF-8.  Other bytes stay, as GNU's messages have them.
 */
static void message_put(struct lsr_out *line, const char *text)
{
        const unsigned char *s = (const unsigned char *)text;
        bool as_it_is = message_is_gnu();
        size_t len;

        for (size_t left = strlen(text); left > 0; left -= len, s += len) {
                bool control;

                len = lsr_utf8_next(s, left, &control);
                if (control && !as_it_is)
                        lsr_out_putc(line, '?');
                else
                        lsr_out_put(line, s, len);
        }
}

int lsr_message_errno(int error, const char *format, ...)
{
        lsr_auto(lsr_out_free) struct lsr_out line = LSR_OUT_FD(STDERR_FILENO);
        lsr_autofree char *text = NULL;
        va_list args;

        va_start(args, format);
        if (vasprintf(&text, format, args) < 0)
                lsr_exhausted();
        va_end(args);
        if (message_progress)
                lsr_out_puts(&line, message_clear);
        message_progress = false;
        message_put(&line, message_program);
        lsr_out_puts(&line, ": ");
        if (message_place) {
                message_put(&line, message_place);
                lsr_out_puts(&line, ": ");
        }
        message_put(&line, text);
        if (error)
                lsr_out_printf(&line, ": %s", strerror(error));
        lsr_out_putc(&line, '\n');
        lsr_out_flush(&line);
        message_writes += line.writes;
        return 2;
}

int lsr_message_try_help(void)
{
        lsr_autofree char *text =
                lsr_xprintf("Try '%s --help' for more information.\n", lsr_printable(message_program));

        lsr_message_lines(text);
        return 2;
}

int lsr_message_flush(struct lsr_out *out, int status)
{
        int error = lsr_out_flush(out);

        if (error == 0)
                return status;
        return lsr_message_errno(-error, "write error");
}

void lsr_message_lines(const char *text)
{
        lsr_auto(lsr_out_free) struct lsr_out lines = LSR_OUT_FD(STDERR_FILENO);

        lsr_out_puts(&lines, text);
        lsr_out_flush(&lines);
}

void lsr_message_bundle(const char *path, int error, const char *text)
{
        if (text)
                lsr_message("%s: %s", lsr_quoted_always(path), lsr_printable(text));
        else
                lsr_message_errno(-error, "cannot open %s", lsr_quoted_always(path));
}

void lsr_message_progress(const char *line)
{
        lsr_autofree char *text = lsr_xprintf("\r%s\033[K", line);

        message_progress = true;
        lsr_message_lines(text);
}

void lsr_message_clear(void)
{
        if (message_progress && write(STDERR_FILENO, message_clear, sizeof(message_clear) - 1) < 0)
                return; /* nobody sees it */
        message_progress = false;
}

/* --- quoting ------------------------------------------------------------------ */

static const char *message_quote(const struct lsr_quote *style, const char *text)
{
        static struct lsr_out slots[MESSAGE_QUOTED_MAX];
        static unsigned next;
        struct lsr_out *slot = &slots[next++ % MESSAGE_QUOTED_MAX];
        struct lsr_quote quote = *style;
        struct lsr_quote_table table;

        quote.escape_bidi = quote.escape_bidi || !message_is_gnu();
        lsr_quote_compile(&table, &quote);
        lsr_out_free(slot);
        lsr_quote_put(&table, slot, text, strlen(text));
        lsr_out_putc(slot, '\0');
        return slot->buf;
}

/*
 * What may be shown of a URL: neither user nor query, where passwords and signatures are.  To be freed; NULL: it is
 * none.
 */
static char *message_url(const char *name)
{
        return message_gnu || !lsr_url_is(name) ? NULL : lsr_url_show_all(name);
}

const char *lsr_quoted_always(const char *name)
{
        lsr_autofree char *url = message_url(name);

        return message_quote(&(struct lsr_quote){ .style = LSR_QUOTE_SHELL_ESCAPE_ALWAYS }, url ? url : name);
}

const char *lsr_quoted_needed(const char *name)
{
        struct lsr_quote style = { .style = LSR_QUOTE_SHELL_ESCAPE };
        lsr_autofree char *url = message_url(name);

        lsr_quote_also(&style, ':');
        return message_quote(&style, url ? url : name);
}

const char *lsr_quoted_locale(const char *word)
{
        return message_quote(&(struct lsr_quote){ .style = LSR_QUOTE_LOCALE }, word);
}

const char *lsr_printable(const char *text)
{
        return message_quote(
                &(struct lsr_quote){ .style = LSR_QUOTE_LITERAL, .hide_control = true, .escape_bidi = true }, text);
}

/* --- words of a list ---------------------------------------------------------- */

int lsr_word_complain(int problem, const char *text, const char *option)
{
        return lsr_message("%s argument %s for %s", problem == -2 ? "ambiguous" : "invalid", lsr_quoted_locale(text),
                           lsr_quoted_locale(option));
}

int lsr_word_value(const struct lsr_word *words, const char *text, const char *option)
{
        int value = lsr_word_find(words, text, !message_gnu), last = -1;
        lsr_auto(lsr_out_free) struct lsr_out list = LSR_OUT_FD(STDERR_FILENO);

        if (value >= 0)
                return value;
        lsr_word_complain(value, text, option);
        lsr_out_puts(&list, "Valid arguments are:");
        for (const struct lsr_word *w = words; w->word; w++) {
                if (w->extra && message_gnu)
                        continue;
                lsr_out_printf(&list, "%s%s", w->value == last ? ", " : "\n  - ", lsr_quoted_locale(w->word));
                last = w->value;
        }
        lsr_out_putc(&list, '\n');
        lsr_out_flush(&list);
        lsr_message_try_help();
        return -1;
}
