mkdir gone && cd gone && rmdir ../gone
status lsr
status lsr -A1 .
status lsr -R
