# More than a pipe holds; nothing on standard error, and no failure but the signal's.
mkdir big
(cd big && seq -f 'a-rather-long-name-of-a-file-to-fill-the-pipe-%06.0f' 1 4000 | xargs touch)
lsr -l big | head -n 1 >/dev/null
code=${PIPESTATUS[0]}
case $code in 0 | 141) echo quiet ;; *) echo "=> $code" ;; esac
