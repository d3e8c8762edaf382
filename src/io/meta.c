/* meta - statx(2) to struct lsr_meta */
#include "io/meta.h"

#include <sys/stat.h>

/* Bits of both masks, those that lie equally far apart in one row: a row is one shift. */
#define META_BITS(X)                                                                         \
        X(LSR_FIELD_TYPE | LSR_FIELD_MODE | LSR_FIELD_NLINK | LSR_FIELD_UID | LSR_FIELD_GID, \
          STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID)                     \
        X(LSR_FIELD_SIZE | LSR_FIELD_BLOCKS, STATX_SIZE | STATX_BLOCKS)                      \
        X(LSR_FIELD_INODE, STATX_INO)                                                        \
        X(LSR_FIELD_MTIME, STATX_MTIME)                                                      \
        X(LSR_FIELD_ATIME, STATX_ATIME)                                                      \
        X(LSR_FIELD_CTIME, STATX_CTIME)                                                      \
        X(LSR_FIELD_BTIME, STATX_BTIME)

/* With constants this is a mask and a shift. */
static inline uint32_t meta_move(uint32_t mask, uint32_t from, uint32_t to)
{
        return from <= to ? (mask & from) * (to / from) : (mask & from) / (from / to);
}

#define META_TO_STATX(field, statx) | meta_move(fields, field, statx)
#define META_FROM_STATX(field, statx) | meta_move(stx->stx_mask, statx, field)
#define META_IS_SHIFT(field, statx)                                                     \
        _Static_assert(((field) <= (statx) ? ((statx) / (field)) * (field) == (statx)   \
                                           : ((field) / (statx)) * (statx) == (field)), \
                       "not the same distance");
META_BITS(META_IS_SHIFT)

static uint32_t meta_dev(uint32_t major, uint32_t minor)
{
        return major << 20 | (minor & 0xfffff);
}

void lsr_meta_from_statx(struct lsr_meta *meta, const struct statx *stx)
{
        *meta = (struct lsr_meta){
                .known = LSR_FIELD_DEV META_BITS(META_FROM_STATX),
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

unsigned lsr_meta_statx_mask(unsigned fields)
{
        return 0 META_BITS(META_TO_STATX);
}
