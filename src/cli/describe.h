/* describe - help, man page and completions, all from the table of options */
#pragma once

#include "base/out.h"
#include "cli/options.h"

/* The usage of @o, such as "-w, --width=COLS". */
void lsr_describe_usage(const struct lsr_option *o, char ret_text[128]);

void lsr_describe_help(struct lsr_out *out);
void lsr_describe_version(struct lsr_out *out);
void lsr_describe_man(struct lsr_out *out); /* man(7) source of lsr(1) */
void lsr_describe_bash(struct lsr_out *out);
void lsr_describe_zsh(struct lsr_out *out);
void lsr_describe_fish(struct lsr_out *out);
