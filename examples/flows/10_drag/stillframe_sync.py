"""Drag a card into another column."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        page.drag_to("#card", "#done").raise_for_failure()
        return page.locator("#done").text()
