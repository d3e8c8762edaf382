/*
 * writers - the table of formats that can be written
 */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "formats/drivers.h"
#include "formats/writer.h"

const struct lsr_writer_kind *const lsr_writers[] = {
        &lsr_writer_lsr1,   &lsr_writer_tar,       &lsr_writer_tar_gzip,
        &lsr_writer_tar_xz, &lsr_writer_tar_bzip2, &lsr_writer_tar_lz4,
        &lsr_writer_zip,    &lsr_writer_sqlar,     NULL,
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

int lsr_writer_xattr_losses(const struct lsr_member *m)
{
        static const char acl[] = "system.posix_acl_";
        const uint8_t *at = m->xattrs, *end = at + m->xattrs_len;
        int losses = 0;

        while (at < end) {
                losses |= strncmp((const char *)at, acl, sizeof(acl) - 1) == 0 ? LSR_LOSS_ACL : LSR_LOSS_XATTRS;
                at += strlen((const char *)at) + 1;
                at += sizeof(uint32_t) + lsr_le32(at);
        }
        return losses;
}
