/*
 * reading - what the commands have in common: the engine, the bundles, and an exit status that records errors
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "cli/settings.h"
#include "source/lookup.h"

/* Make the engine that --io or LSR_IO names.  0, or the exit status after an error, which was reported. */
int lsr_engine_new(struct lsr_io **ret_io, const char *name);

/* The same, and be sure now that it runs. */
int lsr_engine_new_required(struct lsr_io **ret_io, const char *name);

/* Report that it has failed with @error, or never could run.  Returns the exit status. */
int lsr_engine_fail(struct lsr_io *io, const char *name, int error);

/* For all commands but listings. */
struct lsr_reading {
        const struct lsr_settings *settings;
        struct lsr_io *io;
        struct lsr_bundles *bundles;
        int status;                        /* 0; 1: minor trouble; 2: an operand could not be had at all */
        const volatile sig_atomic_t *stop; /* not 0: a signal came, and what it broke need not be told; NULL */
        char said[512];                    /* the last complaint about a bundle, which is not repeated */
        bool troubled; /* a bundle has been complained about; for whoever wants to know to clear it */
};

/* 0, or the exit status after an error, which was reported.  @ret_reading must not move while it is used. */
int lsr_reading_open(struct lsr_reading *ret_reading, const struct lsr_settings *settings);

/* Returns the exit status. */
int lsr_reading_close(struct lsr_reading *r);

/*
 * After reading: was everything parsed by a confined process?  If not, a message on a terminal says so.  Returns
 * @status, or 2 if confinement was required.
 */
int lsr_reading_confined(const struct lsr_bundles *bundles, const struct lsr_settings *settings, int status);

/* An operand is no bundle, or cannot be had, as lsr_place_find() @found: say so, unless that was done. */
void lsr_reading_refuse(struct lsr_reading *r, const char *path, int found);

/* Make the exit status @status at least. */
void lsr_reading_fail(struct lsr_reading *r, int status);

/* The reason why content could not be read, in words that fit a bundle better than those of the errno. */
const char *lsr_reading_reason(int error);
