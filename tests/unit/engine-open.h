/*
 * engine-open - an engine that really runs, or the test is skipped
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
