/*
 * pack - the parts of --pack: the plan of bundles to make, and what is said meanwhile
 */
#pragma once

#include "cli/settings.h"
#include "pack/pack.h"

/* ---- pack-plan.c: from the command line to bundles ---- */

/* A bundle to make. */
struct lsr_pack_job {
        const char *output;
        struct lsr_walk_root *roots; /* their .keep is owned */
        size_t n_roots;
};

struct lsr_pack_plan {
        const struct lsr_writer_kind *kind;
        struct lsr_writer_options writer;
        struct lsr_excludes *includes; /* NULL: all */
        struct lsr_pack_options pack;  /* owner, times and patterns are set */
        struct lsr_pack_job *jobs;
        size_t n_jobs, cap_jobs;
        struct lsr_arena texts; /* and roots, of all of them */
};

/*
 * @from_bundle: the one operand is a bundle, whose members are packed; there are no roots.  Returns 0, or the exit
 * status after an error, which was reported.
 */
int lsr_pack_plan_make(struct lsr_pack_plan *ret_plan, const struct lsr_settings *settings, bool from_bundle);
void lsr_pack_plan_free(struct lsr_pack_plan *plan);

/*
 * pack-names.c: --files-from.  The one root, the directory @dir with the files below it that are named, each of which
 * is there.  Returns 0, or the exit status after an error, which was reported.
 */
int lsr_pack_names(struct lsr_pack_plan *plan, const struct lsr_settings *settings, const char *dir,
                   struct lsr_walk_root *ret_root);

/* The suffixes of all formats that can be written, separated by blanks.  To be freed. */
char *lsr_pack_suffixes(void);

/* ---- pack-report.c: messages and progress, on standard error ---- */

struct lsr_pack_report {
        bool terminal; /* show how it is getting on */
        int status;    /* exit status so far */
        uint64_t began_ns;
        uint64_t told_ns;
        struct lsr_pack_size expected; /* for the remaining time; all zeros: not known */
};

void lsr_pack_report_begin(struct lsr_pack_report *r);
void lsr_pack_report_trouble(struct lsr_pack_report *r, enum lsr_pack_trouble what, const char *path, int error,
                             uint64_t at);

/*
 * Update the progress line; @what names the current step.  @held: the number of bytes that wait to be processed.
 */
void lsr_pack_report_progress(struct lsr_pack_report *r, const char *what, const struct lsr_pack_stats *stats,
                              uint64_t held);

/* The same behind the last step: @bytes of the bundle are stored. */
void lsr_pack_report_stored(struct lsr_pack_report *r, uint64_t bytes);

/*
 * Why there can be no file @name, which @option asks for: as lsr_target_open() or lsr_target_commit() @refused it.
 * Returns the exit status.
 */
int lsr_pack_report_refused(const char *name, const char *option, int refused);

/* Report what @format could not store, and print the last line. */
void lsr_pack_report_losses(const struct lsr_pack_stats *stats, const char *format);
void lsr_pack_report_end(struct lsr_pack_report *r, const char *output, const struct lsr_pack_stats *stats,
                         uint64_t out_bytes);

/* ---- pack-upload.c: a bundle in an object store ---- */

/*
 * Begin to store the object @url: *ret_fd is a pipe that takes it.  Returns 0, or the exit status after an error, which
 * was reported.
 */
int lsr_pack_upload_begin(const char *url, bool force, int *ret_fd);

/* -EPIPE: it has failed, and need not be packed further; else 0. */
int lsr_pack_upload_failed(void);

/*
 * All @size bytes are in the pipe, which was closed: wait until the object is there.  @told hears how many bytes are
 * stored.  As lsr_pack_upload_begin().
 */
int lsr_pack_upload_end(const char *url, uint64_t size, void (*told)(void *ctx, uint64_t bytes), void *ctx);

/* There will be no object, if one was begun.  0: as was asked for; or the exit status: why was reported. */
int lsr_pack_upload_cancel(const char *url);

/* The same for the handler of a signal. */
void lsr_pack_upload_abandon(void);
void lsr_pack_upload_stop(void);
