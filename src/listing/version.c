/*
 * version - Debian's version order, as ls -v applies it to file names
 *
 * The coreutils manual, "Version sort ordering": a name is cut into runs of
 * non-digits and digits.  Digits compare as numbers.  In the others '~' comes
 * before the end, the end before letters, letters before everything else.
 * Suffixes like ".tar.gz" are left out at first and count only if the rest is
 * equal; names with a leading dot come first.
 *
 * The natural order is what file managers have: the same runs of digits, and nothing else of that.
 */
#include "listing/sort.h"

#include <stdbool.h>
#include <string.h>

struct version_text {
        const char *s;
        size_t len;
        size_t pos;
};

static bool version_is_digit(const struct version_text *t)
{
        return t->pos < t->len && t->s[t->pos] >= '0' && t->s[t->pos] <= '9';
}

static bool version_is_letter(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The rank of the character at hand: '~' < end < digit < letters < others. */
static int version_rank(const struct version_text *t)
{
        unsigned char c;

        if (t->pos >= t->len)
                return -1;
        c = (unsigned char)t->s[t->pos];
        if (c == '~')
                return -2;
        if (version_is_digit(t))
                return 0;
        return version_is_letter((char)c) ? c : c + 256;
}

static int version_compare_digits(struct version_text *a, struct version_text *b)
{
        int first_difference = 0;

        while (version_is_digit(a) && a->s[a->pos] == '0')
                a->pos++;
        while (version_is_digit(b) && b->s[b->pos] == '0')
                b->pos++;
        while (version_is_digit(a) && version_is_digit(b)) {
                if (!first_difference)
                        first_difference = a->s[a->pos] - b->s[b->pos];
                a->pos++;
                b->pos++;
        }
        /* The longer number is the larger one. */
        if (version_is_digit(a))
                return 1;
        if (version_is_digit(b))
                return -1;
        return first_difference;
}

static int version_compare_whole(struct version_text a, struct version_text b)
{
        int r = 0;

        while (r == 0 && (a.pos < a.len || b.pos < b.len)) {
                while ((a.pos < a.len && !version_is_digit(&a)) || (b.pos < b.len && !version_is_digit(&b))) {
                        r = version_rank(&a) - version_rank(&b);
                        if (r)
                                return r;
                        a.pos++;
                        b.pos++;
                }
                r = version_compare_digits(&a, &b);
        }
        return r;
}

/* Length of @s without what matches (\.[A-Za-z~][A-Za-z0-9~]*)*$, which may be all of it. */
static size_t version_stem(const char *s, size_t len)
{
        size_t i = 0, stem = 0;

        for (;;) {
                while (i + 1 < len && s[i] == '.' && (version_is_letter(s[i + 1]) || s[i + 1] == '~')) {
                        i += 2;
                        while (i < len && (version_is_letter(s[i]) || s[i] == '~' || (s[i] >= '0' && s[i] <= '9')))
                                i++;
                }
                if (i >= len)
                        return stem;
                stem = ++i;
        }
}

/* "." before ".." before other hidden names before the rest: 0, 1, 2, 3. */
static int version_class(const char *s, size_t len)
{
        if (s[0] != '.')
                return 3;
        if (len == 1)
                return 0;
        return s[1] == '.' && len == 2 ? 1 : 2;
}

int lsr_version_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
        size_t a_stem = version_stem(a, a_len), b_stem = version_stem(b, b_len);
        int r;

        if (a_len == 0 || b_len == 0)
                return (a_len > 0) - (b_len > 0);
        r = version_class(a, a_len) - version_class(b, b_len);
        if (r || version_class(a, a_len) < 2)
                return r;
        r = version_compare_whole((struct version_text){ a, a_stem, 0 }, (struct version_text){ b, b_stem, 0 });
        if (r == 0 && (a_stem < a_len || b_stem < b_len))
                r = version_compare_whole((struct version_text){ a, a_len, 0 }, (struct version_text){ b, b_len, 0 });
        return r;
}

static int natural_digits(const char *s)
{
        int n = 0;

        while (s[n] >= '0' && s[n] <= '9')
                n++;
        return n;
}

static int natural_rank(char c)
{
        return c >= 'A' && c <= 'Z' ? c | 0x20 : (unsigned char)c;
}

int lsr_natural_compare(const char *a, const char *b)
{
        while (*a && *b) {
                int m = natural_digits(a), n = natural_digits(b), r;

                if (m == 0 || n == 0) {
                        r = natural_rank(*a++) - natural_rank(*b++);
                        if (r)
                                return r;
                        continue;
                }
                for (; m > 0 && *a == '0'; a++)
                        m--;
                for (; n > 0 && *b == '0'; b++)
                        n--;
                r = m == n ? memcmp(a, b, (size_t)m) : m - n;
                if (r)
                        return r;
                a += m;
                b += n;
        }
        return natural_rank(*a) - natural_rank(*b);
}
