/* cli - from the command line to one of the commands */
#include "cli/cli.h"

#include <string.h>

#include "base/locale.h"
#include "base/path.h"
#include "base/stdfds.h"
#include "cli/message.h"

static int (*const cli_commands[LSR_ACTIONS])(struct lsr_settings *settings) = {
        [LSR_ACTION_LIST] = lsr_command_list,   [LSR_ACTION_CAT] = lsr_command_cat,
        [LSR_ACTION_CHECK] = lsr_command_check, [LSR_ACTION_UNPACK] = lsr_command_unpack,
        [LSR_ACTION_PACK] = lsr_command_pack,   [LSR_ACTION_COMPARE] = lsr_command_compare,
        [LSR_ACTION_HELP] = lsr_command_help,   [LSR_ACTION_VERSION] = lsr_command_version,
};

int lsr_cli_main(int argc, char **argv)
{
        /* Static, since its memory lives to the end: the leak check finds it here. */
        static struct lsr_settings settings;
        bool gnu = argc > 0 && strcmp(lsr_path_name(argv[0]), "ls") == 0;
        int status;

        lsr_message_init(gnu ? argv[0] : "lsr", gnu);
        lsr_locale_init();
        status = lsr_settings_parse(&settings, argc, argv, gnu);
        if (status)
                return status;
        /* A listing opens nothing for writing before it starts a worker, which guards them then. */
        if (settings.action != LSR_ACTION_LIST)
                lsr_stdfds_guard();
        return cli_commands[settings.action](&settings);
}
