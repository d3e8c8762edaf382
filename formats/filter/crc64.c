/*
 * crc64 - sixteen bytes at a time, by multiplication without carry
 *
 * liblzma has this, too.  But where it is linked statically it asks the processor
 * for that multiplication at each start, before main(), and a hypervisor answers:
 * that takes a tenth of what listing ten files does.  Here it is asked when the first
 * .xz is read.  See docs/decisions/0027.
 *
 * What was read so far is kept as 16 bytes that leave the same remainder as all of
 * it: each half is multiplied by the power of x by which the next 16 bytes move
 * it, and these are added.  In the end tables make the remainder.  Bits are the
 * other way round, the highest power first, and their product one place lower.
 */
#include "formats/filter/crc64.h"

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdbool.h>

#define CRC64_POLYNOMIAL UINT64_C(0xc96c5795d7870f42)
#define CRC64_FOLD 16u

static struct {
        pthread_once_t once;
        bool multiplies;
        uint64_t fold[2]; /* for the earlier half of the 16 bytes, and the later */
        uint64_t table[256];
} crc64 = { .once = PTHREAD_ONCE_INIT };

/* @p times x to the power of @n. */
static uint64_t crc64_times(uint64_t p, unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                p = p >> 1 ^ (CRC64_POLYNOMIAL & -(p & 1));
        return p;
}

static void crc64_make(void)
{
        const uint64_t one = UINT64_C(1) << 63;
        unsigned a, b, c = 0, d;

        crc64.multiplies = __get_cpuid(1, &a, &b, &c, &d) && c & bit_PCLMUL;
        crc64.fold[0] = crc64_times(one, 8 * CRC64_FOLD + 64 - 1);
        crc64.fold[1] = crc64_times(one, 8 * CRC64_FOLD - 1);
        for (unsigned i = 0; i < 256; i++)
                crc64.table[i] = crc64_times(i, 8);
}

static uint64_t crc64_bytes(uint64_t rest, const uint8_t *p, size_t n)
{
        for (size_t i = 0; i < n; i++)
                rest = rest >> 8 ^ crc64.table[(rest ^ p[i]) & 0xff];
        return rest;
}

/* @n is a multiple of CRC64_FOLD, and not 0. */
__attribute__((target("pclmul"))) static uint64_t crc64_fold(uint64_t rest, const uint8_t *p, size_t n)
{
        const __m128i fold = _mm_loadu_si128((const __m128i *)(const void *)crc64.fold);
        __m128i sum = _mm_cvtsi64_si128((long long)rest);
        uint8_t last[CRC64_FOLD];

        sum = _mm_xor_si128(sum, _mm_loadu_si128((const __m128i *)(const void *)p));
        for (size_t i = CRC64_FOLD; i < n; i += CRC64_FOLD) {
                __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
                __m128i early = _mm_clmulepi64_si128(sum, fold, 0x00), late = _mm_clmulepi64_si128(sum, fold, 0x11);

                sum = _mm_xor_si128(_mm_xor_si128(early, late), next);
        }
        _mm_storeu_si128((__m128i *)(void *)last, sum);
        return crc64_bytes(0, last, sizeof(last));
}

uint64_t lsr_crc64(const void *data, size_t n, uint64_t crc)
{
        const uint8_t *p = data;
        size_t whole = n - n % CRC64_FOLD;

        pthread_once(&crc64.once, crc64_make);
        crc = ~crc;
        if (whole > 0 && crc64.multiplies) {
                crc = crc64_fold(crc, p, whole);
                p += whole;
                n -= whole;
        }
        return ~crc64_bytes(crc, p, n);
}
