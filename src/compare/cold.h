/*
 * cold - drop caches, so that files are read from the disk again
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Are files there always in memory?  */
bool lsr_cold_never(const char *path);

/* May this user drop the caches of the whole machine?  Tries it.  This program is cached again. */
bool lsr_cold_drop_all(void);

/* Otherwise drop only the pages of these files: of a tree, or of open files. */
void lsr_cold_drop_tree(const char *dir);
void lsr_cold_drop_files(const int *fds, size_t n);
