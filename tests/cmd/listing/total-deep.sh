# --total-size counts what lies beyond PATH_MAX too, on the way back from there, and through links that are followed.
mkdir top
cd top
deep() {
        level=$(printf 'd%.0s' $(seq 250))
        for i in $(seq 40); do
                mkdir "$level" && cd "$level" && head -c 100 /dev/zero >f
        done
}
(deep)
mkdir a z
(cd a && deep)
head -c 7 /dev/zero >z/f
mkdir -p $(seq -s / 30)
head -c 50000 /dev/zero >1/after
cd ..
lsr -go --time-style=+T --total-size
lsr -go --time-style=+T --total-size top | sed 's/d\{250\}/deep/'
lsr -god --time-style=+T --total-size top top/a
ln -s top link
lsr -god --time-style=+T --total-size -L link
lsr -go --time-style=+T --total-size -L | grep link
# As du has it, directories not counted.
find top -type f -printf '%s\n' 2>/dev/null | awk '{ s += $1 } END { print s }'
rm -r top
