/* The tar driver: content of members, sparse ones above all; hostile bytes; and what is read on the way. */
#include <time.h>

#include "failing.h"
#include "tar-tape.h"

/* --- sparse ----------------------------------------------------------------------- */

static int collect(void *ctx, const void *data, size_t n)
{
        struct tape *t = ctx;

        t->data = lsr_xrealloc(t->data, t->n + n + 1);
        memcpy(t->data + t->n, data, n);
        t->n += n;
        return t->n > 10000000 ? -EFBIG : 0;
}

/* Content of the member number @i, from both kinds of input.  Returns what read() did. */
static int content(const struct tape *t, size_t i, struct tape *ret_content)
{
        struct notes *b = scan_bytes(t->data, t->n);
        struct tape got[2] = {};
        int r[2];

        cr_assert_lt(i, b->n);
        for (int k = 0; k < 2; k++) {
                struct lsr_input *in = k ? lsr_input_memory(t->data, t->n) : odd_input(t->data, t->n, 0);
                struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };
                struct lsr_sink sink = { .ctx = &got[k], .write = collect };

                r[k] = lsr_format_tar.read(&s, &b->members[i], &sink);
                lsr_input_free(in);
        }
        cr_assert_eq(r[0], r[1]);
        cr_assert_eq(got[0].n, got[1].n);
        cr_assert(got[0].n == 0 || memcmp(got[0].data, got[1].data, got[0].n) == 0);
        notes_free(b);
        free(got[0].data);
        *ret_content = got[1];
        return r[0];
}

/* Sparse content is "ABCDE" at 1000, "FG" at 2000, and ends at 3000. */
static void check_sparse(struct tape *t, const char *want)
{
        struct tape got;
        uint8_t expected[3000] = {};

        memcpy(expected + 1000, "ABCDE", 5);
        memcpy(expected + 2000, "FG", 2);
        tape_file(t, USTAR, "next", "");
        cr_expect_eq(content(t, 0, &got), 0);
        cr_expect_eq(got.n, 3000);
        cr_expect(got.n == 3000 && memcmp(got.data, expected, 3000) == 0);
        free(got.data);
        check(t, want);
}

static void put_piece(uint8_t *at, unsigned offset, unsigned size)
{
        sprintf((char *)at, "%011o", offset);
        sprintf((char *)at + 12, "%011o", size);
}

Test(tar, good_sparse_gnu)
{
        struct tape t = {};
        uint8_t *h = tape_raw(&t, GNU, 'S', "sparse", 7);

        put_piece(h + 386, 1000, 5);
        put_piece(h + 410, 2000, 2);
        put_piece(h + 434, 3000, 0);
        put(h, 483, "00000005670");
        tape_add(&t, "ABCDEFG", 7);
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'sparse' 7@0+512\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@1024+512\n");
}

/* Single bytes, so that two more blocks are needed for the map. */
Test(tar, good_sparse_gnu_blocks)
{
        struct tape t = {};
        uint8_t blocks[2][BLOCK] = {};
        uint8_t *h = tape_raw(&t, GNU, 'S', "sparse", 7);

        put_piece(h + 386, 1000, 1);
        put_piece(h + 410, 1001, 1);
        put_piece(h + 434, 1002, 1);
        put_piece(h + 458, 1003, 1);
        h[482] = 1;
        put(h, 483, "00000005670");
        for (unsigned i = 0; i < 21; i++)
                put_piece(blocks[0] + i * 24, 1004, i == 20);
        blocks[0][504] = 1;
        put_piece(blocks[1], 2000, 2);
        put_piece(blocks[1] + 24, 3000, 0);
        tape_add(&t, blocks, sizeof(blocks));
        tape_add(&t, "ABCDEFG", 7);
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'sparse' 7@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2048+512\n");
}

Test(tar, good_sparse_pax)
{
        struct tape t = {};

        tape_pax(&t, 'x', "GNU.sparse.size=3000", "GNU.sparse.numblocks=2", "GNU.sparse.offset=1000",
                 "GNU.sparse.numbytes=5", "GNU.sparse.offset=2000", "GNU.sparse.numbytes=2", NULL);
        tape_file(&t, USTAR, "sparse", "ABCDEFG");
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'sparse' 7@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2048+512\n");
        tape_pax(&t, 'x', "GNU.sparse.size=3000", "GNU.sparse.name=dir/sparse", "GNU.sparse.map=1000,5,2000,2", NULL);
        tape_file(&t, USTAR, "dir/GNUSparseFile.7/sparse", "ABCDEFG");
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'dir/sparse' 7@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2048+512\n");
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=dir/sparse",
                 "GNU.sparse.realsize=3000", NULL);
        tape_raw(&t, USTAR, '0', "dir/GNUSparseFile.7/sparse", 519);
        tape_add(&t, "3\n1000\n5\n2000\n2\n3000\n0\n", 23);
        tape_add(&t, "ABCDEFG", 7);
        check_sparse(&t, "S- 644 1000/100 ann/users 3000 1000000000 'dir/sparse' 519@0+1536\n"
                         "- 644 1000/100 ann/users 0 1000000000 'next' 0@2560+512\n");
}

/* A map of 1.0 whose lines go over the edge of a block. */
Test(tar, good_sparse_long_map)
{
        struct tape t = {}, got;
        char map[4096];
        size_t n = (size_t)sprintf(map, "200\n");

        for (int i = 0; i < 200; i++)
                n += (size_t)sprintf(map + n, "%d\n1\n", i * 100);
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=20000", NULL);
        tape_raw(&t, USTAR, '0', "sparse", (n + 511) / 512 * 512 + 200);
        tape_add(&t, map, n);
        memset(map, 'x', 200);
        tape_add(&t, map, 200);
        cr_expect_eq(content(&t, 0, &got), 0);
        cr_expect_eq(got.n, 20000);
        for (size_t i = 0; i < got.n; i++)
                cr_assert_eq(got.data[i], i % 100 ? 0 : 'x');
        free(got.data);
        free(t.data);
}

Test(tar, hostile_sparse)
{
        static const struct {
                const char *map;
                int result;
        } maps[] = {
                { "1000,5,1002,2", -EBADMSG },         /* overlap */
                { "2000,5,1000,2", -EBADMSG },         /* out of order */
                { "2998,5", -EBADMSG },                /* beyond the end */
                { "9223372036854775807,5", -EBADMSG }, /* far beyond */
                { "0,8", -EBADMSG },                   /* more than is stored */
                { "0,9223372036854775807", -EBADMSG }, /* much more */
                { "0", -EBADMSG },                     /* half a piece */
                { "0,x", -EBADMSG },
                { "0,1;2,3", -EBADMSG },
                { "99999999999999999999,1", -EBADMSG },
                { "", 0 },
        };

        for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
                struct tape t = {}, got;
                char text[100];

                sprintf(text, "GNU.sparse.map=%s", maps[i].map);
                tape_pax(&t, 'x', "GNU.sparse.size=3000", text, NULL);
                tape_file(&t, USTAR, "sparse", "ABCDEFG");
                cr_expect_eq(content(&t, 0, &got), maps[i].result, "%s", maps[i].map);
                cr_expect_eq(got.n, maps[i].result ? 0 : 3000, "%s: %zu", maps[i].map, got.n);
                free(got.data);
                free(t.data);
        }
}

Test(tar, hostile_sparse_lines)
{
        static const char *const maps[] = { "2000000\n0\n1\n",           "2\n0\n1\n", "x\n", "\n", "1\n0\n1",
                                            "111111111111111111111111\n" };
        struct tape t = {}, got;
        uint8_t *h, *blocks;

        for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
                tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
                tape_raw(&t, USTAR, '0', "sparse", BLOCK);
                tape_add(&t, maps[i], strlen(maps[i]));
                cr_expect_eq(content(&t, 0, &got), i ? -EBADMSG : -E2BIG, "%s", maps[i]);
                free(t.data);
                t = (struct tape){};
        }
        tape_pax(&t, 'x', "GNU.sparse.major=2", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
        tape_file(&t, USTAR, "sparse", "?");
        cr_expect_eq(content(&t, 0, &got), -EOPNOTSUPP);
        free(t.data);
        t = (struct tape){};
        tape_pax(&t, 'x', "GNU.sparse.size=3000", "GNU.sparse.offset=0", NULL);
        tape_file(&t, USTAR, "sparse", "?");
        cr_expect_eq(content(&t, 0, &got), -EBADMSG);
        free(t.data);
        /* More pieces than anybody keeps, in 50,000 blocks. */
        t = (struct tape){};
        h = tape_raw(&t, GNU, 'S', "sparse", 0);
        h[482] = 1;
        put(h, 483, "00000005670");
        blocks = lsr_xmalloc(50000 * BLOCK);
        for (size_t i = 0; i < 50000; i++) {
                for (size_t k = 0; k < 21; k++)
                        memcpy(blocks + i * BLOCK + k * 24,
                               "0\0\0\0\0\0\0\0\0\0\0\0"
                               "0\0\0\0\0\0\0\0\0\0\0",
                               24);
                blocks[i * BLOCK + 504] = i < 49999;
        }
        tape_add(&t, blocks, 50000 * BLOCK);
        cr_expect_eq(content(&t, 0, &got), -E2BIG);
        free(blocks);
        free(t.data);
        /* The sink ends what nobody has room for. */
        t = (struct tape){};
        tape_pax(&t, 'x', "GNU.sparse.size=9000000000000000000", NULL);
        tape_file(&t, USTAR, "sparse", "?");
        cr_expect_eq(content(&t, 0, &got), -EFBIG);
        free(got.data);
        free(t.data);
}

/* --- content ---------------------------------------------------------------------- */

Test(tar, good_read)
{
        struct tape t = {}, got;
        struct notes *b;
        uint64_t offset = 0, size = 0;
        char big[5000];

        for (size_t i = 0; i < sizeof(big); i++)
                big[i] = (char)(i % 251);
        tape_file(&t, USTAR, "./a/../b//first", "hello");
        tape_extension(&t, 'L', "long", 5);
        tape_raw(&t, GNU, '0', "big", sizeof(big));
        tape_add(&t, big, sizeof(big));
        tape_raw(&t, USTAR, '2', "link", 0);
        cr_expect_eq(content(&t, 0, &got), 0);
        cr_expect(got.n == 5 && memcmp(got.data, "hello", 5) == 0);
        free(got.data);
        cr_expect_eq(content(&t, 1, &got), 0);
        cr_expect(got.n == sizeof(big) && memcmp(got.data, big, sizeof(big)) == 0);
        free(got.data);
        cr_expect_eq(content(&t, 2, &got), -EOPNOTSUPP);

        b = scan_bytes(t.data, t.n);
        for (size_t i = 0; i < 3; i++) {
                struct lsr_input *in = lsr_input_memory(t.data, t.n);
                struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };

                if (i == 0) {
                        /* As a catalogue has it. */
                        free((char *)b->members[0].path);
                        b->members[0].path = copy("a/b/first", 9);
                        b->members[0].path_len = 9;
                }
                cr_expect_eq(lsr_format_tar.extent(&s, &b->members[i], &offset, &size), i == 2);
                cr_expect_eq(offset, i ? b->members[1].data : 512);
                cr_expect_eq(size, i ? 5000 : 5);
                lsr_input_free(in);
        }
        notes_free(b);
        free(t.data);
}

/* The next one that is intact is another member, though of the same name. */
Test(tar, bad_read_of_damaged)
{
        struct tape t = {}, got = {};
        struct notes *b;
        struct lsr_sink sink = { .ctx = &got, .write = collect };
        struct lsr_scan s = { .trouble = trouble };

        tape_file(&t, USTAR, "a", "hello");
        tape_file(&t, USTAR, "a", "other");
        s.ctx = b = scan_bytes(t.data, t.n);
        t.data[0] ^= 1;
        s.input = lsr_input_memory(t.data, t.n);
        cr_expect_eq(lsr_format_tar.read(&s, &b->members[0], &sink), -EBADMSG);
        cr_expect_eq(got.n, 0);
        lsr_input_free(s.input);
        notes_free(b);
        free(t.data);
}

/* Whether what the catalogue says is still there. */
Test(tar, bad_read)
{
        struct tape t = {};
        struct notes *b;

        tape_file(&t, USTAR, "a", "hello");
        b = scan_bytes(t.data, t.n);
        for (int i = 0; i < 6; i++) {
                struct lsr_member m = b->members[0];
                struct tape got = {};
                uint64_t offset, size;
                struct lsr_sink sink = { .ctx = &got, .write = collect };
                struct lsr_input *in = lsr_input_memory(t.data, i == 5 ? t.n - 510 : t.n);
                struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };

                if (i == 1)
                        m.path = "b";
                if (i == 2)
                        m.meta.size = 6;
                if (i == 3)
                        m.position = 512;
                if (i == 4)
                        m.position = UINT64_MAX;
                b->len = 0;
                cr_expect_eq(lsr_format_tar.read(&s, &m, &sink), i ? -EBADMSG : 0, "%d", i);
                cr_expect_eq(strncmp(b->text, "! -1 ", 5) == 0, i > 0, "%d: %s", i, b->text);
                lsr_input_seek(in, 0);
                cr_expect_eq(lsr_format_tar.extent(&s, &m, &offset, &size), i ? -EBADMSG : 0, "%d", i);
                lsr_input_free(in);
                free(got.data);
        }
        notes_free(b);
        free(t.data);
}

/* --- any bytes ---------------------------------------------------------------------- */

static uint64_t prng_state = 88172645463325252u;

static uint64_t prng(void)
{
        prng_state ^= prng_state << 13;
        prng_state ^= prng_state >> 7;
        prng_state ^= prng_state << 17;
        return prng_state;
}

static void reseal(uint8_t *data, size_t n)
{
        for (size_t at = 0; at + BLOCK <= n; at += BLOCK)
                if (data[at + 257] == 'u')
                        seal(data + at);
}

/* Bytes changed at random, the checksums made right again in half of the rounds. */
Test(tar, hostile_bytes)
{
        struct tape t = {};
        uint8_t *h;

        tape_pax(&t, 'g', "uname=all", "comment=x", NULL);
        tape_pax(&t, 'x', "path=a", "mtime=1.5", "SCHILY.xattr.user.a=1", "LIBARCHIVE.xattr.user.b=YQ", NULL);
        tape_file(&t, USTAR, "a", "content");
        tape_extension(&t, 'L', "name", 5);
        h = tape_raw(&t, GNU, 'S', "sparse", 7);
        put_piece(h + 386, 1000, 5);
        put_piece(h + 410, 2000, 2);
        put(h, 483, "00000005670");
        tape_add(&t, "ABCDEFG", 7);
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
        tape_raw(&t, USTAR, '0', "s", 519);
        tape_add(&t, "2\n1000\n5\n2000\n2\n", 16);
        tape_add(&t, "ABCDEFG", 7);
        tape_pax(&t, 'x', "GNU.sparse.size=30", "GNU.sparse.map=10,5,20,2", NULL);
        tape_file(&t, USTAR, "s", "ABCDEFG");
        h = tape_raw(&t, USTAR, '1', "hard", 7);
        put(h, 157, "a");
        tape_end(&t);
        for (int round = 0; round < 4000; round++) {
                size_t n = round % 8 ? t.n : prng() % t.n + 1;
                uint8_t *data = lsr_xmalloc(n);
                struct notes *b;

                memcpy(data, t.data, n);
                for (uint64_t k = prng() % 8 + 1; k > 0; k--)
                        data[prng() % n] = (uint8_t)(prng() % 3 ? prng() : (uint64_t) "0179 \xff\x80\n=,"[prng() % 10]);
                if (round % 2)
                        reseal(data, n);
                b = scan_bytes(data, n);
                for (uint64_t i = 0; i < b->n && i < 64; i++) {
                        struct lsr_input *in = lsr_input_memory(data, n);
                        struct lsr_scan s = { .input = in, .ctx = b, .trouble = trouble };
                        struct tape got = {};
                        struct lsr_sink sink = { .ctx = &got, .write = collect };
                        int r = lsr_format_tar.read(&s, &b->members[i], &sink);

                        if (r == 0 && !(b->members[i].flags & LSR_MEMBER_HARDLINK))
                                cr_expect_eq(got.n, b->members[i].meta.size);
                        free(got.data);
                        lsr_input_free(in);
                }
                notes_free(b);
                free(data);
        }
        free(t.data);
}

/* --- many, and the way over the content ------------------------------------------------- */

/* Members of @size bytes that are not there: only headers are made, at every multiple of the pitch. */
struct made {
        struct lsr_input in;
        uint64_t pitch;
        uint64_t reads;
        uint64_t bytes;
        uint64_t at;
        bool slow;
        uint8_t header[BLOCK];
        uint8_t piece[256 << 10];
};

static ssize_t made_read_at(struct lsr_input *in, void *buf, size_t size, uint64_t offset)
{
        struct made *m = (struct made *)in;
        size_t n = offset >= in->size ? 0 : size < in->size - offset ? size : (size_t)(in->size - offset);

        m->reads++;
        m->bytes += n;
        memset(buf, 'x', n);
        for (uint64_t at = (offset + m->pitch - 1) / m->pitch * m->pitch; at + BLOCK <= offset + n; at += m->pitch)
                memcpy((uint8_t *)buf + (at - offset), m->header, BLOCK);
        if (m->slow)
                nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
        return (ssize_t)n;
}

static ssize_t made_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct made *m = (struct made *)in;
        ssize_t got = made_read_at(in, m->piece, sizeof(m->piece), m->at);

        m->at += (uint64_t)got;
        *ret_data = m->piece;
        return got;
}

static int made_seek(struct lsr_input *in, uint64_t offset)
{
        ((struct made *)in)->at = offset;
        return 0;
}

static const struct lsr_input_ops made_ops = {
        .next = made_next,
        .read_at = made_read_at,
        .seek = made_seek,
        .free = odd_free,
};

static void scan_made(uint64_t members, uint64_t size, bool slow, uint64_t *ret_reads, uint64_t *ret_bytes)
{
        struct made *m = lsr_input_alloc(sizeof(*m), &made_ops);
        struct tape t = {};
        struct notes *b = notes_new();
        struct lsr_scan s = { .input = &m->in, .builder = b->relay, .ctx = b, .trouble = trouble };

        memcpy(m->header, tape_raw(&t, USTAR, '0', "name", size), BLOCK);
        m->pitch = BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
        m->in.size = m->pitch * members;
        m->slow = slow;
        b->quiet = true;
        cr_expect_eq(lsr_format_tar.scan(&s), 0);
        cr_expect_eq(b->n, members);
        cr_expect(strstr(b->text, "! -1 tar has no end mark") == b->text);
        *ret_reads = m->reads;
        *ret_bytes = m->bytes;
        lsr_input_free(&m->in);
        notes_free(b);
        free(t.data);
}

Test(tar, many_members)
{
        uint64_t reads, bytes;

        scan_made(100000, 0, false, &reads, &bytes);
        cr_expect_leq(reads, 100000 * BLOCK / (256 << 10) + 2);
}

Test(tar, content_is_passed_over)
{
        uint64_t reads, bytes;

        /* Some look slow when the machine is busy. */
        scan_made(2000, 100000, false, &reads, &bytes);
        cr_expect_lt(bytes, 100000000, "%llu bytes", (unsigned long long)bytes);
        scan_made(300, 2000000, true, &reads, &bytes);
        cr_expect_lt(bytes, 40000000, "%llu bytes", (unsigned long long)bytes);
}

Test(tar, slow_content_is_read_through)
{
        uint64_t reads, bytes;

        scan_made(2000, 20000, true, &reads, &bytes);
        cr_expect_lt(reads, 400, "%llu reads", (unsigned long long)reads);
}

/* --- a disk that fails ---------------------------------------------------------------------- */

/* Headers of all kinds, maps, and content of several reads; from a file and from a pipe. */
Test(tar, failing_reads, .timeout = 100)
{
        struct tape t = {};
        char big[5000];
        uint8_t *h;

        for (size_t i = 0; i < sizeof(big); i++)
                big[i] = (char)(i % 251);
        tape_pax(&t, 'g', "uname=all", NULL);
        tape_pax(&t, 'x', "path=a", "mtime=1.5", "SCHILY.xattr.user.a=1", NULL);
        tape_file(&t, USTAR, "a", "content");
        tape_extension(&t, 'L', "name", 5);
        tape_raw(&t, GNU, '0', "big", sizeof(big));
        tape_add(&t, big, sizeof(big));
        h = tape_raw(&t, GNU, 'S', "sparse", 7);
        put_piece(h + 386, 1000, 5);
        put_piece(h + 410, 2000, 2);
        put(h, 483, "00000005670");
        tape_add(&t, "ABCDEFG", 7);
        tape_pax(&t, 'x', "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=3000", NULL);
        tape_raw(&t, USTAR, '0', "lines", 519);
        tape_add(&t, "2\n1000\n5\n2000\n2\n", 16);
        tape_add(&t, "ABCDEFG", 7);
        tape_raw(&t, USTAR, '5', "dir/", 0);
        tape_file(&t, USTAR, "dir/last", "last");
        tape_end(&t);
        failing_reads(t.data, t.n, false);
        failing_reads(t.data, t.n, true);
        free(t.data);
}
