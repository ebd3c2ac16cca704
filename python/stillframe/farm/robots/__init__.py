"""What robots.txt allows: its rules (`rules`), its way here (`fetching`), and how long it holds (`cache`)."""
