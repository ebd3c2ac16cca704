"""Follow a link into a new window, and read its heading."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        with page.expect_popup() as popup:
            page.click("text=Terms")
        return popup.value.locator("h1").text()
