/*
 * meta - the metadata of one file, in 104 bytes
 *
 * struct statx takes 256 bytes and a listing of a million files keeps them all.
 * Field names and meanings are those of statx(2).  A field counts only if its
 * bit is set in @known: absent is not zero.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum lsr_field {
        LSR_FIELD_TYPE = 1 << 0, /* the S_IFMT bits of mode */
        LSR_FIELD_MODE = 1 << 1, /* its other bits */
        LSR_FIELD_NLINK = 1 << 2,
        LSR_FIELD_UID = 1 << 3,
        LSR_FIELD_GID = 1 << 4,
        LSR_FIELD_SIZE = 1 << 5,
        LSR_FIELD_BLOCKS = 1 << 6,
        LSR_FIELD_INODE = 1 << 7,
        LSR_FIELD_DEV = 1 << 8, /* dev, and rdev of a device */
        LSR_FIELD_MTIME = 1 << 9,
        LSR_FIELD_ATIME = 1 << 10,
        LSR_FIELD_CTIME = 1 << 11,
        LSR_FIELD_BTIME = 1 << 12,
        LSR_FIELD_ATTRIBUTES = 1 << 13, /* which there are of enum lsr_attribute: not of statx(2), a call of its own */
};

/* Extended attributes that a listing shows. */
#define LSR_CONTEXT_NAME "security.selinux"
enum lsr_attribute {
        LSR_ATTRIBUTE_ACL = 1 << 0,
        LSR_ATTRIBUTE_CONTEXT = 1 << 1,
        LSR_ATTRIBUTE_CAPABILITY = 1 << 2,
};

enum lsr_time {
        LSR_MTIME,
        LSR_ATIME,
        LSR_CTIME,
        LSR_BTIME,
        LSR_TIMES,
};

struct lsr_meta {
        uint16_t known;      /* enum lsr_field */
        uint16_t attributes; /* enum lsr_attribute */
        int32_t error;       /* 0, or the negative errno of the stat */
        uint32_t mode;
        uint32_t nlink;
        uint32_t uid;
        uint32_t gid;
        uint32_t dev; /* Linux's 32-bit device numbers, see lsr_dev_major() */
        uint32_t rdev;
        uint64_t size;   /* bytes */
        uint64_t blocks; /* of 512 bytes */
        uint64_t inode;
        int64_t sec[LSR_TIMES]; /* since 1970-01-01 UTC, indexed by enum lsr_time */
        uint32_t nsec[LSR_TIMES];
};

/* The kernel keeps 12 bits of major and 20 of minor number (MINORBITS in include/linux/kdev_t.h). */
static inline unsigned lsr_dev_major(uint32_t dev)
{
        return dev >> 20;
}

static inline unsigned lsr_dev_minor(uint32_t dev)
{
        return dev & 0xfffff;
}

struct statx;

/* Take over a successful statx; leaves meta->error at 0. */
void lsr_meta_from_statx(struct lsr_meta *meta, const struct statx *stx);

/* Which enum lsr_attribute there are among @n bytes of names, each with its NUL. */
unsigned lsr_meta_attributes(const char *names, size_t n);

/* The STATX_* mask that asks for the given fields. */
unsigned lsr_meta_statx_mask(unsigned fields);
