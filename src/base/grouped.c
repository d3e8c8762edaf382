#include "base/grouped.h"

const char *lsr_grouped(uint64_t n)
{
        static _Thread_local char texts[4][32];
        static _Thread_local unsigned turn;
        char *p = texts[turn++ % 4] + 31;
        unsigned digits = 0;

        *p = '\0';
        do {
                if (digits && digits % 3 == 0)
                        *--p = ',';
                *--p = (char)('0' + n % 10);
                digits++;
        } while (n /= 10);
        return p;
}
