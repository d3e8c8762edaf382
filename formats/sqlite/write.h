/*
 * write - what the writer of archives and its file system share
 */
#pragma once

#include "formats/output.h"
#include "formats/sqlite/sqlite.h"

/* --- formats/sqlite/output.c ----------------------------------------------------------- */

struct lsr_sqlite_output;

/* A file system that holds the file of @out, empty at first, under whatever name SQLite asks for.  0 or -ENOMEM. */
int lsr_sqlite_output_new(struct lsr_sqlite_output **ret_fs, struct lsr_output *out);
struct lsr_sqlite_output *lsr_sqlite_output_free(struct lsr_sqlite_output *fs);

const char *lsr_sqlite_output_name(const struct lsr_sqlite_output *fs);

/* Write what is gathered.  0, or the negative errno of the first failure. */
int lsr_sqlite_output_flush(struct lsr_sqlite_output *fs);
