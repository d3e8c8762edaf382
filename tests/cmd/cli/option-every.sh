# engines: sync
# static:
# Every option that --help=all names with every command: each takes it, or refuses it before it looks at its operand.
echo secret >password
python3 - <<'PY'
import re, subprocess

VALUES = {"--sort": "size", "--format": "long", "--quoting-style": "c", "--indicator-style": "none", "--time": "atime",
          "--time-style": "iso", "--bundles": "never", "--io": "sync", "--formats": "tar", "--bundle-format": "tar",
          "--output": "x.tar", "--mtime": "@1", "--columns": "size", "--confine": "auto", "--limit": "time=9", "--encoding": "cp437", "--password-file": "password", "--files-from": "password", "-o": "x.tar"}
COMMANDS = ["listing", "--cat", "--check", "--unpack", "--pack", "--compare", "--diff"]

def run(*args):
    return subprocess.run(["lsr", *args], capture_output=True, text=True, check=False)

forms = 0
# These take such an argument of commands, and another one or none of listings.
TWICE = {"-C": "DIR", "--directory": "DIR", "-o": "FILE"}
for line in run("--help=all").stdout.splitlines():
    m = re.match(r"  (?:(-.)(?:, )?)? *(--[a-z-]+)?(?:[ =]([A-Z:=]+)(?=\s|$)|\[=)?", line)
    for form in m.groups()[:2] if m else ():
        if not form or form in ("--help", "--version"):
            continue
        forms += 1
        value = VALUES.get(form, "1") if m[3] else ""
        word = form + ("=" if value and form.startswith("--") else "") + value
        takes = []
        for command in COMMANDS:
            if form in TWICE and (command == "listing") == (m[3] == TWICE[form]):
                continue
            tree = ["--tree"] if form in ("--level", "--depth") and command == "listing" else []
            got = run(*([] if command == "listing" else [command]), word, *tree, "missing", *["."] * ("--diff" in (command, word)))
            if "' is only for " not in got.stderr and "only one command" not in got.stderr:
                takes.append(command)
            if got.stdout or got.returncode != 2 or (takes[-1:] == [command]) != ("missing'" in got.stderr):
                takes.append("?")
        if takes != ["listing"]:
            print(word + ":", ", ".join(takes))
print(forms, "forms of options")
PY
ls
