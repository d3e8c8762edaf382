/*
 * compat - functions of glibc that another C library may lack
 *
 * Meson compiles base/compat-NAME.c where there is no NAME.  Each does what glibc's does, unless told otherwise here.
 */
#pragma once

#include <malloc.h>

/* Returns 0, a failure of glibc's: what it would set cannot be. */
int mallopt(int parameter, int value);

#ifndef M_MMAP_THRESHOLD
#define M_TRIM_THRESHOLD (-1)
#define M_MMAP_THRESHOLD (-3)
#endif

void closefrom(int first);
const char *sigabbrev_np(int signal);
const char *strerrordesc_np(int error); /* not translated, as nothing of musl is */
