# The engine that was asked for does the work, and no other.
mkdir d
(cd d && touch $(seq 1 1000))
lsr -l --stats d 2>&1 >/dev/null |
        awk '/^engine/ { print $2 == ENVIRON["LSR_IO"] ? "the engine asked for" : $0 }
             /^ring requests/ { n["uring"] = $3 }
             /^thread requests/ { n["threads"] = $3 }
             /^sync requests/ { n["sync"] = $3 }
             END { for (e in n) if ((e == ENVIRON["LSR_IO"]) != (n[e] >= 1000) || (e != ENVIRON["LSR_IO"] && n[e])) print e, n[e] }'
