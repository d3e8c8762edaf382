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

int lsr_command_help(struct lsr_settings *settings)
{
        lsr_auto(lsr_out_free) struct lsr_out out;

        lsr_out_init(&out, STDOUT_FILENO);
        lsr_out_puts(&out, "Usage: lsr [OPTION]... [FILE]...\n"
                           "List files and directories as ls does, in few system calls.\n"
                           "Bundles (tar, zip, SQLite, ...) are listed as directories.\n");
        for (unsigned g = 0; g < LSR_GROUPS; g++) {
                lsr_out_printf(&out, "\n%s:\n", lsr_group_titles[g]);
                for (size_t i = 0; i < lsr_n_options; i++)
                        if (lsr_options[i].group == g)
                                help_option(&out, &lsr_options[i]);
        }
        lsr_out_puts(&out, "\nExit status: 0 for success, 1 for minor problems, 2 if an operand failed.\n"
                           "Called as ls, it behaves exactly as GNU ls.\n");
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
