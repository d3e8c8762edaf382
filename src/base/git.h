/*
 * git - run git, and nothing that a repository names
 *
 * A .git/config comes along with a tar, and it may name programs: filters of
 * content, a file system monitor, hooks, ways to fetch objects that are missing.
 * None of them runs.  A file that has a filter is compared as it is.
 */
#pragma once

#include <stddef.h>

/*
 * What git prints that is started in @dir with @args, which NULL ends.  Returns as lsr_command_output(); git has said on
 * standard error why its status is not 0.
 */
int lsr_git_output(const char *dir, const char *const args[], char **ret_text, size_t *ret_len);
