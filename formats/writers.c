/*
 * writers - the table of formats that can be written
 */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "formats/drivers.h"
#include "formats/writer.h"

const struct lsr_writer_kind *const lsr_writers[] = {
        &lsr_writer_lsr1, &lsr_writer_tar, &lsr_writer_tar_xz, &lsr_writer_tar_bzip2, &lsr_writer_tar_lz4, NULL,
};

const struct lsr_writer_kind *lsr_writer_kind_of(const char *name)
{
        const struct lsr_writer_kind *best = NULL;
        size_t len = strlen(name), best_len = 0;

        for (const struct lsr_writer_kind *const *kind = lsr_writers; *kind; kind++) {
                for (const char *const *suffix = (*kind)->suffixes; *suffix; suffix++) {
                        size_t n = strlen(*suffix);

                        if (n < len && n > best_len && strcasecmp(name + len - n, *suffix) == 0) {
                                best = *kind;
                                best_len = n;
                        }
                }
        }
        return best;
}
