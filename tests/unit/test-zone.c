/* Local time from TZif data, against localtime_r(3); and data that is no zone. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "render/zone.h"

#define ZONE_MAX 65536

static const char *const zone_names[] = {
        "UTC",
        "Etc/GMT+12",
        "Etc/GMT-14",
        "Europe/Berlin",
        "Europe/London",
        "Europe/Dublin",
        "Europe/Moscow",
        "Europe/Lisbon",
        "America/New_York",
        "America/Los_Angeles",
        "America/Sao_Paulo",
        "America/St_Johns",
        "America/Caracas",
        "America/Godthab",
        "America/Havana",
        "Asia/Kolkata",
        "Asia/Kathmandu",
        "Asia/Tokyo",
        "Asia/Shanghai",
        "Asia/Tehran",
        "Asia/Gaza",
        "Asia/Pyongyang",
        "Africa/Casablanca",
        "Africa/Cairo",
        "Africa/Monrovia",
        "Africa/El_Aaiun",
        "Australia/Lord_Howe",
        "Australia/Sydney",
        "Australia/Eucla",
        "Pacific/Apia",
        "Pacific/Auckland",
        "Pacific/Chatham",
        "Pacific/Kiritimati",
        "Pacific/Kwajalein",
        "Antarctica/Troll",
        "Atlantic/Azores",
        "Indian/Mahe",
};

/* Length, or 0 if this system lacks the zone. */
static size_t zone_read(const char *name, char *buf)
{
        char path[PATH_MAX];
        size_t n = 0;
        FILE *f;

        snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", name);
        f = fopen(path, "re");
        if (f) {
                n = fread(buf, 1, ZONE_MAX, f);
                fclose(f);
        }
        return n;
}

static unsigned zone_random(void)
{
        static uint64_t state = 88172645463325252u;

        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return (unsigned)(state >> 16);
}

static void zone_check(const struct lsr_zone *z, const char *name, int64_t t)
{
        struct lsr_zone_span span;
        struct tm want, got;
        time_t at = (time_t)t;

        cr_assert(localtime_r(&at, &want));
        cr_assert(lsr_zone_find(z, t, &span), "%s %lld", name, (long long)t);
        cr_assert(span.begin <= t && t < span.end, "%s %lld: not in its span", name, (long long)t);
        cr_assert(lsr_zone_break_down(t + span.offset, &got));
        cr_assert(got.tm_year == want.tm_year && got.tm_mon == want.tm_mon && got.tm_mday == want.tm_mday &&
                          got.tm_hour == want.tm_hour && got.tm_min == want.tm_min && got.tm_sec == want.tm_sec &&
                          got.tm_wday == want.tm_wday && got.tm_yday == want.tm_yday,
                  "%s %lld: %04d-%02d-%02d %02d:%02d:%02d, not %04d-%02d-%02d %02d:%02d:%02d", name, (long long)t,
                  got.tm_year + 1900, got.tm_mon + 1, got.tm_mday, got.tm_hour, got.tm_min, got.tm_sec,
                  want.tm_year + 1900, want.tm_mon + 1, want.tm_mday, want.tm_hour, want.tm_min, want.tm_sec);
        cr_assert_eq(span.offset, want.tm_gmtoff, "%s %lld: offset %d", name, (long long)t, span.offset);
        cr_assert_eq(span.dst, want.tm_isdst > 0, "%s %lld: dst", name, (long long)t);
        cr_assert_str_eq(span.name, want.tm_zone, "%s %lld: %s, not %s", name, (long long)t, span.name, want.tm_zone);
}

/* -2208988800 is 1900, 4102444800 is 2100. */
static void zone_check_all(const struct lsr_zone *z, const char *name)
{
        for (unsigned i = 0; i < 2000; i++)
                zone_check(z, name, -2208988800 + (int64_t)zone_random() % 6311433600);
        for (unsigned i = 0; i < z->n_times; i++) {
                int64_t t = 0;

                for (unsigned b = 0; b < 8; b++)
                        t = (int64_t)((uint64_t)t << 8 | z->times[8 * i + b]);
                if (t < -2208988800 || t > 4102444800)
                        continue;
                for (int64_t d = -1; d <= 1; d++)
                        zone_check(z, name, t + d);
        }
}

Test(zone, as_libc_has_it)
{
        static char data[ZONE_MAX];
        unsigned seen = 0, used = 0;

        for (size_t i = 0; i < sizeof(zone_names) / sizeof(*zone_names); i++) {
                size_t len = zone_read(zone_names[i], data);
                struct lsr_zone z;

                if (!len)
                        continue;
                setenv("TZ", zone_names[i], 1);
                tzset();
                seen++;
                lsr_zone_load(&z, data, len);
                used += z.times != NULL;
                zone_check_all(&z, zone_names[i]);
        }
        if (seen < 10)
                cr_skip_test("no zones here");
        cr_assert_eq(used, seen, "of %u zones %u were used", seen, used);
}

/* No data, or odd data: libc answers. */
Test(zone, without_data)
{
        struct lsr_zone z;

        setenv("TZ", "XXX-3:30YYY,M3.2.0,M11.1.0", 1);
        tzset();
        lsr_zone_load(&z, NULL, 0);
        cr_assert_null(z.times);
        for (unsigned i = 0; i < 500; i++)
                zone_check(&z, "rule", -2208988800 + (int64_t)zone_random() % 6311433600);
        lsr_zone_load(&z, "TZif", 4);
        cr_assert_null(z.times);
        lsr_zone_load(&z, "", 0);
        cr_assert_null(z.times);
}

/* Whatever the data says: an answer that names readable memory, and a span around the time. */
static void zone_poke(const char *data, size_t len)
{
        static const int64_t times[] = { 0, -1, 1700000000, -2208988800, 4102444800, INT64_MIN / 4, INT64_MAX / 4 };
        /* Of its very length, so that the sanitizer sees what is read behind it. */
        char *copy = malloc(len ? len : 1);
        struct lsr_zone z;

        memcpy(copy, data, len);
        lsr_zone_load(&z, copy, len);
        for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
                struct lsr_zone_span span;

                if (!lsr_zone_find(&z, times[i], &span))
                        continue;
                cr_assert(span.begin <= times[i] && times[i] < span.end);
                if (span.name)
                        cr_assert_leq(strlen(span.name), len + 64);
        }
        free(copy);
}

Test(zone, hostile_data)
{
        static const char *const names[] = { "Europe/Berlin", "UTC", "Asia/Kolkata" };
        static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
        static char data[ZONE_MAX];

        setenv("TZ", "UTC", 1);
        for (size_t i = 0; i < 3; i++) {
                size_t len = zone_read(names[i], data);

                for (size_t cut = 0; cut < len; cut++)
                        zone_poke(data, cut);
                for (size_t at = 0; at < len; at++) {
                        char old = data[at];

                        for (size_t v = 0; v < sizeof(values); v++) {
                                data[at] = (char)values[v];
                                zone_poke(data, len);
                        }
                        data[at] = old;
                }
        }
}

Test(zone, paths)
{
        char buf[64];

        unsetenv("TZDIR");
        unsetenv("TZ");
        cr_assert_str_eq(lsr_zone_path(buf, sizeof(buf)), "/etc/localtime");
        setenv("TZ", "Europe/Berlin", 1);
        cr_assert_str_eq(lsr_zone_path(buf, sizeof(buf)), "/usr/share/zoneinfo/Europe/Berlin");
        setenv("TZ", ":Asia/Tokyo", 1);
        cr_assert_str_eq(lsr_zone_path(buf, sizeof(buf)), "/usr/share/zoneinfo/Asia/Tokyo");
        setenv("TZ", "/some/file", 1);
        cr_assert_str_eq(lsr_zone_path(buf, sizeof(buf)), "/some/file");
        setenv("TZDIR", "/z", 1);
        setenv("TZ", "A", 1);
        cr_assert_str_eq(lsr_zone_path(buf, sizeof(buf)), "/z/A");
        cr_assert_str_eq(lsr_zone_path(buf, 5), "/z/A");
        cr_assert_null(lsr_zone_path(buf, 4));
        setenv("TZ", "", 1);
        cr_assert_null(lsr_zone_path(buf, sizeof(buf)));
        setenv("TZ", ":", 1);
        cr_assert_null(lsr_zone_path(buf, sizeof(buf)));
}

Test(zone, calendar)
{
        struct tm got, want;

        for (unsigned i = 0; i < 200000; i++) {
                int64_t t = (int64_t)((uint64_t)zone_random() << 32 | zone_random()) >> (8 + zone_random() % 40);
                time_t at = (time_t)t;

                if (!gmtime_r(&at, &want)) {
                        cr_assert_not(lsr_zone_break_down(t, &got), "%lld", (long long)t);
                        continue;
                }
                cr_assert(lsr_zone_break_down(t, &got), "%lld", (long long)t);
                cr_assert(got.tm_year == want.tm_year && got.tm_yday == want.tm_yday && got.tm_mon == want.tm_mon &&
                                  got.tm_mday == want.tm_mday && got.tm_wday == want.tm_wday &&
                                  got.tm_hour == want.tm_hour && got.tm_min == want.tm_min && got.tm_sec == want.tm_sec,
                          "%lld", (long long)t);
        }
        cr_assert_not(lsr_zone_break_down(INT64_MAX, &got));
        cr_assert_not(lsr_zone_break_down(INT64_MIN, &got));
}
