/*
 * data - an experiment for programs: JSON and CSV
 */
#pragma once

#include "base/out.h"
#include "compare/result.h"

/* One JSON document (RFC 8259). */
void lsr_report_json(struct lsr_out *out, const struct lsr_experiment *x);

/* RFC 4180: a heading, and a row for each way. */
void lsr_report_csv(struct lsr_out *out, const struct lsr_experiment *x);
