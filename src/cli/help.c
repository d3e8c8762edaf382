/* help - the texts of --help and --version */
#include <string.h>

#include "base/cleanup.h"
#include "cli/describe.h"
#include "cli/options.h"
#include "version.h"

#define HELP_COLUMN 34

void lsr_describe_usage(const struct lsr_option *o, char buf[128])
{
        lsr_auto(lsr_out_free) struct lsr_out out = LSR_OUT_MEMORY;
        char letter = o->letter;

        if (letter)
                lsr_out_printf(&out, "-%c", letter);
        if (o->name)
                lsr_out_printf(&out, "%s--%s", letter ? ", " : "    ", o->name);
        if (o->argument == LSR_ARG_REQUIRED)
                lsr_out_printf(&out, "%s%s", o->name ? "=" : " ", o->value);
        else if (o->argument == LSR_ARG_OPTIONAL)
                lsr_out_printf(&out, "[=%s]", o->value);
        lsr_out_putc(&out, '\0');
        memcpy(buf, out.buf, out.len < 128 ? out.len : 127);
        buf[127] = '\0';
}

void lsr_describe_help(struct lsr_out *out)
{
        lsr_out_puts(out, "Usage: lsr [OPTION]... [FILE]...\n"
                          "List files and directories as ls does, in few system calls.\n"
                          "Bundles (tar, zip, SQLite, ...) are listed as directories.\n");
        for (unsigned g = 0; g < LSR_GROUPS; g++) {
                lsr_out_printf(out, "\n%s:\n", lsr_group_titles[g]);
                for (size_t i = 0; i < lsr_n_options; i++) {
                        char usage[128];

                        if (lsr_options[i].group != g)
                                continue;
                        lsr_describe_usage(&lsr_options[i], usage);
                        if (strlen(usage) + 4 > HELP_COLUMN)
                                lsr_out_printf(out, "  %s\n%*s%s\n", usage, HELP_COLUMN, "", lsr_options[i].help);
                        else
                                lsr_out_printf(out, "  %-*s%s\n", HELP_COLUMN - 2, usage, lsr_options[i].help);
                }
        }
        lsr_out_puts(out, "\nExit status: 0 for success, 1 for minor problems, 2 if an operand failed.\n"
                          "Called as ls, it behaves exactly as GNU ls.\n");
}

void lsr_describe_version(struct lsr_out *out)
{
        lsr_out_puts(out, "lsr " LSR_VERSION "\n"
                          "Licence: MIT.  There is no warranty.\n");
}
