# A bundle is not written to a terminal: who names one there means what is in it.  Its members are, and other files.
echo content >f; zip -q b.zip f; gzip -k f
seen() { SHELL=/bin/bash script -qec "lsr --cat $1; echo \"=> \$?\"" /dev/null </dev/null | tr -d '\r' | sed '/not confined/d' | LC_ALL=C tr -c '[:print:]\n' '#'; }
seen b.zip; seen b.zip/f; seen f; seen 'f b.zip f'
lsr --cat b.zip | cmp - b.zip
