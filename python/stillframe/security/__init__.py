"""Which URLs may load and which texts must stay hidden: URL policy, redaction, secret store."""
