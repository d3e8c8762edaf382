/* drivers - those of this folder, for registry.c */
#pragma once

#include "formats/format.h"

extern const struct lsr_format lsr_format_tar;
