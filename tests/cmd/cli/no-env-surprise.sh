# Colour is off when the output is no terminal; the option outranks NO_COLOR.
mkdir d
export TERM=xterm
lsr | cat -v
NO_COLOR=1 lsr --color=always | cat -v
