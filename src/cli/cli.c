/* cli - from the command line to one of the commands */
#include "cli/cli.h"

#include <string.h>

#include "base/locale.h"
#include "base/path.h"
#include "base/stdfds.h"
#include "base/thread.h"
#include "cli/doubt.h"
#include "cli/message.h"
#include "worker/start.h"

static int (*const cli_commands[LSR_ACTIONS])(struct lsr_settings *settings) = {
        [LSR_ACTION_LIST] = lsr_command_list,       [LSR_ACTION_CAT] = lsr_command_cat,
        [LSR_ACTION_CHECK] = lsr_command_check,     [LSR_ACTION_UNPACK] = lsr_command_unpack,
        [LSR_ACTION_PACK] = lsr_command_pack,       [LSR_ACTION_COMPARE] = lsr_command_compare,
        [LSR_ACTION_DIFF] = lsr_command_diff,       [LSR_ACTION_HELP] = lsr_command_help,
        [LSR_ACTION_VERSION] = lsr_command_version,
};

/* The one operand is a bundle, or leads into one, if its name is true: what parses it may begin to be there. */
static bool cli_will_parse(const struct lsr_settings *s)
{
        const unsigned commands = 1u << LSR_ACTION_LIST | 1u << LSR_ACTION_CAT | 1u << LSR_ACTION_CHECK |
                                  1u << LSR_ACTION_UNPACK;

        return commands >> s->action & 1 && !s->gnu && s->list.enter != LSR_ENTER_NEVER && s->n_operands == 1 &&
               lsr_doubt_leads(s->operands[0]);
}

int lsr_cli_main(int argc, char **argv)
{
        /* Static, since its memory lives to the end: the leak check finds it here. */
        static struct lsr_settings settings;
        bool gnu = argc > 0 && strcmp(lsr_path_name(argv[0]), "ls") == 0, parses;
        int status;

        lsr_message_init(gnu ? argv[0] : "lsr", gnu);
        lsr_locale_init();
        status = lsr_settings_parse(&settings, argc, argv, gnu);
        if (status)
                return status;
        lsr_thread_set(settings.threads);
        parses = cli_will_parse(&settings);
        /* Any other listing opens nothing for writing before it starts a worker, which guards them then. */
        if (parses || settings.action != LSR_ACTION_LIST)
                lsr_stdfds_guard();
        if (parses)
                lsr_start_early();
        return cli_commands[settings.action](&settings);
}
