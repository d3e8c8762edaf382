touch -d 2010-01-01 k m
truncate -s 1536 k
truncate -s 123456789 m
at '2010-01-01' k m
lsr -go k m
lsr -goh k m
lsr -go --si k m
lsr -go --block-size=M k m
lsr -go --block-size="'1" k m
BLOCK_SIZE=1000 lsr -go k m
LS_BLOCK_SIZE=human-readable lsr -go k m
