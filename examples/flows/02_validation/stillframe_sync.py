"""Fill in a form wrongly, read what it says, and correct it."""

from stillframe import Click, SetValue
from stillframe.sync import launch


def run(url, **options):
    with launch(**options) as browser:
        page = browser.new_page(url)
        page.execute_sequence([SetValue("#email", "ann"), Click("text=Join")], check=True)
        error = page.locator("#error").text()
        page.execute_sequence([SetValue("#email", "ann@example.org"), Click("text=Join")], check=True)
        return [error, page.locator("#welcome").text()]
