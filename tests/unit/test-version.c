/*
 * Version order.  Each row is in the order in which `ls -v` (coreutils 9.1)
 * printed files of these names:
 *
 *      LC_ALL=C ls -v1a
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "listing/sort.h"

static const char *const version_order[] = {
        ".",
        "..",
        ".~",
        ".a",
        ".a1",
        ".a2",
        ".a10",
        ".b~",
        ".file.~2~",
        "..a",
        ".1",
        "...",
        "~1",
        "~a",
        "0",
        "00",
        "01",
        "1",
        "1.a",
        "1a",
        "1.0~",
        "1.0~rc1",
        "1.0~rc1.tar.gz",
        "1.0",
        "1.0a",
        "1.0+b",
        "1.0.1",
        "1.00.1",
        "9",
        "10",
        "100",
        "B",
        "B1",
        "a",
        "a.~",
        "a.b~",
        "a.b",
        "a1~",
        "a001",
        "a01",
        "a1",
        "a1.~1~",
        "a01.tar.gz",
        "a1.tar.gz",
        "a1.txt~",
        "a1.txt",
        "a1 b",
        "a2",
        "a10",
        "abc.7.d",
        "abc.d.7z",
        "abc.d.e.7",
        "a b",
        "a-.b",
        "a.",
        "a.1",
        "a.1.2",
        "a.1.10",
        "a.10",
        "a.b.",
        "a.b.c.",
        "a..",
        "a_.b",
        "b",
        "b+1",
        "b-1",
        "b-1.0",
        "b-1.0-1",
        "b-1.0_1",
        "b_1",
        "file.~1~",
        "file.~2~",
        "file.~10~",
        "file.c",
        "file2.c",
        "file2.1.c",
        "file10.c",
        "file99999999999999999999",
        "file100000000000000000000",
        "foo-1.2.tgz",
        "foo-1.2b.tgz",
        "foo-1.10.tgz",
        "x.tar.gz",
        "x1.tar.gz",
        "x2.tar.gz",
        "x10.tar.gz",
        "\xc3\xa4",
        ("\xff"
         "1"),
};

static int version_sign(int r)
{
        return (r > 0) - (r < 0);
}

/* ls decides ties by strcmp. */
static int version_ls(const char *a, const char *b)
{
        int r = lsr_version_compare(a, strlen(a), b, strlen(b));

        return version_sign(r ? r : strcmp(a, b));
}

Test(version, as_ls_has_it)
{
        size_t n = sizeof(version_order) / sizeof(*version_order);

        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                        cr_assert_eq(version_ls(version_order[i], version_order[j]), (i > j) - (i < j), "'%s' and '%s'",
                                     version_order[i], version_order[j]);
}

Test(version, empty)
{
        cr_assert_eq(lsr_version_compare("", 0, "", 0), 0);
        cr_assert_lt(lsr_version_compare("", 0, "a", 1), 0);
        cr_assert_gt(lsr_version_compare("a", 1, "", 0), 0);
}

/* Lengths count, not NULs. */
Test(version, lengths)
{
        cr_assert_eq(lsr_version_compare("a1xyz", 2, "a1", 2), 0);
        cr_assert_lt(lsr_version_compare("a19", 2, "a2", 2), 0);
}

Test(version, antisymmetric_on_noise)
{
        static const char letters[] = "a.~01A-_\xc3"
                                      "9z";
        char text[2][8];

        srand(7);
        for (unsigned i = 0; i < 200000; i++) {
                size_t len[2];

                for (unsigned k = 0; k < 2; k++) {
                        len[k] = (size_t)rand() % 7 + 1;
                        for (size_t c = 0; c < len[k]; c++)
                                text[k][c] = letters[(size_t)rand() % (sizeof(letters) - 1)];
                }
                cr_assert_eq(version_sign(lsr_version_compare(text[0], len[0], text[1], len[1])),
                             -version_sign(lsr_version_compare(text[1], len[1], text[0], len[0])), "'%.*s' '%.*s'",
                             (int)len[0], text[0], (int)len[1], text[1]);
        }
}

Test(version, natural)
{
        static const char *const sorted[] = { "",
                                              "-1",
                                              "1",
                                              "1a",
                                              "01b",
                                              "2",
                                              "9",
                                              "010",
                                              "10x",
                                              "100",
                                              "99999999999999999999",
                                              "100000000000000000000",
                                              "a",
                                              "A1",
                                              "a1b",
                                              "a02",
                                              "a10",
                                              "B",
                                              "b1" };
        const size_t n = sizeof(sorted) / sizeof(*sorted);

        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < n; k++)
                        cr_assert_eq(version_sign(lsr_natural_compare(sorted[i], sorted[k])), (i > k) - (i < k),
                                     "'%s' '%s'", sorted[i], sorted[k]);
        cr_assert_eq(lsr_natural_compare("a01", "A1"), 0);
        cr_assert_eq(lsr_natural_compare("0", "000"), 0);
}
