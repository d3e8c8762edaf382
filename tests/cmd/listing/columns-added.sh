# Options that add a column to -l add it to --columns, too, and where -l has it.
git init -q d
printf 12345 >d/file
at '2 days ago' d/file
mkdir d/sub
same()
{
        lsr $1 d >want
        lsr $2 d >got
        cmp want got && echo same
}
same -lis '-is --columns=mode,links,user,group,size,modified'
same -li '-i --columns=mode,links,user,group,size,modified'
same -ls '--columns=mode,links,user,group,size,modified -s'
same '-l --author' '--author --columns=mode,links,user,group,size,modified'
same -lZ '-Z --columns=mode,links,user,group,size,modified'
same '-l --git' '--git --columns=mode,links,user,group,size,modified'
same -isC '-isC --columns=inode'
echo -- among columns in another order, and once
lsr --columns=size,mode -sZ --git --titles d/file | squeeze
lsr --columns=size,blocks -s d/file | squeeze
lsr -m --columns=size --git d/file
lsr --columns=context -Z d/file
echo -- JSON
lsr --json --columns=size --git d/file
lsr --json --columns=size -i d/file | mask_numbers
echo -- too many
lsr -i --columns=$(printf 'size,%.0s' $(seq 22))mode d/file
