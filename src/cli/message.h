/*
 * message - the one place that writes to standard error
 *
 * Lines have GNU's form, "PROGRAM: what: why".  PROGRAM is argv[0] when called
 * as ls, else "lsr".  Each line is one write.
 */
#pragma once

#include <stdint.h>

#include "base/out.h"

void lsr_message_init(const char *program);
const char *lsr_message_program(void);

/* One line; a newline is added, and '?' stands for each control character, so that any word may be in it. */
void lsr_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with ": " and the text of @error (errno, positive), unless that is 0. */
void lsr_message_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls that the two above made so far, for --stats. */
uint64_t lsr_message_writes(void);

/* The end of what a command writes.  Returns @status, or 2 after an error, told unless nobody reads any more. */
int lsr_message_flush(struct lsr_out *out, int status);

/* Write @text unchanged. */
void lsr_message_lines(const char *text);

/* "Try 'lsr --help' for more information." */
void lsr_message_try_help(void);

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
