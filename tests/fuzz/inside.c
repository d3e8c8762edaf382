/*
 * inside - targets of what a driver reaches only with a password, or only of a table that is described
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sqlite/sqlite.h"
#include "formats/zip/decrypt.h"
#include "fuzz.h"

/*
 *      byte 0     strength, and how the data come
 *      byte 1     the byte that is checked
 *      the rest   salt, verifier, data, code; or header and data
 */
int fuzz_decrypt(const uint8_t *data, size_t n)
{
        struct fuzz_bytes b = { data, n };
        uint8_t first = fuzz_byte(&b), check = fuzz_byte(&b);
        const struct lsr_zip_cipher cipher = { first & 3, check, (uint8_t)~check };
        struct lsr_input *inner = lsr_input_memory(b.at, b.left), *in;
        size_t size = b.left, step = 1 + (first >> 2), total = 0;
        int r = lsr_zip_decrypt(&in, inner, &cipher, "secret");

        fuzz_check(r == 0 || r == -EKEYREJECTED || r == -EBADMSG);
        if (r < 0) {
                lsr_input_free(inner);
                return 0;
        }
        /* A decoder may stop before the end, and what is left is passed over. */
        for (size_t i = 0; i < step; i++) {
                const uint8_t *got;
                ssize_t len = lsr_input_peek(in, 1, &got);

                fuzz_check(len >= 0 && (size_t)len <= size - total);
                if (len == 0)
                        break;
                len = (size_t)len < step ? len : (ssize_t)step;
                total += (size_t)len;
                lsr_input_take(in, (size_t)len);
        }
        r = lsr_zip_decrypt_end(in);
        fuzz_check(r == 0 || r == -EBADMSG);
        lsr_input_free(in);
        return 0;
}

static void pages_hear(void *ctx, int error, const char *text)
{
        fuzz_check(error <= 0 && text && *text);
}

/* Whatever its pages claim, a table has no more pages than the database, and each no more rows than it has room for. */
int fuzz_pages(const uint8_t *data, size_t n)
{
        struct lsr_scan scan = { .input = lsr_input_memory(data, n), .trouble = pages_hear };
        struct lsr_sqlite s;

        if (lsr_sqlite_open(&s, &scan, false) == 0) {
                for (uint32_t root = 0; root < 16; root++) {
                        struct lsr_sqlite_extent x;

                        if (!lsr_sqlite_measure(&s, root, &x))
                                continue;
                        fuzz_check(x.bytes <= n && x.looked <= n / 256 && x.rows <= 2 * n);
                        fuzz_check(!x.exact || x.looked * 512 <= x.bytes);
                }
        }
        lsr_sqlite_close(&s);
        lsr_input_free(scan.input);
        return 0;
}
