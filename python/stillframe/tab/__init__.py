"""One tab below the public Page: its frames, refs, clock and captures, and how elements are found and get input."""
