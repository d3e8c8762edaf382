/*
 * Times as ls shows them.  Expectations of formats are date(1)'s; now is
 * 2023-11-14 22:13:20 UTC, half a year before it 2023-05-16 07:18:44.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/locale.h"
#include "render/when.h"

#define WHEN_NOW 1700000000
#define WHEN_HALF_YEAR 15778476

static void when_setup(struct lsr_when *w, const char *tz, enum lsr_when_kind kind)
{
        setenv("TZ", tz, 1);
        tzset();
        setenv("LC_ALL", "C", 1);
        lsr_locale_init();
        lsr_when_init(w, kind);
        w->now_sec = WHEN_NOW;
        w->now_nsec = 500;
        lsr_zone_load(&w->zone, NULL, 0);
}

static void when_check(struct lsr_when *w, int64_t sec, uint32_t nsec, const char *want)
{
        char buf[LSR_WHEN_MAX];
        size_t len = lsr_when_format(w, sec, nsec, buf);

        cr_assert_lt(len, LSR_WHEN_MAX);
        buf[len] = '\0';
        cr_assert_str_eq(buf, want, "%lld.%09u: '%s', not '%s'", (long long)sec, nsec, buf, want);
}

static void when_check_format(const char *format, int64_t sec, uint32_t nsec, const char *want)
{
        struct lsr_when w;

        when_setup(&w, "UTC", LSR_WHEN_FORMAT);
        w.formats[0] = w.formats[1] = format;
        when_check(&w, sec, nsec, want);
}

Test(when, styles)
{
        struct lsr_when w;

        when_setup(&w, "UTC", LSR_WHEN_LOCALE);
        when_check(&w, WHEN_NOW, 0, "Nov 14 22:13");
        when_check(&w, 1690848000, 0, "Aug  1 00:00");
        when_check(&w, 1000000000, 0, "Sep  9  2001");
        when_check(&w, -1, 0, "Dec 31  1969");
        when_setup(&w, "UTC", LSR_WHEN_FULL_ISO);
        when_check(&w, WHEN_NOW, 7, "2023-11-14 22:13:20.000000007 +0000");
        when_check(&w, -62135596800, 999999999, "0001-01-01 00:00:00.999999999 +0000");
        when_setup(&w, "UTC", LSR_WHEN_LONG_ISO);
        when_check(&w, WHEN_NOW, 7, "2023-11-14 22:13");
        when_check(&w, 253402300800, 7, "10000-01-01 00:00");
        when_setup(&w, "UTC", LSR_WHEN_ISO);
        when_check(&w, WHEN_NOW, 7, "11-14 22:13");
        when_check(&w, 1000000000, 7, "2001-09-09 ");
}

/* Half a year to the nanosecond, and nothing from the future. */
Test(when, recent)
{
        struct lsr_when w;

        when_setup(&w, "UTC", LSR_WHEN_LOCALE);
        when_check(&w, WHEN_NOW - WHEN_HALF_YEAR, 501, "May 16 07:18");
        when_check(&w, WHEN_NOW - WHEN_HALF_YEAR, 500, "May 16  2023");
        when_check(&w, WHEN_NOW - WHEN_HALF_YEAR - 1, 999999999, "May 16  2023");
        when_check(&w, WHEN_NOW - WHEN_HALF_YEAR + 1, 0, "May 16 07:18");
        when_check(&w, WHEN_NOW, 499, "Nov 14 22:13");
        when_check(&w, 4000000000, 0, "Oct  2  2096");
        /* The clock was looked at again. */
        cr_assert_gt(w.now_sec, WHEN_NOW);
}

Test(when, zones)
{
        struct lsr_when w;

        when_setup(&w, "XST-5:45", LSR_WHEN_FULL_ISO);
        when_check(&w, 0, 0, "1970-01-01 05:45:00.000000000 +0545");
        when_check(&w, 86399, 1, "1970-01-02 05:44:59.000000001 +0545");
        when_setup(&w, "XST3:30", LSR_WHEN_FULL_ISO);
        when_check(&w, 0, 0, "1969-12-31 20:30:00.000000000 -0330");
        when_setup(&w, "CET-1CEST,M3.5.0,M10.5.0/3", LSR_WHEN_LONG_ISO);
        when_check(&w, 1700000000, 0, "2023-11-14 23:13");
        when_check(&w, 1690000000, 0, "2023-07-22 06:26");
        when_check(&w, 1711846799, 0, "2024-03-31 01:59");
        when_check(&w, 1711846800, 0, "2024-03-31 03:00");
}

Test(when, formats)
{
        when_check_format("%Y-%m-%d", WHEN_NOW, 0, "2023-11-14");
        when_check_format("text", WHEN_NOW, 0, "text");
        when_check_format("", WHEN_NOW, 0, "");
        when_check_format("100%%", WHEN_NOW, 0, "100%");
        when_check_format("%s.%N", WHEN_NOW, 1234, "1700000000.000001234");
        when_check_format("%3N|%6N|%1N", WHEN_NOW, 123456789, "123|123456|1");
        when_check_format("%12N", WHEN_NOW, 123456789, "123456789000");
        when_check_format("%z %:z %::z %:::z", WHEN_NOW, 0, "+0000 +00:00 +00:00:00 +00");
        when_check_format("%b %e %H:%M:%S", WHEN_NOW, 0, "Nov 14 22:13:20");
        when_check_format("%a %A %j %u", WHEN_NOW, 0, "Tue Tuesday 318 2");
        when_check_format("%-d|%_d|%05d", 1690848000, 0, "1| 1|00001");
        when_check_format("%^b", WHEN_NOW, 0, "NOV");
}

/* Any width a user may write stays inside the buffer. */
Test(when, absurd_widths)
{
        static const char letters[] = "NYsdzbHZcx%";
        static const int widths[] = { 255, 256, 999, 1024, 2559, 99999, INT_MAX };
        struct lsr_when w;
        char buf[LSR_WHEN_MAX];

        when_setup(&w, "UTC", LSR_WHEN_FORMAT);
        for (size_t l = 0; l + 1 < sizeof(letters); l++) {
                for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
                        static const char *const flags[] = { "", "_", "0", "^" };

                        for (size_t f = 0; f < 4; f++) {
                                char format[64];

                                snprintf(format, sizeof(format), "%%%s%d%c%%%d%c", flags[f], widths[i], letters[l],
                                         widths[i], letters[l]);
                                w.formats[0] = w.formats[1] = format;
                                cr_assert_leq(lsr_when_format(&w, WHEN_NOW, 5, buf), LSR_WHEN_MAX);
                        }
                }
        }
}

Test(when, long_texts)
{
        static char format[5000];
        struct lsr_when w;
        char buf[LSR_WHEN_MAX];

        when_setup(&w, "UTC", LSR_WHEN_FORMAT);
        for (size_t i = 0; i + 3 < sizeof(format); i += 2)
                memcpy(format + i, "%c", 2);
        w.formats[0] = w.formats[1] = format;
        cr_assert_leq(lsr_when_format(&w, WHEN_NOW, 5, buf), LSR_WHEN_MAX);
        memset(format, 'x', sizeof(format) - 1);
        cr_assert_leq(lsr_when_format(&w, WHEN_NOW, 5, buf), LSR_WHEN_MAX);
        memset(format, '%', sizeof(format) - 1);
        cr_assert_leq(lsr_when_format(&w, WHEN_NOW, 5, buf), LSR_WHEN_MAX);
        memset(format + 1, '9', sizeof(format) - 2);
        cr_assert_leq(lsr_when_format(&w, WHEN_NOW, 5, buf), LSR_WHEN_MAX);
}

Test(when, out_of_range)
{
        struct lsr_when w;

        when_setup(&w, "UTC", LSR_WHEN_LOCALE);
        cr_assert_not(lsr_when_out_of_range(&w, 0));
        cr_assert_not(lsr_when_out_of_range(&w, -62135596800));
        cr_assert(lsr_when_out_of_range(&w, INT64_MAX));
        cr_assert(lsr_when_out_of_range(&w, INT64_MIN));
        cr_assert_eq(lsr_when_width(&w), 12);
}

/* A day is broken down once: what is remembered of it must not be taken for another. */
Test(when, days)
{
        struct lsr_when w;

        when_setup(&w, "UTC0", LSR_WHEN_LONG_ISO);
        when_check(&w, 86399, 0, "1970-01-01 23:59");
        when_check(&w, 0, 0, "1970-01-01 00:00");
        when_check(&w, -1, 0, "1969-12-31 23:59");
        when_check(&w, -86400, 0, "1969-12-31 00:00");
        when_check(&w, -86401, 0, "1969-12-30 23:59");
        when_check(&w, 86400, 0, "1970-01-02 00:00");
        when_check(&w, INT64_MAX, 0, "");
        when_check(&w, 86400, 0, "1970-01-02 00:00");
        when_check(&w, INT64_MIN, 0, "");
        when_check(&w, 86399, 0, "1970-01-01 23:59");
}

Test(when, relative)
{
        struct lsr_when w;

        when_setup(&w, "UTC", LSR_WHEN_RELATIVE);
        when_check(&w, WHEN_NOW, 0, "now");
        when_check(&w, WHEN_NOW - 1, 0, "1 second ago");
        when_check(&w, WHEN_NOW - 59, 0, "59 seconds ago");
        when_check(&w, WHEN_NOW - 60, 0, "1 minute ago");
        when_check(&w, WHEN_NOW - 3599, 0, "59 minutes ago");
        when_check(&w, WHEN_NOW - 2 * 3600, 0, "2 hours ago");
        when_check(&w, WHEN_NOW - 86400, 0, "1 day ago");
        when_check(&w, WHEN_NOW - 30 * 86400, 0, "30 days ago");
        when_check(&w, WHEN_NOW - 31 * 86400, 0, "1 month ago");
        when_check(&w, WHEN_NOW - 31556951, 0, "11 months ago");
        when_check(&w, WHEN_NOW - 31556952, 0, "1 year ago");
        when_check(&w, 0, 0, "53 years ago");
        when_check(&w, INT64_MIN, 0, "292277024680 years ago");
        /* The clock is read again for what is later than it was. */
        when_check(&w, (int64_t)time(NULL) + 2 * 86400 + 100, 0, "in 2 days");
}

/* What is kept of the time before is used only where it is right. */
Test(when, utc)
{
        static const struct {
                int64_t sec;
                uint32_t nsec;
                const char *want;
        } times[] = {
                { 0, 0, "1970-01-01T00:00:00.000000000Z" },
                { 0, 1, "1970-01-01T00:00:00.000000001Z" },
                { 86399, 999999999, "1970-01-01T23:59:59.999999999Z" },
                { 86400, 0, "1970-01-02T00:00:00.000000000Z" },
                { 86400 + 3661, 120, "1970-01-02T01:01:01.000000120Z" },
                { -1, 0, "1969-12-31T23:59:59.000000000Z" },
                { -86400, 0, "1969-12-31T00:00:00.000000000Z" },
                { -86401, 0, "1969-12-30T23:59:59.000000000Z" },
                { 253402300799, 7, "9999-12-31T23:59:59.000000007Z" },
                { 253402300800, 7, "10000-01-01T00:00:00.000000007Z" },
                { 253402300799, 7, "9999-12-31T23:59:59.000000007Z" },
                { -30610224000, 0, "1000-01-01T00:00:00.000000000Z" },
                { -30610224001, 0, "0999-12-31T23:59:59.000000000Z" },
                { WHEN_NOW, 500, "2023-11-14T22:13:20.000000500Z" },
        };
        const size_t n = sizeof(times) / sizeof(*times);
        struct lsr_when w = {};
        char buf[LSR_WHEN_UTC_MAX];

        for (size_t i = 0; i < 2 * n * n; i++) {
                /* Each one after each other, and after itself. */
                size_t at = i & 1 ? i / 2 / n : i / 2 % n;

                buf[lsr_when_utc(&w, times[at].sec, times[at].nsec, buf)] = '\0';
                cr_assert_str_eq(buf, times[at].want);
        }
        cr_assert_eq(lsr_when_utc(&w, INT64_MAX, 0, buf), 0);
        cr_assert_eq(lsr_when_utc(&w, INT64_MIN, 0, buf), 0);
}
