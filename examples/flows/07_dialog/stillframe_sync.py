"""Confirm a question of the page."""

from stillframe.sync import launch


def run(url, **options):
    with launch(dialogs="accept", **options) as browser:
        page = browser.new_page(url)
        page.click("text=Delete")
        return page.locator("#status").text()
