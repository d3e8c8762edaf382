/* Zips cut anywhere and damaged anywhere; members without a directory. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "failing.h"
#include "zip-maker.h"

/* --- damage -------------------------------------------------------------------------------------------- */

/* Members with descriptors of all four kinds, one of them a zip with descriptors itself; and one without. */
static void put_streamed(struct bytes *b)
{
        struct entry inner[] = { { .name = "within", .data = "PK\3\4 or so", .descriptor = 12 } };
        struct entry entries[] = {
                { .name = "a", .data = "alpha", .descriptor = 12 },
                { .name = "b", .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8, .descriptor = 16 },
                { .name = "d/", .flags = 8 },
                { .name = "c", .data = "gamma PK\1\2 PK\7\10", .descriptor = 20 },
                { .name = "zip", .descriptor = 24 },
                { .name = "e", .data = "epsilon" },
        };
        struct bytes z = {};

        put_zip(&z, inner, 1, NULL, 0);
        entries[4].data = (const char *)z.data;
        entries[4].n = z.n;
        put_zip(b, entries, 6, NULL, 0);
        free(z.data);
}

Test(zip_damage, recover_streamed)
{
        static const char *const names[] = { "a", "b", "d", "c", "zip", "e" };
        struct bytes b = {};
        struct result *res, *cut;
        uint64_t directory;

        put_streamed(&b);
        res = scan(&b);
        cr_assert_str_eq(res->troubles, "");
        directory = directory_of(&b);
        /* The directory is gone altogether: sizes, checksums and places are those that it had. */
        b.n = directory;
        for (int crumbs = 0; crumbs < 2; crumbs++) {
                cut = scan_from(&b, crumbs);
                cr_assert_eq(cut->r, 0);
                cr_assert_eq(lsr_catalogue_rows(cut->c), 7, "%s", cut->troubles);
                cr_assert(cut->bad);
                for (size_t i = 0; i < 6; i++) {
                        struct lsr_member m = get(cut, names[i]), want = get(res, names[i]);

                        cr_assert_eq(m.meta.size, want.meta.size, "%s", names[i]);
                        cr_assert_eq(m.packed, want.packed);
                        cr_assert_eq(m.position, want.position);
                        cr_assert_eq((uint32_t)m.data, (uint32_t)want.data);
                        cr_assert_eq(m.flags & LSR_MEMBER_SUSPECT, 0);
                }
                result_free(cut);
        }
        result_free(res);
        free(b.data);
}

/* Deflate leaves what cannot be compressed as it is: headers of a zip in a member are not members of the outer one. */
Test(zip_damage, recover_deflated_zip)
{
        for (unsigned descriptor = 12; descriptor <= 24; descriptor += 4) {
                struct entry inner[] = { { .name = "within", .data = "so" }, { .name = "other", .data = "or so" } };
                struct entry entries[] = {
                        { .name = "a", BETA, .descriptor = descriptor },
                        { .name = "jar", .method = 8, .descriptor = descriptor },
                        { .name = "z", .data = "epsilon" },
                };
                struct bytes z = {}, data = {}, b = {};
                struct result *res;

                put_zip(&z, inner, 2, NULL, 0);
                put(&data, "\1", 1);
                put16(&data, (unsigned)z.n);
                put16(&data, (unsigned)~z.n & 0xffff);
                put(&data, z.data, z.n);
                entries[1].data = (const char *)data.data;
                entries[1].n = data.n;
                put_zip(&b, entries, 3, NULL, 0);
                b.n = directory_of(&b);
                res = scan(&b);
                cr_assert_eq(lsr_catalogue_rows(res->c), 4, "%u: %s", descriptor, res->troubles);
                cr_assert_eq(get(res, "jar").packed, data.n);
                cr_assert(has(res, "z"));
                result_free(res);
                /* Cut within the jar: it is not complete, and its members are still not those of the outer zip. */
                b.n = entries[1].at + 33 + 5 + inner[1].at + 36;
                res = scan(&b);
                cr_assert_eq(lsr_catalogue_rows(res->c), 3, "%u: %s", descriptor, res->troubles);
                cr_assert(get(res, "jar").flags & LSR_MEMBER_SUSPECT);
                result_free(res);
                free(b.data);
                free(data.data);
                free(z.data);
        }
}

static uint64_t entry_length(const uint8_t *p)
{
        return 46 + (uint64_t)lsr_le16(p + 28) + lsr_le16(p + 30) + lsr_le16(p + 32);
}

/*
 * Cut anywhere, what lies before is listed: a member as soon as its local header is whole, and as good as new when
 * its directory entry is.
 */
static void check_cuts(const struct bytes *b, const uint64_t *headers, const char *const *names, size_t n)
{
        uint64_t entry = directory_of(b);
        size_t entries = 0;

        for (uint64_t size = 1; size < b->n; size++) {
                struct bytes cut = { .data = malloc(size), .n = size };
                struct result *res;
                size_t whole = 0;

                memcpy(cut.data, b->data, size);
                if (entries < n && entry + entry_length(b->data + entry) <= size)
                        entry += entry_length(b->data + entry), entries++;
                while (whole < n && headers[whole] <= size)
                        whole++;
                res = scan_from(&cut, size % 2);
                cr_assert_eq(res->r, whole ? 0 : -EBADMSG, "cut to %lu: %s", (unsigned long)size, error_name(-res->r));
                cr_assert(res->bad, "cut to %lu", (unsigned long)size);
                for (size_t i = 0; i < n; i++) {
                        cr_assert_eq(has(res, names[i]), i < whole, "cut to %lu: '%s'", (unsigned long)size, names[i]);
                        if (i < entries)
                                cr_assert_eq(get(res, names[i]).meta.mode & 07777, 0600, "cut to %lu",
                                             (unsigned long)size);
                }
                result_free(res);
                free(cut.data);
        }
}

Test(zip_damage, bad_cut_anywhere)
{
        static const char *const names[] = { "a", "b", "c" };

        for (unsigned streamed = 0; streamed < 2; streamed++) {
                struct entry entries[] = {
                        { .name = "a", .data = "alpha", .mode = S_IFREG | 0600 },
                        { .name = "b", .data = "beta", .mode = S_IFREG | 0600, EXTRA(UT) },
                        { .name = "c", .mode = S_IFREG | 0600 },
                };
                struct bytes b = {};
                uint64_t headers[3];

                for (size_t i = 0; streamed && i < 3; i++)
                        entries[i].descriptor = 12 + 4 * (unsigned)i;
                put_zip(&b, entries, 3, NULL, 0);
                for (size_t i = 0; i < 3; i++)
                        headers[i] = entries[i].at + 31;
                check_cuts(&b, headers, names, 3);
                free(b.data);
        }
}

/* What is cut itself says so; the others can be read. */
Test(zip_damage, bad_cut_read)
{
        struct bytes b = {}, content = {};
        struct result *res, said;

        put_zip(&b, plain, 4, NULL, 0);
        b.n = plain[2].at + 35;
        res = scan(&b);
        cr_assert_eq(read_path(&b, res, "dir/a.txt", &content, &said), 0);
        cr_assert(content.n == 5 && !memcmp(content.data, "alpha", 5));
        cr_assert(get(res, "b").flags & LSR_MEMBER_SUSPECT);
        cr_assert_eq(read_path(&b, res, "b", &content, &said), -EBADMSG);
        result_free(res);
        free(content.data);
        free(b.data);
}

Test(zip_damage, bad_directory)
{
        struct bytes b = {};
        struct result *res;
        uint64_t directory;

        put_zip(&b, plain, 4, NULL, 0);
        directory = directory_of(&b);
        b.data[directory + 46 + 4]++; /* the signature of the second entry */
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert_eq(lsr_catalogue_rows(res->c), 5);
        cr_assert_eq(get(res, "link").meta.mode, S_IFLNK | 0777);
        cr_assert_str_eq(res->troubles, "EBADMSG: the central directory is damaged at byte 211\n");
        cr_assert_eq(directory + 50, 211);
        result_free(res);
        b.data[directory + 46 + 4]--;

        /* The first: recovered, the others from what is left of the directory. */
        b.data[directory]++;
        res = scan(&b);
        cr_assert_eq(lsr_catalogue_rows(res->c), 5);
        cr_assert_eq(get(res, "dir").meta.mode, S_IFDIR | 0755);
        cr_assert_eq(get(res, "link").meta.mode, S_IFLNK | 0777);
        cr_assert(res->bad);
        result_free(res);
        b.data[directory]--;

        /* A wrong number of entries. */
        b.data[b.n - 12]++;
        res = scan(&b);
        check_plain(res);
        cr_assert_str_eq(res->troubles, "EBADMSG: the end record announces 5 members, the central directory has 4\n");
        result_free(res);
        free(b.data);
}

/* Programs that unpack themselves have the signature in their code. */
Test(zip_damage, bad_directory_behind_a_program)
{
        struct entry entries[] = { { .name = "a", .data = "alpha" }, { .name = "b", BETA }, { .name = "c", BETA } };
        struct bytes b = {};
        struct result *res;
        uint64_t directory;

        for (unsigned i = 0; i < 3; i++) {
                put(&b, "code", 4);
                put(&b, "PK\3\4", 4);
                for (unsigned k = 0; k < 40; k++)
                        put(&b, &"\0\x41\xff"[i], 1);
        }
        /* As `zip -A` leaves it: places count from the program on. */
        for (unsigned i = 0; i < 3; i++)
                put_local(&b, &entries[i]);
        directory = b.n;
        for (unsigned i = 0; i < 3; i++)
                put_central(&b, &entries[i], 0);
        put_end(&b, 0, 3, b.n - directory, directory, NULL, 0);
        b.data[directory + 47]++; /* of the signature of "b" */
        res = scan(&b);
        cr_expect(has(res, "a") && has(res, "b") && has(res, "c"), "%s", res->troubles);
        cr_expect(!(get(res, "b").flags & LSR_MEMBER_SUSPECT));
        cr_expect(strstr(res->troubles, "the central directory is damaged at byte"), "%s", res->troubles);
        result_free(res);
        free(b.data);
}

/* An entry that claims more than it has takes no other one with it, and keeps its name. */
Test(zip_damage, hostile_entry_claims)
{
        for (size_t i = 0; i < 4; i++) {
                struct bytes b = {};
                struct result *res;
                uint64_t at;

                put_zip(&b, plain, 4, NULL, 0);
                at = directory_of(&b);
                for (size_t k = 0; k < i; k++)
                        at += entry_length(b.data + at);
                b.data[at + 31] = 0xff; /* of the length of its extra fields */
                res = scan(&b);
                cr_assert_eq(lsr_catalogue_rows(res->c), 5, "entry %zu", i);
                cr_assert_eq(get(res, "b").meta.size, 4);
                cr_assert_eq(get(res, "link").target_len, get(res, "link").meta.size);
                cr_assert(strstr(res->troubles, "EBADMSG: the central directory is damaged at byte "));
                result_free(res);
                free(b.data);
        }
}

/* A checksum, a size, a method or the flag of encryption that is damaged in the directory, not in the local header. */
Test(zip_damage, bad_directory_of_good_header)
{
        static const struct {
                size_t at;
                uint8_t value;
        } damage[] = {
                { 16, 1 }, { 20, 3 }, { 20, 5 }, { 10, 8 }, { 16, 0 }, { 24, 3 }, { 25, 1 }, { 8, 1 }, { 10, 98 }
        };

        for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
                for (size_t entry = 0; entry < 2; entry++) {
                        struct entry entries[] = {
                                { .name = "a", .data = "alpha and more" },
                                { .name = "b", .data = "\1\4\0\373\377beta", .n = 9, .content = "beta", .method = 8 },
                                { .name = "c" },
                        };
                        struct bytes b = {}, content = {};
                        struct result *res, read;
                        bool same;

                        put_zip(&b, entries, 3, NULL, 0);
                        same = b.data[directory_of(&b) + entry * 47 + damage[i].at] == damage[i].value;
                        b.data[directory_of(&b) + entry * 47 + damage[i].at] = damage[i].value;
                        res = scan(&b);
                        cr_assert_eq(read_path(&b, res, entry ? "b" : "a", &content, &read), 0, "%zu %zu: %s", i, entry,
                                     read.troubles);
                        cr_assert(content.n == (entry ? 4 : 14) && !memcmp(content.data, entry ? "beta" : "alpha", 4));
                        cr_assert(same || strstr(read.troubles, "its local header was right") ||
                                          strstr(res->troubles, "a member has other sizes in its local header"),
                                  "%zu", i);
                        result_free(res);
                        free(content.data);
                        free(b.data);
                }
        }
}

/* What is wrong in both, or was only in the directory, stays wrong. */
Test(zip_damage, bad_both_headers)
{
        struct entry entries[] = {
                { .name = "a", .data = "alpha", .crc_wrong = true },
                { .name = "b", .data = "beta", .descriptor = 16 },
                { .name = "c" },
        };
        struct bytes b = {}, content = {};
        struct result *res, read;

        put_zip(&b, entries, 3, NULL, 0);
        b.data[entries[2].at]++; /* of an empty one nothing is needed but the directory */
        b.data[directory_of(&b) + 47 + 16]++;
        res = scan(&b);
        cr_assert_eq(read_path(&b, res, "a", &content, &read), -EBADMSG);
        cr_assert_eq(read_path(&b, res, "b", &content, &read), -EBADMSG);
        cr_assert_str_eq(read.troubles, "EBADMSG: 'b' is damaged: its checksum is wrong\n");
        cr_assert_eq(read_path(&b, res, "c", &content, &read), 0);
        cr_assert_str_eq(read.troubles, "EBADMSG: there is no local header of 'c' at byte 87\n");
        result_free(res);
        free(content.data);
        free(b.data);
}

/* More places than are tried. */
Test(zip_damage, hostile_places)
{
        struct bytes b = {};
        uint64_t directory;
        struct result *res;

        put_local(&b, &plain[0]);
        directory = b.n;
        for (unsigned i = 0; i < 5000; i++) {
                put_central(&b, &plain[0], 0);
                put(&b, "x", 1);
        }
        put_end(&b, 0, 5000, b.n - directory, directory, NULL, 0);
        res = scan(&b);
        cr_assert_eq(res->r, 0);
        cr_assert(strstr(res->troubles, "the central directory is damaged at byte "));
        result_free(res);
        free(b.data);
}

/* All is read whose bytes were not touched: @n bytes added at @at, or that many taken away. */
static void check_shifted(uint64_t at, int n, const char *said, bool end)
{
        struct entry entries[] = {
                { .name = "a", .data = "alpha" },
                { .name = "b", .data = "beta, which is longer than what is taken" },
                { .name = "c", .data = "gamma" },
                { .name = "link", .data = "a", .mode = S_IFLNK | 0777 },
        };
        struct bytes b = {}, content = {};
        struct result *res, read;

        put_zip(&b, entries, 4, NULL, 0);
        at += entries[1].at;
        if (n > 0) {
                put(&b, "\1\1\1\1\1\1\1\1\1", (size_t)n);
                memmove(b.data + at + n, b.data + at, b.n - (size_t)n - at);
                memset(b.data + at, 1, (size_t)n);
        } else {
                memmove(b.data + at, b.data + at - n, b.n - at - (size_t)-n);
                b.n -= (size_t)-n;
        }
        if (!end)
                b.data[b.n - 22]++;
        res = scan(&b);
        cr_assert(strstr(res->troubles, said), "%s", res->troubles);
        cr_assert_eq(read_path(&b, res, "a", &content, &read), 0);
        cr_assert(content.n == 5 && !memcmp(content.data, "alpha", 5));
        cr_assert_eq(read_path(&b, res, "c", &content, &read), 0, "%s", read.troubles);
        cr_assert(content.n == 5 && !memcmp(content.data, "gamma", 5));
        if (end)
                cr_assert_eq(get(res, "link").target_len, 1);
        cr_assert_eq(get(res, "link").meta.mode, S_IFLNK | 0777, "%s", res->troubles);
        result_free(res);
        free(content.data);
        free(b.data);
}

Test(zip_damage, bad_shifted)
{
        check_shifted(40, 5, "EBADMSG: 5 bytes were added before the central directory\n", true);
        check_shifted(40, -5, "EBADMSG: 5 bytes are missing before the central directory\n", true);
        check_shifted(71, 9, "EBADMSG: 9 bytes were added before the central directory\n", true);
        check_shifted(40, 5, "EBADMSG: the end of the zip is missing", false);
}

/* No end record, and a local header is damaged: its entry alone is left, and leads nowhere. */
Test(zip_damage, bad_recovered_lost)
{
        struct bytes b = {};
        struct result *res;

        put_zip(&b, plain, 4, NULL, 0);
        b.data[plain[2].at]++;
        b.data[b.n - 22]++;
        res = scan(&b);
        cr_assert_eq(lsr_catalogue_rows(res->c), 4);
        cr_assert_eq(get(res, "link").meta.mode, S_IFLNK | 0777);
        cr_assert(strstr(res->troubles, "EBADMSG: entries of the central directory that lead nowhere: 1\n"));
        result_free(res);
        free(b.data);

        /* Where its name alone is, the entry has the right one. */
        b = (struct bytes){};
        put_zip(&b, plain, 4, NULL, 0);
        b.data[plain[2].at + 30]++;
        b.data[b.n - 22]++;
        res = scan(&b);
        cr_assert_eq(get(res, "b").meta.mode, S_IFREG | 04755);
        result_free(res);
        free(b.data);
}

/* Reads everything that is listed, for the sanitizers. */
static void exercise(const struct bytes *b)
{
        struct result *res = scan(b), said;
        struct bytes content = {};
        char path[4096];

        for (uint32_t row = 1; row < lsr_catalogue_rows(res->c); row++) {
                lsr_catalogue_path(res->c, row, path, sizeof(path));
                read_path(b, res, path, &content, &said);
        }
        free(content.data);
        result_free(res);
}

Test(zip_damage, hostile_any_byte)
{
        struct bytes b = {}, copy = {};

        put_streamed(&b);
        put_zip64(&b, b.n, true, 45);
        put(&copy, b.data, b.n);
        for (size_t i = 0; i < b.n; i++) {
                static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

                for (size_t k = 0; k < sizeof(values) + 1; k++) {
                        b.data[i] = k < sizeof(values) ? values[k] : (uint8_t)(copy.data[i] ^ 1 << i % 8);
                        exercise(&b);
                }
                b.data[i] = copy.data[i];
        }
        free(copy.data);
        free(b.data);
}

Test(zip_damage, hostile_random)
{
        struct bytes b = {}, copy = {};

        srand(1);
        put_streamed(&b);
        put_zip(&b, plain, 4, NULL, 0);
        put(&copy, b.data, b.n);
        for (unsigned i = 0; i < 5000; i++) {
                size_t n = b.n;

                for (int k = rand() % 20; k >= 0; k--)
                        b.data[(size_t)rand() % n] = (uint8_t)rand();
                if (rand() % 4 == 0)
                        memmove(b.data + (size_t)rand() % (n / 2), b.data + (size_t)rand() % (n / 2),
                                (size_t)rand() % (n / 2));
                b.n = n - (rand() % 2 ? 0 : (size_t)rand() % n);
                exercise(&b);
                b.n = n;
                memcpy(b.data, copy.data, n);
        }
        free(copy.data);
        free(b.data);
}

/* The descriptor is damaged: its size is lost, but nothing behind it, unless the data could hold what looks like it. */
Test(zip_damage, bad_descriptor)
{
        for (unsigned stored = 0; stored < 2; stored++) {
                struct entry entries[] = {
                        { .name = "a", BETA, .descriptor = 16 },
                        { .name = "b", .data = "b" },
                };
                struct bytes b = {};
                struct result *res;
                struct lsr_member m;

                if (stored)
                        entries[0].method = 0, entries[0].content = NULL;
                put_local(&b, &entries[0]);
                b.data[b.n - 8] ^= 1;
                put_local(&b, &entries[1]);
                res = scan(&b);
                m = get(res, "a");
                cr_assert(m.flags & LSR_MEMBER_SUSPECT && !(m.meta.known & LSR_FIELD_SIZE));
                cr_assert_eq(has(res, "b"), !stored);
                result_free(res);
                free(b.data);
        }
}

/* Searching must not begin anew with each header. */
Test(zip_damage, hostile_searches, .timeout = 30)
{
        for (unsigned method = 0; method < 16; method += 8) {
                struct entry e = { .name = "x", .flags = 8, .method = method };
                struct bytes b = {};
                struct result *res;

                for (unsigned i = 0; i < 60000; i++)
                        put_local(&b, &e);
                res = scan(&b);
                cr_assert_eq(res->r, 0);
                result_free(res);
                free(b.data);
        }
}

/* --- a disk that fails ---------------------------------------------------------------- */

/* With a directory, behind a program, with zip64, and with nothing but local headers. */
Test(zip_damage, failing_reads, .timeout = 100)
{
        struct bytes b = {};

        put_streamed(&b);
        put_zip(&b, plain, 4, "comment", 7);
        failing_reads(b.data, b.n, false);
        b.n = 0;
        put_zip64(&b, 0, true, 45);
        failing_reads(b.data, b.n, false);
        b.n = 0;
        put_streamed(&b);
        b.n = directory_of(&b);
        failing_reads(b.data, b.n, false);
        free(b.data);
}

/* Content far larger than a piece, by every method, and one that is encrypted, which needs a password. */
Test(zip_damage, failing_reads_of_content, .timeout = 100)
{
        char noise[3000];
        struct entry entries[] = {
                { .name = "stored", .data = noise, .n = sizeof(noise) },
                { .name = "streamed", .data = noise, .n = sizeof(noise), .descriptor = 24 },
                { .name = "b", BETA },
                { .name = "bz2",
                  .method = 12,
                  .content = "beta",
                  .n = 42,
                  .data = "\102\132\150\071\061\101\131\046\123\131\150\153\110\262\000\000\000\201\200\062\000\004\000\040\000\041\232\150\063\115\023\074\135\311\024\341\102\101\241\255\042\310" },
                { .name = "encrypted", .data = noise, .n = 100, .flags = 1 },
                { .name = "ppmd", .data = noise, .n = 100, .method = 98 },
                { .name = "link", .data = "stored", .mode = S_IFLNK | 0777 },
        };
        struct bytes b = {};

        for (size_t i = 0; i < sizeof(noise); i++)
                noise[i] = (char)(i * i >> 3 | 1);
        put_zip(&b, entries, 7, NULL, 0);
        failing_reads(b.data, b.n, false);
        free(b.data);
}
