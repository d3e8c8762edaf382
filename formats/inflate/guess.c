/*
 * inflate/guess - symbols of two bytes, and what becomes of them
 *
 *      room    [ 32 KiB of marks | symbols ... | bytes ... ]
 *                                   wide          plain
 *
 * The marks stand where the bytes before the block would, so that a match copies
 * them as it copies anything.  As soon as the last 32 KiB have no mark, nothing
 * behind them can have one, and bytes are decoded as in any stream.
 *
 * Only the fast loop knows wide symbols.  It stops before the input ends, and
 * at any symbol: the decoder is handed over as it is, and whoever has it goes on
 * with the rest.  So little is lost when a guess is stopped, and a guess that
 * has no more room needs no other way.
 *
 * A block that was found by chance is noticed at the latest when data are
 * decoded that are none; then the search goes on, but not for ever.
 */
#include "formats/inflate/guess.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "formats/filter/decode-ahead.h"
#include "formats/inflate/state.h"

#define GUESS_MARK 0x8000u             /* and the place in the 32 KiB before */
#define GUESS_PIECE ((size_t)32 << 10) /* symbols until it is looked at whether to stop */
#define GUESS_LOOK 4u                  /* pieces until it is looked at whether there are marks */
#define GUESS_TRIES 4u
#define GUESS_HEADS 4096u /* that may be met by chance; noise has one in 250 bytes */

#define ROUND 32u /* symbols that are made narrow at a time */

static_assert(GUESS_MARK == INFLATE_WINDOW, "a mark for each byte");

struct lsr_guess {
        struct lsr_inflate *z;
        uint16_t *wide, *wide_end; /* symbols; the marks are before them */
        uint8_t *plain_end;        /* bytes behind the symbols */
        uint8_t *room_end;
        bool plain; /* z decodes bytes */
        bool good;
        const uint16_t *next; /* to be taken */
        const uint8_t *plain_next;
        uint8_t *table;   /* a byte for each symbol; NULL until it is needed */
        uint16_t marks[]; /* INFLATE_WINDOW; the room */
};

struct lsr_guess *lsr_guess_new(size_t room)
{
        struct lsr_guess *g;

        assert(room >= LSR_GUESS_ROOM_MIN);
        g = lsr_xmalloc(sizeof(*g) + room);
        *g = (struct lsr_guess){ .room_end = (uint8_t *)g->marks + room };
        for (unsigned i = 0; i < INFLATE_WINDOW; i++)
                g->marks[i] = (uint16_t)(GUESS_MARK + i);
        g->wide = g->marks + INFLATE_WINDOW;
        g->z = lsr_inflate_new();
        return g;
}

struct lsr_guess *lsr_guess_free(struct lsr_guess *g)
{
        if (!g)
                return NULL;
        lsr_inflate_free(g->z);
        free(g->table);
        free(g);
        return NULL;
}

uint8_t *lsr_guess_room(struct lsr_guess *g, size_t *ret_size)
{
        *ret_size = (size_t)(g->room_end - (uint8_t *)g->wide);
        return (uint8_t *)g->wide;
}

/* --- in the thread of the guess ------------------------------------------------------ */

/* Is any of these symbols a mark that is below @limit? */
static bool guess_marked(const uint16_t *symbols, size_t n, unsigned limit)
{
        unsigned found = 0;

        for (size_t i = 0; i < n; i++)
                found |= symbols[i] >= GUESS_MARK && symbols[i] < limit;
        return found;
}

static int guess_stored(struct lsr_inflate *z)
{
        size_t n = z->length, in = (size_t)(z->in_end - z->in), room = (size_t)(z->out_end - z->out) / 2;
        uint16_t *out = (void *)z->out;

        n = n < in ? n : in;
        n = n < room ? n : room;
        for (size_t i = 0; i < n; i++)
                out[i] = z->in[i];
        z->in += n;
        z->out += 2 * n;
        z->length -= (unsigned)n;
        if (z->length)
                return z->in == z->in_end ? INFLATE_HUNGRY : INFLATE_FULL;
        z->state = z->last ? INFLATE_TAIL : INFLATE_HEAD;
        return INFLATE_ON;
}

static int guess_symbols(struct lsr_inflate *z)
{
        int r;

        if (z->in_end - z->in < (ptrdiff_t)INFLATE_FAST_IN)
                return INFLATE_HUNGRY;
        if (z->out_end - z->out < 2 * (ptrdiff_t)INFLATE_FAST_OUT)
                return INFLATE_FULL;
        r = lsr_inflate_fast_wide(z);
        if (r > 0)
                z->state = z->last ? INFLATE_TAIL : INFLATE_HEAD;
        return r < 0 ? INFLATE_WRONG : INFLATE_ON;
}

/* Wide symbols, until there is no room for more than @size of them. */
static int guess_wide(struct lsr_guess *g, size_t size)
{
        struct lsr_inflate *z = g->z;
        size_t room = (size_t)(g->room_end - (uint8_t *)g->wide_end) / 2;
        int r = INFLATE_ON;

        z->out = (uint8_t *)g->wide_end;
        z->out_begin = (uint8_t *)g->marks;
        z->out_end = (uint8_t *)(g->wide_end + (room < size ? room : size));
        while (r == INFLATE_ON && z->state < INFLATE_TAIL) {
                if (z->state == INFLATE_SYMBOL)
                        r = guess_symbols(z);
                else if (z->state == INFLATE_STORED)
                        r = guess_stored(z);
                else
                        r = lsr_inflate_state(z);
        }
        g->wide_end = (void *)z->out;
        return r == INFLATE_FULL && room > size ? INFLATE_ON : r;
}

/* From here on bytes are decoded. */
static void guess_turn_plain(struct lsr_guess *g)
{
        for (size_t i = 0; i < INFLATE_WINDOW; i++)
                g->z->history[i] = (uint8_t)g->wide_end[(ptrdiff_t)i - (ptrdiff_t)INFLATE_WINDOW];
        g->z->n_history = INFLATE_WINDOW;
        g->plain = true;
        g->plain_end = (uint8_t *)g->wide_end;
}

static int guess_plain(struct lsr_guess *g)
{
        size_t room = (size_t)(g->room_end - g->plain_end),
               size = room < GUESS_LOOK * GUESS_PIECE ? room : GUESS_LOOK * GUESS_PIECE;
        struct lsr_flow flow = { .in = g->z->in, .in_left = (size_t)(g->z->in_end - g->z->in) };
        int r;

        flow.out = g->plain_end;
        flow.out_left = size;
        r = lsr_inflate_step(g->z, &flow);
        g->plain_end = flow.out;
        if (r < 0)
                return INFLATE_WRONG;
        return r == 0 && flow.out_left == 0 && room > size ? INFLATE_ON : INFLATE_FULL;
}

/* From the block whose head @z is behind of. */
static int guess_decode(struct lsr_guess *g, const uint8_t *data, const atomic_bool *stop)
{
        struct lsr_inflate *z = g->z;
        int r = INFLATE_ON;

        g->plain = false;
        g->wide_end = g->wide;
        for (unsigned n = 1; r == INFLATE_ON && !g->plain && z->state < INFLATE_TAIL; n++) {
                if (atomic_load_explicit(stop, memory_order_relaxed))
                        break;
                r = guess_wide(g, GUESS_PIECE);
                if (r == INFLATE_ON && n % GUESS_LOOK == 0 && z->state < INFLATE_TAIL &&
                    !guess_marked(g->wide_end - INFLATE_WINDOW, INFLATE_WINDOW, UINT16_MAX + 1))
                        guess_turn_plain(g);
        }
        g->plain_end = (uint8_t *)g->wide_end;
        lsr_inflate_give_back(z);
        z->taken = (uint64_t)(z->in - data);
        while (r == INFLATE_ON && g->plain && !atomic_load_explicit(stop, memory_order_relaxed))
                r = guess_plain(g);
        return r;
}

void lsr_guess_run(struct lsr_guess *g, const uint8_t *data, size_t n, const atomic_bool *stop, _Atomic uint64_t *begin)
{
        unsigned heads = GUESS_HEADS;
        uint64_t from = 0;

        g->good = false;
        for (unsigned tries = 0; tries < GUESS_TRIES && !g->good && !atomic_load(stop); tries++) {
                uint64_t found = lsr_inflate_find(g->z, data, n, from, stop, &heads);

                atomic_store(begin, found);
                if (found == LSR_GUESS_NONE)
                        return;
                from = found + 1;
                g->good = guess_decode(g, data, stop) != INFLATE_WRONG;
        }
        if (!g->good)
                atomic_store(begin, LSR_GUESS_NONE);
}

/* --- in that of the one who has what is before --------------------------------------- */

/* Bytes for @n symbols. */
static void guess_narrow(const uint8_t *table, const uint16_t *from, uint8_t *to, size_t n)
{
        typedef uint16_t wide __attribute__((vector_size(2 * ROUND)));
        typedef uint8_t narrow __attribute__((vector_size(ROUND)));
        typedef uint64_t words __attribute__((vector_size(2 * ROUND)));

        for (; n >= ROUND; n -= ROUND, from += ROUND, to += ROUND) {
                wide w;
                words marks;
                narrow b;

                memcpy(&w, from, sizeof(w));
                marks = (words)w & 0x8000800080008000;
                if ((marks[0] | marks[1] | marks[2] | marks[3] | marks[4] | marks[5] | marks[6] | marks[7]) == 0) {
                        b = __builtin_convertvector(w, narrow);
                        memcpy(to, &b, sizeof(b));
                        continue;
                }
                for (unsigned i = 0; i < ROUND; i++)
                        to[i] = table[from[i]];
        }
        for (size_t i = 0; i < n; i++)
                to[i] = table[from[i]];
}

size_t lsr_guess_meet(struct lsr_guess *g, struct lsr_inflate **inout_z, uint64_t at)
{
        struct lsr_inflate *before = *inout_z, *z = g->z;
        size_t known = before->n_history < INFLATE_WINDOW ? before->n_history : INFLATE_WINDOW;
        size_t n = (size_t)(g->wide_end - g->wide), last = n < INFLATE_WINDOW ? n : INFLATE_WINDOW, used;

        /* A match from before the beginning of the stream: it is for others to say where that is. */
        if (!g->good || at + z->taken <= before->taken ||
            (known < INFLATE_WINDOW && guess_marked(g->wide, n, GUESS_MARK + (unsigned)(INFLATE_WINDOW - known))))
                return 0;
        if (!g->table) {
                g->table = lsr_xmalloc(UINT16_MAX + 1);
                for (unsigned i = 0; i <= UINT8_MAX; i++)
                        g->table[i] = (uint8_t)i;
        }
        memcpy(g->table + GUESS_MARK + (INFLATE_WINDOW - known), before->history + before->n_history - known, known);
        if (!g->plain) {
                uint8_t bytes[INFLATE_WINDOW];

                z->n_history = 0;
                lsr_inflate_append_history(z, before->history + before->n_history - known, known);
                guess_narrow(g->table, g->wide_end - last, bytes, last);
                lsr_inflate_append_history(z, bytes, last);
        }
        g->next = g->wide;
        g->plain_next = (uint8_t *)g->wide_end;
        used = (size_t)(at + z->taken - before->taken);
        z->taken += at;
        g->z = before;
        g->good = false;
        *inout_z = z;
        return used;
}

size_t lsr_guess_take(struct lsr_guess *g, uint8_t *out, size_t size)
{
        size_t n = (size_t)(g->wide_end - g->next);

        if (n) {
                n = n < size ? n : size;
                guess_narrow(g->table, g->next, out, n);
                g->next += n;
                return n;
        }
        n = (size_t)(g->plain_end - g->plain_next);
        n = n < size ? n : size;
        memcpy(out, g->plain_next, n);
        g->plain_next += n;
        return n;
}
