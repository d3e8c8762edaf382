/* cli - the commands */
#pragma once

#include "cli/settings.h"

/* Everything main() does.  Returns the exit status; output has been flushed. */
int lsr_cli_main(int argc, char **argv);

/* Each command is in a file of its own. */
int lsr_command_list(struct lsr_settings *settings);
int lsr_command_cat(struct lsr_settings *settings);
int lsr_command_check(const struct lsr_settings *settings);
int lsr_command_unpack(struct lsr_settings *settings);
int lsr_command_pack(struct lsr_settings *settings);
int lsr_command_compare(const struct lsr_settings *settings);
