/*
 * crc64 - the checksum of .xz, CRC-64/XZ (ECMA-182), on x86-64
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* That of what had @crc, followed by @n bytes; of nothing it is 0. */
uint64_t lsr_crc64(const void *data, size_t n, uint64_t crc);
