/*
 * hash - open addressing with the hash in the slot
 *
 * Growing moves slots without looking at the keys, and the caller compares a
 * key only if all 32 bits agree.  The key comes from AT_RANDOM: it costs no
 * system call, which the confined worker might not be allowed.
 */
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/arena.h"
#include "base/bytes.h"

#define HASH_FIRST_SLOTS 256

#ifdef __SIZEOF_INT128__
static uint64_t hash_mix(uint64_t a, uint64_t b)
{
        unsigned __int128 product = (unsigned __int128)a * b;

        return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
/* The same on a machine of 32 bits: four products of halves. */
static uint64_t hash_mix(uint64_t a, uint64_t b)
{
        uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
        uint64_t low = a_low * b_low, middle = a_high * b_low + (low >> 32), other = a_low * b_high + (uint32_t)middle;

        return (a_high * b_high + (middle >> 32) + (other >> 32)) ^ (other << 32 | (uint32_t)low);
}
#endif

/* The last 8 bytes or less, as a number. */
static uint64_t hash_rest(const uint8_t *p, size_t n)
{
        if (n == 8)
                return lsr_le64(p);
        if (n >= 4)
                return (uint64_t)lsr_le32(p) << 32 | lsr_le32(p + n - 4);
        if (n)
                return (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
        return 0;
}

static void hash_key(uint64_t *ret_key)
{
        uintptr_t bytes = getauxval(AT_RANDOM);

        ret_key[0] = UINT64_C(0x9e3779b97f4a7c15);
        ret_key[1] = UINT64_C(0xc2b2ae3d27d4eb4f);
        if (bytes) {
                ret_key[0] ^= lsr_le64((const void *)bytes);
                ret_key[1] ^= lsr_le64((const char *)bytes + 8);
        }
}

uint32_t lsr_hash(uint64_t salt, const void *data, size_t n)
{
        static _Thread_local uint64_t key[2];
        const uint8_t *p = data;
        uint64_t h;

        if (!key[0] && !key[1])
                hash_key(key);
        h = hash_mix(key[0] ^ salt, key[1] ^ n);
        for (; n > 8; n -= 8, p += 8)
                h = hash_mix(h ^ lsr_le64(p), key[1]);
        h = hash_mix(h ^ hash_rest(p, n), key[0]);
        return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static void hash_insert(struct lsr_hash_table *t, uint64_t value)
{
        uint32_t slot = (uint32_t)(value >> 32) & t->mask;

        while (t->slots[slot])
                slot = (slot + 1) & t->mask;
        t->slots[slot] = value;
}

static int hash_grow(struct lsr_hash_table *t)
{
        size_t old = t->slots ? (size_t)t->mask + 1 : 0, size = old ? 2 * old : HASH_FIRST_SLOTS;
        uint64_t *slots = t->slots, *more = NULL;

        if (lsr_try_resize(&more, size) < 0)
                return -ENOMEM;
        t->slots = memset(more, 0, size * sizeof(*more));
        t->mask = (uint32_t)(size - 1);
        for (size_t i = 0; i < old; i++)
                if (slots[i])
                        hash_insert(t, slots[i]);
        free(slots);
        return 0;
}

int lsr_hash_put(struct lsr_hash_table *t, uint32_t hash, uint32_t number)
{
        if ((!t->slots || t->used > t->mask / 2) && hash_grow(t) < 0)
                return -ENOMEM;
        t->used++;
        hash_insert(t, (uint64_t)hash << 32 | number);
        return 0;
}

void lsr_hash_add(struct lsr_hash_table *t, uint32_t hash, uint32_t number)
{
        if (lsr_hash_put(t, hash, number) < 0)
                lsr_exhausted();
}

void lsr_hash_free(struct lsr_hash_table *t)
{
        free(t->slots);
        *t = (struct lsr_hash_table){};
}
