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
#include "render/quote.h"

#define MESSAGE_QUOTED_MAX 8

static const char *message_program = "lsr";

void lsr_message_init(const char *program)
{
        message_program = program;
}

const char *lsr_message_program(void)
{
        return message_program;
}

static uint64_t message_writes;

uint64_t lsr_message_writes(void)
{
        return message_writes;
}

/*
 * Words of options and of the environment come here as they are; a terminal is not to obey what they hold.  Controls are
 * C0, DEL, and C1, as bytes or in UTF-8; other bytes stay, as GNU's messages have them.
 */
static void message_put(struct lsr_out *line, const char *text)
{
        const unsigned char *s = (const unsigned char *)text;
        size_t len;

        for (size_t left = strlen(text); left > 0; left -= len, s += len) {
                size_t valid = lsr_utf8_length(s, left);
                unsigned c = valid == 2 && s[0] == 0xc2 ? s[1] : s[0];

                len = valid ? valid : 1;
                if (c < 0x20 || (c >= 0x7f && c < 0xa0))
                        lsr_out_putc(line, '?');
                else
                        lsr_out_put(line, s, len);
        }
}

static void message_write(int error, const char *format, va_list args)
{
        lsr_auto(lsr_out_free) struct lsr_out line = LSR_OUT_FD(STDERR_FILENO);
        lsr_autofree char *text = NULL;

        if (vasprintf(&text, format, args) < 0)
                lsr_exhausted();
        message_put(&line, message_program);
        lsr_out_puts(&line, ": ");
        message_put(&line, text);
        if (error)
                lsr_out_printf(&line, ": %s", strerror(error));
        lsr_out_putc(&line, '\n');
        lsr_out_flush(&line);
        message_writes += line.writes;
}

void lsr_message(const char *format, ...)
{
        va_list args;

        va_start(args, format);
        message_write(0, format, args);
        va_end(args);
}

void lsr_message_errno(int error, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        message_write(error, format, args);
        va_end(args);
}

void lsr_message_try_help(void)
{
        lsr_autofree char *text =
                lsr_xprintf("Try '%s --help' for more information.\n", lsr_printable(message_program));

        lsr_message_lines(text);
}

int lsr_message_flush(struct lsr_out *out, int status)
{
        int error = lsr_out_flush(out);

        if (error == 0)
                return status;
        if (error != -EPIPE)
                lsr_message_errno(-error, "write error");
        return 2;
}

void lsr_message_lines(const char *text)
{
        lsr_auto(lsr_out_free) struct lsr_out lines = LSR_OUT_FD(STDERR_FILENO);

        lsr_out_puts(&lines, text);
        lsr_out_flush(&lines);
}

static const char *message_quote(const struct lsr_quote *style, const char *text)
{
        static struct lsr_out slots[MESSAGE_QUOTED_MAX];
        static unsigned next;
        struct lsr_out *slot = &slots[next++ % MESSAGE_QUOTED_MAX];
        struct lsr_quote_table table;

        lsr_quote_compile(&table, style);
        lsr_out_free(slot);
        lsr_quote_put(&table, slot, text, strlen(text));
        lsr_out_putc(slot, '\0');
        return slot->buf;
}

const char *lsr_quoted_always(const char *name)
{
        return message_quote(&(struct lsr_quote){ .style = LSR_QUOTE_SHELL_ESCAPE_ALWAYS }, name);
}

const char *lsr_quoted_needed(const char *name)
{
        struct lsr_quote style = { .style = LSR_QUOTE_SHELL_ESCAPE };

        lsr_quote_also(&style, ':');
        return message_quote(&style, name);
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
