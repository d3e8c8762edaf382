# In a tree, -d is for directories only; elsewhere it keeps what is below directories out.
mkdir -p a/b/c; touch a/b/f g; at '2020-01-02 03:04' a g
status lsr --tree -d
status lsr -d --tree a g
status lsr -go -d --time-style=+T --tree=2 g a/b | cut -c 1-10
status lsr -R -d a
lsr --json --tree -d a | grep -o '"path":"[^"]*"'
