"""Fill in a payment form in a frame of another site."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        form = page.locator("frame=#payment >> form")
        form.locator("#card").fill("4242424242424242")
        form.locator("#expiry").fill("12/30")
        form.locator("text=Pay").click()
        return form.locator("#receipt").text()
