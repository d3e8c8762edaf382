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
#include "base/out.h"
#include "cli/message.h"
#include "cli/given.h"
#include "formats/format.h"

/* What to use with which commands, and the words for it of other programs and of other commands, without dashes. */
static const struct {
        const char *use;
        unsigned commands;
        const char *words; /* with a blank on either side; of an option that there is: its name, or else its letter */
} command_uses[] = {
        /* eza, lsd, tree */
        { "-l", LIST, " long verbose " },
        { "-1", LIST, " oneline " },
        { "-C", LIST, " grid " },
        { "-x", LIST, " across " },
        { "-n", LIST, " numeric numeric-owner " },
        { "-t", LIST, " timesort " },
        { "-S", LIST, " sizesort " },
        { "-v", LIST, " versionsort " },
        { "-X", LIST, " extensionsort " },
        { "--titles", LIST, " header headers " },
        { "--color", LIST, " colour " },
        { "--icons", LIST, " icon " },
        { "--all", LIST, " hidden " },
        { "--recursive", LIST, " recurse " },
        { "--tree=N", LIST, " max-depth 2 3 4 5 6 7 8 9 " },
        { "--directory", LIST, " list-dirs " },
        { "--group-directories-first", LIST, " dirsfirst dirs-first " },
        { "--ignore=PATTERN", LIST, " ignore-glob exclude " },
        { "--only=GLOB", LIST, " include pattern P wildcards " },
        { "--only-dirs", LIST, " directory-only dirs-only " },
        { "--git-ignore", LIST, " gitignore " },
        { "--inode", LIST, " inodes " },
        { "--size", LIST, " blocksize " },
        { "--block-size=1", LIST, " bytes " },
        { "--total-size", LIST, " du " },
        { "--columns=octal,user,size,modified", LIST, " octal-permissions " },
        { "--columns=mode,size,age", LIST, " no-permissions no-user no-filesize no-time permission " },
        { "--time=mtime", LIST, " modified " },
        { "--time=birth", LIST, " created " },
        { "--time=atime", LIST, " accessed " },
        { "--time=ctime", LIST, " changed " },
        { "--time-style=STYLE", LIST, " date " },
        /* tar, unzip, 7z: what they do */
        { "lsr FILE", ANY, " list " },
        { "--pack", ANY, " create " },
        { "--unpack", ANY, " extract get " },
        { "--unpack or --pack", LIST, " z j J " },
        { "lsr -l BUNDLE", READ, " l " },
        { "lsr --tree BUNDLE", READ, " tree " },
        { "--check", ANY, " test " },
        { "--check", CAT | UNPACK, " t verify " },
        { "--cat", ANY, " to-stdout " },
        { "--cat", LIST | UNPACK, " O " },
        { "--cat", UNPACK, " p " },
        /* and how */
        { "--directory=DIR", UNPACK | PACK, " directory " },
        { "--output=DIR", UNPACK, " o " },
        { "--output=FILE", PACK, " f file o " },
        { "--output=-", PACK, " c stdout " },
        { "--force", PACK | UNPACK, " overwrite " },
        { "lsr --unpack BUNDLE", UNPACK, " f file x " },
        { "lsr --unpack BUNDLE/NAME", UNPACK, " include only " },
        { "--strip-components=N", UNPACK, " transform " },
        { "lsr --diff A B", DIFF, " r reverse recursive q hide-control-chars brief u unified " },
        { "--bundle-format=tar.gz", PACK, " z gzip " },
        { "--bundle-format=tar.bz2", PACK, " j bzip2 " },
        { "--bundle-format=tar.xz", PACK, " J xz " },
        { "--bundle-format=tar.zst", PACK, " zstd " },
        { "--bundle-format=zip", PACK, " zip " },
        { "--bundle-format=FORMAT", PACK, " format formats " },
        { "--formats=LIST", COMPARE, " format bundle-format " },
        { "--compression-level=1", PACK, " 1 fast " },
        { "--compression-level=9", PACK, " 9 best " },
        { "--compression-level=N", PACK, " level " },
        { "--threads=N", PACK, " tabsize " },
        { "--exclude=GLOB", PACK, " hide ignore x X " },
        { "--gitignore", PACK, " exclude-vcs-ignores git-ignore " },
        { "--owner=:GROUP", PACK, " group " },
        /* all of them */
        { "--version", ANY, " V " },
        { "--help", ANY, " ? usage " },
        { "--help", READ | PACK | COMPARE, " human-readable " },
};

/* What @word means with @action; NULL: nothing. */
static const char *command_use(const char *word, size_t len, enum lsr_action action)
{
        lsr_autofree char *blanks = lsr_xprintf(" %.*s ", (int)len, word);

        for (size_t i = 0; i < sizeof(command_uses) / sizeof(*command_uses); i++)
                if ((command_uses[i].commands >> action & 1) && strstr(command_uses[i].words, blanks))
                        return command_uses[i].use;
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

char *lsr_given_letters_meant(const char *const *operands, size_t n)
{
        const char *letters = n >= 2 ? operands[0] : "", *archive = n >= 2 ? operands[1] : "", *verb, *list;
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_MEMORY;
        size_t len = strspn(letters, "xtclfvzjJpk");

        verb = strpbrk(letters, "xtcl");
        if (!verb || strpbrk(verb + 1, "xtcl") || letters[len] || (len > 1 && !strchr(letters, 'f')) ||
            !lsr_suffix_known(archive, strlen(archive)))
                return NULL;
        list = *verb == 'l' || strchr(letters, 'v') ? "-lR" : "-R";
        lsr_out_printf(&out, "lsr %s", *verb == 'x' ? "--unpack" : *verb == 'c' ? "--pack" : list);
        if (*verb != 'c')
                lsr_out_printf(&out, " %s", lsr_quoted_needed(archive));
        for (size_t i = 2; i < n && (*verb == 'x' || *verb == 'c'); i++)
                lsr_out_printf(&out, " %s", lsr_quoted_needed(operands[i]));
        if (*verb == 'c')
                lsr_out_printf(&out, "%s --output=%s", n > 2 ? "" : " DIR", lsr_quoted_needed(archive));
        return lsr_xprintf("%.*s", (int)out.len, out.buf);
}

static bool command_is(const struct lsr_option *o, const char *name)
{
        return o->name && strcmp(o->name, name) == 0;
}

struct lsr_glance lsr_given_glance(struct lsr_parser parser)
{
        struct lsr_glance g = { .action = LSR_ACTION_LIST };
        const struct lsr_option *option;
        const char *value;
        int got;

        while ((got = lsr_parse_option(&parser, &option, &value)) != 0) {
                free(lsr_take(&parser.problem, NULL));
                if (got < 0)
                        continue;
                /* What follows these letters may be their argument: that depends on the command. */
                if (option->letter == 'C' || option->letter == 'o')
                        parser.letters = NULL;
                if (option->command >= LSR_ACTION_HELP)
                        g.help = true;
                else if (g.action == LSR_ACTION_LIST)
                        g.action = option->command;
                g.levels |= command_is(option, "tree") || command_is(option, "recursive");
                g.no_config |= command_is(option, "no-config");
        }
        return g;
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
                        "only one command can be given: --cat, --check, --compare, --diff, --pack or --unpack");
        if (use)
                return lsr_message_usage("option '%s' is only for %s; with %s use '%s'", written, commands,
                                         lsr_action_names[action], use);
        return lsr_message_usage("option '%s' is only for %s", written, commands);
}
