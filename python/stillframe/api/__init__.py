"""The public objects: browsers, contexts, pages."""
