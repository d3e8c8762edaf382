/*
 * restore - reset the colours of a terminal when a signal ends or stops the
 * process
 */
#pragma once

#include <stddef.h>

/*
 * From now on signals that end or stop the process write @reset to standard output first, if that is a terminal of
 * this session.  @reset: @len bytes, copied; a longer one than fits, 64 bytes, is left out.  Returns the number of
 * system calls made.
 */
unsigned lsr_restore_on_signal(const char *reset, size_t len);
