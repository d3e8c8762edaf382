/*
 * color-default - what `dircolors -b` of coreutils 9.1 puts into LS_COLORS
 *
 * Kept in the syntax of the variable, so that the one parser reads both.  The
 * order is that of the database; where two suffixes match the later one wins.
 */
#include "render/color.h"

#include <stddef.h>

#define ARCHIVE(ext) "*." ext "=01;31:"
#define MEDIA(ext) "*." ext "=01;35:"
#define AUDIO(ext) "*." ext "=00;36:"
#define BACKUP(suffix) "*" suffix "=00;90:"

/* clang-format off */
const char lsr_color_default[] =
        "rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:so=01;35:do=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:mi=00:"
        "su=37;41:sg=30;43:ca=00:tw=30;42:ow=34;42:st=37;44:ex=01;32:"
        ARCHIVE("tar") ARCHIVE("tgz") ARCHIVE("arc") ARCHIVE("arj") ARCHIVE("taz") ARCHIVE("lha")
        ARCHIVE("lz4") ARCHIVE("lzh") ARCHIVE("lzma") ARCHIVE("tlz") ARCHIVE("txz") ARCHIVE("tzo")
        ARCHIVE("t7z") ARCHIVE("zip") ARCHIVE("z") ARCHIVE("dz") ARCHIVE("gz") ARCHIVE("lrz") ARCHIVE("lz")
        ARCHIVE("lzo") ARCHIVE("xz") ARCHIVE("zst") ARCHIVE("tzst") ARCHIVE("bz2") ARCHIVE("bz")
        ARCHIVE("tbz") ARCHIVE("tbz2") ARCHIVE("tz") ARCHIVE("deb") ARCHIVE("rpm") ARCHIVE("jar")
        ARCHIVE("war") ARCHIVE("ear") ARCHIVE("sar") ARCHIVE("rar") ARCHIVE("alz") ARCHIVE("ace")
        ARCHIVE("zoo") ARCHIVE("cpio") ARCHIVE("7z") ARCHIVE("rz") ARCHIVE("cab") ARCHIVE("wim")
        ARCHIVE("swm") ARCHIVE("dwm") ARCHIVE("esd")
        MEDIA("avif") MEDIA("jpg") MEDIA("jpeg") MEDIA("mjpg") MEDIA("mjpeg") MEDIA("gif") MEDIA("bmp")
        MEDIA("pbm") MEDIA("pgm") MEDIA("ppm") MEDIA("tga") MEDIA("xbm") MEDIA("xpm") MEDIA("tif")
        MEDIA("tiff") MEDIA("png") MEDIA("svg") MEDIA("svgz") MEDIA("mng") MEDIA("pcx") MEDIA("mov")
        MEDIA("mpg") MEDIA("mpeg") MEDIA("m2v") MEDIA("mkv") MEDIA("webm") MEDIA("webp") MEDIA("ogm")
        MEDIA("mp4") MEDIA("m4v") MEDIA("mp4v") MEDIA("vob") MEDIA("qt") MEDIA("nuv") MEDIA("wmv")
        MEDIA("asf") MEDIA("rm") MEDIA("rmvb") MEDIA("flc") MEDIA("avi") MEDIA("fli") MEDIA("flv")
        MEDIA("gl") MEDIA("dl") MEDIA("xcf") MEDIA("xwd") MEDIA("yuv") MEDIA("cgm") MEDIA("emf")
        MEDIA("ogv") MEDIA("ogx")
        AUDIO("aac") AUDIO("au") AUDIO("flac") AUDIO("m4a") AUDIO("mid") AUDIO("midi") AUDIO("mka")
        AUDIO("mp3") AUDIO("mpc") AUDIO("ogg") AUDIO("ra") AUDIO("wav") AUDIO("oga") AUDIO("opus")
        AUDIO("spx") AUDIO("xspf")
        BACKUP("~") BACKUP("#") BACKUP(".bak") BACKUP(".old") BACKUP(".orig") BACKUP(".part") BACKUP(".rej")
        BACKUP(".swp") BACKUP(".tmp") BACKUP(".dpkg-dist") BACKUP(".dpkg-old") BACKUP(".ucf-dist")
        BACKUP(".ucf-new") BACKUP(".ucf-old") BACKUP(".rpmnew") BACKUP(".rpmorig") BACKUP(".rpmsave");
/* clang-format on */

const char *const lsr_color_terminals[] = {
        "Eterm", "ansi",    "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin",  "*direct*", "dtterm",
        "gnome", "hurd",    "jfbterm", "konsole",          "kterm",  "linux",   "linux-c", "mlterm",   "putty",
        "rxvt*", "screen*", "st",      "terminator",       "tmux*",  "vt100",   "xterm*",  NULL,
};
