/*
 * git-files - the files of a tree that are packed: those that git knows or would add, or that a list names
 *
 * git interprets .gitignore, .git/info/exclude and the user's own excludes:
 * `git ls-files` runs once for the tree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum lsr_kept {
        LSR_KEPT_NOT,
        LSR_KEPT,     /* the file, or the directory with what is kept below it */
        LSR_KEPT_ALL, /* the directory with everything below it: a repository of its own */
};

struct lsr_keep;

/*
 * 0; -ENOENT: git is not installed; -EINVAL: git failed and printed the reason on standard error; another negative
 * errno.
 */
int lsr_keep_git(struct lsr_keep **ret_keep, const char *path);

/* An empty set, and one more path below the root, with the directories that it is in; @all: with all below it. */
struct lsr_keep *lsr_keep_new(void);
void lsr_keep_add(struct lsr_keep *keep, const char *path, size_t len, bool all);
struct lsr_keep *lsr_keep_free(struct lsr_keep *keep);

/* @path of @len bytes below the tree's root. */
enum lsr_kept lsr_keep_has(const struct lsr_keep *keep, const char *path, size_t len);
