/*
 * recover - members without a directory
 *
 * A zip that is cut short has lost its directory, but each member begins with a local header.  They are walked
 * from the first on.  Where a header does not know the size of its data (it was written to a pipe), the data are
 * searched for the descriptor after them, which repeats the size and so can hardly be mistaken, even with other
 * zips within the data.  The rest of the directory comes last and replaces the members that it lists: only the
 * directory has modes.
 *
 * Compressed data contain a header only by a chance of one in 2^32 bytes, so one that is found there counts even
 * without a descriptor before it.  Deflate is the exception, which leaves a jar in a member as it is: there the data
 * are decoded first, to see whether they go on behind the header.  Stored data may contain any number: without a
 * matching descriptor their end is unknown, and headers after them cannot be distinguished from headers within.  As
 * that ends the search, every byte is searched once, or twice where it was decoded.
 *
 * The same is done where the directory is damaged: its entries are found by their signatures, and those that
 * are not by their local headers.
 */
#include "formats/zip/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/filter/decode-ahead.h"
#include "formats/inflate/stream.h"

/* A descriptor, 4.3.9: perhaps a signature, checksum, and two sizes of 4 or 8 bytes each. */
#define RECOVER_DESCRIPTOR_MAX 24
#define RECOVER_SEARCH_BYTES ((size_t)4 << 10)
#define RECOVER_DECODED_BYTES ((size_t)64 << 10)
#define RECOVER_DECODED_PER_BYTE 16u /* of the file, of all members: what is packed better has no headers in it */

struct recover {
        struct lsr_scan *scan;
        struct lsr_input *in;
        uint64_t directory; /* where it begins; UINT64_MAX: that is not known */
        struct lsr_member member;
        struct lsr_zip_text name;
        uint64_t *positions; /* of the local headers */
        size_t n_positions;
        size_t cap_positions;
        const uint8_t *piece; /* that is searched, */
        size_t piece_len;
        uint64_t piece_at;     /* and where it is */
        struct lsr_inflate *z; /* these two NULL until they are needed */
        uint8_t *out;
        uint64_t decoded; /* bytes, to find the end of data */
        char method[16];
};

/* The result of a search for the end of data. */
struct recover_found {
        uint64_t next; /* where to go on */
        uint64_t packed;
        uint64_t size;
        uint32_t crc;
        bool sizes; /* these are known */
};

/* Do the @n bytes of a descriptor without its signature, 12 or 20, say that @packed bytes are before it? */
static bool recover_descriptor(const uint8_t *p, size_t n, uint64_t packed, struct recover_found *f)
{
        bool wide = n == 20;

        if ((wide ? lsr_le64(p + 4) : lsr_le32(p + 4)) != packed)
                return false;
        *f = (struct recover_found){
                .packed = packed,
                .size = wide ? lsr_le64(p + 12) : lsr_le32(p + 8),
                .crc = lsr_le32(p),
                .sizes = true,
        };
        return true;
}

/*
 * The same behind a signature.  Either form may fit where the size is 0: it is the short one if a header follows.
 * Returns the length with the signature, or 0.
 */
static size_t recover_signed(const uint8_t *p, size_t n, uint64_t packed, struct recover_found *f)
{
        bool next = n >= 20 && p[16] == 'P' && p[17] == 'K';

        if (n >= 24 && !next && recover_descriptor(p + 4, 20, packed, f))
                return 24;
        return n >= 16 && recover_descriptor(p + 4, 12, packed, f) ? 16 : 0;
}

/* As lsr_input_read_at(), of the bytes that are being searched if they are among them. */
static ssize_t recover_bytes(struct recover *rc, uint8_t *buf, size_t n, uint64_t at)
{
        if (at < rc->piece_at || at - rc->piece_at > rc->piece_len || rc->piece_len - (at - rc->piece_at) < n)
                return lsr_input_read_at(rc->in, buf, n, at);
        memcpy(buf, rc->piece + (at - rc->piece_at), n);
        return (ssize_t)n;
}

/*
 * A signature is at @at.  Is it that of a descriptor of the data from @data on, or does one without a signature end
 * here?  0, with *ret_found; 1: no; a negative errno.
 */
static int recover_ends_here(struct recover *rc, uint32_t signature, uint64_t data, uint64_t at,
                             struct recover_found *ret_found)
{
        uint8_t buf[RECOVER_DESCRIPTOR_MAX];
        size_t sizes[] = { 12, 20 }, n;
        ssize_t got;

        if (signature == LSR_ZIP_DESCRIPTOR) {
                got = recover_bytes(rc, buf, sizeof(buf), at);
                if (got < 0)
                        return (int)got;
                n = recover_signed(buf, (size_t)got, at - data, ret_found);
                ret_found->next = at + n;
                return n == 0;
        }
        for (size_t i = 0; i < 2; i++) {
                if (at - data < sizes[i])
                        continue;
                got = recover_bytes(rc, buf, sizes[i], at - sizes[i]);
                if (got < 0)
                        return (int)got;
                if ((size_t)got == sizes[i] && recover_descriptor(buf, sizes[i], at - sizes[i] - data, ret_found)) {
                        ret_found->next = at;
                        return 0;
                }
        }
        return 1;
}

static bool recover_is_header(uint32_t signature)
{
        return signature == LSR_ZIP_LOCAL || signature == LSR_ZIP_CENTRAL;
}

/*
 * Search from the position on for what ends the data that began at @data; with @any also for the next header,
 * and for that alone if @data is UINT64_MAX.
 * 0, with *ret_found; 1: there is nothing; a negative errno.
 */
static int recover_search(struct recover *rc, uint64_t data, bool any, struct recover_found *ret_found)
{
        for (;;) {
                const uint8_t *p, *hit;
                /* So many, since what crosses pieces is gathered as far as it is asked for, and no further. */
                ssize_t got = lsr_input_peek(rc->in, RECOVER_SEARCH_BYTES, &p);
                uint64_t start = rc->in->at;
                size_t n, used;

                if (got < 4)
                        return got < 0 ? (int)got : 1;
                n = (size_t)got;
                rc->piece = p;
                rc->piece_len = n;
                rc->piece_at = start;
                for (hit = memmem(p, n, "PK", 2); hit && (size_t)(p + n - hit) >= 4;
                     hit = memmem(hit + 1, (size_t)(p + n - hit) - 1, "PK", 2)) {
                        uint64_t at = start + (size_t)(hit - p);
                        uint32_t signature = lsr_le32(hit);
                        int r;

                        if (!recover_is_header(signature) && signature != LSR_ZIP_DESCRIPTOR)
                                continue;
                        r = data == UINT64_MAX ? 1 : recover_ends_here(rc, signature, data, at, ret_found);
                        if (r <= 0)
                                return r;
                        if (any && recover_is_header(signature)) {
                                *ret_found = (struct recover_found){ .next = at };
                                return 0;
                        }
                }
                /* A signature may begin in the last three bytes. */
                used = n - 3;
                lsr_input_take(rc->in, used);
        }
}

/* Deflate data are at the position, which moves to their end, or to where they are damaged.  0 or a negative errno. */
static int recover_decode(struct recover *rc)
{
        int r = 0;

        if (!rc->z) {
                rc->z = lsr_inflate_new();
                rc->out = lsr_xmalloc(RECOVER_DECODED_BYTES);
        }
        lsr_inflate_reset(rc->z);
        while (r == 0 && rc->decoded / RECOVER_DECODED_PER_BYTE <= rc->in->size) {
                struct lsr_flow flow = { .out = rc->out, .out_left = RECOVER_DECODED_BYTES };
                ssize_t got = lsr_input_peek(rc->in, 1, &flow.in);

                if (got <= 0) {
                        r = got < 0 ? (int)got : 1;
                        break;
                }
                flow.in_left = (size_t)got;
                r = lsr_inflate_step(rc->z, &flow);
                lsr_input_take(rc->in, (size_t)got - flow.in_left);
                rc->decoded += RECOVER_DECODED_BYTES - flow.out_left;
        }
        return r < 0 && r != -EBADMSG ? r : 0;
}

/*
 * A header is at f->next, before any descriptor.  If the deflate data from @data on go on behind it, it is part of
 * them, and the search is made again from their end on.  As recover_search().
 */
static int recover_beyond(struct recover *rc, uint64_t data, struct recover_found *f)
{
        int r = lsr_input_seek(rc->in, data);

        r = r < 0 ? r : recover_decode(rc);
        if (r < 0 || rc->in->at <= f->next)
                return r;
        *f = (struct recover_found){};
        return recover_search(rc, data, true, f);
}

static int recover_add(struct recover *rc, const struct lsr_zip_entry *e, uint64_t position, bool whole, bool sizes)
{
        struct lsr_member *m = &rc->member;
        int r;

        rc->name.encoding = rc->scan->encoding;
        lsr_zip_member(&rc->name, rc->method, e, position, m);
        if (!whole)
                m->flags |= LSR_MEMBER_SUSPECT;
        if (!sizes) {
                m->meta.known &= ~(uint32_t)LSR_FIELD_SIZE;
                m->packed = UINT64_MAX;
        }
        lsr_grow(&rc->positions, rc->n_positions, &rc->cap_positions);
        rc->positions[rc->n_positions++] = position;
        r = lsr_builder_add(rc->scan->builder, m);
        if (r < 0)
                lsr_scan_trouble(rc->scan, r, "there are more members than can be listed");
        return r < 0 ? r : 0;
}

/*
 * The data of @e, which begin at the position, are searched for their end.  0: go on at the position; 1: it is lost
 * or not there; a negative errno.
 */
static int recover_streamed(struct recover *rc, struct lsr_zip_entry *e, uint64_t position)
{
        struct recover_found f = {};
        uint64_t data = rc->in->at;
        int end = recover_search(rc, data, e->method != LSR_ZIP_STORE, &f), r;

        if (end == 0 && !f.sizes && e->method == LSR_ZIP_DEFLATE && !(e->flags & LSR_ZIP_ENCRYPTED))
                end = recover_beyond(rc, data, &f);
        if (end < 0)
                return end;
        if (end == 0 && f.sizes) {
                e->packed = f.packed;
                e->size = f.size;
                e->crc = f.crc;
        }
        r = recover_add(rc, e, position, f.sizes, f.sizes);
        if (r < 0 || end)
                return r < 0 ? r : 1;
        return lsr_input_seek(rc->in, f.next);
}

/* Some writers call directories streamed and then have no descriptor. */
static bool recover_is_directory(const struct lsr_zip_entry *e)
{
        return e->name_len && e->name[e->name_len - 1] == '/';
}

/* Does it end in front of the directory?  Of a size of zip64 nothing is said here, where each signature comes by. */
static bool recover_fits(const struct recover *rc, const uint8_t *p)
{
        uint64_t packed = lsr_le32(p + 18), end = rc->in->at + lsr_zip_local_length(p);

        return end + (packed == UINT32_MAX ? 0 : packed) <= rc->directory;
}

/* A local header is at the position.  As recover_streamed(). */
static int recover_local(struct recover *rc)
{
        uint64_t position = rc->in->at;
        struct lsr_zip_entry e = {};
        const uint8_t *p;
        uint8_t *header;
        size_t length;
        ssize_t got = lsr_input_peek(rc->in, LSR_ZIP_LOCAL_BYTES, &p);
        int r;

        if (got < LSR_ZIP_LOCAL_BYTES)
                return got < 0 ? (int)got : 1;
        if (!recover_fits(rc, p)) {
                /* Code of a program in front of the zip, or damaged. */
                lsr_input_take(rc->in, 4);
                return 0;
        }
        length = lsr_zip_local_length(p);
        got = lsr_input_peek(rc->in, length, &p);
        if (got < (ssize_t)length)
                return got < 0 ? (int)got : 1;
        /* The input moves on before the entry is used up. */
        header = memcpy(lsr_xmalloc(length), p, length);
        lsr_zip_local(header, &e);
        lsr_input_take(rc->in, length);
        if (e.flags & LSR_ZIP_STREAMED && e.packed == 0 && !recover_is_directory(&e)) {
                r = recover_streamed(rc, &e, position);
        } else {
                r = e.incomplete ? 0 : lsr_input_skip(rc->in, e.packed);
                if (r == 0 || r == -ENODATA) {
                        int added = recover_add(rc, &e, position, r == 0, true);

                        r = added < 0 ? added : r == -ENODATA;
                }
        }
        free(header);
        return r;
}

/* Go to the next header, over a descriptor or what else there is.  0; 1: there is none; a negative errno. */
static int recover_next(struct recover *rc, uint32_t *ret_signature)
{
        struct recover_found f;
        const uint8_t *p;
        ssize_t got = lsr_input_peek(rc->in, 4, &p);
        int r;

        if (got >= 4 && !recover_is_header(lsr_le32(p))) {
                r = recover_search(rc, UINT64_MAX, true, &f);
                if (r == 0)
                        r = lsr_input_seek(rc->in, f.next);
                if (r)
                        return r;
                got = lsr_input_peek(rc->in, 4, &p);
        }
        if (got < 4)
                return got < 0 ? (int)got : 1;
        *ret_signature = lsr_le32(p);
        return 0;
}

/* What is left of the directory, from @begin on. */
static int recover_directory(struct recover *rc, const struct lsr_zip_end *end, uint64_t begin)
{
        struct lsr_zip_walk w = {
                .scan = rc->scan,
                .base = end ? end->base : 0,
                .shift = end ? end->shift : 0,
                .begin = begin,
                .end = end ? end->end : rc->in->size,
                .recovering = true,
                .positions = rc->positions,
                .n_positions = rc->n_positions,
        };
        int r = lsr_zip_walk_list_sound(&w);

        if (w.lost)
                lsr_scan_trouble(rc->scan, -EBADMSG, "entries of the central directory that lead nowhere: %s",
                                 lsr_grouped(w.lost));
        return r < 0 ? r : 0;
}

/* The first part of a split zip has a signature of its own in front, 8.5.3. */
static int recover_is_split(struct lsr_input *in)
{
        uint8_t head[4];
        ssize_t got = lsr_input_read_at(in, head, sizeof(head), 0);

        return got < 0 ? (int)got : got == 4 && lsr_le32(head) == LSR_ZIP_DESCRIPTOR;
}

int lsr_zip_recover(struct lsr_scan *scan, const struct lsr_zip_end *end, uint64_t broken)
{
        struct recover rc = { .scan = scan, .in = scan->input, .directory = end ? end->directory : UINT64_MAX };
        uint64_t size = scan->input->size;
        uint32_t signature = 0;
        int r = recover_is_split(rc.in);

        if (r > 0) {
                lsr_scan_trouble(scan, -EOPNOTSUPP, "this is the first part of a split zip; 'zip -s 0' joins them");
                return -EOPNOTSUPP;
        }
        if (r == 0)
                r = lsr_input_seek(rc.in, end ? end->base : 0);
        while (r == 0 && rc.in->at < rc.directory) {
                r = recover_next(&rc, &signature);
                if (r == 0 && signature == LSR_ZIP_CENTRAL)
                        break;
                if (r == 0)
                        r = recover_local(&rc);
        }
        if (r >= 0 && (end || signature == LSR_ZIP_CENTRAL))
                r = recover_directory(&rc, end, end ? rc.directory : rc.in->at);
        lsr_inflate_free(rc.z);
        free(rc.out);
        free(rc.positions);
        free(rc.name.text);
        if (r < 0)
                return r;
        if (end)
                lsr_scan_trouble(scan, -EBADMSG, "the central directory is damaged at byte %s", lsr_grouped(broken));
        else
                lsr_scan_trouble(scan, -EBADMSG,
                                 "the end of the zip is missing (file cut short at byte %s?): "
                                 "members recovered from their local headers",
                                 lsr_grouped(size));
        return lsr_builder_count(scan->builder) ? 0 : -EBADMSG;
}
