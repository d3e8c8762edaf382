/* doubt - a file that is called as an archive and is none */
#pragma once

#include <stdbool.h>

/* Is @path named as bundles are?  Nothing is looked at but the name. */
bool lsr_doubt_suits(const char *path);

/* Is the last component of @path, or one before it? */
bool lsr_doubt_leads(const char *path);

/* It is no bundle: say so, and what it begins as. */
void lsr_doubt(const char *path);
