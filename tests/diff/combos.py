"""combos - the command lines that diff-ls.py tries

Each group is a generator of Case; all() collects them.  The working directory
is the zoo (see zoo.py).  A group that is slow on purpose says so at its head.
"""
import itertools
import random
from dataclasses import dataclass, field

DIRCOLORS = (   # as dircolors -b gives it, shortened
    "rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:so=01;35:do=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:mi=00:su=37;41:"
    "sg=30;43:ca=00:tw=30;42:ow=34;42:st=37;44:ex=01;32:*.tar=01;31:*.tgz=01;31:*.gz=01;31:*.zip=01;31:*.xz=01;31:"
    "*.7z=01;31:*.jpg=01;35:*.png=01;35:*.mp3=00;36:*~=00;90:*#=00;90:*.bak=00;90:")

ODD_COLORS = [
    "", ":", ":::", "di=35", "ln=target", "ln=target:or=31;1", "ln=target:or=31:mi=33;7:ex=32:di=34", "ln=36:or=31:mi=33",
    "or=31", "mi=33", "or=:mi=", "or=0:mi=0", "or=00:mi=00:ln=35", "ln=", "ln=0", "ln=00", "ex=", "ex=0", "ex=00", "ex=32", "fi=33",
    "fi=0:no=0", "no=7", "no=", "no=0", "no=00", "no=1:di=2", "rs=", "rs=m", "rs=0;1", "lc=<:rc=>", "lc=<:rc=>:ec=E", "lc=:rc=:rs=",
    "ec=\\e[0m", "ec=", "cl=", "cl=\\e[K", "cl=X:di=1", "ca=30;41", "ca=", "ca=0", "mh=44;37", "mh=", "mh=44:ex=1", "su=1:sg=2",
    "su=:sg=", "su=0:ex=32", "st=1:ow=2:tw=3", "st=:ow=:tw=:di=9", "st=0:ow=0:tw=0:di=9", "tw=:ow=5:st=6", "pi=1:so=2:do=3:bd=4:cd=5",
    "pi=:so=:bd=:cd=", "*.txt=33", "*.TXT=34", "*.txt=33:*.TXT=34", "*.tar.gz=31:*.gz=32", "*.gz=32:*.tar.gz=31", "*rc=35", "*=36",
    "*.c=1:*.c=2", "*.c=", "*.c=0", "*.c=0:*.h=00", "*~=90:*#=91", "*.sh=5:ex=6", "*.zip=31:ln=target", "*.png=\\e\\x41\\101\\_\\?\\\\\\:",
    "*\\e=1:di=2", "di=^[", "di=^A^?^@", "di=\\a\\b\\f\\n\\r\\t\\v", "di=\\x1b1", "di=\\x4", "di=\\18", "di=\\",
    # malformed
    "di", "di=01;34:foo", "di=1:*.txt", "*.txt", "*", "=1", "d=1", "dix=1", "xx=1", "xx=1:di=2", "di=1:xx=2", "di=1:zz", "di=1;x:yy=3:ln=4",
    "di=1:*.c=\\", "di=^", "di=^\x01", "*.a=1:*.b", "di=1:ln", "DI=1", "di =1", " di=1", "di=1 :ln=2", "é=1", "di=é", "1", "di=1=2",
]

QUOTING = ["literal", "shell", "shell-always", "shell-escape", "shell-escape-always", "c", "c-maybe", "escape", "locale", "clocale"]
TIMEZONES = ["America/New_York", "Asia/Kolkata", "Europe/London", "Australia/Lord_Howe", "Africa/Monrovia", ":bad", "bad/zone", "",
             "EST5EDT,M3.2.0,M11.1.0", "NST3:30", "NST3:30NDT,M3.2.0/0:01,M11.1.0/0:01", "<+0330>-3:30", "UTC0", ":UTC", ":Europe/Paris",
             "AAA24:59:59", "X", "CET-1CEST,J60,J300/26", "/usr/share/zoneinfo/Asia/Tokyo", "right/UTC"]
# single letters that may stand in any mixture
LETTERS = "aABbCcDdFfgGhHiklLmnNopqQrRsStuUvxXZ1"
DIRS = ["types", "names", "versions", "ext", "modes", "devices", "devices-narrow", "attributes", "links", "sizes", "owners", "times",
        "near", "dst", "nested", "empty", "single", "forbidden", "huge/sizes", "huge/times"]


@dataclass
class Case:
    group: str
    args: list
    env: dict = field(default_factory=dict)
    user: bool = False          # as nobody instead of root
    mode: str = "pipe"          # pipe, pty:ROWSxCOLS, closed, full, epipe

    def __post_init__(self):
        self.args = [a if isinstance(a, bytes) else a.encode("utf-8", "surrogateescape") for a in self.args]


def singles():
    """Every option of --help alone, in several values, and each on -l."""
    options = [["-" + letter] for letter in LETTERS] + [
        ["--all"], ["--almost-all"], ["--author"], ["--escape"], ["--ignore-backups"], ["--color"], ["--color=always"], ["--color=yes"],
        ["--color=force"], ["--color=never"], ["--color=no"], ["--color=none"], ["--color=auto"], ["--color=tty"], ["--color=if-tty"],
        ["--directory"], ["--dired"], ["--classify"], ["--classify=always"], ["--classify=never"], ["--classify=auto"], ["--file-type"],
        ["--format=across"], ["--format=commas"], ["--format=horizontal"], ["--format=long"], ["--format=single-column"],
        ["--format=verbose"], ["--format=vertical"], ["--full-time"], ["--group-directories-first"], ["--no-group"],
        ["--human-readable"], ["--si"], ["--dereference-command-line"], ["--dereference-command-line-symlink-to-dir"],
        ["--hide=*.c"], ["--hyperlink"], ["--hyperlink=always"], ["--hyperlink=never"], ["--hyperlink=auto"],
        ["--indicator-style=none"], ["--indicator-style=slash"], ["--indicator-style=file-type"], ["--indicator-style=classify"],
        ["--inode"], ["--ignore=*.c"], ["--kibibytes"], ["--dereference"], ["--numeric-uid-gid"], ["--literal"],
        ["--hide-control-chars"], ["--show-control-chars"], ["--quote-name"], ["--reverse"], ["--recursive"], ["--size"],
        ["--sort=none"], ["--sort=size"], ["--sort=time"], ["--sort=version"], ["--sort=extension"], ["--sort=width"],
        ["--time=atime"], ["--time=access"], ["--time=use"], ["--time=ctime"], ["--time=status"], ["--time=birth"], ["--time=creation"],
        ["--tabsize=4"], ["-T4"], ["--width=60"], ["-w60"], ["--context"], ["--zero"], ["-f", "-l"], ["-l", "-f"]]
    for option, where in itertools.product(options, ("types", "names", "nested", "links", ".")):
        if where == "." and option[0] in ("-R", "--recursive"):
            continue
        yield Case("single", option + [where])
        if where in ("types", "links"):
            yield Case("single", ["-l"] + option + [where])
    for where in DIRS:
        for option in ("-l", "-la", "-C", "-w80 -Cx", "-sF", "-RF", "-m -w70", "-li --full-time", "-lU"):
            yield Case("dirs", option.split() + [where])


def pairs():
    """All pairs of letters, plain and on -l; the order of the two alternates."""
    for i, (a, b) in enumerate(itertools.combinations(LETTERS, 2)):
        both = a + b if i % 2 else b + a
        yield Case("pair", ["-" + both, "types"])
        yield Case("pair-l", ["-l" + both, ("types", "links", "names")[i % 3]])


def sorting():
    keys = [["-t"], ["-S"], ["-v"], ["-X"], ["-U"], ["-f"], ["--sort=width"], ["--sort=name"], [], ["-tu"], ["-tc"], ["-t", "--time=birth"],
            ["-c"], ["-u"], ["-lc"], ["-lu"], ["-ltu"], ["-ltc"], ["--time=birth"], ["-l", "--time=birth"], ["-lSc"], ["-St"], ["-tS"], ["-vX"],
            ["-Xv"], ["-US"], ["-SU"], ["-fS"], ["-ft"], ["-vc"], ["-cv"], ["-u", "--sort=version"], ["--sort=time", "-S"]]
    for key in keys:
        for where in ("names", "versions", "ext", "sizes", "times", "types", "huge/times", "huge/sizes"):
            yield Case("sort", key + ["-1a", where])
        for more in (["-r"], ["-A", "--group-directories-first"], ["-r", "--group-directories-first"], ["-rL", "--group-directories-first"],
                     ["-d", "types", "file", "versions", "to-dir", "to-file", "links"], ["--group-directories-first", "-F", "nested"]):
            yield Case("sort", key + ["-A"] + more + ([] if "-d" in more else ["types", "versions"]))
    # Blanks beside quoted names count as width.
    for args in ("-C -w80", "-x -w60", "-l", "-1", "-C -w0", "-m", "-R"):
        for where in (["types"], ["types", "empty", "ext"], ["nested"], ["file two", "file", "types"]):
            yield Case("sort-width", args.split() + ["--sort=width", "--quoting-style=shell-escape"] + where)
            yield Case("sort-width", args.split() + ["-r", "--sort=width"] + where, mode="pty:24x80")
    for key in ("-S", "-t", "-X", "-v", "-U", "--sort=width"):
        yield Case("sort-many", [key, "many"])
        yield Case("sort-many", ["-l", key, "-r", "many"])


def long_formats():
    sizes = ["1", "1K", "K", "KB", "KiB", "kB", "k", "kiB", "M", "MB", "MiB", "m", "G", "T", "P", "E", "1024", "512", "1000", "10M", "3", "7K",
             "human-readable", "human", "hum", "si", "s", "'1", "'1K", "'K", "'", "'si", "'human-readable", "1x", "", "0", "0K", "-1", "+1",
             " 1", "1 ", "1Y", "1Z", "Y", "1E", "16E", "8E", "0x10", "010", "K1", "1KiBx", "1b", "1c", "1w", "KBB",
             # not 18446744073709551615: rounding up, GNU ls adds to it and overflows
             "18446744073709551616", "R", "1Q", "1g", "1t", "1KK"]
    for size in sizes:
        for option in (["-l"], ["-s"], ["-ls"], ["-lsk"], ["-lsh"]):
            yield Case("block-size", option + ["--block-size=" + size, "sizes"])
        yield Case("block-size", ["-ls", "--block-size=" + size, "huge/sizes"])
        yield Case("block-size", ["--block-size=" + size])
        for variable in ("LS_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"):
            yield Case("block-env", ["-ls", "sizes"], {variable: size})
        yield Case("block-env", ["-s", "sizes"], {"BLOCK_SIZE": size, "POSIXLY_CORRECT": "1"})
    for args in ("-s", "-ls", "-lsk", "-sk", "-lsh", "-lh --si", "-l --si -h", "-lhk", "-lkh", "-sk --block-size=M", "-s --block-size=M -k", "-h",
                 "-sh", "--si -s", "-sS -w40", "-lh", "-l --si", "-sk -m", "-hs -m"):
        for env in ({}, {"POSIXLY_CORRECT": "1"}, {"POSIXLY_CORRECT": ""}, {"BLOCKSIZE": "2K"}, {"LS_BLOCK_SIZE": "si", "BLOCK_SIZE": "1"},
                    {"BLOCK_SIZE": "human-readable", "BLOCKSIZE": "1"}):
            yield Case("block-mix", args.split() + ["sizes"], env)
        yield Case("block-mix", args.split() + ["huge/sizes"])
    columns = ["-l", "-n", "-g", "-o", "-lG", "-go", "-gG", "-gn", "-on", "-l --author", "-n --author", "-g --author", "-o --author", "-lgG --author",
               "-li", "-lis", "-lZ", "-ZC", "-Z1", "-lZi --author", "-lF", "-lp", "-l --file-type", "-lL", "-lH", "-ld", "-lQ", "-lN", "-lb", "-lq", "-l --zero",
               "-lD", "-lDR", "-lD -Q", "-lD --quoting-style=escape", "-Dl --hyperlink=always", "-lD --zero", "-D -1", "-lDi", "-lDsF", "-lDL",
               "-l --color=always", "-li --color=always -F", "-l1", "-1l", "-lC", "-Cl", "-lm", "-lx", "-g1", "-1g", "-n1C", "-l --format=commas",
               "--format=long -1", "-ls --zero", "-lRD", "-lT4", "-l -w10", "-l -r"]
    for option, where in itertools.product(columns, ("types", "links", "devices", "devices-narrow", "attributes", "owners", "modes", "names")):
        yield Case("long", option.split() + [where])
    for option in ("-l", "-lL", "-lF", "-l --color=always", "-lh", "-lR", "-lD"):
        yield Case("long-dirs", option.split() + ["types", "devices", "file", "to-dir", "to-file", "empty"])


def times():
    styles = ["full-iso", "long-iso", "iso", "locale", "posix-long-iso", "posix-full-iso", "posix-iso", "posix-locale", "posix-posix-iso", "posix-+%Y",
              "f", "l", "i", "long", "loc", "lo", "", "bogus", "posix-", "posix-bogus", "+", "+x", "+%s", "+%s.%N", "+%N %-N %_N %3N %6N %12N %1N",
              "+%Y-%m-%d %H:%M", "+%-d|%_d|%d|%e|%-e|%0e", "+%_H|%-H|%H|%k|%-k|%l|%I|%-I|%0l", "+%^b|%b|%B|%^B|%h|%#b|%^a|%#A|%A|%a", "+%z|%:z|%::z|%:::z|%::::z",
              "+%Z|%^Z|%#Z|%10Z|%-10Z|%_10Z", "+%10Y|%+10Y|%-Y|%_6Y|%06Y|%+4Y|%2Y", "+%C|%y|%G|%g|%V|%U|%W|%j|%u|%w", "+%c|%x|%X|%r|%p|%P|%^p|%#p",
              "+%D|%F|%+F|%10F|%T|%R", "+%n|%t|%%|%5%|%5n|%5t", "+%E|%EY|%Ey|%Ec|%EC|%Ex|%EX|%Od|%Oe|%OH|%Om|%Oy|%OS|%OB|%Ob", "+%Q|%J|%i|%f|%L|%K|%v|%1", "+trailing %",
              "+%q", "+%_10s|%010s|%-s|%+s|%20s", "+%_z|%-z|%10z|%_10z|%-:z|%010:z|%_10:z", "+%300Y", "+%S|%-S|%_S|%3S|%M|%_M|%-M", "+%3d|%_3d|%-3d|%03d|%3e", "+%^Ec|%^c|%#c",
              "+%20B|%-20B|%020B|%^20B", "+%_5y|%5C|%-C|%_C", "+old %Y\nnew %m", "+\n", "+%F\n", "+\n%T", "+a\nb\nc", "+é %A 日本", "+\t%Y", "+%e\x1b[1m", "+%+10s", "+%+C|%+5C|%+G|%+y",
              "+%99999999999Y"[:9]]
    for style in styles:
        for where in ("times", "near"):
            yield Case("time-style", ["-l", "--time-style=" + style, where])
        yield Case("time-env", ["-l", "near"], {"TIME_STYLE": style})
        yield Case("time-env", ["-C", "near"], {"TIME_STYLE": style})
    for style in ("+%c|%C|%Y|%G|%V|%j|%a|%s|%N|%y|%+4Y|%F|%e", "full-iso", "long-iso", "locale", "iso", "+%10Y|%-Y|%_Y|%:z|%Z"):
        for zone in (None, "Asia/Kolkata", "America/New_York"):
            yield Case("time-huge", ["-la", "--time-style=" + style, "huge/times"], {"TZ": zone} if zone else {})
    for zone in TIMEZONES:
        for args in ("-l dst", "--full-time dst", "-l near", "--full-time times", "-l --time-style=+%Z|%:z|%::z|%c|%s dst", "--full-time -a huge/times"):
            yield Case("timezone", args.split(), {"TZ": zone})
    for which in ("atime", "access", "use", "ctime", "status", "birth", "creation", "mtime", "modification", "a", "b", "c", "u", "cr", "s", "bogus", ""):
        yield Case("time", ["--full-time", "--time=" + which, "times"])
        yield Case("time", ["-lt", "--time=" + which, "near", "links"])
    for args in ("--full-time -lc", "--full-time --time-style=iso", "--time-style=iso --full-time", "-l --full-time -g", "-og --full-time", "--full-time -C", "-C --full-time",
                 "-lu --full-time", "-lut", "-luL", "-lcr", "-x --full-time", "--full-time --time=birth -t", "--time-style=+%s"):
        yield Case("time", args.split() + ["times"])
        yield Case("time", args.split() + ["types", "links"], {"TIME_STYLE": "long-iso"})


def names():
    for style in QUOTING:
        for more in ([], ["-C", "-w80"], ["-x"], ["-m"], ["-1a"], ["-l"], ["-F"], ["-q"], ["--show-control-chars"], ["-s"], ["-R"], ["--zero"],
                     ["--color=always"], ["--hyperlink=always"], ["-Q"], ["-C", "-w0"], ["-Nq"]):
            yield Case("quoting", ["--quoting-style=" + style] + more + ["names"])
            yield Case("quoting-env", more + ["names"], {"QUOTING_STYLE": style})
        yield Case("quoting", ["--quoting-style=" + style, "-l", "links", "nested"])
        yield Case("quoting", ["--quoting-style=" + style, "-R", "nested"])
        yield Case("quoting", ["--quoting-style=" + style, "-lR", "nested/two dirs"])
        yield Case("quoting", ["--quoting-style=" + style, "-d", "", "a:b", "file two", "no such 'file'", "-l"])
    for style in ("bogus", "", "shel", "shell-e", "cl", "l", "e"):
        yield Case("quoting-bad", ["--quoting-style=" + style, "single"])
        yield Case("quoting-bad", ["single"], {"QUOTING_STYLE": style})
    for args in ("-N", "-b", "-q", "-Q", "-Qb", "-bQ", "-NQ", "-QN", "-Nq", "-qN", "-bq", "-qb", "-Qq", "-q --show-control-chars", "--show-control-chars -q", "-NbQ", "-QNb"):
        for more in ("-1", "-C -w100", "-m", "-x", "-l", "-aF", "--zero"):
            yield Case("quoting-flags", args.split() + more.split() + ["names"])
    for hide in ("*.txt", "[a-c]*", ".*", "*~", "a[", "\\*", "?", "[[:upper:]]*", "*é*", "*\n*", "", "*", "[!a-z]*", "*'*", "??", "*[\xe9]", "+(a)", "[a"):
        for option in ("-I", "--hide="):
            for more in ([], ["-a"], ["-A"], ["-B"]):
                yield Case("ignore", [option + hide] + more + ["-1", "names"])
        yield Case("ignore", ["-I", hide, "--hide=*c", "-BR", "nested", "ext"])
    for args in ("-aA", "-Aa", "-aB", "-BA", "-B", "-A", "-a", "-f", "-fA", "-Af", "-lB", "-I a* -I b*", "--hide=a* --hide=.*", "--ignore=*~ -a", "-I x -U"):
        for where in ("names", "ext", "versions", "nested", "empty"):
            yield Case("hidden", args.split() + [where])


def columns():
    for shape, width, where in itertools.product(("-C", "-x", "-m"), ("1", "3", "20", "40", "80", "132", "200", "0"), ("types", "names", "versions", "ext")):
        for more in ([], ["-s"], ["-i"], ["-F"], ["--color=always"], ["-T0"], ["-T4"], ["-asiF", "--color=always", "-T1"], ["-r", "-Z"]):
            yield Case("columns", [shape, "-w" + width] + more + [where], {"LS_COLORS": DIRCOLORS})
    for width in ("abc", "-1", "", "99999999999999999999", "0x20", "010", "4294967296", "1 ", "+30", "65536", "18446744073709551615", "30k"):
        yield Case("columns-value", ["-C", "-w", width, "ext"])
        yield Case("columns-value", ["-C", "ext"], {"COLUMNS": width})
        yield Case("columns-value", ["-x", "--width=" + width, "ext"])
        yield Case("columns-value", ["-C", "-T", width, "ext"])
        yield Case("columns-value", ["-C", "ext"], {"TABSIZE": width})
        yield Case("columns-value", ["-1", "ext"], {"COLUMNS": width, "TABSIZE": width, "QUOTING_STYLE": "c"})
    for columns in ("0", "20", "60", "131"):
        for args in ("-C", "-x", "-m", "-C -w30", "-l", "-CT0", "-C -T16", ""):
            yield Case("columns-env", args.split() + ["ext"], {"COLUMNS": columns})
            yield Case("columns-env", args.split() + ["types"], {"COLUMNS": columns, "TABSIZE": "4"})
            yield Case("columns-env", args.split() + ["types"], {"COLUMNS": columns, "POSIXLY_CORRECT": "1", "TABSIZE": "4"})
    for args in ("-C", "-x -w150", "-m -w77", "-C -w0", "-x -w0", "-m -w0", "-CsiF -w300"):
        yield Case("columns-many", args.split() + ["many"])


def wrapping():
    """Where a row meets the end of the output buffer depends on the length of all rows before it."""
    for shape, width, order in itertools.product(("-go", "-goi", "-gos", "-gon --full-time", "-l", "-loi", "-lZ", "-C", "-m"), ("60", "80", "120", "200"), ("", "-r", "-S")):
        args = [*shape.split(), "-w" + width, *order.split(), "--color=always", "wrapping"]
        yield Case("wrapping", args, {"LS_COLORS": DIRCOLORS})


def colors():
    for value in ODD_COLORS:
        env = {"LS_COLORS": value}
        yield Case("colors", ["--color=always", "-a", "types"], env)
        yield Case("colors", ["--color=always", "-l", "links", "attributes"], env)
        yield Case("colors", ["--color=always", "-CFs", "-w80", "modes", "links"], env)
        yield Case("colors", ["--color=always", "-R", "nested", "ext"], env)
        yield Case("colors", ["--color=always", "-dL", "types", "to-nothing", "to-dir", "to-file", "file", "nope"], env)
        yield Case("colors", ["--color=never", "types"], env)
    for args in ("-1", "-l", "-lL", "-L", "-C -w80", "-x -w60", "-m", "-F", "-p", "-lF", "-s", "-iR", "-d", "-ld", "-lH", "-Q", "-b", "-lZ", "-U", "-f", "--zero", "-lD", "--hyperlink=always",
                 "-l --hyperlink=always", "-C --hyperlink=always -w40", "-1 --quoting-style=shell-escape", "-t", "-C -w80 --quoting-style=shell-escape"):
        for where in ("types", "names", "links", "modes", "ext"):
            yield Case("color-mix", ["--color=always"] + args.split() + [where], {"LS_COLORS": DIRCOLORS})
        yield Case("color-mix", ["--color=always"] + args.split() + ["types", "links"], {"LS_COLORS": "no=1:fi=2:lc=<:rc=>:ec=END:ln=target:or=7:mi=8:*.c=cc:ca=9"})
    for env in ({"TERM": "xterm-256color"}, {"TERM": "dumb"}, {"TERM": "unknown"}, {"TERM": ""}, {"COLORTERM": "truecolor"}, {"COLORTERM": ""},
                {"TERM": "dumb", "COLORTERM": "1"}, {"NO_COLOR": "1", "TERM": "xterm"}, {"CLICOLOR_FORCE": "1"}, {"TERM": "dumb", "LS_COLORS": ""}, {"TERM": "xterm", "LS_COLORS": ""}):
        yield Case("color-env", ["--color=always", "types"], env)
        yield Case("color-env", ["--color", "-l", "links"], env)
        yield Case("color-env", ["-l", "links"], env)
    # What is asked of the environment, and complained of, in GNU's order.
    for env in ({"COLUMNS": "bogus"}, {"COLUMNS": "-1", "TERM": "xterm"}, {"COLUMNS": "x", "LS_COLORS": "zz=1", "TABSIZE": "x", "QUOTING_STYLE": "x"},
                {"LS_COLORS": "zz=1", "TIME_STYLE": "bogus"}, {"LS_COLORS": "zz=1", "TIME_STYLE": "iso", "COLUMNS": "x"}):
        for args in ("-l --color", "-1 --color", "-C --color", "-x --color -w40", "-lD --zero --color", "-l", "--color=auto -l"):
            yield Case("color-env", args.split() + ["types"], env)
    for args in ("-f --color=always", "--color=always -f", "-lf --color", "--color=always -lf -F", "--color --color=never", "--color=never --color", "-U --color"):
        yield Case("color-env", args.split() + ["types"])


def hyperlinks():
    for args in ("--hyperlink", "--hyperlink=always -l", "--hyperlink=always -lL", "--hyperlink=always -F", "--hyperlink=always -R", "--hyperlink=always -d", "--hyperlink=always -C -w60",
                 "--hyperlink=always -x", "--hyperlink=always -m", "--hyperlink=always -Q", "--hyperlink=always -f", "-f --hyperlink=always", "--hyperlink=always --zero"):
        for where in (["types"], ["names"], ["links"], ["file", "types/", "./nested/../ext"], ["to-dir", "to-file", "to-nothing"], ["/usr/bin/env"], ["", "nope", "", "types"]):
            yield Case("hyperlink", args.split() + where)


def operands():
    sets = [
        ["nope"], ["nope", "nope2", "file"], ["types", "nope"], ["file", "types", "to-dir", "nope", "empty"], ["empty"], ["empty", "empty"], ["empty", "single"],
        ["file"], ["file", "file"], ["./file", "file", ".//file"], ["types/", "types"], ["to-dir"], ["to-dir/"], ["to-file"], ["to-file/"], ["to-nothing"], ["to-nothing/"],
        ["to-loop"], ["to-loop/"], ["links/self", "links/loop1/x"], ["file/"], ["file/x"], [""], ["", "file"], ["."], [".", "empty"], ["./."], ["--", "-l"], ["--", "-l", "-x"],
        ["--", "--"], ["-"], ["x" * 256], ["x" * 255], ["a/" * 2100], ["./" * 2000 + "file"], ["./" * 2060 + "file"], ["/"  * 30 + "dev/null"], ["/dev/null", "/dev/zero"],
        ["file two", "file"], ["names/a\nb", "names/'"], [b"names/latin1-\xe9", b"nope\xe9", "nope\n'q'"], ["nope a", "nope'b", "nope\x1b[1m", "nope日"],
        ["links/to-dir", "links/to-dir-slash", "links/file", "links/dangling", "links/chain1"], ["links/*"], ["empty", "types", "file", "nested", "versions"],
        ["to-dir", "types", "to-dir"], ["single", "empty", "single"], ["types/regular", "types/hardlink"], ["devices/c1-3", "file"], ["huge"], ["huge/"], ["~"], ["names/~"]]
    for operand in sets:
        for args in ([], ["-l"], ["-d"], ["-F"], ["-lF"], ["-ld"], ["-H"], ["-L"], ["-lH"], ["-lL"], ["-R"], ["-1a"], ["-s"], ["-i"], ["-t"], ["-U"],
                     ["--dereference-command-line-symlink-to-dir"], ["-l", "--dereference-command-line-symlink-to-dir"], ["-p"], ["--file-type", "-i"], ["-C"], ["-m"],
                     ["-f"], ["-dF", "--color=always"], ["-Z"], ["-lD"], ["-Ss"], ["--zero"], ["-dH"], ["-ldL"], ["-g", "--group-directories-first"]):
            yield Case("operand", args + operand)
    yield Case("permute", ["types", "-l"])
    yield Case("permute", ["types", "-l"], {"POSIXLY_CORRECT": "1"})
    yield Case("permute", ["types", "--", "-l"])
    yield Case("permute", ["-l", "types", "-r", "ext", "-a"])


def recursion():
    for args in ("-R", "-lR", "-aR", "-AR", "-RF", "-sR", "-iR", "-CR -w60", "-mR", "-xR", "-RL", "-lRL", "-RH", "-Rd", "-Rr", "-RU", "-Rt", "-RS", "-RX", "-Rv", "-RQ", "-Rb", "-RD", "-lRD", "-R1",
                 "-R --color=always", "-R --hyperlink=always", "-RB", "-R -I x", "-R --hide=one", "-R --group-directories-first", "-R --zero", "-lR --full-time", "-RZ", "-Rf", "-RN"):
        for where in (["nested"], ["nested", "types"], ["nested/one", "nested/self"], ["types/dir", "empty", "file"]):
            yield Case("recurse", args.split() + where)
    for args in ("-R", "-lR", "-RL"):
        yield Case("recurse-all", args.split() + ["-I", "many", "-I", "huge", "."])
        yield Case("recurse-deep", args.split() + ["deep"])
    for args in ("-lR", "-laR", "-RF", "-siRC"):
        yield Case("recurse-zoneinfo", args.split() + ["/usr/share/zoneinfo"])
    yield Case("usr", ["-l", "--color=always", "/usr/bin", "/usr/lib"], {"LS_COLORS": DIRCOLORS})
    yield Case("usr", ["-LF", "/usr/bin"])
    yield Case("usr", ["-lR", "/usr/share/doc/coreutils", "/usr/share/locale"])
    for args in ("-l", "-f", "-a", "-sC", "-F --color=always", "-i"):
        yield Case("many", args.split() + ["many"])


def wrong():
    lines = ["-E", "--nope", "-l --nope=x", "--sort=bogus", "--sort=", "--sort", "--time=bogus", "--time-style=bogus", "--time-style", "-w abc", "-w", "-T x", "-T", "-I", "--hide", "--block-size=1x",
             "--block-size", "--s", "--si=1", "--color=foo", "--color=", "--rev", "--alm", "--colo", "--colo=always", "--color=al", "--color=a", "--color=n", "--color=f", "--hyperlink=foo", "--classify=foo",
             "--format=foo", "--format=", "--format=l", "--format=v", "--format=ver", "--format=ac", "--indicator-style=foo", "--indicator-style=f", "--quoting-style=foo", "--quoting-style=s", "--all=1",
             "--full", "--fu", "--f", "--g", "--gr", "--no", "--n", "--a", "--al", "--au", "--b", "--c", "--con", "--d", "--dir", "--dire", "--dired", "--de", "--dereference-command-line-s", "--dereference-c",
             "--e", "--h", "--hid", "--hide=", "--hide-", "--hu", "--hy", "--i", "--ig", "--ignore-", "--in", "--ind=slash", "--ino", "--k", "--l", "--li", "--num", "--q", "--quote", "--quoti=c", "--r", "--re", "--rec",
             "--sh", "--siz", "--so=s", "--t", "--ti", "--time", "--time=", "--ta=4", "--w", "--w=40", "--z", "--ve=1", "--he=1", "-j", "-J", "-e", "-K", "-M", "-O", "-P", "-V", "-W", "-y", "-Y", "-z", "-1E", "-lE", "-?", "-é", "-9", "-0",
             "--ver-", "--st", "--stats", "--tree", "--json", "--icons=always", "--titles", "--git", "--io=sync", "--bundles=auto", "--no-cache", "--acl", "--total-size", "--level=2", "--pack", "--pa", "--un", "--ca", "--ch", "--com", "--comp",
             "--au=x", "--no-gr", "--au -l", "--hyperlink=", "--classify=", "--zero=1", "--zero -C", "-C --zero", "--zero -x", "-m --zero", "--zero -l", "-l --zero -D", "--zero --color=always", "--zero -b", "-w -5", "-w5x", "-T-1",
             "-l --width=", "--tabsize=", "--ignore", "--author=1", "-l --group-directories", "--sort=v", "--sort=e", "--sort=t", "--sort=n", "--sort=si", "--sort=name", "--time=mod", "-XX", "-l-", "-l-a", "---", "--=", "--=x", "-lll"]
    ours = {"--stats", "--tree", "--json", "--icons=always", "--titles", "--git", "--io=sync", "--bundles=auto", "--no-cache", "--acl", "--total-size",
            "--level=2", "--pack", "--pa", "--un", "--ca", "--ch", "--com", "--comp"}      # more than GNU, on purpose
    for line in lines:
        if line not in ours:
            yield Case("wrong", line.split() + ["single"])
            yield Case("wrong-last", line.split())
    for style in ("", "x", "bogus"):
        for name in ("TIME_STYLE", "QUOTING_STYLE", "COLUMNS", "TABSIZE", "LS_BLOCK_SIZE"):
            for args in ("-l", "-1", "-C"):
                yield Case("wrong-env", [args, "single"], {name: style})
    for args in (["-\xe9"], ["-l\x01"], ["--\x1b"], ["--sort=\x1b[1m"], ["--sort=it's"], ["-w", "a b"], ["--block-size=\n"], ["-w", "é"]):
        yield Case("wrong", args)


def locales():
    """The variables of the locale against each other; LC_ALL off."""
    for env in ({"LC_ALL": "", "LC_CTYPE": "C.UTF-8"}, {"LC_ALL": "", "LANG": "en_US.UTF-8", "LC_COLLATE": "C"}, {"LC_ALL": "", "LANG": "en_US.UTF-8"},
                {"LC_ALL": "", "LANG": "C", "LC_TIME": "en_US.UTF-8"}, {"LC_ALL": "", "LC_COLLATE": "en_US.UTF-8"}, {"LC_ALL": "xx_BAD"}, {"LC_ALL": ""}, {"LC_ALL": "POSIX"},
                {"LC_ALL": "", "LANG": "xx_BAD", "LC_CTYPE": "C.UTF-8"}, {"LC_ALL": "", "LC_NUMERIC": "en_US.UTF-8"}, {"LC_ALL": "en_US.utf8"}, {"LC_ALL": "c.utf8"}, {"LC_ALL": "", "LC_MESSAGES": "en_US.UTF-8"}):
        for args in ("-1a", "-l", "-C -w80", "-Q", "-b", "-q", "--quoting-style=locale", "-X", "-r", "-lS --block-size='1", "nope", "--sort=bogus"):
            yield Case("locale-env", args.split() + ["names"], env)
            yield Case("locale-env", args.split() + ["near", "sizes"], env)


def ordinary_user():
    tops = [f"forbidden/{own}d{mode}" for own in ("", "own-") for mode in ("0000", "0111", "0444", "0555", "0755", "0333")]
    inner = ["forbidden/d0000/a", "forbidden/d0444/a", "forbidden/d0111/a", "forbidden/d0111/sub", "forbidden/own-d0000/x", "forbidden/link-to-closed", "forbidden/link-to-names"]
    for args in ("", "-1", "-l", "-la", "-a", "-A", "-F", "-p", "--file-type", "-s", "-i", "-d", "-ld", "-R", "-lR", "-laR", "-L", "-lL", "-H", "-t", "-S", "-U", "-f", "-X", "-v", "-Z", "-lZ", "-C", "-m", "-x", "-li", "-ls", "-n", "-lh",
                 "--color=always", "-l --color=always", "-lF --color=always", "-aF --color=always", "--group-directories-first", "--hyperlink=always", "-l --hyperlink=always", "-Q", "-lD", "--zero", "--full-time", "-r",
                 "-lt", "-lS", "-ltr", "-lu", "-lT0", "-lsi", "--si -l", "-g", "-o", "-l --author", "-RF", "-Rs", "-Ri", "-lLR", "--dereference-command-line-symlink-to-dir"):
        for where in tops:
            yield Case("user", args.split() + [where], {"LS_COLORS": DIRCOLORS}, user=True)
        yield Case("user", args.split() + ["forbidden"], user=True)
        yield Case("user", args.split() + tops, user=True)
        yield Case("user", args.split() + inner, user=True)
        yield Case("user", args.split() + ["types", "attributes"], user=True)
    for value in ("ln=target", "or=31:mi=32", "di=1:ex=2:fi=3:no=4", "mi=", "ca=1:mh=2", "ow=:st=:tw="):
        for args in ("-a", "-l", "-F", "-lL"):
            yield Case("user-colors", ["--color=always", args] + tops, {"LS_COLORS": value}, user=True)


def terminal():
    lines = ["", "-l", "-a", "-la", "-C", "-x", "-m", "-1", "-F", "-R", "-s", "-i", "-lh", "-Q", "-b", "-q", "-N", "--show-control-chars", "--color=auto", "--color=auto -l", "--color=tty -F", "--hyperlink=auto", "--classify=auto",
             "-w40", "-w0", "-T0", "-T4", "-d", "-f", "-t", "--zero", "--quoting-style=shell", "--quoting-style=literal", "--quoting-style=escape", "--format=commas", "-lD", "-U --color=auto", "--color=auto -R", "-lf --color=auto", "-g1"]
    for size in ("24x80", "24x132", "10x20", "0x0"):
        for line in lines:
            for where in (["types"], ["names"], ["ext", "file", "links"]):
                yield Case("terminal", line.split() + where, {"LS_COLORS": DIRCOLORS, "TERM": "xterm-256color"}, mode="pty:" + size)
    for env in ({"COLUMNS": "50"}, {"COLUMNS": "bad"}, {"COLUMNS": "0"}, {"QUOTING_STYLE": "c"}, {"QUOTING_STYLE": "bad"}, {"POSIXLY_CORRECT": "1"}, {"NO_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}, {"TERM": "dumb"},
                {"TERM": "xterm"}, {"LS_COLORS": "bad"}, {"LS_COLORS": "di=1:rs=0;0"}, {"LS_COLORS": "lc=<:rc=>"}):
        for line in ("", "--color=auto", "-l --color=auto"):
            yield Case("terminal-env", line.split() + ["types"], env, mode="pty:24x80")
    yield Case("terminal", ["many"], mode="pty:24x80")
    yield Case("terminal", ["--color=auto", "nope", "types", "forbidden"], {"LS_COLORS": DIRCOLORS}, user=True, mode="pty:24x80")


def broken_output():
    for mode in ("closed", "full", "epipe"):
        for args in ("types", "-l types", "empty", "-R nested", "nope", "many", "-l many", "--color=always types", "nope types", "-d .", "--nope", "-lD types"):
            if mode == "epipe" and args == "-l many":
                continue        # which of signal and stderr comes first is not defined
            yield Case("output", args.split(), mode=mode)


def mixtures():
    """Three to six options at random, the same ones on each run."""
    rng = random.Random(91)
    longs = ["--color=always", "--group-directories-first", "--si", "--full-time", "--author", "--zero", "--file-type", "--hyperlink=always", "-w50", "-T0", "--block-size=K", "--time=atime", "--time=birth",
             "--quoting-style=shell-escape", "--quoting-style=c", "--time-style=long-iso", "--sort=width", "--hide=*.c", "-I*a*", "--indicator-style=slash", "--show-control-chars", "--dereference-command-line-symlink-to-dir", "-w0"]
    for _ in range(900):
        args = ["-" + rng.choice(LETTERS) for _ in range(rng.randint(1, 4))] + rng.sample(longs, rng.randint(1, 3))
        rng.shuffle(args)
        where = rng.sample(DIRS + ["file", "to-dir", "to-file", "nope"], rng.choice((1, 1, 1, 2, 3)))
        env = {"LS_COLORS": rng.choice(ODD_COLORS)} if rng.random() < 0.3 else {"LS_COLORS": DIRCOLORS}
        yield Case("mixture", args + where, env, user=rng.random() < 0.2)


def all_cases():
    groups = (singles, pairs, sorting, long_formats, times, names, columns, wrapping, colors, hyperlinks, operands, recursion, wrong, locales,
              ordinary_user, terminal, broken_output, mixtures)
    return [case for group in groups for case in group()]
