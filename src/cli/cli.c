/* cli - from the command line to one of the commands */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/path.h"
#include "base/stdfds.h"
#include "cli/describe.h"
#include "cli/message.h"

static int cli_describe(enum lsr_action action)
{
        struct lsr_out out;
        int error;

        lsr_out_init(&out, STDOUT_FILENO);
        if (action == LSR_ACTION_HELP)
                lsr_describe_help(&out);
        else
                lsr_describe_version(&out);
        error = lsr_out_flush(&out);
        lsr_out_free(&out);
        if (error < 0)
                lsr_message_errno(-error, "write error");
        return error < 0 ? 2 : 0;
}

int lsr_cli_main(int argc, char **argv)
{
        /* Static, since its memory lives to the end: the leak check finds it here. */
        static struct lsr_settings settings;
        bool gnu = argc > 0 && strcmp(lsr_path_name(argv[0]), "ls") == 0;
        int status;

        lsr_message_init(gnu ? argv[0] : "lsr");
        lsr_locale_init();
        status = lsr_settings_parse(&settings, argc, argv, gnu);
        if (status >= 0)
                return status;
        /* A listing opens nothing for writing before it starts a worker, which guards them then. */
        if (settings.action != LSR_ACTION_LIST)
                lsr_stdfds_guard();
        switch (settings.action) {
        case LSR_ACTION_CAT:
                return lsr_command_cat(&settings);
        case LSR_ACTION_CHECK:
                return lsr_command_check(&settings);
        case LSR_ACTION_COMPARE:
                return lsr_command_compare(&settings);
        case LSR_ACTION_LIST:
                return lsr_command_list(&settings);
        case LSR_ACTION_PACK:
                return lsr_command_pack(&settings);
        case LSR_ACTION_UNPACK:
                return lsr_command_unpack(&settings);
        default:
                return cli_describe(settings.action);
        }
}
