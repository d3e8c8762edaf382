/* Large gzip data, decoded by several threads in tiny spans: the bytes and the errors of one thread. */
#include "filters-maker.h"

#include <unistd.h>

#include "formats/filter/deflate.h"
#include "formats/filter/gzip.h"
#include "formats/inflate/guess.h"
#include "inflate-meet.h"

#define CONTENT ((size_t)400000)

/* Segments of every kind. */
static struct blob mixed(size_t n)
{
        struct blob b = { malloc(n), n };

        for (size_t at = 0, size; at < n; at += size) {
                size = 20000 + meet_below(80000);
                size = size < n - at ? size : n - at;
                meet_fill(b.data + at, size, meet_below(MEET_KINDS));
        }
        return b;
}

static size_t job_room = LSR_GUESS_ROOM_MIN;

/* Decoded by @workers, in spans of @span bytes. */
static struct result gunzip(struct blob packed, unsigned workers, size_t span, bool waits,
                            struct lsr_gzip_ahead_stats *ret_stats)
{
        struct lsr_gzip_options o = {
                .ahead = { .workers = workers, .span = span, .room = job_room, .waits = waits, .stats = ret_stats },
                .streams = true
        };
        struct lsr_input *in;

        cr_assert_eq(lsr_gzip_open(&in, lsr_input_memory(packed.data, packed.n), &o), 0);
        return result_of(in);
}

static void add_stats(struct lsr_gzip_ahead_stats *sum, const struct lsr_gzip_ahead_stats *one)
{
        sum->blocks += one->blocks;
        sum->members += one->members;
        sum->block_bytes += one->block_bytes;
        sum->member_bytes += one->member_bytes;
}

/* In spans of some sizes, with jobs that end by themselves and that are stopped.  Adds up what came of it. */
static void meet_gunzip(struct blob data, struct blob packed, const char *name, int level,
                        struct lsr_gzip_ahead_stats *sum)
{
        for (unsigned i = 0; i < 4; i++) {
                struct lsr_gzip_ahead_stats stats = {};
                size_t span = 4096 + meet_below(i % 2 ? 8192 : 100000);

                expect(gunzip(packed, 1 + i % 3, span, i < 2, &stats), data, name, (size_t)level);
                add_stats(sum, &stats);
        }
}

static struct blob raw_to_gzip(struct blob data, const uint8_t *raw, size_t n)
{
        struct blob b = { malloc(n + 18), n + 18 };

        memcpy(b.data, "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
        memcpy(b.data + 10, raw, n);
        lsr_put_le32(b.data + 10 + n, lsr_crc32(0, data.data, data.n));
        lsr_put_le32(b.data + 14 + n, (uint32_t)data.n);
        return b;
}

static struct blob pack_zlib(struct blob data, int level, int strategy, int window, int flush)
{
        size_t room = 2 * data.n + 65536;
        uint8_t *raw = malloc(room);
        struct blob b = raw_to_gzip(data, raw, meet_pack(data.data, data.n, level, strategy, window, flush, raw, room));

        free(raw);
        return b;
}

Test(gzip_ahead, zlib, .timeout = 600)
{
        static const int levels[] = { 0, 1, 6, 9 };
        static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED };
        static const int flushes[] = { Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK };

        for (unsigned l = 0; l < 4; l++)
                for (unsigned s = 0; s < 5; s++)
                        for (unsigned f = 0; f < 2; f++) {
                                struct blob data = mixed(CONTENT);
                                int flush = f ? flushes[1 + meet_below(4)] : Z_NO_FLUSH;
                                struct blob packed = pack_zlib(data, levels[l], strategies[s],
                                                               f ? 9 + (int)meet_below(7) : 15, flush);
                                struct lsr_gzip_ahead_stats sum = {};

                                meet_gunzip(data, packed, "zlib", levels[l], &sum);
                                /* A fixed block has nothing to be found by. */
                                if (strategies[s] != Z_FIXED)
                                        cr_assert_gt(sum.blocks, 0, "level %d strategy %d", levels[l], strategies[s]);
                                blob_free(data);
                                blob_free(packed);
                        }
}

Test(gzip_ahead, libdeflate, .timeout = 600)
{
        uint8_t *raw = malloc(2 * CONTENT);

        for (int level = 1; level <= LSR_DEFLATE_LEVEL_MAX; level++) {
                struct lsr_deflater *d = lsr_deflater_new(level);
                struct blob data = mixed(CONTENT);
                struct blob packed = raw_to_gzip(data, raw, lsr_deflate_last(d, data.data, data.n, raw, 2 * CONTENT));
                struct lsr_gzip_ahead_stats sum = {};

                meet_gunzip(data, packed, "libdeflate", level, &sum);
                cr_assert_gt(sum.blocks, 0, "level %d", level);
                lsr_deflater_free(d);
                blob_free(data);
                blob_free(packed);
        }
        free(raw);
}

/* What @command makes of @path on its standard output; no bytes: it is not there. */
static struct blob pack_tool(const char *command, const char *path)
{
        struct blob b = { malloc(8 * CONTENT), 0 };
        char text[200];
        size_t got;
        FILE *out;

        snprintf(text, sizeof(text), "%s '%s' 2>/dev/null", command, path);
        out = popen(text, "r");
        cr_assert_not_null(out);
        while ((got = fread(b.data + b.n, 1, 8 * CONTENT - b.n, out)) > 0)
                b.n += got;
        pclose(out);
        return b;
}

/* Programs that compress, as far as they are installed. */
Test(gzip_ahead, tools, .timeout = 600)
{
        static const char *const commands[] = {
                "gzip -1 -c",
                "gzip -c",
                "gzip -9 -c",
                "pigz -1 -p 2 -c",
                "pigz -p 2 -c",
                "pigz -i -p 2 -c",
                "igzip -0 -c",
                "igzip -1 -c",
                "igzip -3 -c",
                "bgzip -c",
                "libdeflate-gzip -1 -c",
                "libdeflate-gzip -c",
                "zopfli --i1 -c",
        };
        struct blob data = mixed(2 * CONTENT);
        char path[] = "/tmp/test-gzip-ahead-XXXXXX";
        int fd = mkstemp(path);
        unsigned found = 0;

        cr_assert(fd >= 0 && write(fd, data.data, data.n) == (ssize_t)data.n);
        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
                struct blob packed = pack_tool(commands[i], path);
                struct lsr_gzip_ahead_stats sum = {};

                if (packed.n) {
                        meet_gunzip(data, packed, commands[i], 0, &sum);
                        found++;
                        /* igzip -0 has a single block, or fixed ones. */
                        cr_assert(sum.blocks + sum.members > 0 || strstr(commands[i], "-0"), "%s", commands[i]);
                }
                blob_free(packed);
        }
        close(fd);
        unlink(path);
        blob_free(data);
        cr_assert_gt(found, 2);
}

/* Wherever a dynamic or stored block begins, other than the last, it is found there. */
Test(gzip_ahead, find)
{
        struct lsr_inflate *z = lsr_inflate_new(), *other = lsr_inflate_new();
        atomic_bool stop = false;

        for (int level = 0; level <= 6; level += 3) {
                struct blob data = mixed(CONTENT),
                            packed = pack_zlib(data, level, Z_DEFAULT_STRATEGY, 15, Z_SYNC_FLUSH);
                struct lsr_flow flow = {
                        .in = packed.data + 10, .in_left = packed.n - 10, .out = data.data, .out_left = data.n
                };
                unsigned found = 0, fixed = 0;
                int r = 2;

                lsr_inflate_reset(z);
                while (r == 2) {
                        uint64_t bit = lsr_inflate_halted(z), hit;
                        unsigned heads = 4;

                        lsr_inflate_halt(z, bit + 1);
                        r = lsr_inflate_step(z, &flow);
                        bit = lsr_inflate_halted(z) + 80;
                        if (r != 2 || bit / 8 + 400 > packed.n)
                                continue;
                        hit = lsr_inflate_find(other, packed.data, packed.n, bit, &stop, &heads);
                        if ((lsr_le32(packed.data + bit / 8) >> bit % 8 & 7) == 2)
                                fixed++;
                        else if ((lsr_le32(packed.data + bit / 8) >> bit % 8 & 1) == 0)
                                cr_assert(hit == bit && ++found, "level %d: bit %zu, not %zu", level, (size_t)hit,
                                          (size_t)bit);
                }
                cr_assert_eq(r, 1);
                cr_assert_gt(found, 5, "level %d: %u, %u fixed", level, found, fixed);
                blob_free(data);
                blob_free(packed);
        }
        lsr_inflate_free(z);
        lsr_inflate_free(other);
}

/* What looks like heads is decoded so often and no more, nor after a stop. */
Test(gzip_ahead, find_limits)
{
        struct blob noise = { malloc(65536), 65536 };
        struct lsr_inflate *z = lsr_inflate_new();
        atomic_bool stop = false;
        unsigned heads = 100;

        meet_fill(noise.data, noise.n, 1);
        cr_assert_eq(lsr_inflate_find(z, noise.data, noise.n, 0, &stop, &heads), LSR_GUESS_NONE);
        cr_assert_eq(heads, 0);
        heads = 100000;
        lsr_inflate_find(z, noise.data, noise.n, 0, &stop, &heads);
        cr_assert(heads < 100000 - 100 && heads > 99000, "%u", heads);
        heads = 100;
        stop = true;
        cr_assert_eq(lsr_inflate_find(z, noise.data, noise.n, 0, &stop, &heads), LSR_GUESS_NONE);
        cr_assert_eq(heads, 100);
        lsr_inflate_free(z);
        blob_free(noise);
}

/* Most of it is decoded ahead, as marks and, where nothing is left from before, as bytes. */
Test(gzip_ahead, share)
{
        job_room = 4 * MIB;
        for (unsigned kind = 0; kind <= MEET_KINDS; kind++) {
                struct blob data = kind < MEET_KINDS ? (struct blob){ malloc(8 * CONTENT), 8 * CONTENT }
                                                     : mixed(8 * CONTENT);
                struct blob packed;
                struct lsr_gzip_ahead_stats stats = {};
                bool squeezed = kind == 2 || kind == 4 || kind == 5; /* into few blocks */
                size_t span;

                if (kind < MEET_KINDS)
                        meet_fill(data.data, data.n, kind);
                packed = kind % 2 ? pack_zlib(data, 6, Z_DEFAULT_STRATEGY, 15, Z_FULL_FLUSH) : pack_gzip(data);
                span = packed.n / 6;
                expect(gunzip(packed, 1, span, true, &stats), data, "share", kind);
                cr_assert(squeezed || stats.block_bytes > data.n / 4, "%u: %zu", kind, (size_t)stats.block_bytes);
                cr_assert(squeezed || stats.blocks > 2);
                expect(gunzip(packed, 2, span, false, &stats), data, "share, stopped", kind);
                blob_free(data);
                blob_free(packed);
        }
}

/* Small members one after another, and what they are decoded to is checked in the thread that does. */
Test(gzip_ahead, members, .timeout = 600)
{
        for (unsigned round = 0; round < 6; round++) {
                struct blob data = {}, packed = {};
                struct lsr_gzip_ahead_stats stats = {};

                for (size_t i = 0; i < 150; i++) {
                        struct blob part = mixed(meet_below(4) ? meet_below(30000) : meet_below(8)),
                                    more = pack_gzip(part);

                        data = blob_add(data, part);
                        packed = blob_add(packed, more);
                }
                expect(gunzip(packed, 1 + round % 3, 60000, round % 2 == 0, &stats), data, "members", round);
                if (round % 2 == 0)
                        cr_assert(stats.members > 2 && stats.member_bytes > data.n / 8, "%zu of %zu bytes",
                                  (size_t)stats.member_bytes, data.n);
                blob_free(data);
                blob_free(packed);
        }
}

/* A wrong checksum of one of them. */
Test(gzip_ahead, bad_members, .timeout = 600)
{
        struct blob data = {}, packed = {};
        size_t ends[120];

        for (size_t i = 0; i < 120; i++) {
                struct blob part = mixed(meet_below(20000));

                packed = blob_add(packed, pack_gzip(part));
                data = blob_add(data, part);
                ends[i] = packed.n;
        }
        for (size_t i = 60; i < 120; i += 6) {
                struct lsr_gzip_ahead_stats stats = {};
                struct result one, many;

                packed.data[ends[i] - 8] ^= 1;
                one = gunzip(packed, 0, 60000, true, &stats);
                many = gunzip(packed, 2, 60000, true, &stats);
                cr_assert(strstr(one.what, "checksum"), "%s", one.what);
                cr_assert_eq(many.error, one.error);
                cr_assert_str_eq(many.what, one.what);
                cr_assert_eq(many.n, one.n);
                packed.data[ends[i] - 8] ^= 1;
                free(one.data);
                free(many.data);
        }
        blob_free(data);
        blob_free(packed);
}

/* Members of all sizes, and what follows the last one. */
Test(gzip_ahead, mixed, .timeout = 600)
{
        for (unsigned round = 0; round < 12; round++) {
                struct blob data = {}, packed = {};
                struct lsr_gzip_ahead_stats stats = {};
                struct result r;

                for (size_t i = 0; i < 10; i++) {
                        struct blob part = mixed(meet_below(2) ? meet_below(300000) : meet_below(20000));

                        packed = blob_add(packed,
                                          pack_zlib(part, (int)meet_below(10), (int)meet_below(5), 15, Z_NO_FLUSH));
                        data = blob_add(data, part);
                }
                expect(gunzip(packed, 1 + round % 3, 4096 + meet_below(40000), round % 2 == 0, &stats), data, "mixed",
                       round);
                packed = blob_add(packed, blob_text("\0\0\0what", 7));
                r = gunzip(packed, 1 + round % 3, 4096 + meet_below(40000), round % 2 == 0, &stats);
                cr_assert_eq(r.error, 0);
                cr_assert_eq(r.n, data.n);
                cr_assert(strstr(r.what, "what follows the gzip data at byte"), "%s", r.what);
                free(r.data);
                blob_free(data);
                blob_free(packed);
        }
}

/* Damaged and cut short: what one thread gives and says. */
Test(gzip_ahead, bad_hostile, .timeout = 600)
{
        for (unsigned round = 0; round < 150; round++) {
                struct blob data = mixed(50000 + meet_below(150000)), packed;
                struct lsr_gzip_ahead_stats stats = {};
                struct result one, many;

                packed = round % 3 ? pack_zlib(data, 1 + (int)meet_below(9), (int)meet_below(4), 15, Z_NO_FLUSH)
                                   : pack_gzip(data);
                for (unsigned i = 0; round % 3 == 0 && i < 8; i++) {
                        struct blob part = mixed(meet_below(20000));

                        packed = blob_add(packed, pack_gzip(part));
                        blob_free(part);
                }
                for (unsigned times = 1 + meet_below(3); times > 0; times--)
                        packed.data[meet_below((uint32_t)packed.n)] ^= (uint8_t)(1u << meet_below(8));
                if (meet_below(3) == 0)
                        packed.n = meet_below((uint32_t)packed.n);
                one = gunzip(packed, 0, 4096, false, &stats);
                for (unsigned i = 0; i < 2; i++) {
                        many = gunzip(packed, 1 + meet_below(3), 4096 + meet_below(30000), i, &stats);
                        cr_assert_eq(many.error, one.error, "%u: %d %s, not %d %s", round, many.error, many.what,
                                     one.error, one.what);
                        cr_assert_str_eq(many.what, one.what, "%u", round);
                        cr_assert_eq(many.n, one.n);
                        cr_assert(many.n == 0 || memcmp(many.data, one.data, one.n) == 0);
                        free(many.data);
                }
                free(one.data);
                blob_free(data);
                blob_free(packed);
        }
}

/* Deflate data in stored blocks look as blocks, members look as members, and none of them is met. */
Test(gzip_ahead, bad_starts)
{
        struct blob inside = mixed(100000), data = {}, packed;
        struct lsr_gzip_ahead_stats stats = {};

        for (unsigned i = 0; i < 20; i++) {
                struct blob part = pack_zlib(inside, 6, Z_DEFAULT_STRATEGY, 15, Z_SYNC_FLUSH);

                data = blob_add(data, part);
        }
        packed = pack_zlib(data, 0, Z_DEFAULT_STRATEGY, 15, Z_NO_FLUSH);
        expect(gunzip(packed, 2, 10000, true, &stats), data, "starts", 0);
        cr_assert_gt(stats.useless, 0);
        expect(gunzip(packed, 2, 70000, false, &stats), data, "starts", 1);
        blob_free(inside);
        blob_free(data);
        blob_free(packed);
}

/* A block made with a dictionary that nobody has: its matches lead to before the beginning of the stream. */
static size_t pack_with_dictionary(uint8_t *out, size_t room)
{
        static uint8_t dictionary[32768], data[20000];
        z_stream z = { .next_in = data, .avail_in = sizeof(data), .next_out = out, .avail_out = (unsigned)room };

        meet_fill(dictionary, sizeof(dictionary), 0);
        meet_fill(data, sizeof(data), 0);
        for (size_t i = 0; i < sizeof(data); i++)
                if (i % 200 < 100)
                        data[i] = dictionary[1000 + i];
        cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        cr_assert_eq(deflateSetDictionary(&z, dictionary, sizeof(dictionary)), Z_OK);
        cr_assert_eq(deflate(&z, Z_SYNC_FLUSH), Z_OK);
        deflateEnd(&z);
        return room - z.avail_out;
}

/* A mark for a byte before the beginning of the stream: an error where the match is, and nothing that was made up. */
Test(gzip_ahead, bad_before_begin)
{
        struct blob noise = mixed(6000), packed = { malloc(100000), 0 };
        struct lsr_gzip_ahead_stats stats = {};
        struct result one, many;

        memcpy(packed.data, "\x1f\x8b\x08\0\0\0\0\0\0\3\0", 11);
        lsr_put_le16(packed.data + 11, (uint16_t)noise.n);
        lsr_put_le16(packed.data + 13, (uint16_t)~noise.n);
        memcpy(packed.data + 15, noise.data, noise.n);
        packed.n = 15 + noise.n;
        packed.n += pack_with_dictionary(packed.data + packed.n, 100000 - packed.n);
        one = gunzip(packed, 0, 4096, false, &stats);
        cr_assert_eq(one.error, -EBADMSG);
        cr_assert(strstr(one.what, "damaged at byte"), "%s", one.what);
        many = gunzip(packed, 2, 5000, true, &stats);
        cr_assert_eq(many.error, one.error);
        cr_assert_str_eq(many.what, one.what);
        cr_assert_eq(many.n, one.n);
        cr_assert_eq(stats.blocks, 0);
        cr_assert_gt(stats.useless, 0);
        free(many.data);
        free(one.data);
        blob_free(noise);
        blob_free(packed);
}

/* The reader goes before the end. */
Test(gzip_ahead, stopped)
{
        struct blob data = mixed(3000000), packed = pack_gzip(data);

        for (unsigned i = 0; i < 6; i++) {
                struct lsr_gzip_options o = {
                        .ahead = { .workers = 1 + i % 3, .span = 20000, .room = LSR_GUESS_ROOM_MIN }, .streams = true
                };
                struct lsr_input *in;
                const uint8_t *p;

                cr_assert_eq(lsr_gzip_open(&in, lsr_input_memory(packed.data, packed.n), &o), 0);
                for (unsigned k = 0; k < i; k++) {
                        ssize_t got = lsr_input_peek(in, 1, &p);

                        cr_assert_gt(got, 0);
                        lsr_input_take(in, (size_t)got);
                }
                lsr_input_free(in);
        }
        blob_free(data);
        blob_free(packed);
}
