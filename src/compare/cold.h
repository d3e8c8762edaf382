/*
 * cold - what was read before is to be read from the disk again
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* May this user drop the caches of the whole machine?  Tries it. */
bool lsr_cold_drop_all(void);

/* Else the pages of these files alone: of a tree, or of open files. */
void lsr_cold_drop_tree(const char *dir);
void lsr_cold_drop_files(const int *fds, size_t n);
