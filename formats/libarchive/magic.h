/*
 * magic - the formats of libarchive, by their first bytes
 *
 * All are lsr_format.probe: pure, and no for a head that is too short to tell.
 */
#pragma once

#include "formats/format.h"

/* The first three also behind the program of a self-extracting archive. */
bool lsr_magic_7z(const struct lsr_probe *p);
bool lsr_magic_rar(const struct lsr_probe *p);
bool lsr_magic_rar5(const struct lsr_probe *p);
bool lsr_magic_iso9660(const struct lsr_probe *p);
bool lsr_magic_cpio(
        const struct lsr_probe *p); /* odc, newc, crc, afio; binary of either byte order where it is plausible */
/* Of cpio newc and crc, of which one byte of the magic number may be damaged if all else is right. */
bool lsr_magic_newc(const struct lsr_probe *p);
bool lsr_magic_rpm(const struct lsr_probe *p);
bool lsr_magic_cab(const struct lsr_probe *p);
bool lsr_magic_lha(const struct lsr_probe *p); /* levels 0 to 3, and lz4, lz5, lzs */
bool lsr_magic_ar(const struct lsr_probe *p);  /* deb too; no thin archives */
bool lsr_magic_warc(const struct lsr_probe *p);
bool lsr_magic_mtree(const struct lsr_probe *p); /* with the signature, which not all have */

/* The offset in p->behind at which the archive of a self-extractor begins. */
size_t lsr_magic_behind(const struct lsr_probe *p);
