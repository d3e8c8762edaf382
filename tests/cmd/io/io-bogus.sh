status lsr --io=bogus
status lsr --io=
