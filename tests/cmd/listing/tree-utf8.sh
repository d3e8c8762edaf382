# locale: en_US.UTF-8
mkdir -p a/grün
touch a/grün/f a/last
lsr --tree
