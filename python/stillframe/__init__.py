"""Act on a web page, know when it is still, and get back exactly what changed."""
