/* Looking ahead in databases: it changes nothing that shows, so what is tested is that nothing leads it astray. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/sqlite/sqlite.h"

#define AHEAD_PAGES 8u

static uint32_t ahead_random(uint32_t *state)
{
        *state = *state * 1664525 + 1013904223;
        return *state >> 8;
}

/* The sanitizer sees what is read outside of the map, which ends where it ends. */
static void ahead_run(uint8_t *map, size_t page, uint32_t *state)
{
        struct lsr_sqlite_ahead a = { .map = map, .size = AHEAD_PAGES * page };

        for (unsigned i = 0; i < 200; i++) {
                uint8_t *at = map + ahead_random(state) % AHEAD_PAGES * page;

                if (i % 8 == 0)
                        *at = 0x05;
                else if (i % 8 < 6)
                        *at = 0x0d;
                lsr_sqlite_look_ahead(&a, at, page);
                cr_assert_leq(a.children, (page - 12) / 2);
        }
}

Test(sqlite_ahead, hostile_pages)
{
        uint32_t state = 1;

        for (size_t page = 512; page <= 65536; page *= 2) {
                uint8_t *map = lsr_xmalloc(AHEAD_PAGES * page);

                for (unsigned round = 0; round < 20; round++) {
                        /* Random bytes; small numbers, which are children that exist; ones. */
                        for (size_t i = 0; i < AHEAD_PAGES * page; i++)
                                map[i] = round == 19 ? 0xff : (uint8_t)(ahead_random(&state) % (round % 2 ? 256 : 8));
                        ahead_run(map, page, &state);
                }
                free(map);
        }
}

/* Pages of which too little is there, and those of another size than the page above them. */
Test(sqlite_ahead, hostile_sizes)
{
        uint8_t *map = memset(lsr_xmalloc(1024), 0, 1024);
        struct lsr_sqlite_ahead a = { .map = map, .size = 1024 };

        map[0] = 0x05;
        map[4] = 200;
        map[512] = 0x0d;
        lsr_sqlite_look_ahead(&a, map + 512, 512);
        cr_assert_eq(a.at, 0);
        lsr_sqlite_look_ahead(&a, map, 256);
        cr_assert_eq(a.children, 0);
        lsr_sqlite_look_ahead(&a, map, 512);
        cr_assert_eq(a.children, 200);
        lsr_sqlite_look_ahead(&a, map + 512, 256);
        cr_assert_eq(a.at, 0);
        lsr_sqlite_look_ahead(&a, map + 512, 512);
        cr_assert_eq(a.at, 1);
        free(map);
}
