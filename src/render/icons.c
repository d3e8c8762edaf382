/*
 * icons - by type first, then by the last suffix
 *
 * A short table on purpose: what a reader tells apart at a glance are kinds of
 * files (source, picture, archive), not dialects.  Code points: Nerd Fonts v3.
 */
#include "render/view.h"

#include <string.h>
#include <strings.h>

#define ICON_DIRECTORY "\uf07b"
#define ICON_LINK "\uf0c1"
#define ICON_DEVICE "\uf0a0"
#define ICON_PIPE "\uf0ec"
#define ICON_PROGRAM "\uf489"
#define ICON_FILE "\uf15b"

static const struct {
        const char *icon;
        const char *suffixes; /* with a blank on either side */
} icon_table[] = {
        { "\uf1c6", " tar gz tgz zst xz bz2 lz4 zip 7z rar iso deb rpm cab jar whl cpio ar " },
        { "\uf1c5", " png jpg jpeg gif svg webp bmp ico tiff avif " },
        { "\uf1c8", " mp4 mkv webm avi mov mpg " },
        { "\uf1c7", " mp3 flac ogg opus wav m4a " },
        { "\uf1c0", " db sqlite sqlite3 sqlar sql " },
        { "\uf121", " c h cc cpp hpp rs go py js ts java rb pl sh zig lua hs ml swift kt php html css " },
        { "\uf15c", " txt md rst log pdf tex adoc org " },
        { "\uf013", " toml yaml yml json ini conf cfg build cmake mk " },
        { "\uf023", " pem key crt gpg asc " },
};

static const char *icon_of_suffix(const char *name)
{
        const char *dot = strrchr(name, '.');
        char word[16];
        size_t len = dot ? strlen(dot + 1) : 0;

        if (len == 0 || len > sizeof(word) - 3)
                return NULL;
        word[0] = ' ';
        memcpy(word + 1, dot + 1, len);
        memcpy(word + 1 + len, " ", 2);
        for (size_t i = 0; i < sizeof(icon_table) / sizeof(*icon_table); i++)
                if (strcasestr(icon_table[i].suffixes, word))
                        return icon_table[i].icon;
        return NULL;
}

static const char *icon_of(const struct lsr_entry *e)
{
        mode_t mode = lsr_entry_mode(e);
        const char *icon;

        if (S_ISDIR(mode))
                return ICON_DIRECTORY;
        if (S_ISLNK(mode))
                return ICON_LINK;
        if (S_ISBLK(mode) || S_ISCHR(mode))
                return ICON_DEVICE;
        if (S_ISFIFO(mode) || S_ISSOCK(mode))
                return ICON_PIPE;
        icon = icon_of_suffix(e->name);
        if (!icon && lsr_entry_stat_ok(e) && (mode & 0111))
                icon = ICON_PROGRAM;
        return icon ? icon : ICON_FILE;
}

void lsr_icon_put(struct lsr_out *out, const struct lsr_entry *e)
{
        lsr_out_puts(out, icon_of(e));
        lsr_out_putc(out, ' ');
}
