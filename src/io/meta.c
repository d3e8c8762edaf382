/* meta - statx(2) to struct lsr_meta */
#include "io/meta.h"

#include <string.h>
#include <sys/stat.h>

static uint32_t meta_dev(uint32_t major, uint32_t minor)
{
        return major << 20 | (minor & 0xfffff);
}

void lsr_meta_from_statx(struct lsr_meta *meta, const struct statx *stx)
{
        uint32_t mask = stx->stx_mask;
        uint32_t known = LSR_FIELD_DEV;

        /* The bits of both masks are fixed; a compiler turns this into a few shifts. */
        known |= mask & STATX_TYPE ? LSR_FIELD_TYPE : 0;
        known |= mask & STATX_MODE ? LSR_FIELD_MODE : 0;
        known |= mask & STATX_NLINK ? LSR_FIELD_NLINK : 0;
        known |= mask & STATX_UID ? LSR_FIELD_UID : 0;
        known |= mask & STATX_GID ? LSR_FIELD_GID : 0;
        known |= mask & STATX_SIZE ? LSR_FIELD_SIZE : 0;
        known |= mask & STATX_BLOCKS ? LSR_FIELD_BLOCKS : 0;
        known |= mask & STATX_INO ? LSR_FIELD_INODE : 0;
        known |= mask & STATX_MTIME ? LSR_FIELD_MTIME : 0;
        known |= mask & STATX_ATIME ? LSR_FIELD_ATIME : 0;
        known |= mask & STATX_CTIME ? LSR_FIELD_CTIME : 0;
        known |= mask & STATX_BTIME ? LSR_FIELD_BTIME : 0;
        *meta = (struct lsr_meta){
                .known = known,
                .mode = stx->stx_mode,
                .nlink = stx->stx_nlink,
                .uid = stx->stx_uid,
                .gid = stx->stx_gid,
                .dev = meta_dev(stx->stx_dev_major, stx->stx_dev_minor),
                .rdev = meta_dev(stx->stx_rdev_major, stx->stx_rdev_minor),
                .size = stx->stx_size,
                .blocks = stx->stx_blocks,
                .inode = stx->stx_ino,
                .sec = { stx->stx_mtime.tv_sec, stx->stx_atime.tv_sec, stx->stx_ctime.tv_sec, stx->stx_btime.tv_sec },
                .nsec = { stx->stx_mtime.tv_nsec, stx->stx_atime.tv_nsec, stx->stx_ctime.tv_nsec,
                          stx->stx_btime.tv_nsec },
        };
}

unsigned lsr_meta_attributes(const char *names, size_t n)
{
        unsigned found = 0;

        for (const char *p = names; p < names + n; p += strlen(p) + 1) {
                if (strcmp(p, "system.posix_acl_access") == 0 || strcmp(p, "system.posix_acl_default") == 0)
                        found |= LSR_ATTRIBUTE_ACL;
                else if (strcmp(p, LSR_CONTEXT_NAME) == 0)
                        found |= LSR_ATTRIBUTE_CONTEXT;
                else if (strcmp(p, "security.capability") == 0)
                        found |= LSR_ATTRIBUTE_CAPABILITY;
        }
        return found;
}

unsigned lsr_meta_statx_mask(unsigned fields)
{
        static const struct {
                unsigned field, statx;
        } table[] = {
                { LSR_FIELD_TYPE, STATX_TYPE },     { LSR_FIELD_MODE, STATX_MODE },   { LSR_FIELD_NLINK, STATX_NLINK },
                { LSR_FIELD_UID, STATX_UID },       { LSR_FIELD_GID, STATX_GID },     { LSR_FIELD_SIZE, STATX_SIZE },
                { LSR_FIELD_BLOCKS, STATX_BLOCKS }, { LSR_FIELD_INODE, STATX_INO },   { LSR_FIELD_MTIME, STATX_MTIME },
                { LSR_FIELD_ATIME, STATX_ATIME },   { LSR_FIELD_CTIME, STATX_CTIME }, { LSR_FIELD_BTIME, STATX_BTIME },
        };
        unsigned mask = 0;

        for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
                if (fields & table[i].field)
                        mask |= table[i].statx;
        return mask;
}
