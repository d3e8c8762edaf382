/* crc64-lzma - in a static binary liblzma has our checksum in place of its own */
#include "formats/filter/crc64.h"

/* As <lzma.h> declares it. */
uint64_t lzma_crc64(const uint8_t *data, size_t n, uint64_t crc);

uint64_t lzma_crc64(const uint8_t *data, size_t n, uint64_t crc)
{
        return lsr_crc64(data, n, crc);
}
