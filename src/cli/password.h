/*
 * password - of encrypted bundles: from a file, the environment, or whoever sits at the terminal
 */
#pragma once

#include <stdbool.h>

#include "cli/settings.h"

/* Read what --password-file names.  0, or the exit status after an error, which was reported. */
int lsr_password_begin(const struct lsr_settings *settings);

/* The password for the bundle at @path, or NULL.  @may_ask: also from the terminal, if there is one. */
const char *lsr_password(void *ctx, const char *path, bool may_ask);
