/*
 * pack-plan - from the command line of --pack to the bundles to make
 */
#pragma once

#include "cli/settings.h"
#include "pack/pack.h"

/* A bundle to make. */
struct lsr_pack_job {
        const char *output;
        struct lsr_walk_root *roots; /* their .keep is owned */
        size_t n_roots;
};

struct lsr_pack_plan {
        const struct lsr_writer_kind *kind;
        struct lsr_writer_options writer;
        struct lsr_pack_options pack; /* owner, times and patterns are set */
        struct lsr_pack_job *jobs;
        size_t n_jobs, cap_jobs;
        struct lsr_arena texts; /* and roots, of all of them */
};

/* Returns 0, or the exit status after an error, which was reported. */
int lsr_pack_plan_make(struct lsr_pack_plan *ret_plan, const struct lsr_settings *settings);
void lsr_pack_plan_free(struct lsr_pack_plan *plan);

/* The suffixes of all formats that can be written, separated by blanks.  To be freed. */
char *lsr_pack_suffixes(void);
