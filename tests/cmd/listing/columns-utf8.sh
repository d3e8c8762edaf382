# locale: en_US.UTF-8
# Columns count what a terminal shows: wide characters two, combining ones none.
touch 日本語 ünï $'e\u0301' plain zzz aaa
lsr -C -w 24
