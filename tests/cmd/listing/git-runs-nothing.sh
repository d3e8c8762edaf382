# engines: sync
# Whatever the configuration of a repository names as a program leaves a file in $ran when it runs.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 ran="$PWD/ran"
mkdir "$ran" bin
cat >bin/trap-it <<'X'
#!/bin/sh
: >"$ran/$1"
cat
X
chmod +x bin/trap-it
export PATH="$PWD/bin:$PATH"
repository() {
        git init -q "$1"
        (
                cd "$1"
                git config user.email someone@example.org
                git config user.name Someone
                for name in clean process required many.dots with=equals included; do echo "$name" >"$name.f"; done
                git add -A && git commit -qm one
                for name in clean process required many.dots with=equals included; do echo "$name.f filter=$name"; done >.gitattributes
                git add -A && git commit -qm two
        )
}
arm() (
        cd "$1"
        what=$2
        git config filter.clean.clean "trap-it $what-clean"
        git config filter.process.process "trap-it $what-process"
        git config filter.required.clean "trap-it $what-required"
        git config filter.required.required true
        git config filter.many.dots.clean "trap-it $what-dots"
        git config filter.with=equals.clean "trap-it $what-equals"
        printf '[filter "included"]\n clean = trap-it %s-included\n' "$what" >.git/more
        git config include.path more
        printf '#!/bin/sh\n: >"%s/%s-fsmonitor"\nexit 1\n' "$ran" "$what" >.git/monitor
        chmod +x .git/monitor
        git config core.fsmonitor "$PWD/.git/monitor"
        git config core.pager "trap-it $what-pager"
        git config diff.external "trap-it $what-diff"
        git config remote.origin.url "$HOME/inner"
        git config remote.origin.uploadpack "trap-it $what-remote </dev/null #"
        git config remote.origin.promisor true
        git config protocol.ext.allow always
        git config protocol.allow always
        for hook in post-index-change pre-commit post-checkout reference-transaction; do
                printf '#!/bin/sh\n: >"%s/%s-%s"\n' "$ran" "$what" "$hook" >.git/hooks/$hook
                chmod +x .git/hooks/$hook
        done
)
repository tree
repository inner
cd tree
git -c protocol.file.allow=always submodule --quiet add "$HOME/inner" sub
git commit -qm three
echo sub-change >>sub/process.f
cd ..
# Content must be compared: the times differ, the sizes do not.
touch -d 2001-01-01 tree/*.f tree/sub/*.f
arm tree tree
git config -f tree/.git/modules/sub/config filter.clean.clean 'trap-it sub-clean'
rm -f "$ran"/*
echo '-- lsr'
lsr --git tree tree/sub
lsr --pack --gitignore --output=packed.tar tree 2>/dev/null
ls "$ran"
echo '-- a missing object of a partial clone is not fetched'
git clone -q --no-local inner partial
touch -d 2001-01-01 partial/*.f
arm partial partial
git -C partial config core.repositoryFormatVersion 1
git -C partial config extensions.partialClone origin
rm -rf partial/.git/objects/pack/* partial/.git/objects/??
rm -f "$ran"/*
lsr --git partial >/dev/null 2>&1
echo "status $?"
ls "$ran"
echo '-- git itself runs'
git -C tree status >/dev/null 2>&1
git -C partial status >/dev/null 2>&1
ls "$ran"
