# root:
# The columns that options choose, by their names, are the same bytes.
mkdir d
printf 12345 >d/file
touch -d '3 days ago' d/file
mkdir -m 1777 d/sub
ln -s file d/link
mknod d/null c 1 3
touch -h -d '400 days ago' d/link d/null
touch -d '30 hours ago' d/sub
touch -d '90 minutes' d/later
chmod 4755 d/later
same()
{
        lsr $1 d >want
        lsr $2 d >got
        cmp want got && echo same
}
same -l --columns=mode,links,user,group,size,modified
same -lis --columns=inode,blocks,mode,links,user,group,size,modified
same '-l --author' --columns=mode,links,user,group,author,size,modified
same '-lu' --columns=mode,links,user,group,size,accessed
same '-lc' --columns=mode,links,user,group,size,changed
same '-g' --columns=mode,links,group,size,modified
same '-lZ' --columns=mode,links,user,group,context,size,modified
same '-nl' '-n --columns=mode,links,user,group,size,modified'
same '-lh' '-h --columns=mode,links,user,group,size,modified'
same '-isC' '-C --columns=inode,blocks'
same '-ism' '--columns=inode,blocks -m'
echo -- new ones
lsr --columns=octal,age,size --titles d
lsr -m --columns=octal,age d | sed 's/total .*/total/'
lsr -C -w 60 --columns=octal d
echo -- JSON
lsr --json --columns=octal,size,user d/file
lsr --columns=size --json d/link
echo -- none of them
lsr --columns=size,colour d
lsr --columns= d
lsr --columns=size,,mode d
lsr --columns=$(printf 'size,%.0s' $(seq 40))mode d
lsr --columns=$(printf 'size,%.0s' $(seq 22))mode d/file
