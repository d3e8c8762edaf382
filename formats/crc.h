/*
 * crc - the checksum of gzip and zip
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32 (IEEE 802.3) of what @crc is of and then @data; 0 to begin with. */
uint32_t lsr_crc32(uint32_t crc, const void *data, size_t n);
