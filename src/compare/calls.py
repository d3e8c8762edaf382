#!/usr/bin/env python3
"""calls - names of the system calls of the machine that is compiled for

    calls.py OUTPUT COMPILER...

The kernel's own header has them; the compiler knows where it is and which part of it counts.
"""

import re
import subprocess
import sys


def main():
    output, compiler = sys.argv[1], sys.argv[2:]
    macros = subprocess.run(
        [*compiler, "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
        stdout=subprocess.PIPE, check=True, text=True,
    ).stdout  # fmt: skip
    names = sorted(set(re.findall(r"^#define __NR_(\w+) ", macros, re.M)) - {"syscalls", "arch_specific_syscall"})
    if "read" not in names:
        sys.exit("calls.py: no names in <asm/unistd.h>")
    with open(output, "w", encoding="ascii") as f:
        f.write("/* Made by calls.py. */\n#include <asm/unistd.h>\n\nstatic const char *const call_names[] = {\n")
        f.writelines(f'        [__NR_{name}] = "{name}",\n' for name in names)
        f.write("};\n")


main()
