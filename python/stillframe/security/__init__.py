"""What may be loaded and what must not be shown: URL policy, redaction, declared secrets."""
