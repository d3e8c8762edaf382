# root:
mkdir -m 750 d
touch .hidden d/x
at '2010-01-01 00:00' .hidden d/x d .
lsr -al . | sed -E '/ \.\.$/s/.*/parent ../' | mask_dirs
lsr -Al | mask_dirs
