/*
 * remote - bundles that lie on servers, for bundle.c
 *
 *      URL ─► which part names the bundle ─► cache: what was there? ─► lsr-remote opens it ─► sparse file, bitmap
 *
 * The helper is started with the first URL.  Reading is as of a file, but what is not there is fetched before: for this
 * process by bundle_read_at(), for the worker's NEEDs by bundle_remote_need().
 */
#pragma once

#include "source/bundle-parts.h"

/*
 * Open the object that @bundle->path begins with, and cut the path behind its name: *ret_end bytes of it, which are
 * more than @after.  0, or a negative errno, which was said.
 */
int bundle_remote_open(struct lsr_bundle *bundle, uint32_t after, uint32_t *ret_end);

/* Which beginnings of @url may name the bundle, as lsr_url_candidates(). */
unsigned bundle_remote_candidates(const char *url, uint32_t *ends);

/* Open it again: 0; -ESTALE: it is another one; or another negative errno, which was said. */
int bundle_remote_reopen(struct lsr_bundle *bundle);

/* It was changed before anything of it could be shown, see lsr_bundles_anew(). */
bool bundle_remote_is_stale(const struct lsr_bundle *bundle);

/* What is held of it goes; what it is stays known. */
void bundle_remote_close(struct lsr_bundle *bundle);
struct bundle_remote *bundle_remote_free(struct lsr_bundle *bundle);

/* Is its content where the helper puts it, so that some may be missing? */
bool bundle_is_far(const struct lsr_bundle *bundle);

/* The bitmap of what is there. */
int bundle_remote_bitmap(const struct lsr_bundle *bundle);

/* As lsr_worker_options.need(), for the bundle that is current; ctx is the struct lsr_bundles. */
int bundle_remote_need(void *ctx, const struct lsr_input_range *ranges, unsigned n_needed, unsigned n_wanted);

/* As lsr_io_read_at() from the file of @bundle. */
ssize_t bundle_read_at(struct lsr_bundle *bundle, void *buf, size_t n, uint64_t offset);

/* The cache knew it, and it is unchanged: it has a catalogue now. */
bool bundle_remote_cached(struct lsr_bundle *bundle);
void bundle_remote_remember(const struct lsr_bundle *bundle);

/* It is no bundle, or cannot be had, which is said unless it was: a negative errno. */
int bundle_remote_refuse(struct lsr_bundle *bundle);
