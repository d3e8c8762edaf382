# Where openat2 is refused directories are opened one by one, and lead out as little.
mkdir -p d/a/b/c outside t/a; echo deep >d/a/b/c/f; echo x >d/f; echo safe >outside/b; tar -cf b.tar -C d .
status "$HELPERS/without" openat2 lsr --unpack b.tar --output=o; diff -r d o && echo same
ln -s ../../outside t/a/b; status "$HELPERS/without" openat2 lsr --unpack b.tar --output=t; ls outside; find t ! -type d | sort
