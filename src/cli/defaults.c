/*
 * defaults - a file that most users do not have, so that looking for it is all that it may cost
 *
 * A file that cannot be opened is none: after su, HOME may be that of somebody else.
 */
#include "cli/defaults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/message.h"

#define DEFAULTS_MAX ((size_t)64 << 10) /* bytes */

static const struct lsr_defaults *defaults_loaded;

static void defaults_add(struct lsr_defaults *d, unsigned line, char *text, bool all)
{
        static const char blanks[] = " \t\r\n";
        struct lsr_default added = { .line = line };
        size_t cap = 0;

        for (char *word = text + strspn(text, blanks); *word;) {
                char *end = word + strcspn(word, blanks);

                /* The second word of a line is a value, with its blanks; behind '=' is one, too. */
                if (!all && (added.n == 1 || memchr(word, '=', (size_t)(end - word))))
                        for (end = word + strlen(word); strchr(blanks, end[-1]); end--)
                                ;
                lsr_grow(&added.words, (size_t)added.n, &cap);
                added.words[added.n++] = word;
                word = end + strspn(end, blanks);
                *end = '\0';
        }
        if (added.n == 0)
                return;
        lsr_grow(&d->all, d->n, &d->cap);
        d->all[d->n++] = added;
}

static char *defaults_path(void)
{
        const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

        /* As the specification has it, a path that is not absolute is none. */
        if (config && config[0] == '/')
                return lsr_xprintf("%s/lsr/config", config);
        return home && home[0] == '/' ? lsr_xprintf("%s/.config/lsr/config", home) : NULL;
}

/*
 * All of the file, NUL-terminated; NULL: there is none.  Returns 0 or a negative errno; -ESPIPE: it is a pipe or a
 * terminal, which nobody waits for.
 */
static int defaults_read(const char *path, char **ret_text)
{
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error = 0;
        size_t len = 0;
        ssize_t n = 1;
        char *text;

        if (fd < 0)
                return 0;
        text = lsr_xmalloc(DEFAULTS_MAX + 1);
        while (n > 0 && len <= DEFAULTS_MAX) {
                n = pread(fd, text + len, DEFAULTS_MAX + 1 - len, (off_t)len);
                if (n < 0 && errno == EINTR)
                        n = 1;
                else if (n > 0)
                        len += (size_t)n;
        }
        if (n < 0)
                error = -errno;
        else if (len > DEFAULTS_MAX)
                error = -EFBIG;
        close(fd);
        if (error) {
                free(text);
                return error;
        }
        text[len] = '\0';
        *ret_text = text;
        return 0;
}

static void defaults_add_lines(struct lsr_defaults *d)
{
        unsigned line = 1;

        for (char *p = d->text, *end; *p; p = end, line++) {
                end = p + strcspn(p, "\n");
                if (*end)
                        *end++ = '\0';
                if (p[strspn(p, " \t\r")] != '#')
                        defaults_add(d, line, p, false);
        }
}

int lsr_defaults_load(struct lsr_defaults *ret_defaults)
{
        lsr_autofree char *path = defaults_path();
        const char *variable = getenv("LSR_OPTIONS");
        struct lsr_defaults *d = ret_defaults;
        int error;

        *d = (struct lsr_defaults){};
        defaults_loaded = d;
        error = path ? defaults_read(path, &d->text) : 0;
        if (error == -ESPIPE)
                return lsr_message("cannot read %s: it is not a regular file", lsr_quoted_always(path));
        if (error < 0)
                return lsr_message_errno(-error, "cannot read %s", lsr_quoted_always(path));
        if (d->text) {
                d->path = lsr_take(&path, NULL);
                defaults_add_lines(d);
        }
        if (variable) {
                d->variable = lsr_xstrdup(variable);
                defaults_add(d, 0, d->variable, true);
        }
        return 0;
}

void lsr_default_blame_line(const struct lsr_defaults *defaults, const struct lsr_default *d)
{
        static char *place;

        free(place);
        place = !d ? NULL : d->line ? lsr_xprintf("%s:%u", defaults->path, d->line) : lsr_xstrdup("LSR_OPTIONS");
        lsr_message_at(place);
}

void lsr_default_blame(const char *value)
{
        const struct lsr_default *from = NULL;

        for (size_t i = 0; defaults_loaded && i < defaults_loaded->n; i++) {
                const struct lsr_default *d = &defaults_loaded->all[i];
                const char *last = d->words[d->n - 1];

                if ((uintptr_t)value >= (uintptr_t)d->words[0] && (uintptr_t)value <= (uintptr_t)last + strlen(last))
                        from = d;
        }
        lsr_default_blame_line(defaults_loaded, from);
}
