/*
 * libarchive - an archive as libarchive reads it
 *
 * The one place that includes <archive.h>; only formats/libarchive*.c include this.
 */
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "formats/format.h"

/* How often in a row libarchive may say "try again" before it counts as damage. */
#define ARCHIVE_RETRIES_MAX 1000

/* Properties of a format besides its name. */
struct archive_kind {
        const struct lsr_format *format;
        int (*enable)(struct archive *a);
        unsigned record; /* bytes that a member takes at least where directories may be met twice; 0: they may not */
        unsigned fields; /* LSR_FIELD_*: what the format can say; libarchive makes up the rest */
        bool owner_optional; /* libarchive gives 0 where no owner is stored */
        bool created;        /* what libarchive calls ctime is the time of creation */
        bool civil;          /* times are those of DOS */
        bool headers_whole;  /* a header must not go on in the next piece of the input: see pass.c */
        bool verifies;       /* libarchive compares content with the checksums that the format has of it */
};

/* One pass through an archive. */
struct archive_pass {
        struct lsr_scan *scan;
        const struct archive_kind *kind;
        struct archive *a;
        uint64_t base;    /* where the archive begins, for libarchive at 0: behind a program */
        uint64_t gap;     /* bytes skipped that are not passed over yet */
        unsigned fields;  /* of its kind, less those that this archive does not have */
        bool open;        /* only then may libarchive be asked for encryption: else it jumps to anywhere */
        bool civil;       /* times are those of DOS */
        bool unsupported; /* libarchive has refused some of it */
        int error;        /* of the input; 0: none */
        bool lost;        /* no header is left, which was said */
        uint64_t ordinal; /* headers seen */
        uint64_t header;  /* of newc and warc: where the next one begins in the input; UINT64_MAX: that nobody asks */
};

/* 0, with *pass to be ended; a negative errno, reported, with nothing to end.  Kind, fields, base and civil are set. */
int lsr_archive_begin(struct archive_pass *pass, struct lsr_scan *scan);
void lsr_archive_end(struct archive_pass *pass);

/* Does this thread go through an archive?  Then characters are UTF-8: see charset.c. */
bool lsr_archive_is_reading(void);

/* What libc's own do, which those of charset.c hide: charset-glibc.c, or charset-musl.c, which cannot reach them. */
size_t lsr_libc_mbrtowc(wchar_t *wide, const char *s, size_t n, mbstate_t *state);
size_t lsr_libc_wcrtomb(char *s, wchar_t wide, mbstate_t *state);

/* Is that the header of a newc, or crc, as libarchive takes it?  110 bytes. */
bool lsr_archive_is_newc(const uint8_t *header);

/* What libarchive gets next: as lsr_input_peek() of one byte, with damaged headers taken and said. */
ssize_t lsr_archive_newc_piece(struct archive_pass *pass, const uint8_t **ret_data);

/* Say which records, of the @n bytes from the position of the input on, are no members but should be. */
void lsr_archive_warc_look(struct archive_pass *pass, const uint8_t *data, size_t n);

/* The next header.  1; 0 at the end; a negative errno, reported. */
int lsr_archive_next(struct archive_pass *pass, struct archive_entry **ret_entry);

/* Report why libarchive gave up.  Returns the errno that says it. */
int lsr_archive_trouble(struct archive_pass *pass);
