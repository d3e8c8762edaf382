/*
 * zstd-old - not in the static binary: the formats of zstd before 0.8 (2016)
 *
 * libzstd carries a decoder of its own for each of 0.5, 0.6 and 0.7, 90 KB
 * together.  The driver takes frames of today's format only, so nothing but a
 * hostile stream inside of a 7z could lead there.  What libzstd calls of them is
 * defined here as what always fails, and the linker then leaves their objects
 * in the archive.  Names and types are those of libzstd 1.5, lib/legacy.
 *
 * A dynamic build uses the library as it is.  Should another version of it call
 * more than this, a static link says that symbols are defined twice.
 */
#include <stddef.h>
#include <zstd_errors.h>

#define FAILED ((size_t)-ZSTD_error_version_unsupported)

#define NEVER_MADE(name)     \
        void *name(void);    \
        void *name(void)     \
        {                    \
                return NULL; \
        }

/* Whatever the parameters are: none is looked at. */
#define ALWAYS_FAILS(name)     \
        size_t name(void);     \
        size_t name(void)      \
        {                      \
                return FAILED; \
        }

#define SIZE_UNKNOWN(name)                                                                     \
        void name(const void *src, size_t n, size_t *ret_size, unsigned long long *ret_bound); \
        void name(const void *src, size_t n, size_t *ret_size, unsigned long long *ret_bound)  \
        {                                                                                      \
                (void)src;                                                                     \
                (void)n;                                                                       \
                *ret_size = FAILED;                                                            \
                *ret_bound = -2ull; /* ZSTD_CONTENTSIZE_ERROR */                               \
        }

#define OLD_FORMAT(version)                                     \
        NEVER_MADE(ZSTD##version##_createDCtx)                  \
        NEVER_MADE(ZBUFF##version##_createDCtx)                 \
        ALWAYS_FAILS(ZSTD##version##_freeDCtx)                  \
        ALWAYS_FAILS(ZBUFF##version##_freeDCtx)                 \
        ALWAYS_FAILS(ZSTD##version##_decompress_usingDict)      \
        ALWAYS_FAILS(ZSTD##version##_getFrameParams)            \
        ALWAYS_FAILS(ZBUFF##version##_decompressInitDictionary) \
        ALWAYS_FAILS(ZBUFF##version##_decompressContinue)       \
        SIZE_UNKNOWN(ZSTD##version##_findFrameSizeInfoLegacy)

OLD_FORMAT(v05)
OLD_FORMAT(v06)
OLD_FORMAT(v07)
