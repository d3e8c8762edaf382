/*
 * resolve - what follows from several options, the environment and the terminal
 *
 * The order is that of GNU's error messages, and each step uses the results of
 * those before it: format and order, sizes, width, quoting, style of times,
 * colours, and from all of them the metadata to request.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/locale.h"
#include "cli/message.h"
#include "cli/given.h"

bool lsr_given_tty(struct lsr_settings *s)
{
        if (s->given.tty == UNSET) {
                s->given.tty = isatty(STDOUT_FILENO);
                if (!s->given.tty && errno == EBADF)
                        while (open("/dev/null", O_RDONLY | O_CLOEXEC) == STDIN_FILENO)
                                ;
        }
        return s->given.tty;
}

enum number lsr_given_number(const char *text, long long *ret_value)
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

bool lsr_given_now(struct lsr_settings *s, int when)
{
        return when == WHEN_ALWAYS || (when == WHEN_AUTO && lsr_given_tty(s));
}

bool lsr_given_width(const char *value, long long *ret_value)
{
        enum number got = lsr_given_number(value, ret_value);

        if (got == NUMBER_LARGE || got == NUMBER_OVERFLOW)
                *ret_value = 0;
        return got != NUMBER_NONE;
}

static void resolve_format(struct lsr_settings *s)
{
        static const enum lsr_enter enters[] = { LSR_ENTER_NEVER, LSR_ENTER_ALWAYS, LSR_ENTER_AUTO }; /* by enum when */
        struct lsr_view_options *o = &s->view.o;
        struct lsr_list_options *l = &s->list;
        int format = s->given.json ? LSR_FORMAT_JSON : s->given.format;

        /* As for tree(1), -d is for directories only there; for GNU ls it takes -R back. */
        if (l->dirs_as_files && l->tree)
                l->kinds = LSR_KINDS_DIRS;
        if (l->dirs_as_files)
                l->recursive = false;
        if (l->tree)
                l->dirs_as_files = false;
        if (format == UNSET)
                format = s->given.columns               ? LSR_FORMAT_LONG
                         : l->tree || !lsr_given_tty(s) ? LSR_FORMAT_ONE
                                                        : LSR_FORMAT_GRID;
        if (l->tree && !lsr_view_kinds[format].tree)
                format = LSR_FORMAT_ONE;
        o->format = (enum lsr_layout)format;
        o->titles = o->titles && lsr_view_kinds[format].rows;
        o->tree = l->tree;
        if (l->tree) {
                /* "." and ".." on every level would be noise. */
                if (l->show == LSR_SHOW_ALL)
                        l->show = LSR_SHOW_ALMOST;
                l->recursive = true;
        }
        l->ignore = s->ignore.list;
        l->only = s->only.list;
        if (s->given.bundles != UNSET)
                l->enter = enters[s->given.bundles];
        l->hide = l->show == LSR_SHOW_VISIBLE ? s->hide.list : NULL;
        if (s->given.time != UNSET)
                o->time = (enum lsr_time)s->given.time;
        l->time = o->time;
        l->sort = s->given.sort != UNSET ? (enum lsr_sort)s->given.sort
                  /* Where no column shows it. */
                  : s->given.time != UNSET && !lsr_view_kinds[format].shown ? LSR_SORT_TIME
                                                                            : LSR_SORT_NAME;
}

static void resolve_width(struct lsr_settings *s)
{
        struct lsr_view_options *o = &s->view.o;
        bool fills = lsr_view_kind(&s->view)->fills;
        const char *env;
        struct winsize size;

        if (!fills && !o->color)
                return;
        if (s->given.width < 0 && lsr_given_tty(s) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
                s->given.width = size.ws_col;
        env = getenv("COLUMNS");
        if (s->given.width < 0 && env && *env && !lsr_given_width(env, &s->given.width))
                lsr_message("ignoring invalid width in environment variable COLUMNS: %s", lsr_quoted_locale(env));
        o->width = s->given.width < 0 ? 80 : (size_t)s->given.width;
        if (!fills)
                return;
        env = getenv("TABSIZE");
        if (s->given.tabsize < 0 && env) {
                enum number got = lsr_given_number(env, &s->given.tabsize);

                if (got == NUMBER_NONE || got == NUMBER_OVERFLOW) {
                        s->given.tabsize = UNSET;
                        lsr_message("ignoring invalid tab size in environment variable TABSIZE: %s",
                                    lsr_quoted_locale(env));
                }
        }
        o->tabsize = s->given.tabsize < 0 ? 8 : (size_t)s->given.tabsize;
}

/* Where no option said it, a word of @variable may. */
static void resolve_variable(const struct lsr_settings *s, int *given, const char *variable,
                             const struct lsr_word *words)
{
        const char *env = getenv(variable);
        int found;

        if (*given != UNSET || !env)
                return;
        found = lsr_word_find(words, env, !s->gnu);
        if (found >= 0)
                *given = found;
        else
                lsr_message("ignoring invalid value of environment variable %s: %s", variable, lsr_quoted_locale(env));
}

static void resolve_quoting(struct lsr_settings *s)
{
        struct lsr_view *v = &s->view;
        const struct lsr_view_kind *kind = lsr_view_kind(v);
        struct lsr_quote q = {}, dir;
        enum lsr_quoting style;

        resolve_variable(s, &s->given.quoting, "QUOTING_STYLE", lsr_quoting_words);
        if (s->given.quoting == UNSET)
                s->given.quoting = lsr_given_tty(s) ? LSR_QUOTE_SHELL_ESCAPE : LSR_QUOTE_LITERAL;
        style = (enum lsr_quoting)s->given.quoting;
        q.style = style;
        q.hide_control = s->given.hide_control == UNSET ? lsr_given_tty(s) : s->given.hide_control;
        q.escape_bidi = !s->gnu && lsr_given_tty(s);
        v->align_quotes = kind->aligned && (!kind->fills || v->o.width) &&
                          (style == LSR_QUOTE_SHELL || style == LSR_QUOTE_SHELL_ESCAPE || style == LSR_QUOTE_C_MAYBE);
        dir = q;
        lsr_quote_also(&dir, ':');
        lsr_quote_compile(&v->dir_quote, &dir);
        if (style == LSR_QUOTE_ESCAPE)
                lsr_quote_also(&q, ' ');
        if (v->o.indicator >= LSR_INDICATOR_FILE_TYPE)
                for (const char *p = &"*=>@|"[v->o.indicator - LSR_INDICATOR_FILE_TYPE]; *p; p++)
                        lsr_quote_also(&q, *p);
        lsr_quote_compile(&v->quote, &q);
}

/* The unit of sizes, if no option gave one. */
static void resolve_sizes(struct lsr_settings *s)
{
        struct lsr_view_options *o = &s->view.o;
        static const char *const variables[] = { "LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE" };
        struct lsr_size_style style = { 0, getenv("POSIXLY_CORRECT") ? 512 : 1024 };

        if (s->given.size)
                return;
        o->size_style = (struct lsr_size_style){ 0, 1 };
        for (size_t i = 0; i < 3; i++) {
                const char *env = getenv(variables[i]);

                if (!env)
                        continue;
                lsr_size_parse(env, &style);
                /* BLOCKSIZE is for blocks only. */
                if (i < 2)
                        o->size_style = style;
                break;
        }
        o->block_style = s->given.kibibytes ? (struct lsr_size_style){ 0, 1024 } : style;
}

static int resolve_time_format(struct lsr_settings *s, const char *format)
{
        struct lsr_when *w = &s->view.when;
        char *old = lsr_xstrdup(format), *recent = strchr(old, '\n');

        if (recent && strchr(recent + 1, '\n')) {
                free(old);
                lsr_default_blame(format);
                return lsr_message("invalid time style format %s", lsr_quoted_locale(format));
        }
        if (recent)
                *recent++ = '\0';
        lsr_when_init(w, LSR_WHEN_FORMAT);
        w->formats[0] = old;
        w->formats[1] = recent ? recent : old;
        return 0;
}

static int resolve_time_style(struct lsr_settings *s)
{
        struct lsr_when *w = &s->view.when;
        const char *style = s->given.time_style ? s->given.time_style : getenv("TIME_STYLE");
        int kind;

        if (!lsr_view_kind(&s->view)->rows || !style)
                style = "locale";
        while (strncmp(style, "posix-", 6) == 0)
                style = lsr_locale_posix_time() ? "locale" : style + 6;
        if (*style == '+')
                return resolve_time_format(s, style + 1);
        kind = lsr_word_find(lsr_time_style_words, style, !s->gnu);
        if (kind < 0) {
                lsr_default_blame(style);
                lsr_word_complain(kind, style, "time style");
                lsr_message_lines(s->gnu ? "Valid arguments are:\n" : "Valid arguments are:\n  - relative\n");
                lsr_message_lines("  - [posix-]full-iso\n"
                                  "  - [posix-]long-iso\n"
                                  "  - [posix-]iso\n"
                                  "  - [posix-]locale\n"
                                  "  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n");
                return lsr_message_try_help();
        }
        lsr_when_init(w, (enum lsr_when_kind)kind);
        return 0;
}

/* Are colours asked for? */
static void resolve_color(struct lsr_settings *s)
{
        struct lsr_view *v = &s->view;

        if (s->given.color == UNSET) {
                const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");

                s->given.color = s->gnu || (no && *no)                        ? WHEN_NEVER
                                 : force && *force && strcmp(force, "0") != 0 ? WHEN_ALWAYS
                                                                              : WHEN_AUTO;
        }
        v->o.color = !lsr_view_kind(v)->plain && lsr_given_now(s, s->given.color);
}

/* The colours; none if the terminal has none, or LS_COLORS cannot be parsed. */
static void resolve_palette(struct lsr_settings *s)
{
        struct lsr_view *v = &s->view;
        const char *env = getenv("LS_COLORS");
        char prefix[3] = "";

        if (!v->o.color)
                return;
        /* Without LS_COLORS the terminal must be known to have colours, unless lsr was told to use them. */
        if ((!env || !*env) && (s->gnu || s->given.color == WHEN_AUTO) &&
            !lsr_colors_terminal_known(getenv("COLORTERM"), getenv("TERM"))) {
                v->o.color = false;
                return;
        }
        if (lsr_colors_parse(&v->colors, env, s->gnu, prefix) != 0) {
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
static bool resolve_checks_links(const struct lsr_settings *s)
{
        const struct lsr_view *v = &s->view;

        return s->list.dirs_first || color_has(v, LSR_COLOR_ORPHAN) ||
               (color_has(v, LSR_COLOR_EXEC) && v->colors.link_as_target) ||
               (color_has(v, LSR_COLOR_MISSING) && lsr_view_kind(v)->rows);
}

static int resolve_no_column(const char *list)
{
        lsr_auto(lsr_out_free) struct lsr_out names = LSR_OUT_FD(STDERR_FILENO);
        lsr_autofree char *unknown = lsr_xstrndup(list, strcspn(list, ","));

        lsr_message("unknown column %s", lsr_quoted_locale(unknown));
        lsr_out_puts(&names, "Valid columns are:\n");
        for (size_t i = 0; lsr_column_name(i); i++)
                lsr_out_printf(&names, "  - %s\n", lsr_column_name(i));
        lsr_out_flush(&names);
        return lsr_message_try_help();
}

/* The columns of the output.  Returns 0, or the exit status after an error. */
static int resolve_columns(struct lsr_settings *s)
{
        struct lsr_view *v = &s->view;
        const struct lsr_view_kind *kind = lsr_view_kind(v);
        const char *unknown = NULL;

        if (s->given.columns) {
                unknown = lsr_cells_parse(&v->cells, s->given.columns);
                lsr_cells_add(&v->cells, v->o.shown & ~(unsigned)(LSR_SHOW_USER | LSR_SHOW_GROUP));
        } else {
                lsr_cells_add(&v->cells, kind->shown | (v->o.shown & kind->optional) |
                                                 (kind->rows ? LSR_SHOW_TIME << v->o.time : 0));
        }
        if (v->cells.n == LSR_CELLS_MAX)
                return lsr_message("too many columns: %d is the most", LSR_CELLS_MAX - 1);
        if (unknown) {
                lsr_default_blame(unknown);
                return resolve_no_column(unknown);
        }
        if (!kind->rows)
                for (size_t i = 0; i < v->cells.n; i++)
                        v->cells.all[i].align = LSR_RIGHT;
        return 0;
}

/*
 * Which files are stat-ed, and for what: the one place that decides it.  If a field is shown or sorted by, all.  Else,
 * as for GNU ls, those of which d_type does not tell what a mark or a colour depends on: whether others may write to a
 * directory, whether a file may be executed and how many names it has, where a link leads.
 */
static void resolve_stat(struct lsr_settings *s)
{
        static const unsigned times[LSR_TIMES] = { LSR_FIELD_MTIME, LSR_FIELD_ATIME, LSR_FIELD_CTIME, LSR_FIELD_BTIME };
        const struct lsr_view *v = &s->view;
        const struct lsr_view_options *o = &v->o;
        const struct lsr_list_options *l = &s->list;
        struct lsr_want *w = &s->list.want;
        unsigned fields = v->cells.fields | (lsr_view_kind(v)->rows ? LSR_FIELD_BLOCKS : 0) | /* for the total */
                          (l->sort == LSR_SORT_SIZE || l->total_size ? LSR_FIELD_SIZE : 0) |
                          (l->sort == LSR_SORT_INODE ? LSR_FIELD_INODE : 0) |
                          (l->sort == LSR_SORT_TIME ? times[l->time] : 0);
        bool type = l->recursive || o->color || o->icons || o->indicator != LSR_INDICATOR_NONE || l->dirs_first ||
                    l->kinds != LSR_KINDS_ALL;
        bool dirs = color_has(v, LSR_COLOR_OTHER_WRITABLE) || color_has(v, LSR_COLOR_STICKY) ||
                    color_has(v, LSR_COLOR_STICKY_OTHER_WRITABLE);
        bool files = o->icons || o->indicator == LSR_INDICATOR_CLASSIFY || color_has(v, LSR_COLOR_EXEC) ||
                     color_has(v, LSR_COLOR_SETUID) || color_has(v, LSR_COLOR_SETGID) || color_has(v, LSR_COLOR_CAP);
        bool links = (type || w->git) && (l->follow == LSR_FOLLOW_ALWAYS || w->link_target);

        w->fields = LSR_FIELD_TYPE | LSR_FIELD_MODE | (fields ? fields : files ? LSR_FIELD_NLINK : 0);
        w->fields |= w->acl || w->context ? LSR_FIELD_ATTRIBUTES : 0;
        w->stat = fields || o->hyperlink ? UINT16_MAX
                                         : (uint16_t)((type || w->git) << DT_UNKNOWN | dirs << DT_DIR |
                                                      files << DT_REG | links << DT_LNK);
}

static void resolve_want(struct lsr_settings *s)
{
        const struct lsr_view *v = &s->view;
        const struct lsr_view_options *o = &v->o;
        struct lsr_list_options *l = &s->list;
        struct lsr_want *w = &l->want;
        const struct lsr_view_kind *kind = lsr_view_kind(v);
        bool check = resolve_checks_links(s);
        unsigned needs = v->cells.needs;

        w->link_target = kind->shown || check;
        w->link_target_mode = !kind->plain && (o->indicator >= LSR_INDICATOR_FILE_TYPE || check);
        /* Debian builds GNU ls without libcap. */
        w->cap = !s->gnu && color_has(v, LSR_COLOR_CAP);
        w->context = needs & LSR_NEED_CONTEXT;
        w->member = needs & LSR_NEED_MEMBER;
        w->git = (needs & LSR_NEED_GIT) || l->git_ignore;
        w->remarks = kind->rows && !s->gnu;
        w->acl = !kind->plain && (needs & LSR_NEED_ACL) && (s->given.acl || s->gnu);
        if (s->given.follow == UNSET)
                s->given.follow = l->dirs_as_files || o->indicator == LSR_INDICATOR_CLASSIFY || kind->shown
                                          ? LSR_FOLLOW_NEVER
                                          : LSR_FOLLOW_OPERAND_DIR;
        l->follow = (enum lsr_follow)s->given.follow;
        resolve_stat(s);
        /* Without an order there are no first entries, but like GNU ls this requests the types. */
        if (l->sort == LSR_SORT_NONE)
                l->dirs_first = false;
        l->keep = l->tree && v->cells.n > 0 && !kind->plain;
        l->pieces = o->unaligned && !o->tree && !w->stat && !l->git_ignore && l->kinds == LSR_KINDS_ALL;
}

static int resolve_level(const struct lsr_settings *s)
{
        const struct lsr_list_options *l = &s->list;

        if (!l->max_depth || l->tree || l->recursive || l->max_depth == s->given.default_depth)
                return 0;
        return lsr_message_usage("option '--level' is only for trees: use '--tree=%u', or -R with it", l->max_depth);
}

int lsr_given_resolve(struct lsr_settings *s)
{
        struct lsr_view *v = &s->view;
        struct lsr_view_options *o = &v->o;
        const char *icons;
        int status = resolve_level(s);

        if (status)
                return status;
        resolve_format(s);
        resolve_sizes(s);
        o->hyperlink = !lsr_view_kind(v)->plain && lsr_given_now(s, s->given.hyperlink);
        icons = getenv("LSR_ICONS");
        if (!s->gnu && icons && *icons)
                resolve_variable(s, &s->given.icons, "LSR_ICONS", lsr_when_words);
        o->icons = lsr_given_now(s, s->given.icons);
        resolve_color(s);
        resolve_width(s);
        resolve_quoting(s);
        o->dired = o->dired && lsr_view_kind(v)->rows && !o->hyperlink && !o->tree;
        if (o->dired && o->end != '\n')
                return lsr_message("--dired and --zero are incompatible");
        status = resolve_time_style(s);
        if (status)
                return status;
        resolve_palette(s);
        if (o->color)
                o->tabsize = 0;
        status = resolve_columns(s);
        if (status)
                return status;
        /* Of the columns of ls -l on a terminal only: elsewhere the bytes are those of GNU ls. */
        if (o->color && !s->gnu && !o->dired && !lsr_colors_has(&v->colors, LSR_COLOR_NORMAL))
                lsr_cells_paint(&v->cells, lsr_given_tty(s));
        o->unaligned = o->format == LSR_FORMAT_ONE && s->list.sort == LSR_SORT_NONE && !s->list.recursive &&
                       !(v->cells.called & (LSR_SHOW_BLOCKS | LSR_SHOW_GIT));
        resolve_want(s);
        if (o->hyperlink)
                lsr_hyperlinks_init(&v->links);
        return 0;
}
