/*
 * date - a small interpreter
 *
 * The first version called strftime(3) for everything.  It has no sign for
 * large years, pads %Y by its own rules, reads the zone's files again on each
 * call, and takes 300 ns for a division; so numbers are formatted here,
 * composed conversions (%D, %F, %R, %T) run the interpreter again, and libc
 * formats the words only.
 */
#include "render/date.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DATE_WORD_MAX 1024 /* bytes of one word or phrase of libc's */

struct date_out {
        const struct lsr_date *date;
        char *p;
        char *end;
        bool full;
};

/* How one conversion wants its text. */
struct date_spec {
        char pad;      /* '_', '0', '-', '+'; 0: as usual for the letter */
        char modifier; /* 'E', 'O', or 0 */
        bool upper;
        bool lower;
        bool swap; /* '#' */
        int width; /* -1: as usual for the letter */
        int colons;
};

/* A number and its padding. */
struct date_number {
        uint64_t value;
        int digits; /* width if the conversion gives none */
        bool negative;
        bool plus;      /* a sign in any case */
        unsigned colon; /* bit n: a colon left of the n-th digit from the right */
};

enum {
        DATE_SPACES = 1 << 0, /* blanks rather than zeros */
        DATE_YEAR = 1 << 1,   /* pads as the year of a composed conversion does; '+' may show a sign */
};

static void date_fill(struct date_out *o, char c, size_t n)
{
        if ((size_t)(o->end - o->p) < n) {
                o->full = true;
                return;
        }
        memset(o->p, c, n);
        o->p += n;
}

static void date_pad(struct date_out *o, const struct date_spec *s, size_t len)
{
        if (s->pad != '-' && s->width > 0 && (size_t)s->width > len)
                date_fill(o, s->pad == '0' || s->pad == '+' ? '0' : ' ', (size_t)s->width - len);
}

static char date_case(const struct date_spec *s, char c)
{
        if (s->lower)
                return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
        return s->upper && c >= 'a' && c <= 'z' ? (char)(c - ('a' - 'A')) : c;
}

static void date_text(struct date_out *o, const struct date_spec *s, const char *text, size_t len)
{
        date_pad(o, s, len);
        if ((size_t)(o->end - o->p) < len) {
                o->full = true;
                return;
        }
        for (size_t i = 0; i < len; i++)
                *o->p++ = date_case(s, text[i]);
}

/* The text of libc for a letter.  The leading blank distinguishes an empty text from one that does not fit. */
static void date_word(struct date_out *o, const struct date_spec *s, char letter)
{
        char format[5] = " %", word[DATE_WORD_MAX];
        size_t len;

        format[2] = s->modifier ? s->modifier : letter;
        format[3] = s->modifier ? letter : '\0';
        len = o->date->locale ? strftime_l(word, sizeof(word), format, &o->date->tm, o->date->locale)
                              : strftime(word, sizeof(word), format, &o->date->tm);
        if (len > 0)
                date_text(o, s, word + 1, len - 1);
}

/* Sign, padding and digits of a number; "before" the sign if padded with blanks, else behind it. */
static void date_put_number(struct date_out *o, struct date_spec *s, const struct date_number *n)
{
        char digits[32];
        char *p = digits + sizeof(digits);
        uint64_t value = n->value;
        unsigned colon = n->colon;
        bool sign = n->negative || n->plus;
        size_t len;

        do {
                if (colon & 1)
                        *--p = ':';
                colon >>= 1;
                *--p = (char)('0' + value % 10);
                value /= 10;
        } while (value || colon);
        len = (size_t)(digits + sizeof(digits) - p);
        if (!s->pad)
                s->pad = '0';
        if (s->width < 0)
                s->width = n->digits;
        if (sign && s->pad == '_') {
                date_pad(o, s, len + 1);
                s->width = 0;
        }
        if (sign) {
                date_fill(o, n->negative ? '-' : '+', 1);
                s->width--;
        }
        date_text(o, s, p, len);
}

/* Returns false if the modifier does not go with this number.  E is ignored where there never is another form. */
static bool date_number(struct date_out *o, struct date_spec *s, char letter, char year_pad, int flags,
                        struct date_number n)
{
        if (s->modifier == 'E' && !strchr("quz", letter))
                return false;
        if (flags & DATE_YEAR) {
                if (!s->pad)
                        s->pad = year_pad;
                n.plus = s->pad == '+' && (n.value > (n.digits == 2 ? 99 : 9999) || s->width > n.digits);
        }
        if ((flags & DATE_SPACES) && !s->pad)
                s->pad = '_';
        if (s->modifier == 'O' && !n.negative)
                date_word(o, s, letter);
        else
                date_put_number(o, s, &n);
        return true;
}

/* A year, or the part of it that remains of dividing by @modulo. */
static bool date_year(struct date_out *o, struct date_spec *s, char letter, char year_pad, int64_t year, int part)
{
        uint64_t v = year < 0 ? 0 - (uint64_t)year : (uint64_t)year;
        struct date_number n = { .value = v, .digits = part ? 2 : 4, .negative = year < 0 };

        if (part == 1) {
                n.value = v / 100;
        } else if (part == 2) {
                n.value = v % 100;
                n.negative = false;
        }
        if (s->modifier == 'E' && letter != 'G' && letter != 'g') {
                if (!s->pad)
                        s->pad = year_pad;
                date_word(o, s, letter);
                return true;
        }
        return date_number(o, s, letter, year_pad, DATE_YEAR, n);
}

static int date_days_in(int64_t year)
{
        return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 366 : 365;
}

/* ISO 8601: the week that has the year's first Thursday is its first. */
static int date_iso_week(const struct tm *tm, int64_t *ret_year)
{
        int64_t year = (int64_t)tm->tm_year + 1900;
        int thursday = tm->tm_yday + 3 - (tm->tm_wday + 6) % 7; /* day of the year of this week's */

        if (thursday < 0) {
                year--;
                thursday += date_days_in(year);
        } else if (thursday >= date_days_in(year)) {
                thursday -= date_days_in(year);
                year++;
        }
        *ret_year = year;
        return thursday / 7 + 1;
}

static bool date_offset(struct date_out *o, struct date_spec *s)
{
        int32_t offset = o->date->offset;
        uint64_t v = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;
        uint64_t hours = v / 3600, minutes = v / 60 % 60, seconds = v % 60;
        /* RFC 3339: "-00:00" is a time whose zone is not known, as zones named "-00" are. */
        struct date_number n = { .plus = true, .negative = offset < 0 || (!offset && o->date->zone[0] == '-') };
        int colons = s->colons;

        if (colons > 3)
                return false;
        if (colons == 3 && (minutes || seconds))
                colons = seconds ? 2 : 1;
        if (colons == 3) {
                n.value = hours;
                n.digits = 3;
        } else if (colons == 2) {
                n.value = hours * 10000 + minutes * 100 + seconds;
                n.digits = 9;
                n.colon = 1 << 2 | 1 << 4;
        } else {
                n.value = hours * 100 + minutes;
                n.digits = colons ? 6 : 5;
                n.colon = colons ? 1 << 2 : 0;
        }
        return date_number(o, s, 'z', 0, 0, n);
}

/* %N: the digits of the nanoseconds without trailing zeros, filled up to the width. */
static bool date_nanoseconds(struct date_out *o, const struct date_spec *s)
{
        struct date_spec fill = { .pad = s->pad ? s->pad : '0' }, plain = { .width = -1 };
        int width = s->width > 0 ? s->width : 9, len = 9;
        uint32_t v = o->date->nsec;
        char digits[9];

        if (s->modifier == 'E')
                return false;
        for (; width < len || (len > 1 && v % 10 == 0); len--)
                v /= 10;
        for (int i = len; i-- > 0; v /= 10)
                digits[i] = (char)('0' + v % 10);
        date_text(o, &plain, digits, (size_t)len);
        fill.width = width - len;
        date_pad(o, &fill, 0);
        return true;
}

static void date_run(struct date_out *o, const char *format, bool upper, char year_pad, int width);

/* A conversion that stands for others. */
static void date_composed(struct date_out *o, const struct date_spec *s, const char *format, int first_width)
{
        char *begin = o->p;
        size_t len, fill;

        date_run(o, format, s->upper, s->pad, first_width);
        if (o->full)
                return;
        len = (size_t)(o->p - begin);
        date_pad(o, s, len);
        if (o->full)
                return;
        fill = (size_t)(o->p - begin) - len;
        if (fill > 0) {
                char c = o->p[-1];

                memmove(begin + fill, begin, len);
                memset(begin, c, fill);
        }
}

static bool date_full(struct date_out *o, struct date_spec *s)
{
        int year_width = s->width > 6 ? s->width - 6 : 0;

        if (s->modifier)
                return false;
        if (!s->pad && s->width < 0) {
                s->pad = '+';
                year_width = 4;
        }
        date_composed(o, s, "%Y-%m-%d", year_width);
        return true;
}

static bool date_name(struct date_out *o, struct date_spec *s, char letter)
{
        bool day = letter == 'a' || letter == 'A';

        if (day && s->modifier)
                return false;
        s->upper |= s->swap; /* shows even where the conversion is copied */
        if (s->modifier == 'E')
                return false;
        date_word(o, s, letter == 'h' ? 'b' : letter);
        return true;
}

static bool date_phrase(struct date_out *o, struct date_spec *s, char letter)
{
        if (s->modifier == 'O')
                return false;
        date_word(o, s, letter);
        return true;
}

static bool date_seconds(struct date_out *o, struct date_spec *s)
{
        int64_t sec = o->date->sec;

        date_put_number(o, s,
                        &(struct date_number){ .value = sec < 0 ? 0 - (uint64_t)sec : (uint64_t)sec,
                                               .digits = 1,
                                               .negative = sec < 0 });
        return true;
}

static void date_zone(struct date_out *o, struct date_spec *s)
{
        if (s->swap) {
                s->upper = false;
                s->lower = true;
        }
        date_text(o, s, o->date->zone, strlen(o->date->zone));
}

/* Numbers of one form.  Returns false if @letter is none, or its modifier does not go with it. */
static bool date_plain(struct date_out *o, struct date_spec *s, char letter, int week)
{
        const struct tm *tm = &o->date->tm;
        const int hour12 = tm->tm_hour % 12 ? tm->tm_hour % 12 : 12, monday = (tm->tm_wday + 6) % 7;
        const struct {
                char letter;
                int digits, flags, value;
        } numbers[] = {
                { 'd', 2, 0, tm->tm_mday },
                { 'e', 2, DATE_SPACES, tm->tm_mday },
                { 'H', 2, 0, tm->tm_hour },
                { 'I', 2, 0, hour12 },
                { 'k', 2, DATE_SPACES, tm->tm_hour },
                { 'l', 2, DATE_SPACES, hour12 },
                { 'j', 3, 0, tm->tm_yday + 1 },
                { 'M', 2, 0, tm->tm_min },
                { 'm', 2, 0, tm->tm_mon + 1 },
                { 'q', 1, 0, tm->tm_mon / 3 + 1 },
                { 'S', 2, 0, tm->tm_sec },
                { 'u', 1, 0, monday + 1 },
                { 'w', 1, 0, tm->tm_wday },
                { 'U', 2, 0, (tm->tm_yday - tm->tm_wday + 7) / 7 },
                { 'W', 2, 0, (tm->tm_yday - monday + 7) / 7 },
                { 'V', 2, 0, week },
        };

        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
                if (numbers[i].letter == letter)
                        return date_number(o, s, letter, 0, numbers[i].flags,
                                           (struct date_number){ .value = (uint64_t)numbers[i].value,
                                                                 .digits = numbers[i].digits });
        return false;
}

/* One conversion.  Returns false if there is none of that letter and modifier. */
static bool date_convert(struct date_out *o, struct date_spec *s, char letter, char year_pad)
{
        int64_t year = (int64_t)o->date->tm.tm_year + 1900;
        int week = 0;

        if (letter == 'V' || letter == 'G' || letter == 'g')
                week = date_iso_week(&o->date->tm, &year);
        switch (letter) {
        case 'n':
                date_text(o, s, "\n", 1);
                return true;
        case 't':
                date_text(o, s, "\t", 1);
                return true;
        case 'a':
        case 'A':
        case 'b':
        case 'B':
        case 'h':
                return date_name(o, s, letter);
        case 'c':
        case 'x':
        case 'X':
                return date_phrase(o, s, letter);
        case 'r':
                date_word(o, s, letter);
                return true;
        case 'P':
        case 'p':
                s->lower = letter == 'P' || s->swap;
                date_word(o, s, 'p');
                return true;
        case 'D':
                if (!s->modifier)
                        date_composed(o, s, "%m/%d/%y", -1);
                return !s->modifier;
        case 'F':
                return date_full(o, s);
        case 'R':
                date_composed(o, s, "%H:%M", -1);
                return true;
        case 'T':
                date_composed(o, s, "%H:%M:%S", -1);
                return true;
        case 'C':
                return date_year(o, s, letter, year_pad, year, 1);
        case 'y':
        case 'g':
                return date_year(o, s, letter, year_pad, year, 2);
        case 'Y':
                if (s->modifier == 'O')
                        return false;
                return date_year(o, s, letter, year_pad, year, 0);
        case 'G':
                return date_year(o, s, letter, year_pad, year, 0);
        case 'N':
                return date_nanoseconds(o, s);
        case 's':
                return date_seconds(o, s);
        case 'Z':
                date_zone(o, s);
                return true;
        case 'z':
                return date_offset(o, s);
        default:
                return date_plain(o, s, letter, week);
        }
}

/* Flags, width, modifier and colons after a '%'.  @s has the defaults. */
static const char *date_parse(const char *p, struct date_spec *s)
{
        for (;; p++) {
                if (*p == '_' || *p == '-' || *p == '0' || *p == '+')
                        s->pad = *p;
                else if (*p == '^')
                        s->upper = true;
                else if (*p == '#')
                        s->swap = true;
                else
                        break;
        }
        if (*p >= '0' && *p <= '9') {
                char *end;
                unsigned long width = strtoul(p, &end, 10);

                s->width = width > INT_MAX ? INT_MAX : (int)width;
                p = end;
        }
        if (*p == 'E' || *p == 'O')
                s->modifier = *p++;
        /* Colons count only in front of a 'z'. */
        if (*p == ':') {
                size_t colons = strspn(p, ":");

                if (p[colons] == 'z') {
                        s->colons = colons > 3 ? 4 : (int)colons;
                        p += colons;
                }
        }
        return p;
}

/* @width is that of the first conversion, should it have none of its own. */
static void date_run(struct date_out *o, const char *format, bool upper, char year_pad, int width)
{
        for (const char *p = format; *p && !o->full; width = -1) {
                struct date_spec s = { .width = width, .upper = upper };
                const char *begin = p;

                if (*p != '%') {
                        date_text(o, &(struct date_spec){ .upper = upper }, p++, 1);
                        continue;
                }
                p = date_parse(p + 1, &s);
                if (*p == '%' && p == begin + 1) {
                        p++;
                        date_text(o, &s, "%", 1);
                } else if (*p && *p != '%' && date_convert(o, &s, *p, year_pad)) {
                        p++;
                } else {
                        /* None: copied, but for a '%' that may begin the next one. */
                        p += *p && *p != '%';
                        date_text(o, &s, begin, (size_t)(p - begin));
                }
        }
}

bool lsr_date_format(const struct lsr_date *date, const char *format, char *buf, size_t size, size_t *ret_len)
{
        struct date_out o = { .date = date, .p = buf, .end = buf + size };

        date_run(&o, format, false, 0, -1);
        if (o.full)
                return false;
        *ret_len = (size_t)(o.p - buf);
        return true;
}
