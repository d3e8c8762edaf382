# The colour of each kind of file, of lsr's own palette and under the name ls; and what is stat-ed for it.
mkdir d d/dir d/sticky d/writable d/both
chmod 1755 d/sticky
chmod 0757 d/writable
chmod 1777 d/both
touch d/plain d/run d/suid d/sgid d/a.tar d/a.png
chmod 755 d/run
chmod 4755 d/suid
chmod 2755 d/sgid
ln -s plain d/link
ln -s gone d/orphan
mkfifo d/pipe
python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('d/socket')"
lsr --color=always --icons=never -1 d | cat -v
echo -- ls
TERM=xterm as_ls --color=always d | cat -v
