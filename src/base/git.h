/*
 * git - run git, but no program that a repository names
 *
 * A .git/config comes along with a tar, and it may name programs: filters of
 * content, a file system monitor, hooks, ways to fetch objects that are missing.
 * None of them runs.  A file that has a filter is compared as it is.
 */
#pragma once

#include <stddef.h>

/*
 * Run git in @dir with @args, which NULL ends, and return its output.  Returns as lsr_command_output(); if its
 * status is not 0, git has said why.
 */
int lsr_git_output(const char *dir, const char *const args[], char **ret_text, size_t *ret_len);

/* What git said at last, one line or "": any bytes of names and configurations are in it. */
const char *lsr_git_said(void);
