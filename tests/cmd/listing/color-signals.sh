mkdir many
for i in 0 1 2 3; do (cd many && touch $(seq -f "a-long-name-of-a-file-$i-%04g.tar.gz" 2000)); done
for s in INT TERM HUP QUIT TSTP; do
	echo "-- $s"
	"$HELPERS/in-terminal" $s lsr --color=always -1 many
done
echo '-- ignored, as by nohup'
trap '' HUP
"$HELPERS/in-terminal" HUP lsr --color=always -1 many
