/*
 * color-default - the dircolors database of coreutils 9.1, as data
 */
#pragma once

/* A complete value of LS_COLORS. */
extern const char lsr_color_default[];

/* Globs of the terminals that show colours; NULL ends the list. */
extern const char *const lsr_color_terminals[];
