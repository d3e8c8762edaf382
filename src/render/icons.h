/*
 * icons - a Nerd Font glyph for a file
 *
 * Glyphs are from the fonts' private use area; --icons turns them on.
 */
#pragma once

#include <stddef.h>

#include "base/out.h"
#include "entry.h"

#define LSR_ICON_WIDTH 2 /* columns: a glyph and a blank */

/* Put the icon of @e and a blank: LSR_ICON_WIDTH columns. */
void lsr_icon_put(struct lsr_out *out, const struct lsr_entry *e);
