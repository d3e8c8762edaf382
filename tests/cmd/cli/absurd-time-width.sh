# engines: sync
# A width that no buffer has.
touch a
at 2020-02-02T02:02:02.5Z a
lsr -lgG --time-style=+%2559N a | tr -s 0 | tr -d 5 | squeeze
TZ=Europe/Berlin lsr -lgG --time-style=+%Z a | squeeze
at 2040-07-01T00:00Z a
TZ=Europe/Berlin lsr -lgG --time-style=+%Z a | squeeze
