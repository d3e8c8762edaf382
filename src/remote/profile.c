/* The file is read again for each key: there are six, and it is small. */
#include "remote/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Without blanks at either end, in place. */
static char *profile_trim(char *text)
{
        size_t n;

        while (isspace((unsigned char)*text))
                text++;
        n = strlen(text);
        while (n && isspace((unsigned char)text[n - 1]))
                text[--n] = '\0';
        return text;
}

/* "[profile  x]" is "profile x". */
static bool profile_section_is(char *line, const char *section)
{
        char *end = strchr(line, ']'), *name, *rest;
        size_t n;

        if (!end)
                return false;
        *end = '\0';
        name = profile_trim(line + 1);
        if (strcmp(name, section) == 0)
                return true;
        n = strcspn(section, " ");
        if (!section[n] || strncmp(name, section, n) != 0 || !isspace((unsigned char)name[n]))
                return false;
        rest = profile_trim(name + n);
        return strcmp(rest, section + n + 1) == 0;
}

/* The value if @line sets @key, else NULL. */
static char *profile_line_value(char *line, const char *key)
{
        char *is = strchr(line, '='), *comment;

        if (!is || isspace((unsigned char)*line) || *line == '#' || *line == ';')
                return NULL;
        *is = '\0';
        if (strcasecmp(profile_trim(line), key) != 0)
                return NULL;
        for (comment = is + 1; *comment; comment++)
                if ((*comment == '#' || *comment == ';') && isspace((unsigned char)comment[-1]))
                        break;
        *comment = '\0';
        return profile_trim(is + 1);
}

int lsr_profile_value(const char *path, const char *section, const char *key, char **ret_value)
{
        FILE *f = fopen(path, "re");
        lsr_autofree char *line = NULL;
        bool inside = false;
        char *value = NULL;
        size_t size = 0;

        if (!f)
                return -errno;
        while (!value && getline(&line, &size, f) >= 0) {
                if (*line == '[') {
                        inside = profile_section_is(line, section);
                        if (inside && !key)
                                value = line + strlen(line);
                } else if (inside && key) {
                        value = profile_line_value(line, key);
                }
        }
        value = value ? strdup(value) : NULL;
        if (line)
                explicit_bzero(line, size);
        fclose(f);
        if (!value)
                return -ENOENT;
        *ret_value = value;
        return 0;
}
