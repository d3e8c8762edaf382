/* help - the texts of --help and --version */
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "version.h"

#define HELP_COLUMN 34

char *lsr_option_usage(const struct lsr_option *o)
{
        const char letter[] = { '-', o->letter, '\0' }, *name = o->name ? o->name : "";
        const char *dashes = !o->letter ? "    --" : *name ? ", --" : "";

        switch (o->argument) {
        case LSR_ARG_REQUIRED:
                return lsr_xprintf("%s%s%s%s%s", o->letter ? letter : "", dashes, name, *name ? "=" : " ", o->value);
        case LSR_ARG_OPTIONAL:
                return lsr_xprintf("%s%s%s[=%s]", o->letter ? letter : "", dashes, name, o->value);
        case LSR_ARG_NONE:
                break;
        }
        return lsr_xprintf("%s%s%s", o->letter ? letter : "", dashes, name);
}

static void help_option(struct lsr_out *out, const struct lsr_option *o)
{
        lsr_autofree char *usage = lsr_option_usage(o);

        if (strlen(usage) + 4 > HELP_COLUMN)
                lsr_out_printf(out, "  %s\n%*s%s\n", usage, HELP_COLUMN, "", o->help);
        else
                lsr_out_printf(out, "  %-*s%s\n", HELP_COLUMN - 2, usage, o->help);
}

static void help_all(struct lsr_out *out)
{
        for (unsigned g = 0; g < LSR_GROUPS; g++) {
                lsr_out_printf(out, "\n%s:\n", lsr_group_titles[g]);
                for (size_t i = 0; i < lsr_n_options; i++)
                        if (lsr_options[i].group == g)
                                help_option(out, &lsr_options[i]);
        }
        lsr_out_puts(out, "\nExit status: 0 for success, 1 for minor problems, 2 if an operand failed.\n"
                          "Called as ls, it behaves exactly as GNU ls.\n");
}

/* With these a screen of 24 lines is full. */
static void help_short(struct lsr_out *out)
{
        static const char *const most_used[] = { "l",    "all", "human-readable", "recursive", "tree", "columns",
                                                 "json", "cat", "check",          "unpack",    "pack", "compare" };

        lsr_out_putc(out, '\n');
        for (size_t i = 0; i < sizeof(most_used) / sizeof(*most_used); i++)
                for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++)
                        if (strcmp(o->name ? o->name : (char[]){ o->letter, '\0' }, most_used[i]) == 0)
                                help_option(out, o);
        lsr_out_puts(out, "\nExamples:\n"
                          "  lsr -al pkg.tar.gz                what is in an archive\n"
                          "  lsr --tree=2 pkg.zip/src          a directory in one, as a tree\n"
                          "  lsr --cat pkg.zip/README.md       a file in one\n"
                          "  lsr --pack DIR                    make DIR.tar.zst of a directory\n"
                          "All options: lsr --help=all.  The manual: man lsr.\n");
}

int lsr_command_help(struct lsr_settings *settings)
{
        lsr_auto(lsr_out_free) struct lsr_out out;

        lsr_out_init(&out, STDOUT_FILENO);
        lsr_out_puts(&out, "Usage: lsr [OPTION]... [FILE]...\n"
                           "List directories and archives: files as ls does, and what is in a tar, a zip, an\n"
                           "ISO image, an SQLite database, ... as if it were a directory.\n");
        if (settings->help_all)
                help_all(&out);
        else
                help_short(&out);
        return lsr_message_flush(&out, 0);
}

int lsr_command_version(struct lsr_settings *settings)
{
        lsr_auto(lsr_out_free) struct lsr_out out;

        lsr_out_init(&out, STDOUT_FILENO);
        lsr_out_puts(&out, "lsr " LSR_VERSION "\n"
                           "Licence: MIT.  There is no warranty.\n");
        return lsr_message_flush(&out, 0);
}
