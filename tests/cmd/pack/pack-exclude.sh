# --exclude in the ways that tar and gitignore have it.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir -p home/secret/old home/work/secret home/work/a/x/y 'home/[odd]' other; ln -s secret home/link
touch home/secret/key home/secret/old/key home/work/secret/key home/work/file.o home/top.o home/work/a/b home/work/a/x/b \
        home/work/a/x/y/b 'home/[odd]/f' other/secret home/.hidden

# What is left out, of all that there is.
left() {
        local n=$1; shift
        lsr --pack "$@" --force --bundle-format=tar --output=out.tar 2>err; echo "$* => $?"; grep -v 'bytes out' err
        comm -23 <(find $n -mindepth 1 | sort) <(tar -tf out.tar | sed 's,/$,,' | sort) | tr '\n' ' '; echo
}
for p in secret secret/ /secret /secret/ home/secret home/secret/ /home/secret ./home/secret ./secret secret/old /secret/key \
        'secret/*' 'home/*/old' work/secret '*.o' 'home/*.o' '/*.o' 'work/*.o' 'a/b' 'work/a/b' 'work/**/b' '**/b' '**/a/**/b' \
        'home/work/**' 'work/a/**/y/' key/ link/ link '[odd]' '\[odd\]' 'home/\[odd\]/f' '.*' home home/ / '' '!key' missing; do
        left home home "--exclude=$p"
done
echo -- as git and as tar
git init -q home --template=
files() { lsr --pack "$@" --bundle-format=tar --output=- 2>/dev/null | tar -tf - | grep -v '/$' | sort; }
for p in secret secret/ /secret /secret/ secret/old /secret/key 'secret/*' work/secret '*.o' work/a/b 'work/**/b' '**/b' '**/a/**/b' \
        'work/**' 'work/a/**/y/' key/ link link/ '.*' '\[odd\]' '**/key' 'a/b' 'work/a/*/' missing; do
        diff <(files home "--exclude=$p" --exclude=.git) <(git -C home ls-files --others "--exclude=$p" | sed s,^,home/, | sort) ||
                echo "not as git: $p"
done
for p in secret home/secret 'home/*.o' '*.o' work/secret home/work '*/old' '*/x' '[o-t]*' missing; do
        diff <(files home "--exclude=$p" --exclude=.git) <(tar "--exclude=$p" --exclude=.git -cf - home | tar -tf - | grep -v '/$' | sort) ||
                echo "not as tar: $p"
done
rm -rf home/.git
echo -- the operand written otherwise
top=$PWD
left home ./home --exclude=./home/secret
left home home/ --exclude=home/secret
left home "$top/home" --exclude="$top/home/secret" | sed "s,$top,TOP,g"
left home home --exclude="$top/home/secret" | sed "s,$top,TOP,g"
ln -s home alias
for way in 'other:../home:../home/secret' 'home:.:./secret' 'home:.:/secret' '.:alias:alias/secret' 'other:../alias:/alias/secret'; do
        IFS=: read -r dir operand pattern <<<$way
        echo "$operand --exclude=$pattern"
        (cd $dir; lsr --pack "$operand" --exclude="$pattern" --output=- --bundle-format=tar 2>/dev/null | tar -tf - | grep secret)
done
echo -- several operands
left 'home other' home other --exclude=other/secret
left 'home other' home other --exclude=/secret --exclude=missing --exclude='*.o' --exclude=top.o
echo -- each
mkdir all bundles; mv home other all
lsr --pack --each all --exclude=all/home/secret --exclude=other/secret --exclude=missing --bundle-format=tar \
        --output=bundles 2>&1 | sed 's/, [0-9.]* s$//'; echo "=> ${PIPESTATUS[0]}"
for b in home other; do tar -tf bundles/$b.tar; done | grep secret
echo -- gitignore
cd all; git init -q home; echo '*.o' >home/.gitignore
left home home --gitignore --exclude=home/secret/ --exclude=/work/a --exclude=.git --exclude=top.o --exclude=missing |
        sed 's,home/.git/[^ ]* ,,g'
# What was not gone through to its end might have been matched there.
status lsr --pack home --exclude=missing --output=/dev/full --bundle-format=tar
