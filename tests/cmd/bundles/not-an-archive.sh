# engines: sync
# On a terminal, a file that is named as an archive and is none says so, and what it begins as.
on() { python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' lsr --color=never "$@" </dev/null | tr -d '\r' | grep -v 'not confined'; }
printf '\n<!DOCTYPE html><title>404' >error.zip; printf '<?xml version="1.0"?>' >a.JAR; printf '{"message":"Not Found"}' >b.tar.gz
printf 'Not found\n' >c.tgz; : >d.7z; printf '\1\2\3\4\5' >e.iso; printf '%%PDF-1.4' >f.rar; echo text >notes.txt; echo x | gzip >notes.gz
printf '\357\273\277<html>' >'g h.zip'
mkdir dir.zip; tar -cf good.zip notes.txt
for f in error.zip a.JAR b.tar.gz c.tgz d.7z e.iso f.rar 'g h.zip'; do on "$f"; done
echo "= and nobody else"
on notes.txt; on notes.gz; on dir.zip; on good.zip; on error.zip notes.txt; on -d error.zip; on --bundles=never error.zip
lsr error.zip
(exec -a ls lsr error.zip)
