"""Type the beginning of a word, and choose a suggestion."""

from stillframe import Click, TypeText
from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        page.execute_sequence([TypeText("#city", "lis"), Click("text=Lisbon")], check=True)
        return page.locator("#city").value()
