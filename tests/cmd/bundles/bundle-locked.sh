# Encrypted: members are listed where their names are not encrypted too, and their content is refused.
mkdir d; echo secret >d/f; echo open >d/g; tar -cf d/in.tar d/g; at '2020-01-02 03:04' d/* d
zip -q -P word b.zip d/f d/in.tar; zip -q b.zip d/g
7z a -bd -bso0 -pword b.7z d; 7z a -bd -bso0 -pword -mhe=on h.7z d; 7z a -bd -bso0 -tzip -pword -mem=AES256 aes.zip d/f
for b in b.zip aes.zip b.7z h.7z; do status lsr -go --time-style=+%F $b/d; done
status lsr h.7z
lsr --json b.zip/d aes.zip/d | grep -oE '"path":"[^"]*"|"(encrypted|method)":[^,}]*'
status lsr b.zip/d/in.tar/
status lsr b.zip/d/in.tar/d
status lsr b.7z/d/in.tar/
status lsr -R --bundles=always b.zip
