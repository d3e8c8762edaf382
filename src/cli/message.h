/*
 * message - the one place that writes to standard error
 *
 * Lines have GNU's form, "PROGRAM: what: why".  PROGRAM is argv[0] when called
 * as ls, else "lsr".  Each line is one write.
 */
#pragma once

#include <stdint.h>

#include "base/out.h"
#include "base/words.h"

/* @gnu: lsr is called as ls. */
void lsr_message_init(const char *program, bool gnu);

/* Until the next call, each message begins with @place, for instance a file and a line.  NULL: none does. */
void lsr_message_at(const char *place);

/*
 * One line, with '?' for each control character, bidirectional ones too, so that any word may be in it (called as ls:
 * if a terminal reads it).  A newline is added, and before that ": " and the text of @error (errno, positive) unless it
 * is 0.  Returns 2, the exit status of a command that ends for this reason.
 */
int lsr_message_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define lsr_message(...) lsr_message_errno(0, __VA_ARGS__)

/* The same with a second line, "Try 'lsr --help' for more information." */
#define lsr_message_usage(...) (lsr_message(__VA_ARGS__), lsr_message_try_help())

/* Calls that the above made so far, for --stats. */
uint64_t lsr_message_writes(void);

/* The end of what a command writes.  Returns @status, or 2 after an error, which is told. */
int lsr_message_flush(struct lsr_out *out, int status);

/* Write @text unchanged. */
void lsr_message_lines(const char *text);

/* That second line by itself.  Returns 2. */
int lsr_message_try_help(void);

/* Trouble with the bundle at @path: its words, @text, or else those of the negative errno @error. */
void lsr_message_bundle(const char *path, int error, const char *text);

/*
 * Show on the terminal how far the work is, in place of the line before.  The line goes away before the next message,
 * and by lsr_message_clear(), which a handler of signals may call.
 */
void lsr_message_progress(const char *line);
void lsr_message_clear(void);

/* @text with '?' for unprintable characters, for words that come from a bundle.  Lives as long as the texts below. */
const char *lsr_printable(const char *text);

/*
 * Quoted for a message.  The text lives until the eighth call after this one.
 *   lsr_quoted_always   'name', as in "cannot access 'name'"
 *   lsr_quoted_needed   name, or 'na me', as in "name: Not a directory"
 *   lsr_quoted_locale   with the marks of the locale, for words that are no names
 */
const char *lsr_quoted_always(const char *name);
const char *lsr_quoted_needed(const char *name);
const char *lsr_quoted_locale(const char *word);

/* "invalid argument 'x' for '--y'" or "ambiguous argument ...", as lsr_word_find() found it a @problem.  Returns 2. */
int lsr_word_complain(int problem, const char *text, const char *option);

/* The value of @text, which was given to @option; or -1 after messages with the valid words and how to get help. */
int lsr_word_value(const struct lsr_word *words, const char *text, const char *option);
