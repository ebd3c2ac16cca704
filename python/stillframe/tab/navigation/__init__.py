"""Load URLs, follow what replaces a document, and leave pages that hang."""
