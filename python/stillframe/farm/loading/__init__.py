"""Loads one page of a crawl: whether it may be asked for, the browser that lends a tab, and what became of the try."""
