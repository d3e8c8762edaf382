/*
 * zone - TZif, version 2 and later
 *
 *      header(44)  data with 32-bit times   skipped
 *      header(44)  data with 64-bit times   times indices types names leaps ...
 *      "\n" TZ rule "\n"                    for times beyond the last transition
 */
#include "render/zone.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ZONE_HEADER 44

struct zone_counts {
        size_t isut, isstd, leap, time, type, chars;
};

static uint32_t zone_be32(const unsigned char *p)
{
        return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t zone_be64(const unsigned char *p)
{
        return (int64_t)((uint64_t)zone_be32(p) << 32 | zone_be32(p + 4));
}

const char *lsr_zone_path(char *buf, size_t size)
{
        const char *tz = getenv("TZ");
        const char *dir = getenv("TZDIR");
        size_t len;

        if (!tz)
                tz = "/etc/localtime";
        else if (*tz == ':')
                tz++;
        if (!*tz)
                return NULL;
        if (!dir || !*dir)
                dir = "/usr/share/zoneinfo";
        len = *tz == '/' ? 0 : strlen(dir) + 1;
        if (len + strlen(tz) + 1 > size)
                return NULL;
        if (len) {
                memcpy(buf, dir, len - 1);
                buf[len - 1] = '/';
        }
        strcpy(buf + len, tz);
        return buf;
}

static bool zone_header(const unsigned char *p, const unsigned char *end, struct zone_counts *ret_counts)
{
        if (end - p < ZONE_HEADER || memcmp(p, "TZif", 4) != 0 || p[4] < '2')
                return false;
        *ret_counts = (struct zone_counts){ zone_be32(p + 20), zone_be32(p + 24), zone_be32(p + 28),
                                            zone_be32(p + 32), zone_be32(p + 36), zone_be32(p + 40) };
        return true;
}

/* Bytes of a data block whose times have @width bytes; counts are 32 bits wide, so nothing overflows. */
static size_t zone_block(const struct zone_counts *c, size_t width)
{
        return c->time * (width + 1) + c->type * 6 + c->chars + c->leap * (width + 4) + c->isstd + c->isut;
}

static bool zone_valid(const struct lsr_zone *z)
{
        for (unsigned i = 0; i < z->n_times; i++)
                if (z->indices[i] >= z->n_types || (i && zone_be64(z->times + 8 * i) < zone_be64(z->times + 8 * i - 8)))
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

static bool zone_ask_libc(int64_t t, struct lsr_zone_span *ret_span)
{
        static bool set;
        time_t at = (time_t)t;
        struct tm tm, utc;

        if (!set)
                tzset();
        set = true;
        if (!localtime_r(&at, &tm))
                return false;
        utc = tm; /* timegm() writes into its argument: GMT, no DST */
        /* Not tm_gmtoff: with leap seconds, what counts is the difference that shows. */
        *ret_span = (struct lsr_zone_span){ t, t + 1, (int32_t)(timegm(&utc) - t), tm.tm_isdst > 0, tm.tm_zone };
        return true;
}

bool lsr_zone_find(const struct lsr_zone *z, int64_t t, struct lsr_zone_span *ret_span)
{
        unsigned low = 0, high = z->n_times;
        const unsigned char *type;

        if (!z->times)
                return zone_ask_libc(t, ret_span);
        while (low < high) {
                unsigned mid = low + (high - low) / 2;

                if (zone_be64(z->times + 8 * mid) <= t)
                        low = mid + 1;
                else
                        high = mid;
        }
        if (z->n_times > 0 && (low == 0 || (low == z->n_times && !z->constant_tail)))
                return zone_ask_libc(t, ret_span);
        if (z->n_times == 0 && !z->constant_tail)
                return zone_ask_libc(t, ret_span);
        type = z->types + 6 * (z->n_times ? z->indices[low - 1] : 0);
        *ret_span = (struct lsr_zone_span){
                .begin = z->n_times ? zone_be64(z->times + 8 * (low - 1)) : INT64_MIN,
                .end = low < z->n_times ? zone_be64(z->times + 8 * low) : INT64_MAX,
                .offset = (int32_t)zone_be32(type),
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
