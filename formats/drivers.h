/* drivers - those of this folder, for registry.c */
#pragma once

#include "formats/format.h"

/* libarchive.c */
extern const struct lsr_format lsr_format_7z;
extern const struct lsr_format lsr_format_rar;
extern const struct lsr_format lsr_format_rar5;
extern const struct lsr_format lsr_format_iso9660;
extern const struct lsr_format lsr_format_cpio;
extern const struct lsr_format lsr_format_rpm;
extern const struct lsr_format lsr_format_cab;
extern const struct lsr_format lsr_format_lha;
extern const struct lsr_format lsr_format_ar;
extern const struct lsr_format lsr_format_warc;
extern const struct lsr_format lsr_format_lsr1;
extern const struct lsr_format lsr_format_tar;
extern const struct lsr_format lsr_format_zip;
extern const struct lsr_filter lsr_filter_gzip;
extern const struct lsr_filter lsr_filter_zstd;
extern const struct lsr_filter lsr_filter_xz;
extern const struct lsr_filter lsr_filter_bzip2;
extern const struct lsr_filter lsr_filter_lz4;
extern const struct lsr_filter lsr_filter_lzip;
extern const struct lsr_filter lsr_filter_lzma;
extern const struct lsr_format lsr_format_sqlite;
