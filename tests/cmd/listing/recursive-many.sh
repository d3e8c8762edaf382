# 300 directories, the same through every engine.
for i in $(seq 1 300); do mkdir -p d/$((i % 7))/$i; touch d/$((i % 7))/$i/{a,b}; done
lsr -lR --io=sync d >want
timeout 50 lsr -lR d | cmp - want
grep -c ':$' want
