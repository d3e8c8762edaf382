/*
 * exclude - patterns of files that are not packed
 *
 * They may be written as for tar and as in a .gitignore:
 *
 *      secret          whatever has that name, at any depth
 *      secret/         a directory of that name, at any depth
 *      /secret         that below an operand, and not deeper; also ./secret
 *      a/secret        that path below an operand
 *      home/secret     the same with the operand before it: as it was written, by its last component, or absolute
 *      a/ ** /secret   (without the blanks) any number of directories between them, or none; also first and last
 *
 * '*' and '?' match '/' too, as for tar.  An operand itself is never left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lsr_excludes;

/* NULL if there are no @patterns.  They are NULL-terminated, or NULL, and stay the caller's. */
struct lsr_excludes *lsr_excludes_new(const char *const *patterns);
struct lsr_excludes *lsr_excludes_free(struct lsr_excludes *e);

/*
 * The following paths are below an operand: @given as it was written, @prefix as it is stored, @path absolute.
 * Each may be NULL or "".
 */
void lsr_excludes_root(struct lsr_excludes *e, const char *given, const char *prefix, const char *path);

/*
 * Is @path, which is below the operand and ends in the component @name, to be left out?  @path is modified
 * meanwhile, and restored before this returns.
 */
bool lsr_excludes_has(struct lsr_excludes *e, char *path, const char *name, bool is_dir);

/* The next pattern from @at on without a match so far, or NULL.  @at begins at 0. */
const char *lsr_excludes_unused(const struct lsr_excludes *e, size_t *at);
