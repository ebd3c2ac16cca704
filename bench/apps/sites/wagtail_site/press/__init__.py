"""The application of the newspaper."""
