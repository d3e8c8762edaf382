# engines: sync
# static:
# Times of files are UTC in JSON, so that no zone is read; those of members may have to be made so.
touch a
export TZ=Europe/Berlin
for options in '--json --bundles=never' --json -l --bundles=never; do
	strace -qq -e trace=openat -o trace lsr $options a >/dev/null; echo "$options: $(grep -c zoneinfo trace)"
done
