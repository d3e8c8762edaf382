# Times before 1970 and after 2038, with fractions of a second: listed from every format, and restored, as that keeps them.
mkdir d
touch d/{first,past,eve,epoch,over,beyond,far}
at 1901-12-14T00:00:00.25Z d/first
at 1938-06-07T08:09:10.75Z d/past
at 1969-12-31T23:59:59.5Z d/eve
at 1970-01-01T00:00:00Z d/epoch
at 2038-01-19T03:14:08.5Z d/over
at 2106-02-07T06:28:16Z d/beyond
at 2299-12-31T23:59:59.9Z d/far
at 1969-12-31T23:59:59Z d
times() { lsr -goU --time-style='+%Y-%m-%dT%H:%M:%S.%N' "$@" | tail -n +2 | cut -d ' ' -f 4- | sort -k 2; }
lsr -goU --time-style=+%s.%N d | tail -n +2 | awk '{ print $4, $5 }' | sort -k 2
times d >want
for form in tar tar.zst zip sqlar; do
        echo "-- $form"
        lsr --pack --output=x.$form d 2>&1 | sed -E 's/, [0-9.]+ m?s.*//; s/[0-9,]+ bytes/N bytes/g'
        times x.$form/d | diff want - | grep '^[<>]'
        mkdir out
        status lsr --unpack x.$form --output=out 2>&1 | grep -v '^lsr: [0-9]'
        times out/d | diff want - | grep '^[<>]'
        rm -r out
        status lsr --diff d x.$form/d
done
