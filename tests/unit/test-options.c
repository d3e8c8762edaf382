/* Going through argv: abbreviations, order, suggestions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/given.h"

static enum lsr_action options_action = LSR_ACTION_LIST;
static char options_said[4096];
static char options_log[4096];

/* Words apart by blanks.  The log: options as NAME or NAME=VALUE, then operands in brackets. */
static void options_run(const char *words, bool as_ls)
{
        char *argv[32] = { (char *)"lsr" }, *copy = strdup(words), *rest = copy;
        const char *operands[32];
        struct lsr_parser p = {
                .argv = argv, .argc = 1, .next = 1, .gnu = as_ls, .operands = operands, .action = options_action
        };
        const struct lsr_option *o;
        const char *value;
        int r;

        options_said[0] = options_log[0] = '\0';
        while (rest)
                argv[p.argc++] = strsep(&rest, " ");
        while ((r = lsr_parse_option(&p, &o, &value)) == 1) {
                char letter[2] = { o->letter, '\0' };

                sprintf(options_log + strlen(options_log), "%s%s%s ", o->name ? o->name : letter, value ? "=" : "",
                        value ? value : "");
        }
        if (r < 0) {
                char *meant = p.unknown && !as_ls ? lsr_given_meant(p.unknown, p.unknown_len, LSR_ACTION_LIST) : NULL;

                strcat(options_log, "error ");
                sprintf(options_said, meant ? "%s\ndid you mean '%s'?\n" : "%s\n", p.problem, meant);
                free(meant);
                free(p.problem);
        }
        for (size_t i = 0; i < p.n_operands; i++)
                sprintf(options_log + strlen(options_log), "[%s] ", operands[i]);
        if (options_log[0])
                options_log[strlen(options_log) - 1] = '\0';
        free(copy);
}

static void options_check(const char *words, const char *log)
{
        options_run(words, false);
        cr_assert_str_eq(options_log, log, "%s: '%s', not '%s'", words, options_log, log);
        cr_assert_eq(!strstr(log, "error"), !options_said[0], "%s: said %s", words, options_said);
}

static void options_check_error(const char *words, bool as_ls, const char *said)
{
        options_run(words, as_ls);
        cr_assert(strstr(options_log, "error"), "%s: %s", words, options_log);
        cr_assert_str_eq(options_said, said, "%s: '%s', not '%s'", words, options_said, said);
}

Test(options, letters)
{
        options_check("-la", "l all");
        options_check("-l -a x", "l all [x]");
        options_check("-w80", "width=80");
        options_check("-w 80 x", "width=80 [x]");
        options_check("-lw80 -1", "l width=80 1");
        options_check("-Ix -I -x", "ignore=x ignore=-x");
        options_check("-I --", "ignore=--");
        options_check("-F=x", "classify error");
        options_check("-", "[-]");
        options_check_error("-l%a", false, "invalid option -- '%'\n");
        options_check_error("-w", false, "option requires an argument -- 'w'\n");
}

Test(options, order)
{
        options_check("a -l b -a c", "l all [a] [b] [c]");
        options_check("a -- -l -- b", "[a] [-l] [--] [b]");
        options_check("-l -- ", "l []");
        setenv("POSIXLY_CORRECT", "", 1);
        options_check("-l a -a", "l [a] [-a]");
        options_check("a -- b", "[a] [--] [b]");
}

Test(options, long_values)
{
        options_check("--width=7", "width=7");
        options_check("--width 7 x", "width=7 [x]");
        options_check("--width=", "width=");
        options_check("--color x", "color [x]");
        options_check("--color=always", "color=always");
        options_check("--time-style=+a=b", "time-style=+a=b");
        options_check_error("--width", false, "option '--width' requires an argument\n");
        options_check_error("--all=x", false, "option '--all' doesn't allow an argument\n");
        options_check_error("--direct=x", false, "option '--directory' doesn't allow an argument\n");
        options_check_error("--aut=x", false, "option '--author' doesn't allow an argument\n");
}

/* What is something else for another command. */
Test(options, commands)
{
        options_action = LSR_ACTION_UNPACK;
        options_check("-Cx -v", "directory=x verbose");
        options_check("-C x y", "directory=x [y]");
        options_check("--directory=x --direc y", "directory=x directory=y");
        options_check("--st=1", "strip-components=1");
        options_check("--git", "git");
        options_check_error("-C", false, "option requires an argument -- 'C'\n");
        /* The name of one that does not fit is not the beginning of one that does. */
        options_action = LSR_ACTION_PACK;
        options_check("--gitig", "gitignore");
        options_check("--git", "git");
        options_action = LSR_ACTION_LIST;
        options_check("-Cv x", "C v [x]");
        options_check("--direc x", "directory [x]");
        options_check("--st", "stats");
}

/* What GNU ls accepts as an abbreviation is none the less one for having more options. */
Test(options, abbreviations)
{
        options_check("--he", "help");
        options_check("--ver", "version");
        options_check("--ti=mtime", "error");
        options_check("--time=mtime", "time=mtime");
        options_check("--time-s=iso", "time-style=iso");
        options_check("--si", "si");
        options_check("--siz", "size");
        options_check("--dereference", "dereference");
        options_check("--t=7", "error");
        options_check("--al", "error");
        options_check("--ig=x", "error");
        options_check("--ignore=x", "ignore=x");
        options_check("--l", "literal");
        options_check("--a", "error");
        options_check("--in", "error");
        options_check("--inod", "inode");
        options_check("--io=sync", "io=sync");
        options_check("--j", "json");
        options_check("--tre", "tree");
        options_check("--st", "stats");
        options_check("--ic", "icons");
        options_check_error("--ti", false, "option '--ti' is ambiguous; possibilities: '--time' '--time-style'\n");
}

Test(options, every_gnu_name_and_prefix_as_if_alone)
{
        for (size_t i = 0; i < lsr_n_options; i++) {
                const char *name = lsr_options[i].name;

                for (size_t len = 1; name && !lsr_options[i].extra && len <= strlen(name); len++) {
                        char words[80];
                        size_t others = 0;
                        bool exact = len == strlen(name);

                        for (size_t j = 0; j < lsr_n_options; j++)
                                others += j != i && lsr_options[j].name && !lsr_options[j].extra &&
                                          strncmp(lsr_options[j].name, name, len) == 0;
                        sprintf(words, "--%.*s%s", (int)len, name,
                                lsr_options[i].argument == LSR_ARG_REQUIRED ? "=v" : "");
                        options_run(words, false);
                        if (others && !exact && !strstr(options_log, "error")) {
                                /* An exact name of another one. */
                                cr_assert_eq(strncmp(options_log, name, len), 0);
                                continue;
                        }
                        cr_assert_eq(!strstr(options_log, "error"), exact || !others, "%s: %s", words, options_log);
                        if (exact || !others)
                                cr_assert_eq(strncmp(options_log, name, strlen(name)), 0, "%s: %s", words, options_log);
                }
        }
}

Test(options, ambiguous)
{
        options_check_error("--h", false,
                            "option '--h' is ambiguous; possibilities: '--human-readable' '--hide-control-chars' "
                            "'--hide' '--hyperlink' '--help'\n");
}

Test(options, suggestions)
{
        options_check_error("--colour", false, "unrecognized option '--colour'\ndid you mean '--color'?\n");
        options_check_error("--jsno", false, "unrecognized option '--jsno'\ndid you mean '--json'?\n");
        /* full-time comes first and is near enough; another one is nearer. */
        options_check_error("--fale-type", false, "unrecognized option '--fale-type'\ndid you mean '--file-type'?\n");
        options_check_error("--qqqqqqqqqq", false, "unrecognized option '--qqqqqqqqqq'\n");
        options_check_error("--colour", true, "unrecognized option '--colour'\n");
        /* Called as ls, options of our own do not exist. */
        options_check_error("--json", true, "unrecognized option '--json'\n");
}

/* The table itself. */
Test(options, table)
{
        for (size_t i = 0; i < lsr_n_options; i++) {
                const struct lsr_option *o = &lsr_options[i];

                cr_assert(o->name || o->letter);
                cr_assert(o->help && o->help[0]);
                cr_assert_lt(o->group, LSR_GROUPS);
                cr_assert_eq(o->argument == LSR_ARG_NONE, !o->value, "%s", o->help);
                cr_assert_eq(o->command == LSR_ACTION_LIST || o->command == LSR_ACTION_HELP, !!o->set, "%s", o->help);
                for (size_t j = 0; j < i; j++) {
                        /* A letter or a name may mean something else to another command. */
                        if (!(o->commands & lsr_options[j].commands))
                                continue;
                        cr_assert(!o->letter || o->letter != lsr_options[j].letter);
                        cr_assert(!o->name || !lsr_options[j].name || strcmp(o->name, lsr_options[j].name));
                }
        }
}
