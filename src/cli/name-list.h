/*
 * name-list - that of --files-from
 */
#pragma once

#include <stddef.h>

#include "cli/settings.h"

struct lsr_name_list {
        char *text; /* of all of them; owned, like the list */
        const char **list;
        size_t n;
};

/*
 * The names in settings->files_from, "-" being standard input: one per line, or with settings->null before each NUL;
 * empty ones are left out.  Returns 0, or the exit status after an error, which was reported.
 */
int lsr_name_list_read(const struct lsr_settings *settings, struct lsr_name_list *ret_names);
void lsr_name_list_free(struct lsr_name_list *names);
