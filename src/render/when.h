/*
 * when - times as ls prints them
 *
 * Styles of --time-style (coreutils manual, "Formatting file timestamps").
 * The fixed styles are written directly; +FORMAT and locales with other month
 * names go through date.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "render/zone.h"

#define LSR_WHEN_MAX 1024     /* bytes of one formatted time */
#define LSR_WHEN_UTC_MAX 64   /* in UTC, */
#define LSR_WHEN_UTC_USUAL 30 /* mostly: "2026-11-22T09:17:00.000000000Z" */

enum lsr_when_kind {
        LSR_WHEN_LOCALE, /* "Nov 21 09:17", "Nov 21  2019" */
        LSR_WHEN_FULL_ISO,
        LSR_WHEN_LONG_ISO,
        LSR_WHEN_ISO,
        LSR_WHEN_FORMAT,
        LSR_WHEN_RELATIVE, /* "3 days ago": of no fixed width */
};

struct lsr_when {
        enum lsr_when_kind kind;
        const char *formats[2]; /* LSR_WHEN_FORMAT: for times that are not recent, and recent */
        struct lsr_zone zone;
        int64_t now_sec; /* recent: less than half a mean Gregorian year (15,778,476 s) before this */
        uint32_t now_nsec;
        /* private */
        struct lsr_zone_span span;
        int64_t day; /* of local time, which @day_tm breaks down; no time of any file at first */
        struct tm day_tm;
        struct lsr_when_utc {
                int64_t day, sec; /* the first second of its day, and its own */
                uint32_t nsec;
                char text[32]; /* begins with NUL: there is none */
        } utc[8];              /* by days: the last ones that have a year of four digits */
        bool too_long;         /* the last time formatted did not fit */
        int width;             /* of a time in the common case, -1 until asked for */
};

/* Take the present time.  The zone is loaded by the caller, before the first lsr_when_format(). */
void lsr_when_init(struct lsr_when *ret_when, enum lsr_when_kind kind);

/* Format into @buf, without a NUL.  Returns the length; 0 if the time cannot be broken down or the format is empty. */
size_t lsr_when_format(struct lsr_when *w, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_MAX]);

size_t lsr_when_utc_anew(struct lsr_when *w, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_UTC_MAX]);

/* The same in the format of RFC 3339, in UTC and with nanoseconds.  The four times of a file are often equal. */
static inline size_t lsr_when_utc(struct lsr_when *w, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_UTC_MAX])
{
        const struct lsr_when_utc *last = &w->utc[(uint64_t)sec / 86400 % 8];

        if (sec != last->sec || nsec != last->nsec || !last->text[0])
                return lsr_when_utc_anew(w, sec, nsec, buf);
        memcpy(buf, last->text, sizeof(last->text));
        return LSR_WHEN_UTC_USUAL;
}

/* After lsr_when_format() returned 0 for @sec: true if that is because it cannot be shown as a date. */
bool lsr_when_out_of_range(struct lsr_when *w, int64_t sec);

/* The width of a time; text in the place of a time is aligned with it. */
int lsr_when_width(struct lsr_when *w);
