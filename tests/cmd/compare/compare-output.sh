# engines: sync
# ring:
# A page on standard output is alone there, and formats are compared once each.
mkdir d; echo 1 >d/1
lsr --compare d --runs=1 --formats=tar --html=- >out; echo "=> $?"; head -c 15 out; echo; tail -n 1 out
lsr --compare d --runs=1 --formats=tar --html=- --json; echo "=> $?"
lsr --compare d --runs=1 --formats=tar,TAR,tgz,tar.gz,tar --csv | cut -d, -f 1-3 | tail -n +6
lsr --compare d --runs=1 --formats=tar --html=; echo "=> $?"
