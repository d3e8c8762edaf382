/*
 * when - the digits of ten thousand dates
 *
 * strftime costs 300 ns a time and localtime_r 100 more; a listing prints one
 * per row.  The offset of a zone rarely changes, so the last span is kept and
 * the default styles are written digit by digit.
 */
#include "render/when.h"

#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/locale.h"
#include "render/quote.h"

/* Half of the 31,556,952 seconds of a mean Gregorian year. */
#define WHEN_RECENT_SECONDS (31556952 / 2)

/* Digits of one conversion; a piece begins with 512 bytes of room or more. */
#define WHEN_WIDTH_MAX 500

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
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        *ret_when = (struct lsr_when){
                .kind = kind,
                .now_sec = now.tv_sec,
                .now_nsec = (uint32_t)now.tv_nsec,
                .width = -1,
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

static char *when_year(char *p, const struct tm *tm, int pad)
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

static char *when_month_day(char *p, const struct tm *tm)
{
        p = when_two(p, tm->tm_mon + 1, '0');
        *p++ = '-';
        return when_two(p, tm->tm_mday, '0');
}

/* @colons: 0 +hhmm, 1 +hh:mm, 2 +hh:mm:ss, 3 as short as it can be */
static char *when_offset(char *p, int32_t offset, int colons)
{
        unsigned v = offset < 0 ? 0u - (unsigned)offset : (unsigned)offset;
        int h = (int)(v / 3600), m = (int)(v / 60 % 60), s = (int)(v % 60);

        *p++ = offset < 0 ? '-' : '+';
        p = when_two(p, h, '0');
        if (colons == 3 && m == 0 && s == 0)
                return p;
        if (colons > 0)
                *p++ = ':';
        p = when_two(p, m, '0');
        if (colons == 2 || (colons == 3 && s != 0)) {
                *p++ = ':';
                p = when_two(p, s, '0');
        }
        return p;
}

static bool when_local(struct lsr_when *w, int64_t sec, struct tm *tm)
{
        int64_t local;

        if (sec < w->span.begin || sec >= w->span.end)
                if (!lsr_zone_find(&w->zone, sec, &w->span))
                        return false;
        return !__builtin_add_overflow(sec, (int64_t)w->span.offset, &local) && lsr_zone_break_down(local, tm);
}

static bool when_recent(struct lsr_when *w, int64_t sec, uint32_t nsec)
{
        int64_t old = w->now_sec - WHEN_RECENT_SECONDS;

        /* A file from the future may be younger than our idea of now: look at the clock again. */
        if (sec > w->now_sec || (sec == w->now_sec && nsec > w->now_nsec)) {
                struct timespec now;

                clock_gettime(CLOCK_REALTIME, &now);
                w->now_sec = now.tv_sec;
                w->now_nsec = (uint32_t)now.tv_nsec;
                old = w->now_sec - WHEN_RECENT_SECONDS;
        }
        return (sec > old || (sec == old && nsec > w->now_nsec)) &&
               (sec < w->now_sec || (sec == w->now_sec && nsec < w->now_nsec));
}

/* One conversion of date(1): flags, width, modifier and letter, between @spec and @end. */
struct when_spec {
        char pad; /* '0', '_', '-', or 0 */
        int width;
        int colons;
        char letter;
};

static const char *when_parse(const char *p, struct when_spec *ret)
{
        *ret = (struct when_spec){ .width = -1 };
        for (;; p++) {
                if (*p == '_' || *p == '-' || *p == '0' || *p == '+')
                        ret->pad = *p;
                else if (*p != '^' && *p != '#')
                        break;
        }
        if (*p >= '1' && *p <= '9')
                for (ret->width = 0; *p >= '0' && *p <= '9'; p++)
                        if (ret->width <= WHEN_WIDTH_MAX)
                                ret->width = ret->width * 10 + (*p - '0');
        if (ret->width > WHEN_WIDTH_MAX)
                ret->width = WHEN_WIDTH_MAX;
        while (*p == ':' && ret->colons < 3) {
                ret->colons++;
                p++;
        }
        if (*p == 'E' || *p == 'O')
                p++;
        ret->letter = *p;
        return *p ? p + 1 : p;
}

/* %N: the digits of the nanoseconds without trailing zeros, filled up to the width. */
static char *when_nanoseconds(char *p, const struct when_spec *spec, uint32_t nsec)
{
        int width = spec->width > 0 ? spec->width : 9;
        int digits = 9;
        char pad = spec->pad ? spec->pad : '0';

        while (width < digits || (digits > 1 && nsec % 10 == 0)) {
                nsec /= 10;
                digits--;
        }
        p += sprintf(p, "%0*u", digits, nsec);
        if (pad != '-')
                for (; digits < width; digits++)
                        *p++ = pad == '_' ? ' ' : '0';
        return p;
}

/* A month's short name, filled up to the widest one of the locale so that columns align. */
static char *when_month_name(char *p, char *end, int month)
{
        const char *name = nl_langinfo_l(ABMON_1 + month, lsr_locale());
        size_t widest = 0, width = lsr_text_width(name, strlen(name)), len = strlen(name);

        for (int m = 0; m < 12; m++) {
                const char *other = nl_langinfo_l(ABMON_1 + m, lsr_locale());
                size_t n = lsr_text_width(other, strlen(other));

                widest = n > widest ? n : widest;
        }
        if (len + widest >= (size_t)(end - p))
                return p;
        memcpy(p, name, len);
        p += len;
        for (; width < widest; width++)
                *p++ = ' ';
        return p;
}

static size_t when_strftime(struct lsr_when *w, const char *format, struct tm *tm, int64_t sec, uint32_t nsec,
                            char *buf)
{
        char *p = buf, *end = buf + LSR_WHEN_MAX - 512;
        locale_t locale = lsr_locale_plain_time() ? (locale_t)0 : lsr_locale();

        tm->tm_isdst = w->span.dst;
        tm->tm_gmtoff = w->span.offset;
        tm->tm_zone = w->span.name;
        while (*format && p < end) {
                const char *begin = format;
                struct when_spec spec;
                char piece[64];
                size_t len;

                if (*format != '%') {
                        *p++ = *format++;
                        continue;
                }
                format = when_parse(format + 1, &spec);
                len = (size_t)(format - begin);
                if (spec.letter == 'N') {
                        p = when_nanoseconds(p, &spec, nsec);
                } else if (spec.letter == 'z' && spec.width < 0 && spec.pad == 0) {
                        p = when_offset(p, w->span.offset, spec.colons);
                } else if (spec.letter == 's' && spec.width < 0) {
                        p += sprintf(p, "%lld", (long long)sec);
                } else if (spec.letter == 'Y' && spec.width < 0 && spec.pad == 0) {
                        p = when_year(p, tm, 4);
                } else if (spec.letter == 'b' && len == 2 && locale) {
                        p = when_month_name(p, end, tm->tm_mon);
                } else if (spec.letter && len < sizeof(piece)) {
                        memcpy(piece, begin, len);
                        piece[len] = '\0';
                        p += locale ? strftime_l(p, (size_t)(buf + LSR_WHEN_MAX - p), piece, tm, locale) :
                                      strftime(p, (size_t)(buf + LSR_WHEN_MAX - p), piece, tm);
                } else {
                        memcpy(p, begin, len < 256 ? len : 256);
                        p += len < 256 ? len : 256;
                }
        }
        return (size_t)(p - buf);
}

size_t lsr_when_format(struct lsr_when *w, int64_t sec, uint32_t nsec, char buf[LSR_WHEN_MAX])
{
        struct tm tm;
        char *p = buf;
        bool recent;

        if (!when_local(w, sec, &tm))
                return 0;
        switch (w->kind) {
        case LSR_WHEN_LOCALE:
                recent = when_recent(w, sec, nsec);
                memcpy(p, when_months[tm.tm_mon], 3);
                p[3] = ' ';
                p = when_two(p + 4, tm.tm_mday, ' ');
                *p++ = ' ';
                if (recent)
                        return (size_t)(when_hour_minute(p, &tm) - buf);
                *p++ = ' ';
                return (size_t)(when_year(p, &tm, 4) - buf);
        case LSR_WHEN_FULL_ISO:
        case LSR_WHEN_LONG_ISO:
                p = when_year(p, &tm, 4);
                *p++ = '-';
                p = when_month_day(p, &tm);
                *p++ = ' ';
                p = when_hour_minute(p, &tm);
                if (w->kind == LSR_WHEN_LONG_ISO)
                        return (size_t)(p - buf);
                *p++ = ':';
                p = when_two(p, tm.tm_sec, '0');
                *p++ = '.';
                for (unsigned unit = 100000000; unit; unit /= 10)
                        *p++ = (char)('0' + nsec / unit % 10);
                *p++ = ' ';
                return (size_t)(when_offset(p, w->span.offset, 0) - buf);
        case LSR_WHEN_ISO:
                recent = when_recent(w, sec, nsec);
                if (!recent) {
                        p = when_year(p, &tm, 4);
                        *p++ = '-';
                }
                p = when_month_day(p, &tm);
                *p++ = ' ';
                return (size_t)((recent ? when_hour_minute(p, &tm) : p) - buf);
        case LSR_WHEN_FORMAT:
                return when_strftime(w, w->formats[when_recent(w, sec, nsec)], &tm, sec, nsec, buf);
        }
        return 0;
}

bool lsr_when_out_of_range(struct lsr_when *w, int64_t sec)
{
        struct tm tm;

        return !when_local(w, sec, &tm);
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
