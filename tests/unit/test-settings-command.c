/* Every option of the table with every command: taken, or an error. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

#include "cli/settings.h"

#define COMMAND_OPTIONS 256

static const enum lsr_action command_actions[] = { LSR_ACTION_LIST,   LSR_ACTION_CAT,  LSR_ACTION_CHECK,
                                                   LSR_ACTION_UNPACK, LSR_ACTION_PACK, LSR_ACTION_COMPARE,
                                                   LSR_ACTION_DIFF };

/* They own what they were given to the end of the process. */
static struct lsr_settings command_settings[LSR_ACTIONS][COMMAND_OPTIONS][2];

/* Does @o ask for a command itself? */
static bool command_is_one(const struct lsr_option *o)
{
        for (unsigned action = LSR_ACTION_LIST + 1; o->name && action < LSR_ACTIONS; action++)
                if (strcmp(lsr_action_names[action] + 2, o->name) == 0)
                        return true;
        return false;
}

/* Is the form of @o another option with @action? */
static bool command_is_other(const struct lsr_option *o, enum lsr_action action, bool letter)
{
        for (const struct lsr_option *p = lsr_options; p < lsr_options + lsr_n_options; p++)
                if (p != o && p->commands >> action & 1 &&
                    (letter ? p->letter == o->letter : p->name && strcmp(p->name, o->name) == 0))
                        return true;
        return false;
}

/* @o before the operand and the command behind it, so that neither is known when the option comes. */
static void command_try(const struct lsr_option *o, enum lsr_action action, bool letter)
{
        char option[128], value[64] = "", command[32];
        bool level = action == LSR_ACTION_LIST && o->name &&
                     (strcmp(o->name, "level") == 0 || strcmp(o->name, "depth") == 0); /* mean something for trees */
        char *argv[] = { (char *)"lsr", option, (char *)(level ? "--tree" : "operand"), command };
        bool takes = (o->commands >> action & 1) || (action == LSR_ACTION_LIST && command_is_one(o));
        int status;

        if (command_is_other(o, action, letter))
                return;
        if (o->argument == LSR_ARG_REQUIRED)
                snprintf(value, sizeof(value), "%s%s", letter ? "" : "=",
                         o->words                           ? o->words[0].word
                         : strcmp(o->name, "columns") == 0  ? "size"
                         : strcmp(o->name, "encoding") == 0 ? "cp437"
                         : strcmp(o->name, "limit") == 0    ? "time=9"
                         : strcmp(o->name, "format") == 0   ? "long"
                                                            : "1");
        if (letter)
                snprintf(option, sizeof(option), "-%c%s", o->letter, value);
        else
                snprintf(option, sizeof(option), "--%s%s", o->name, value);
        snprintf(command, sizeof(command), "%s", lsr_action_names[action]);
        status = lsr_settings_parse(&command_settings[action][o - lsr_options][letter],
                                    action == LSR_ACTION_LIST ? 3 : 4, argv, false);
        cr_assert_eq(status, takes ? 0 : 2, "%s with %s: %d", option, command, status);
}

Test(settings_command, every_option_with_every_command, .init = cr_redirect_stderr)
{
        cr_assert_leq(lsr_n_options, COMMAND_OPTIONS);
        for (size_t i = 0; i < lsr_n_options; i++) {
                cr_assert(lsr_options[i].commands, "%s is for nobody", lsr_options[i].name);
                for (size_t a = 0; a < sizeof(command_actions) / sizeof(*command_actions); a++) {
                        if (lsr_options[i].name)
                                command_try(&lsr_options[i], command_actions[a], false);
                        if (lsr_options[i].letter)
                                command_try(&lsr_options[i], command_actions[a], true);
                }
        }
}

/* Called as ls, there are no commands, and nothing that GNU ls has is refused. */
Test(settings_command, gnu)
{
        for (size_t i = 0; i < lsr_n_options; i++)
                cr_assert(lsr_options[i].extra || lsr_options[i].commands >> LSR_ACTION_LIST & 1, "%s",
                          lsr_options[i].name);
}
