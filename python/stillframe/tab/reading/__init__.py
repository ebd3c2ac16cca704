"""What a page shows, read without changing it: texts, values, snapshots for models, screenshots and PDFs."""
