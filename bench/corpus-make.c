/*
 * corpus-make - a tree that looks like a cache of source packages
 *
 *      corpus-make DIR FILES PACKAGES BYTES SEED
 *
 * Exactly FILES files with BYTES in all, in DIR/pkg-NNNN/lib and DIR/pkg-NNNN/lib/src; the same arguments
 * make the same bytes.  Sizes of files are log-normal (sigma 1.6), and so is the number of files in a
 * package (sigma 1.2).
 *
 * The text is to compress as source does, neither as random bytes nor as one sentence over and over.
 * A package has names of its own, made of words that all share, and uses some far oftener than others;
 * lines come from a few shapes, and many repeat an earlier line of the file with one name changed.
 * MAIN_REPEAT was set so that gzip -6 of whole packages comes near the published 6.66.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
        MAIN_WORDS = 2000,
        MAIN_NAMES = 240,
        MAIN_NAME_MAX = 40,
        MAIN_LINE_MAX = 256,
        MAIN_RECENT = 64, /* lines that can be repeated */
        MAIN_REPEAT = 59, /* of 100 lines, how many do */
        MAIN_FILE_MAX = 4 << 20,
};

static uint64_t main_state;
static char main_words[MAIN_WORDS][12];
static char main_names[MAIN_NAMES][MAIN_NAME_MAX];

_Noreturn static void main_fail(const char *what)
{
        fprintf(stderr, "corpus-make: %s: %s\n", what, strerror(errno));
        exit(1);
}

/* splitmix64 */
static uint64_t main_random(void)
{
        uint64_t z = (main_state += 0x9e3779b97f4a7c15u);

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
}

static unsigned main_below(unsigned n)
{
        return (unsigned)(main_random() % n);
}

static double main_unit(void)
{
        return ((double)(main_random() >> 11) + 0.5) / 9007199254740992.0;
}

static double main_lognormal(double sigma)
{
        return exp(sigma * sqrt(-2 * log(main_unit())) * cos(6.283185307179586 * main_unit()));
}

/* Small numbers far oftener than large ones. */
static unsigned main_rank(unsigned n)
{
        double u = main_unit();

        return (unsigned)(u * u * u * n);
}

static void main_make_words(void)
{
        static const char consonants[] = "bcdfglmnprstv", vowels[] = "aeiou";

        for (size_t i = 0; i < MAIN_WORDS; i++) {
                unsigned syllables = 1 + main_below(3);
                char *p = main_words[i];

                for (unsigned s = 0; s < syllables; s++) {
                        *p++ = consonants[main_below(sizeof consonants - 1)];
                        *p++ = vowels[main_below(sizeof vowels - 1)];
                        if (main_below(2))
                                *p++ = consonants[main_below(sizeof consonants - 1)];
                }
        }
}

static void main_make_names(void)
{
        for (size_t i = 0; i < MAIN_NAMES; i++) {
                unsigned words = 1 + main_below(3);
                char *p = main_names[i];

                for (unsigned w = 0; w < words; w++) {
                        char *start = p;

                        p = stpcpy(p, main_words[main_rank(MAIN_WORDS)]);
                        if (w > 0)
                                *start = (char)(*start - 'a' + 'A');
                }
        }
}

static const char *main_name(void)
{
        return main_names[main_rank(MAIN_NAMES)];
}

static const char *main_word(void)
{
        return main_words[main_rank(MAIN_WORDS)];
}

/* @line has MAIN_LINE_MAX bytes; returns the length. */
static size_t main_make_line(char *line, unsigned depth)
{
        int n;

        switch (main_below(12)) {
        case 0:
                n = snprintf(line, MAIN_LINE_MAX, "%*sfinal %s = %s.%s(%s);\n", depth * 2, "", main_name(), main_name(),
                             main_name(), main_name());
                break;
        case 1:
                n = snprintf(line, MAIN_LINE_MAX, "%*sif (%s == null || %s.isEmpty) {\n", depth * 2, "", main_name(),
                             main_name());
                break;
        case 2:
        case 3:
                n = snprintf(line, MAIN_LINE_MAX, "%*s}\n", depth * 2, "");
                break;
        case 4:
                n = snprintf(line, MAIN_LINE_MAX, "%*sreturn %s(%s, %s: %u);\n", depth * 2, "", main_name(),
                             main_name(), main_name(), main_below(100));
                break;
        case 5:
                n = snprintf(line, MAIN_LINE_MAX, "%*s/// %s %s %s the %s of %s %s %s.\n", depth * 2, "", main_word(),
                             main_word(), main_word(), main_word(), main_word(), main_word(), main_word());
                break;
        case 6:
                n = snprintf(line, MAIN_LINE_MAX, "\n");
                break;
        case 7:
                n = snprintf(line, MAIN_LINE_MAX, "%*svoid %s(String %s, {required int %s}) {\n", depth * 2, "",
                             main_name(), main_name(), main_name());
                break;
        case 8:
                n = snprintf(line, MAIN_LINE_MAX, "%*s'%s_%s': %s.%s,\n", depth * 2, "", main_word(), main_word(),
                             main_name(), main_name());
                break;
        case 9:
                n = snprintf(line, MAIN_LINE_MAX, "import 'package:%s/src/%s_%s.dart';\n", main_name(), main_word(),
                             main_word());
                break;
        default:
                n = snprintf(line, MAIN_LINE_MAX, "%*s%s.%s = %s;\n", depth * 2, "", main_name(), main_name(),
                             main_name());
                break;
        }
        return n < MAIN_LINE_MAX ? (size_t)n : MAIN_LINE_MAX - 1;
}

/* Copy a line with its first name, if it has one, put into another. */
static size_t main_vary_line(char *line, const char *from, size_t len)
{
        size_t start = 0, end;
        const char *name = main_name();

        while (start < len && !(from[start] >= 'a' && from[start] <= 'z'))
                start++;
        for (end = start; end < len && ((from[end] | 32) >= 'a' && (from[end] | 32) <= 'z');)
                end++;
        if (main_below(3) != 0 || start == end || start + strlen(name) + (len - end) >= MAIN_LINE_MAX) {
                memcpy(line, from, len);
                return len;
        }
        memcpy(line, from, start);
        memcpy(line + start, name, strlen(name));
        memcpy(line + start + strlen(name), from + end, len - end);
        return start + strlen(name) + (len - end);
}

static void main_fill(char *text, size_t size)
{
        static char lines[MAIN_RECENT][MAIN_LINE_MAX];
        static size_t lens[MAIN_RECENT];
        size_t n = 0, at = 0;

        while (at < size) {
                char *line = lines[n % MAIN_RECENT];
                size_t len;

                if (n > 4 && main_below(100) < MAIN_REPEAT) {
                        size_t back = 1 + main_rank((unsigned)(n < MAIN_RECENT ? n : MAIN_RECENT) - 1);

                        len = main_vary_line(line, lines[(n - back) % MAIN_RECENT], lens[(n - back) % MAIN_RECENT]);
                } else {
                        len = main_make_line(line, 1 + main_below(4));
                }
                lens[n++ % MAIN_RECENT] = len;
                if (len > size - at)
                        len = size - at;
                memcpy(text + at, line, len);
                at += len;
        }
}

static void main_write(const char *path, const char *text, size_t size)
{
        int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);

        if (fd < 0)
                main_fail(path);
        for (size_t done = 0; done < size;) {
                ssize_t n = write(fd, text + done, size - done);

                if (n < 0)
                        main_fail(path);
                done += (size_t)n;
        }
        if (close(fd) < 0)
                main_fail(path);
}

/* @n shares of @sum, at least @least each, as the weights say. */
static void main_share(const double *weights, size_t n, uint64_t sum, uint64_t least, uint64_t most, uint64_t *shares)
{
        double all = 0;
        uint64_t given = 0;

        for (size_t i = 0; i < n; i++)
                all += weights[i];
        for (size_t i = 0; i < n; i++) {
                shares[i] = least + (uint64_t)(weights[i] / all * (double)(sum - n * least));
                if (shares[i] > most)
                        shares[i] = most;
                given += shares[i];
        }
        for (size_t i = 0; given < sum; i = (i + 1) % n) { /* what rounding and @most left over */
                uint64_t more = (sum - given) / n + 1;

                if (shares[i] + more > most)
                        continue;
                shares[i] += more;
                given += more;
        }
}

int main(int argc, char **argv)
{
        uint64_t files, packages, bytes, *sizes, *counts;
        double *weights;
        char path[4096], *text = malloc(MAIN_FILE_MAX);
        size_t at = 0;

        if (argc != 6) {
                fputs("usage: corpus-make DIR FILES PACKAGES BYTES SEED\n", stderr);
                return 2;
        }
        files = strtoull(argv[2], NULL, 10);
        packages = strtoull(argv[3], NULL, 10);
        bytes = strtoull(argv[4], NULL, 10);
        main_state = strtoull(argv[5], NULL, 10);
        if (packages == 0 || files < packages || bytes < files * 16 || bytes / files > MAIN_FILE_MAX / 64 ||
            strlen(argv[1]) > 3000) {
                fputs("corpus-make: these numbers make no tree\n", stderr);
                return 2;
        }
        sizes = calloc(files, sizeof *sizes);
        counts = calloc(packages, sizeof *counts);
        weights = calloc(files, sizeof *weights);
        if (!text || !sizes || !counts || !weights)
                main_fail("memory");
        main_make_words();
        for (size_t i = 0; i < files; i++)
                weights[i] = main_lognormal(1.6);
        main_share(weights, files, bytes, 16, MAIN_FILE_MAX, sizes);
        for (size_t i = 0; i < packages; i++)
                weights[i] = main_lognormal(1.2);
        main_share(weights, packages, files, 1, files, counts);

        for (uint64_t p = 0; p < packages; p++) {
                static const char *const below[] = { "", "/lib", "/lib/src" };

                for (size_t i = 0; i < 3; i++) {
                        snprintf(path, sizeof path, "%s/pkg-%04u%s", argv[1], (unsigned)p, below[i]);
                        if (mkdir(path, 0755) < 0)
                                main_fail(path);
                }
                main_make_names();
                for (uint64_t f = 0; f < counts[p]; f++, at++) {
                        snprintf(path, sizeof path, "%s/pkg-%04u%s/%s_%u.dart", argv[1], (unsigned)p,
                                 below[f % 4 == 0 ? 1 : 2], main_word(), (unsigned)f);
                        main_fill(text, sizes[at]);
                        main_write(path, text, sizes[at]);
                }
        }
        return 0;
}
