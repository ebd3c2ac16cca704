"""The screen of a device as a whole: its native elements, input, and pictures."""
