# engines: sync
# static:
# The worker of the one operand starts before anything else does, as a fork: its socket must not be where messages go.
mkdir d; echo one >d/f; tar -cf t.tar d
for set in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        for args in '-l t.tar' '--check t.tar' '--cat t.tar/d/f'; do
                strace -f -qq -e trace=socketpair,execve -o trace sh -c "exec lsr --no-cache $args $set" >said 2>&1
                echo "$args $set: $(grep -c execve trace) programs, $(grep -c socketpair trace) socket," \
                        "$(grep -cE 'socketpair.*(\[[012],|, [012]\])' trace) in the way"
        done
done
