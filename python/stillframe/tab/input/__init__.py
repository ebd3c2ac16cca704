"""Input events, and the checks that make an element ready for them."""
