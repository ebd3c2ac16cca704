"""Read a list from page to page."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        names = [item.text() for item in page.locator("li").all()]
        while page.locator("text=Next").count():
            page.click("text=Next")
            names += [item.text() for item in page.locator("li").all()]
        return names
