/*
 * crc - the checksum of gzip and zip
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32 (IEEE 802.3): continue @crc with @data; it begins with 0. */
uint32_t lsr_crc32(uint32_t crc, const void *data, size_t n);
