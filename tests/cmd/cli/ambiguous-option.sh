status lsr --co
status lsr --all=x
status lsr --sort
