/*
 * settings - what a command line means
 *
 * Options are first noted in struct raw as they come; what depends on several
 * of them is resolved when all are known (resolve.c).  Tables of words are in
 * GNU's order, since its messages list them.
 */
#include "cli/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/raw.h"

static const struct lsr_word when_words[] = {
        { "always", WHEN_ALWAYS }, { "yes", WHEN_ALWAYS },
        { "force", WHEN_ALWAYS },  { "never", WHEN_NEVER },
        { "no", WHEN_NEVER },      { "none", WHEN_NEVER },
        { "auto", WHEN_AUTO },     { "tty", WHEN_AUTO },
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
        { "atime", LSR_ATIME },  { "access", LSR_ATIME }, { "use", LSR_ATIME },      { "ctime", LSR_CTIME },
        { "status", LSR_CTIME }, { "birth", LSR_BTIME },  { "creation", LSR_BTIME }, { NULL, 0 },
};
static const struct lsr_word format_words[] = {
        { "verbose", LSR_FORMAT_LONG },      { "long", LSR_FORMAT_LONG },
        { "commas", LSR_FORMAT_COMMAS },     { "horizontal", LSR_FORMAT_ACROSS },
        { "across", LSR_FORMAT_ACROSS },     { "vertical", LSR_FORMAT_GRID },
        { "single-column", LSR_FORMAT_ONE }, { NULL, 0 },
};
static const struct lsr_word indicator_words[] = {
        { "none", LSR_INDICATOR_NONE },
        { "slash", LSR_INDICATOR_SLASH },
        { "file-type", LSR_INDICATOR_FILE_TYPE },
        { "classify", LSR_INDICATOR_CLASSIFY },
        { NULL, 0 },
};

static const struct lsr_word confine_words[] = {
        { "auto", false },
        { "required", true },
        { NULL, 0 },
};

void lsr_raw_add_pattern(struct lsr_patterns *p, const char *pattern)
{
        p->list = lsr_xrealloc(p->list, (p->n + 2) * sizeof(*p->list));
        p->list[p->n++] = pattern;
        p->list[p->n] = NULL;
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
        case 1:
                lsr_message("invalid --block-size argument '%s'", value);
                return 2;
        case 2:
                lsr_message("invalid suffix in --block-size argument '%s'", value);
                return 2;
        case 3:
                lsr_message("--block-size argument '%s' too large", value);
                return 2;
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

static int settings_width_option(struct raw *r, const char *value)
{
        if (lsr_raw_width(value, &r->width))
                return UNSET;
        lsr_message("invalid line width: %s", lsr_quoted_locale(value));
        return 2;
}

static int settings_tab_option(struct raw *r, const char *value)
{
        switch (lsr_raw_number(value, &r->tabsize)) {
        case NUMBER_OK:
                return UNSET;
        case NUMBER_NONE:
                lsr_message("invalid tab size: %s", lsr_quoted_locale(value));
                return 2;
        case NUMBER_LARGE:
        case NUMBER_OVERFLOW:
                break;
        }
        lsr_message_errno(EOVERFLOW, "invalid tab size: %s", lsr_quoted_locale(value));
        return 2;
}

static int settings_level(struct raw *r, const char *value, const char *option)
{
        long long v = 0;

        if (value && (lsr_raw_number(value, &v) != NUMBER_OK || v < 1 || v > UINT_MAX)) {
                lsr_message("invalid depth for '--%s': %s", option, lsr_quoted_locale(value));
                lsr_message_try_help();
                return 2;
        }
        if (value)
                r->s->list.max_depth = (unsigned)v;
        return UNSET;
}

static void settings_not_long(struct raw *r, enum lsr_layout format)
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
        case '1':
                settings_not_long(r, LSR_FORMAT_ONE);
                break;
        case 'a':
                l->show = LSR_SHOW_ALL;
                break;
        case 'A':
                l->show = LSR_SHOW_ALMOST;
                break;
        case 'b':
                r->quoting = LSR_QUOTE_ESCAPE;
                break;
        case 'B':
                lsr_raw_add_pattern(&r->s->ignore, "*~");
                lsr_raw_add_pattern(&r->s->ignore, ".*~");
                break;
        case 'c':
                o->time = LSR_CTIME;
                r->time_given = true;
                break;
        case 'C':
                r->format = LSR_FORMAT_GRID;
                break;
        case 'd':
                l->dirs_as_files = true;
                break;
        case 'D':
                o->dired = true;
                break;
        case 'f':
                l->show = LSR_SHOW_ALL;
                r->sort = LSR_SORT_NONE;
                if (r->format == LSR_FORMAT_LONG)
                        r->format = UNSET;
                o->shown &= ~(unsigned)LSR_SHOW_BLOCKS;
                r->color = WHEN_NEVER;
                r->hyperlink = false;
                break;
        case 'F':
                status = value ? settings_word(when_words, value, "--classify", &when) : UNSET;
                if (status != UNSET)
                        return status;
                if (lsr_raw_now(r, when))
                        o->indicator = LSR_INDICATOR_CLASSIFY;
                break;
        case 'g':
                r->format = LSR_FORMAT_LONG;
                o->shown &= ~(unsigned)LSR_SHOW_USER;
                break;
        case 'G':
                o->shown &= ~(unsigned)LSR_SHOW_GROUP;
                break;
        case 'h':
                settings_size(r, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX);
                break;
        case 'H':
                r->follow = LSR_FOLLOW_OPERAND;
                break;
        case 'i':
                o->shown |= LSR_SHOW_INODE;
                break;
        case 'I':
                lsr_raw_add_pattern(&r->s->ignore, value);
                break;
        case 'k':
                r->kibibytes = true;
                break;
        case 'l':
                r->format = LSR_FORMAT_LONG;
                break;
        case 'L':
                r->follow = LSR_FOLLOW_ALWAYS;
                break;
        case 'm':
                r->format = LSR_FORMAT_COMMAS;
                break;
        case 'n':
                o->numeric = true;
                r->format = LSR_FORMAT_LONG;
                break;
        case 'N':
                r->quoting = LSR_QUOTE_LITERAL;
                break;
        case 'o':
                r->format = LSR_FORMAT_LONG;
                o->shown &= ~(unsigned)LSR_SHOW_GROUP;
                break;
        case 'p':
                o->indicator = LSR_INDICATOR_SLASH;
                break;
        case 'q':
                r->hide_control = true;
                break;
        case 'Q':
                r->quoting = LSR_QUOTE_C;
                break;
        case 'r':
                l->reverse = true;
                break;
        case 'R':
                l->recursive = true;
                break;
        case 's':
                o->shown |= LSR_SHOW_BLOCKS;
                break;
        case 'S':
                r->sort = LSR_SORT_SIZE;
                break;
        case 't':
                r->sort = LSR_SORT_TIME;
                break;
        case 'T':
                return settings_tab_option(r, value);
        case 'u':
                o->time = LSR_ATIME;
                r->time_given = true;
                break;
        case 'U':
                r->sort = LSR_SORT_NONE;
                break;
        case 'v':
                r->sort = LSR_SORT_VERSION;
                break;
        case 'w':
                return settings_width_option(r, value);
        case 'x':
                r->format = LSR_FORMAT_ACROSS;
                break;
        case 'X':
                r->sort = LSR_SORT_EXTENSION;
                break;
        case 'Z':
                o->shown |= LSR_SHOW_CONTEXT;
                break;
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
                r->hyperlink = lsr_raw_now(r, when);
        return status;
}

static int settings_icons(struct raw *r, const char *value)
{
        int when = WHEN_AUTO;
        int status = value ? settings_word(when_words, value, "--icons", &when) : UNSET;

        if (status == UNSET)
                r->s->view.o.icons = lsr_raw_now(r, when);
        return status;
}

static int settings_bundles(struct raw *r, const char *value)
{
        int when = WHEN_AUTO;
        int status = settings_word(when_words, value, "--bundles", &when);

        r->s->list.enter = when == WHEN_NEVER    ? LSR_ENTER_NEVER
                           : when == WHEN_ALWAYS ? LSR_ENTER_ALWAYS
                                                 : LSR_ENTER_AUTO;
        return status;
}

/* Options that have no letter. */
static int settings_long(struct raw *r, const struct lsr_option *option, const char *value)
{
        struct lsr_view_options *o = &r->s->view.o;
        struct lsr_list_options *l = &r->s->list;
        int status, v;

        switch (option->id) {
        case LSR_OPT_AUTHOR:
                o->shown |= LSR_SHOW_AUTHOR;
                break;
        case LSR_OPT_BLOCK_SIZE:
                return settings_block_size(r, value);
        case LSR_OPT_COLOR:
                return settings_color(r, value);
        case LSR_OPT_DEREFERENCE_DIR:
                r->follow = LSR_FOLLOW_OPERAND_DIR;
                break;
        case LSR_OPT_FILE_TYPE:
                o->indicator = LSR_INDICATOR_FILE_TYPE;
                break;
        case LSR_OPT_FORMAT:
                return settings_word(format_words, value, "--format", &r->format);
        case LSR_OPT_FULL_TIME:
                r->format = LSR_FORMAT_LONG;
                r->time_style = "full-iso";
                break;
        case LSR_OPT_DIRS_FIRST:
                l->dirs_first = true;
                break;
        case LSR_OPT_HIDE:
                lsr_raw_add_pattern(&r->s->hide, value);
                break;
        case LSR_OPT_HYPERLINK:
                return settings_hyperlink(r, value);
        case LSR_OPT_INDICATOR_STYLE:
                status = settings_word(indicator_words, value, "--indicator-style", &v);
                if (status == UNSET)
                        o->indicator = (enum lsr_indicator)v;
                return status;
        case LSR_OPT_QUOTING_STYLE:
                return settings_word(lsr_quoting_words, value, "--quoting-style", &r->quoting);
        case LSR_OPT_SHOW_CONTROL:
                r->hide_control = false;
                break;
        case LSR_OPT_SI:
                settings_size(r, LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX | LSR_HUMAN_1000);
                break;
        case LSR_OPT_SORT:
                return settings_word(sort_words, value, "--sort", &r->sort);
        case LSR_OPT_TIME:
                status = settings_word(time_words, value, "--time", &v);
                if (status == UNSET)
                        o->time = (enum lsr_time)v;
                r->time_given = true;
                return status;
        case LSR_OPT_TIME_STYLE:
                r->time_style = value;
                break;
        case LSR_OPT_ZERO:
                o->end = '\0';
                r->hide_control = false;
                settings_not_long(r, LSR_FORMAT_ONE);
                r->color = WHEN_NEVER;
                r->quoting = LSR_QUOTE_LITERAL;
                break;
        case LSR_OPT_ACL:
                r->acl = true;
                break;
        case LSR_OPT_BUNDLES:
                return settings_bundles(r, value);
        case LSR_OPT_COLUMNS:
                r->columns = value;
                break;
        case LSR_OPT_CONFINE:
                return settings_word(confine_words, value, "--confine", &r->confine);
        case LSR_OPT_FORCE:
                r->s->force = true;
                break;
        case LSR_OPT_GIT:
                o->shown |= LSR_SHOW_GIT;
                break;
        case LSR_OPT_ICONS:
                return settings_icons(r, value);
        case LSR_OPT_IO:
                r->s->engine = value;
                break;
        case LSR_OPT_JSON:
                r->json = true;
                break;
        case LSR_OPT_LEVEL:
                return settings_level(r, value, "level");
        case LSR_OPT_NO_CACHE:
                r->s->no_cache = true;
                break;
        case LSR_OPT_OUTPUT:
                r->s->output = value;
                break;
        case LSR_OPT_STATS:
                r->s->stats = true;
                break;
        case LSR_OPT_TITLES:
                o->titles = true;
                break;
        case LSR_OPT_TOTAL_SIZE:
                l->total_size = true;
                break;
        case LSR_OPT_TREE:
                l->tree = true;
                return settings_level(r, value, "tree");
        case LSR_OPT_CAT:
        case LSR_OPT_CHECK:
        case LSR_OPT_COMPARE:
        case LSR_OPT_PACK:
        case LSR_OPT_UNPACK:
                break; /* as lsr_raw_command() found */
        default:
                return option->group == LSR_GROUP_COMPARE ? lsr_raw_compare(r, option, value)
                                                          : lsr_raw_pack(r, option, value);
        }
        return UNSET;
}

/* What the option does not say the environment does.  A word that is not known must not mean that nothing is required. */
static int settings_confine(struct raw *r)
{
        const char *env = getenv("LSR_CONFINE");

        if (r->confine == UNSET && env && *env &&
            settings_word(confine_words, env, "LSR_CONFINE", &r->confine) != UNSET)
                return 2;
        r->s->confine_required = r->confine == true;
        return UNSET;
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
                .confine = UNSET,
                .width = -1,
                .tabsize = -1,
                .tty = UNSET,
        };
        struct lsr_parser parser = { .argv = argv, .argc = argc, .gnu_messages = gnu, .next = 1 };
        const struct lsr_option *option;
        const char *value;
        int got;

        *s = (struct lsr_settings){ .gnu = gnu,
                                    .list.enter = gnu ? LSR_ENTER_SLASH : LSR_ENTER_AUTO,
                                    .view.o = { .shown = LSR_SHOW_USER | LSR_SHOW_GROUP, .end = '\n' } };
        s->operands = parser.operands = lsr_xmalloc(((size_t)argc + 1) * sizeof(*s->operands));
        if (!gnu)
                s->action = lsr_raw_command(parser);
        while ((got = lsr_parse_option(&parser, lsr_message, &option, &value)) > 0) {
                int status;

                if (option->id == LSR_OPT_HELP || option->id == LSR_OPT_VERSION) {
                        s->action = option->id == LSR_OPT_HELP ? LSR_ACTION_HELP : LSR_ACTION_VERSION;
                        return UNSET;
                }
                status = lsr_raw_check_command(option, s->action);
                if (status == UNSET)
                        status = lsr_option_letter(option) ? settings_letter(&r, lsr_option_letter(option), value)
                                                           : settings_long(&r, option, value);
                if (status != UNSET)
                        return status;
        }
        if (got < 0) {
                lsr_message_try_help();
                return 2;
        }
        s->n_operands = parser.n_operands;
        if (s->n_operands == 0 && s->action != LSR_ACTION_LIST) {
                lsr_message("missing operand");
                lsr_message_try_help();
                return 2;
        }
        if (s->n_operands == 0)
                s->operands[s->n_operands++] = ".";
        if (!s->engine) {
                const char *env = getenv("LSR_IO");

                s->engine = env && *env ? env : "auto";
        }
        return settings_confine(&r) == UNSET ? lsr_raw_resolve(&r) : 2;
}
