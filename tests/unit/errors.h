/* errors - the names of those that tests expect; the C library may have no strerrorname_np() */
#pragma once

#include <errno.h>
#include <string.h>

static inline const char *error_name(int error)
{
        switch (error) {
        case EACCES:
                return "EACCES";
        case EBADMSG:
                return "EBADMSG";
        case EOPNOTSUPP:
                return "EOPNOTSUPP";
        default:
                return strerror(error);
        }
}
