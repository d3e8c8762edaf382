/* describe - one loop over the table for each form */
#include "cli/describe.h"

#include <string.h>

#include "cli/options.h"
#include "version.h"

#define DESCRIBE_HELP_COLUMN 34

/* "-w, --width=COLS" into @buf. */
static void describe_usage(const struct lsr_option *o, char buf[128])
{
        struct lsr_out out;
        char letter = lsr_option_letter(o);

        lsr_out_init(&out, -1);
        if (letter)
                lsr_out_printf(&out, "-%c", letter);
        if (o->name)
                lsr_out_printf(&out, "%s--%s", letter ? ", " : "    ", o->name);
        if (o->argument == LSR_ARG_REQUIRED)
                lsr_out_printf(&out, "%s%s", o->name ? "=" : " ", o->value);
        else if (o->argument == LSR_ARG_OPTIONAL)
                lsr_out_printf(&out, "[=%s]", o->value);
        lsr_out_putc(&out, '\0');
        memcpy(buf, out.buf, out.len < 128 ? out.len : 127);
        buf[127] = '\0';
        lsr_out_free(&out);
}

void lsr_describe_help(struct lsr_out *out)
{
        lsr_out_puts(out, "Usage: lsr [OPTION]... [FILE]...\n"
                          "List files and directories as ls does, in few system calls.\n");
        for (unsigned g = 0; g < LSR_GROUPS; g++) {
                lsr_out_printf(out, "\n%s:\n", lsr_group_titles[g]);
                for (size_t i = 0; i < lsr_n_options; i++) {
                        char usage[128];

                        if (lsr_options[i].group != g)
                                continue;
                        describe_usage(&lsr_options[i], usage);
                        if (strlen(usage) + 4 > DESCRIBE_HELP_COLUMN)
                                lsr_out_printf(out, "  %s\n%*s%s\n", usage, DESCRIBE_HELP_COLUMN, "",
                                               lsr_options[i].help);
                        else
                                lsr_out_printf(out, "  %-*s%s\n", DESCRIBE_HELP_COLUMN - 2, usage, lsr_options[i].help);
                }
        }
        lsr_out_puts(out, "\nExit status: 0 fine, 1 minor trouble, 2 an operand could not be listed.\n"
                          "Called as ls, it is GNU ls in every point.\n");
}

void lsr_describe_version(struct lsr_out *out)
{
        lsr_out_puts(out, "lsr " LSR_VERSION "\n"
                          "Licence: MIT.  There is no warranty.\n");
}

static void describe_man_text(struct lsr_out *out, const char *text)
{
        for (const char *p = text; *p; p++) {
                if (*p == '-' || *p == '\\')
                        lsr_out_putc(out, '\\');
                if (*p == '\'' && p == text)
                        lsr_out_puts(out, "\\&");
                lsr_out_putc(out, *p);
                if (*p == '\\')
                        lsr_out_putc(out, 'e');
        }
}

static const char man_head[] =
        ".TH LSR 1 \"\" \"lsr " LSR_VERSION "\" \"User Commands\"\n"
        ".SH NAME\nlsr \\- list directories in few system calls\n"
        ".SH SYNOPSIS\n.B lsr\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
        ".SH DESCRIPTION\n"
        "Lists files as\n.BR ls (1)\n"
        "does: the same options, the same output.  Metadata is fetched in batches,\n"
        "through io_uring where the kernel offers it.\n"
        "Called as\n.BR ls ,\nit is GNU ls in every point; as\n.BR lsr ,\n"
        "colours come by themselves on a terminal, bidirectional overrides in names are\n"
        "escaped on a terminal, and ACLs are marked with \\fB\\-\\-acl\\fR only, since looking for\n"
        "them costs a call per file.\n";

static const char man_tail[] =
        ".SH PACKING\n"
        ".B lsr \\-\\-pack\nmakes a bundle of directories.  Its format follows the suffix of\n.BR \\-\\-output ;\n"
        "members carry the last component of each directory.  The bundle is read back and\n"
        "compared before it gets its name, so that the old file or none is there until it is\n"
        "complete.  Exit status 1: something could not be packed as it was, and was named.\n"
        "The variable\n.B SOURCE_DATE_EPOCH\nbounds the times of members.\n"
        ".SH STATES OF GIT\n"
        "\\fB\\-\\-git\\fR shows two letters before a name, for the index and for the work tree, as\n"
        ".BR git\\-status (1)\nhas them in its short format, with \\- where nothing changed.  A directory shows\n"
        "what those below it have in common, M if they differ, and \\-? if some are untracked.\n"
        ".SH COMPARING\n"
        ".B lsr \\-\\-compare\nreads all that is in a directory several ways: its files by plain calls, as maps, in\n"
        "threads and through the ring, and bundles of it, which are made for that in files without\n"
        "names in\n.BR TMPDIR ,\nbeside the directory or in /var/tmp.  Each way is a process of its own.  System calls\n"
        "are counted in runs that are traced, which are not those that are timed.\n"
        "With \\fB\\-\\-each\\fR every subdirectory is a bundle; what lies beside them is left out.\n"
        "\\fB\\-\\-json\\fR and \\fB\\-\\-csv\\fR give the numbers, \\fB\\-\\-html\\fR a page.\n"
        "Exit status 1: something could not be read, or a way failed or read something else.\n"
        ".SH ENGINES\n"
        ".B auto\nuses plain calls for small directories and the ring for larger ones; where the\n"
        "kernel refuses the ring, threads.\n"
        ".BR uring ,\n.B threads\nand\n.B sync\n"
        "name one; if it cannot run, that is an error.  The variable\n.B LSR_IO\nsets the default.\n"
        ".PP\nBundles are parsed by a process that can do nothing but read them and answer.  Where the\n"
        "kernel refuses to confine it, they are read nevertheless, which \\fB\\-\\-stats\\fR and a line on a\n"
        "terminal tell.  With \\fB\\-\\-confine=required\\fR, or\n.B LSR_CONFINE=required\n"
        "in the environment, they are not read: exit status 2.\n"
        ".SH READING BACK\n"
        "\\fB\\-\\-cat\\fR writes the content of members (\\fIBUNDLE\\fR/\\fIMEMBER\\fR) and of files, a database's row as JSON.\n"
        "\\fB\\-\\-unpack\\fR makes real files of a bundle's members, or of one directory or file in it,\n"
        "in the current directory or in that of \\fB\\-\\-output\\fR, and never outside of it: links are not\n"
        "followed.  What exists is left alone unless \\fB\\-\\-force\\fR.  Owners, by number, and setuid bits\n"
        "are restored for root only.\n"
        "\\fB\\-\\-check\\fR reads all of a bundle and compares every checksum.\n"
        "Exit status 1 says that something was damaged, left out or not restored, 2 that an\n"
        "operand could not be had.\n"
        ".SH JSON\n"
        "One object a line: path, name, name_b64 (if the name is not UTF-8), type, mode\n"
        "(octal, as a string), perm, nlink, uid, user, gid, group, size, blocks (of 512\n"
        "bytes), mtime, atime, ctime, btime (RFC 3339, UTC), inode, dev and rdev\n"
        "(major:minor), target, error.  What is not known is left out.\n"
        ".SH ENVIRONMENT\n"
        "LS_COLORS, NO_COLOR, CLICOLOR_FORCE, TIME_STYLE, COLUMNS, TABSIZE, QUOTING_STYLE,\n"
        "LS_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, POSIXLY_CORRECT, TZ, LC_ALL and friends, LSR_IO,\n"
        "LSR_CONFINE.\n"
        ".SH EXIT STATUS\n0 fine, 1 minor trouble, 2 an operand could not be listed.\n"
        ".SH SEE ALSO\n.BR ls (1),\n.BR dircolors (1),\n.BR io_uring (7)\n";

void lsr_describe_man(struct lsr_out *out)
{
        lsr_out_puts(out, man_head);
        lsr_out_puts(out, ".SH OPTIONS\n");
        for (unsigned g = 0; g < LSR_GROUPS; g++) {
                lsr_out_printf(out, ".SS %s\n", lsr_group_titles[g]);
                for (size_t i = 0; i < lsr_n_options; i++) {
                        char usage[128];

                        if (lsr_options[i].group != g)
                                continue;
                        describe_usage(&lsr_options[i], usage);
                        lsr_out_puts(out, ".TP\n.B ");
                        describe_man_text(out, usage + strspn(usage, " "));
                        lsr_out_puts(out, "\n");
                        describe_man_text(out, lsr_options[i].help);
                        lsr_out_puts(out, "\n");
                }
        }
        lsr_out_puts(out, man_tail);
}

void lsr_describe_bash(struct lsr_out *out)
{
        lsr_out_puts(out, "_lsr()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                          "\t[ \"$cur\" = = ] && cur=\n"
                          "\t[ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                          "\tcase $prev in\n");
        for (size_t i = 0; i < lsr_n_options; i++)
                if (lsr_options[i].name && lsr_options[i].values)
                        lsr_out_printf(out, "\t--%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
                                       lsr_options[i].name, lsr_options[i].values);
        lsr_out_puts(out, "\tesac\n\tif [ \"${cur#-}\" != \"$cur\" ]; then\n\t\tCOMPREPLY=($(compgen -W '");
        for (size_t i = 0; i < lsr_n_options; i++)
                if (lsr_options[i].name)
                        lsr_out_printf(out, "--%s%s ", lsr_options[i].name,
                                       lsr_options[i].argument == LSR_ARG_REQUIRED ? "=" : "");
        lsr_out_puts(out,
                     "' -- \"$cur\"))\n\t\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
                     "\tfi\n}\n"
                     "complete -o default -F _lsr lsr\n"); /* names of files are left to readline, which quotes them */
}

/* @text with what would end a quoted zsh specification escaped. */
static void describe_zsh_text(struct lsr_out *out, const char *text)
{
        for (; *text; text++) {
                if (*text == '\'')
                        lsr_out_puts(out, "'\\'");
                else if (strchr("[]:\\", *text))
                        lsr_out_putc(out, '\\');
                lsr_out_putc(out, *text);
        }
}

void lsr_describe_zsh(struct lsr_out *out)
{
        lsr_out_puts(out, "#compdef lsr\n_arguments -s");
        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                for (int form = 0; form < 2; form++) {
                        if (form == 0 ? !lsr_option_letter(o) : !o->name)
                                continue;
                        lsr_out_puts(out, " \\\n  '");
                        if (form == 0)
                                lsr_out_printf(out, "-%c", lsr_option_letter(o));
                        else
                                lsr_out_printf(out, "--%s", o->name);
                        if (form == 1 && o->argument != LSR_ARG_NONE)
                                lsr_out_puts(out, o->argument == LSR_ARG_REQUIRED ? "=" : "=-");
                        else if (o->argument == LSR_ARG_REQUIRED)
                                lsr_out_puts(out, "+");
                        lsr_out_putc(out, '[');
                        describe_zsh_text(out, o->help);
                        lsr_out_putc(out, ']');
                        if (o->argument == LSR_ARG_REQUIRED || (form == 1 && o->argument == LSR_ARG_OPTIONAL))
                                lsr_out_printf(out, "%s%s:(%s)", o->argument == LSR_ARG_OPTIONAL ? "::" : ":", o->value,
                                               o->values ? o->values : "");
                        lsr_out_putc(out, '\'');
                }
        }
        lsr_out_puts(out, " \\\n  '*:file:_files'\n");
}

void lsr_describe_fish(struct lsr_out *out)
{
        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                lsr_out_puts(out, "complete -c lsr");
                if (lsr_option_letter(o))
                        lsr_out_printf(out, " -s %c", lsr_option_letter(o));
                if (o->name)
                        lsr_out_printf(out, " -l %s", o->name);
                if (o->argument == LSR_ARG_REQUIRED)
                        lsr_out_puts(out, " -r");
                if (o->values)
                        lsr_out_printf(out, " -f -a '%s'", o->values);
                lsr_out_puts(out, " -d '");
                for (const char *p = o->help; *p; p++) {
                        if (*p == '\'' || *p == '\\')
                                lsr_out_putc(out, '\\');
                        lsr_out_putc(out, *p);
                }
                lsr_out_puts(out, "'\n");
        }
}
