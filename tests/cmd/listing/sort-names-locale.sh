# locale: en_US.UTF-8
touch B a C _b ä Z z .a
lsr
echo --
lsr -A
