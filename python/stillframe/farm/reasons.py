"""Reasons of `NavigationFailed` that a farm adds to those of Chrome."""

DOWNLOAD = "download"
"""The navigation became a download."""
TOO_LARGE = "too_large"
"""The document is larger than the limit."""

MAX_DOCUMENT_BYTES = 20_000_000
"""The default limit: more than the 15 MB that Google's crawler has long read of a document at most; our choice."""
