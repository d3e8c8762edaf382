/* drivers - those of this folder, for registry.c */
#pragma once

#include "formats/format.h"

extern const struct lsr_filter lsr_filter_gzip;
extern const struct lsr_filter lsr_filter_zstd;
