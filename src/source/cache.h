/*
 * cache - the catalogues of compressed bundles that were listed before
 *
 * Below $XDG_CACHE_HOME/lsr, or ~/.cache/lsr, one file a bundle, named by device
 * and inode and valid for one size, mtime and ctime.  Errors are silent: a
 * cache that cannot be used is none.
 *
 *      0 8 bytes "LSRCACHE"   8 u32 version   12 u32 CRC-32 of everything behind it
 *     16 u64 device  24 u64 inode  32 u64 size  40 i64 u32 mtime  52 i64 u32 ctime
 *     64 16 bytes format     80 64 bytes filters   144 the catalogue, encoded
 *
 * What lies on a server is named by its URL without secrets, and valid for one ETag.
 *
 *     16 SHA-256 of the URL  48 u64 size  56 u64 1: claimed, 2: filtered    144 128 bytes ETag    272 the catalogue
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "catalogue/catalogue.h"
#include "io/meta.h"

#define LSR_CACHE_MIN_BYTES ((uint64_t)1 << 20)   /* smaller bundles are listed faster than looked up */
#define LSR_CACHE_MAX_BYTES ((uint64_t)256 << 20) /* in all; beyond, the oldest go */
#define LSR_CACHE_QUIET_S 2 /* a file changed so recently may change again within its time stamp */

struct lsr_cache_entry {
        char format[16];
        char filters[64];
        struct lsr_catalogue *catalogue; /* owned by whoever got it */
};

#define LSR_CACHE_TAG_MAX 128u

/* What the catalogue of a URL is that of. */
struct lsr_cache_url {
        uint64_t size;
        char tag[LSR_CACHE_TAG_MAX]; /* ETag, with its quotes */
        bool claimed, filtered;      /* as of the bundle */
};

/* True if there is one for the file that @meta (dev, inode, size, mtime and ctime known) describes. */
bool lsr_cache_get(const struct lsr_meta *meta, struct lsr_cache_entry *ret_entry);

void lsr_cache_put(const struct lsr_meta *meta, const struct lsr_cache_entry *entry);

/* The same for @url; what of it was seen comes back, as the server has to be asked whether that is still there. */
bool lsr_cache_get_url(const char *url, struct lsr_cache_url *ret_what, struct lsr_cache_entry *ret_entry);

void lsr_cache_put_url(const char *url, const struct lsr_cache_url *what, const struct lsr_cache_entry *entry);
