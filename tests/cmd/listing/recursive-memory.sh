# engines: sync
# static:
# The rows of a directory that was listed make room for the next: a hundred take the memory of one.
mkdir d e
seq 1 500 | sed 's/^/e\/1\//' >names
for i in $(seq 100); do mkdir d/$i; done
mkdir e/1; xargs touch <names
for i in $(seq 100); do (cd d/$i && seq 1 500 | xargs touch); done
maps() { strace -f -qq -e trace=mmap,brk,mremap -o trace lsr "$@" >/dev/null; wc -l <trace; }
for o in -lR -R --tree; do [ $(maps $o d) = $(maps $o e) ] || echo "$o: $(maps $o d), $(maps $o e)"; done
# A tree with columns is measured as a whole.
[ $(maps --tree -l d) -gt $(maps --tree -l e) ] && echo all of it
