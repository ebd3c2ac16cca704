"""Reasons of `NavigationFailed` that a farm adds to those of Chrome, and defaults that the command line shows."""

DOWNLOAD = "download"
"""The navigation became a download."""
TOO_LARGE = "too_large"
"""The document is larger than the limit."""

ROBOTS_WAIT_S = 900.0
"""How long a crawl waits for a robots.txt that cannot be read, until the pages of its host fail. Our choice: RFC 9309
lets a crawler that runs for months wait for 30 days."""

MAX_DOCUMENT_BYTES = 20_000_000
"""The default limit: more than the 15 MB that Google's crawler has long read of a document at most; our choice."""

TRAP_PAGES = 100
"""How many pages of a trap may bring nothing new, by default: an archive with three months of no news goes on. Our
choice."""
