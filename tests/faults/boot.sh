#!/bin/busybox sh
# boot.sh - what boot.py runs in a guest, as /init, and in a chroot here, as `/init here`
#
# Does what /jobs says, and writes what came of it as a .tar.gz.  Called as beside it is one of the commands.

export PATH=/bin LC_ALL=C TZ=UTC HOME=/root XDG_CACHE_HOME=/cache

# refuse KEY VALUE: a setting of the kernel that refuses something, and `KEY=VALUE` if this kernel has it.
refuse()
{
        local file

        file=/proc/sys/$(echo "$1" | tr . /)
        [ ! -e "$file" ] || { echo "$2" >"$file" && echo "$1=$(cat "$file")"; }
}

facts()
{
        uname -r
        if grep -qw lsr.less /proc/cmdline; then
                refuse kernel.io_uring_disabled 2
                refuse vm.memfd_noexec 2
                refuse user.max_user_namespaces 0
        fi
}

# What lies in made/ and /ram: of a bundle its bytes, of what was unpacked all that stat(2) and getxattr(2) tell.
manifest()
{
        find made /ram -type f -print0 | sort -z | xargs -0r sha256sum
        find made /ram -mindepth 2 -print0 | sort -z | xargs -0r stat -c '%N %f %u:%g %h %s %t:%T %y'
        getfattr -R -h -d -m - -e hex made 2>&1
}

# job NUMBER NAME ENGINE USER GONE COMMAND: GONE is a file system that is not there.
job()
{
        local result=/out/$1

        [ -n "$here" ] || echo "job $1: $2" >/dev/console
        cd /w || return
        rm -rf made/* made/.[!.]* /ram/* /tmp/*
        export LSR_IO="$3"
        [ -z "$5" ] || umount -l "$5"
        timeout -s KILL 100 su -s /bin/sh "$4" -c "$6" </dev/null >"$result.out" 2>"$result.err"
        echo $? >"$result.status"
        [ -z "$5" ] || mount -t proc proc /proc
        case $6 in *made*) manifest >"$result.made" 2>&1 ;; esac
}

# beside ARG...: lsr and the ls of GNU, of which nothing may differ but the name in messages.
beside()
{
        cd /tmp && touch ls ls.err lsr lsr.err && cd /w || return
        { /gnu/ls "$@" 2>/tmp/ls.err && echo 0 || echo $?; } >/tmp/ls
        { lsr "$@" 2>/tmp/lsr.err && echo 0 || echo $?; } >/tmp/lsr
        sed -i 's,^/gnu/ls: ,lsr: ,' /tmp/ls.err
        diff -U 0 /tmp/ls /tmp/lsr && diff -U 0 /tmp/ls.err /tmp/lsr.err && echo same
}

if [ "${0##*/}" = beside ]; then
        beside "$@"
        exit
fi
here=$1
/bin/busybox mount -t proc proc /proc
/bin/busybox --install -s /bin
[ -n "$here" ] || { mount -t devtmpfs dev /devices && mount -t sysfs sys /sys; }
mount -t ramfs ram /ram && chmod 1777 /ram
ip link set lo up
httpd -p 127.0.0.1:8080 -h /w
facts >/out/facts
. /jobs
if [ -n "$here" ]; then
        tar -c -C /out . | gzip -1
else
        stty -F /dev/ttyS1 raw
        tar -c -C /out . | gzip -1 >/dev/ttyS1
        poweroff -f
fi
