# With --json the statistics are an object too, on standard error.
touch a b
lsr --json --stats a b 2>err >out
wc -l <out
python3 - <<'P'
import json
stats = json.load(open("err"))
print(stats["entries"], stats["programs_run"], stats["parser"], "system_calls" in stats, "reading_ns" in stats)
print([name for name in stats if " " in name or "fetch" in name])
P
