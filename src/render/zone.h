/*
 * zone - local time without additional system calls
 *
 * libc reads /etc/localtime itself, in five calls; lsr reads it in the batch
 * that brings passwd and group.  This is a reader of TZif data (RFC 8536) that
 * answers one question: which offset holds when, and until when.  What it does
 * not cover (TZ rules without a file, leap-second files, times beyond the
 * table) is left to localtime_r(3).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct lsr_zone {
        const unsigned char *times; /* 8 bytes each, big-endian; NULL: ask localtime_r */
        const unsigned char *indices;
        const unsigned char *types; /* 6 bytes each */
        const char *names;
        unsigned n_times;
        unsigned n_types;
        unsigned names_len;
        bool constant_tail; /* the last transition holds for ever */
};

/* A stretch of time with one offset. */
struct lsr_zone_span {
        int64_t begin;      /* first second */
        int64_t end;        /* first second behind it */
        int32_t offset;     /* what to add to get local time */
        int32_t utc_offset; /* seconds east of UTC; not the same where leap seconds count */
        bool dst;
        bool leap_second; /* a second 60: add 1 to the broken-down one */
        const char *name; /* lives as long as the zone's data, or the process */
};

/*
 * The file that TZ (or its absence) names, in @buf; NULL if there is none to
 * read: TZ is empty (UTC) or its path too long.
 */
const char *lsr_zone_path(char *buf, size_t size);

/*
 * Call this before libc computes local times: libc opens whatever TZ names, and waits for the writer of a FIFO.
 * If TZ names neither a file nor a directory, it is set to a value that libc cannot use, which means UTC without a
 * name.
 */
void lsr_zone_guard_libc(void);

/* Use @data, which the caller keeps.  If it is NULL or malformed, localtime_r is used. */
void lsr_zone_load(struct lsr_zone *ret_zone, const char *data, size_t len);

/* The span around @t.  False: localtime_r has no answer either. */
bool lsr_zone_find(const struct lsr_zone *zone, int64_t t, struct lsr_zone_span *ret_span);

/*
 * Civil time @civil, counted as if it were UTC, in this zone: seconds since 1970.  Where a clock that was set back
 * showed it twice it is the earlier one; where one was set forward and never showed it, it is as if it had not been.
 */
int64_t lsr_zone_from_civil(const struct lsr_zone *zone, int64_t civil);

/* Broken-down UTC time of @t seconds; Gregorian for all years that fit an int. */
bool lsr_zone_break_down(int64_t t, struct tm *ret_tm);
