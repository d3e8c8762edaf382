/* texts - targets of what users and environments say, and of what is shown of names */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/defaults.h"
#include "fuzz.h"
#include "pack/exclude.h"
#include "render/color.h"
#include "render/human.h"
#include "render/quote.h"
#include "render/when.h"

char *fuzz_text(struct fuzz_bytes *in)
{
        size_t n = strnlen((const char *)in->at, in->left), got;
        char *text = lsr_xmalloc(n + 1);

        memcpy(text, fuzz_take(in, n, &got), n);
        text[n] = '\0';
        fuzz_byte(in);
        return text;
}

/* LS_COLORS, and names that it colours. */
int fuzz_colors(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        char *value = fuzz_text(&in), bad[3];
        struct lsr_colors colors;
        int r = lsr_colors_parse(&colors, value, n % 2, bad);

        fuzz_check(r == 0 || (r == 1 && strnlen(bad, 3) < 3));
        while (r == 0 && in.left > 0) {
                uint8_t how = fuzz_byte(&in);
                char *name = fuzz_text(&in);
                struct lsr_color_subject s = {
                        .name = name,
                        .name_len = strlen(name),
                        .mode = (mode_t)how << 9 | (how & 7) << 6,
                        .nlink = how % 4,
                        .stat_ok = how & 1,
                        .has_cap = how & 16,
                        .link_broken = how & 32,
                        .is_target = how & 64,
                        .missing = how & 128,
                };
                const struct lsr_color_text *text = lsr_colors_pick(&colors, &s);

                fuzz_check(!text || text->len <= n + 64);
                free(name);
        }
        for (unsigned kind = 0; r == 0 && kind < LSR_COLOR_N; kind++)
                lsr_colors_has(&colors, (enum lsr_color_kind)kind);
        if (r == 0)
                lsr_colors_free(&colors);
        free(value);
        return 0;
}

static int64_t texts_number(struct fuzz_bytes *in)
{
        uint64_t number = 0;

        for (unsigned i = 0; i < 8; i++)
                number = number << 8 | fuzz_byte(in);
        return (int64_t)number >> (number % 64);
}

/* A format of --time-style=+FORMAT, and times. */
int fuzz_when(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        char buf[LSR_WHEN_MAX], *old = fuzz_text(&in), *recent = fuzz_text(&in);
        struct lsr_when w;

        lsr_when_init(&w, LSR_WHEN_FORMAT);
        w.formats[0] = old;
        w.formats[1] = recent;
        lsr_zone_load(&w.zone, NULL, 0);
        for (unsigned i = 0; i < 4; i++) {
                int64_t sec = texts_number(&in);
                size_t len = lsr_when_format(&w, sec, (uint32_t)texts_number(&in) % 1000000000, buf);

                fuzz_check(len <= LSR_WHEN_MAX);
                if (len == 0)
                        lsr_when_out_of_range(&w, sec);
                fuzz_check(lsr_when_utc(&w, sec, 0, buf) <= LSR_WHEN_UTC_MAX);
        }
        free(old);
        free(recent);
        return 0;
}

/* A file of the time zone database. */
int fuzz_zone(const uint8_t *data, size_t n)
{
        static const int64_t times[] = { INT64_MIN, -2000000000, 0, 1, 1700000000, 4000000000, INT64_MAX };
        struct lsr_zone zone;
        struct lsr_zone_span span;

        lsr_zone_load(&zone, (const char *)data, n);
        for (unsigned i = 0; zone.times && i < sizeof(times) / sizeof(times[0]); i++) {
                if (lsr_zone_find(&zone, times[i], &span))
                        fuzz_check(span.begin <= times[i] && times[i] <= span.end && strlen(span.name) < n);
                if (times[i] > -(INT64_C(1) << 60) && times[i] < INT64_C(1) << 60)
                        lsr_zone_from_civil(&zone, times[i]);
        }
        return 0;
}

/* Patterns, then a path: what is cut into components is put together again. */
int fuzz_exclude(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        char *patterns[9] = { NULL }, *given, *path;
        struct lsr_excludes *e;
        size_t count = fuzz_byte(&in) % 9, at = 0;

        for (size_t i = 0; i < count; i++)
                patterns[i] = fuzz_text(&in);
        given = fuzz_text(&in);
        path = fuzz_text(&in);
        e = lsr_excludes_new((const char *const *)patterns);
        if (e && *path && strlen(path) < 4096) {
                char *before = lsr_xstrdup(path), *slash = strrchr(path, '/');

                lsr_excludes_root(e, given, path[0] == '/' ? NULL : "prefix", "/above/it");
                if (!slash || slash[1])
                        lsr_excludes_has(e, path, slash ? slash + 1 : path, n % 2);
                fuzz_check(strcmp(before, path) == 0);
                while (lsr_excludes_unused(e, &at))
                        fuzz_check(at <= count);
                free(before);
        }
        lsr_excludes_free(e);
        for (size_t i = 0; i < count; i++)
                free(patterns[i]);
        free(given);
        free(path);
        return 0;
}

/* --block-size, and sizes. */
int fuzz_human(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        char *spec = fuzz_text(&in), buf[LSR_HUMAN_MAX];
        struct lsr_size_style style;
        int r = lsr_size_parse(spec, &style);

        fuzz_check(r >= 0 && r <= 3);
        for (unsigned i = 0; r == 0 && i < 4; i++) {
                fuzz_check(style.unit > 0);
                fuzz_check(lsr_size_format(&style, (uint64_t)texts_number(&in), i % 2 ? 512 : 1, buf) == strlen(buf));
        }
        free(spec);
        return 0;
}

/* A name in each style: what is measured is what is written, and where controls are hidden none comes out. */
int fuzz_quote(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        uint8_t how = fuzz_byte(&in);
        struct lsr_quote style = { .style = how % 10, .hide_control = how & 16, .escape_bidi = how & 32 };
        struct lsr_out out = LSR_OUT_FD(-1);
        struct lsr_quote_table table;
        struct lsr_quoted put, measured;
        char *name = fuzz_text(&in);

        if (how & 64)
                lsr_quote_also(&style, ' ');
        if (how & 128)
                lsr_quote_also(&style, ':');
        lsr_quote_compile(&table, &style);
        put = lsr_quote_put(&table, &out, name, strlen(name));
        measured = lsr_quote_measure(&table, name, strlen(name));
        fuzz_check(put.len == out.len && measured.len == put.len && measured.width == put.width);
        fuzz_check(measured.quoted == put.quoted);
        if (lsr_quote_plain(&table, name, strlen(name)))
                fuzz_check(put.len == strlen(name) && put.width == put.len && memcmp(out.buf, name, put.len) == 0);
        for (size_t i = 0; i < out.len; i++)
                if (style.hide_control || style.style == LSR_QUOTE_SHELL_ESCAPE || style.style == LSR_QUOTE_C)
                        fuzz_check((unsigned char)out.buf[i] >= 0x20 && out.buf[i] != 0x7f);
        lsr_out_free(&out);
        free(name);
        return 0;
}

/* --- a file of options ---------------------------------------------------------- */

/* Loads @text as the file, which is gone again then. */
static void config_load(const char *text, struct lsr_defaults *ret_defaults)
{
        char home[] = "/tmp/lsr-fuzz-XXXXXX", dir[sizeof(home) + 8], path[sizeof(home) + 16];
        FILE *file;

        fuzz_check(mkdtemp(home) && setenv("XDG_CONFIG_HOME", home, 1) == 0);
        snprintf(dir, sizeof(dir), "%s/lsr", home);
        snprintf(path, sizeof(path), "%s/config", dir);
        fuzz_check(mkdir(dir, 0700) == 0);
        file = fopen(path, "w");
        fuzz_check(file && fwrite(text, 1, strlen(text), file) == strlen(text) && fclose(file) == 0);
        fuzz_check(lsr_defaults_load(ret_defaults) == 0);
        fuzz_check(unlink(path) == 0 && rmdir(dir) == 0 && rmdir(home) == 0);
}

/* Words lie in their text, one behind the other; those of a file have no newline, and at most a value each. */
static const char *config_words(const struct lsr_default *d, const char *from, const char *end)
{
        fuzz_check(d->n > 0 && (d->line == 0 || d->n <= 2));
        for (int i = 0; i < d->n; i++) {
                fuzz_check(d->words[i] >= from && *d->words[i] && d->words[i] + strlen(d->words[i]) <= end);
                fuzz_check(!strchr(d->words[i], '\n') && (d->line == 0 || i > 0 || *d->words[i] != '#'));
                from = d->words[i] + strlen(d->words[i]);
        }
        return from;
}

/* The configuration, and LSR_OPTIONS. */
int fuzz_config(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        char *text = fuzz_text(&in), *variable = fuzz_text(&in);
        const char *at, *at_variable;
        struct lsr_defaults d;
        unsigned line = 0;

        fuzz_check(setenv("LSR_OPTIONS", variable, 1) == 0);
        config_load(text, &d);
        at = d.text;
        at_variable = d.variable;
        for (size_t i = 0; i < d.n; i++) {
                if (d.all[i].line) {
                        fuzz_check(d.all[i].line > line && at_variable == d.variable);
                        line = d.all[i].line;
                        at = config_words(&d.all[i], at, d.text + strlen(text));
                } else {
                        at_variable = config_words(&d.all[i], at_variable, d.variable + strlen(variable));
                }
                free(d.all[i].words);
        }
        free(d.all);
        free(d.path);
        free(d.text);
        free(d.variable);
        free(text);
        free(variable);
        return 0;
}

/* --- a shell -------------------------------------------------------------------- */

static FILE *shell_in, *shell_out;

/*
 * One for all inputs.  It is bash, for $'..', and can do nothing: without a path it is restricted to its builtins, and
 * cannot write files, for a word that is not quoted well may say anything.
 */
static void shell_start(void)
{
        int in[2], out[2];

        fuzz_check(pipe(in) == 0 && pipe(out) == 0);
        if (fork() == 0) {
                static const char *const env[] = { "PATH=/nonexistent", "LC_ALL=C", NULL };

                dup2(in[0], 0);
                dup2(out[1], 1);
                for (int fd = 3; fd < 256; fd++)
                        close(fd);
                execle("/bin/bash", "bash", "--norc", "--noprofile", "-r", (char *)NULL, (char *const *)(uintptr_t)env);
                _exit(127);
        }
        close(in[0]);
        close(out[1]);
        signal(SIGPIPE, SIG_IGN);
        shell_in = fdopen(in[1], "w");
        shell_out = fdopen(out[0], "r");
}

/* The timer of libFuzzer can end a read. */
static int shell_get(void)
{
        int c;

        while ((c = fgetc(shell_out)) == EOF && errno == EINTR)
                clearerr(shell_out);
        return c;
}

/* Some are written as GNU writes them, and no shell undoes that: render/quote.c says which, and why. */
static bool shell_differs(const struct lsr_quote *style, const char *name)
{
        const char *end = name + strlen(name);
        bool escapes = false;

        for (const char *p = name; p < end; p++)
                escapes |= (unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e;
        return escapes && strchr(name, '\'') &&
               ((unsigned char)end[-1] < 0x20 || (unsigned char)end[-1] > 0x7e ||
                style->style == LSR_QUOTE_SHELL_ALWAYS || style->style == LSR_QUOTE_SHELL_ESCAPE_ALWAYS);
}

/* A name that is quoted for a shell is that name to a shell.  Without a bash it passes. */
int fuzz_shell(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        uint8_t how = fuzz_byte(&in);
        struct lsr_quote style = { .style = LSR_QUOTE_SHELL + how % 4 };
        struct lsr_out out = LSR_OUT_FD(-1);
        struct lsr_quote_table table;
        char *name = fuzz_text(&in);

        if (!shell_in && access("/bin/bash", X_OK) == 0)
                shell_start();
        lsr_quote_compile(&table, &style);
        lsr_quote_put(&table, &out, name, strlen(name));
        if (shell_in && *name && strlen(name) < 1000 && !shell_differs(&style, name)) {
                size_t i = 0;
                int c;

                fprintf(shell_in, "printf '%%s\\0' %.*s\n", (int)out.len, out.buf);
                fuzz_check(fflush(shell_in) == 0);
                while ((c = shell_get()) > 0 && (char)c == name[i])
                        i++;
                fuzz_check(c == '\0' && name[i] == '\0');
        }
        lsr_out_free(&out);
        free(name);
        return 0;
}
