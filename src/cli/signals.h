/*
 * signals - SIGINT, SIGTERM and SIGHUP
 */
#pragma once

#include <signal.h>

/* Handle them by @action; a signal that nohup(1) or a shell has set to ignored stays ignored. */
void lsr_signals_set(const struct sigaction *action);

/*
 * From now on such a signal ends the process at once with status 128 + its number.  @put_away is called before
 * that; it may call only what signal-safety(7) allows.  All other threads must have signals blocked.
 */
void lsr_signals_end(void (*put_away)(void));
