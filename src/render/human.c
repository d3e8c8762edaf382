/*
 * human - sizes as ls prints them
 *
 * GNU ls computes most sizes exactly in integers and falls back to `long double`
 * when neither of the two block sizes divides the other (-s --block-size=MB) or a
 * product leaves 64 bits.  There its rounding shows: 46875 blocks of 512 bytes are
 * 24 MB, and GNU ls says 25.  To print the same byte for byte on every machine,
 * and under valgrind (which computes in 53 bits), the 64-bit mantissa that type
 * has on x86 is imitated here with integers; all else is exact in 128 bits.
 * Machines of 32 bits have no such integers: there sizes end at 2**64 - 1, and
 * `long double` is asked itself.
 *
 * Known difference: block sizes above 2**64/10 bytes, where an intermediate
 * product of GNU's wraps and turns 4 or 8 EiB into 0 blocks.
 *
 *      value * from / unit          when:  from % unit == 0 and it fits 64 bits,
 *      exact, rounded up                   or unit % from == 0
 *
 *      round64(value * round64(from / unit)), rounded up       else
 *
 * Rejected: long double (differs between machines), exact arithmetic throughout
 * (differs from GNU).
 */
#include "render/human.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <string.h>

#include "base/locale.h"

#define HUMAN_EXPONENT_MAX 8 /* yotta */
static const char human_letters[] = "\0KMGTPEZY";

#ifdef __SIZEOF_INT128__
typedef __uint128_t human_wide;
#define HUMAN_BEYOND_64(v) ((v) >> 64 != 0)
#else
typedef uint64_t human_wide;
#define HUMAN_BEYOND_64(v) ((void)(v), false)
#endif

/* A number taken apart, ready to print. */
struct human_number {
        human_wide whole;
        int tenths; /* -1: none */
        unsigned exponent;
};

/* --- parsing --- */

/* The exponent of a unit letter; 0 if it is none. */
static unsigned human_letter_exponent(char c)
{
        static const char letters[] = "KMGTPEZYkmgt";
        const char *found = c ? strchr(letters, c) : NULL;

        return found ? (unsigned)(found - letters) % HUMAN_EXPONENT_MAX + 1 : 0;
}

/* Multiply @base ** @exponent onto @v; on overflow saturate and return false. */
static bool human_raise(uint64_t *v, unsigned base, unsigned exponent)
{
        while (exponent--) {
                if (__builtin_mul_overflow(*v, (uint64_t)base, v)) {
                        *v = UINT64_MAX;
                        return false;
                }
        }
        return true;
}

/* An abbreviation of the word, as GNU accepts. */
static bool human_is_word(const char *spec, const char *word)
{
        return *spec && strncmp(spec, word, strlen(spec)) == 0;
}

/*
 * Apply the unit at @p to *v.  Sets *ret_end behind what was understood.
 * Returns 0, 2 or 3 as lsr_size_parse(); *v keeps what had been reached.
 */
static int human_apply_unit(const char *p, uint64_t *v, const char **ret_end)
{
        unsigned base = 1024, exponent = human_letter_exponent(*p);

        if (!exponent) {
                *ret_end = p;
                return *p ? 2 : 0;
        }
        p++;
        if (p[0] == 'i' && p[1] == 'B') {
                p += 2;
        } else if (p[0] == 'B' || p[0] == 'D') {
                base = 1000;
                p++;
        }
        *ret_end = p;
        bool fits = human_raise(v, base, exponent);
        return *p ? 2 : fits ? 0 : 3;
}

/*
 * On 2 and 3 *ret_style is written too, when a non-zero number had been read:
 * GNU ls complains about such a --block-size, but silently uses what it got out
 * of LS_BLOCK_SIZE=5x (5) or a number too large (2**64-1).
 */
int lsr_size_parse(const char *spec, struct lsr_size_style *ret_style)
{
        struct lsr_size_style style = { 0 };
        const char *p, *end;
        char *number_end;
        bool bare;
        int r;

        if (*spec == '\'') {
                style.flags |= LSR_HUMAN_GROUP;
                spec++;
        }
        if (human_is_word(spec, "human-readable") || human_is_word(spec, "si")) {
                style.flags |= LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX | (*spec == 's' ? LSR_HUMAN_1000 : 0);
                style.unit = 1;
                *ret_style = style;
                return 0;
        }

        for (p = spec; isspace((unsigned char)*p); p++)
                ;
        if (*p == '-')
                return 1;
        int saved_errno = errno;
        errno = 0;
        style.unit = strtoumax(spec, &number_end, 0); /* base 0: "0x10" and "010" are what they are in C */
        bool overflow = errno == ERANGE;
        errno = saved_errno;

        bare = number_end == spec;
        if (bare) {
                /* The letters that GNU ls accepts here; it rejects "epyz" later. */
                if (!*spec || !strchr("eEgGkKmMpPtTyYzZ", *spec))
                        return 1;
                style.unit = 1;
        }
        r = human_apply_unit(number_end, &style.unit, &end);
        if (!style.unit)
                return 1;
        if (r == 0 && overflow)
                r = 3;
        if (r) {
                style.flags = 0;
        } else if (bare) {
                style.flags |= LSR_HUMAN_SUFFIX;
                if (end[-1] == 'B')
                        style.flags |= LSR_HUMAN_B | (end[-2] == 'i' ? 0 : LSR_HUMAN_1000);
        }
        *ret_style = style;
        return r;
}

/* --- arithmetic --- */

static human_wide human_ceil_div(human_wide a, human_wide b)
{
        return a / b + (a % b != 0);
}

/* The largest if there is no room for it. */
static human_wide human_product(uint64_t value, uint64_t from)
{
        human_wide product;

        return __builtin_mul_overflow((human_wide)value, from, &product) ? ~(human_wide)0 : product;
}

/* value * (from / unit) as x87 arithmetic has it, each step rounded to 64 bits half to even, then upwards. */
#ifdef __SIZEOF_INT128__
static human_wide human_scale_extended(uint64_t value, uint64_t from, uint64_t unit)
{
        if (!value || !from)
                return 0;

        /* The quotient with its leading bit at 63; its value is q * 2**exponent. */
        uint64_t f = from << __builtin_clzll(from), u = unit << __builtin_clzll(unit);
        int shift = f < u ? 64 : 63;
        int exponent = __builtin_clzll(unit) - __builtin_clzll(from) - shift;
        human_wide numerator = (human_wide)f << shift, q = numerator / u, rest = numerator % u;
        if (2 * rest > u || (2 * rest == u && (q & 1)))
                q++;

        human_wide product = value * q;
        uint64_t high = (uint64_t)(product >> 64);
        if (high) {
                int drop = 64 - __builtin_clzll(high);
                human_wide half = (human_wide)1 << (drop - 1), lost = product & (2 * half - 1);
                product >>= drop;
                exponent += drop;
                if (lost > half || (lost == half && (product & 1)))
                        product++;
        }
        if (exponent >= 0)
                return product << exponent;
        if (exponent <= -128)
                return 1;
        return (product >> -exponent) + ((product & (((human_wide)1 << -exponent) - 1)) != 0);
}
#else
static_assert(LDBL_MANT_DIG == 64, "the type that GNU ls computes with on x86");

static human_wide human_scale_extended(uint64_t value, uint64_t from, uint64_t unit)
{
        long double scaled = value * ((long double)from / unit);
        human_wide whole;

        if (scaled >= 0x1p64L)
                return UINT64_MAX;
        whole = (human_wide)scaled;
        return whole + (whole < scaled);
}
#endif

static human_wide human_scale(uint64_t value, uint64_t from, uint64_t unit)
{
        uint64_t product;

        if (unit == from)
                return value;
        if (unit < from && from % unit == 0 && !__builtin_mul_overflow(value, from / unit, &product))
                return product;
        if (unit > from && from && unit % from == 0)
                return human_ceil_div(value, unit / from);
        return human_scale_extended(value, from, unit);
}

/* The unit a value prints in has one digit before the point, or up to three (four in powers of 1024) without one. */
static struct human_number human_auto(human_wide total, unsigned base)
{
        struct human_number n = { .tenths = -1 };
        human_wide power = 1;

        while (n.exponent < HUMAN_EXPONENT_MAX && total / base >= power) {
                power *= base;
                n.exponent++;
        }
        n.whole = total / power;
        human_wide rest = total % power;

        if (HUMAN_BEYOND_64(total)) {
                /*
                 * Here GNU computes in floating point, rounds up to a whole number and
                 * shows ".0" if that is short; else rounds up to a tenth and prints the
                 * nearest whole number, half to even.
                 */
                human_wide up = n.whole + (rest != 0);
                if (up < (base == 1000 ? 100 : 10)) {
                        n.whole = up;
                        n.tenths = 0;
                        return n;
                }
                unsigned tenths = (unsigned)human_ceil_div(10 * rest, power);
                if (tenths > 5 || (tenths == 5 && (n.whole & 1)))
                        n.whole++;
                return n;
        }
        if (!rest) {
                n.tenths = n.exponent && n.whole < 10 ? 0 : -1;
                return n;
        }
        if (n.whole < 10) {
                n.tenths = (int)human_ceil_div(10 * rest, power);
                if (n.tenths == 10) {
                        n.whole++;
                        n.tenths = n.whole < 10 ? 0 : -1;
                }
                return n;
        }
        n.whole++;
        if (n.whole == base && n.exponent < HUMAN_EXPONENT_MAX) {
                n.whole = 1;
                n.tenths = 0;
                n.exponent++;
        }
        return n;
}

/* The exponent whose letter stands for @unit. */
static unsigned human_unit_exponent(uint64_t unit, unsigned base)
{
        unsigned exponent = 0;

        for (; unit > 1 && exponent < HUMAN_EXPONENT_MAX; unit = unit / base + (unit % base != 0))
                exponent++;
        return exponent;
}

/* --- text --- */

/* Decimal digits so that they end at @end; returns where they start. */
static char *human_digits(char *end, human_wide v)
{
        while (HUMAN_BEYOND_64(v)) {
                *--end = (char)('0' + (int)(v % 10));
                v /= 10;
        }
        uint64_t small = (uint64_t)v;
        do {
                *--end = (char)('0' + small % 10);
                small /= 10;
        } while (small);
        return end;
}

/*
 * Write @digits grouped so that they end at @end, not before @limit.  The groups
 * are those of localeconv(3): a size per byte from the right, the last repeats,
 * CHAR_MAX takes all that is left.  Returns the start, NULL if it does not fit.
 */
static char *human_group(char *end, const char *limit, const char *digits, size_t len, const struct lconv *conv)
{
        const char *sizes = conv->grouping, *separator = conv->thousands_sep;
        size_t separator_len = strlen(separator), size = len;

        for (;;) {
                if (*sizes) {
                        size = *sizes == CHAR_MAX ? len : (size_t)(unsigned char)*sizes;
                        sizes++;
                }
                size_t take = size < len ? size : len;
                if ((size_t)(end - limit) < take + separator_len)
                        return NULL;
                len -= take;
                end -= take;
                memcpy(end, digits + len, take);
                if (!len)
                        return end;
                end -= separator_len;
                memcpy(end, separator, separator_len);
        }
}

/* Append the unit's letters; @end has room for four bytes. */
static char *human_put_suffix(char *end, unsigned flags, unsigned exponent)
{
        if (exponent)
                *end++ = (flags & LSR_HUMAN_1000) && exponent == 1 ? 'k' : human_letters[exponent];
        if (flags & LSR_HUMAN_B) {
                if (exponent && !(flags & LSR_HUMAN_1000))
                        *end++ = 'i';
                *end++ = 'B';
        }
        return end;
}

size_t lsr_size_format(const struct lsr_size_style *style, uint64_t value, uint64_t from, char buf[LSR_HUMAN_MAX])
{
        unsigned flags = style->flags, base = flags & LSR_HUMAN_1000 ? 1000 : 1024;
        const struct lconv *conv = NULL;
        struct human_number n = { .tenths = -1 };
        char digits[40], grouped[64];

        assert(style->unit);
        if (flags & LSR_HUMAN_AUTO) {
                assert(style->unit == 1);
                n = human_auto(human_product(value, from), base);
        } else {
                n.whole = human_scale(value, from, style->unit);
                if (flags & LSR_HUMAN_SUFFIX)
                        n.exponent = human_unit_exponent(style->unit, base);
        }
        if ((n.tenths >= 0 || (flags & LSR_HUMAN_GROUP)) && !lsr_locale_plain_numeric()) {
                (void)lsr_locale(); /* makes it the thread's own, which localeconv() follows */
                conv = localeconv();
        }

        char *start = human_digits(digits + sizeof(digits), n.whole);
        size_t len = (size_t)(digits + sizeof(digits) - start);
        if (conv && (flags & LSR_HUMAN_GROUP)) {
                char *g = human_group(grouped + sizeof(grouped), grouped, start, len, conv);
                if (g) {
                        start = g;
                        len = (size_t)(grouped + sizeof(grouped) - g);
                }
        }
        memcpy(buf, start, len);
        char *end = buf + len;
        if (n.tenths >= 0) {
                const char *point = conv ? conv->decimal_point : ".";
                size_t point_len = strlen(point);
                if (!point_len || point_len > MB_LEN_MAX) {
                        point = ".";
                        point_len = 1;
                }
                memcpy(end, point, point_len);
                end += point_len;
                *end++ = (char)('0' + n.tenths);
        }
        if (flags & LSR_HUMAN_SUFFIX)
                end = human_put_suffix(end, flags, n.exponent);
        *end = '\0';
        return (size_t)(end - buf);
}
