/*
 * settings - what a command line means
 *
 * Options are first noted in struct raw as they come, later ones overruling
 * earlier ones; what depends on several of them is resolved when all are
 * known.  Tables of words are in GNU's order, since its messages list them.
 */
#include "cli/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/locale.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/words.h"

#define UNSET (-1)

enum when { WHEN_NEVER, WHEN_ALWAYS, WHEN_AUTO };

static const struct lsr_word when_words[] = {
        { "always", WHEN_ALWAYS }, { "yes", WHEN_ALWAYS }, { "force", WHEN_ALWAYS }, { "never", WHEN_NEVER },
        { "no", WHEN_NEVER },      { "none", WHEN_NEVER }, { "auto", WHEN_AUTO },    { "tty", WHEN_AUTO },
        { "if-tty", WHEN_AUTO },   { NULL, 0 },
};
static const struct lsr_word sort_words[] = {
        { "none", LSR_SORT_NONE },
        { "time", LSR_SORT_TIME },
        { "size", LSR_SORT_SIZE },
        { "extension", LSR_SORT_EXTENSION },
        { "version", LSR_SORT_VERSION },
        { "width", LSR_SORT_WIDTH },
        { NULL, 0 },
};
static const struct lsr_word time_words[] = {
        { "atime", LSR_ATIME }, { "access", LSR_ATIME }, { "use", LSR_ATIME },      { "ctime", LSR_CTIME },
        { "status", LSR_CTIME }, { "birth", LSR_BTIME },  { "creation", LSR_BTIME }, { NULL, 0 },
};
static const struct lsr_word format_words[] = {
        { "verbose", LSR_FORMAT_LONG },      { "long", LSR_FORMAT_LONG },     { "commas", LSR_FORMAT_COMMAS },
        { "horizontal", LSR_FORMAT_ACROSS }, { "across", LSR_FORMAT_ACROSS }, { "vertical", LSR_FORMAT_GRID },
        { "single-column", LSR_FORMAT_ONE }, { NULL, 0 },
};
static const struct lsr_word indicator_words[] = {
        { "none", LSR_INDICATOR_NONE },
        { "slash", LSR_INDICATOR_SLASH },
        { "file-type", LSR_INDICATOR_FILE_TYPE },
        { "classify", LSR_INDICATOR_CLASSIFY },
        { NULL, 0 },
};
static const struct lsr_word quoting_words[] = {
        { "literal", LSR_QUOTE_LITERAL },
        { "shell", LSR_QUOTE_SHELL },
        { "shell-always", LSR_QUOTE_SHELL_ALWAYS },
        { "shell-escape", LSR_QUOTE_SHELL_ESCAPE },
        { "shell-escape-always", LSR_QUOTE_SHELL_ESCAPE_ALWAYS },
        { "c", LSR_QUOTE_C },
        { "c-maybe", LSR_QUOTE_C_MAYBE },
        { "escape", LSR_QUOTE_ESCAPE },
        { "locale", LSR_QUOTE_LOCALE },
        { "clocale", LSR_QUOTE_CLOCALE },
        { NULL, 0 },
};
static const struct lsr_word time_style_words[] = {
        { "full-iso", LSR_WHEN_FULL_ISO }, { "long-iso", LSR_WHEN_LONG_ISO }, { "iso", LSR_WHEN_ISO },
        { "locale", LSR_WHEN_LOCALE },     { NULL, 0 },
};

struct patterns {
        const char **list; /* NULL-terminated */
        size_t n;
};

/* The command line as it was given. */
struct raw {
        struct lsr_settings *s;
        int format, sort, quoting, hide_control, follow, color;
        long long width, tabsize;
        const char *time_style;
        bool time_given; /* -c, -u or --time */
        bool kibibytes;
        bool size_given;
        bool hyperlink;
        bool acl;
        bool json;
        struct patterns ignore, hide;
        int tty; /* is standard output a terminal? UNSET until asked */
};

static bool raw_tty(struct raw *r)
{
        if (r->tty == UNSET)
                r->tty = isatty(STDOUT_FILENO);
        return r->tty;
}

static void patterns_add(struct patterns *p, const char *pattern)
{
        p->list = lsr_xrealloc(p->list, (p->n + 2) * sizeof(*p->list));
        p->list[p->n++] = pattern;
        p->list[p->n] = NULL;
}

enum number {
        NUMBER_OK,
        NUMBER_NONE,     /* it is none, or a negative one */
        NUMBER_LARGE,    /* above LLONG_MAX, which is returned instead */
        NUMBER_OVERFLOW, /* does not fit into 64 bits either */
};

/* A number in C's notation. */
static enum number settings_number(const char *text, long long *ret_value)
{
        unsigned long long v;
        char *end;

        errno = 0;
        if (strchr(text, '-'))
                return NUMBER_NONE;
        v = strtoull(text, &end, 0);
        if (end == text || *end)
                return NUMBER_NONE;
        *ret_value = v > LLONG_MAX ? LLONG_MAX : (long long)v;
        return errno ? NUMBER_OVERFLOW : v > LLONG_MAX ? NUMBER_LARGE : NUMBER_OK;
}

static bool when_now(struct raw *r, int when)
{
        return when == WHEN_ALWAYS || (when == WHEN_AUTO && raw_tty(r));
}

static void settings_size(struct raw *r, unsigned flags)
{
        r->s->view.o.block_style = r->s->view.o.size_style = (struct lsr_size_style){ flags, 1 };
        r->size_given = true;
}

static int settings_block_size(struct raw *r, const char *value)
{
        struct lsr_size_style style;

        switch (lsr_size_parse(value, &style)) {
        case 1: lsr_message("invalid --block-size argument '%s'", value); return 2;
        case 2: lsr_message("invalid suffix in --block-size argument '%s'", value); return 2;
        case 3: lsr_message("--block-size argument '%s' too large", value); return 2;
        }
        r->s->view.o.block_style = r->s->view.o.size_style = style;
        r->size_given = true;
        return UNSET;
}

/* A word, or exit status 1 with GNU's list. */
static int settings_word(const struct lsr_word *words, const char *value, const char *option, int *ret_value)
{
        int v = lsr_word_value(words, value, option);

        if (v < 0) {
                lsr_message_try_help();
                return 1;
        }
        *ret_value = v;
        return UNSET;
}

/* A width too large to count with is none at all.  False: it is no number. */
static bool settings_width(const char *value, long long *ret_value)
{
        enum number got = settings_number(value, ret_value);

        if (got == NUMBER_LARGE || got == NUMBER_OVERFLOW)
                *ret_value = 0;
        return got != NUMBER_NONE;
}

static int settings_width_option(struct raw *r, const char *value)
{
        if (settings_width(value, &r->width))
                return UNSET;
        lsr_message("invalid line width: %s", lsr_quoted_locale(value));
        return 2;
}

static int settings_tab_option(struct raw *r, const char *value)
{
        switch (settings_number(value, &r->tabsize)) {
        case NUMBER_OK: return UNSET;
        case NUMBER_NONE: lsr_message("invalid tab size: %s", lsr_quoted_locale(value)); return 2;
        case NUMBER_LARGE:
        case NUMBER_OVERFLOW: break;
        }
        lsr_message_errno(EOVERFLOW, "invalid tab size: %s", lsr_quoted_locale(value));
        return 2;
}

static int settings_level(struct raw *r, const char *value, const char *option)
{
        long long v = 0;

        if (value && (settings_number(value, &v) != NUMBER_OK || v < 1 || v > UINT_MAX)) {
                lsr_message("invalid depth for '--%s': %s", option, lsr_quoted_locale(value));
                lsr_message_try_help();
                return 2;
        }
        if (value)
                r->s->list.max_depth = (unsigned)v;
        return UNSET;
}

static void settings_not_long(struct raw *r, enum lsr_format format)
{
        if (r->format != LSR_FORMAT_LONG)
                r->format = (int)format;
}

/* Options of one letter.  Returns the exit status of an error, or UNSET. */
static int settings_letter(struct raw *r, char letter, const char *value)
{
        struct lsr_view_options *o = &r->s->view.o;
        struct lsr_list_options *l = &r->s->list;
        int when = WHEN_ALWAYS, status;

        switch (letter) {
        case '1': settings_not_long(r, LSR_FORMAT_ONE); break;
        case 'a': l->show = LSR_SHOW_ALL; break;
        case 'A': l->show = LSR_SHOW_ALMOST; break;
        case 'b': r->quoting = LSR_QUOTE_ESCAPE; break;
        case 'B':
                patterns_add(&r->ignore, "*~");
                patterns_add(&r->ignore, ".*~");
                break;
        case 'c':
                o->time = LSR_CTIME;
                r->time_given = true;
                break;
        case 'C': r->format = LSR_FORMAT_GRID; break;
        case 'd': l->dirs_as_files = true; break;
        case 'D': o->dired = true; break;
        case 'f':
                l->show = LSR_SHOW_ALL;
                r->sort = LSR_SORT_NONE;
                if (r->format == LSR_FORMAT_LONG)
                        r->format = UNSET;
                o->blocks = false;
                r->color = WHEN_NEVER;
                r->hyperlink = false;
                break;
        case 'F':
                status = value ? settings_word(when_words, value, "--classify", &when) : UNSET;
                if (status != UNSET)
                        return status;
                if (when_now(r, when))
                        o->indicator = LSR_INDICATOR_CLASSIFY;
                break;
        case 'g':
                r->format = LSR_FORMAT_LONG;
                o->owner = false;
                break;
        case 'G': o->group = false; break;
        case 'h': settings_size(r, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX); break;
        case 'H': r->follow = LSR_FOLLOW_OPERAND; break;
        case 'i': o->inode = true; break;
        case 'I': patterns_add(&r->ignore, value); break;
        case 'k': r->kibibytes = true; break;
        case 'l': r->format = LSR_FORMAT_LONG; break;
        case 'L': r->follow = LSR_FOLLOW_ALWAYS; break;
        case 'm': r->format = LSR_FORMAT_COMMAS; break;
        case 'n':
                o->numeric = true;
                r->format = LSR_FORMAT_LONG;
                break;
        case 'N': r->quoting = LSR_QUOTE_LITERAL; break;
        case 'o':
                r->format = LSR_FORMAT_LONG;
                o->group = false;
                break;
        case 'p': o->indicator = LSR_INDICATOR_SLASH; break;
        case 'q': r->hide_control = true; break;
        case 'Q': r->quoting = LSR_QUOTE_C; break;
        case 'r': l->reverse = true; break;
        case 'R': l->recursive = true; break;
        case 's': o->blocks = true; break;
        case 'S': r->sort = LSR_SORT_SIZE; break;
        case 't': r->sort = LSR_SORT_TIME; break;
        case 'T': return settings_tab_option(r, value);
        case 'u':
                o->time = LSR_ATIME;
                r->time_given = true;
                break;
        case 'U': r->sort = LSR_SORT_NONE; break;
        case 'v': r->sort = LSR_SORT_VERSION; break;
        case 'w': return settings_width_option(r, value);
        case 'x': r->format = LSR_FORMAT_ACROSS; break;
        case 'X': r->sort = LSR_SORT_EXTENSION; break;
        case 'Z': o->context = true; break;
        }
        return UNSET;
}

static int settings_color(struct raw *r, const char *value)
{
        int when = WHEN_ALWAYS;
        int status = value ? settings_word(when_words, value, "--color", &when) : UNSET;

        r->color = when;
        return status;
}

static int settings_hyperlink(struct raw *r, const char *value)
{
        int when = WHEN_ALWAYS;
        int status = value ? settings_word(when_words, value, "--hyperlink", &when) : UNSET;

        if (status == UNSET)
                r->hyperlink = when_now(r, when);
        return status;
}

static int settings_icons(struct raw *r, const char *value)
{
        int when = WHEN_AUTO;
        int status = value ? settings_word(when_words, value, "--icons", &when) : UNSET;

        if (status == UNSET)
                r->s->view.o.icons = when_now(r, when);
        return status;
}

/* Options that have no letter. */
static int settings_long(struct raw *r, const struct lsr_option *option, const char *value)
{
        struct lsr_view_options *o = &r->s->view.o;
        struct lsr_list_options *l = &r->s->list;
        int status, v;

        switch (option->id) {
        case LSR_OPT_AUTHOR: o->author = true; break;
        case LSR_OPT_BLOCK_SIZE: return settings_block_size(r, value);
        case LSR_OPT_COLOR: return settings_color(r, value);
        case LSR_OPT_DEREFERENCE_DIR: r->follow = LSR_FOLLOW_OPERAND_DIR; break;
        case LSR_OPT_FILE_TYPE: o->indicator = LSR_INDICATOR_FILE_TYPE; break;
        case LSR_OPT_FORMAT: return settings_word(format_words, value, "--format", &r->format);
        case LSR_OPT_FULL_TIME:
                r->format = LSR_FORMAT_LONG;
                r->time_style = "full-iso";
                break;
        case LSR_OPT_DIRS_FIRST: l->dirs_first = true; break;
        case LSR_OPT_HIDE: patterns_add(&r->hide, value); break;
        case LSR_OPT_HYPERLINK: return settings_hyperlink(r, value);
        case LSR_OPT_INDICATOR_STYLE:
                status = settings_word(indicator_words, value, "--indicator-style", &v);
                if (status == UNSET)
                        o->indicator = (enum lsr_indicator)v;
                return status;
        case LSR_OPT_QUOTING_STYLE: return settings_word(quoting_words, value, "--quoting-style", &r->quoting);
        case LSR_OPT_SHOW_CONTROL: r->hide_control = false; break;
        case LSR_OPT_SI: settings_size(r, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX | LSR_HUMAN_1000); break;
        case LSR_OPT_SORT: return settings_word(sort_words, value, "--sort", &r->sort);
        case LSR_OPT_TIME:
                status = settings_word(time_words, value, "--time", &v);
                if (status == UNSET)
                        o->time = (enum lsr_time)v;
                r->time_given = true;
                return status;
        case LSR_OPT_TIME_STYLE: r->time_style = value; break;
        case LSR_OPT_ZERO:
                o->end = '\0';
                r->hide_control = false;
                settings_not_long(r, LSR_FORMAT_ONE);
                r->color = WHEN_NEVER;
                r->quoting = LSR_QUOTE_LITERAL;
                break;
        case LSR_OPT_ACL: r->acl = true; break;
        case LSR_OPT_ICONS: return settings_icons(r, value);
        case LSR_OPT_IO: r->s->engine = value; break;
        case LSR_OPT_JSON: r->json = true; break;
        case LSR_OPT_LEVEL: return settings_level(r, value, "level");
        case LSR_OPT_STATS: r->s->stats = true; break;
        case LSR_OPT_TITLES: o->titles = true; break;
        case LSR_OPT_TOTAL_SIZE: l->total_size = true; break;
        case LSR_OPT_TREE:
                l->tree = true;
                return settings_level(r, value, "tree");
        }
        return UNSET;
}

/* ---- what follows from several options, the environment and the terminal ---- */

static void resolve_format(struct raw *r)
{
        struct lsr_view_options *o = &r->s->view.o;
        struct lsr_list_options *l = &r->s->list;

        if (r->json)
                r->format = LSR_FORMAT_JSON;
        else if (l->tree && r->format != LSR_FORMAT_LONG)
                r->format = LSR_FORMAT_ONE;
        else if (r->format == UNSET)
                r->format = raw_tty(r) ? LSR_FORMAT_GRID : LSR_FORMAT_ONE;
        if (r->json)
                l->tree = false;
        o->format = (enum lsr_format)r->format;
        o->tree = l->tree;
        if (l->tree) {
                l->dirs_as_files = false;
                l->recursive = true;
        }
        if (l->dirs_as_files)
                l->recursive = false;
        l->ignore = r->ignore.list;
        l->hide = r->hide.list;
        l->time = o->time;
        l->sort = r->sort != UNSET                                     ? (enum lsr_sort)r->sort :
                  o->format != LSR_FORMAT_LONG && !r->json && r->time_given ? LSR_SORT_TIME :
                                                                          LSR_SORT_NAME;
}

static void resolve_width(struct raw *r)
{
        struct lsr_view_options *o = &r->s->view.o;
        bool grid = o->format == LSR_FORMAT_GRID || o->format == LSR_FORMAT_ACROSS || o->format == LSR_FORMAT_COMMAS;
        const char *env;
        struct winsize size;

        if (!grid && !o->color)
                return;
        if (r->width < 0 && raw_tty(r) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
                r->width = size.ws_col;
        env = getenv("COLUMNS");
        if (r->width < 0 && env && *env && !settings_width(env, &r->width))
                lsr_message("ignoring invalid width in environment variable COLUMNS: %s", lsr_quoted_locale(env));
        o->width = r->width < 0 ? 80 : (size_t)r->width;
        if (!grid)
                return;
        env = getenv("TABSIZE");
        if (r->tabsize < 0 && env) {
                enum number got = settings_number(env, &r->tabsize);

                if (got == NUMBER_NONE || got == NUMBER_OVERFLOW) {
                        r->tabsize = UNSET;
                        lsr_message("ignoring invalid tab size in environment variable TABSIZE: %s",
                                    lsr_quoted_locale(env));
                }
        }
        o->tabsize = r->tabsize < 0 ? 8 : (size_t)r->tabsize;
}

static void resolve_quoting(struct raw *r)
{
        struct lsr_view *v = &r->s->view;
        const char *env = getenv("QUOTING_STYLE");
        struct lsr_quote q = {};
        enum lsr_quoting style;

        if (r->quoting == UNSET && env) {
                int found = lsr_word_find(quoting_words, env);

                if (found >= 0)
                        r->quoting = found;
                else
                        lsr_message("ignoring invalid value of environment variable QUOTING_STYLE: %s",
                                    lsr_quoted_locale(env));
        }
        if (r->quoting == UNSET)
                r->quoting = raw_tty(r) ? LSR_QUOTE_SHELL_ESCAPE : LSR_QUOTE_LITERAL;
        style = (enum lsr_quoting)r->quoting;
        q.style = style;
        q.hide_control = r->hide_control == UNSET ? raw_tty(r) : r->hide_control;
        q.escape_bidi = !r->s->gnu && raw_tty(r);
        v->align_quotes = (v->o.format == LSR_FORMAT_LONG ||
                           ((v->o.format == LSR_FORMAT_GRID || v->o.format == LSR_FORMAT_ACROSS) && v->o.width)) &&
                          (style == LSR_QUOTE_SHELL || style == LSR_QUOTE_SHELL_ESCAPE || style == LSR_QUOTE_C_MAYBE);
        {
                struct lsr_quote dir = q;

                lsr_quote_also(&dir, ':');
                lsr_quote_compile(&v->dir_quote, &dir);
        }
        if (style == LSR_QUOTE_ESCAPE)
                lsr_quote_also(&q, ' ');
        if (v->o.indicator >= LSR_INDICATOR_FILE_TYPE)
                for (const char *p = &"*=>@|"[v->o.indicator - LSR_INDICATOR_FILE_TYPE]; *p; p++)
                        lsr_quote_also(&q, *p);
        lsr_quote_compile(&v->quote, &q);
}

/* The unit of sizes, if no option gave one. */
static void resolve_sizes(struct raw *r)
{
        struct lsr_view_options *o = &r->s->view.o;
        static const char *const variables[] = { "LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE" };
        struct lsr_size_style style = { 0, getenv("POSIXLY_CORRECT") ? 512 : 1024 };

        if (r->size_given)
                return;
        o->size_style = (struct lsr_size_style){ 0, 1 };
        for (size_t i = 0; i < 3; i++) {
                const char *env = getenv(variables[i]);

                if (!env)
                        continue;
                lsr_size_parse(env, &style);
                if (i < 2)
                        o->size_style = style;
                else if (getenv("BLOCK_SIZE"))
                        o->size_style = style;
                break;
        }
        o->block_style = r->kibibytes ? (struct lsr_size_style){ 0, 1024 } : style;
}

static int resolve_time_style(struct raw *r)
{
        struct lsr_when *w = &r->s->view.when;
        const char *style = r->time_style ? r->time_style : getenv("TIME_STYLE");
        int kind;

        if (!style)
                style = "locale";
        for (; strncmp(style, "posix-", 6) == 0; style += 6) {
                if (lsr_locale_posix_time()) {
                        lsr_when_init(w, LSR_WHEN_LOCALE);
                        return UNSET;
                }
        }
        if (*style == '+') {
                char *old = lsr_xstrdup(style + 1), *recent = strchr(old, '\n');

                if (recent && strchr(recent + 1, '\n')) {
                        lsr_message("invalid time style format %s", lsr_quoted_locale(style + 1));
                        free(old);
                        return 2;
                }
                if (recent)
                        *recent++ = '\0';
                lsr_when_init(w, LSR_WHEN_FORMAT);
                w->formats[0] = old;
                w->formats[1] = recent ? recent : old;
                return UNSET;
        }
        kind = lsr_word_find(time_style_words, style);
        if (kind >= 0) {
                lsr_when_init(w, (enum lsr_when_kind)kind);
                return UNSET;
        }
        lsr_word_complain(kind, style, "time style");
        lsr_message_lines("Valid arguments are:\n"
                          "  - [posix-]full-iso\n"
                          "  - [posix-]long-iso\n"
                          "  - [posix-]iso\n"
                          "  - [posix-]locale\n"
                          "  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n");
        lsr_message_try_help();
        return 2;
}

static void resolve_color(struct raw *r)
{
        struct lsr_view *v = &r->s->view;
        const char *env = getenv("LS_COLORS");
        char prefix[3] = "";

        if (r->color == UNSET) {
                const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");

                r->color = r->s->gnu || (no && *no)               ? WHEN_NEVER :
                           force && *force && strcmp(force, "0") ? WHEN_ALWAYS :
                                                                   WHEN_AUTO;
        }
        v->o.color = v->o.format != LSR_FORMAT_JSON && when_now(r, r->color);
        if (!v->o.color)
                return;
        /* Without LS_COLORS the terminal must be known to have colours, unless lsr was told to use them. */
        if ((!env || !*env) && (r->s->gnu || r->color == WHEN_AUTO) &&
            !lsr_colors_terminal_known(getenv("COLORTERM"), getenv("TERM"))) {
                v->o.color = false;
                return;
        }
        if (lsr_colors_parse(&v->colors, env, r->s->gnu, prefix) != 0) {
                if (prefix[0])
                        lsr_message("unrecognized prefix: %s", lsr_quoted_locale(prefix));
                lsr_message("unparsable value for LS_COLORS environment variable");
                v->o.color = false;
        }
}

static bool color_has(const struct lsr_view *v, enum lsr_color_kind kind)
{
        return v->o.color && lsr_colors_has(&v->colors, kind);
}

/* Does it matter for the colours whether a link leads anywhere? */
static bool resolve_checks_links(const struct raw *r)
{
        const struct lsr_view *v = &r->s->view;

        return r->s->list.dirs_first || color_has(v, LSR_COLOR_ORPHAN) ||
               (color_has(v, LSR_COLOR_EXEC) && v->colors.link_as_target) ||
               (color_has(v, LSR_COLOR_MISSING) && v->o.format == LSR_FORMAT_LONG);
}

static unsigned resolve_fields(const struct raw *r)
{
        static const unsigned times[LSR_TIMES] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME,
                                                   LSR_FIELD_BTIME };
        const struct lsr_view_options *o = &r->s->view.o;
        const struct lsr_list_options *l = &r->s->list;
        unsigned fields = 0;

        if (o->format == LSR_FORMAT_JSON)
                return ~0u;
        if (o->format == LSR_FORMAT_LONG)
                fields |= LSR_FIELD_NLINK | LSR_FIELD_UID | LSR_FIELD_GID | LSR_FIELD_SIZE | LSR_FIELD_BLOCKS |
                          LSR_FIELD_DEV | LSR_FIELD_MODE | times[o->time];
        if (o->blocks)
                fields |= LSR_FIELD_BLOCKS;
        if (o->context)
                fields |= LSR_FIELD_MODE;
        if (l->sort == LSR_SORT_SIZE || l->total_size)
                fields |= LSR_FIELD_SIZE;
        if (l->sort == LSR_SORT_TIME)
                fields |= times[l->time];
        if (fields && o->inode)
                fields |= LSR_FIELD_INODE;
        return fields;
}

static void resolve_want(struct raw *r)
{
        const struct lsr_view *v = &r->s->view;
        const struct lsr_view_options *o = &v->o;
        struct lsr_list_options *l = &r->s->list;
        struct lsr_want *w = &l->want;
        bool long_rows = o->format == LSR_FORMAT_LONG || o->format == LSR_FORMAT_JSON;
        bool check = resolve_checks_links(r);

        w->fields = resolve_fields(r);
        /* The inode of a mount point is not the one that its parent directory knows. */
        w->stat_all = o->hyperlink || o->inode;
        w->inode = o->inode;
        w->type = !w->fields && (l->recursive || o->color || o->icons || o->indicator != LSR_INDICATOR_NONE ||
                                 l->dirs_first);
        w->dir_mode = color_has(v, LSR_COLOR_OTHER_WRITABLE) || color_has(v, LSR_COLOR_STICKY) ||
                      color_has(v, LSR_COLOR_STICKY_OTHER_WRITABLE);
        w->file_mode = w->type && (o->indicator == LSR_INDICATOR_CLASSIFY || color_has(v, LSR_COLOR_EXEC) ||
                                   color_has(v, LSR_COLOR_SETUID) || color_has(v, LSR_COLOR_SETGID) ||
                                   color_has(v, LSR_COLOR_CAP) || o->icons);
        w->link_target = long_rows || check;
        w->link_target_mode = o->format != LSR_FORMAT_JSON && (o->indicator >= LSR_INDICATOR_FILE_TYPE || check);
        /* Debian builds GNU ls without libcap. */
        w->cap = !r->s->gnu && color_has(v, LSR_COLOR_CAP);
        w->context = o->context;
        w->acl = o->format == LSR_FORMAT_LONG && (r->acl || r->s->gnu);
        if (r->follow == UNSET)
                r->follow = l->dirs_as_files || o->indicator == LSR_INDICATOR_CLASSIFY || long_rows ?
                                    LSR_FOLLOW_NEVER :
                                    LSR_FOLLOW_OPERAND_DIR;
        l->follow = (enum lsr_follow)r->follow;
        /* Without an order nothing is first, but as for GNU ls the types were wanted. */
        if (l->sort == LSR_SORT_NONE)
                l->dirs_first = false;
}

static int resolve_all(struct raw *r)
{
        struct lsr_view *v = &r->s->view;
        struct lsr_view_options *o = &v->o;
        const struct lsr_list_options *l = &r->s->list;
        int status;

        resolve_format(r);
        resolve_sizes(r);
        /* GNU ls prints what needs no order name by name, and so without knowing the widths of the others. */
        o->unaligned = o->format == LSR_FORMAT_ONE && l->sort == LSR_SORT_NONE && !o->blocks && !l->recursive;
        o->hyperlink = r->hyperlink && o->format != LSR_FORMAT_JSON;
        resolve_color(r);
        resolve_width(r);
        if (o->color)
                o->tabsize = 0;
        resolve_quoting(r);
        resolve_want(r);
        o->dired = o->dired && o->format == LSR_FORMAT_LONG && !o->hyperlink && !o->tree;
        if (o->dired && o->end != '\n') {
                lsr_message("--dired and --zero are incompatible");
                return 2;
        }
        status = o->format == LSR_FORMAT_LONG ? resolve_time_style(r) : UNSET;
        if (o->format != LSR_FORMAT_LONG)
                lsr_when_init(&v->when, LSR_WHEN_LOCALE);
        if (o->hyperlink) {
                char host[256] = "";

                gethostname(host, sizeof(host) - 1);
                v->host = lsr_xstrdup(host);
        }
        return status;
}

int lsr_settings_parse(struct lsr_settings *ret_settings, int argc, char **argv, bool gnu)
{
        struct lsr_settings *s = ret_settings;
        struct raw r = {
                .s = s,
                .format = UNSET,
                .sort = UNSET,
                .quoting = UNSET,
                .hide_control = UNSET,
                .follow = UNSET,
                .color = UNSET,
                .width = -1,
                .tabsize = -1,
                .tty = UNSET,
        };
        struct lsr_parser parser = { .argv = argv, .argc = argc, .gnu_messages = gnu, .next = 1 };
        const struct lsr_option *option;
        const char *value;
        int got;

        *s = (struct lsr_settings){ .gnu = gnu, .view.o = { .owner = true, .group = true, .end = '\n' } };
        s->operands = parser.operands = lsr_xmalloc(((size_t)argc + 1) * sizeof(*s->operands));
        while ((got = lsr_parse_option(&parser, lsr_message, &option, &value)) > 0) {
                int status;

                if (option->id == LSR_OPT_HELP || option->id == LSR_OPT_VERSION) {
                        s->action = option->id == LSR_OPT_HELP ? LSR_ACTION_HELP : LSR_ACTION_VERSION;
                        return UNSET;
                }
                status = lsr_option_letter(option) ? settings_letter(&r, lsr_option_letter(option), value) :
                                                     settings_long(&r, option, value);
                if (status != UNSET)
                        return status;
        }
        if (got < 0) {
                lsr_message_try_help();
                return 2;
        }
        s->n_operands = parser.n_operands;
        if (s->n_operands == 0)
                s->operands[s->n_operands++] = ".";
        if (!s->engine)
                s->engine = getenv("LSR_IO");
        if (!s->engine || !*s->engine)
                s->engine = "auto";
        return resolve_all(&r);
}
