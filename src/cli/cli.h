/* cli - the commands */
#pragma once

#include <signal.h>

#include "cli/settings.h"
#include "source/bundle.h"

/* Everything main() does.  Returns the exit status; output has been flushed. */
int lsr_cli_main(int argc, char **argv);

/* Each command is in a file of its own, but for the last two, which are in help.c. */
int lsr_command_list(struct lsr_settings *settings);
int lsr_command_cat(struct lsr_settings *settings);
int lsr_command_check(struct lsr_settings *settings);
int lsr_command_unpack(struct lsr_settings *settings);
int lsr_command_pack(struct lsr_settings *settings);
int lsr_command_compare(struct lsr_settings *settings);
int lsr_command_diff(struct lsr_settings *settings);
int lsr_command_help(struct lsr_settings *settings);
int lsr_command_version(struct lsr_settings *settings);

/*
 * The lines of --stats, "name  value", on standard error; with @json an object, {"name":value}, with '_' for blanks and
 * times in nanoseconds.  @bundles: NULL if none could be entered.
 */
void lsr_stats_print(const struct lsr_listing_stats *listing, const struct lsr_io_stats *io, const char *engine,
                     const struct lsr_bundles *bundles, const struct lsr_view *view, bool json);

/* ---- signals.c: SIGINT, SIGTERM and SIGHUP ---- */

/* Handle them by @action; a signal that nohup(1) or a shell has set to ignored stays ignored. */
void lsr_signals_set(const struct sigaction *action);

/*
 * From now on such a signal ends the process at once with status 128 + its number.  @put_away is called before
 * that; it may call only what signal-safety(7) allows.  All other threads must have signals blocked.
 */
void lsr_signals_end(void (*put_away)(void));
