/*
 * conclusions - conclusions from the figures, in sentences
 *
 * The sentences hold for any data: for ways that failed or read other bytes
 * they say only this.
 */
#pragma once

#include "base/out.h"
#include "compare/result.h"
#include "render/quote.h"

/* The conclusions: one paragraph, without a newline. */
void lsr_compare_words(struct lsr_out *out, const struct lsr_experiment *x);

/* What to do with such a tree: for whom which format, and why; a line each.  Nothing where there is no result. */
void lsr_compare_advice(struct lsr_out *out, const struct lsr_experiment *x);

/*
 * The problems, one line each: noise, ways that failed, saw other bytes, read less
 * than asked for or could not be traced.  Returns the number of lines.
 */
unsigned lsr_compare_troubles(struct lsr_out *out, const struct lsr_experiment *x);

/* The contents of the tree: "104,000 files, 1,351 other members, 1.13 GB" */
void lsr_compare_tree(struct lsr_out *out, const struct lsr_experiment *x);

/* The work of each way: "every file, warm cache; a bundle for each subdirectory; 5 runs of each way, medians" */
void lsr_compare_reads(struct lsr_out *out, const struct lsr_experiment *x);

/* @text, which may come from a file system, without control characters. */
void lsr_compare_shown(struct lsr_out *out, const char *text, enum lsr_quoting style);
