# Under the name ls messages carry it, and GNU's own options are what they were.
touch f
as_ls f gone
echo "=> $?"
as_ls --l f
