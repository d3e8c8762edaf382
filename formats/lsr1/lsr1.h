/*
 * lsr1 - shared by the parts of the driver
 *
 *      D0 .. Dk E    zstd frames: a tar
 *      T             a skippable frame around a zstd frame: the table of contents
 *      L             a skippable frame: the locator
 *      S             a skippable frame: the seek table
 *
 * formats/lsr1/tail.c and formats/lsr1/toc.c read these from the end, formats/lsr1/frames.c decodes the tar from any
 * place on, formats/lsr1/check.c compares all with all, lsr1.c is the driver.
 * docs/bundle-format.md is the specification.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/format.h"
#include "formats/writer.h"

/*
 * Limits hold for readers and writers: a writer that would exceed them makes no table of contents, and reports
 * this.
 */
#define LSR1_TAIL ((size_t)128 << 10)       /* read first */
#define LSR1_FRAMES_MAX (UINT32_C(1) << 24) /* of the seek table; 16 bytes of memory each */
#define LSR1_FRAME_MAX ((size_t)16 << 20)   /* bytes of a frame, packed or not, that is decoded by itself */
#define LSR1_TOC_MAX ((uint64_t)1 << 30)    /* bytes of the catalogue, */
#define LSR1_TOC_RATIO 1024                 /* for each byte of its frame, */
#define LSR1_TOC_MIN ((uint64_t)1 << 20)    /* where it is larger than this */
#define LSR1_TOC_LARGE ((uint64_t)1 << 20)  /* from here on it is decoded into large pages */

#define LSR1_MAGIC UINT32_C(0x184d2a5b)        /* of T and L */
#define LSR1_TABLE_MAGIC UINT32_C(0x184d2a5e)  /* of S, at its beginning, */
#define LSR1_FOOTER_MAGIC UINT32_C(0x8f92eab1) /* and at its end */
#define LSR1_SKIPPABLE 8u                      /* header of a skippable frame */
#define LSR1_LOCATOR 64u
#define LSR1_ENTRY 8u      /* of the seek table, */
#define LSR1_SUMMED 12u    /* and with a checksum */
#define LSR1_SUMS 0x80     /* in its footer: it has these */
#define LSR1_RESERVED 0x7c /* bits there that nobody uses yet */
#define LSR1_FOOTER 9u
#define LSR1_END 1024u                    /* bytes that E decodes to */
#define LSR1_NOTHING UINT32_C(0x51d8e999) /* checksum of no bytes: of T and L */
#define LSR1_MAJOR 1

/* Columns of the table of contents that no catalogue has. */
enum {
        LSR1_COLUMN_TAR = 64, /* the CRC-32 of the entries of D and E in the seek table: which tar it describes */
        LSR1_COLUMN_SHA256,   /* of each row, 32 bytes: that of the content of a file; zeros: it is not said */
};
#define LSR1_SHA256 ((size_t)32)

/* Is a table of contents of @size bytes, @packed in its frames, one that readers take? */
static inline bool lsr1_toc_bounded(uint64_t size, uint64_t packed)
{
        return size <= LSR1_TOC_MAX && (size <= LSR1_TOC_MIN || size / LSR1_TOC_RATIO <= packed);
}

/* For tests: what a writer that has just been opened holds for LSR1_FRAMES_MAX and LSR1_TOC_MAX. */
void lsr1_writer_limit(struct lsr_writer *w, size_t frames, uint64_t toc);

/* --- the tail ------------------------------------------------------------------- */

/* Where a frame begins, in the file and in the tar. */
struct lsr1_frame {
        uint64_t at;
        uint64_t raw;
};

struct lsr1 {
        uint64_t toc_at; /* of the zstd frame in T */
        uint64_t toc_clen;
        uint64_t toc_rlen;
        uint64_t tar_length;
        uint32_t rows;
        uint32_t crc;              /* of the entries of the frames */
        uint32_t n;                /* frames D and E */
        struct lsr1_frame *frames; /* n + 1 */
        uint32_t *sums;            /* checksum of each; NULL: there are none */
        uint32_t told;             /* of which was said that it is damaged; UINT32_MAX: of none */
};

/* As lsr_format.probe: does it end like one? */
bool lsr1_probe(const struct lsr_probe *p);
bool lsr1_probe_damaged(const struct lsr_probe *p); /* of which the magic number is, but not the end */

/*
 * Read the locator and the seek table and check all that they say.  NULL; or why there is no table of contents, in
 * words, and then @ret is as if closed.
 */
const char *lsr1_open(struct lsr1 *ret, struct lsr_input *in);

void lsr1_close(struct lsr1 *l);

/* The same for a driver's function: read once, and kept as the state of @scan. */
const char *lsr1_begin(struct lsr_scan *scan, const struct lsr1 **ret_l);

/* --- the table of contents ------------------------------------------------------- */

struct lsr1_toc_frame {
        uint64_t at;  /* in T, */
        uint64_t raw; /* and decoded */
        bool decoded;
};

struct lsr1_toc {
        const uint8_t *packed;         /* the frames, as the input keeps them */
        struct lsr1_toc_frame *frames; /* n + 1 */
        size_t n;
        struct lsr_zstd *zstd;
        uint8_t *data; /* of the catalogue what was needed */
        size_t size;
};

/*
 * The table of contents, which has the rows that it is to have; nothing is decoded yet.  It is at the end of @in, which
 * keeps that meanwhile.  NULL, or why not.
 */
const char *lsr1_toc_open(struct lsr1_toc *ret, const struct lsr1 *l, struct lsr_input *in);
void lsr1_toc_close(struct lsr1_toc *t);

/* Decode these bytes of the catalogue; their checksums are right.  For struct lsr_catalogue_source. */
bool lsr1_toc_need(void *ctx, uint64_t offset, uint64_t n);

/* All of it, to be freed.  NULL, or why not. */
const char *lsr1_toc(const struct lsr1 *l, struct lsr_input *in, uint8_t **ret_data, size_t *ret_size);

/* --- the frames ------------------------------------------------------------------ */

/* Each can do what those before it can. */
enum lsr1_frames_use {
        LSR1_FRAMES_READ,    /* of a damaged frame nothing is given */
        LSR1_FRAMES_SKIP,    /* content can be passed over without decoding it, and what failed is over with a seek */
        LSR1_FRAMES_SALVAGE, /* of a damaged frame what can be decoded is given, and then the error */
};

/*
 * The tar as an input over @in and @l, which stay the caller's.  NULL: a frame is too large for that.
 * Frames that begin before @ahead are decoded in parallel from the first read on, others once reading goes on from
 * frame to frame.
 */
struct lsr_input *lsr1_frames_new(struct lsr_input *in, const struct lsr1 *l, enum lsr1_frames_use use, uint64_t ahead);

/*
 * A damaged frame of which bytes came since @offset of the tar, where reading began, so that not all of them are
 * verified; or UINT32_MAX.  Its `what` tells the frame.
 */
uint32_t lsr1_frames_doubtful(struct lsr_input *frames, uint64_t offset);

/* Is what is at @offset of the tar known to be behind the damage of a frame? */
bool lsr1_frames_lost(const struct lsr_input *frames, uint64_t offset);

/* The last frame that begins at @offset of the tar or before. */
uint32_t lsr1_frame_at(const struct lsr1 *l, uint64_t offset);

/* Decode the frames behind the last that was read for their checksums alone, and report each that is damaged. */
void lsr1_frames_verify(struct lsr_input *frames, struct lsr_scan *scan);

/* As lsr_format.read_many. */
int lsr1_read_many(struct lsr_scan *scan, const struct lsr_many *many);

/* --- the check -------------------------------------------------------------------- */

/* As lsr_format.check. */
int lsr1_check(struct lsr_scan *scan, struct lsr_checked *ret_checked);

/* The tar as an input for a reader of streams, over that of @scan, which stays the caller's. */
int lsr1_stream(struct lsr_scan *scan, struct lsr_input **ret_input);
