# engines: sync
# ring:
# root:
# Too little room for the bundles: said before anything is packed, or when it runs out.
mkdir d small; for i in 1 2 3 4; do head -c 1000000 /dev/urandom >d/$i; done
mount -t tmpfs -o size=3m none small || exit
full() { TMPDIR=$PWD/small lsr --compare d --runs=1 "$@" 2>&1 >out | sed "s,$PWD/,," | mask_numbers; echo "=> ${PIPESTATUS[0]}, $(grep -c '^files' out) ways"; }
full
# Half would do if these bytes could be compressed.
full --formats=tar.gz
full --formats=
ls -A small; umount small
