status lsr --sort=bogus
status lsr --color=perhaps
status lsr --width=wide
status lsr --tabsize=-1
status lsr --block-size=1Q2
