#!/bin/sh
# chrome-headless-shell as the tests run it: by itself it keeps the sites of a page in one process, as Chrome does not.
exec "$STILLFRAME_TEST_SHELL" --site-per-process "$@"
