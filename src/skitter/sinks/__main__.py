"""`python -m skitter.sinks DIR ADDRESS`: feeds one sink beside a crawl."""

import sys

from skitter.sinks.process import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
