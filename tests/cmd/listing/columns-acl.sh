# The mark behind the mode, in any layout.
touch f g
setfacl -m u:1:r f
for layout in -1 -m -C -x; do lsr $layout --acl --columns=mode; done
lsr --acl --columns=mode
lsr -1 --columns=mode
lsr --json --acl --columns=mode f
