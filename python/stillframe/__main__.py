"""`python -m stillframe` is `stillframe`."""

from stillframe.cli import main

main()
