/*
 * parts - targets inside of drivers, and of what the main process reads: parsers that bytes of a whole bundle reach
 * seldom
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "formats/tar/tar.h"
#include "formats/zip/zip.h"
#include "fuzz.h"
#include "worker/request.h"

/* --- catalogue ---------------------------------------------------------------- */

static void fuzz_same(const struct lsr_catalogue *a, const struct lsr_catalogue *b)
{
        fuzz_check(lsr_catalogue_rows(a) == lsr_catalogue_rows(b));
        for (uint32_t row = 0; row < lsr_catalogue_rows(a); row++) {
                struct lsr_member m, n;

                lsr_catalogue_get(a, row, &m);
                lsr_catalogue_get(b, row, &n);
                fuzz_check(m.path_len == n.path_len && memcmp(m.path, n.path, m.path_len) == 0 &&
                           memcmp(&m.meta, &n.meta, sizeof(m.meta)) == 0 &&
                           lsr_catalogue_parent(a, row) == lsr_catalogue_parent(b, row));
        }
}

/* What was accepted is a catalogue in all respects, and comes out of another encoding the same. */
int fuzz_catalogue_decode(const uint8_t *data, size_t n)
{
        static const char *const paths[] = { "dir/b", "dir" };
        const struct lsr_catalogue_source source = { .data = data, .size = n };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c, *again;
        uint8_t *encoded;
        uint64_t members;
        size_t size;

        if (lsr_catalogue_subtree(&source, paths, 1 + n / 2 % 2, n % 2, b, &members) == 0) {
                fuzz_check(lsr_builder_finish(b, &c) == 0);
                fuzz_catalogue(c);
                lsr_catalogue_free(c);
        }
        lsr_builder_free(b);
        if (lsr_catalogue_decode(&c, data, n) < 0)
                return 0;
        fuzz_catalogue(c);
        fuzz_check(lsr_catalogue_encode(c, &encoded, &size) == 0);
        fuzz_check(lsr_catalogue_decode(&again, encoded, size) == 0);
        fuzz_same(again, c);
        lsr_catalogue_free(again);
        free(encoded);
        lsr_catalogue_free(c);
        return 0;
}

int fuzz_record(const uint8_t *data, size_t n)
{
        struct lsr_record_owner owner = {}, owner_again = {};
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_records records = {};
        struct lsr_member m, again;
        struct lsr_catalogue *c;
        size_t at = 0, at_again = 0;

        lsr_builder_limit(b, FUZZ_BUILDER_MAX);
        while (at < n && lsr_record_get(data, n, &at, &owner, &m) == 0) {
                int r = lsr_builder_add(b, &m);

                fuzz_check(r == 0 || r == 1 || r == -ENAMETOOLONG || r == -E2BIG || r == -EFBIG);
                fuzz_check(lsr_record_put(&records, &m) == 0);
        }
        while (at_again < records.len) {
                fuzz_check(lsr_record_get(records.data, records.len, &at_again, &owner_again, &again) == 0);
                /* What it ends with is that of the last. */
                if (at_again == records.len)
                        fuzz_check(again.meta.uid == owner_again.uid);
        }
        fuzz_check(lsr_builder_finish(b, &c) == 0);
        fuzz_catalogue(c);
        lsr_catalogue_free(c);
        lsr_builder_free(b);
        free(records.data);
        return 0;
}

/* --- the parent's side of the protocol ----------------------------------------- */

/*
 *      byte 0     which request is answered; the low bits say when its sink gives up
 *      frames     type, oddity (1: of another request, 2: length is a lie, 4: no padding), length (2 bytes), payload
 *
 * Of a DONE the payload is filled up with zeros, so that most are complete.
 */
struct wire_taker {
        uint64_t left;
        size_t at;
        bool open;
};

static int wire_write(void *ctx, const void *data, size_t n)
{
        struct wire_taker *t = ctx;
        const volatile uint8_t *bytes = data;

        if (n > 0)
                (void)bytes[n - 1];
        if (n > t->left)
                return -ENOSPC;
        t->left -= n;
        return 0;
}

static int wire_hole(void *ctx, uint64_t n)
{
        fuzz_check(n <= LSR_WIRE_HOLE_MAX);
        return 0;
}

static int wire_begin(void *ctx, size_t i)
{
        struct wire_taker *t = ctx;

        fuzz_check(i == t->at && !t->open);
        t->open = true;
        return t->left == 0 ? -ENOSPC : 0;
}

static int wire_end(void *ctx, size_t i, int error)
{
        struct wire_taker *t = ctx;

        fuzz_check(i == t->at && t->open && error <= 0);
        t->open = false;
        t->at++;
        return 0;
}

static void wire_verified(void *ctx)
{
        fuzz_check(((struct wire_taker *)ctx)->open);
}

static void wire_trouble(void *ctx, int error, const char *text)
{
        fuzz_check(error <= 0 && error >= -4095 && strlen(text) <= LSR_WIRE_TEXT_MAX);
}

#define WIRE_FRAME_IN 4u /* bytes of input for a frame, at least, unless it is the last */

static size_t wire_frame(struct fuzz_bytes *in, uint32_t request, uint8_t *out)
{
        uint8_t type = fuzz_byte(in), odd = fuzz_byte(in);
        size_t length = fuzz_byte(in) | (size_t)fuzz_byte(in) << 8, n, size;
        const uint8_t *payload = fuzz_take(in, length, &n);
        struct lsr_wire_head head = { .request = request + (odd % 16 == 1), .length = n };

        head.type = type < 200 ? LSR_WIRE_TROUBLE + type % (LSR_WIRE_DONE - LSR_WIRE_TROUBLE + 1) : type - 200;
        size = n;
        memcpy(out + sizeof(head), payload, n);
        if (head.type == LSR_WIRE_DONE && odd % 16 != 4 && n < sizeof(struct lsr_wire_done)) {
                memset(out + sizeof(head) + n, 0, sizeof(struct lsr_wire_done) - n);
                head.length = size = sizeof(struct lsr_wire_done);
        }
        if (odd % 16 == 2)
                head.length = UINT64_C(1) << (odd / 16 * 4 + n % 4);
        memcpy(out, &head, sizeof(head));
        return sizeof(head) + size;
}

static void wire_call(struct worker_call *call, uint8_t kind, const struct lsr_sink *sink,
                      const struct lsr_many_sink *many)
{
        static const enum lsr_wire_type types[] = {
                LSR_WIRE_SCAN, LSR_WIRE_SCAN,  LSR_WIRE_MANY,   LSR_WIRE_READ,
                LSR_WIRE_OPEN, LSR_WIRE_CHECK, LSR_WIRE_EXTENT, LSR_WIRE_START,
        };

        *call = (struct worker_call){ .type = types[kind % 8], .request = 7 };
        if (call->type == LSR_WIRE_SCAN) {
                call->builder = lsr_builder_new();
                lsr_builder_limit(call->builder, kind & 32 ? 4096 : FUZZ_BUILDER_MAX);
                call->catalogue_max = FUZZ_SIZE_MAX;
                call->wants_some = kind % 8 == 1;
        } else if (call->type == LSR_WIRE_MANY) {
                call->many = many;
                call->n = kind >> 4;
        } else if (call->type == LSR_WIRE_READ) {
                call->sink = sink;
        }
}

/* What worker_scan() makes of it. */
static void wire_scanned(struct worker_call *call, int r)
{
        struct lsr_catalogue *c = NULL;

        if (r >= 0 && call->done.result >= 0 && call->has_data)
                r = lsr_catalogue_decode(&c, call->data, call->size);
        else if ((r >= 0 && call->done.result >= 0) || r == -EPIPE)
                r = lsr_builder_finish(call->builder, &c);
        if (c)
                fuzz_catalogue(c);
        lsr_catalogue_free(c);
        lsr_builder_free(call->builder);
}

int fuzz_wire(const uint8_t *data, size_t n)
{
        struct wire_taker taker = {};
        const struct lsr_sink sink = { &taker, wire_write, wire_hole };
        const struct lsr_many_sink many = { &taker, wire_begin, wire_write, wire_end, wire_hole, wire_verified };
        struct lsr_worker w = { .options = { .trouble = wire_trouble }, .request = 7 };
        struct fuzz_bytes in = { data, n };
        uint8_t kind = fuzz_byte(&in), *out;
        struct worker_call call;
        size_t len = 0;
        int fds[2], r;

        /* What is sent has to fit into the socket, as nobody else reads it meanwhile. */
        if (n > FUZZ_SIZE_MAX / 2 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return 0;
        out = lsr_xmalloc(n + (n / WIRE_FRAME_IN + 1) * (sizeof(struct lsr_wire_head) + sizeof(struct lsr_wire_done)));
        while (in.left > 0 && len < (FUZZ_SIZE_MAX / 2))
                len += wire_frame(&in, 7, out + len);
        fuzz_check(send(fds[1], out, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len);
        shutdown(fds[1], SHUT_WR);
        free(out);

        taker.left = kind & 8 ? 100 : UINT64_MAX;
        wire_call(&call, kind, &sink, &many);
        w.wire = lsr_wire_new(fds[0], false);
        r = lsr_call_receive(&w, &call);
        fuzz_check(r <= 0);
        if (r == 0) {
                fuzz_check(memchr(call.done.format, '\0', sizeof(call.done.format)));
                fuzz_check(memchr(call.done.filters, '\0', sizeof(call.done.filters)));
        }
        if (call.builder)
                wire_scanned(&call, r);
        free(call.data);
        lsr_wire_free(w.wire);
        close(fds[1]);
        return 0;
}

/* --- in a tar ------------------------------------------------------------------- */

static void tar_block(uint8_t *block, const char *name, char type, size_t size)
{
        unsigned sum = 0;

        memset(block, 0, TAR_BLOCK);
        memcpy(block, name, strlen(name));
        memcpy(block + 100, "0000644\0000000000\0000000000", 24);
        for (size_t i = 0; i < 11; i++)
                block[124 + i] = (uint8_t)('0' + (size >> (30 - 3 * i) & 7));
        memcpy(block + 136, "00000000000\0        ", 20);
        block[156] = (uint8_t)type;
        memcpy(block + 257, "ustar\00000", 8);
        for (size_t i = 0; i < TAR_BLOCK; i++)
                sum += block[i];
        for (size_t i = 0; i < 6; i++)
                block[148 + i] = (uint8_t)('0' + (sum >> (15 - 3 * i) & 7));
        block[154] = '\0';
}

/* A tar of one file behind an extension of these records. */
static int parts_tar(const uint8_t *records, size_t n_records, char type, const uint8_t *content, size_t n)
{
        extern const struct lsr_format lsr_format_tar;
        size_t first = TAR_BLOCK + tar_padded(n_records), size = first + TAR_BLOCK + tar_padded(n) + 2 * TAR_BLOCK;
        uint8_t *tar = lsr_xmalloc(size);

        memset(tar, 0, size);
        tar_block(tar, "x", type, n_records);
        memcpy(tar + TAR_BLOCK, records, n_records);
        tar_block(tar + first, "dir/b", '0', n);
        if (n > 0)
                memcpy(tar + first + TAR_BLOCK, content, n);
        fuzz_format(&lsr_format_tar, tar, size);
        free(tar);
        return 0;
}

/* Records of pax, as what they are, and before a file. */
int fuzz_pax(const uint8_t *data, size_t n)
{
        struct tar_pax pax = {}, global = {};
        char *body = lsr_xmalloc(n + 1), *more = lsr_xmalloc(n + 1);
        size_t bad;

        memcpy(body, data, n);
        memcpy(more, data, n);
        body[n] = more[n] = '\0';
        tar_pax_begin(&pax, &global);
        if (tar_pax_parse_global(&global, &pax, body, n, &bad) < 0)
                fuzz_check(bad <= n);
        tar_pax_begin(&pax, &global);
        if (tar_pax_parse(&pax, more, n, &bad) < 0)
                fuzz_check(bad <= n);
        for (unsigned i = 0; i < TAR_KEYS; i++)
                fuzz_check(!pax.texts[i].s || pax.texts[i].s[pax.texts[i].len] == '\0');
        tar_pax_free(&pax);
        tar_pax_free_global(&global);
        free(body);
        free(more);
        return parts_tar(data, n, n % 2 ? 'x' : 'g', data, n % 600);
}

/* Maps of sparse files in each way of writing them: in the content, in a record, in the header. */
int fuzz_sparse(const uint8_t *data, size_t n)
{
        static const char in_content[] = "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
                                         "30 GNU.sparse.realsize=100000\n27 GNU.sparse.name=dir/b\n";
        struct tar_map map = {};
        struct tar_text text = { (const char *)data, n };

        parts_tar((const uint8_t *)in_content, sizeof(in_content) - 1, 'x', data, n);
        if (tar_map_text(&map, text) == 0 && tar_map_valid(&map, 100000, 50000))
                for (size_t i = 0; i < map.n; i++)
                        fuzz_check(map.pieces[i].offset + map.pieces[i].size <= 100000);
        map.n = 0;
        if (n >= 4 * 24)
                tar_map_gnu(&map, data, n >= 21 * 24 ? 21 : 4);
        free(map.pieces);
        return 0;
}

/* --- in a zip ------------------------------------------------------------------- */

/* A central or local header: its fields, name and extra fields are the input. */
int fuzz_zip_extra(const uint8_t *data, size_t n)
{
        struct fuzz_bytes in = { data, n };
        size_t fixed, name, extra, had;
        uint8_t *p = lsr_xmalloc(n + 4096);
        struct lsr_zip_text text = {};
        struct lsr_member m = {};
        struct lsr_zip_entry e;
        bool local = fuzz_byte(&in) % 2;
        char method[16];
        const uint8_t *from;

        fixed = local ? LSR_ZIP_LOCAL_BYTES : LSR_ZIP_CENTRAL_BYTES;
        name = fuzz_byte(&in) % 40;
        memset(p, 0, n + 4096);
        from = fuzz_take(&in, fixed, &had);
        memcpy(p, from, had);
        if (name > in.left)
                name = in.left;
        extra = in.left - name < UINT16_MAX ? in.left - name : UINT16_MAX;
        memcpy(p + fixed, in.at, name + extra);
        lsr_put_le16(p + (local ? 26 : 28), (uint16_t)name);
        lsr_put_le16(p + (local ? 28 : 30), (uint16_t)extra);
        if (!local)
                lsr_put_le16(p + 32, 0);
        p = lsr_xrealloc(p, fixed + name + extra);
        if (local) {
                lsr_zip_local(p, &e);
        } else {
                lsr_zip_name_stands(p);
                lsr_zip_central(p, &e);
        }
        lsr_zip_member(&text, method, &e, 1000, &m);
        fuzz_check(m.path && (m.path_len == 0 || m.path_len <= 8 * name + extra));
        free(text.text);
        free(p);
        return 0;
}
