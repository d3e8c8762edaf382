# What --icons is when nobody says it.
touch f; mkdir d
export LSR_ICONS=always
lsr
lsr --icons=never
lsr --json | head -c 20; echo
LSR_ICONS=never lsr --icons=always
LSR_ICONS=auto lsr
LSR_ICONS= lsr
status env LSR_ICONS=sometimes lsr
LSR_ICONS=sometimes lsr --icons=never
as_ls
