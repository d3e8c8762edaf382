SUMMARY = "x"
def add_options(p): pass
def run(a): return 0
