/*
 * signals - those that ask a command to end
 */
#pragma once

#include <signal.h>

/* SIGINT, SIGTERM and SIGHUP are dealt with as @action says; one that nohup(1) or a shell has ignored stays so. */
void lsr_signals_set(const struct sigaction *action);
