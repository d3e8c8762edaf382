/*
 * engine-open - an engine that really runs, or the test is skipped; operations for it
 */
#pragma once

#include <criterion/criterion.h>
#include <string.h>

#include "io/io.h"

static inline struct lsr_io *engine_open(const char *engine)
{
        struct lsr_io *io = NULL;
        int r = lsr_io_new(&io, engine);

        if (r == 0)
                r = lsr_io_require(io);
        if (r < 0 && strstr(engine, "uring")) {
                lsr_io_free(io);
                cr_skip_test("io_uring is refused here: %s", strerror(-r));
        }
        cr_assert_eq(r, 0, "%s: %s", engine, strerror(-r));
        return io;
}

static inline struct lsr_op op_stat(int dirfd, const char *name, unsigned fields, bool follow, struct lsr_meta *meta)
{
        struct lsr_op op = lsr_op_stat(dirfd, fields, follow);

        op.name = name;
        op.meta = meta;
        return op;
}

/* The others: of files of the command line if @dirfd is AT_FDCWD. */
static inline struct lsr_op op_data(enum lsr_op_kind kind, int dirfd, const char *name, struct lsr_op_data *data)
{
        return (struct lsr_op){ .name = name, .data = data, .dirfd = dirfd, .kind = kind, .follow = true };
}
