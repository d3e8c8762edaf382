# A tree of operands none of which is a directory.
mkdir -p d/e
touch f g
ln -s nowhere broken
tar -cf x.tar d
status lsr --tree f
status lsr --tree g f broken
status lsr --tree --zero /dev/null | tr '\0' '\n'
status lsr --tree missing
status lsr --tree missing gone f
status lsr --tree ''
status lsr --tree --json missing
status lsr --tree=1 -R f
status lsr --tree f missing d
status lsr --tree --bundles=never x.tar
status lsr --tree x.tar/missing
status lsr --tree f/
# And without a tree.
status lsr f
status lsr -R f
status lsr -R missing
status lsr -R missing f
status lsr -R -d d
