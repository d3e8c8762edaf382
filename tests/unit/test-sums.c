/* The sums of an encoding: one directory costs what it is, and no sum that is wrong harms whoever follows it. */
#include "base/arena.h"
#include "catalogues.h"

#define STEP 4096u
#define SUMS_ID 5
#define NOBODYS_ID 63

struct encoding {
        uint8_t *data;
        size_t size;
};

/* @dirs directories with @files each; rows: the root, the directories, their files. */
static struct encoding make(unsigned dirs, unsigned files)
{
        struct lsr_builder *b = lsr_builder_new();
        struct encoding e;
        struct lsr_catalogue *c;
        uint64_t at = 0;
        char path[32];

        for (unsigned d = 0; d < dirs; d++) {
                sprintf(path, "d%03u", d);
                add_dir(b, path, 0);
                for (unsigned f = 0; f < files; f++) {
                        struct lsr_member m;

                        sprintf(path, "d%03u/f%0*u", d, (int)(3 + (d + f) % 7), f);
                        m = member(path, S_IFREG | 0644);
                        m.meta.size = f;
                        m.position = at;
                        m.data = at + 512 * (1 + f % 3 * 2);
                        at += 4096;
                        cr_assert_eq(lsr_builder_add(b, &m), 0);
                }
        }
        c = finish(b);
        cr_assert_eq(lsr_catalogue_rows(c), 1 + dirs + dirs * files);
        cr_assert_eq(lsr_catalogue_encode(c, &e.data, &e.size), 0);
        lsr_catalogue_free(c);
        return e;
}

static uint8_t *entry(const struct encoding *e, unsigned id)
{
        for (unsigned i = 0; i < lsr_le16(e->data + 6); i++)
                if (lsr_le16(e->data + 24 + 24 * i) == id)
                        return e->data + 24 + 24 * i;
        return NULL;
}

static int decode(const struct encoding *e)
{
        struct lsr_catalogue *c;
        int r = lsr_catalogue_decode(&c, e->data, e->size);

        if (r == 0)
                lsr_catalogue_free(c);
        return r;
}

static bool need(void *ctx, uint64_t offset, uint64_t n)
{
        (void)offset;
        *(uint64_t *)ctx += n;
        return true;
}

/* The members for @path as an encoding, to be freed, and how many bytes were looked at for them. */
static int cut(const struct encoding *e, const char *path, struct encoding *ret, uint64_t *ret_needed)
{
        struct lsr_catalogue_source source = { .data = e->data, .size = e->size, .ctx = ret_needed, .need = need };
        struct lsr_builder *b = lsr_builder_new();
        struct lsr_catalogue *c;
        uint64_t members;
        int r;

        *ret_needed = 0;
        r = lsr_catalogue_subtree(&source, &path, 1, false, b, &members);
        c = finish(b);
        cr_assert_eq(lsr_catalogue_encode(c, &ret->data, &ret->size), 0);
        if (r == 0)
                check_some(c);
        else
                free(ret->data);
        lsr_catalogue_free(c);
        return r;
}

/* One directory needs no more than a step of any column, and without sums it is the same. */
Test(sums, part_costs_what_it_is)
{
        static const char *const paths[] = { "", "d000", "d001", "d150", "d199", "d199/f0005", "d077/f000" };
        struct encoding e = make(200, 100), with, without;
        uint64_t needed, before;

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                lsr_put_le16(entry(&e, SUMS_ID), NOBODYS_ID);
                cr_assert_eq(decode(&e), 0);
                cr_assert_eq(cut(&e, paths[i], &without, &before), 0, "%s", paths[i]);
                lsr_put_le16(entry(&e, NOBODYS_ID), SUMS_ID);
                cr_assert_eq(decode(&e), 0);
                cr_assert_eq(cut(&e, paths[i], &with, &needed), 0, "%s", paths[i]);
                cr_expect_eq(with.size, without.size);
                cr_expect_eq(memcmp(with.data, without.data, with.size), 0, "%s", paths[i]);
                /* Lengths, attributes, both positions; of the root's children all theirs are counted. */
                if (i > 0)
                        cr_expect_lt(needed, 4 * STEP + 4096, "%s: %llu bytes", paths[i], (unsigned long long)needed);
                if (i == 4)
                        cr_expect_gt(before, 2 * needed, "%llu bytes", (unsigned long long)before);
                free(with.data);
                free(without.data);
        }
        free(e.data);
}

/* As many as steps have rows behind them. */
Test(sums, count)
{
        for (unsigned rows = STEP - 1; rows <= 2 * STEP + 1; rows++) {
                struct encoding e;
                uint8_t *p;

                if (rows == STEP + 2)
                        rows = 2 * STEP - 1;
                e = make(1, rows - 2);
                p = entry(&e, SUMS_ID);
                cr_assert_eq(p ? lsr_le64(p + 16) / p[2] : 0, (rows - 1) / STEP * 5, "%u rows", rows);
                cr_assert_eq(decode(&e), 0);
                free(e.data);
        }
}

/* A part is what the whole would show, a catalogue, or none; from memory of that very size. */
static void expect_safe(const struct encoding *e)
{
        static const char *const paths[] = { "d199", "d120/f000000005" };

        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                struct encoding out;
                uint64_t needed;

                if (cut(e, paths[i], &out, &needed) == 0)
                        free(out.data);
        }
}

/* Each byte of the sums: whoever reads all notices, whoever follows them comes to no harm. */
Test(sums, hostile_bytes)
{
        static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
        struct encoding e = make(200, 100);
        uint8_t *p = entry(&e, SUMS_ID), *column = e.data + lsr_le64(p + 8);

        for (size_t i = 0; i < lsr_le64(p + 16); i++) {
                uint8_t was = column[i];

                for (size_t k = 0; k < sizeof(values); k++) {
                        column[i] = values[k];
                        if (values[k] != was && k % 2)
                                cr_assert_eq(decode(&e), -EBADMSG, "byte %zu", i);
                        expect_safe(&e);
                }
                column[i] = was;
        }
        for (size_t i = 0; i < 24; i++) {
                uint8_t was = p[i];

                for (size_t k = 0; k < sizeof(values); k++) {
                        p[i] = values[k];
                        decode(&e);
                        expect_safe(&e);
                }
                p[i] = was;
        }
        free(e.data);
}

/* Several bytes at once, here and in all other columns. */
Test(sums, hostile_noise)
{
        struct encoding e = make(200, 100), copy = { malloc(e.size), e.size };
        size_t at = lsr_le64(entry(&e, SUMS_ID) + 8), n = lsr_le64(entry(&e, SUMS_ID) + 16);

        srand(1);
        for (unsigned round = 0; round < 1000; round++) {
                memcpy(copy.data, e.data, e.size);
                for (unsigned k = (unsigned)rand() % 4 + 1; k; k--) {
                        copy.data[at + (size_t)rand() % n] = (uint8_t)rand();
                        copy.data[(size_t)rand() % (rand() % 2 ? e.size : 600)] = (uint8_t)rand();
                }
                decode(&copy);
                expect_safe(&copy);
        }
        free(copy.data);
        free(e.data);
}
