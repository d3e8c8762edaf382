/*
 * settings-command - options that do not apply to the command, or that there are not
 *
 * They are errors: `--unpack x.tar -C dest` is not meant to set columns.  The message names what was probably meant.
 * So the command must be known before the first option is handled: its value, too, may be valid only for another
 * command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/message.h"
#include "cli/given.h"

/* Words of other programs and of other commands, without dashes: what they mean with which commands. */
static const struct {
        const char *word; /* of an option that there is: its name, or its letter if it has none */
        unsigned commands;
        const char *use;
} command_words[] = {
        /* eza, lsd, tree */
        { "long", LIST, "-l" },
        { "verbose", LIST, "-l" },
        { "oneline", LIST, "-1" },
        { "grid", LIST, "-C" },
        { "header", LIST, "--titles" },
        { "headers", LIST, "--titles" },
        { "colour", LIST, "--color" },
        { "icon", LIST, "--icons" },
        { "hidden", LIST, "--all" },
        { "recurse", LIST, "--recursive" },
        { "depth", LIST, "--tree=N" },
        { "max-depth", LIST, "--tree=N" },
        { "list-dirs", LIST, "--directory" },
        { "dirsfirst", LIST, "--group-directories-first" },
        { "ignore-glob", LIST, "--ignore=PATTERN" },
        { "exclude", LIST, "--ignore=PATTERN" },
        { "inodes", LIST, "--inode" },
        { "du", LIST, "--total-size" },
        { "blocksize", LIST, "--size" },
        { "bytes", LIST, "--block-size=1" },
        { "octal-permissions", LIST, "--columns=octal,user,size,modified" },
        { "created", LIST, "--time=birth" },
        { "accessed", LIST, "--time=atime" },
        { "changed", LIST, "--time=ctime" },
        { "date", LIST, "--time-style=STYLE" },
        { "timesort", LIST, "-t" },
        { "sizesort", LIST, "-S" },
        { "versionsort", LIST, "-v" },
        { "extensionsort", LIST, "-X" },
        /* tar, unzip, 7z: what they do */
        { "list", ANY, "lsr FILE" },
        { "create", ANY, "--pack" },
        { "extract", ANY, "--unpack" },
        { "get", ANY, "--unpack" },
        { "test", ANY, "--check" },
        { "t", CAT | UNPACK, "--check" },
        { "verify", CAT | UNPACK, "--check" },
        { "to-stdout", ANY, "--cat" },
        { "O", LIST | UNPACK, "--cat" },
        { "p", UNPACK, "--cat" },
        { "diff", ANY, "--compare" },
        /* and how */
        { "C", UNPACK, "--output=DIR" },
        { "directory", UNPACK, "--output=DIR" },
        { "o", UNPACK, "--output=DIR" },
        { "o", PACK, "--output=FILE" },
        { "f", PACK, "--output=FILE" },
        { "file", PACK, "--output=FILE" },
        { "c", PACK, "--output=-" },
        { "stdout", PACK, "--output=-" },
        { "overwrite", PACK | UNPACK, "--force" },
        { "strip-components", UNPACK, "lsr --unpack BUNDLE/DIR" },
        { "transform", UNPACK, "lsr --unpack BUNDLE/DIR" },
        { "z", PACK, "--bundle-format=tar.gz" },
        { "gzip", PACK, "--bundle-format=tar.gz" },
        { "j", PACK, "--bundle-format=tar.bz2" },
        { "bzip2", PACK, "--bundle-format=tar.bz2" },
        { "J", PACK, "--bundle-format=tar.xz" },
        { "xz", PACK, "--bundle-format=tar.xz" },
        { "zstd", PACK, "--bundle-format=tar.zst" },
        { "zip", PACK, "--bundle-format=zip" },
        { "format", PACK, "--bundle-format=FORMAT" },
        { "formats", PACK, "--bundle-format=FORMAT" },
        { "format", COMPARE, "--formats=LIST" },
        { "bundle-format", COMPARE, "--formats=LIST" },
        { "1", PACK, "--compression-level=1" },
        { "9", PACK, "--compression-level=9" },
        { "fast", PACK, "--compression-level=1" },
        { "best", PACK, "--compression-level=9" },
        { "level", PACK, "--compression-level=N" },
        { "tabsize", PACK, "--threads=N" },
        { "hide", PACK, "--exclude=GLOB" },
        { "ignore", PACK, "--exclude=GLOB" },
        { "exclude-vcs-ignores", PACK, "--gitignore" },
        { "group", PACK, "--owner=:GROUP" },
        /* all of them */
        { "V", ANY, "--version" },
        { "?", ANY, "--help" },
        { "usage", ANY, "--help" },
        { "human-readable", READ | PACK | COMPARE, "--help" },
};

/* What @word means with @action; NULL: nothing. */
static const char *command_use(const char *word, size_t len, enum lsr_action action)
{
        for (size_t i = 0; i < sizeof(command_words) / sizeof(*command_words); i++)
                if ((command_words[i].commands >> action & 1) && strncmp(command_words[i].word, word, len) == 0 &&
                    !command_words[i].word[len])
                        return command_words[i].use;
        return NULL;
}

/* Edits from @a to @b: insertions, deletions, substitutions (Levenshtein), for short words. */
static size_t command_distance(const char *a, size_t a_len, const char *b)
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

/* The option with nearly the same letters; of several the nearest, and rather one of @action. */
static const struct lsr_option *command_nearest(const char *name, size_t len, enum lsr_action action)
{
        const struct lsr_option *nearest = NULL;
        size_t best = 2 * (len / 3 + 1) + 2; /* what is further off is no typing error */

        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                size_t d = o->name ? 2 * command_distance(name, len, o->name) + !(o->commands >> action & 1) : best;

                if (d < best) {
                        nearest = o;
                        best = d;
                }
        }
        return nearest;
}

char *lsr_given_meant(const char *word, size_t len, enum lsr_action action)
{
        const char *use = command_use(word, len, action);
        const struct lsr_option *nearest = use || len == 1 ? NULL : command_nearest(word, len, action);

        return use ? lsr_xstrdup(use) : nearest ? lsr_xprintf("--%s", nearest->name) : NULL;
}

enum lsr_action lsr_given_command(struct lsr_parser parser)
{
        enum lsr_action action = LSR_ACTION_LIST;
        const struct lsr_option *option;
        const char *value;
        int got;

        while (action == LSR_ACTION_LIST && (got = lsr_parse_option(&parser, &option, &value)) != 0) {
                free(lsr_take(&parser.problem, NULL));
                if (got > 0 && option->command < LSR_ACTION_HELP)
                        action = option->command;
        }
        return action;
}

int lsr_given_check_command(const struct lsr_option *option, enum lsr_action action)
{
        const char letter[] = { option->letter, '\0' }, *name = option->name ? option->name : "", *use;
        char written[64], commands[128];

        if (option->commands >> action & 1)
                return 0;
        use = command_use(*name ? name : letter, strlen(*name ? name : letter), action);
        if (option->letter)
                snprintf(written, sizeof(written), "-%c%s%s", option->letter, *name ? ", --" : "", name);
        else
                snprintf(written, sizeof(written), "--%s", name);
        lsr_option_commands(option, commands);
        if (option->command != LSR_ACTION_LIST)
                return lsr_message_usage(
                        "only one command can be given: --cat, --check, --compare, --pack or --unpack");
        if (use)
                return lsr_message_usage("option '%s' is only for %s; with %s use '%s'", written, commands,
                                         lsr_action_names[action], use);
        return lsr_message_usage("option '%s' is only for %s", written, commands);
}
