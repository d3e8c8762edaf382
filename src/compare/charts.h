/*
 * charts - pictures of an experiment, as SVG
 *
 * Across they are measured in percent of the page, down in pixels: letters keep
 * their size on a telephone.  Colours are classes of the page's style sheet.
 */
#pragma once

#include "base/out.h"
#include "compare/result.h"

/* Text for HTML and XML. */
void lsr_html_text(struct lsr_out *out, const char *text, size_t len);

/* The parts of the time of each way. */
void lsr_chart_times(struct lsr_out *out, const struct lsr_experiment *x);

/* Time to pack once and read n times, against reading files n times. */
void lsr_chart_pays(struct lsr_out *out, const struct lsr_experiment *x);
