"""Crawls: a pool of browsers, a queue that loses no page, crawlers on crawlee and Scrapy, and farms of machines."""
