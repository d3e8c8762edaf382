/*
 * settings-command - options that mean nothing to the command that they were given with
 *
 * They are errors: whoever writes `--unpack x.tar -C dest` means something, and it is not columns.  Where another
 * option is what they mean, it is named.  So the command must be known before the first option is taken: its value,
 * too, may make sense only elsewhere.
 */
#include <stdio.h>

#include "cli/message.h"
#include "cli/raw.h"

static const struct {
        int id;
        enum lsr_action action;
        const char *use;
} command_meant[] = {
        { 'C', LSR_ACTION_UNPACK, "--output=DIR" },
        { 'd', LSR_ACTION_UNPACK, "--output=DIR" },
        { 'o', LSR_ACTION_UNPACK, "--output=DIR" },
        { 'o', LSR_ACTION_PACK, "--output=FILE" },
        { 'f', LSR_ACTION_PACK, "--output=FILE" },
        { '1', LSR_ACTION_PACK, "--compression-level=1" },
        { LSR_OPT_LEVEL, LSR_ACTION_PACK, "--compression-level=N" },
        { LSR_OPT_FORMAT, LSR_ACTION_PACK, "--bundle-format=FORMAT" },
        { LSR_OPT_FORMATS, LSR_ACTION_PACK, "--bundle-format=FORMAT" },
        { LSR_OPT_FORMAT, LSR_ACTION_COMPARE, "--formats=LIST" },
        { LSR_OPT_BUNDLE_FORMAT, LSR_ACTION_COMPARE, "--formats=LIST" },
        { LSR_OPT_HIDE, LSR_ACTION_PACK, "--exclude=GLOB" },
        { 'I', LSR_ACTION_PACK, "--exclude=GLOB" },
        { LSR_OPT_EXCLUDE, LSR_ACTION_LIST, "--ignore=PATTERN" },
};

/* The command that @option is, or a listing. */
static enum lsr_action command_of(const struct lsr_option *option)
{
        switch (option->id) {
        case LSR_OPT_CAT:
                return LSR_ACTION_CAT;
        case LSR_OPT_CHECK:
                return LSR_ACTION_CHECK;
        case LSR_OPT_COMPARE:
                return LSR_ACTION_COMPARE;
        case LSR_OPT_PACK:
                return LSR_ACTION_PACK;
        case LSR_OPT_UNPACK:
                return LSR_ACTION_UNPACK;
        default:
                return LSR_ACTION_LIST;
        }
}

static void command_silent(const char *format, ...)
{
        (void)format;
}

enum lsr_action lsr_raw_command(struct lsr_parser parser)
{
        enum lsr_action action = LSR_ACTION_LIST;
        const struct lsr_option *option;
        const char *value;

        while (action == LSR_ACTION_LIST && lsr_parse_option(&parser, command_silent, &option, &value) > 0)
                action = command_of(option);
        return action;
}

/* Which option of @action would be what @option means elsewhere; NULL: none. */
static const char *command_use(const struct lsr_option *option, enum lsr_action action)
{
        for (size_t i = 0; i < sizeof(command_meant) / sizeof(*command_meant); i++)
                if (command_meant[i].id == option->id && command_meant[i].action == action)
                        return command_meant[i].use;
        return NULL;
}

int lsr_raw_check_command(const struct lsr_option *option, enum lsr_action action)
{
        const char *name = option->name ? option->name : "", *use = command_use(option, action);
        char written[64], commands[128];

        if (option->commands >> action & 1)
                return UNSET;
        if (lsr_option_letter(option))
                snprintf(written, sizeof(written), "-%c%s%s", lsr_option_letter(option), *name ? ", --" : "", name);
        else
                snprintf(written, sizeof(written), "--%s", name);
        lsr_option_commands(option, commands);
        if (command_of(option) != LSR_ACTION_LIST)
                lsr_message("one command at a time: --cat, --check, --compare, --pack, --unpack");
        else if (use)
                lsr_message("option '%s' is for %s; with %s use '%s'", written, commands, lsr_action_names[action],
                            use);
        else
                lsr_message("option '%s' is for %s", written, commands);
        lsr_message_try_help();
        return 2;
}
