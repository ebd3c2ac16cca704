"""Drag a card into another column."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        page.drag_to("#card", "#done")
        return page.locator("#done").text()
