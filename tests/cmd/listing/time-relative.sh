# How long ago, in the largest unit of which there is one; aligned to the right.
touch -d '-1 hour' hour; touch -d '-23 hours' hours; touch -d '-3 days' days; touch -d '-45 days' month
touch -d '-300 days' months; touch -d '-400 days' year; touch -d '-3000 days' years; touch -d '+400 days' future; touch -d '-90 minutes' ninety
lsr -gG --time-style=relative | tail -n +2 | cut -d ' ' -f 4-
echo "-- one column, the environment"
lsr --columns=modified --time-style=rel days year
TIME_STYLE=relative lsr -gG days | cut -d ' ' -f 4-
status as_ls -l --time-style=relative days
lsr --json --columns=modified --time-style=relative days | grep -c Z
