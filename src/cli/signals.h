/*
 * signals - those that ask a command to end
 */
#pragma once

#include <signal.h>

/* SIGINT, SIGTERM and SIGHUP are dealt with as @action says; one that nohup(1) or a shell has ignored stays so. */
void lsr_signals_set(const struct sigaction *action);

/*
 * From now on such a signal ends the process at once, whatever it is doing, with status 128 + its number.  @put_away is
 * called before that; it may do only what signal-safety(7) allows.  All other threads must have signals blocked.
 */
void lsr_signals_end(void (*put_away)(void));
