/*
 * engine - what libFuzzer and AFL++ call
 *
 * The target is that of LSR_FUZZ, so that one program has all of them.  libFuzzer asks for mutations here; for AFL++,
 * which does not, inputs are mended before they are run if LSR_FUZZ_MEND is set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max) __attribute__((weak)); /* AFL++ has none */

static const struct fuzz_target *target(void)
{
        static const struct fuzz_target *t;
        const char *name = getenv("LSR_FUZZ");

        if (t)
                return t;
        t = fuzz_find(name ? name : "");
        if (t)
                return t;
        fprintf(stderr, "LSR_FUZZ must be one of:");
        for (t = fuzz_targets; t->name; t++)
                fprintf(stderr, " %s", t->name);
        fprintf(stderr, "\n");
        exit(2);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
        target();
        return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        const struct fuzz_target *t = target();
        uint8_t *mended;

        if (n > FUZZ_SIZE_MAX)
                return 0;
        if (!t->mend || n == 0 || !getenv("LSR_FUZZ_MEND"))
                return t->run(data, n);
        mended = malloc(n);
        if (mended) {
                memcpy(mended, data, n);
                t->mend(mended, n);
                t->run(mended, n);
        }
        free(mended);
        return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
        n = LLVMFuzzerMutate(data, n, max);
        /* Some stay broken. */
        if (target()->mend && seed % 4)
                target()->mend(data, n);
        return n;
}
