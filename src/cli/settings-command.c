/*
 * settings-command - options that do not apply to the command
 *
 * They are errors: `--unpack x.tar -C dest` is not meant to set columns.  The message names the option that was
 * probably meant.  So the command must be known before the first option is handled: its value, too, may be valid
 * only for another command.
 */
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/given.h"

static const struct {
        const char *option; /* its name, or its letter if it has none */
        enum lsr_action action;
        const char *use;
} command_meant[] = {
        { "C", LSR_ACTION_UNPACK, "--output=DIR" },
        { "directory", LSR_ACTION_UNPACK, "--output=DIR" },
        { "o", LSR_ACTION_UNPACK, "--output=DIR" },
        { "o", LSR_ACTION_PACK, "--output=FILE" },
        { "f", LSR_ACTION_PACK, "--output=FILE" },
        { "1", LSR_ACTION_PACK, "--compression-level=1" },
        { "level", LSR_ACTION_PACK, "--compression-level=N" },
        { "format", LSR_ACTION_PACK, "--bundle-format=FORMAT" },
        { "formats", LSR_ACTION_PACK, "--bundle-format=FORMAT" },
        { "format", LSR_ACTION_COMPARE, "--formats=LIST" },
        { "bundle-format", LSR_ACTION_COMPARE, "--formats=LIST" },
        { "hide", LSR_ACTION_PACK, "--exclude=GLOB" },
        { "ignore", LSR_ACTION_PACK, "--exclude=GLOB" },
        { "exclude", LSR_ACTION_LIST, "--ignore=PATTERN" },
};

static int command_silent(const char *format, ...)
{
        return 0;
}

enum lsr_action lsr_given_command(struct lsr_parser parser)
{
        enum lsr_action action = LSR_ACTION_LIST;
        const struct lsr_option *option;
        const char *value;

        while (action == LSR_ACTION_LIST && lsr_parse_option(&parser, command_silent, &option, &value) > 0)
                if (option->command < LSR_ACTION_HELP)
                        action = option->command;
        return action;
}

/* The option of @action that corresponds to @option of other programs or commands; NULL: none. */
static const char *command_use(const struct lsr_option *option, enum lsr_action action)
{
        const char letter[] = { option->letter, '\0' }, *name = option->name ? option->name : letter;

        for (size_t i = 0; i < sizeof(command_meant) / sizeof(*command_meant); i++)
                if (strcmp(command_meant[i].option, name) == 0 && command_meant[i].action == action)
                        return command_meant[i].use;
        return NULL;
}

int lsr_given_check_command(const struct lsr_option *option, enum lsr_action action)
{
        const char *name = option->name ? option->name : "", *use;
        char written[64], commands[128];

        if (option->commands >> action & 1)
                return 0;
        use = command_use(option, action);
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
