# Under the name ls messages carry it, and GNU's own options are what they were.
touch f
as_ls f gone
echo "=> $?"
as_ls --l f
# GNU ls ends with 1 after a bad word, and suggests nothing.
as_ls --sort=bogus f
echo "=> $?"
as_ls -F=x f
echo "=> $?"
as_ls --header f
echo "=> $?"
