/* drivers - those of this folder, for registry.c and writers.c */
#pragma once

#include "formats/format.h"
#include "formats/writer.h"

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
extern const struct lsr_format lsr_format_mtree;
extern const struct lsr_format lsr_format_lsr1;
/* A random input that is none: was it one before the index at its end was damaged? */
bool lsr_lsr1_is_lost(struct lsr_input *in);
extern const struct lsr_format lsr_format_tar;
extern const struct lsr_format lsr_format_zip;
extern const struct lsr_filter lsr_filter_gzip;
extern const struct lsr_filter lsr_filter_zstd;
extern const struct lsr_filter lsr_filter_xz;
extern const struct lsr_filter lsr_filter_bzip2;
extern const struct lsr_filter lsr_filter_lz4;
extern const struct lsr_filter lsr_filter_compress; /* formats/libarchive/filter.c */
extern const struct lsr_filter lsr_filter_lzip;
extern const struct lsr_filter lsr_filter_lzma;
extern const struct lsr_format lsr_format_sqlite;

extern const struct lsr_writer_kind lsr_writer_lsr1;
extern const struct lsr_writer_kind lsr_writer_tar;
extern const struct lsr_writer_kind lsr_writer_tar_gzip;
extern const struct lsr_writer_kind lsr_writer_tar_xz;
extern const struct lsr_writer_kind lsr_writer_tar_bzip2;
extern const struct lsr_writer_kind lsr_writer_tar_lz4;
extern const struct lsr_writer_kind lsr_writer_zip;
extern const struct lsr_writer_kind lsr_writer_sqlar;
