# Every time is RFC 3339 in UTC with nanoseconds, whatever TZ says.
touch -d '2021-07-01 00:00:00.000000001' f
TZ=Asia/Tokyo lsr --json f | grep -oE '"[a-z]time":"[^"]*"' | sed -E '/"mtime"/!s/[0-9]/N/g' | LC_ALL=C sort
