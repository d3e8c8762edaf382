/*
 * columns - the cells of the table, for the terminal and for the page
 */
#pragma once

#include <stdbool.h>

#include "base/out.h"
#include "compare/result.h"

struct lsr_compare_column {
        const char *title;
        const char *unit; /* second line of the heading, "" for none */
        bool left;        /* aligned; else right */
        bool detail;      /* where there is no room for all columns: in the second part */
        /* Left out if this is false of all ways; NULL: always there. */
        bool (*wanted)(const struct lsr_experiment *x, const struct lsr_way_result *way);
        void (*put)(struct lsr_out *out, const struct lsr_experiment *x, const struct lsr_way_result *way);
};

/* The first one is the name of the way. */
extern const struct lsr_compare_column lsr_compare_columns[];
extern const unsigned lsr_compare_n_columns;

/* Is the column to be shown for this experiment? */
bool lsr_compare_column_wanted(const struct lsr_compare_column *column, const struct lsr_experiment *x);
