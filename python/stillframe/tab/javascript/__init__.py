"""The caller's own scripts: values there and back, what scripts hold, and waits for what they return."""
