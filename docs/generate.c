/*
 * generate-docs - the man page or a completion, on standard output
 *
 *      generate-docs man TEMPLATE      TEMPLATE is docs/lsr.1.in
 *      generate-docs bash|zsh|fish
 *
 * What they say of options comes from the table of options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/options.h"
#include "render/columns.h"
#include "version.h"

/* @text with a backslash before each of @special. */
static void put_escaped(struct lsr_out *out, const char *text, const char *special)
{
        for (; *text; text++) {
                if (strchr(special, *text))
                        lsr_out_putc(out, '\\');
                lsr_out_putc(out, *text);
        }
}

/* The words that an argument of @o may be, separated by blanks. */
static void put_words(struct lsr_out *out, const struct lsr_option *o)
{
        const char *blank = "";

        if (o->choices)
                o->choices(out);
        for (const struct lsr_word *w = o->words; w && w->word; w++) {
                if (w->synonym)
                        continue;
                lsr_out_printf(out, "%s%s", blank, w->word);
                blank = " ";
        }
}

/* --- the man page ------------------------------------------------------------- */

static void man_option(struct lsr_out *out, const struct lsr_option *o)
{
        lsr_autofree char *usage = lsr_option_usage(o);
        char commands[128];

        lsr_out_puts(out, ".TP\n.B ");
        put_escaped(out, usage + strspn(usage, " "), "-");
        lsr_out_puts(out, "\n");
        put_escaped(out, o->help, "-");
        lsr_out_puts(out, "\n");
        /* The commands that take it, unless that is one command or all. */
        if (!(o->commands & (o->commands - 1)) || o->group == LSR_GROUP_OTHER)
                return;
        lsr_option_commands(o, commands);
        lsr_out_puts(out, "(for ");
        put_escaped(out, commands, "-");
        lsr_out_puts(out, ")\n");
}

static void man_options(struct lsr_out *out)
{
        for (unsigned g = 0; g < LSR_GROUPS; g++) {
                lsr_out_printf(out, ".SS %s\n", lsr_group_titles[g]);
                for (size_t i = 0; i < lsr_n_options; i++)
                        if (lsr_options[i].group == g)
                                man_option(out, &lsr_options[i]);
        }
}

static void man_columns(struct lsr_out *out)
{
        for (size_t i = 0; lsr_column_name(i); i++)
                lsr_out_printf(out, "%s%s", i > 0 ? ",\n" : "", lsr_column_name(i));
}

static void man_version(struct lsr_out *out)
{
        lsr_out_puts(out, LSR_VERSION);
}

/* The template with its marks replaced. */
static void generate_man(struct lsr_out *out, const char *template)
{
        static const struct {
                const char *mark;
                void (*put)(struct lsr_out *out);
        } places[] = { { "@VERSION@", man_version }, { "@OPTIONS@\n", man_options }, { "@COLUMNS@", man_columns } };

        while (*template) {
                size_t i = 0, n = sizeof(places) / sizeof(*places);

                while (i < n && strncmp(template, places[i].mark, strlen(places[i].mark)) != 0)
                        i++;
                if (i < n) {
                        places[i].put(out);
                        template += strlen(places[i].mark);
                } else {
                        lsr_out_putc(out, *template++);
                }
        }
}

/* --- completions -------------------------------------------------------------- */

/*
 * What is in a bundle, lsr lists: the names behind the last '/' that begin as what was typed, where there is no such
 * directory on disk.  bash quotes the names of files with all that is special to it only where their directory is on disk,
 * and would run what stands in backticks in others, so they are quoted here.
 */
static const char bash_members[] =
        "_lsr_members()\n{\n"
        "\tlocal word=$1 quote= only dir i set=$- IFS=$'\\n'\n" /* mapfile reads a pipe byte by byte */
        "\tcase $word in\n"
        "\t[\\'\\\"]*) quote=${word:0:1} word=${word:1} ;;\n"
        "\t*) word=${word//\\\\/} ;;\n"
        "\tesac\n"
        "\t[ \"$word\" = \"${word%/*}\" ] && return\n"
        "\tdir=${word%/*}/ only=${word##*/}\n"
        "\t[ -d \"${dir/#\\~\\//$HOME/}\" ] && return\n"
        "\tonly=${only//\\\\/\\\\\\\\} only=${only//\\*/\\\\*} only=${only//\\?/\\\\?} only=${only//[/\\\\[}\n"
        "\tcompopt -o filenames -o noquote || return\n"
        "\tset -f\n"
        "\tCOMPREPLY=($(lsr --no-config -1UApN --ignore=$'*\\n*' --only=\"$only*\" -- \"${dir/#\\~\\//$HOME/}\" "
        "2>/dev/null))\n"
        "\t[[ $set = *f* ]] || set +f\n"
        "\t[[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = */ ]] && compopt -o nospace\n"
        "\tfor i in \"${!COMPREPLY[@]}\"; do\n"
        "\t\tword=$dir${COMPREPLY[i]}\n"
        "\t\tcase $quote in\n"
        "\t\t\\') word=${word//\\'/\"'\\\\''\"} ;;\n"
        "\t\t\\\") word=${word//\\\\/\\\\\\\\} word=${word//\\\"/\\\\\\\"} word=${word//\\$/\\\\\\$} word=${word//\\`/\\\\\\`}\n"
        "\t\t\tword=${word//!/\\\"\\'!\\'\\\"} ;;\n"
        "\t\t*) printf -v word %q \"$word\" && word=${word/#\\\\\\~\\//\\~/} ;;\n"
        "\t\tesac\n"
        "\t\tCOMPREPLY[i]=$word\n"
        "\tdone\n"
        "}\n";

static const char zsh_members[] =
        "_lsr_members()\n{\n"
        "\tlocal word=${(Q)PREFIX} dir only\n"
        "\tlocal -a names\n"
        "\tdir=${word%/*}/ only=${word##*/}\n"
        "\tdir=${dir/#\\~\\//$HOME/}\n"
        "\tif [[ $word != */* || -d $dir ]]; then\n"
        "\t\t_files\n"
        "\t\treturn\n"
        "\tfi\n"
        "\tnames=(${(0)\"$(lsr --no-config --zero -UApN --only=\"${(b)only}*\" -- $dir 2>/dev/null)\"})\n"
        "\tcompset -P '*/'\n"
        "\tcompadd -S '' -- ${(M)names:#*/}\n"
        "\tcompadd -- ${names:#*/}\n"
        "}\n";

static const char fish_members[] =
        "function __lsr_members\n"
        "\tset -l token (commandline -ct)\n"
        "\tset -l word (string unescape -- $token; or echo $token)\n"
        "\tset -l dir (string replace -r '[^/]*$' '' -- $word)\n"
        "\tset -l path (string replace -r '^~/' \"$HOME/\" -- $dir)\n"
        "\ttest -z \"$dir\" -o -d \"$path\"; and return\n"
        "\tset -l only (string replace -r '.*/' '' -- $word | string replace -ra '[\\\\\\\\*?[]' '\\\\\\\\$0')\n"
        "\tset -l names (lsr --no-config --zero -UApN --only=\"$only*\" -- $path 2>/dev/null | string split0)\n"
        "\tset -q names[1]; and printf '%s\\n' $dir$names\n"
        "end\n"
        "complete -c lsr -a '(__lsr_members)'\n";

static void generate_bash(struct lsr_out *out, const char *template)
{
        lsr_out_puts(out, bash_members);
        lsr_out_puts(out, "_lsr()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                          "\t[ \"$cur\" = = ] && cur=\n"
                          "\t[ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                          "\tcase $prev in\n");
        for (size_t i = 0; i < lsr_n_options; i++) {
                if (!lsr_options[i].name || !(lsr_options[i].words || lsr_options[i].choices))
                        continue;
                lsr_out_printf(out, "\t--%s) COMPREPLY=($(compgen -W '", lsr_options[i].name);
                put_words(out, &lsr_options[i]);
                lsr_out_puts(out, "' -- \"$cur\")); return ;;\n");
        }
        lsr_out_puts(out, "\tesac\n\tif [ \"${cur#-}\" != \"$cur\" ]; then\n\t\tCOMPREPLY=($(compgen -W '");
        for (size_t i = 0; i < lsr_n_options; i++)
                if (lsr_options[i].name)
                        lsr_out_printf(out, "--%s%s ", lsr_options[i].name,
                                       lsr_options[i].argument == LSR_ARG_REQUIRED ? "=" : "");
        lsr_out_puts(out,
                     "' -- \"$cur\"))\n\t\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
                     "\telse\n\t\t_lsr_members \"$cur\"\n\tfi\n}\n"
                     "complete -o default -F _lsr lsr\n"); /* names of files are left to readline, which quotes them */
}

/* The rest of a specification, behind "-l" or "--level"; @written: how an argument follows it. */
static void zsh_rest(struct lsr_out *out, const struct lsr_option *o, const char *written)
{
        lsr_out_printf(out, "%s[", written);
        for (const char *p = o->help; *p; p++) {
                if (*p == '\'')
                        lsr_out_puts(out, "'\\'");
                else if (strchr("[]:\\", *p))
                        lsr_out_putc(out, '\\');
                lsr_out_putc(out, *p);
        }
        lsr_out_putc(out, ']');
        if (*written) {
                lsr_out_printf(out, "%s%s:(", o->argument == LSR_ARG_OPTIONAL ? "::" : ":", o->value);
                put_words(out, o);
                lsr_out_putc(out, ')');
        }
        lsr_out_putc(out, '\'');
}

static void generate_zsh(struct lsr_out *out, const char *template)
{
        static const char *const written[] = {
                [LSR_ARG_NONE] = "", [LSR_ARG_REQUIRED] = "=", [LSR_ARG_OPTIONAL] = "=-"
        };

        lsr_out_printf(out, "#compdef lsr\n%s_arguments -s", zsh_members);
        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                if (o->letter) {
                        lsr_out_printf(out, " \\\n  '-%c", o->letter);
                        zsh_rest(out, o, o->argument == LSR_ARG_REQUIRED ? "+" : "");
                }
                if (o->name) {
                        lsr_out_printf(out, " \\\n  '--%s", o->name);
                        zsh_rest(out, o, written[o->argument]);
                }
        }
        lsr_out_puts(out, " \\\n  '*:file:_lsr_members'\n");
}

static void generate_fish(struct lsr_out *out, const char *template)
{
        lsr_out_puts(out, fish_members);
        for (const struct lsr_option *o = lsr_options; o < lsr_options + lsr_n_options; o++) {
                lsr_out_puts(out, "complete -c lsr");
                if (o->letter)
                        lsr_out_printf(out, " -s %c", o->letter);
                if (o->name)
                        lsr_out_printf(out, " -l %s", o->name);
                if (o->argument == LSR_ARG_REQUIRED)
                        lsr_out_puts(out, " -r");
                if (o->words || o->choices) {
                        lsr_out_puts(out, " -f -a '");
                        put_words(out, o);
                        lsr_out_puts(out, "'");
                }
                lsr_out_puts(out, " -d '");
                put_escaped(out, o->help, "'\\");
                lsr_out_puts(out, "'\n");
        }
}

/* All of a file; NULL if it cannot be read. */
static char *read_text(const char *path)
{
        FILE *file = fopen(path, "r");
        char *text = NULL;
        size_t cap = 0;

        if (file && getdelim(&text, &cap, '\0', file) < 0)
                free(lsr_take(&text, NULL));
        if (file)
                fclose(file);
        return text;
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*generate)(struct lsr_out *out, const char *template);
        } forms[] = {
                { "man", generate_man }, { "bash", generate_bash }, { "zsh", generate_zsh }, { "fish", generate_fish }
        };
        lsr_autofree char *template = argc > 2 ? read_text(argv[2]) : NULL;
        lsr_auto(lsr_out_free) struct lsr_out out;

        lsr_out_init(&out, STDOUT_FILENO);
        for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(*forms); i++) {
                if (strcmp(argv[1], forms[i].name) == 0 && (template || forms[i].generate != generate_man)) {
                        forms[i].generate(&out, template);
                        return lsr_out_flush(&out) < 0;
                }
        }
        return 2;
}
