"""Scroll down until a list that loads as it goes has forty items."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        while (count := page.locator("li").count()) < 40:
            page.scroll(pixels=5000)
        return count
