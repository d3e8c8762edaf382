/*
 * options - the table, and the parser over it
 *
 * getopt_long would do most of this, but it can neither prefer GNU's options
 * over ours when an abbreviation fits both nor suggest a name; and it prints.
 */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#define WHEN "WHEN", "always auto never"

#define LIST (1u << LSR_ACTION_LIST)
#define CAT (1u << LSR_ACTION_CAT)
#define CHECK (1u << LSR_ACTION_CHECK)
#define UNPACK (1u << LSR_ACTION_UNPACK)
#define READ (CAT | CHECK | UNPACK)
#define PACK (1u << LSR_ACTION_PACK)
#define COMPARE (1u << LSR_ACTION_COMPARE)
#define ANY (LIST | READ | PACK | COMPARE)

const struct lsr_option lsr_options[] = {
        { 'a', "all", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false, "show names that start with ." },
        { 'b', "escape", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false,
          "C escapes for characters that do not print" },
        { 'd', "directory", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false,
          "directories themselves, not what is in them" },
        { 'D', "dired", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false,
          "with -l, positions of names for Emacs' dired" },
        { LSR_OPT_FULL_TIME, "full-time", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false,
          "-l with --time-style=full-iso" },
        { LSR_OPT_DIRS_FIRST, "group-directories-first", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false,
          "directories before files" },
        { 'h', "human-readable", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "sizes like 1K 234M 2G" },
        { 'i', "inode", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "index number of each file" },
        { 'k', "kibibytes", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false,
          "blocks of 1024 bytes for -s and totals" },
        { 'n', "numeric-uid-gid", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false,
          "-l with numbers of users and groups" },
        { 'G', "no-group", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "with -l, no groups" },
        { 'q', "hide-control-chars", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false,
          "? for characters that do not print" },
        { 'r', "reverse", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "reverse the order" },
        { 's', "size", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false,
          "allocated size of each file, in blocks" },
        { 'w', "width", LSR_ARG_REQUIRED, "COLS", NULL, LSR_GROUP_LAYOUT, LIST | COMPARE, false,
          "columns of the screen, 0 for no limit" },
        { 'A', "almost-all", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false, "-a without . and .." },
        { 'B', "ignore-backups", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false, "hide names that end in ~" },
        { 'F', "classify", LSR_ARG_OPTIONAL, WHEN, LSR_GROUP_NAMES, LIST, false, "mark names with one of */=>@|" },
        { LSR_OPT_FILE_TYPE, "file-type", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false,
          "the same without *" },
        { LSR_OPT_SI, "si", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "-h with powers of 1000" },
        { 'H', "dereference-command-line", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false,
          "follow links that are operands" },
        { LSR_OPT_DEREFERENCE_DIR, "dereference-command-line-symlink-to-dir", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT,
          LIST, false, "the same if they lead to directories" },
        { LSR_OPT_HIDE, "hide", LSR_ARG_REQUIRED, "PATTERN", NULL, LSR_GROUP_WHAT, LIST, false,
          "hide names that match, unless -a or -A" },
        { 'I', "ignore", LSR_ARG_REQUIRED, "PATTERN", NULL, LSR_GROUP_WHAT, LIST, false, "hide names that match" },
        { LSR_OPT_INDICATOR_STYLE, "indicator-style", LSR_ARG_REQUIRED, "WORD", "none slash file-type classify",
          LSR_GROUP_NAMES, LIST, false, "marks: none, slash, file-type, classify" },
        { 'L', "dereference", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false, "follow all links" },
        { 'N', "literal", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false, "names without quotes" },
        { 'Q', "quote-name", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false, "names in double quotes" },
        { LSR_OPT_QUOTING_STYLE, "quoting-style", LSR_ARG_REQUIRED, "WORD",
          "literal shell shell-always shell-escape shell-escape-always c c-maybe escape locale clocale",
          LSR_GROUP_NAMES, LIST, false, "how names are quoted" },
        { 'R', "recursive", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_WHAT, LIST, false, "subdirectories too" },
        { LSR_OPT_FORMAT, "format", LSR_ARG_REQUIRED, "WORD",
          "across commas horizontal long single-column verbose vertical", LSR_GROUP_LAYOUT, LIST, false,
          "across, commas, long, single-column, vertical" },
        { LSR_OPT_SHOW_CONTROL, "show-control-chars", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false,
          "characters that do not print as they are" },
        { LSR_OPT_SORT, "sort", LSR_ARG_REQUIRED, "WORD", "none time size extension version width", LSR_GROUP_ORDER,
          LIST, false, "none, size, time, version, extension, width" },
        { 'T', "tabsize", LSR_ARG_REQUIRED, "COLS", NULL, LSR_GROUP_LAYOUT, LIST, false, "tab stops, 8 unless told" },
        { LSR_OPT_TIME, "time", LSR_ARG_REQUIRED, "WORD", "atime access use ctime status birth creation",
          LSR_GROUP_ORDER, LIST, false, "which time: atime, ctime, birth" },
        { LSR_OPT_TIME_STYLE, "time-style", LSR_ARG_REQUIRED, "STYLE", "full-iso long-iso iso locale", LSR_GROUP_FIELDS,
          LIST, false, "full-iso, long-iso, iso, locale, +FORMAT" },
        { LSR_OPT_ZERO, "zero", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false, "end lines with NUL" },
        { LSR_OPT_COLOR, "color", LSR_ARG_OPTIONAL, WHEN, LSR_GROUP_NAMES, LIST, false,
          "colours: always, auto, never" },
        { LSR_OPT_HYPERLINK, "hyperlink", LSR_ARG_OPTIONAL, WHEN, LSR_GROUP_NAMES, LIST, false, "names as links" },
        { LSR_OPT_BLOCK_SIZE, "block-size", LSR_ARG_REQUIRED, "SIZE", NULL, LSR_GROUP_FIELDS, LIST, false,
          "unit of sizes: K, M, KB, 1, '1, ..." },
        { 'Z', "context", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "security contexts" },
        { LSR_OPT_AUTHOR, "author", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "with -l, the author" },
        { LSR_OPT_HELP, "help", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_OTHER, ANY, false, "this text" },
        { LSR_OPT_VERSION, "version", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_OTHER, ANY, false, "the version" },

        { 'C', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false, "columns, filled downwards" },
        { 'c', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "the time of the last status change" },
        { 'f', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false,
          "everything in the order of the directory" },
        { 'g', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "-l without owners" },
        { 'l', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false, "long rows with metadata" },
        { 'm', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false, "names with commas between them" },
        { 'o', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, false, "-l without groups" },
        { 'p', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_NAMES, LIST, false, "mark directories with /" },
        { 'S', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "by size, largest first" },
        { 't', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "by time, newest first" },
        { 'u', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "the time of the last access" },
        { 'U', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "not sorted" },
        { 'v', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "by numbers in names" },
        { 'X', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ORDER, LIST, false, "by suffix" },
        { 'x', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false, "columns, filled across" },
        { '1', NULL, LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, false, "one name a line" },

        { LSR_OPT_ACL, "acl", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, true,
          "with -l, + behind the mode of files with ACLs" },
        { LSR_OPT_BUNDLES, "bundles", LSR_ARG_REQUIRED, WHEN, LSR_GROUP_WHAT, LIST, true,
          "which archives are listed as directories" },
        { LSR_OPT_CAT, "cat", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_READ, CAT, true,
          "content of BUNDLE/MEMBER... to standard output" },
        { LSR_OPT_CHECK, "check", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_READ, CHECK, true,
          "read BUNDLE... and verify every checksum" },
        { LSR_OPT_COLUMNS, "columns", LSR_ARG_REQUIRED, "LIST",
          "inode blocks mode octal links user group author context size modified accessed changed created age git",
          LSR_GROUP_FIELDS, LIST, true, "-l with these columns: mode,size,age, ..." },
        { LSR_OPT_CONFINE, "confine", LSR_ARG_REQUIRED, "WHEN", "auto required", LSR_GROUP_ENGINE, LIST | READ, true,
          "whether bundles must be read by a confined process" },
        { LSR_OPT_FORCE, "force", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_READ, PACK | UNPACK | COMPARE, true,
          "replace files that exist" },
        { LSR_OPT_GIT, "git", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, true,
          "the state of files in git work trees" },
        { LSR_OPT_ICONS, "icons", LSR_ARG_OPTIONAL, WHEN, LSR_GROUP_NAMES, LIST, true,
          "icons of a Nerd Font before names" },
        { LSR_OPT_IO, "io", LSR_ARG_REQUIRED, "ENGINE", "auto uring threads sync", LSR_GROUP_ENGINE, LIST | READ | PACK,
          true, "auto, uring, threads, sync" },
        { LSR_OPT_JSON, "json", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST | COMPARE, true,
          "a JSON object per entry and line" },
        { LSR_OPT_LEVEL, "level", LSR_ARG_REQUIRED, "N", NULL, LSR_GROUP_WHAT, LIST, true, "depth of --tree and -R" },
        { LSR_OPT_NO_CACHE, "no-cache", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ENGINE, LIST | READ, true,
          "neither read nor write the cache of listings" },
        { LSR_OPT_OUTPUT, "output", LSR_ARG_REQUIRED, "FILE", NULL, LSR_GROUP_READ, PACK | UNPACK, true,
          "file of --pack, - for a pipe; DIR of --unpack" },
        { LSR_OPT_STATS, "stats", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_ENGINE, LIST, true,
          "then, on standard error, what it took" },
        { LSR_OPT_TITLES, "titles", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_LAYOUT, LIST, true,
          "a line of titles over -l" },
        { LSR_OPT_TOTAL_SIZE, "total-size", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_FIELDS, LIST, true,
          "directories show the sum of what is below" },
        { LSR_OPT_TREE, "tree", LSR_ARG_OPTIONAL, "DEPTH", NULL, LSR_GROUP_LAYOUT, LIST, true,
          "a tree of the subdirectories" },
        { LSR_OPT_UNPACK, "unpack", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_READ, UNPACK, true,
          "files of BUNDLE[/DIR]... as real files" },

        { LSR_OPT_PACK, "pack", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_PACK, PACK, true,
          "make a bundle of directories: DIR.tar.zst" },
        { LSR_OPT_BUNDLE_FORMAT, "bundle-format", LSR_ARG_REQUIRED, "FORMAT",
          "tar tar.gz tar.zst tar.xz tar.bz2 tar.lz4 zip sqlar", LSR_GROUP_PACK, PACK, true,
          "tar.zst, tar, tar.gz, zip, ..." },
        { LSR_OPT_COMPRESSION_LEVEL, "compression-level", LSR_ARG_REQUIRED, "N", NULL, LSR_GROUP_PACK, PACK, true,
          "what the format offers: smaller or sooner" },
        { LSR_OPT_THREADS, "threads", LSR_ARG_REQUIRED, "N", NULL, LSR_GROUP_PACK, PACK, true,
          "that compress; as many as cores" },
        { LSR_OPT_EXCLUDE, "exclude", LSR_ARG_REQUIRED, "GLOB", NULL, LSR_GROUP_PACK, PACK, true,
          "leave out names, or with / paths, that match" },
        { LSR_OPT_GITIGNORE, "gitignore", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_PACK, PACK, true,
          "leave out what git ignores" },
        { LSR_OPT_EACH, "each", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_PACK, PACK | COMPARE, true,
          "a bundle for every subdirectory" },
        { LSR_OPT_OWNER, "owner", LSR_ARG_REQUIRED, "USER:GROUP", NULL, LSR_GROUP_PACK, PACK, true,
          "whose everything is to be" },
        { LSR_OPT_MTIME, "mtime", LSR_ARG_REQUIRED, "TIME", NULL, LSR_GROUP_PACK, PACK, true,
          "of everything: @SECONDS, 2024-05-06 07:08:09" },
        { LSR_OPT_NO_XATTRS, "no-xattrs", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_PACK, PACK, true,
          "leave out extended attributes and ACLs" },
        { LSR_OPT_NO_VERIFY, "no-verify", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_PACK, PACK, true,
          "do not read the bundle back" },

        { LSR_OPT_COMPARE, "compare", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_COMPARE, COMPARE, true,
          "read DIR as files and as bundles, and measure" },
        { LSR_OPT_FORMATS, "formats", LSR_ARG_REQUIRED, "LIST", "tar tar.gz tar.zst zip-store zip sqlar",
          LSR_GROUP_COMPARE, COMPARE, true, "tar,tar.gz,tar.zst,zip-store,zip,sqlar" },
        { LSR_OPT_RUNS, "runs", LSR_ARG_REQUIRED, "N", NULL, LSR_GROUP_COMPARE, COMPARE, true,
          "of each way; up to 5 in about a minute" },
        { LSR_OPT_COLD, "cold", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_COMPARE, COMPARE, true,
          "drop caches before each run" },
        { LSR_OPT_RANDOM, "random", LSR_ARG_REQUIRED, "N", NULL, LSR_GROUP_COMPARE, COMPARE, true,
          "read N members in random order" },
        { LSR_OPT_CSV, "csv", LSR_ARG_NONE, NULL, NULL, LSR_GROUP_COMPARE, COMPARE, true, "comma-separated values" },
        { LSR_OPT_HTML, "html", LSR_ARG_REQUIRED, "FILE", NULL, LSR_GROUP_COMPARE, COMPARE, true,
          "one page with charts, too" },
};
const size_t lsr_n_options = sizeof(lsr_options) / sizeof(*lsr_options);

const char *const lsr_group_titles[LSR_GROUPS] = {
        [LSR_GROUP_WHAT] = "Which entries", [LSR_GROUP_ORDER] = "Order",  [LSR_GROUP_LAYOUT] = "Layout",
        [LSR_GROUP_FIELDS] = "Fields",      [LSR_GROUP_NAMES] = "Names",  [LSR_GROUP_READ] = "Reading back",
        [LSR_GROUP_ENGINE] = "Engine",      [LSR_GROUP_PACK] = "Packing", [LSR_GROUP_COMPARE] = "Comparing",
        [LSR_GROUP_OTHER] = "Other",
};

const char *const lsr_action_names[LSR_ACTIONS] = {
        [LSR_ACTION_LIST] = "listings",   [LSR_ACTION_CAT] = "--cat",         [LSR_ACTION_CHECK] = "--check",
        [LSR_ACTION_UNPACK] = "--unpack", [LSR_ACTION_PACK] = "--pack",       [LSR_ACTION_COMPARE] = "--compare",
        [LSR_ACTION_HELP] = "--help",     [LSR_ACTION_VERSION] = "--version",
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

static const struct lsr_option *options_by_letter(char letter)
{
        for (size_t i = 0; i < lsr_n_options; i++)
                if (lsr_option_letter(&lsr_options[i]) == letter)
                        return &lsr_options[i];
        return NULL;
}

/* Options with names that begin with @name: their number, and the first one.  An exact match counts as the only one. */
static size_t options_by_prefix(const char *name, size_t len, bool extra, const struct lsr_option **ret_first)
{
        size_t n = 0;

        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                if (!o->name || o->extra != extra || strncmp(o->name, name, len) != 0)
                        continue;
                if (n++ == 0 || !o->name[len])
                        *ret_first = o;
                if (!o->name[len])
                        return 1;
        }
        return n;
}

/* Edits from @a to @b: insertions, deletions, substitutions (Levenshtein), for short words. */
static size_t options_distance(const char *a, size_t a_len, const char *b)
{
        size_t row[64], b_len = strlen(b);

        if (b_len >= 64)
                return 64;
        for (size_t j = 0; j <= b_len; j++)
                row[j] = j;
        for (size_t i = 1; i <= a_len; i++) {
                size_t diagonal = row[0];

                row[0] = i;
                for (size_t j = 1; j <= b_len; j++) {
                        size_t best = diagonal + (a[i - 1] != b[j - 1]);

                        best = row[j] + 1 < best ? row[j] + 1 : best;
                        best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
                        diagonal = row[j];
                        row[j] = best;
                }
        }
        return row[b_len];
}

static const char *options_nearest(const char *name, size_t len)
{
        const char *nearest = NULL;
        size_t best = len / 3 + 1; /* what is further off is no typing error */

        for (size_t i = 0; i < lsr_n_options; i++) {
                size_t d = lsr_options[i].name ? options_distance(name, len, lsr_options[i].name) : 64;

                if (d <= best && (!nearest || d < best)) {
                        nearest = lsr_options[i].name;
                        best = d;
                }
        }
        return nearest;
}

static int options_ambiguous(const char *text, const char *name, size_t len, bool extra,
                             void (*report)(const char *format, ...))
{
        char list[1024] = "";

        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                if (o->name && o->extra == extra && strncmp(o->name, name, len) == 0 &&
                    strlen(list) + strlen(o->name) + 6 < sizeof(list)) {
                        strcat(list, " '--");
                        strcat(list, o->name);
                        strcat(list, "'");
                }
        }
        report("option '--%s' is ambiguous; possibilities:%s", text, list);
        return -1;
}

static int options_parse_long(struct lsr_parser *p, const char *text, void (*report)(const char *format, ...),
                              const struct lsr_option **ret_option, const char **ret_value)
{
        const char *equals = strchr(text, '=');
        size_t len = equals ? (size_t)(equals - text) : strlen(text);
        const struct lsr_option *o = NULL;
        size_t n = options_by_prefix(text, len, false, &o);
        bool extra = n == 0 && !p->gnu_messages;

        if (extra)
                n = options_by_prefix(text, len, true, &o);
        if (n > 1)
                return options_ambiguous(text, text, len, extra, report);
        if (n == 0) {
                const char *nearest = p->gnu_messages ? NULL : options_nearest(text, len);

                report("unrecognized option '--%s'", text);
                if (nearest)
                        report("did you mean '--%s'?", nearest);
                return -1;
        }
        *ret_value = equals ? equals + 1 : NULL;
        if (equals && o->argument == LSR_ARG_NONE) {
                report("option '--%s' doesn't allow an argument", o->name);
                return -1;
        }
        if (!equals && o->argument == LSR_ARG_REQUIRED) {
                if (p->next >= p->argc) {
                        report("option '--%s' requires an argument", o->name);
                        return -1;
                }
                *ret_value = p->argv[p->next++];
        }
        *ret_option = o;
        return 1;
}

static int options_parse_letter(struct lsr_parser *p, void (*report)(const char *format, ...),
                                const struct lsr_option **ret_option, const char **ret_value)
{
        char letter = *p->letters++;
        const struct lsr_option *o = options_by_letter(letter);

        *ret_value = NULL;
        if (!o) {
                report("invalid option -- '%c'", letter);
                return -1;
        }
        if (o->argument == LSR_ARG_REQUIRED) {
                if (*p->letters) {
                        *ret_value = p->letters;
                } else if (p->next < p->argc) {
                        *ret_value = p->argv[p->next++];
                } else {
                        report("option requires an argument -- '%c'", letter);
                        return -1;
                }
                p->letters = "";
        }
        *ret_option = o;
        return 1;
}

int lsr_parse_option(struct lsr_parser *p, void (*report)(const char *format, ...),
                     const struct lsr_option **ret_option, const char **ret_value)
{
        if (p->letters && *p->letters)
                return options_parse_letter(p, report, ret_option, ret_value);
        while (p->next < p->argc) {
                const char *word = p->argv[p->next++];

                if (p->only_operands || word[0] != '-' || !word[1]) {
                        p->operands[p->n_operands++] = word;
                        p->only_operands |= getenv("POSIXLY_CORRECT") != NULL;
                } else if (word[1] != '-') {
                        p->letters = word + 1;
                        return options_parse_letter(p, report, ret_option, ret_value);
                } else if (word[2]) {
                        return options_parse_long(p, word + 2, report, ret_option, ret_value);
                } else {
                        p->only_operands = true;
                }
        }
        return 0;
}
