"""Crawls beside those of other crawlers: pages per second, what they cost, and whether each page was complete."""
