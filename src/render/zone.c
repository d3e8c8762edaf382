/*
 * zone - TZif, version 2 and later
 *
 *      header(44)  data with 32-bit times   skipped
 *      header(44)  data with 64-bit times   times indices types names leaps ...
 *      "\n" TZ rule "\n"                    for times beyond the last transition
 */
#include "render/zone.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/path.h"

#define ZONE_HEADER 44

struct zone_counts {
        size_t isut, isstd, leap, time, type, chars;
};

const char *lsr_zone_path(char *buf, size_t size)
{
        const char *tz = getenv("TZ");
        const char *dir = getenv("TZDIR");
        size_t dir_len, len;

        if (!tz)
                tz = "/etc/localtime";
        else if (*tz == ':')
                tz++;
        if (!*tz)
                return NULL;
        if (!dir || !*dir)
                dir = "/usr/share/zoneinfo";
        dir_len = *tz == '/' ? 0 : strlen(dir);
        len = strlen(tz);
        if (dir_len + 1 + len + 1 > size)
                return NULL;
        lsr_path_put(buf, dir, dir_len, tz, len);
        return buf;
}

static bool zone_header(const unsigned char *p, const unsigned char *end, struct zone_counts *ret_counts)
{
        if (end - p < ZONE_HEADER || memcmp(p, "TZif", 4) != 0 || p[4] < '2')
                return false;
        *ret_counts = (struct zone_counts){ lsr_be32(p + 20), lsr_be32(p + 24), lsr_be32(p + 28),
                                            lsr_be32(p + 32), lsr_be32(p + 36), lsr_be32(p + 40) };
        return true;
}

/* Bytes of a data block whose times have @width bytes; counts are 32 bits wide, so nothing overflows. */
static size_t zone_block(const struct zone_counts *c, size_t width)
{
        return c->time * (width + 1) + c->type * 6 + c->chars + c->leap * (width + 4) + c->isstd + c->isut;
}

static int64_t zone_time(const struct lsr_zone *z, unsigned i)
{
        return (int64_t)lsr_be64(z->times + 8 * i);
}

static bool zone_valid(const struct lsr_zone *z)
{
        for (unsigned i = 0; i < z->n_times; i++)
                if (z->indices[i] >= z->n_types || (i && zone_time(z, i) < zone_time(z, i - 1)))
                        return false;
        for (unsigned i = 0; i < z->n_types; i++)
                if (z->types[6 * i + 5] >= z->names_len)
                        return false;
        return z->n_types > 0 && z->names_len > 0 && z->names[z->names_len - 1] == '\0';
}

void lsr_zone_load(struct lsr_zone *ret_zone, const char *data, size_t len)
{
        const unsigned char *p = (const unsigned char *)data, *end = p + len;
        struct zone_counts c;
        struct lsr_zone z;

        *ret_zone = (struct lsr_zone){};
        if (!data || !zone_header(p, end, &c) || zone_block(&c, 4) > (size_t)(end - p) - ZONE_HEADER)
                return;
        p += ZONE_HEADER + zone_block(&c, 4);
        if (!zone_header(p, end, &c) || zone_block(&c, 8) > (size_t)(end - p) - ZONE_HEADER || c.leap)
                return;
        p += ZONE_HEADER;
        z = (struct lsr_zone){ .times = p,
                               .indices = p + 8 * c.time,
                               .types = p + 9 * c.time,
                               .names = (const char *)p + 9 * c.time + 6 * c.type,
                               .n_times = (unsigned)c.time,
                               .n_types = (unsigned)c.type,
                               .names_len = (unsigned)c.chars };
        p += zone_block(&c, 8);
        /* A rule with a comma changes the offset twice a year. */
        z.constant_tail = end - p > 2 && p[0] == '\n' && !memchr(p, ',', (size_t)(end - p));
        if (zone_valid(&z))
                *ret_zone = z;
}

/* Days since 1970 of a date of the proleptic Gregorian calendar; the year begins in March, as below. */
static int64_t zone_days(const struct tm *tm)
{
        int month = (tm->tm_mon + 10) % 12;
        int64_t year = (int64_t)tm->tm_year + 1900 - (tm->tm_mon < 2);
        int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;

        return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + tm->tm_mday - 1 -
               719468;
}

/* libc reuses the memory of its names: keep our own copy of each. */
static const char *zone_keep_name(const char *name)
{
        static struct zone_name {
                struct zone_name *next;
                char text[];
        } * names;
        struct zone_name *n;

        for (n = names; n; n = n->next)
                if (strcmp(n->text, name) == 0)
                        return n->text;
        n = lsr_xmalloc(sizeof(*n) + strlen(name) + 1);
        strcpy(n->text, name);
        n->next = names;
        names = n;
        return n->text;
}

void lsr_zone_guard_libc(void)
{
        char buf[PATH_MAX];
        const char *path = lsr_zone_path(buf, sizeof(buf));
        struct stat st;

        if (path && stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
                setenv("TZ", "/", 1);
}

static bool zone_ask(int64_t t, struct lsr_zone_span *ret_span)
{
        static bool set;
        time_t at = (time_t)t;
        bool leap;
        int64_t local;
        struct tm tm;

        if (!set) {
                lsr_zone_guard_libc();
                tzset();
        }
        set = true;
        if (!localtime_r(&at, &tm))
                return false;
        leap = tm.tm_sec > 59;
        /* Not tm_gmtoff: with leap seconds, what counts is the difference that shows.  timegm(3) would hide it. */
        local = zone_days(&tm) * 86400 + tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec - leap;
        *ret_span = (struct lsr_zone_span){
                .begin = t,
                .end = t + 1,
                .offset = (int32_t)(local - t),
                .utc_offset = (int32_t)tm.tm_gmtoff,
                .dst = tm.tm_isdst > 0,
                .leap_second = leap,
                .name = zone_keep_name(tm.tm_zone ? tm.tm_zone : ""),
        };
        return true;
}

/* Threads ask, too, and libc has one lock for all of them itself. */
static bool zone_ask_libc(int64_t t, struct lsr_zone_span *ret_span)
{
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        bool known;

        pthread_mutex_lock(&lock);
        known = zone_ask(t, ret_span);
        pthread_mutex_unlock(&lock);
        return known;
}

bool lsr_zone_find(const struct lsr_zone *z, int64_t t, struct lsr_zone_span *ret_span)
{
        unsigned low = 0, high = z->n_times;
        const unsigned char *type;

        if (!z->times)
                return zone_ask_libc(t, ret_span);
        while (low < high) {
                unsigned mid = low + (high - low) / 2;

                if (zone_time(z, mid) <= t)
                        low = mid + 1;
                else
                        high = mid;
        }
        /* Before the first transition, or behind the last one where a rule goes on. */
        if ((z->n_times > 0 && low == 0) || (low == z->n_times && !z->constant_tail))
                return zone_ask_libc(t, ret_span);
        type = z->types + 6 * (z->n_times ? z->indices[low - 1] : 0);
        *ret_span = (struct lsr_zone_span){
                .begin = z->n_times ? zone_time(z, low - 1) : INT64_MIN,
                .end = low < z->n_times ? zone_time(z, low) : INT64_MAX,
                .offset = (int32_t)lsr_be32(type),
                .utc_offset = (int32_t)lsr_be32(type),
                .dst = type[4],
                .name = z->names + type[5],
        };
        return true;
}

/*
 * Days to date with the year starting in March, so that the leap day comes
 * last: eras of 400 years have 146,097 days (proleptic Gregorian calendar).
 */
bool lsr_zone_break_down(int64_t t, struct tm *ret_tm)
{
        int64_t days = t / 86400, rest = t % 86400;
        int64_t era, day_of_era, year_of_era, day_of_year, month, year;

        if (rest < 0) {
                rest += 86400;
                days--;
        }
        ret_tm->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
        days += 719468; /* from 0000-03-01 to 1970-01-01 */
        era = (days >= 0 ? days : days - 146096) / 146097;
        day_of_era = days - era * 146097;
        year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
        day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        month = (5 * day_of_year + 2) / 153;
        year = year_of_era + era * 400 + (month >= 10);
        if (year - 1900 > INT_MAX || year - 1900 < INT_MIN)
                return false;
        ret_tm->tm_mday = (int)(day_of_year - (153 * month + 2) / 5 + 1);
        ret_tm->tm_mon = (int)(month < 10 ? month + 2 : month - 10);
        ret_tm->tm_year = (int)(year - 1900);
        ret_tm->tm_hour = (int)(rest / 3600);
        ret_tm->tm_min = (int)(rest / 60 % 60);
        ret_tm->tm_sec = (int)(rest % 60);
        {
                static const short before[12] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
                bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

                ret_tm->tm_yday = before[ret_tm->tm_mon] + ret_tm->tm_mday - 1 + (leap && ret_tm->tm_mon > 1);
        }
        return true;
}

int64_t lsr_zone_from_civil(const struct lsr_zone *zone, int64_t civil)
{
        struct lsr_zone_span before, span;

        /* No zone is more than a day off: the offset of the day before applies, unless it changed since. */
        if (!lsr_zone_find(zone, civil - 86400, &before))
                return civil;
        if (!lsr_zone_find(zone, civil - before.utc_offset, &span) || span.utc_offset == before.utc_offset)
                return civil - before.utc_offset;
        /* It changed: the new offset applies if the time is still after the change with it. */
        return civil - span.utc_offset >= span.begin ? civil - span.utc_offset : civil - before.utc_offset;
}
