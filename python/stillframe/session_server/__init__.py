"""Sessions that outlive a command: a background process of one user keeps them, and commands talk to it.

`background` starts the process, `server` runs in it, `client` sends requests to it over a Unix socket.
"""
