/* text - numbers and modes, written where they go */
#include <string.h>

#include "render/view.h"

int lsr_digits(uint64_t value)
{
        int n = 1;

        for (; value >= 10; value /= 10)
                n++;
        return n;
}

char *lsr_text_number(char *p, uint64_t value, int width)
{
        int digits = lsr_digits(value);
        char *end = p + (width > digits ? width : digits);
        char *q = end;

        do {
                *--q = (char)('0' + value % 10);
                value /= 10;
        } while (value);
        while (q > p)
                *--q = ' ';
        return end;
}

/* The execute position: 'x', 's' or 't' with the bit, capital or '-' without. */
static char text_execute(mode_t mode, mode_t execute, mode_t special, char with)
{
        if (mode & special)
                return mode & execute ? with : (char)(with - 'a' + 'A');
        return mode & execute ? 'x' : '-';
}

void lsr_text_mode(char p[10], mode_t mode)
{
        static const char types[16] = "?pc?d?b?-?l?s???";

        p[0] = types[(mode & S_IFMT) >> 12];
        p[1] = mode & S_IRUSR ? 'r' : '-';
        p[2] = mode & S_IWUSR ? 'w' : '-';
        p[3] = text_execute(mode, S_IXUSR, S_ISUID, 's');
        p[4] = mode & S_IRGRP ? 'r' : '-';
        p[5] = mode & S_IWGRP ? 'w' : '-';
        p[6] = text_execute(mode, S_IXGRP, S_ISGID, 's');
        p[7] = mode & S_IROTH ? 'r' : '-';
        p[8] = mode & S_IWOTH ? 'w' : '-';
        p[9] = text_execute(mode, S_IXOTH, S_ISVTX, 't');
}

char *lsr_text_git(char p[3], uint16_t letters)
{
        p[0] = letters ? (char)(letters >> 8) : ' ';
        p[1] = letters ? (char)(letters & 0xff) : ' ';
        p[2] = ' ';
        return p + 3;
}
