/*
 * report - an experiment as text, JSON, CSV or a page
 *
 * The table and its words are for people, JSON and CSV for programs, the page
 * for both. docs/compare.md describes fields and units.  Nothing here depends
 * on the locale.
 */
#pragma once

#include <stddef.h>

#include "base/out.h"
#include "compare/result.h"

enum lsr_report_form { LSR_REPORT_TABLE, LSR_REPORT_JSON, LSR_REPORT_CSV };

/* @width is that of the terminal in columns, 0 where there is none: a table too wide for it comes in two parts. */
void lsr_report(struct lsr_out *out, const struct lsr_experiment *x, enum lsr_report_form form, size_t width);

/* One self-contained page: no script, nothing from elsewhere. */
void lsr_report_html(struct lsr_out *out, const struct lsr_experiment *x);
