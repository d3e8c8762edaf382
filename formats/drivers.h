/* drivers - those of this folder, for registry.c */
#pragma once

#include "formats/format.h"
