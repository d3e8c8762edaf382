/*
 * git - the state of files in a work tree, as git tells it
 *
 * `git status --porcelain=v2 -z` is asked once for every work tree; see
 * git-status(1) for its records and letters.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "entry.h"

#define LSR_GIT_IGNORED ((uint16_t)('!' << 8 | '!')) /* "!!" */

struct lsr_git;

struct lsr_git *lsr_git_new(void);
struct lsr_git *lsr_git_free(struct lsr_git *git);

/*
 * Set entry->git of all @entries of directory @dir, or of operands if it is NULL: index << 8 | work tree, with '-'
 * where nothing changed, "??" if untracked, "!!" if ignored; of a directory the common state of all files below
 * it, 'M' if they differ, and "-?" if some are untracked.  Outside of work trees it stays 0.
 *
 * 0; 1: git failed and printed the reason on standard error, which is reported once for a work tree; -ENOENT: git
 * is not installed; another negative errno.
 */
int lsr_git_fill(struct lsr_git *git, const char *dir, struct lsr_entry **entries, size_t n);

/* Does git ignore directory @dir itself, and with it all that is in it? */
bool lsr_git_ignores(struct lsr_git *git, const char *dir);
