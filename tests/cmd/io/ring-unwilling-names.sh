# The kernel refuses these when it takes the request; a chain of a ring must survive.
touch a b
long=$(printf 'x%.0s' $(seq 1 5000))
timeout 20 lsr -d a '' b "$long" c 2>&1 | sed 's/xxx*/LONG/'
echo "=> ${PIPESTATUS[0]}"
timeout 20 lsr -d '' a "$long" 2>&1 | sed 's/xxx*/LONG/'
timeout 20 lsr -d "$long" '' 2>&1 | sed 's/xxx*/LONG/'
# Nor does a missing zone stop it.
TZ=No/Where timeout 20 lsr -lgG --time-style=+%Y a b >/dev/null
echo "=> $?"
