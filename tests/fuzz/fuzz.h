/*
 * fuzz - the targets, for libFuzzer, AFL++ and the replayer
 *
 * A target takes any bytes, leaves nothing behind and returns 0.  What must hold it asserts: an assertion that fails,
 * a sanitizer's report, a time-out and too much memory are findings.  README.md says how to run one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "catalogue/builder.h"
#include "formats/format.h"

#define FUZZ_SIZE_MAX ((size_t)64 << 10) /* bytes of one input; engines make no larger ones */
#define FUZZ_WINDOW_MAX ((uint64_t)8 << 20)
#define FUZZ_CONTENT_MAX ((uint64_t)4 << 20) /* bytes that are decoded of one input */
#define FUZZ_BUILDER_MAX ((uint64_t)64 << 20)

struct fuzz_target {
        const char *name; /* NULL: the end of the table */
        int (*run)(const uint8_t *data, size_t n);
        /* Makes what a mutation broke consistent again: checksums, offsets.  It changes bytes in place.  NULL. */
        void (*mend)(uint8_t *data, size_t n);
};

extern const struct fuzz_target fuzz_targets[];

/* NULL: there is no such target. */
const struct fuzz_target *fuzz_find(const char *name);

/* Fails in every build, with what did not hold. */
#define fuzz_check(ok) ((ok) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #ok))
_Noreturn void fuzz_failed(const char *file, int line, const char *what);

/* --- shared by targets -------------------------------------------------------- */

/* Bytes of the input, one after the other; zeros at its end. */
struct fuzz_bytes {
        const uint8_t *at;
        size_t left;
};

static inline uint8_t fuzz_byte(struct fuzz_bytes *b)
{
        if (b->left == 0)
                return 0;
        b->left--;
        return *b->at++;
}

/* At most @n of them. */
static inline const uint8_t *fuzz_take(struct fuzz_bytes *b, size_t n, size_t *ret_n)
{
        const uint8_t *at = b->at;

        *ret_n = n < b->left ? n : b->left;
        b->at += *ret_n;
        b->left -= *ret_n;
        return at;
}

/* The next text up to a NUL, terminated, to be freed. */
char *fuzz_text(struct fuzz_bytes *in);

/* @data as an input that is not random, in pieces of @piece bytes. */
struct lsr_input *fuzz_stream(const uint8_t *data, size_t n, size_t piece);

/* Ask a catalogue everything: each row has a path that leads back to it. */
void fuzz_catalogue(const struct lsr_catalogue *c);

/* Does @format take @data for its own? */
bool fuzz_probe(const struct lsr_format *format, const uint8_t *data, size_t n);

/* List, read and check @data as @format does, if its probe takes it. */
int fuzz_format(const struct lsr_format *format, const uint8_t *data, size_t n);

/* --- targets (table.c) and what mends their inputs (mend.c) -------------------------------- */

int fuzz_identify(const uint8_t *data, size_t n);
int fuzz_session(const uint8_t *data, size_t n);
int fuzz_filter(const struct lsr_filter *filter, const uint8_t *data, size_t n);
int fuzz_inflate(const uint8_t *data, size_t n);
int fuzz_catalogue_decode(const uint8_t *data, size_t n);
int fuzz_wire(const uint8_t *data, size_t n);
int fuzz_record(const uint8_t *data, size_t n);
int fuzz_lsr1_tail(const uint8_t *data, size_t n);
int fuzz_pax(const uint8_t *data, size_t n);
int fuzz_sparse(const uint8_t *data, size_t n);
int fuzz_zip_extra(const uint8_t *data, size_t n);
int fuzz_decrypt(const uint8_t *data, size_t n);
int fuzz_pages(const uint8_t *data, size_t n);
int fuzz_colors(const uint8_t *data, size_t n);
int fuzz_when(const uint8_t *data, size_t n);
int fuzz_zone(const uint8_t *data, size_t n);
int fuzz_exclude(const uint8_t *data, size_t n);
int fuzz_human(const uint8_t *data, size_t n);
int fuzz_quote(const uint8_t *data, size_t n);
int fuzz_shell(const uint8_t *data, size_t n);
int fuzz_config(const uint8_t *data, size_t n);
int fuzz_url(const uint8_t *data, size_t n);
int fuzz_store(const uint8_t *data, size_t n);
int fuzz_pack(const uint8_t *data, size_t n);

void fuzz_mend_tar(uint8_t *data, size_t n);
void fuzz_mend_zip(uint8_t *data, size_t n);
void fuzz_mend_lsr1(uint8_t *data, size_t n);
void fuzz_mend_sqlite(uint8_t *data, size_t n);
void fuzz_mend_session(uint8_t *data, size_t n);
