/*
 * read - content of members
 *
 * The catalogue has the position of the local header, and all fields of the
 * central directory, which is authoritative.  Only the length of the local
 * header is used, and its name is compared with that of the directory.
 *
 * Small members are decoded in one call, which is several times as fast as a
 * stream; beyond, memory would grow with the member.
 */
#include "formats/zip/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "catalogue/build.h"
#include "formats/filter/crc.h"
#include "formats/drivers.h"
#include "formats/filter/inflate.h"
#include "formats/filter/xz.h"
#include "formats/zip/decrypt.h"

#define READ_WHOLE_PACKED_MAX LSR_INPUT_PEEK_MAX
#define READ_WHOLE_MAX ((uint64_t)8 << 20)
#define READ_NAME_COMPARED ((size_t)512) /* of longer ones the length alone: a window has 1 KiB */

static unsigned read_method(const struct lsr_member *m)
{
        return m->data >> 32 & UINT16_MAX;
}

/* Where the data of @m begin.  0; -ENODATA: beyond the end; -EBADMSG: no local header; another negative errno. */
static int read_data_begin(const struct lsr_input *in, const struct lsr_member *m, const uint8_t *fixed, ssize_t got,
                           uint64_t *ret_data)
{
        uint64_t data;

        if (got < 0)
                return (int)got;
        if (got < LSR_ZIP_LOCAL_BYTES)
                return -ENODATA;
        if (lsr_le32(fixed) != LSR_ZIP_LOCAL)
                return -EBADMSG;
        if (__builtin_add_overflow(m->position, lsr_zip_local_length(fixed), &data) || data > in->size ||
            in->size - data < m->packed)
                return -ENODATA;
        *ret_data = data;
        return 0;
}

/* To the local header of @m, which is read as part of what comes before its data.  As read_data_begin(). */
static int read_to_header(struct lsr_input *in, const struct lsr_member *m, const uint8_t **ret_header,
                          size_t *ret_length)
{
        uint64_t data = 0;
        const uint8_t *p;
        ssize_t got;
        int r = m->position >= in->at ? lsr_input_skip(in, m->position - in->at) : lsr_input_seek(in, m->position);

        if (r < 0)
                return r;
        got = lsr_input_peek(in, LSR_ZIP_LOCAL_BYTES, &p);
        r = read_data_begin(in, m, p, got, &data);
        if (r < 0)
                return r;
        *ret_length = (size_t)(data - m->position);
        got = lsr_input_peek(in, *ret_length, &p);
        if (got < (ssize_t)*ret_length)
                return got < 0 ? (int)got : -ENODATA;
        *ret_header = p;
        return 0;
}

/* --- the data as an input ------------------------------------------------------- */

/* Bytes of another input from its position on, without owning it. */
struct read_view {
        struct lsr_input in;
        struct lsr_input *outer;
        uint64_t left;
};

static ssize_t view_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct read_view *v = (struct read_view *)in;
        ssize_t got;

        if (v->left == 0)
                return 0;
        /* The bytes stay valid: the outer input is only asked for more by the next call. */
        got = lsr_input_peek(v->outer, 1, ret_data);
        if (got <= 0)
                return got;
        if ((uint64_t)got > v->left)
                got = (ssize_t)v->left;
        lsr_input_take(v->outer, (size_t)got);
        v->left -= (uint64_t)got;
        return got;
}

static void view_free(struct lsr_input *in)
{
        free(in);
}

static const struct lsr_input_ops view_ops = { .next = view_next, .free = view_free };

static struct lsr_input *view_new(struct lsr_input *outer, uint64_t size)
{
        struct read_view *v = lsr_input_alloc(sizeof(*v), &view_ops);

        v->in.size = size;
        v->outer = outer;
        v->left = size;
        return &v->in;
}

/* --- decoding --------------------------------------------------------------------- */

struct read_job {
        struct lsr_scan *scan;
        const struct lsr_member *m;
        const struct lsr_sink *sink;
        const struct lsr_zip_cipher *cipher; /* NULL: it is not encrypted */
        uint64_t made;
        uint32_t crc;
};

/* Pass bytes on, at most as many as the stated size of the member. */
static int read_give(struct read_job *job, const void *data, size_t n)
{
        if (n > job->m->meta.size - job->made) {
                lsr_scan_trouble(job->scan, -EBADMSG, "'%s' is larger than the %s bytes that are stated", job->m->path,
                                 lsr_grouped(job->m->meta.size));
                return -EBADMSG;
        }
        job->crc = lsr_crc32(job->crc, data, n);
        job->made += n;
        return job->sink->write(job->sink->ctx, data, n);
}

static int read_stream(struct read_job *job, struct lsr_input *in)
{
        for (;;) {
                const uint8_t *data;
                ssize_t got = lsr_input_peek(in, 1, &data);
                int r;

                if (got < 0 && in->what)
                        lsr_scan_trouble(job->scan, (int)got, "'%s': %s", job->m->path, in->what);
                if (got <= 0)
                        return (int)got;
                r = read_give(job, data, (size_t)got);
                if (r < 0)
                        return r;
                lsr_input_take(in, (size_t)got);
        }
}

/* 0; 1: it is to be streamed; a negative errno. */
static int read_whole(struct read_job *job)
{
        struct lsr_input *in = job->scan->input;
        uint64_t packed = job->m->packed, size = job->m->meta.size;
        size_t used, made;
        const uint8_t *data;
        uint8_t *out;
        ssize_t got;
        int r;

        if (packed > READ_WHOLE_PACKED_MAX || size > READ_WHOLE_MAX || size / LSR_INFLATE_RATIO_MAX > packed)
                return 1;
        got = lsr_input_peek(in, (size_t)packed, &data);
        if (got < 0 || (uint64_t)got < packed)
                return got < 0 ? (int)got : -EBADMSG;
        out = lsr_xmalloc((size_t)size);
        r = lsr_inflate_buffer(LSR_DEFLATE_RAW, data, (size_t)packed, out, (size_t)size, &used, &made);
        /* A stream delivers what comes before the damage, and knows its place. */
        r = r < 0 ? 1 : read_give(job, out, made);
        free(out);
        return r;
}

/* 5.8.8: version, length of the properties, properties, and data that may have an end marker. */
static int read_open_lzma(struct lsr_input **ret_input, struct lsr_input *inner, const struct lsr_member *m,
                          uint64_t window_max)
{
        bool marker = m->data >> 48 & LSR_ZIP_LZMA_MARKER;
        const uint8_t *p;
        ssize_t got = lsr_input_peek(inner, 4, &p);

        if (got < 4 || lsr_le16(p + 2) != LSR_LZMA_PROPERTIES)
                return got < 0 ? (int)got : -EBADMSG;
        lsr_input_take(inner, 4);
        return lsr_lzma_open(ret_input, inner, marker ? LSR_INPUT_UNKNOWN : m->meta.size, window_max);
}

/* Put the decoder for @m in front of @inner.  As lsr_filter.open; -EOPNOTSUPP: there is none. */
static int read_open(struct lsr_input **ret_input, struct lsr_input *inner, const struct lsr_member *m,
                     uint64_t window_max)
{
        switch (read_method(m)) {
        case LSR_ZIP_DEFLATE:
                return lsr_inflate_open(ret_input, inner, LSR_DEFLATE_RAW);
        case LSR_ZIP_BZIP2:
                return lsr_filter_bzip2.open(ret_input, inner, window_max);
        case LSR_ZIP_LZMA:
                return read_open_lzma(ret_input, inner, m, window_max);
        case LSR_ZIP_XZ:
                return lsr_filter_xz.open(ret_input, inner, window_max);
        case LSR_ZIP_OLD_ZSTD:
        case LSR_ZIP_ZSTD:
                return lsr_filter_zstd.open(ret_input, inner, window_max);
        default:
                return -EOPNOTSUPP;
        }
}

/* The input stands where the data begin. */
static int read_decode(struct read_job *job)
{
        unsigned method = read_method(job->m);
        struct lsr_input *data, *in;
        int r = method == LSR_ZIP_DEFLATE && !job->cipher ? read_whole(job) : 1;

        if (r <= 0)
                return r;
        in = data = view_new(job->scan->input, job->m->packed);
        r = job->cipher ? lsr_zip_decrypt(&data, data, job->cipher, job->scan->password) : 0;
        in = data;
        if (r == 0 && method != LSR_ZIP_STORE)
                r = read_open(&in, data, job->m, job->scan->window_max);
        if (r == 0)
                r = read_stream(job, in);
        if (r == 0 && job->cipher) {
                r = lsr_zip_decrypt_end(data);
                if (r < 0)
                        lsr_scan_trouble(job->scan, r, "'%s' is damaged: it is not what was encrypted", job->m->path);
        }
        lsr_input_free(in);
        return r;
}

/* --- what is checked --------------------------------------------------------------- */

/* The names in both headers, but for a "./" before one of them, as they are when separators are all alike. */
static bool read_same_name(const char *a, size_t a_len, const char *b, size_t b_len)
{
        size_t a_dot = a_len >= 2 && !memcmp(a, "./", 2) ? 2 : 0, b_dot = b_len >= 2 && !memcmp(b, "./", 2) ? 2 : 0;

        a += a_dot;
        a_len -= a_dot;
        b += b_dot;
        b_len -= b_dot;
        if (a_len != b_len)
                return false;
        for (size_t i = 0; i < a_len; i++)
                if (a[i] != b[i] && !(a[i] == '\\' && b[i] == '/'))
                        return false;
        return true;
}

/* Is @path, of the catalogue, what cleaning makes of @local?  Which separators that has its header does not say. */
static bool read_cleans_to(const char *local, size_t n, const char *path, size_t path_len)
{
        char *text = lsr_xmalloc(2 * n + 1), *clean = text + n;
        bool same = false;

        memcpy(text, local, n);
        n = strnlen(text, n);
        for (unsigned i = 0; i < 2 && !same; i++) {
                size_t depth, len = build_clean(clean, text, n, &depth);

                same = len == path_len && memcmp(clean, path, len) == 0;
                for (size_t k = 0; k < n; k++)
                        if (text[k] == '\\')
                                text[k] = '/';
        }
        free(text);
        return same;
}

/*
 * As they are shown: bytes that are the same may be two names, if one header alone has another one in an extra field.
 */
static void read_compare_names(struct lsr_scan *scan, const struct lsr_member *m, const uint8_t *header)
{
        struct lsr_zip_text t = { .encoding = scan->encoding };
        struct lsr_zip_entry e = {};
        const char *local;
        size_t len;

        lsr_zip_local(header, &e);
        local = lsr_zip_name(&t, &e, &len);
        if (m->raw ? !read_cleans_to(local, len, m->path, m->path_len)
                   : !read_same_name(local, len, m->path, m->path_len))
                lsr_scan_trouble(scan, 0, "'%s' is named '%.*s' in its local header", m->path, (int)len, local);
        free(t.text);
}

/* 0, or why the content of @m cannot be read, said. */
static int read_refuse(struct lsr_scan *scan, const struct lsr_member *m)
{
        char buf[16];
        unsigned method = read_method(m);

        if (!S_ISREG(m->meta.mode) && !S_ISLNK(m->meta.mode))
                return S_ISDIR(m->meta.mode) ? -EISDIR : -EOPNOTSUPP;
        if (m->flags & LSR_MEMBER_ENCRYPTED && !scan->password) {
                lsr_scan_trouble(scan, -EACCES, "'%s' is encrypted (--password-file, LSR_PASSWORD)", m->path);
                return -EACCES;
        }
        if (m->flags & LSR_MEMBER_SUSPECT) {
                lsr_scan_trouble(scan, -EBADMSG, "'%s' shares bytes with other members, or is not complete", m->path);
                return -EBADMSG;
        }
        switch (method) {
        case LSR_ZIP_STORE:
        case LSR_ZIP_DEFLATE:
        case LSR_ZIP_BZIP2:
        case LSR_ZIP_LZMA:
        case LSR_ZIP_XZ:
        case LSR_ZIP_OLD_ZSTD:
        case LSR_ZIP_ZSTD:
                return 0;
        default:
                lsr_scan_trouble(scan, -EOPNOTSUPP, "'%s' is compressed with %s, which cannot be read", m->path,
                                 lsr_zip_method(method, buf));
                return -EOPNOTSUPP;
        }
}

/* How @m is encrypted, as its local header says.  0, or a negative errno, said. */
static int read_cipher(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_zip_entry *local,
                       struct lsr_zip_cipher *ret_cipher)
{
        uint8_t by_crc = (uint8_t)(m->data >> 24), by_time = (uint8_t)(local->dos_time >> 8);
        bool aes = local->aes && local->strength >= 1 && local->strength <= 3;

        if (local->flags & LSR_ZIP_STRONG || (local->method == LSR_ZIP_AES && !aes) || (local->aes && !aes)) {
                lsr_scan_trouble(scan, -EOPNOTSUPP, "'%s' is encrypted in a way that is not known", m->path);
                return -EOPNOTSUPP;
        }
        *ret_cipher = (struct lsr_zip_cipher){
                .strength = aes ? local->strength : 0,
                .check = by_crc,
                .other_check = local->flags & LSR_ZIP_STREAMED ? by_time : by_crc,
        };
        return 0;
}

/* Read and said of it, where something is wrong: @header, of @length bytes, is what the input stands at. */
static int read_content(struct read_job *job, const uint8_t *header, size_t length)
{
        struct lsr_scan *scan = job->scan;
        const struct lsr_member *m = job->m;
        struct lsr_zip_cipher cipher;
        struct lsr_zip_entry local = {};
        int r;

        if (m->flags & LSR_MEMBER_ENCRYPTED) {
                lsr_zip_local(header, &local);
                r = read_cipher(scan, m, &local, &cipher);
                if (r < 0)
                        return r;
                job->cipher = &cipher;
        }
        lsr_input_take(scan->input, length);
        r = read_decode(job);
        job->cipher = NULL;
        if (r < 0)
                return r;
        if (job->made != m->meta.size) {
                lsr_scan_trouble(scan, -EBADMSG, "'%s' has %s bytes instead of %s", m->path, lsr_grouped(job->made),
                                 lsr_grouped(m->meta.size));
                return -EBADMSG;
        }
        if (job->crc != (uint32_t)m->data && !(local.aes && local.no_crc)) {
                lsr_scan_trouble(scan, -EBADMSG, "'%s' is damaged: its checksum is wrong", m->path);
                return -EBADMSG;
        }
        scan->verified = true;
        return 0;
}

/* --- where the headers disagree ------------------------------------------------------- */

static int read_drop(void *ctx, const void *data, size_t n)
{
        return 0;
}

/* Does the content that begins at @data have size and checksum of @m?  Nothing is said. */
static bool read_tries(struct lsr_scan *scan, const struct lsr_member *m, uint64_t data)
{
        const struct lsr_sink sink = { .write = read_drop };
        struct read_job job = { .scan = scan, .m = m, .sink = &sink };
        typeof(scan->trouble) trouble = scan->trouble;
        unsigned troubles = scan->troubles;
        bool good;

        scan->trouble = NULL;
        good = data <= scan->input->size && m->packed <= scan->input->size - data &&
               lsr_input_seek(scan->input, data) == 0 && read_decode(&job) == 0 && job.made == m->meta.size &&
               job.crc == (uint32_t)m->data;
        scan->trouble = trouble;
        scan->troubles = troubles;
        return good;
}

/*
 * Says the local header at @header something else about the data of @m?  Then @other becomes the member with that.
 * What was streamed, encrypted or is larger than 4 GiB has nothing there.
 */
static bool read_differs(const struct lsr_member *m, const uint8_t *header, struct lsr_member *other)
{
        uint64_t flags = lsr_le16(header + 6), method = lsr_le16(header + 8);
        uint32_t crc = lsr_le32(header + 14), packed = lsr_le32(header + 18), size = lsr_le32(header + 22);

        if (flags & (LSR_ZIP_STREAMED | LSR_ZIP_ENCRYPTED) || packed == UINT32_MAX || size == UINT32_MAX ||
            (!(m->flags & LSR_MEMBER_ENCRYPTED) && packed == m->packed && size == m->meta.size &&
             crc == (uint32_t)m->data && method == read_method(m)))
                return false;
        *other = *m;
        other->flags &= ~(unsigned)LSR_MEMBER_ENCRYPTED;
        other->packed = packed;
        other->meta.size = size;
        other->data = flags << 48 | method << 32 | crc;
        return true;
}

/*
 * The directory counts, but it has no checksum of its own.  Does only what the local header says lead to content of the
 * stated checksum?  Then @other becomes the member with that.  Afterwards the input may stand anywhere.
 */
static bool read_settle(struct lsr_scan *scan, const struct lsr_member *m, struct lsr_member *other)
{
        const uint8_t *header;
        size_t length;
        uint64_t data;

        if (m->flags & LSR_MEMBER_SUSPECT || read_to_header(scan->input, m, &header, &length) < 0 ||
            !read_differs(m, header, other))
                return false;
        data = m->position + length;
        return (m->flags & LSR_MEMBER_ENCRYPTED || !read_tries(scan, m, data)) && read_tries(scan, other, data);
}

int lsr_zip_read(struct lsr_scan *scan, const struct lsr_member *m, const struct lsr_sink *sink)
{
        struct read_job job = { .scan = scan, .m = m, .sink = sink };
        bool content = S_ISREG(m->meta.mode) || S_ISLNK(m->meta.mode);
        struct lsr_member other;
        const uint8_t *header = NULL;
        size_t length = 0;
        int r;

        if (content && read_settle(scan, m, &other)) {
                lsr_scan_trouble(scan, -EBADMSG,
                                 "the central directory is damaged where '%s' is: its local header was right", m->path);
                job.m = m = &other;
        }
        r = read_refuse(scan, m);
        if (r < 0)
                return r;
        r = read_to_header(scan->input, m, &header, &length);
        if (r == -EBADMSG)
                lsr_scan_trouble(scan, r, "there is no local header of '%s' at byte %s", m->path,
                                 lsr_grouped(m->position));
        if (r == -ENODATA) {
                r = -EBADMSG;
                lsr_scan_trouble(scan, r, "'%s' is cut short: the file ends at byte %s", m->path,
                                 lsr_grouped(scan->input->size));
        }
        /* Of an empty file nothing else is needed. */
        if (r == -EBADMSG && S_ISREG(m->meta.mode) && !m->packed && !m->meta.size && !(uint32_t)m->data)
                return 0;
        if (r < 0)
                return r;
        read_compare_names(scan, m, header);
        return read_content(&job, header, length);
}

int lsr_zip_extent(struct lsr_scan *scan, const struct lsr_member *m, uint64_t *ret_offset, uint64_t *ret_size)
{
        uint8_t fixed[LSR_ZIP_LOCAL_BYTES];
        uint64_t data = 0;
        int r;

        if (!S_ISREG(m->meta.mode) || read_method(m) != LSR_ZIP_STORE || m->packed != m->meta.size ||
            m->flags & (LSR_MEMBER_ENCRYPTED | LSR_MEMBER_SUSPECT))
                return 1;
        r = read_data_begin(scan->input, m, fixed, lsr_input_read_at(scan->input, fixed, sizeof(fixed), m->position),
                            &data);
        /* read() reports the trouble. */
        if (r == -EBADMSG || r == -ENODATA)
                return 1;
        if (r < 0)
                return r;
        *ret_offset = data;
        *ret_size = m->packed;
        return 0;
}

/* @n bytes from @offset on, valid until the next call: 0, -ENODATA, or another negative errno. */
static int read_window(struct lsr_input *in, struct lsr_zip_window *w, uint64_t offset, size_t n,
                       const uint8_t **ret_data)
{
        if (offset < w->offset || offset - w->offset > w->len || w->len - (offset - w->offset) < n) {
                ssize_t got;

                if (n > sizeof(w->data))
                        return -ENODATA;
                w->len = 0;
                got = lsr_input_read_at(in, w->data, sizeof(w->data), offset);
                if (got < 0)
                        return (int)got;
                w->offset = offset;
                w->len = (size_t)got;
                if (w->len < n)
                        return -ENODATA;
        }
        *ret_data = w->data + (offset - w->offset);
        return 0;
}

bool lsr_zip_is_local(struct lsr_input *in, struct lsr_zip_window *window, const struct lsr_zip_entry *e, uint64_t at)
{
        size_t n = e && e->name_len <= READ_NAME_COMPARED ? e->name_len : 0;
        const uint8_t *p = NULL;

        return read_window(in, window, at, LSR_ZIP_LOCAL_BYTES + n, &p) == 0 && lsr_le32(p) == LSR_ZIP_LOCAL &&
               (!e || (lsr_le16(p + 26) == e->name_len && memcmp(p + LSR_ZIP_LOCAL_BYTES, e->name, n) == 0));
}

bool lsr_zip_local_sizes(struct lsr_input *in, struct lsr_zip_window *window, const struct lsr_zip_entry *e,
                         uint64_t at, uint64_t *ret_packed, uint64_t *ret_size)
{
        const uint8_t *p = NULL;

        if (!lsr_zip_is_local(in, window, e, at) || read_window(in, window, at, LSR_ZIP_LOCAL_BYTES, &p) != 0 ||
            lsr_le16(p + 6) & LSR_ZIP_STREAMED)
                return false;
        *ret_packed = lsr_le32(p + 18);
        *ret_size = lsr_le32(p + 22);
        return true;
}

/* The packed target, through the window unless it is too long for that. */
static int read_packed_target(struct lsr_input *in, const struct lsr_member *m, struct lsr_zip_window *w,
                              uint8_t *packed)
{
        const uint8_t *p = NULL;
        uint64_t data;
        ssize_t got;
        int r = read_window(in, w, m->position, LSR_ZIP_LOCAL_BYTES, &p);

        if (r < 0)
                return r;
        if (lsr_le32(p) != LSR_ZIP_LOCAL)
                return -EBADMSG;
        if (__builtin_add_overflow(m->position, lsr_zip_local_length(p), &data))
                return -ENODATA;
        if (read_window(in, w, data, (size_t)m->packed, &p) == 0) {
                memcpy(packed, p, (size_t)m->packed);
                return 0;
        }
        got = lsr_input_read_at(in, packed, (size_t)m->packed, data);
        if (got < 0)
                return (int)got;
        return (uint64_t)got < m->packed ? -ENODATA : 0;
}

static ssize_t read_target(struct lsr_input *in, const struct lsr_member *m, struct lsr_zip_window *window,
                           char buf[static LSR_ZIP_LINK_MAX])
{
        uint8_t packed[LSR_ZIP_LINK_MAX + 1024];
        size_t size = (size_t)m->meta.size, used, made;
        int r;

        if (m->flags & (LSR_MEMBER_ENCRYPTED | LSR_MEMBER_SUSPECT))
                return -EACCES;
        if (m->meta.size > LSR_ZIP_LINK_MAX || m->packed > sizeof(packed))
                return -ENAMETOOLONG;
        r = read_packed_target(in, m, window, packed);
        if (r < 0)
                return r;
        switch (read_method(m)) {
        case LSR_ZIP_STORE:
                if (m->packed != size)
                        return -EBADMSG;
                memcpy(buf, packed, size);
                break;
        case LSR_ZIP_DEFLATE:
                r = lsr_inflate_buffer(LSR_DEFLATE_RAW, packed, (size_t)m->packed, buf, size, &used, &made);
                if (r < 0 || made != size)
                        return r < 0 ? r : -EBADMSG;
                break;
        default:
                return -EOPNOTSUPP;
        }
        return lsr_crc32(0, buf, size) == (uint32_t)m->data ? (ssize_t)size : -EBADMSG;
}

ssize_t lsr_zip_target(struct lsr_input *in, const struct lsr_member *m, struct lsr_zip_window *window,
                       char buf[static LSR_ZIP_LINK_MAX])
{
        ssize_t n = read_target(in, m, window, buf);
        struct lsr_member other;
        const uint8_t *p = NULL;

        /* As read_settle(). */
        if (n >= 0 || m->flags & LSR_MEMBER_SUSPECT ||
            read_window(in, window, m->position, LSR_ZIP_LOCAL_BYTES, &p) != 0 || lsr_le32(p) != LSR_ZIP_LOCAL ||
            !read_differs(m, p, &other))
                return n;
        return read_target(in, &other, window, buf);
}
