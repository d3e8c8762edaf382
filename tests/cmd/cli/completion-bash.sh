# engines: sync
# What bash offers behind a few words.  Names of files are left to readline, as words would be split at blanks.
. "$HELPERS/completion.bash"
touch 'two words'
offer() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _lsr; echo "$*: ${COMPREPLY[*]}"; }
offer lsr --rec
offer lsr --sort = v
offer lsr --quoting-style = c
offer lsr tw
complete -p lsr
