/*
 * decrypt - the data of an encrypted member as an input of what it decrypts to
 *
 *      PKWARE's own, 6.1     12 bytes of which the last is known, data
 *      AES by WinZip, 7.2    salt, 2 bytes that tell a wrong password, data, 10 bytes that authenticate them
 *
 * By hand: libarchive would pass over all members to the one wanted and knows fewer methods of compression, and nettle
 * asks the processor what it can do at the start of every lsr.  A table of AES is made when it is first needed.
 */
#include "formats/zip/decrypt.h"

#include <errno.h>
#include <sha1.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "formats/zip/zip.h"

#define DECRYPT_CHUNK ((size_t)64 << 10)
#define DECRYPT_HEADER 12u
#define DECRYPT_ROUNDS 1000u /* of the derivation of a key */
#define DECRYPT_VERIFIER 2u
#define DECRYPT_CODE 10u
#define AES_BLOCK 16u
#define AES_SALT_MAX 16u
#define AES_KEY_MAX 32u
#define AES_ROUNDS_MAX 14u

/* --- PKWARE, 6.1.5 ----------------------------------------------------------------- */

static uint32_t zipcrypto_table[256];

static void zipcrypto_prepare(void)
{
        if (zipcrypto_table[1])
                return;
        for (uint32_t i = 0; i < 256; i++) {
                uint32_t c = i;

                for (unsigned bit = 0; bit < 8; bit++)
                        c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
                zipcrypto_table[i] = c;
        }
}

static void zipcrypto_update(uint32_t keys[static 3], uint8_t byte)
{
        keys[0] = keys[0] >> 8 ^ zipcrypto_table[(keys[0] ^ byte) & 0xff];
        keys[1] = (keys[1] + (keys[0] & 0xff)) * UINT32_C(134775813) + 1;
        keys[2] = keys[2] >> 8 ^ zipcrypto_table[(keys[2] ^ keys[1] >> 24) & 0xff];
}

static void zipcrypto_start(uint32_t keys[static 3], const char *password)
{
        zipcrypto_prepare();
        keys[0] = UINT32_C(0x12345678);
        keys[1] = UINT32_C(0x23456789);
        keys[2] = UINT32_C(0x34567890);
        for (; *password; password++)
                zipcrypto_update(keys, (uint8_t)*password);
}

static void zipcrypto_decrypt(uint32_t keys[static 3], uint8_t *data, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                uint32_t t = (keys[2] | 2) & 0xffff;

                data[i] ^= (uint8_t)(t * (t ^ 1) >> 8);
                zipcrypto_update(keys, data[i]);
        }
}

/* --- AES, FIPS 197: one direction is all that a counter needs ------------------------ */

struct aes {
        uint32_t keys[4 * (AES_ROUNDS_MAX + 1)];
        unsigned rounds;
};

static uint8_t aes_box[256];
static uint32_t aes_table[256]; /* a column of MixColumns of a substituted byte, for row 0 */

static uint32_t aes_rotate(uint32_t x, unsigned bits)
{
        return x << bits | x >> (32 - bits);
}

static uint8_t aes_double(uint8_t x)
{
        return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

/* 5.1.1: inverses by the powers of 3, whose inverses are the powers of 0xf6. */
static void aes_prepare(void)
{
        uint8_t p = 1, q = 1;

        if (aes_box[0])
                return;
        do {
                p ^= aes_double(p);
                q ^= (uint8_t)(q << 1);
                q ^= (uint8_t)(q << 2);
                q ^= (uint8_t)(q << 4);
                q ^= q & 0x80 ? 0x09 : 0;
                aes_box[p] = (uint8_t)(0x63 ^ q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^
                                       (q << 4 | q >> 4));
        } while (p != 1);
        aes_box[0] = 0x63;
        for (unsigned i = 0; i < 256; i++) {
                uint8_t s = aes_box[i], d = aes_double(s);

                aes_table[i] = (uint32_t)d << 24 | (uint32_t)s << 16 | (uint32_t)s << 8 | (uint8_t)(d ^ s);
        }
}

static uint32_t aes_substitute(uint32_t x)
{
        return (uint32_t)aes_box[x >> 24] << 24 | (uint32_t)aes_box[x >> 16 & 0xff] << 16 |
               (uint32_t)aes_box[x >> 8 & 0xff] << 8 | aes_box[x & 0xff];
}

static void aes_set_key(struct aes *a, const uint8_t *key, unsigned words)
{
        uint8_t constant = 1;

        aes_prepare();
        a->rounds = words + 6;
        for (unsigned i = 0; i < words; i++)
                a->keys[i] = lsr_be32(key + 4 * (size_t)i);
        for (unsigned i = words; i < 4 * (a->rounds + 1); i++) {
                uint32_t x = a->keys[i - 1];

                if (i % words == 0) {
                        x = aes_substitute(aes_rotate(x, 8)) ^ (uint32_t)constant << 24;
                        constant = aes_double(constant);
                } else if (words > 6 && i % words == 4) {
                        x = aes_substitute(x);
                }
                a->keys[i] = a->keys[i - words] ^ x;
        }
}

static void aes_encrypt(const struct aes *a, const uint8_t in[static AES_BLOCK], uint8_t out[static AES_BLOCK])
{
        const uint32_t *key = a->keys;
        uint32_t s[4], t[4];

        for (unsigned i = 0; i < 4; i++)
                s[i] = lsr_be32(in + 4 * (size_t)i) ^ *key++;
        for (unsigned round = 1; round < a->rounds; round++) {
                for (unsigned i = 0; i < 4; i++)
                        t[i] = aes_table[s[i] >> 24] ^ aes_rotate(aes_table[s[(i + 1) % 4] >> 16 & 0xff], 24) ^
                               aes_rotate(aes_table[s[(i + 2) % 4] >> 8 & 0xff], 16) ^
                               aes_rotate(aes_table[s[(i + 3) % 4] & 0xff], 8) ^ *key++;
                memcpy(s, t, sizeof(s));
        }
        for (unsigned i = 0; i < 4; i++) {
                uint32_t x = (uint32_t)aes_box[s[i] >> 24] << 24 |
                             (uint32_t)aes_box[s[(i + 1) % 4] >> 16 & 0xff] << 16 |
                             (uint32_t)aes_box[s[(i + 2) % 4] >> 8 & 0xff] << 8 | aes_box[s[(i + 3) % 4] & 0xff];

                x = htobe32(x ^ *key++);
                memcpy(out + 4 * (size_t)i, &x, sizeof(x));
        }
}

/* --- HMAC-SHA1 and PBKDF2, RFC 2104 and 8018 ------------------------------------------ */

struct hmac {
        SHA1_CTX inner, outer;
};

static void hmac_start(struct hmac *h, const uint8_t *key, size_t n)
{
        uint8_t pad[SHA1_BLOCK_LENGTH] = { 0 }, digest[SHA1_DIGEST_LENGTH];

        if (n > sizeof(pad)) {
                SHA1_CTX c;

                SHA1Init(&c);
                SHA1Update(&c, key, n);
                SHA1Final(digest, &c);
                key = digest;
                n = sizeof(digest);
        }
        memcpy(pad, key, n);
        for (size_t i = 0; i < sizeof(pad); i++)
                pad[i] ^= 0x36;
        SHA1Init(&h->inner);
        SHA1Update(&h->inner, pad, sizeof(pad));
        for (size_t i = 0; i < sizeof(pad); i++)
                pad[i] ^= 0x36 ^ 0x5c;
        SHA1Init(&h->outer);
        SHA1Update(&h->outer, pad, sizeof(pad));
}

/* What was put into the copy @c of h->inner. */
static void hmac_end(const struct hmac *h, SHA1_CTX *c, uint8_t digest[static SHA1_DIGEST_LENGTH])
{
        SHA1_CTX outer = h->outer;

        SHA1Final(digest, c);
        SHA1Update(&outer, digest, SHA1_DIGEST_LENGTH);
        SHA1Final(digest, &outer);
}

static void hmac_derive(const char *password, const uint8_t *salt, size_t salt_len, uint8_t *key, size_t n)
{
        uint8_t digest[SHA1_DIGEST_LENGTH], sum[SHA1_DIGEST_LENGTH];
        struct hmac h;

        hmac_start(&h, (const uint8_t *)password, strlen(password));
        for (uint8_t block = 1; n > 0; block++) {
                const uint8_t number[4] = { 0, 0, 0, block };
                size_t part = n < sizeof(sum) ? n : sizeof(sum);
                SHA1_CTX c = h.inner;

                SHA1Update(&c, salt, salt_len);
                SHA1Update(&c, number, sizeof(number));
                hmac_end(&h, &c, digest);
                memcpy(sum, digest, sizeof(sum));
                for (unsigned i = 1; i < DECRYPT_ROUNDS; i++) {
                        c = h.inner;
                        SHA1Update(&c, digest, sizeof(digest));
                        hmac_end(&h, &c, digest);
                        for (size_t k = 0; k < sizeof(sum); k++)
                                sum[k] ^= digest[k];
                }
                memcpy(key, sum, part);
                key += part;
                n -= part;
        }
}

/* --- the input --------------------------------------------------------------------- */

struct decrypt {
        struct lsr_input in;
        struct lsr_input *inner;
        uint64_t left; /* bytes of data */
        bool aes;
        uint32_t keys[3];
        struct aes cipher;
        uint64_t counter;          /* of the next block */
        uint8_t stream[AES_BLOCK]; /* the last one, of which */
        unsigned used;             /* so much was used */
        struct hmac hmac;
        SHA1_CTX code; /* of what came */
        uint8_t data[DECRYPT_CHUNK];
};

static void decrypt_aes(struct decrypt *d, uint8_t *data, size_t n)
{
        SHA1Update(&d->code, data, n);
        for (size_t i = 0; i < n; i++) {
                if (d->used == AES_BLOCK) {
                        uint8_t block[AES_BLOCK] = { 0 };
                        uint64_t counter = htole64(d->counter++);

                        memcpy(block, &counter, sizeof(counter));
                        aes_encrypt(&d->cipher, block, d->stream);
                        d->used = 0;
                }
                data[i] ^= d->stream[d->used++];
        }
}

static ssize_t decrypt_next(struct lsr_input *in, const uint8_t **ret_data)
{
        struct decrypt *d = (struct decrypt *)in;
        size_t most = d->left < sizeof(d->data) ? (size_t)d->left : sizeof(d->data);
        const uint8_t *data;
        ssize_t got = most > 0 ? lsr_input_peek(d->inner, 1, &data) : 0;

        if (got <= 0)
                return got;
        if ((size_t)got > most)
                got = (ssize_t)most;
        memcpy(d->data, data, (size_t)got);
        lsr_input_take(d->inner, (size_t)got);
        d->left -= (uint64_t)got;
        if (d->aes)
                decrypt_aes(d, d->data, (size_t)got);
        else
                zipcrypto_decrypt(d->keys, d->data, (size_t)got);
        *ret_data = d->data;
        return got;
}

static void decrypt_free(struct lsr_input *in)
{
        struct decrypt *d = (struct decrypt *)in;

        lsr_input_free(d->inner);
        free(d);
}

static const struct lsr_input_ops decrypt_ops = { .next = decrypt_next, .free = decrypt_free };

/* 0; -EKEYREJECTED; -EBADMSG: there is too little; another negative errno. */
static int decrypt_start_zipcrypto(struct decrypt *d, const struct lsr_zip_cipher *cipher, const char *password)
{
        const uint8_t *p;
        uint8_t header[DECRYPT_HEADER];
        ssize_t got = lsr_input_peek(d->inner, DECRYPT_HEADER, &p);

        if (got < (ssize_t)DECRYPT_HEADER)
                return got < 0 ? (int)got : -EBADMSG;
        memcpy(header, p, sizeof(header));
        lsr_input_take(d->inner, sizeof(header));
        zipcrypto_start(d->keys, password);
        zipcrypto_decrypt(d->keys, header, sizeof(header));
        d->left = d->inner->size - DECRYPT_HEADER;
        return header[DECRYPT_HEADER - 1] == cipher->check || header[DECRYPT_HEADER - 1] == cipher->other_check
                       ? 0
                       : -EKEYREJECTED;
}

/* 7.2.5: keys of 16, 24 or 32 bytes, and a salt of half of that. */
static int decrypt_start_aes(struct decrypt *d, const struct lsr_zip_cipher *cipher, const char *password)
{
        size_t key_len = 8 + 8 * (size_t)cipher->strength, salt_len = key_len / 2, head = salt_len + DECRYPT_VERIFIER;
        uint8_t keys[2 * AES_KEY_MAX + DECRYPT_VERIFIER];
        const uint8_t *p;
        ssize_t got = lsr_input_peek(d->inner, head, &p);

        if (got < (ssize_t)head || d->inner->size < head + DECRYPT_CODE)
                return got < 0 ? (int)got : -EBADMSG;
        hmac_derive(password, p, salt_len, keys, 2 * key_len + DECRYPT_VERIFIER);
        if (memcmp(keys + 2 * key_len, p + salt_len, DECRYPT_VERIFIER) != 0)
                return -EKEYREJECTED;
        lsr_input_take(d->inner, head);
        d->left = d->inner->size - head - DECRYPT_CODE;
        d->counter = 1;
        d->used = AES_BLOCK;
        aes_set_key(&d->cipher, keys, (unsigned)key_len / 4);
        hmac_start(&d->hmac, keys + key_len, key_len);
        d->code = d->hmac.inner;
        return 0;
}

int lsr_zip_decrypt(struct lsr_input **ret_input, struct lsr_input *inner, const struct lsr_zip_cipher *cipher,
                    const char *password)
{
        struct decrypt *d = lsr_input_alloc(sizeof(*d), &decrypt_ops);
        int r;

        d->in.size = LSR_INPUT_UNKNOWN;
        d->inner = inner;
        d->aes = cipher->strength > 0;
        r = d->aes ? decrypt_start_aes(d, cipher, password) : decrypt_start_zipcrypto(d, cipher, password);
        if (r < 0) {
                free(d);
                return r;
        }
        *ret_input = &d->in;
        return 0;
}

int lsr_zip_decrypt_end(struct lsr_input *in)
{
        struct decrypt *d = (struct decrypt *)in;
        uint8_t digest[SHA1_DIGEST_LENGTH];
        const uint8_t *p;
        ssize_t got;

        while ((got = decrypt_next(in, &p)) > 0)
                ;
        if (got < 0 || !d->aes)
                return (int)got;
        got = lsr_input_peek(d->inner, DECRYPT_CODE, &p);
        if (got < (ssize_t)DECRYPT_CODE)
                return got < 0 ? (int)got : -EBADMSG;
        hmac_end(&d->hmac, &d->code, digest);
        return memcmp(digest, p, DECRYPT_CODE) == 0 ? 0 : -EBADMSG;
}
