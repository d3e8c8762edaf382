# engines: sync
# ring:
# user:
# What cannot be compared, or not all of it.
compare() { lsr --compare "$@" 2>&1 >out | sed "s,$PWD/,,"; echo "=> ${PIPESTATUS[0]}, $(grep -c '^files' out) ways"; }
mkdir -p empty/sub d/no d/list scratch; echo 1 >file; echo 1 >d/a; echo 2 >d/secret; echo 3 >d/no/x; mkfifo d/fifo
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("d/socket")'
compare empty
compare empty --each
compare file
compare missing
compare http://host/x.zip
compare d empty
compare
compare d --json --csv
compare d --formats=tar,rar
compare d --runs=0
compare d --random=x
compare empty --random=5
chmod 0 d/secret d/no
compare d --runs=1
lsr --compare d --runs=1 --json 2>/dev/null | grep -o '"files":1,\|"differs":true' | sort | uniq -c
chmod 555 scratch; TMPDIR=$PWD/scratch compare d --runs=1
TMPDIR=$PWD/missing compare empty/.. --runs=1 2>&1 | tail -n 2
TMPDIR=$PWD/scratch compare d --runs=1 --formats=
echo old >page; compare d --runs=1 --html=page; cat page
compare d --runs=1 --html=page --force --formats=tar; head -c 15 page; echo
compare d --runs=1 --html=scratch/page
mkfifo reader; compare d --runs=1 --html=reader
# Empty files need not be read, and what is in a directory that one may only list is nowhere.
mkdir -p e/list; echo 1 >e/a; : >e/empty; echo 2 >e/list/x; ln -s x e/list/link; chmod 0 e/empty; chmod 444 e/list
compare e --runs=1
lsr --compare e --runs=1 --json 2>/dev/null | grep -o '"error":null\|"members":2,\|"differs":true' | sort | uniq -c
chmod 755 d/no e/list
mkdir -p p; for i in $(seq 40); do mkdir p/$i; : >p/$i/x; done; (ulimit -n 100; compare p --each --formats=tar,zip)
