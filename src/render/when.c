/*
 * when - the digits of ten thousand dates
 *
 * strftime costs 300 ns a time and localtime_r 100 more; a listing prints one
 * per row.  The offset of a zone rarely changes, so the last span is kept and
 * the default styles are written digit by digit.
 */
#include "render/when.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/locale.h"
#include "base/width.h"
#include "render/date.h"

/* The size of GNU's buffer: a longer time is printed as seconds, and the months of a longer format are not aligned. */
#define WHEN_GNU_MAX ((size_t)1000)
#define WHEN_FORMAT_MAX 128
#define WHEN_MONTH_MAX 12
#define WHEN_UTC_HOUR 11      /* where the hour begins in LSR_WHEN_UTC_USUAL bytes */
#define WHEN_NO_DAY INT64_MAX /* no time has so many days */

/* Half of the 31,556,952 seconds of a mean Gregorian year. */
#define WHEN_RECENT_SECONDS (31556952 / 2)

static const char when_months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

/* Many languages differ in dates only by their names of months, and English ones not even by those. */
static bool when_english(void)
{
        if (lsr_locale_plain_time())
                return true;
        for (int m = 0; m < 12; m++)
                if (strcmp(nl_langinfo_l(ABMON_1 + m, lsr_locale()), when_months[m]) != 0)
                        return false;
        return true;
}

void lsr_when_init(struct lsr_when *ret_when, enum lsr_when_kind kind)
{
        struct timespec now = lsr_clock_now();

        *ret_when = (struct lsr_when){
                .kind = kind,
                .now_sec = now.tv_sec,
                .now_nsec = (uint32_t)now.tv_nsec,
                .width = -1,
                .day = WHEN_NO_DAY,
        };
        if (kind == LSR_WHEN_LOCALE && !when_english()) {
                ret_when->kind = LSR_WHEN_FORMAT;
                ret_when->formats[0] = "%b %e  %Y";
                ret_when->formats[1] = "%b %e %H:%M";
        }
}

static char *when_two(char *p, int v, char pad)
{
        p[0] = v < 10 ? pad : (char)('0' + v / 10);
        p[1] = (char)('0' + v % 10);
        return p + 2;
}

static inline char *when_year(char *p, const struct tm *tm, int pad)
{
        int64_t year = (int64_t)tm->tm_year + 1900;

        if (year >= 1000 && year <= 9999) {
                p = when_two(p, (int)(year / 100), '0');
                return when_two(p, (int)(year % 100), '0');
        }
        return p + sprintf(p, "%0*lld", pad, (long long)year);
}

static char *when_hour_minute(char *p, const struct tm *tm)
{
        p = when_two(p, tm->tm_hour, '0');
        *p++ = ':';
        return when_two(p, tm->tm_min, '0');
}

/* :ss.nnnnnnnnn */
static char *when_seconds(char *p, const struct tm *tm, uint32_t nsec)
{
        *p++ = ':';
        p = when_two(p, tm->tm_sec, '0');
        *p++ = '.';
        for (int i = 8; i >= 0; i--, nsec /= 10)
                p[i] = (char)('0' + nsec % 10);
        return p + 9;
}

static char *when_month_day(char *p, const struct tm *tm)
{
        p = when_two(p, tm->tm_mon + 1, '0');
        *p++ = '-';
        return when_two(p, tm->tm_mday, '0');
}

/* +hhmm */
static char *when_offset(char *p, const struct lsr_zone_span *span)
{
        int32_t offset = span->utc_offset;
        unsigned v = offset < 0 ? 0u - (unsigned)offset : (unsigned)offset;

        *p++ = offset < 0 || (!offset && span->name[0] == '-') ? '-' : '+';
        p = when_two(p, (int)(v / 3600), '0');
        return when_two(p, (int)(v / 60 % 60), '0');
}

/* The local time, valid until the next one; NULL if there is none. */
static const struct tm *when_local(struct lsr_when *w, int64_t sec)
{
        struct tm *tm = &w->day_tm;
        int64_t local, day;
        unsigned rest;

        if (sec < w->span.begin || sec >= w->span.end)
                if (!lsr_zone_find(&w->zone, sec, &w->span))
                        return NULL;
        if (__builtin_add_overflow(sec, (int64_t)w->span.offset, &local))
                return NULL;
        day = local / 86400 - (local % 86400 < 0);
        if (day != w->day) {
                w->day = WHEN_NO_DAY;
                if (!lsr_zone_break_down(local, tm))
                        return NULL;
                w->day = day;
        }
        rest = (unsigned)((uint64_t)local - (uint64_t)day * 86400);
        tm->tm_hour = (int)(rest / 3600);
        tm->tm_min = (int)(rest / 60 % 60);
        tm->tm_sec = (int)(rest % 60 + (unsigned)w->span.leap_second);
        return tm;
}

static bool when_recent(struct lsr_when *w, int64_t sec, uint32_t nsec)
{
        int64_t old = w->now_sec - WHEN_RECENT_SECONDS;

        /* The file may have changed after the clock was read: read the clock again. */
        if (sec > w->now_sec || (sec == w->now_sec && nsec > w->now_nsec)) {
                struct timespec now = lsr_clock_now();

                w->now_sec = now.tv_sec;
                w->now_nsec = (uint32_t)now.tv_nsec;
                old = w->now_sec - WHEN_RECENT_SECONDS;
        }
        return (sec > old || (sec == old && nsec > w->now_nsec)) &&
               (sec < w->now_sec || (sec == w->now_sec && nsec < w->now_nsec));
}

/* A month's short name as wide as the widest one of the locale, so that columns align. */
static char *when_month_name(char *p, size_t room, int month)
{
        const char *name = nl_langinfo_l(ABMON_1 + month, lsr_locale());
        size_t widest = 0, len = strlen(name), width = lsr_text_width(name, len), fill;
        bool right = name[0] >= '0' && name[0] <= '9';

        for (int m = 0; m < 12; m++) {
                const char *other = nl_langinfo_l(ABMON_1 + m, lsr_locale());
                size_t n = lsr_text_width(other, strlen(other));

                if (strchr(other, '%'))
                        return NULL;
                widest = n > widest ? n : widest;
        }
        fill = widest - width;
        if (len + fill >= room || widest > WHEN_MONTH_MAX)
                return NULL;
        memset(p, ' ', len + fill);
        memcpy(p + (right ? fill : 0), name, len);
        return p + len + fill;
}

/* The first plain %b of @format becomes a padded month.  False: nothing to do, or no room. */
static bool when_align_month(const char *format, int month, char buf[WHEN_FORMAT_MAX])
{
        const char *at = format;
        size_t rest;
        char *p;

        for (;; at++) {
                at = strchr(at, '%');
                if (!at || at[1] == 'b')
                        break;
                at += at[1] == '%';
        }
        if (!at || at - format >= WHEN_FORMAT_MAX)
                return false;
        memcpy(buf, format, (size_t)(at - format));
        p = when_month_name(buf + (at - format), (size_t)(WHEN_FORMAT_MAX - (at - format)), month);
        rest = strlen(at + 2) + 1;
        if (!p || rest > (size_t)(buf + WHEN_FORMAT_MAX - p))
                return false;
        memcpy(p, at + 2, rest);
        return true;
}

static size_t when_custom(struct lsr_when *w, const char *format, const struct tm *tm, int64_t sec, uint32_t nsec,
                          char *buf)
{
        struct lsr_date date = {
                .tm = *tm,
                .sec = sec,
                .nsec = nsec,
                .offset = w->span.utc_offset,
                .zone = w->span.name,
                .locale = lsr_locale_plain_time() ? (locale_t)0 : lsr_locale(),
        };
        char aligned[WHEN_FORMAT_MAX];
        size_t len;

        date.tm.tm_isdst = w->span.dst;
        date.tm.tm_gmtoff = w->span.utc_offset;
        date.tm.tm_zone = w->span.name;
        if (date.locale && when_align_month(format, tm->tm_mon, aligned))
                format = aligned;
        w->too_long = !lsr_date_format(&date, format, buf, WHEN_GNU_MAX, &len);
        return w->too_long ? 0 : len;
}

/* In the largest unit of which there is one. */
static size_t when_relative(struct lsr_when *w, int64_t sec, uint32_t nsec, char *buf)
{
        static const struct {
                uint64_t seconds;
                const char *name;
        } units[] = { { 31556952, "year" }, { 2629746, "month" }, { 86400, "day" },
                      { 3600, "hour" },     { 60, "minute" },     { 1, "second" } };
        bool future;
        uint64_t age, n;
        size_t i = 0;

        when_recent(w, sec, nsec);
        future = sec > w->now_sec;
        age = future ? (uint64_t)sec - (uint64_t)w->now_sec : (uint64_t)w->now_sec - (uint64_t)sec;
        if (age == 0)
                return (size_t)sprintf(buf, "now");
        while (age < units[i].seconds)
                i++;
        n = age / units[i].seconds;
        return (size_t)sprintf(buf, "%s%" PRIu64 " %s%s%s", future ? "in " : "", n, units[i].name, n == 1 ? "" : "s",
                               future ? "" : " ago");
}

size_t lsr_when_format(struct lsr_when *w, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_MAX])
{
        const struct tm *tm = when_local(w, sec);
        char *p = buf;
        bool recent;

        if (!tm && w->kind != LSR_WHEN_RELATIVE)
                return 0;
        switch (w->kind) {
        case LSR_WHEN_LOCALE:
                recent = when_recent(w, sec, nsec);
                memcpy(p, when_months[tm->tm_mon], 3);
                p[3] = ' ';
                p = when_two(p + 4, tm->tm_mday, ' ');
                *p++ = ' ';
                if (recent)
                        return (size_t)(when_hour_minute(p, tm) - buf);
                *p++ = ' ';
                return (size_t)(when_year(p, tm, 4) - buf);
        case LSR_WHEN_FULL_ISO:
        case LSR_WHEN_LONG_ISO:
                p = when_year(p, tm, 4);
                *p++ = '-';
                p = when_month_day(p, tm);
                *p++ = ' ';
                p = when_hour_minute(p, tm);
                if (w->kind == LSR_WHEN_LONG_ISO)
                        return (size_t)(p - buf);
                p = when_seconds(p, tm, nsec);
                *p++ = ' ';
                return (size_t)(when_offset(p, &w->span) - buf);
        case LSR_WHEN_ISO:
                recent = when_recent(w, sec, nsec);
                if (!recent) {
                        p = when_year(p, tm, 4);
                        *p++ = '-';
                }
                p = when_month_day(p, tm);
                *p++ = ' ';
                return (size_t)((recent ? when_hour_minute(p, tm) : p) - buf);
        case LSR_WHEN_FORMAT:
                return when_custom(w, w->formats[when_recent(w, sec, nsec)], tm, sec, nsec, buf);
        case LSR_WHEN_RELATIVE:
                return when_relative(w, sec, nsec, buf);
        }
        return 0;
}

/* The day of @sec into @u, unless its year has not four digits; the whole text into @buf. */
static size_t when_utc_day(struct lsr_when_utc *u, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_UTC_MAX])
{
        struct tm tm;
        char *p;

        if (!lsr_zone_break_down(sec, &tm))
                return 0;
        p = when_year(buf, &tm, 4);
        *p++ = '-';
        p = when_month_day(p, &tm);
        *p++ = 'T';
        p = when_hour_minute(p, &tm);
        p = when_seconds(p, &tm, nsec);
        *p++ = 'Z';
        if (p - buf == LSR_WHEN_UTC_USUAL) {
                u->day = sec - (tm.tm_hour * 60 + tm.tm_min) * 60 - tm.tm_sec;
                u->sec = sec;
                u->nsec = nsec;
                memcpy(u->text, buf, LSR_WHEN_UTC_USUAL);
        }
        return (size_t)(p - buf);
}

/* Most times are of a day that others had before. */
size_t lsr_when_utc_anew(struct lsr_when *w, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_UTC_MAX])
{
        struct lsr_when_utc *u = &w->utc[(uint64_t)sec / 86400 % 8];
        uint64_t rest = (uint64_t)sec - (uint64_t)u->day;
        struct tm tm;

        if (rest >= 86400 || !u->text[0])
                return when_utc_day(u, sec, nsec, buf);
        u->sec = sec;
        u->nsec = nsec;
        tm.tm_hour = (int)(rest / 3600);
        tm.tm_min = (int)(rest / 60 % 60);
        tm.tm_sec = (int)(rest % 60);
        when_seconds(when_hour_minute(u->text + WHEN_UTC_HOUR, &tm), &tm, nsec);
        return lsr_when_utc(w, sec, nsec, buf);
}

bool lsr_when_out_of_range(struct lsr_when *w, int64_t sec)
{
        return w->too_long || !when_local(w, sec);
}

int lsr_when_width(struct lsr_when *w)
{
        if (w->width < 0) {
                char buf[LSR_WHEN_MAX];
                size_t len = lsr_when_format(w, 0, 0, buf);

                w->width = (int)lsr_text_width(buf, len);
        }
        return w->width;
}
