/*
 * options - the table, and what options do
 *
 * A row defines an option completely.  Most options set a field of the settings to a flag, a value or a word of a
 * list, so their row names the field.  Options that overrule each other by GNU's rules have functions of their
 * own.  Words are in GNU's order, since its messages list them.
 */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "catalogue/catalogue.h"
#include "cli/given.h"
#include "cli/message.h"
#include "compare/experiment.h"
#include "formats/encoding.h"
#include "formats/writer.h"

/* --- words -------------------------------------------------------------------- */

const struct lsr_word lsr_when_words[] = {
        { "always", WHEN_ALWAYS },      { "yes", WHEN_ALWAYS, true },
        { "force", WHEN_ALWAYS, true }, { "never", WHEN_NEVER },
        { "no", WHEN_NEVER, true },     { "none", WHEN_NEVER, true },
        { "auto", WHEN_AUTO },          { "tty", WHEN_AUTO, true },
        { "if-tty", WHEN_AUTO, true },  {},
};
static const struct lsr_word sort_words[] = {
        { "none", LSR_SORT_NONE },
        { "time", LSR_SORT_TIME },
        { "size", LSR_SORT_SIZE },
        { "extension", LSR_SORT_EXTENSION },
        { "version", LSR_SORT_VERSION },
        { "width", LSR_SORT_WIDTH },
        { "name", LSR_SORT_NAME, .extra = true },
        { "inode", LSR_SORT_INODE, .extra = true },
        { "natural", LSR_SORT_NATURAL, .extra = true },
        {},
};
static const struct lsr_word time_words[] = {
        { "atime", LSR_ATIME },
        { "access", LSR_ATIME },
        { "use", LSR_ATIME },
        { "ctime", LSR_CTIME },
        { "status", LSR_CTIME },
        { "birth", LSR_BTIME },
        { "creation", LSR_BTIME },
        { "mtime", LSR_MTIME, .extra = true },
        { "modification", LSR_MTIME, .extra = true },
        {},
};
static const struct lsr_word indicator_words[] = {
        { "none", LSR_INDICATOR_NONE },
        { "slash", LSR_INDICATOR_SLASH },
        { "file-type", LSR_INDICATOR_FILE_TYPE },
        { "classify", LSR_INDICATOR_CLASSIFY },
        {},
};
const struct lsr_word lsr_confine_words[] = { { "auto", false }, { "required", true }, {} };
const struct lsr_word lsr_time_style_words[] = {
        { "full-iso", LSR_WHEN_FULL_ISO },
        { "long-iso", LSR_WHEN_LONG_ISO },
        { "iso", LSR_WHEN_ISO },
        { "locale", LSR_WHEN_LOCALE },
        { "relative", LSR_WHEN_RELATIVE, .extra = true },
        {},
};

static const struct lsr_word help_words[] = { { "all", true }, {} };

/* For completions only: the modules that take these words parse them. */
static const struct lsr_word engine_words[] = { { "auto" }, { "uring" }, { "threads" }, { "sync" }, {} };

static void choices_formats(struct lsr_out *out)
{
        for (const struct lsr_writer_kind *const *kind = lsr_writers; *kind; kind++)
                lsr_out_printf(out, "%s%s", kind > lsr_writers ? " " : "", (*kind)->suffixes[0] + 1);
}

static void choices_columns(struct lsr_out *out)
{
        for (size_t i = 0; lsr_column_name(i); i++)
                lsr_out_printf(out, "%s%s", i > 0 ? " " : "", lsr_column_name(i));
}

/* Those of the table of views. */
static const struct lsr_word *format_words(void)
{
        static struct lsr_word words[LSR_VIEW_KINDS_MAX * LSR_VIEW_WORDS];
        size_t n = 0;

        for (size_t i = 0; i < lsr_n_view_kinds; i++)
                for (const char *const *word = lsr_view_kinds[i].words; *word; word++)
                        words[n++] = (struct lsr_word){ *word, (int)i, .extra = lsr_view_kinds[i].extra };
        return words;
}

static void choices_views(struct lsr_out *out)
{
        for (const struct lsr_word *words = format_words(), *w = words; w->word; w++)
                lsr_out_printf(out, "%s%s", w > words ? " " : "", w->word);
}

static void choices_encodings(struct lsr_out *out)
{
        for (const struct lsr_encoding *e = lsr_encodings; e->name; e++)
                lsr_out_printf(out, "%s%s", e > lsr_encodings ? " " : "", e->name);
}

static void choices_limits(struct lsr_out *out)
{
        for (unsigned i = 0; i < LSR_LIMITS; i++)
                lsr_out_printf(out, "%s%s=", i > 0 ? " " : "", lsr_limit_kinds[i].name);
}

static void choices_compared(struct lsr_out *out)
{
        for (const char *p = LSR_COMPARE_FORMATS; *p; p++)
                lsr_out_putc(out, *p == ',' ? ' ' : *p);
}

/* --- what many options do ----------------------------------------------------- */

static void *set_field(struct lsr_settings *s, const struct lsr_option *o)
{
        return (char *)s + o->at;
}

static int set_flag(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        *(bool *)set_field(s, o) = true;
        return 0;
}

static int set_value(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        *(int *)set_field(s, o) = o->to;
        return 0;
}

static int set_text(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        *(const char **)set_field(s, o) = value;
        return 0;
}

/* Catalogues that are remembered have names of another encoding, or none. */
static int set_encoding(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        lsr_auto(lsr_out_free) struct lsr_out names = LSR_OUT_MEMORY;

        s->encoding = value;
        s->no_cache = true;
        if (lsr_encoding_find(value))
                return 0;
        choices_encodings(&names);
        lsr_out_putc(&names, '\0');
        lsr_message("unknown encoding %s; there are %s", lsr_quoted_locale(value), names.buf);
        return lsr_message_try_help();
}

static int set_limit(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        static const char *const units[] = { "a number", "bytes, as 64M or 2G", "seconds, as 90 or 90s" };
        lsr_auto(lsr_out_free) struct lsr_out names = LSR_OUT_MEMORY;
        enum lsr_limit limit;
        int r = lsr_limit_set(value, &limit);

        if (r == 0)
                return 0;
        if (r == -ENOENT) {
                for (unsigned i = 0; i < LSR_LIMITS; i++)
                        lsr_out_printf(&names, "%s%s", i > 0 ? ", " : "", lsr_limit_kinds[i].name);
                lsr_out_putc(&names, '\0');
                lsr_message("unknown limit %s; there are %s", lsr_quoted_locale(value), names.buf);
        } else {
                const struct lsr_limit_kind *kind = &lsr_limit_kinds[limit];

                lsr_message("invalid argument %s for '--%s': %s takes %s, from %" PRIu64 " to %" PRIu64,
                            lsr_quoted_locale(value), o->name, kind->name, units[kind->unit], kind->least, kind->most);
        }
        return lsr_message_try_help();
}

/* The value of a word, or -1 after GNU's list; GNU ls ends with status 1 then. */
static int set_find_word(const struct lsr_option *o, const char *value)
{
        char name[64];

        snprintf(name, sizeof(name), "--%s", o->name);
        return lsr_word_value(o->words, value, name);
}

static int set_word(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        int v = value ? set_find_word(o, value) : o->to;

        if (v < 0)
                return s->gnu ? 1 : 2;
        *(int *)set_field(s, o) = v;
        return 0;
}

static int set_number(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        char *end;
        long v = strtol(value, &end, 10);

        if (end == value || *end || v < o->from || v > o->to)
                return lsr_message_usage("invalid argument %s for '--%s'", lsr_quoted_locale(value), o->name);
        *(int *)set_field(s, o) = (int)v;
        return 0;
}

static void set_add_pattern(struct lsr_patterns *p, const char *pattern)
{
        p->list = lsr_xrealloc(p->list, (p->n + 2) * sizeof(*p->list));
        p->list[p->n++] = pattern;
        p->list[p->n] = NULL;
}

static int set_pattern(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        set_add_pattern(set_field(s, o), value);
        return 0;
}

static int set_shown(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->view.o.shown |= (unsigned)o->to;
        return 0;
}

static int set_not_shown(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->view.o.shown &= ~(unsigned)o->to;
        return 0;
}

/* --- what single ones do ------------------------------------------------------ */

static int set_format(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        int format = lsr_word_value(format_words(), value, "--format");

        if (format < 0)
                return s->gnu ? 1 : 2;
        s->given.format = format;
        return 0;
}

static int set_full_time(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->given.time_style = "full-iso";
        return 0;
}

/* -1 does not change long rows: there is one on each line anyway. */
static int set_one(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        if (s->given.format != LSR_FORMAT_LONG)
                s->given.format = LSR_FORMAT_ONE;
        return 0;
}

static int set_zero(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->view.o.end = '\0';
        s->given.hide_control = false;
        s->given.color = WHEN_NEVER;
        s->given.quoting = LSR_QUOTE_LITERAL;
        return set_one(s, o, value);
}

/* -f takes back -l, -s, --color and --hyperlink if they come before it. */
static int set_unsorted_all(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->list.show = LSR_SHOW_ALL;
        s->given.sort = LSR_SORT_NONE;
        if (s->given.format == LSR_FORMAT_LONG)
                s->given.format = UNSET;
        s->view.o.shown &= ~(unsigned)LSR_SHOW_BLOCKS;
        s->given.color = s->given.hyperlink = WHEN_NEVER;
        return 0;
}

/* -F=WHEN does not override -p and --file-type before it if WHEN does not hold. */
static int set_classify(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        int when = value ? set_find_word(o, value) : WHEN_ALWAYS;

        if (when < 0)
                return s->gnu ? 1 : 2;
        if (lsr_given_now(s, when))
                s->view.o.indicator = LSR_INDICATOR_CLASSIFY;
        return 0;
}

static int set_ignore_backups(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        set_add_pattern(&s->ignore, "*~");
        set_add_pattern(&s->ignore, ".*~");
        return 0;
}

static int set_size_style(struct lsr_settings *s, struct lsr_size_style style)
{
        s->view.o.block_style = s->view.o.size_style = style;
        s->given.size = true;
        return 0;
}

static int set_size(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        return set_size_style(s, (struct lsr_size_style){ (unsigned)o->to, 1 });
}

static int set_block_size(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        static const char *const wrong[] = {
                NULL,
                "invalid --block-size argument '%s'",
                "invalid suffix in --block-size argument '%s'",
                "--block-size argument '%s' too large",
        };
        struct lsr_size_style style;
        int r = lsr_size_parse(value, &style);

        return r == 0 ? set_size_style(s, style) : lsr_message(wrong[r], value);
}

static int set_width(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        if (lsr_given_width(value, &s->given.width))
                return 0;
        return lsr_message("invalid line width: %s", lsr_quoted_locale(value));
}

static int set_tabsize(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        enum number got = lsr_given_number(value, &s->given.tabsize);

        if (got == NUMBER_OK)
                return 0;
        return lsr_message_errno(got == NUMBER_NONE ? 0 : EOVERFLOW, "invalid tab size: %s", lsr_quoted_locale(value));
}

static int set_level(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        long long v;

        if (lsr_given_number(value, &v) != NUMBER_OK || v < 1 || v > UINT_MAX)
                return lsr_message_usage("invalid depth for '--%s': %s", o->name, lsr_quoted_locale(value));
        s->list.max_depth = (unsigned)v;
        return 0;
}

static int set_tree(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->list.tree = true;
        return value ? set_level(s, o, value) : 0;
}

static int set_directory(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        *(s->action == LSR_ACTION_UNPACK ? &s->output : &s->pack.directory) = value;
        return 0;
}

/* Called as ls it has no choice, and shows everything. */
static int set_help(struct lsr_settings *s, const struct lsr_option *o, const char *value)
{
        s->help_all = s->gnu || value;
        return value && set_find_word(o, value) < 0 ? 2 : 0;
}

/* --- the table ---------------------------------------------------------------- */

#define GNU(letter, name, group, commands, help, ...)                               \
        {                                                                           \
                letter, name, LSR_GROUP_##group, commands, false, help, __VA_ARGS__ \
        }
#define OWN(name, group, commands, help, ...)                                 \
        {                                                                     \
                0, name, LSR_GROUP_##group, commands, true, help, __VA_ARGS__ \
        }
#define BOTH(letter, name, group, commands, help, ...)                             \
        {                                                                          \
                letter, name, LSR_GROUP_##group, commands, true, help, __VA_ARGS__ \
        }

/*
 * The offset of a field; a compile error if its type is not the one that will be stored.  Enumerations are unsigned
 * numbers.
 */
#define FIELD(field) (((struct lsr_settings *)NULL)->field)
#define AT(field, type) .at = _Generic(FIELD(field), type : offsetof(struct lsr_settings, field))
#define AT_INT(field)                                                   \
        .at = _Generic(FIELD(field), int                                \
                       : offsetof(struct lsr_settings, field), unsigned \
                       : offsetof(struct lsr_settings, field))

#define REQUIRED(text) .argument = LSR_ARG_REQUIRED, .value = (text)
#define OPTIONAL(text) .argument = LSR_ARG_OPTIONAL, .value = (text)
#define LONG .long_rows = true
#define FLAG(field) .set = set_flag, AT(field, bool)
#define SET(field, number) .set = set_value, AT_INT(field), .to = (number)
#define TEXT(text, field) REQUIRED(text), .set = set_text, AT(field, const char *)
#define WORD(field, list) REQUIRED("WORD"), .words = (list), .set = set_word, AT_INT(field)
#define WHEN(field, otherwise) \
        OPTIONAL("WHEN"), .words = lsr_when_words, .set = set_word, AT_INT(field), .to = (otherwise)
#define NUMBER(field, least, most) REQUIRED("N"), .set = set_number, AT_INT(field), .from = (least), .to = (most)
#define PATTERN(text, field) REQUIRED(text), .set = set_pattern, AT(field, struct lsr_patterns)

const struct lsr_option lsr_options[] = {
        GNU('a', "all", WHAT, LIST, "show names that start with a dot too", SET(list.show, LSR_SHOW_ALL)),
        GNU('b', "escape", NAMES, LIST, "show unprintable characters as C escapes",
            SET(given.quoting, LSR_QUOTE_ESCAPE)),
        GNU('d', "directory", WHAT, LIST, "list directories as files; in trees, only them", FLAG(list.dirs_as_files)),
        GNU('D', "dired", LAYOUT, LIST, "with -l, add name positions for Emacs dired", FLAG(view.o.dired)),
        GNU(0, "full-time", FIELDS, LIST, "like -l --time-style=full-iso", .set = set_full_time, LONG),
        GNU(0, "group-directories-first", ORDER, LIST, "list directories before files", FLAG(list.dirs_first)),
        GNU('h', "human-readable", FIELDS, LIST, "show sizes like 1K, 234M, 2G", .set = set_size,
            .to = LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX),
        GNU('i', "inode", FIELDS, LIST, "show each file's inode number", .set = set_shown, .to = LSR_SHOW_INODE),
        GNU('k', "kibibytes", FIELDS, LIST, "use blocks of 1024 bytes for -s and totals", FLAG(given.kibibytes)),
        GNU('n', "numeric-uid-gid", FIELDS, LIST, "like -l, with numeric user and group IDs", FLAG(view.o.numeric),
            LONG),
        GNU('G', "no-group", FIELDS, LIST, "with -l, leave out groups", .set = set_not_shown, .to = LSR_SHOW_GROUP),
        GNU('q', "hide-control-chars", NAMES, LIST, "show ? for unprintable characters", SET(given.hide_control, true)),
        GNU('r', "reverse", ORDER, LIST, "reverse the order", FLAG(list.reverse)),
        GNU('s', "size", FIELDS, LIST, "show each file's allocated size, in blocks", .set = set_shown,
            .to = LSR_SHOW_BLOCKS),
        GNU('w', "width", LAYOUT, LIST | COMPARE, "output width in columns; 0 means no limit", REQUIRED("COLS"),
            .set = set_width),
        GNU('A', "almost-all", WHAT, LIST, "like -a, but without . and ..", SET(list.show, LSR_SHOW_ALMOST)),
        GNU('B', "ignore-backups", WHAT, LIST, "hide names that end in ~", .set = set_ignore_backups),
        GNU('F', "classify", NAMES, LIST, "append a type mark (one of */=>@|) to names", OPTIONAL("WHEN"),
            .words = lsr_when_words, .set = set_classify),
        GNU(0, "file-type", NAMES, LIST, "like -F, but without * for executables",
            SET(view.o.indicator, LSR_INDICATOR_FILE_TYPE)),
        GNU(0, "si", FIELDS, LIST, "like -h, with powers of 1000", .set = set_size,
            .to = LSR_HUMAN_AUTO | LSR_HUMAN_SUFFIX | LSR_HUMAN_1000),
        GNU('H', "dereference-command-line", WHAT, LIST, "follow symbolic links given as operands",
            SET(given.follow, LSR_FOLLOW_OPERAND)),
        GNU(0, "dereference-command-line-symlink-to-dir", WHAT, LIST, "like -H, but only links to directories",
            SET(given.follow, LSR_FOLLOW_OPERAND_DIR)),
        GNU(0, "hide", WHAT, LIST, "hide names that match, unless -a or -A", PATTERN("PATTERN", hide)),
        GNU('I', "ignore", WHAT, LIST, "hide names that match", PATTERN("PATTERN", ignore)),
        GNU(0, "indicator-style", NAMES, LIST, "type marks: none, slash, file-type, classify",
            WORD(view.o.indicator, indicator_words)),
        GNU('L', "dereference", WHAT, LIST | PACK, "follow all symbolic links", SET(given.follow, LSR_FOLLOW_ALWAYS)),
        GNU('N', "literal", NAMES, LIST, "show names without quotes", SET(given.quoting, LSR_QUOTE_LITERAL)),
        GNU('Q', "quote-name", NAMES, LIST, "show names in double quotes", SET(given.quoting, LSR_QUOTE_C)),
        GNU(0, "quoting-style", NAMES, LIST, "how to quote names: literal, shell, c, ...",
            WORD(given.quoting, lsr_quoting_words)),
        GNU('R', "recursive", WHAT, LIST, "list subdirectories too", FLAG(list.recursive)),
        GNU(0, "format", LAYOUT, LIST, "layout: across, commas, long, vertical, ...", REQUIRED("WORD"),
            .set = set_format, .choices = choices_views),
        GNU(0, "show-control-chars", NAMES, LIST, "show unprintable characters as they are",
            SET(given.hide_control, false)),
        GNU(0, "sort", ORDER, LIST, "sort by name, size, time, natural, ...", WORD(given.sort, sort_words)),
        GNU('T', "tabsize", LAYOUT, LIST, "distance of tab stops; default: 8", REQUIRED("COLS"), .set = set_tabsize),
        GNU(0, "time", ORDER, LIST, "which time to use: atime, birth, ctime, mtime", WORD(given.time, time_words)),
        GNU(0, "time-style", FIELDS, LIST, "format of times: relative, iso, +FORMAT, ...",
            TEXT("STYLE", given.time_style), .words = lsr_time_style_words),
        GNU(0, "zero", LAYOUT, LIST, "end each line with NUL, not newline", .set = set_zero),
        GNU(0, "color", NAMES, LIST, "colour names: always, auto, never", WHEN(given.color, WHEN_ALWAYS)),
        GNU(0, "hyperlink", NAMES, LIST, "make names hyperlinks: always, auto, never",
            WHEN(given.hyperlink, WHEN_ALWAYS)),
        GNU(0, "block-size", FIELDS, LIST, "unit of sizes: K, M, KB, 1, '1, ...", REQUIRED("SIZE"),
            .set = set_block_size),
        GNU('Z', "context", FIELDS, LIST, "show security contexts", .set = set_shown, .to = LSR_SHOW_CONTEXT),
        GNU(0, "author", FIELDS, LIST, "with -l, show the author of each file", .set = set_shown,
            .to = LSR_SHOW_AUTHOR),
        GNU(0, "help", OTHER, ANY, "show help and exit; with =all, every option", OPTIONAL("all"), .words = help_words,
            .set = set_help, .command = LSR_ACTION_HELP),
        GNU(0, "version", OTHER, ANY, "show the version and exit", .command = LSR_ACTION_VERSION),

        GNU('C', NULL, LAYOUT, LIST, "fill columns from top to bottom", SET(given.format, LSR_FORMAT_GRID)),
        GNU('c', NULL, ORDER, LIST, "use the time of the last status change", SET(given.time, LSR_CTIME)),
        GNU('f', NULL, ORDER, LIST, "list all entries, in directory order", .set = set_unsorted_all),
        GNU('g', NULL, FIELDS, LIST, "like -l, but without owners", .set = set_not_shown, .to = LSR_SHOW_USER, LONG),
        GNU('l', NULL, LAYOUT, LIST, "long format: mode, owner, size, time, ...", SET(given.format, LSR_FORMAT_LONG)),
        GNU('m', NULL, LAYOUT, LIST, "separate names by commas", SET(given.format, LSR_FORMAT_COMMAS)),
        GNU('o', NULL, FIELDS, LIST, "like -l, but without groups", .set = set_not_shown, .to = LSR_SHOW_GROUP, LONG),
        GNU('p', NULL, NAMES, LIST, "append / to the names of directories", SET(view.o.indicator, LSR_INDICATOR_SLASH)),
        GNU('S', NULL, ORDER, LIST, "sort by size, largest first", SET(given.sort, LSR_SORT_SIZE)),
        GNU('t', NULL, ORDER, LIST, "sort by time, newest first", SET(given.sort, LSR_SORT_TIME)),
        GNU('u', NULL, ORDER, LIST, "use the time of the last access", SET(given.time, LSR_ATIME)),
        GNU('U', NULL, ORDER, LIST, "do not sort", SET(given.sort, LSR_SORT_NONE)),
        GNU('v', NULL, ORDER, LIST, "sort by version numbers within names", SET(given.sort, LSR_SORT_VERSION)),
        GNU('X', NULL, ORDER, LIST, "sort by file name extension", SET(given.sort, LSR_SORT_EXTENSION)),
        GNU('x', NULL, LAYOUT, LIST, "fill columns from left to right", SET(given.format, LSR_FORMAT_ACROSS)),
        GNU('1', NULL, LAYOUT, LIST, "list one name per line", .set = set_one),

        OWN("acl", FIELDS, LIST, "with -l, show a + for files that have an ACL", FLAG(given.acl)),
        OWN("bundles", WHAT, LIST, "bundles are directories: always, auto, never", REQUIRED("WHEN"),
            .words = lsr_when_words, .set = set_word, AT_INT(given.bundles)),
        OWN("cat", READ, CAT, "write BUNDLE/MEMBER... to standard output", .command = LSR_ACTION_CAT),
        OWN("check", READ, CHECK, "read BUNDLE... and verify all checksums", .command = LSR_ACTION_CHECK),
        OWN("columns", FIELDS, LIST, "like -l, with these columns: mode,size,age,...", TEXT("LIST", given.columns),
            .choices = choices_columns),
        OWN("confine", ENGINE, LIST | READ | PACK, "confine the parser of bundles: auto, required", REQUIRED("WHEN"),
            .words = lsr_confine_words, .set = set_word, AT_INT(given.confine)),
        OWN("diff", READ, DIFF, "show what differs between two: DIR or BUNDLE", .command = LSR_ACTION_DIFF),
        OWN("content", READ, DIFF, "with --diff, compare the content of files, too", FLAG(diff_content)),
        OWN("download", READ, LIST | READ | PACK, "fetch whole files from servers without ranges", FLAG(download)),
        OWN("encoding", NAMES, LIST | READ | PACK, "encoding of names not in UTF-8: CP866, ...", REQUIRED("NAME"),
            .set = set_encoding, .choices = choices_encodings),
        BOTH('C', "directory", READ, UNPACK | PACK, "unpack to DIR, or pack what is below it", REQUIRED("DIR"),
             .set = set_directory),
        OWN("files-from", READ, UNPACK | PACK, "take also files named in FILE (- for stdin)", TEXT("FILE", files_from)),
        OWN("force", READ, PACK | UNPACK | COMPARE, "replace existing files", FLAG(force)),
        OWN("git", FIELDS, LIST, "show the git status of files", .set = set_shown, .to = LSR_SHOW_GIT),
        OWN("git-ignore", WHAT, LIST, "leave out what git ignores", FLAG(list.git_ignore)),
        OWN("icons", NAMES, LIST, "show Nerd Font icons before names", WHEN(given.icons, WHEN_AUTO)),
        OWN("io", ENGINE, LIST | READ | PACK, "I/O engine: auto, uring, threads, sync", TEXT("ENGINE", engine),
            .words = engine_words),
        OWN("json", LAYOUT, LIST | COMPARE | DIFF, "write a JSON object per entry, one per line", FLAG(given.json)),
        OWN("level", WHAT, LIST, "levels of --tree and -R; with these also -L N", REQUIRED("N"), .set = set_level),
        OWN("depth", WHAT, LIST, "the same as --level", REQUIRED("N"), .set = set_level),
        OWN("limit", ENGINE, LIST | READ | PACK, "what a bundle may take: time=90s, rows=1G, ...",
            REQUIRED("NAME=VALUE"), .set = set_limit, .choices = choices_limits),
        OWN("no-config", OTHER, ANY, "ignore the config file and LSR_OPTIONS", FLAG(no_config)),
        OWN("no-cache", ENGINE, LIST | READ | PACK, "neither read nor write the cache of listings", FLAG(no_cache)),
        BOTH('0', "null", READ, UNPACK | PACK, "names in --files-from end in NUL bytes", FLAG(null)),
        OWN("only", WHAT, LIST, "show only files whose name matches", PATTERN("GLOB", only)),
        OWN("only-dirs", WHAT, LIST, "show only directories", SET(list.kinds, LSR_KINDS_DIRS)),
        OWN("only-files", WHAT, LIST, "show only what is no directory", SET(list.kinds, LSR_KINDS_FILES)),
        BOTH('o', "output", READ, PACK | UNPACK, "bundle (- for stdout) or directory to write", TEXT("FILE", output)),
        OWN("password-file", READ, LIST | READ | PACK, "password of bundles: the first line of FILE",
            TEXT("FILE", password_file)),
        OWN("strip-components", READ, UNPACK, "leave out the first N components of names",
            NUMBER(strip, 0, LSR_CATALOGUE_DEPTH_MAX)),
        OWN("stats", ENGINE, LIST, "print statistics to stderr; JSON with --json", FLAG(stats)),
        OWN("threads", ENGINE, LIST | READ | PACK, "threads that work; default: one per core",
            NUMBER(threads, 1, 1024)),
        OWN("titles", LAYOUT, LIST, "with -l, print a line of column titles", FLAG(view.o.titles)),
        OWN("total-size", FIELDS, LIST, "show the total size of what is in directories", FLAG(list.total_size)),
        OWN("tree", LAYOUT, LIST, "list subdirectories as a tree", OPTIONAL("DEPTH"), .set = set_tree),
        OWN("unpack", READ, UNPACK, "extract BUNDLE[/DIR]... as real files", .command = LSR_ACTION_UNPACK),
        BOTH('v', "verbose", READ, UNPACK, "name each file that is made", FLAG(verbose)),

        OWN("pack", PACK, PACK, "make a bundle of directories: DIR.tar.zst", .command = LSR_ACTION_PACK),
        OWN("bundle-format", PACK, PACK, "bundle format: tar.zst, tar.gz, zip, ...", TEXT("FORMAT", pack.format),
            .choices = choices_formats),
        OWN("compression-level", PACK, PACK, "compression level, within the format's range",
            NUMBER(pack.level, -1000, 1000)),
        OWN("exclude", PACK, PACK, "leave out files whose name or path matches", PATTERN("GLOB", pack.excludes)),
        OWN("include", PACK, PACK, "pack only files whose name or path matches", PATTERN("GLOB", pack.includes)),
        OWN("one-file-system", PACK, PACK, "do not enter directories on other file systems",
            FLAG(pack.one_file_system)),
        OWN("dry-run", PACK, PACK, "show what would be packed, and pack nothing", FLAG(pack.dry_run)),
        OWN("gitignore", PACK, PACK, "leave out what git ignores", FLAG(pack.gitignore)),
        OWN("each", PACK, PACK | COMPARE, "make one bundle per subdirectory", FLAG(pack.each)),
        OWN("owner", PACK, PACK, "store this owner for all members", TEXT("USER:GROUP", pack.owner)),
        OWN("mtime", PACK, PACK, "store this time: @SECONDS, 2024-05-06 07:08:09", TEXT("TIME", pack.mtime)),
        OWN("no-xattrs", PACK, PACK, "leave out extended attributes and ACLs", FLAG(pack.no_xattrs)),
        OWN("no-verify", PACK, PACK, "do not read the bundle back to verify it", FLAG(pack.no_verify)),

        OWN("compare", COMPARE, COMPARE, "measure reading DIR as files and as bundles", .command = LSR_ACTION_COMPARE),
        OWN("formats", COMPARE, COMPARE, "compare " LSR_COMPARE_FORMATS, TEXT("LIST", compare.formats),
            .choices = choices_compared),
        OWN("runs", COMPARE, COMPARE, "runs of each way; default: up to 5 in a minute", NUMBER(compare.runs, 1, 1000)),
        OWN("cold", COMPARE, COMPARE, "drop caches before each run", FLAG(compare.cold)),
        OWN("random", COMPARE, COMPARE, "read N members in random order", NUMBER(compare.random, 1, 10000000)),
        OWN("csv", COMPARE, COMPARE, "write comma-separated values", FLAG(compare.csv)),
        OWN("html", COMPARE, COMPARE, "also write a page with charts to FILE", TEXT("FILE", compare.html)),
};
const size_t lsr_n_options = sizeof(lsr_options) / sizeof(*lsr_options);

const char *const lsr_group_titles[LSR_GROUPS] = {
        [LSR_GROUP_WHAT] = "Which entries", [LSR_GROUP_ORDER] = "Order",  [LSR_GROUP_LAYOUT] = "Layout",
        [LSR_GROUP_FIELDS] = "Fields",      [LSR_GROUP_NAMES] = "Names",  [LSR_GROUP_READ] = "Reading bundles",
        [LSR_GROUP_ENGINE] = "Engine",      [LSR_GROUP_PACK] = "Packing", [LSR_GROUP_COMPARE] = "Comparing",
        [LSR_GROUP_OTHER] = "Other",
};

const char *const lsr_action_names[LSR_ACTIONS] = {
        [LSR_ACTION_LIST] = "listings",   [LSR_ACTION_CAT] = "--cat",   [LSR_ACTION_CHECK] = "--check",
        [LSR_ACTION_UNPACK] = "--unpack", [LSR_ACTION_PACK] = "--pack", [LSR_ACTION_COMPARE] = "--compare",
        [LSR_ACTION_DIFF] = "--diff",     [LSR_ACTION_HELP] = "--help", [LSR_ACTION_VERSION] = "--version",
};

void lsr_option_commands(const struct lsr_option *o, char ret_text[128])
{
        ret_text[0] = '\0';
        for (unsigned i = 0; i < LSR_ACTIONS; i++) {
                if (!(o->commands >> i & 1))
                        continue;
                if (*ret_text)
                        strcat(ret_text, o->commands >> i > 1 ? ", " : " and ");
                strcat(ret_text, lsr_action_names[i]);
        }
}
