/*
 * describe - one loop over the table for each form
 *
 * The texts that lsr itself prints are in help.c, so that only docs/generate contains the others.
 */
#include "cli/describe.h"

#include <string.h>

#include "cli/options.h"
#include "render/columns.h"
#include "version.h"

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

/* The commands that take an option, unless that is one command or all. */
static void describe_man_commands(struct lsr_out *out, const struct lsr_option *o)
{
        char commands[128];

        if (!(o->commands & (o->commands - 1)) || o->group == LSR_GROUP_OTHER)
                return;
        lsr_option_commands(o, commands);
        lsr_out_puts(out, "(for ");
        describe_man_text(out, commands);
        lsr_out_puts(out, ")\n");
}

static const char man_head[] =
        ".TH LSR 1 \"\" \"lsr " LSR_VERSION "\" \"User Commands\"\n"
        ".SH NAME\nlsr \\- list directories in few system calls\n"
        ".SH SYNOPSIS\n.B lsr\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
        ".SH DESCRIPTION\n"
        "Lists files as\n.BR ls (1)\n"
        "does: the same options, the same output.  Metadata is fetched in batches,\n"
        "through io_uring where the kernel offers it.\n"
        "Archives and SQLite databases, here called bundles, are listed as directories.\n"
        ".PP\n"
        "Called as\n.BR ls ,\nit behaves exactly as GNU ls.  Called as\n.BR lsr ,\n"
        "it colours names and escapes bidirectional overrides in them if the output is a terminal,\n"
        "and marks ACLs only with \\fB\\-\\-acl\\fR, since looking for them takes a system call per file.\n"
        ".PP\n"
        "\\fB\\-\\-cat\\fR, \\fB\\-\\-check\\fR, \\fB\\-\\-unpack\\fR, \\fB\\-\\-pack\\fR and \\fB\\-\\-compare\\fR\n"
        "are other commands.  An option that does not apply to the command, for instance one for\n"
        "listings, is an error, and nothing is read.\n";

static const char man_tail[] =
        ".SH PACKING\n"
        ".B lsr \\-\\-pack\nmakes a bundle of directories.  The suffix of\n.B \\-\\-output\nselects the format;\n"
        "members are named after the last component of each directory.  The bundle is read back and\n"
        "compared before it gets its name.  Until then the old file is there, or none.\n"
        "Exit status 1: something could not be packed completely, and was reported.\n"
        ".PP\n"
        "A pattern of \\fB\\-\\-exclude\\fR may be written as for\n.BR tar (1)\nor as in a\n.BR gitignore (5):\n"
        ".TP\n.B secret\nfiles and directories of that name at any depth, and what is below them\n"
        ".TP\n.B secret/\ndirectories of that name\n"
        ".TP\n.BR /secret \", \" ./secret\nthat name directly below an operand\n"
        ".TP\n.B work/secret\nthat path below an operand\n"
        ".TP\n.BR home/secret \", \" ../home/secret \", \" /srv/home/secret\n"
        "a path that begins with the operand: with its last component, as it was written, or absolute\n"
        ".TP\n.B work/**/secret\nthat path with any number of directories in place of **;\n"
        "\\fB**/\\fR may begin a pattern, and \\fB/**\\fR may end it\n"
        ".PP\n"
        "* and ? match / too.  Operands themselves are never left out, and no pattern brings back what\n"
        "another one left out.  A pattern that matches nothing is reported.\n"
        ".PP\n"
        "The variable\n.B SOURCE_DATE_EPOCH\nis the latest time that members can have.\n"
        ".SH GIT\n"
        "\\fB\\-\\-git\\fR shows two letters before each name, for the index and for the work tree, as\n"
        "in the short format of\n"
        ".BR git\\-status (1),\nwith \\- where nothing changed.  A directory shows the state that all files below it\n"
        "share, M if they differ, and \\-? if some of them are untracked.\n"
        ".PP\n"
        "\\fB\\-\\-git\\fR and \\fB\\-\\-gitignore\\fR run git (2.31 or later) so that git runs no other program: no\n"
        "filter, file system monitor or hook of a configuration, and no transport to fetch missing objects.\n"
        "A file with a filter, such as one of git\\-lfs, is compared without it once its times differ from those\n"
        "in the index.  A submodule shows M if another commit is checked out; changes inside it are shown there.\n"
        "Like git, lsr ignores a repository that belongs to another user.\n"
        ".SH COMPARING\n"
        ".B lsr \\-\\-compare\nreads everything in a directory in several ways: its files by plain calls,\n"
        "through maps, in threads and through the ring, and bundles of it, which it makes for this\n"
        "purpose in files without names in\n.BR TMPDIR ,\nbeside the directory or in /var/tmp.  Each way is a process of its own.\n"
        "System calls are counted in separate, traced runs that are not timed.\n"
        "With \\fB\\-\\-each\\fR every subdirectory becomes a bundle; files beside the subdirectories are left out, and their\n"
        "number is reported.\n"
        "\\fB\\-\\-json\\fR and \\fB\\-\\-csv\\fR print the numbers, \\fB\\-\\-html\\fR writes a page.\n"
        "Exit status 1: something could not be read, or a way failed or read other contents.\n"
        ".SH ENGINES\n"
        ".B auto\nuses plain calls for small directories and the ring for larger ones; where the\n"
        "kernel refuses the ring, threads.\n"
        ".BR uring ,\n.B threads\nand\n.B sync\n"
        "name one engine; if it cannot run, that is an error.  The variable\n.B LSR_IO\nsets the default.\n"
        ".PP\nBundles are parsed by a process that can only read them and answer.  Where the\n"
        "kernel refuses to confine this process, bundles are read nevertheless, and \\fB\\-\\-stats\\fR and, on a\n"
        "terminal, a message say so.  With \\fB\\-\\-confine=required\\fR, or\n.B LSR_CONFINE=required\n"
        "in the environment, they are not read: exit status 2.\n"
        ".SH READING BUNDLES\n"
        "Behind the mode, long rows of members have marks: ! stored under a path that leads elsewhere (absolute, or\n"
        "with \\(aq..\\(aq), = hides earlier members of its name, * set-user-ID or set-group-ID, # encrypted.\n"
        "A last line says what those that occur mean, and \\fB\\-\\-check\\fR names the members.\n"
        ".PP\n"
        "Where an operand does not exist as it is, wildcards in it lead into bundles:\n"
        "\\fBlsr \\(aqpkg.zip/lib/*.txt\\(aq\\fR; likewise for \\fB\\-\\-cat\\fR and \\fB\\-\\-unpack\\fR.\n"
        ".PP\n"
        "\\fB\\-\\-cat\\fR writes the content of members (\\fIBUNDLE\\fR/\\fIMEMBER\\fR) and of files,\n"
        "and a row of a database as JSON.\n"
        "\\fB\\-\\-unpack\\fR extracts the members of a bundle, or one directory or file of it,\n"
        "into the current directory or into that of \\fB\\-\\-output\\fR, and never outside of it: links are not\n"
        "followed.  All operands are looked up first: if one is not found, nothing is unpacked.\n"
        "Existing files are replaced only with \\fB\\-\\-force\\fR.  Owners, by number, and setuid bits\n"
        "are restored for root only.\n"
        "\\fB\\-\\-check\\fR reads all of a bundle and compares every checksum.\n"
        "Exit status 1: something was damaged, left out or not restored.  Exit status 2: an\n"
        "operand was not found, or the disk is full.\n"
        ".SH JSON\n"
        "One object per line: path, name, name_b64 (if the name is not UTF-8), type, mode\n"
        "(octal, as a string), perm, nlink, uid, user, gid, group, size, blocks (of 512\n"
        "bytes), mtime, atime, ctime, btime (RFC 3339, UTC), inode, dev and rdev\n"
        "(major:minor), target, git (the two letters of \\fB\\-\\-git\\fR), bundle (of a member: the path of\n"
        "the bundle), packed (bytes that the member takes in it), method (of compression), encrypted (true),\n"
        "implied (true: a directory that the bundle does not store, as unpacking would make it),\n"
        "raw_name (the name as it is stored, if it differs), raw_name_b64 (if that is not UTF-8), error.\n"
        "Fields that are not known are left out.\n"
        ".SH ENVIRONMENT\n"
        "LS_COLORS, NO_COLOR, CLICOLOR_FORCE, TIME_STYLE, COLUMNS, TABSIZE, QUOTING_STYLE,\n"
        "LS_BLOCK_SIZE, BLOCK_SIZE, BLOCKSIZE, POSIXLY_CORRECT, TZ, LC_ALL and friends, LSR_IO,\n"
        "LSR_CONFINE, LSR_ICONS (the default of \\fB\\-\\-icons\\fR: always, auto, never), SOURCE_DATE_EPOCH, TMPDIR,\n"
        "XDG_CACHE_HOME.\n"
        ".SH EXIT STATUS\n0 for success, 1 for minor problems, 2 if an operand could not be listed.\n"
        ".SH SEE ALSO\n.BR ls (1),\n.BR dircolors (1),\n.BR io_uring (7)\n";

static void describe_man_columns(struct lsr_out *out)
{
        lsr_out_puts(out, ".SH COLUMNS\n\\fB\\-\\-columns\\fR takes names with commas between them: ");
        for (size_t i = 0; lsr_column_name(i); i++)
                lsr_out_printf(out, "%s%s", i > 0 ? ", " : "", lsr_column_name(i));
        lsr_out_puts(
                out,
                ".\nMost are columns of \\fB\\-l\\fR or of options that add to it; octal is the mode as a number,\n"
                "age the time since the file was modified.  \\fB\\-i\\fR, \\fB\\-s\\fR, \\fB\\-Z\\fR,\n"
                "\\fB\\-\\-author\\fR and \\fB\\-\\-git\\fR add their columns, where \\fB\\-l\\fR has them.\n"
                "The layout is that of \\fB\\-l\\fR unless another one is asked for; with \\fB\\-\\-json\\fR\n"
                "objects have the fields of these columns.\n");
}

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
                        lsr_describe_usage(&lsr_options[i], usage);
                        lsr_out_puts(out, ".TP\n.B ");
                        describe_man_text(out, usage + strspn(usage, " "));
                        lsr_out_puts(out, "\n");
                        describe_man_text(out, lsr_options[i].help);
                        lsr_out_puts(out, "\n");
                        describe_man_commands(out, &lsr_options[i]);
                }
        }
        describe_man_columns(out);
        lsr_out_puts(out, man_tail);
}

/* The words that an argument of @o may be, separated by blanks. */
static void describe_words(struct lsr_out *out, const struct lsr_option *o)
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

void lsr_describe_bash(struct lsr_out *out)
{
        lsr_out_puts(out, "_lsr()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                          "\t[ \"$cur\" = = ] && cur=\n"
                          "\t[ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                          "\tcase $prev in\n");
        for (size_t i = 0; i < lsr_n_options; i++) {
                if (!lsr_options[i].name || !(lsr_options[i].words || lsr_options[i].choices))
                        continue;
                lsr_out_printf(out, "\t--%s) COMPREPLY=($(compgen -W '", lsr_options[i].name);
                describe_words(out, &lsr_options[i]);
                lsr_out_puts(out, "' -- \"$cur\")); return ;;\n");
        }
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
                        if (form == 0 ? !o->letter : !o->name)
                                continue;
                        lsr_out_puts(out, " \\\n  '");
                        if (form == 0)
                                lsr_out_printf(out, "-%c", o->letter);
                        else
                                lsr_out_printf(out, "--%s", o->name);
                        if (form == 1 && o->argument != LSR_ARG_NONE)
                                lsr_out_puts(out, o->argument == LSR_ARG_REQUIRED ? "=" : "=-");
                        else if (o->argument == LSR_ARG_REQUIRED)
                                lsr_out_puts(out, "+");
                        lsr_out_putc(out, '[');
                        describe_zsh_text(out, o->help);
                        lsr_out_putc(out, ']');
                        if (o->argument == LSR_ARG_REQUIRED || (form == 1 && o->argument == LSR_ARG_OPTIONAL)) {
                                lsr_out_printf(out, "%s%s:(", o->argument == LSR_ARG_OPTIONAL ? "::" : ":", o->value);
                                describe_words(out, o);
                                lsr_out_putc(out, ')');
                        }
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
                if (o->letter)
                        lsr_out_printf(out, " -s %c", o->letter);
                if (o->name)
                        lsr_out_printf(out, " -l %s", o->name);
                if (o->argument == LSR_ARG_REQUIRED)
                        lsr_out_puts(out, " -r");
                if (o->words || o->choices) {
                        lsr_out_puts(out, " -f -a '");
                        describe_words(out, o);
                        lsr_out_puts(out, "'");
                }
                lsr_out_puts(out, " -d '");
                for (const char *p = o->help; *p; p++) {
                        if (*p == '\'' || *p == '\\')
                                lsr_out_putc(out, '\\');
                        lsr_out_putc(out, *p);
                }
                lsr_out_puts(out, "'\n");
        }
}
