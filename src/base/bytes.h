/*
 * bytes - integers as files store them, from addresses of any alignment
 */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t lsr_le16(const void *p)
{
        uint16_t v;

        memcpy(&v, p, sizeof(v));
        return le16toh(v);
}

static inline uint32_t lsr_le32(const void *p)
{
        uint32_t v;

        memcpy(&v, p, sizeof(v));
        return le32toh(v);
}

static inline uint64_t lsr_le64(const void *p)
{
        uint64_t v;

        memcpy(&v, p, sizeof(v));
        return le64toh(v);
}

static inline uint16_t lsr_be16(const void *p)
{
        uint16_t v;

        memcpy(&v, p, sizeof(v));
        return be16toh(v);
}

static inline uint32_t lsr_be32(const void *p)
{
        uint32_t v;

        memcpy(&v, p, sizeof(v));
        return be32toh(v);
}

static inline uint64_t lsr_be64(const void *p)
{
        uint64_t v;

        memcpy(&v, p, sizeof(v));
        return be64toh(v);
}

static inline void lsr_put_le16(void *p, uint16_t v)
{
        v = htole16(v);
        memcpy(p, &v, sizeof(v));
}

static inline void lsr_put_le32(void *p, uint32_t v)
{
        v = htole32(v);
        memcpy(p, &v, sizeof(v));
}

static inline void lsr_put_le64(void *p, uint64_t v)
{
        v = htole64(v);
        memcpy(p, &v, sizeof(v));
}
