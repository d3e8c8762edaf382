/* settings - options as they come, then what follows from all of them (resolve.c) */
#include "cli/settings.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/given.h"
#include "cli/message.h"
#include "cli/options.h"
#include "formats/writer.h"

/* Without the option the environment decides.  An unknown word must not mean that confinement is not required. */
static int settings_confine(struct lsr_settings *s)
{
        const char *env = getenv("LSR_CONFINE");

        if (s->given.confine == UNSET && env && *env) {
                s->given.confine = lsr_word_value(lsr_confine_words, env, "LSR_CONFINE");
                if (s->given.confine < 0)
                        return 2;
        }
        s->confine_required = s->given.confine == true;
        return 0;
}

/* Report what the parser did not accept.  Returns the exit status. */
static int settings_refuse(const struct lsr_parser *p, enum lsr_action action)
{
        lsr_autofree char *problem = p->problem, *meant = NULL;

        if (p->unknown && !p->gnu)
                meant = lsr_given_meant(p->unknown, p->unknown_len, action);
        lsr_message("%s", problem);
        if (meant)
                lsr_message("did you mean '%s'?", meant);
        return lsr_message_try_help();
}

static int settings_take(struct lsr_settings *s, const struct lsr_option *option, const char *value)
{
        if (option->long_rows)
                s->given.format = LSR_FORMAT_LONG;
        return option->set ? option->set(s, option, value) : 0;
}

/* The options of @d that apply to the command. */
static int settings_take_default(struct lsr_settings *s, const struct lsr_default *d)
{
        const char *operands[d->n + 1];
        struct lsr_parser parser = { .argv = d->words, .argc = d->n, .operands = operands };
        const struct lsr_option *option;
        const char *value;
        int got, status = 0;

        while (status == 0 && (got = lsr_parse_option(&parser, &option, &value)) != 0) {
                if (got < 0)
                        return settings_refuse(&parser, s->action);
                if (option->command != LSR_ACTION_LIST || option->at == offsetof(struct lsr_settings, no_config))
                        return lsr_message_usage("option '--%s' is for the command line", option->name);
                if (option->commands >> s->action & 1)
                        status = settings_take(s, option, value);
        }
        if (status == 0 && (parser.n_operands > 0 || parser.only_operands))
                return lsr_message_usage("%s is not an option",
                                         lsr_quoted_always(parser.n_operands > 0 ? operands[0] : "--"));
        return status;
}

static int settings_take_defaults(struct lsr_settings *s)
{
        int status = lsr_defaults_load(&s->defaults);

        for (size_t i = 0; i < s->defaults.n && status == 0; i++) {
                lsr_default_blame_line(&s->defaults, &s->defaults.all[i]);
                status = settings_take_default(s, &s->defaults.all[i]);
        }
        lsr_default_blame_line(&s->defaults, NULL);
        s->given.default_depth = s->list.max_depth;
        return status;
}

int lsr_settings_parse(struct lsr_settings *ret_settings, int argc, char **argv, bool gnu)
{
        struct lsr_settings *s = ret_settings;
        struct lsr_parser parser = { .argv = argv, .argc = argc, .gnu = gnu, .next = 1 };
        const struct lsr_option *option;
        struct lsr_glance glance = {};
        const char *value;
        int got, status = 0;

        *s = (struct lsr_settings){
                .gnu = gnu,
                .list.enter = gnu ? LSR_ENTER_SLASH : LSR_ENTER_AUTO,
                .view.o = { .shown = LSR_SHOW_USER | LSR_SHOW_GROUP, .end = '\n' },
                .pack.level = LSR_LEVEL_DEFAULT,
                .given = {
                        .format = UNSET,
                        .sort = UNSET,
                        .time = UNSET,
                        .quoting = UNSET,
                        .hide_control = UNSET,
                        .follow = UNSET,
                        .color = UNSET,
                        .icons = UNSET,
                        .bundles = UNSET,
                        .confine = UNSET,
                        .width = UNSET,
                        .tabsize = UNSET,
                        .tty = UNSET,
                },
        };
        s->operands = parser.operands = lsr_xmalloc(((size_t)argc + 1) * sizeof(*s->operands));
        if (!gnu)
                glance = lsr_given_glance(parser);
        s->action = parser.action = glance.action;
        if (!gnu && !glance.help && !glance.no_config)
                status = settings_take_defaults(s);
        if (status)
                return status;
        parser.levels = glance.levels || s->list.tree || s->list.recursive;
        while ((got = lsr_parse_option(&parser, &option, &value)) > 0) {
                if (option->command >= LSR_ACTION_HELP) {
                        s->action = option->command;
                        return option->set ? option->set(s, option, value) : 0;
                }
                status = lsr_given_check_command(option, s->action);
                if (status == 0)
                        status = settings_take(s, option, value);
                if (status)
                        return status;
        }
        if (got < 0)
                return settings_refuse(&parser, s->action);
        s->n_operands = parser.n_operands;
        if (s->n_operands == 0 && s->action != LSR_ACTION_LIST && !(s->action == LSR_ACTION_PACK && s->files_from))
                return lsr_message_usage("missing operand");
        if (s->n_operands == 0 && s->action == LSR_ACTION_LIST)
                s->operands[s->n_operands++] = ".";
        if (!s->engine) {
                const char *env = getenv("LSR_IO");

                s->engine = env && *env ? env : "auto";
        }
        return settings_confine(s) == 0 ? lsr_given_resolve(s) : 2;
}
