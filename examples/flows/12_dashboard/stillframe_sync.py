"""Read a dashboard whose parts arrive one after another."""

from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url, settle=True)
        return [widget.text() for widget in page.locator(".widget").all()]
