# A bundle from a pipe, of a format that needs no random access and of one that does.
mkdir d; echo x >d/f
tar -cf b.tar d
gzip -k b.tar
cat b.tar | status lsr -R -
cat b.tar.gz | status lsr -R -
status lsr -R - <b.tar
python3 -c 'import zipfile; zipfile.ZipFile("b.zip", "w").writestr("z/y", "content")'
cat b.zip | status lsr -R -
echo text | status lsr -
status lsr - </dev/null
status lsr - .
# A copy that may not become so large is an error, and no signal.
cat b.zip | (ulimit -f 0; status lsr -R - 2>&1) | cat
