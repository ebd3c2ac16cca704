"""Sort a table that the server sorts, and read its rows."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        page.click("text=Price")
        return [row.text().split() for row in page.locator("tbody tr").all()]
