# engines: sync
# static:
# Of no library anything runs before main(): it would ask the processor, and a hypervisor answers, at each start.
# One address of 8 bytes is the C runtime's own.
readelf -SW "$(command -v lsr)" | grep -oE '\.(preinit_array|init_array|ctors) .*' | awk '{ print $1 ": " $5 }'
