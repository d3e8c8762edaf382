/* compat-strerrordesc_np - glibc's strerror() is translated where LC_MESSAGES is; musl's is not */
#include "base/compat.h"

#include <string.h>

const char *strerrordesc_np(int error)
{
        return strerror(error);
}
