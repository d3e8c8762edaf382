/* generate-docs - the man page or a completion, on standard output */
#include <string.h>

#include "cli/describe.h"

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*describe)(struct lsr_out *out);
        } forms[] = {
                { "man", lsr_describe_man },
                { "bash", lsr_describe_bash },
                { "zsh", lsr_describe_zsh },
                { "fish", lsr_describe_fish },
        };
        struct lsr_out out;

        lsr_out_init(&out, 1);
        for (size_t i = 0; argc == 2 && i < sizeof(forms) / sizeof(*forms); i++) {
                if (strcmp(argv[1], forms[i].name) == 0) {
                        int error;

                        forms[i].describe(&out);
                        error = lsr_out_flush(&out);
                        lsr_out_free(&out);
                        return error < 0;
                }
        }
        return 2;
}
