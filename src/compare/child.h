/*
 * child - one run of a way, in a process of its own
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compare/result.h"
#include "compare/way.h"

struct lsr_child {
        const char *name; /* of the way */
        const struct lsr_way_job *job;
};

struct lsr_child_result {
        struct lsr_way_report report;
        struct lsr_cost cost;
        /* Of lsr_child_trace(): */
        struct lsr_call_count *calls; /* owned */
        size_t n_calls;
        bool refused; /* it may not be traced */
};

/*
 * Run it.  0; -ECHILD: it died, or failed, and ret_text says how: to be freed; another negative errno: it could not be
 * started.
 */
int lsr_child_run(const struct lsr_child *child, struct lsr_child_result *ret_result, char **ret_text);

/*
 * The same, counting its system calls, which changes its times: cost is not set.  Where that is refused it does not
 * run.
 */
int lsr_child_trace(const struct lsr_child *child, struct lsr_child_result *ret_result, char **ret_text);
