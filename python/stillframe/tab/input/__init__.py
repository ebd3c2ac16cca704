"""Input events, and what makes an element ready for them."""
