/*
 * words - what the figures say, in sentences
 *
 * Right for any data: of ways that failed or saw other bytes it is only said
 * that they did.
 */
#pragma once

#include "base/out.h"
#include "compare/result.h"
#include "render/quote.h"

/* The conclusions: one paragraph, without a newline. */
void lsr_compare_words(struct lsr_out *out, const struct lsr_experiment *x);

/*
 * What is not as it should be, a line each: ways that failed, saw other bytes,
 * read less than asked for or could not be traced.  Returns the number of lines.
 */
unsigned lsr_compare_troubles(struct lsr_out *out, const struct lsr_experiment *x);

/* What the tree holds: "104,000 files, 1,351 other members, 1.13 GB" */
void lsr_compare_tree(struct lsr_out *out, const struct lsr_experiment *x);

/* What each way did: "every file, warm cache; a bundle for each subdirectory; 5 runs of each way, medians" */
void lsr_compare_reads(struct lsr_out *out, const struct lsr_experiment *x);

/* @text, which may come from a file system, without what a terminal would act on. */
void lsr_compare_shown(struct lsr_out *out, const char *text, enum lsr_quoting style);
