/* compat-mallopt - musl's malloc() has nothing to be set */
#include "base/compat.h"

int mallopt(int parameter, int value)
{
        (void)parameter, (void)value;
        return 0;
}
