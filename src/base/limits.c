/*
 * limits - the table, and values that users say
 */
#include "base/limits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grouped.h"

const struct lsr_limit_kind lsr_limit_kinds[LSR_LIMITS] = {
#define LIMIT_KIND(id, name, unit, value, least, most, what) \
        [LSR_LIMIT_##id] = { name,                           \
                             LSR_UNIT_##unit,                \
                             (uint64_t)(value),              \
                             (uint64_t)(least),              \
                             (uint64_t)(most),               \
                             what,                           \
                             " (--limit=" name "=... raises it)" },
        LSR_LIMIT_TABLE(LIMIT_KIND)
#undef LIMIT_KIND
};

uint64_t lsr_limits[LSR_LIMITS] = {
#define LIMIT_VALUE(id, name, unit, value, least, most, what) [LSR_LIMIT_##id] = (uint64_t)(value),
        LSR_LIMIT_TABLE(LIMIT_VALUE)
#undef LIMIT_VALUE
};

uint64_t lsr_limit_in_proportion(enum lsr_limit limit, enum lsr_limit per_byte, uint64_t size)
{
        uint64_t n;

        if (__builtin_mul_overflow(size, lsr_limit(per_byte), &n) || __builtin_add_overflow(n, lsr_limit(limit), &n))
                return UINT64_MAX;
        return n;
}

const char *lsr_limit_raised(enum lsr_limit limit)
{
        return lsr_limit(limit) < lsr_limit_kinds[limit].most ? lsr_limit_kinds[limit].raised : "";
}

const char *lsr_limit_text(enum lsr_limit limit, char text[static 32])
{
        static const char *const units[] = { " bytes", " KiB", " MiB", " GiB", " TiB", " PiB" };
        enum lsr_unit unit = lsr_limit_kinds[limit].unit;
        uint64_t n = lsr_limit(limit);
        unsigned i = 0;

        while (unit == LSR_UNIT_BYTES && n >= 1024 && n % 1024 == 0 && i + 1 < sizeof(units) / sizeof(*units)) {
                n /= 1024;
                i++;
        }
        snprintf(text, 32, "%s%s", lsr_grouped(n),
                 unit == LSR_UNIT_COUNT     ? ""
                 : unit == LSR_UNIT_SECONDS ? " s"
                                            : units[i]);
        return text;
}

/* What one of the letters behind a number of @unit stands for; 0: none. */
static uint64_t limit_factor(enum lsr_unit unit, const char *letters)
{
        static const char sizes[] = "KMGT";
        const char *size = unit == LSR_UNIT_BYTES && *letters ? strchr(sizes, *letters & ~0x20) : NULL;

        if (*letters == '\0' || (unit == LSR_UNIT_SECONDS && strcmp(letters, "s") == 0))
                return 1;
        return size && (letters[1] == '\0' || strcmp(letters + 1, "iB") == 0) ? UINT64_C(1) << (10 * (size - sizes + 1))
                                                                              : 0;
}

static int limit_parse(enum lsr_unit unit, const char *text, uint64_t *ret_value)
{
        unsigned long long n;
        uint64_t factor;
        char *end;

        if (*text < '0' || *text > '9')
                return -EINVAL;
        errno = 0;
        n = strtoull(text, &end, 10);
        factor = limit_factor(unit, end);
        if (factor == 0)
                return -EINVAL;
        return errno || __builtin_mul_overflow(n, factor, ret_value) ? -ERANGE : 0;
}

int lsr_limit_set(const char *text, enum lsr_limit *ret_limit)
{
        size_t len = strcspn(text, "=");
        unsigned i = 0;
        uint64_t value;
        int r;

        while (i < LSR_LIMITS &&
               (strncmp(lsr_limit_kinds[i].name, text, len) != 0 || lsr_limit_kinds[i].name[len] != '\0'))
                i++;
        if (i == LSR_LIMITS)
                return -ENOENT;
        *ret_limit = (enum lsr_limit)i;
        r = text[len] ? limit_parse(lsr_limit_kinds[i].unit, text + len + 1, &value) : -EINVAL;
        if (r == 0 && (value < lsr_limit_kinds[i].least || value > lsr_limit_kinds[i].most))
                r = -ERANGE;
        if (r == 0)
                lsr_limits[i] = value;
        return r;
}
